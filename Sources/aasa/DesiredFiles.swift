import Association
import FoundationEssentials
import Glibc
import HTTP
import Service
import Store

/// A desired state in files: one file like `GET /v1/export`, one file with a domain, or a directory that
/// `aasa export DIR` wrote, with `apps.json` and a file for each domain, such as `example.com.json`. Hidden
/// files are ignored; other names, subdirectories and JSON without a domain are skipped.
///
/// The elements are kept as lines (NDJSON) in a spool, except those that the other side has already.
struct DesiredFiles {
  /// The file with the apps in a directory.
  static let appsName = "apps.json"
  /// The lists of apps in it, and in a state.
  static let appLists = ["apps", "androidApps"]
  /// The largest file that is read, in bytes. The state of a directory may be larger.
  static let largestFile = 1_073_741_824
  /// The largest state, in bytes.
  private static let largestState = 4_294_967_296
  /// A state of this size is worth a question about what differs.
  private static let (manyFiles, largeFile) = (100, 1_048_576)

  /// The apps and domains to send, one per line.
  private(set) var lines = emptySpool()
  /// How many of each the lines have.
  private(set) var (apps, domains) = (0, 0)
  /// The domains that the other side has exactly as in the files.
  private(set) var unchanged: [String] = []
  /// Files of a directory that are no part of a state.
  private(set) var unrelated: [String] = []
  /// Whether the state lists all domains, so that `--prune` may delete the others.
  private(set) var isWhole = false

  private let path: String
  private let isDirectory: Bool
  /// The index of each domain in a file with several.
  private var indices: [Int] = []
  private var isOneDomain = false

  private static func emptySpool() -> Spool {
    Spool(in: FileManager.default.temporaryDirectory.path, limit: largestState)
  }

  /// Whether it pays to ask first what differs.
  static func areMany(at path: String) throws -> Bool {
    if isDirectory(path) { return try names(in: path).count > manyFiles }
    var status = stat()
    return path == "-" || stat(path, &status) == 0 && status.st_size > largeFile
  }

