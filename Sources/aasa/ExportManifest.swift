import Association
import FoundationEssentials
import Service

/// What `aasa export DIR` notes of a directory, in its `.aasa-export.json`.
struct ExportManifest {
  static let name = ".aasa-export.json"

  /// The SHA-256 of each file that was exported.
  private(set) var files: [String: String] = [:]
  /// The revision that a file says the same as, where it names another one itself.
  private(set) var revisions: [String: Int] = [:]

  /// Reads that of a directory; empty without one.
  ///
  /// - Parameter complain: Takes what is wrong with it, for example after a merge with conflicts. It is empty then.
  /// - Throws: `Failure` if it cannot be read.
  init(in directory: String, complain: (String) -> Void) throws {
    let file = "\(directory)/\(Self.name)"
    guard FileManager.default.fileExists(atPath: file) else { return }
    let bytes = try InputFile.bytes(of: file, atMost: DesiredFiles.largestFile)
    do {
      let json = try JSON.parse(bytes, limits: .trusted).value
      for member in json["files"]?.objectValue?.members ?? [] {
        files[member.key] = member.value.stringValue
      }
      for member in json["revisions"]?.objectValue?.members ?? [] {
        revisions[member.key] = member.value.integerValue
      }
    } catch {
      complain("\(file.quotedPath) is not JSON: \(error).")
    }
  }
}
