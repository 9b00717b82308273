import Association
@testable import HTTP
import Glibc
@testable import Store
@testable import Service
import Synchronization

/// The path of a new file in memory.
private func scratchPath(_ name: String) -> String {
  let number = scratchPaths.add(1, ordering: .relaxed).newValue
  return "/dev/shm/aasa-fuzz-\(getpid())-\(number)-\(name)"
}

private let scratchPaths = Atomic(0)

private func write(_ bytes: [UInt8], to path: String) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  defer { close(descriptor) }
  let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  try require(written == bytes.count, "\(path): \(String(cString: strerror(errno)))")
}

// MARK: - Configuration

/// A file is refused with a line for each fault, or all settings that were read are read as the same once more from
/// what `aasa config` prints.
func checkConfiguration(_ bytes: [UInt8]) throws {
  let path = scratchPath("config")
  defer { unlink(path) }
  try write(bytes, to: path)
  let effective: EffectiveConfiguration
  do throws(Configuration.Invalid) {
    effective = try read(path)
  } catch {
    return try require(
      error.faults.allSatisfy { $0.sentence.hasPrefix(path) && !$0.sentence.contains("\n") },
      "an unclear message: \(error)")
  }
  let lines = Configuration.settings.map {
    "\($0.name) = \($0.json(effective.configuration).text)\n"
  }
  try write(Array(lines.joined().utf8), to: path)
  let again: EffectiveConfiguration
  do throws(Configuration.Invalid) {
    again = try read(path)
  } catch {
    throw BrokenProperty(description: "\(error)\n\(lines.joined())")
  }
  try require(again.configuration == effective.configuration, "other settings: \(lines)")
}

private func read(_ path: String) throws(Configuration.Invalid) -> EffectiveConfiguration {
  try EffectiveConfiguration(flags: ["--config": [path]], environment: [:])
}

// MARK: - Certificates

/// A pair is refused with a reason, or valid now for names that a client can ask for.
func checkCertificate(_ bytes: [UInt8]) throws {
  let now: Int64 = 1_900_000_000
  let (certificate, key) = isPEM(bytes) ? (bytes, bytes) : encodedPair(bytes)
  let files = CertificateFiles(
    name: "default", certificate: scratchPath("certificate"), key: scratchPath("key"))
  defer {
    unlink(files.certificate)
    unlink(files.key)
  }
  try write(certificate, to: files.certificate)
  try write(key, to: files.key)
  let pair: CertificatePair
  do throws(CertificateFault) {
    pair = try CertificatePair(
      files, certificate: try FileContents(files.certificate), key: try FileContents(files.key),
      now: now)
  } catch {
    return try require(!"\(error)".isEmpty, "refused without a reason")
  }
  try require(pair.notAfter >= now && pair.chainCount > 0, "an expired or empty pair")
  let isLowercase = pair.hosts.allSatisfy { $0 == $0.lowercased() && !$0.isEmpty }
  try require(isLowercase, "hosts: \(pair.hosts)")
}

private func isPEM(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "-----".utf8) }

/// The PEM of an input that has the length of the certificate in two bytes, its DER, and the DER of
/// the key.
private func encodedPair(_ bytes: [UInt8]) -> (certificate: [UInt8], key: [UInt8]) {
  let count = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
  let rest = bytes.dropFirst(2)
  return (
    pem("CERTIFICATE", rest.prefix(count)), pem("PRIVATE KEY", rest.dropFirst(count))
  )
}

private func pem(_ label: String, _ der: ArraySlice<UInt8>) -> [UInt8] {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var text: [UInt8] = []
  for start in stride(from: der.startIndex, to: der.endIndex, by: 3) {
    let three = der[start..<min(start + 3, der.endIndex)]
    let bits = three.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - three.count))
    text += (0...3).map { index in
      index > three.count ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * index) & 63]
    }
    if (start - der.startIndex) % 48 == 45 { text.append(UInt8(ascii: "\n")) }
  }
  return Array("-----BEGIN \(label)-----\n".utf8) + text
    + Array("\n-----END \(label)-----\n".utf8)
}

// MARK: - Backups

/// The bytes of a database with a few domains, apps and a token.
private let backup: [UInt8] = {
  do {
    return try makeBackup()
  } catch {
    print("no backup: \(error)")
    return []
  }
}()

private let now: UnixTime = 1_900_000_000

private func makeBackup() throws -> [UInt8] {
  let (database, copy) = (scratchPath("original"), scratchPath("backup"))
  defer { for path in [database, copy] { unlinkDatabase(path) } }
  let store = try Store(.file(database), now: { now })
  let context = WriteContext(author: "fuzz")
  for number in 1...3 {
    var document = AssociationFile()
    let app = try AppIdentifier("ABCDE12345.com.example.app\(number)")
    document.entries = [
      Entry(apps: [app], routes: (1...10).map { Route(path: "/\(number)/\($0)/*") })
    ]
    let domain = Domain(
      name: try DomainName("d\(number).example"), aliases: [try Alias("*.d\(number).example")],
      associationFile: document)
    let edit = DomainEdit(
      domain, over: try store.formerDomain(of: domain.name),
      documents: [.apple: document.json.serialized()])
    _ = try store.write(context) { try $0.save(edit, action: "create") }
  }
  _ = try store.write(context) { transaction in
    try transaction.createToken(name: "editor", role: .editor, domains: [])
  }
  _ = try Backup.save(.file(database), to: copy, replacing: true, now: 0)
  return try FileContents(copy).bytes
}

private func unlinkDatabase(_ path: String) {
  for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
}

/// A backup is refused, or it is restored to a database that is whole and can be read.
func checkBackup(_ bytes: [UInt8]) throws {
  let (saved, database) = (scratchPath("saved"), scratchPath("restored"))
  defer { for path in [saved, database] { unlinkDatabase(path) } }
  var contents = backup
  try require(!contents.isEmpty, "there is no backup")
  for start in stride(from: 0, to: bytes.count - 3, by: 4) {
    let place = bytes[start..<(start + 3)].reduce(0) { $0 << 8 | Int($1) }
    contents[place % contents.count] = bytes[start + 3]
  }
  try write(contents, to: saved)
  do {
    _ = try Backup.restore(saved, to: .file(database), replacing: false, now: now)
  } catch let error as BackupError {
    return try require(!"\(error)".contains("SELECT"), "an internal message: \(error)")
  }
  let faults = try SQLiteConnection(path: database, mode: .existing).all("PRAGMA integrity_check") {
    $0.text(0)
  }
  try require(faults == ["ok"], "restored with faults: \(faults)")
  let store = try Store(.file(database), now: { now })
  _ = try store.readServed { change in
    guard case .served(let served, fault: nil) = change.now else {
      throw BrokenProperty(description: "restored with a domain that is damaged: \(change.now)")
    }
    for name in served.names.prefix(1) {
      _ = try store.domain(try DomainName(name.description))
    }
  }
  _ = try store.tokens()
}
