import Service
import Association
import FoundationEssentials
import JSONValue

/// A desired state in files: one file like `GET /v1/export`, one file with a domain, or a directory that
/// `aasa export DIR` wrote, with `apps.json` and a file for each domain, such as `example.com.json`. Hidden
/// files, other names and subdirectories are ignored.
struct DesiredFiles {
  /// The file with the apps in a directory.
  static let appsName = "apps.json"

  /// All errors in the files, one line each.
  struct Broken: Error, CustomStringConvertible {
    let lines: [String]
    var description: String { lines.joined(separator: "\n") }
  }

  /// The largest file that is read, in bytes; no server accepts more.
  static let largestFile = 1_073_741_824

  /// The state, as `POST /v1/apply` takes it.
  let state: JSON
  /// Whether the state lists all domains, so that `--prune` may delete the others.
  let isWhole: Bool
  /// The files of the apps and of each domain; `nil` if the state is one file.
  private let places: Places?

  private struct Places {
    let apps: String
    let domains: [String]
  }

  /// Translates a pointer into the state to a file and a pointer into it: `/domains/3/entries/0` to
  /// `example.com.json /entries/0`.
  func place(_ pointer: String) -> String {
    let parts = pointer.split(separator: "/", maxSplits: 2).map(String.init)
    let rest = parts.count == 3 ? " /\(parts[2])" : ""
    switch parts.first {
    case "domains":
      guard let places, parts.count > 1, let index = Int(parts[1]),
        places.domains.indices.contains(index)
      else { return pointer }
      return places.domains[index] + rest
    case "apps":
      return places.map { "\($0.apps) \(pointer)" } ?? pointer
    default: return pointer
    }
  }

  /// Reads a file, stdin for `-`, or a directory.
  ///
  /// - Throws: `Broken`.
  init(path: String) throws {
    var isDirectory = false
    _ = path != "-" && FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    if isDirectory {
      try self.init(directory: path)
    } else {
      try self.init(file: path)
    }
  }

  private init(file: String) throws(Broken) {
    var reading = Reading()
    guard let json = reading.json(of: file), reading.faults.isEmpty else {
      throw Broken(lines: reading.faults)
    }
    let isDomain = json["domain"] != nil && json["domains"] == nil
    state = isDomain ? ["domains": [json]] : json
    isWhole = !isDomain && json["domains"] != nil
    places = isDomain ? Places(apps: file, domains: [file]) : nil
  }

  private init(directory: String) throws {
    let names = try Self.names(in: directory)
    let (state, faults) = Progress.during("Reading \(names.count.counted("file"))") { progress in
      var reading = Reading()
      let state = reading.state(of: names, in: directory, progress)
      return (state, reading.faults)
    }
    if !faults.isEmpty { throw Broken(lines: faults) }
    self.state = state
    let domains = names.filter { $0 != Self.appsName }
    isWhole = !domains.isEmpty
    places = Places(apps: Self.appsName, domains: domains)
  }

  /// The files of a directory to read, in a stable order.
  static func names(in directory: String) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory)
        .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    } catch {
      throw Broken(lines: ["The directory \(directory.quotedPath) cannot be read."])
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
        guard let json = json(of: "\(directory)/\(name)") else { continue }
        if name == appsName {
          state["apps"] = apps(json, in: "\(directory)/\(name)")
        } else {
          checkName(of: json, "\(directory)/\(name)", name)
          domains.append(json)
        }
      }
      state["domains"] = .array(domains)
      return .object(state)
    }

    mutating func json(of path: String) -> JSON? {
      do {
        let parsed = try JSON.parse(InputFile.bytes(of: path, atMost: DesiredFiles.largestFile))
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

    private mutating func apps(_ json: JSON, in path: String) -> JSON? {
      guard let object = json.objectValue, object.keys == ["apps"] else {
        faults.append("\(path.quotedPath) must be an object with the only key \"apps\".")
        return nil
      }
      return object["apps"]
    }

    private mutating func checkName(of json: JSON, _ path: String, _ name: String) {
      guard let text = json["domain"]?.stringValue else {
        faults.append("\(path.quotedPath) needs a \"domain\", which must be a string.")
        return
      }
      do throws(ValidationError) {
        let expected = "\(try DomainName(text)).json"
        if expected == name { return }
        faults.append(
          "Rename \(path.quotedPath) to \(expected.quoted): its domain is \(text.quoted).")
      } catch {
        faults.append("\(path.quotedPath): \(error)")
      }
    }
  }
}
