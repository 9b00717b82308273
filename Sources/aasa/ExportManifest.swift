import Association
import FoundationEssentials
import Service

/// What `aasa export DIR` notes of a directory, in its `.aasa-export.json`.
struct ExportManifest {
  static let name = ".aasa-export.json"

  /// The SHA-256 of each file that was exported.
  private(set) var files: [String: String] = [:]
  /// The files that say the same as a later revision than they name.
  private(set) var revisions: [String: Revision] = [:]
  /// The apps of a file that says the same as later ones than it was made from: what each was then (`base`), and what it is.
  private(set) var bases: [String: Base] = [:]

  struct Base: Equatable {
    let named: String
    let current: String

    var json: JSON { ["names": .string(named), "is": .string(current)] }
  }

  struct Revision {
    /// The one that the file names.
    let named: Int
    /// The one that it says the same as.
    let current: Int

    var json: JSON { ["names": .integer(named), "is": .integer(current)] }
  }

  /// The revision that a file is of, by its name in the directory and its content.
  func revision(of file: String, _ content: JSON) -> JSON? {
    guard let known = revisions[file], content["revision"] == .integer(known.named) else {
      return content["revision"]
    }
    return .integer(known.current)
  }

  /// Whether two contents are the same, whatever revisions they name.
  func isSame(_ content: JSON, _ other: JSON) -> Bool {
    guard
      var (one, two) = content.objectValue.flatMap({ one in other.objectValue.map { (one, $0) } })
    else { return content == other }
    (one["revision"], two["revision"]) = (nil, nil)
    return one == two
  }

  /// The content of a file with the revision that it is of.
  func revised(_ content: JSON, of file: String) -> JSON {
    guard var object = content.objectValue, object["revision"] != nil else { return content }
    object["revision"] = revision(of: file, content)
    return .object(object)
  }

  /// The identifier of an app of either platform.
  static func identifier(of app: JSON) -> String? {
    (app["app"] ?? app["package"])?.stringValue
  }

  /// An app of a file with what it was made from.
  func revised(app: JSON) -> JSON {
    guard var object = app.objectValue, let base = Self.identifier(of: app).flatMap({ bases[$0] }),
      object["base"] == .string(base.named)
    else { return app }
    object["base"] = .string(base.current)
    return .object(object)
  }

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
        guard let named = member.value["names"]?.integerValue,
          let current = member.value["is"]?.integerValue
        else { continue }
        revisions[member.key] = Revision(named: named, current: current)
      }
      for member in json["bases"]?.objectValue?.members ?? [] {
        guard let named = member.value["names"]?.stringValue,
          let current = member.value["is"]?.stringValue
        else { continue }
        bases[member.key] = Base(named: named, current: current)
      }
    } catch {
      complain("\(file.quotedPath) is not JSON: \(error).")
    }
  }
}
