import Association
import FoundationEssentials
import JSONValue

/// A desired state in files: one file of the form of `GET /v1/export`, one file with a domain, or a
/// directory as `aasa export DIR` writes it: `apps.json`, and a file for each domain that is named by
/// it, such as `example.com.json`. Hidden files, other names and directories in it are passed over.
struct DesiredFiles {
  /// The name of the file with the apps in a directory.
  static let appsName = "apps.json"

  /// Everything that keeps the files from being a state, a line each.
  struct Broken: Error, CustomStringConvertible {
    let lines: [String]
    var description: String { lines.joined(separator: "\n") }
  }

  /// The state, as `POST /v1/apply` takes it.
  let state: JSON
  /// Whether the state is a list of all domains, so that what it does not have can be removed.
  let isWhole: Bool
  /// In a directory, where the apps and each of the domains of the state come from.
  private let places: Places?

  private struct Places {
    let apps: String
    let domains: [String]
  }

  /// Where a fault is for the one who has the files: `example.com.json /entries/0` for what is in
  /// the state at `/domains/3/entries/0`.
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
  /// - Throws: `Broken` with all that is wrong.
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

  /// The files of a directory that are read, in a stable order.
  static func names(in directory: String) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory)
        .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    } catch {
      throw Broken(lines: ["“\(directory)” cannot be read as a directory."])
    }
  }

  /// Reads files and collects what is wrong with them.
  private struct Reading {
    /// As much as the server may be set to take.
    private static let limit = 1_073_741_824

    private(set) var faults: [String] = []

    mutating func state(of names: [String], in directory: String, _ progress: Progress) -> JSON {
      var state: JSON.Object = [:]
      var domains: [JSON] = []
      if names.isEmpty { faults.append("“\(directory)” has no file that ends in “.json”.") }
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
        let parsed = try JSON.parse(InputFile.bytes(of: path, atMost: Self.limit))
        for pointer in parsed.duplicateKeys {
          faults.append("“\(path)” has a key twice in its object: \(pointer).")
        }
        return parsed.value
      } catch let error as JSON.SyntaxError {
        faults.append("“\(path)” is not JSON: \(error).")
      } catch {
        faults.append(String(describing: error))
      }
      return nil
    }

    private mutating func apps(_ json: JSON, in path: String) -> JSON? {
      guard let object = json.objectValue, object.keys == ["apps"] else {
        faults.append("“\(path)” must be an object with “apps” and nothing else.")
        return nil
      }
      return object["apps"]
    }

    private mutating func checkName(of json: JSON, _ path: String, _ name: String) {
      guard let text = json["domain"]?.stringValue else {
        faults.append("“\(path)” has no “domain” that is a string.")
        return
      }
      do throws(ValidationError) {
        let expected = "\(try DomainName(text)).json"
        if expected == name { return }
        faults.append("“\(path)” has the domain “\(text)”, whose file must be named “\(expected)”.")
      } catch {
        faults.append("“\(path)”: \(error)")
      }
    }
  }
}
