import Service
import Association
import FoundationEssentials
import Glibc
import JSONValue
import Store

/// Writes a state as a directory to keep in git: `apps.json` and a file for each domain, which
/// `DesiredFiles` reads.
///
/// A file that already has the right bytes is not touched. The file of a domain that no longer
/// exists is removed only if the previous export wrote it and it has not changed since:
/// `.aasa-export.json` lists the SHA-256 of each written file. Other files are left alone.
struct StateDirectory {
  struct Result {
    var written: [String] = []
    var removed: [String] = []
    /// Files that are not part of the state, but that `aasa apply` would read.
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
  /// - Throws: `Installation.Failure` if a file cannot be written, or the state has a bad name.
  func write(_ state: JSON) throws -> Result {
    let files = try files(of: state)
    let before = try manifest()
    return try Progress.during("Writing \(files.count.counted("file"))") { progress in
      var result = Result()
      try writing(path) {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }
      for (index, file) in files.enumerated() {
        if index % 64 == 0 { progress.say("Writing file \(index + 1) of \(files.count)") }
        if try put(file) { result.written.append(file.name) } else { result.unchanged += 1 }
      }
      // Before files are removed, so that no unlisted file is left if the program is killed in between.
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
      // A server must not be able to choose where files are written.
      guard let name = domain["domain"]?.stringValue, !name.isEmpty, !name.hasPrefix("."),
        !name.contains("/")
      else {
        throw Installation.Failure(
          description: "The export has a domain whose name cannot be a file name.")
      }
      let file = File(name: "\(name).json", bytes: Array(domain.prettyPrinted().utf8))
      if file.name == DesiredFiles.appsName {
        throw Installation.Failure(
          description:
            "The file of the domain \(name.quoted) would overwrite \(file.name.quoted), the file of "
            + "the apps. Export to stdout instead.")
      }
      files.append(file)
    }
    return files
  }

  /// Writes a file as a whole or not at all. Returns `false` if it already has these bytes.
  private func put(_ file: File) throws -> Bool {
    if try contents(of: file.name)?.elementsEqual(file.bytes) == true { return false }
    // Not `.atomic`, which waits for the disk after each file: an export can be repeated.
    let draft = url(".\(file.name).tmp")
    try writing("\(path)/\(file.name)") {
      try Data(file.bytes).write(to: draft)
      if rename(draft.path, url(file.name).path) != 0 {
        let reason = String(cString: strerror(errno))
        unlink(draft.path)
        throw Installation.Failure(
          description: "\"\(path)/\(file.name)\" cannot be replaced: \(reason).")
      }
    }
    return true
  }

  private func removeOthers(
    than files: [File], _ before: [String: String], _ result: inout Result
  ) throws {
    let names = Set(files.map(\.name))
    for name in try DesiredFiles.names(in: path) where !names.contains(name) {
      if let hash = before[name], try contents(of: name).map(SHA256.hexadecimal) == hash {
        try writing("\(path)/\(name)") { try FileManager.default.removeItem(at: url(name)) }
        result.removed.append(name)
      } else {
        result.kept.append(name)
      }
    }
  }

  /// The files of the previous export with their SHA-256.
  private func manifest() throws -> [String: String] {
    guard let bytes = try contents(of: Self.manifestName) else { return [:] }
    do {
      let members = try JSON.parse(bytes).value["files"]?.objectValue?.members ?? []
      return Dictionary(
        members.map { ($0.key, $0.value.stringValue ?? "") }, uniquingKeysWith: { $1 })
    } catch {
      // For example after a merge with conflicts.
      Terminal.complain(
        "No file is removed: \"\(path)/\(Self.manifestName)\" is not JSON: \(error).")
      return [:]
    }
  }

  private func manifest(of files: [File]) -> File {
    var object = JSON.Object()
    for file in files { object.appendNew(file.name, .string(SHA256.hexadecimal(of: file.bytes))) }
    let json: JSON = ["files": .object(object)]
    return File(name: Self.manifestName, bytes: Array(json.prettyPrinted().utf8))
  }

  /// Runs `body` and adds the file's name to write errors.
  private func writing(_ name: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as CocoaError {
      let reason = (error.userInfo["NSUnderlyingError"] as? POSIXError).map {
        String(cString: strerror($0.code.rawValue))
      }
      throw Installation.Failure(
        description: "\(name.quotedPath) cannot be written: \(reason ?? String(describing: error))."
      )
    }
  }

  /// The bytes of a file; `nil` if it does not exist.
  private func contents(of name: String) throws -> [UInt8]? {
    let file = url(name).path
    guard FileManager.default.fileExists(atPath: file) else { return nil }
    return try InputFile.bytes(of: file, atMost: DesiredFiles.largestFile)
  }

  private func url(_ name: String) -> URL { URL(filePath: path).appending(path: name) }
}
