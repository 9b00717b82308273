import Association
import FoundationEssentials
import JSONValue
import Service

/// A desired state in files: one file like `GET /v1/export`, one file with a domain, or a directory that
/// `aasa export DIR` wrote, with `apps.json` and a file for each domain, such as `example.com.json`. Hidden
/// files, other names and subdirectories are ignored.
struct DesiredFiles {
  /// The file with the apps in a directory.
  static let appsName = "apps.json"
  /// The largest file that is read, in bytes; no server accepts more.
  static let largestFile = 1_073_741_824

  /// The state, as `POST /v1/apply` takes it.
  let state: JSON
  /// Whether the state lists all domains, so that `--prune` may delete the others.
  let isWhole: Bool
  /// The files of the apps and of each domain; `nil` if the state is one file.
  private let places: (apps: String, domains: [String])?

  /// Translates a pointer into the state to a file and a pointer into it: `/domains/3/entries/0` to
  /// `example.com.json /entries/0`.
  func place(_ pointer: String) -> String {
    guard let places else { return pointer }
    let parts = pointer.split(separator: "/", maxSplits: 2).map(String.init)
    if parts.first == "apps" { return "\(places.apps) \(pointer)" }
    guard parts.first == "domains", parts.count > 1, let index = Int(parts[1]),
      places.domains.indices.contains(index)
    else { return pointer }
    return places.domains[index] + (parts.count == 3 ? " /\(parts[2])" : "")
  }

  /// Reads a file, stdin for `-`, or a directory.
  ///
  /// - Throws: `Failure` with all errors in the files, one line each.
  init(path: String) throws {
    var isDirectory = false
    _ = path != "-" && FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    var reading = Reading()
    if isDirectory {
      let names = try Self.names(in: path)
      let domains = names.filter { $0 != Self.appsName }
      state = Progress.during("Reading \(names.count.counted("file"))") { progress in
        reading.state(of: names, in: path, progress)
      }
      isWhole = !domains.isEmpty
      places = (Self.appsName, domains)
    } else {
      let json = reading.json(of: path) ?? .null
      let isDomain = json["domain"] != nil && json["domains"] == nil
      state = isDomain ? ["domains": [json]] : json
      isWhole = json["domains"] != nil
      places = isDomain ? (path, [path]) : nil
    }
    if !reading.faults.isEmpty { throw Failure(reading.faults.joined(separator: "\n")) }
  }

  /// The files of a directory to read, in a stable order.
  static func names(in directory: String) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory)
        .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    } catch let error as CocoaError {
      throw Failure("Cannot read \(directory.quotedPath): \(error.reason).")
    }
  }

  /// Reads files and collects their faults.
  private struct Reading {
    private(set) var faults: [String] = []

    mutating func state(of names: [String], in directory: String, _ progress: Progress) -> JSON {
      var state: JSON.Object = [:]
      var domains: [JSON] = []
      if names.isEmpty {
        faults.append("\(directory.quotedPath) has no file whose name ends in \".json\".")
      }
      for (index, name) in names.enumerated() {
        if index % 64 == 0 { progress.say("Reading file \(index + 1) of \(names.count)") }
        let path = "\(directory)/\(name)"
        guard let json = json(of: path) else { continue }
        if name != appsName {
          if let fault = Self.faultOfName(in: json, path, name) { faults.append(fault) }
          domains.append(json)
        } else if let object = json.objectValue, object.keys == ["apps"] {
          state["apps"] = object["apps"]
        } else {
          faults.append("\(path.quotedPath) must be an object with the only key \"apps\".")
        }
      }
      state["domains"] = .array(domains)
      return .object(state)
    }

    mutating func json(of path: String) -> JSON? {
      do {
        let bytes = try InputFile.bytes(of: path, atMost: DesiredFiles.largestFile)
        let parsed = try JSON.parse(bytes, limits: .trusted)
        for pointer in parsed.duplicateKeys {
          faults.append("\(path.quotedPath) has a duplicate key: \(pointer).")
        }
        return parsed.value
      } catch let error as JSON.SyntaxError {
        faults.append("\(path.quotedPath) is not JSON: \(error).")
      } catch {
        faults.append(String(describing: error))
      }
      return nil
    }

    /// Checks that a file is named after its domain.
    private static func faultOfName(in json: JSON, _ path: String, _ name: String) -> String? {
      guard let text = json["domain"]?.stringValue else {
        return "\(path.quotedPath) needs a \"domain\", which must be a string."
      }
      do throws(ValidationError) {
        let expected = "\(try DomainName(text)).json"
        if expected == name { return nil }
        return "Rename \(path.quotedPath) to \(expected.quoted): its domain is \(text.quoted)."
      } catch {
        return "\(path.quotedPath): \(error)"
      }
    }
  }
}
