import Association
import FoundationEssentials
import Glibc
import Service
import Store

/// Writes a state as a directory to keep in git: `apps.json` and a file for each domain, which
/// `DesiredFiles` reads.
///
/// A file that already has the right bytes is not touched. The file of a domain that no longer
/// exists is removed only if the previous export wrote it and it has not changed since:
/// `.aasa-export.json` lists the SHA-256 of each written file. Other files are left alone.
struct StateDirectory {
  private static let manifestName = ".aasa-export.json"

  private let path: String
  private(set) var written: [String] = []
  private(set) var removed: [String] = []
  /// Files that are not part of the state, but that `aasa apply` would read.
  private(set) var kept: [String] = []
  private(set) var unchanged = 0
  /// The SHA-256 of each file of the state so far.
  private var hashes: [(name: String, hash: JSON)] = []

  init(path: String) { self.path = path }

  var json: JSON {
    [
      "written": .strings(written), "removed": .strings(removed), "kept": .strings(kept),
      "unchanged": .integer(unchanged),
    ]
  }

  var text: String {
    "\(written.count.counted("file")) written, \(removed.count) removed, \(unchanged) unchanged"
  }

  /// Writes the file of a domain.
  mutating func write(domain: JSON) throws {
    // A server must not be able to choose where files are written.
    guard let name = domain["domain"]?.stringValue, !name.isEmpty, !name.hasPrefix("."),
      !name.contains("/")
    else { throw Failure("The export has a domain whose name cannot be a file name.") }
    if "\(name).json" == DesiredFiles.appsName {
      throw Failure(
        "The file of the domain \(name.quoted) would overwrite \(DesiredFiles.appsName.quoted), which "
          + "lists the apps. Export to stdout instead.")
    }
    try write("\(name).json", domain)
  }

  /// Writes the file of the apps, and removes the files of domains that no longer exist.
  mutating func finish(apps: ExportedApps) throws {
    let before = try manifest()
    try write(DesiredFiles.appsName, .object(apps.json))
    // Before files are removed, so that no unlisted file is left if the program is killed in between.
    var list = JSON.Object()
    for (name, hash) in hashes.suffix(1) + hashes.dropLast() { list.appendNew(name, hash) }
    _ = try put(Self.manifestName, pretty(["files": .object(list)]))
    let names = Set(hashes.map(\.name))
    for name in try DesiredFiles.names(in: path) where !names.contains(name) {
      if let hash = before[name], try contents(of: name).map(SHA256.hexadecimal) == hash {
        try writing("\(path)/\(name)") {
          try FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
        removed.append(name)
      } else {
        kept.append(name)
      }
    }
  }

  private mutating func write(_ name: String, _ json: JSON) throws {
    if hashes.isEmpty {
      try writing(path) {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }
    }
    let bytes = pretty(json)
    hashes.append((name, .string(SHA256.hexadecimal(of: bytes))))
    if try put(name, bytes) { written.append(name) } else { unchanged += 1 }
  }

  private func pretty(_ json: JSON) -> [UInt8] { Array(json.prettyPrinted().utf8) }

  /// Writes a file as a whole or not at all. Returns `false` if it already has these bytes.
  private func put(_ name: String, _ bytes: [UInt8]) throws -> Bool {
    if try contents(of: name)?.elementsEqual(bytes) == true { return false }
    // Not with Foundation, which waits for the disk after each file: an export can be repeated.
    let (file, draft) = ("\(path)/\(name)", "\(path)/.\(name).tmp")
    let descriptor = open(draft, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw Failure("Cannot write \(file.quotedPath)", code: errno) }
    var code = Terminal.write(bytes, to: descriptor)
    // Some network file systems report only here that the disk is full.
    if close(descriptor) != 0 { code = code ?? errno }
    if let code {
      unlink(draft)
      throw Failure("Cannot write \(file.quotedPath)", code: code)
    }
    if rename(draft, file) != 0 {
      defer { unlink(draft) }
      throw Failure("Cannot replace \(file.quotedPath)", code: errno)
    }
    return true
  }

  /// The files of the previous export with their SHA-256.
  private func manifest() throws -> [String: String] {
    guard let bytes = try contents(of: Self.manifestName) else { return [:] }
    do {
      let members =
        try JSON.parse(bytes, limits: .trusted).value["files"]?.objectValue?.members ?? []
      return Dictionary(
        members.map { ($0.key, $0.value.stringValue ?? "") }, uniquingKeysWith: { $1 })
    } catch {
      // For example after a merge with conflicts.
      Terminal.complain(
        "No files were removed, because \"\(path)/\(Self.manifestName)\" is not JSON: \(error).")
      return [:]
    }
  }

  /// Runs `body` and adds the file's name to its errors.
  private func writing(_ name: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as CocoaError {
      throw Failure("Cannot write \(name.quotedPath): \(error.reason).")
    }
  }

  /// The bytes of a file; `nil` if it does not exist.
  private func contents(of name: String) throws -> [UInt8]? {
    let file = "\(path)/\(name)"
    guard FileManager.default.fileExists(atPath: file) else { return nil }
    return try InputFile.bytes(of: file, atMost: DesiredFiles.largestFile)
  }
}
