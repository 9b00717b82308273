import CSodium
import FoundationEssentials
import Glibc
import JSONValue
import Association

/// The form of a state that people keep in git: a directory with `apps.json` and a file for each
/// domain, which `DesiredFiles` reads.
///
/// A file whose bytes are right already is not touched. A file whose domain is gone is removed only if
/// the export before wrote it and its bytes are still those: `.aasa-export.json` in the directory has
/// the SHA-256 of each file that was written. Whatever else is there is left.
struct StateDirectory {
  /// What was done.
  struct Result {
    var written: [String] = []
    var removed: [String] = []
    /// Files that an apply would read though they are not of the state.
    var kept: [String] = []
    var unchanged = 0

    var json: JSON {
      [
        "written": .strings(written), "removed": .strings(removed), "kept": .strings(kept),
        "unchanged": .integer(unchanged),
      ]
    }

    var text: String {
      "\(written.count.counted("file")) written, \(removed.count) removed, \(unchanged) unchanged"
    }
  }

  private static let manifestName = ".aasa-export.json"

  let path: String

  /// Writes a state.
  ///
  /// - Throws: `StateSite.Failure` for what cannot be written, or is no state.
  func write(_ state: JSON) throws -> Result {
    let files = try files(of: state)
    let before = try manifest()
    return try Progress.during("Writing \(files.count.counted("file"))") { progress in
      var result = Result()
      try changing(path) {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }
      for (index, file) in files.enumerated() {
        if index % 64 == 0 { progress.say("Writing file \(index + 1) of \(files.count)") }
        if try put(file) { result.written.append(file.name) } else { result.unchanged += 1 }
      }
      // First, so that an end of the program in between leaves no file that is not known.
      _ = try put(manifest(of: files))
      try removeOthers(than: files, before, &result)
      return result
    }
  }

  private struct File {
    let name: String
    let bytes: [UInt8]
  }

  private func files(of state: JSON) throws -> [File] {
    let apps: JSON = ["apps": .array(state["apps"]?.arrayValue ?? [])]
    var files = [File(name: DesiredFiles.appsName, bytes: Array(apps.prettyPrinted().utf8))]
    for domain in state["domains"]?.arrayValue ?? [] {
      // A server that is not to be trusted must not choose where files go.
      guard let name = domain["domain"]?.stringValue, !name.isEmpty, !name.hasPrefix("."),
        !name.contains("/")
      else { throw StateSite.Failure(description: "A domain of the export has no usable name.") }
      let file = File(name: "\(name).json", bytes: Array(domain.prettyPrinted().utf8))
      if file.name == DesiredFiles.appsName {
        throw StateSite.Failure(
          description: "The domain “\(name)” would have the file of the apps. Export to stdout.")
      }
      files.append(file)
    }
    return files
  }

  /// Writes a file as a whole or not at all; `false` where it has these bytes already.
  private func put(_ file: File) throws -> Bool {
    if try contents(of: file.name)?.elementsEqual(file.bytes) == true { return false }
    // Not `.atomic`, which waits for the disk after each file: an export can be repeated.
    let draft = url(".\(file.name).tmp")
    try changing("\(path)/\(file.name)") {
      try Data(file.bytes).write(to: draft)
      if rename(draft.path, url(file.name).path) != 0 {
        let reason = String(cString: strerror(errno))
        unlink(draft.path)
        throw StateSite.Failure(
          description: "“\(path)/\(file.name)” cannot be replaced: \(reason).")
      }
    }
    return true
  }

  private func removeOthers(
    than files: [File], _ before: [String: String], _ result: inout Result
  ) throws {
    let names = Set(files.map(\.name))
    for name in try DesiredFiles.names(in: path) where !names.contains(name) {
      if let hash = before[name], try contents(of: name).map(Self.sha256) == hash {
        try changing("\(path)/\(name)") { try FileManager.default.removeItem(at: url(name)) }
        result.removed.append(name)
      } else {
        result.kept.append(name)
      }
    }
  }

  /// What the export before wrote: names and SHA-256.
  private func manifest() throws -> [String: String] {
    guard let bytes = try contents(of: Self.manifestName) else { return [:] }
    do {
      let members = try JSON.parse(bytes).value["files"]?.objectValue?.members ?? []
      return Dictionary(
        members.map { ($0.key, $0.value.stringValue ?? "") }, uniquingKeysWith: { $1 })
    } catch {
      // Such as after a merge with conflicts.
      Terminal.complain("“\(path)/\(Self.manifestName)” is not JSON: \(error). No file is removed.")
      return [:]
    }
  }

  private func manifest(of files: [File]) -> File {
    var object = JSON.Object()
    for file in files { object.appendNew(file.name, .string(Self.sha256(file.bytes))) }
    let json: JSON = ["files": .object(object)]
    return File(name: Self.manifestName, bytes: Array(json.prettyPrinted().utf8))
  }

  /// Does `body`, and says what it could not write in a sentence.
  private func changing(_ name: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as CocoaError {
      let reason = (error.userInfo["NSUnderlyingError"] as? POSIXError).map {
        String(cString: strerror($0.code.rawValue))
      }
      throw StateSite.Failure(
        description: "“\(name)” cannot be written: \(reason ?? String(describing: error)).")
    }
  }

  /// The bytes of a file; `nil` where there is none.
  private func contents(of name: String) throws -> [UInt8]? {
    let file = url(name).path
    guard FileManager.default.fileExists(atPath: file) else { return nil }
    return try InputFile.bytes(of: file, atMost: 1_073_741_824)
  }

  private func url(_ name: String) -> URL { URL(filePath: path).appending(path: name) }

  /// 64 lower-case hexadecimal digits.
  private static func sha256(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