  /// Reads a file, stdin for `-`, or a directory.
  ///
  /// - Parameter known: The SHA-256 of the files of domains that the other side has.
  /// - Throws: `Failure` with all errors in the files, one line each.
  init(path: String, known: [String: String] = [:], _ progress: Progress? = nil) throws {
    self.path = path
    isDirectory = Self.isDirectory(path)
    var faults: [String] = []
    if isDirectory {
      try readDirectory(known, &faults, progress)
    } else {
      try readFile(known, &faults)
    }
    if !faults.isEmpty { throw Failure(faults.joined(separator: "\n")) }
  }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory = false
    return path != "-" && FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory
  }

  /// The files of a directory to read, in a stable order.
  static func names(in directory: String) throws -> [String] { try contents(of: directory).names }

  /// The files of a directory to read, in a stable order, and what else it has, except hidden files.
  private static func contents(of directory: String) throws -> (names: [String], others: [String]) {
    do {
      let all = try FileManager.default.contentsOfDirectory(atPath: directory)
        .filter { !$0.hasPrefix(".") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return (all.filter { $0.hasSuffix(".json") }, all.filter { !$0.hasSuffix(".json") })
    } catch let error as CocoaError {
      throw Failure("Cannot read \(directory.quotedPath): \(error.reason).")
    }
  }

  /// The apps in a directory; none if they cannot be read, which is reported in its turn.
  static func apps(at path: String) -> [JSON] {
    var faults: [String] = []
    let file = "\(path)/\(appsName)"
    guard isDirectory(path), FileManager.default.fileExists(atPath: file),
      let bytes = bytes(of: file, &faults), let json = json(bytes, of: file, &faults)
    else { return [] }
    return appLists.flatMap { json[$0]?.arrayValue ?? [] }
  }

  // MARK: Reading

  private mutating func readDirectory(
    _ known: [String: String], _ faults: inout [String], _ progress: Progress?
  ) throws {
    let (names, others) = try Self.contents(of: path)
    unrelated = others.map { "\(path)/\($0)" }
    if names.isEmpty {
      faults.append("\(path.quotedPath) contains no file whose name ends in \".json\".")
    }
    let all = Set(names)
    // The apps come first, although other names may precede theirs.
    for name in [Self.appsName] + names.filter({ $0 != Self.appsName }) where all.contains(name) {
      if (apps + domains + unchanged.count) % 64 == 0 {
        progress?.say("Reading file \(domains + unchanged.count + 1) of \(names.count)")
      }
      let file = "\(path)/\(name)"
      guard let bytes = Self.bytes(of: file, &faults) else { continue }
      let domain = String(name.dropLast(".json".count))
      if let hash = known[domain], hash == SHA256.hexadecimal(of: bytes) {
        unchanged.append(domain)
        continue
      }
      guard let json = Self.json(bytes, of: file, &faults) else { continue }
      if name != Self.appsName {
        // Such as package.json.
        if json["domain"] == nil, !domain.contains("."), !json.isAssociationFile {
          unrelated.append(file)
          continue
        }
        if let fault = nameFault(in: json, file, name, all) { faults.append(fault) }
        try add(json, to: "domains")
      } else if let members = json.objectValue?.members, !members.isEmpty,
        members.allSatisfy({ Self.appLists.contains($0.key) && $0.value.arrayValue != nil })
      {
        for member in members {
          for app in member.value.arrayValue ?? [] { try add(app, to: member.key) }
        }
      } else {
        faults.append(
          "\(file.quotedPath) must be an object with the lists \"apps\" and \"androidApps\", or one of "
            + "them, and no other key.")
      }
    }
    isWhole = domains + unchanged.count > 0
    if !isWhole && faults.isEmpty && !names.isEmpty && !all.contains(Self.appsName) {
      faults.append("\(path.quotedPath) contains no file of a state.")
    }
  }

  private mutating func readFile(_ known: [String: String], _ faults: inout [String]) throws {
    guard let bytes = Self.bytes(of: path, &faults) else { return }
    var failure: (any Error)?
    var state = self
    guard
      let rest = Self.json(
        bytes, of: path, &faults,
        element: { list, index, json in
          guard (Self.appLists + ["domains"]).contains(list), failure == nil else { return }
          do {
            if list == "domains", let name = json["domain"]?.stringValue, let hash = known[name],
              hash == SHA256.hexadecimal(of: Array(json.prettyPrinted().utf8))
            {
              return state.unchanged.append(name)
            }
            try state.add(json, to: list)
            if list == "domains" { state.indices.append(index) }
          } catch {
            failure = error
          }
        })
    else { return }
    if let failure { throw failure }
    isWhole = rest["domains"] != nil
    isOneDomain = rest["domain"] != nil && !isWhole
    if isOneDomain, let json = Self.json(bytes, of: path, &faults) {
      // What it calls `apps` are texts of its document.
      lines = Self.emptySpool()
      return try add(json, to: "domains")
    }
    (apps, domains, unchanged, indices) =
      (state.apps, state.domains, state.unchanged, state.indices)
    let lists = Self.appLists + ["domains"]
    let unknown = (rest.objectValue?.keys ?? []).filter { !lists.contains($0) }
    let isState =
      rest.objectValue != nil
      && lists.allSatisfy { rest[$0] == nil || rest[$0]?.arrayValue != nil }
    if !isState || !unknown.isEmpty {
      faults.append(
        "\(name) must be a domain, or an object with the lists \"apps\", \"androidApps\" and \"domains\""
          + (unknown.first.map { "; it has \($0.quoted)." } ?? "."))
    }
  }

  private mutating func add(_ json: JSON, to list: String) throws {
    try append(json)
    if list == "domains" { domains += 1 } else { apps += 1 }
  }

  private static func bytes(of file: String, _ faults: inout [String]) -> [UInt8]? {
    do throws(Failure) {
      return try InputFile.bytes(of: file, atMost: largestFile)
    } catch {
      faults.append(error.description)
      return nil
    }
  }

  private static func json(
    _ bytes: [UInt8], of file: String, _ faults: inout [String],
    element: ((String, Int, JSON) -> Void)? = nil
  ) -> JSON? {
    do throws(JSON.SyntaxError) {
      let parsed = try JSON.parse(bytes, limits: .trusted, element: element)
      for pointer in parsed.duplicateKeys {
        faults.append("\(file.quotedPath) has a duplicate key: \(pointer).")
      }
      return parsed.value
    } catch {
      faults.append("\(file.quotedPath) is not JSON: \(error).")
      return nil
    }
  }

  /// Checks that a file is named after its domain.
  private func nameFault(
    in json: JSON, _ file: String, _ name: String, _ all: Set<String>
  ) -> String? {
    guard let text = json["domain"]?.stringValue else {
      if json.isAssociationFile {
        return "\(file.quotedPath) is an association file. Publish it with 'aasa import'."
      }
      return "\(file.quotedPath) needs a \"domain\", which must be a string."
    }
    do throws(ValidationError) {
      let expected = "\(try DomainName(text)).json"
      if expected == name { return nil }
      if all.contains(expected) {
        return "\(file.quotedPath) and \("\(path)/\(expected)".quotedPath) are both files of "
          + "\(text.quoted). Remove one of them."
      }
      return "Rename \(file.quotedPath) to \(expected.quoted): its domain is \(text.quoted)."
    } catch {
      return "\(file.quotedPath): \(error)"
    }
  }

  /// Adds lines that say which domains stay as they are, so that pruning leaves them.
  func keepUnchanged() throws {
    var rest = unchanged[...]
    while !rest.isEmpty {
      let line: JSON = ["keep": .strings(rest.prefix(1000))]
      rest = rest.dropFirst(1000)
      try append(line)
    }
  }

  private func append(_ line: JSON) throws {
    do throws(Spool.Failure) {
      try lines.append(line.serialized() + [UInt8(ascii: "\n")])
    } catch {
      throw Failure(
        error == .full(limit: Self.largestState)
          ? "The state is over the limit of \(Self.largestState) bytes. Apply it in parts."
          : "Cannot write a temporary file in "
            + "\(FileManager.default.temporaryDirectory.path.quotedPath). Set TMPDIR to a directory "
            + "with more space.")
    }
  }

  // MARK: Places

  private var name: String { path == "-" ? "stdin" : path.quotedPath }

  /// The file, the domain and the place in the file that an error of a problem is about.
  func place(of error: JSON) -> String {
    let pointer = error["pointer"]?.stringValue ?? ""
    let parts = pointer.split(separator: "/", maxSplits: 2).map(String.init)
    let rest = parts.count == 3 ? " /\(parts[2])" : ""
    guard let domain = error["domain"]?.stringValue else {
      return isDirectory && parts.first.map(Self.appLists.contains) == true
        ? "\(Self.appsName) \(pointer)" : pointer
    }
    if let file = file(of: domain) { return "\(file) \(domain)\(rest)" }
    guard parts.count > 1, parts[0] == "domains", let index = Int(parts[1]),
      indices.indices.contains(index)
    else { return "\(domain) \(pointer)" }
    return "\(domain) /domains/\(indices[index])" + (parts.count == 3 ? "/\(parts[2])" : "")
  }

  /// The file of a domain; `nil` if the state is one file with several.
  func file(of domain: String) -> String? {
    if isOneDomain { return path }
    guard isDirectory, FileManager.default.fileExists(atPath: "\(path)/\(domain).json") else {
      return nil
    }
    return "\(domain).json"
  }
}
