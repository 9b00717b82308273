import Association
import FoundationEssentials
import Glibc
import HTTP
import Service
import Store

/// A desired state in files, each of which is one like `GET /v1/export`, one with a domain, or a directory
/// that `aasa export DIR` wrote, with `apps.json`, `templates/NAME.json` and a file for each domain, such as
/// `example.com.json`. Hidden
/// files in it are ignored; other names, subdirectories and JSON without a domain are skipped.
///
/// The elements are kept as lines (NDJSON) in a spool, except those that the other side has already.
struct DesiredFiles {
  /// The file with the apps in a directory.
  static let appsName = "apps.json"
  /// The lists of apps in it, and in a state.
  static let appLists = ["apps", "androidApps"]
  /// The folder with the templates in a directory.
  static let templatesName = "templates"
  /// The lists of a state.
  private static let lists = appLists + ["templates", "domains"]
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
  /// Files that the last export of a directory wrote, and that it has no more.
  private(set) var gone: [String] = []
  /// Files of a directory that are no part of a state.
  private(set) var unrelated: [String] = []
  /// Whether the state lists all domains, so that `--prune` may delete the others.
  private(set) var isWhole = false

  /// A path that the state is read from.
  private struct Source {
    let path: String
    let isDirectory: Bool
    /// The domain of a file that is nothing else.
    var domain: String?

    var name: String { path == "-" ? "stdin" : path.quotedPath }
  }

  private var sources: [Source] = []
  /// The manifests of directories, each read once.
  private var manifests: [String: ExportManifest] = [:]
  /// The lines of the domains of a table.
  private var tableLines: [String: Int] = [:]
  private let areSeveral: Bool
  /// Where the elements of each list come from: the index of the source, and theirs in its list.
  private var origins: [String: [(source: Int, index: Int)]] = [:]
  /// The source of each domain and the text of each app with its source, to find what two sources have.
  private var domainSources: [String: Int] = [:]
  private var appSources: [String: (text: String, source: Int)] = [:]

  /// Takes the lines of a state.
  static func emptySpool() -> Spool {
    Spool(in: FileManager.default.temporaryDirectory.path, limit: largestState)
  }

  /// Whether it pays to ask first what differs.
  static func areMany(at paths: [String]) throws -> Bool {
    var (count, size) = (0, 0)
    for path in paths {
      if path == "-" { return true }
      if isDirectory(path) {
        count += try names(in: path).count
        continue
      }
      var status = stat()
      if stat(path, &status) == 0 { size += Int(status.st_size) }
      count += 1
    }
    return count > manyFiles || size > largeFile
  }

  /// Reads files, stdin for `-`, and directories.
  ///
  /// - Parameter known: The SHA-256 of the files of domains that the other side has.
  /// - Throws: `Failure` with all errors in the files, one line each.
  init(paths: [String], known: [String: String] = [:], _ progress: Progress? = nil) throws {
    areSeveral = paths.count > 1
    var faults: [String] = []
    for path in paths {
      let source = Source(path: path, isDirectory: Self.isDirectory(path))
      sources.append(source)
      if source.isDirectory {
        try readDirectory(source, known, &faults, progress)
      } else {
        try readFile(source, known, &faults)
      }
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

  /// Whether a file in a directory has nothing to do with a state, such as package.json.
  static func isUnrelated(_ json: JSON, in name: String) -> Bool {
    name != appsName && !name.dropLast(".json".count).contains(".") && json["domain"] == nil
      && json["domains"]?.arrayValue == nil && !json.isAssociationFile
  }

  /// The apps in a directory; none if they cannot be read, which is reported in its turn.
  static func apps(at path: String) throws -> [JSON] {
    var faults: [String] = []
    let file = "\(path)/\(appsName)"
    guard isDirectory(path), FileManager.default.fileExists(atPath: file),
      let bytes = bytes(of: file, &faults), let json = json(bytes, of: file, &faults)
    else { return [] }
    let manifest = try ExportManifest(in: path) { _ in }
    return appLists.flatMap { json[$0]?.arrayValue ?? [] }.map(manifest.revised(app:))
  }

  // MARK: Reading

  private mutating func readDirectory(
    _ source: Source, _ known: [String: String], _ faults: inout [String], _ progress: Progress?
  ) throws {
    let path = source.path
    let (names, others) = try Self.contents(of: path)
    unrelated += others.filter { $0 != Self.templatesName }.map { "\(path)/\($0)" }
    let manifest = try manifest(of: path)
    try readTemplates(path, manifest, &faults)
    let before = domains + unchanged.count
    if names.isEmpty {
      faults.append("\(path.quotedPath) contains no file whose name ends in \".json\".")
    }
    let all = Set(names)
    gone += manifest.files.keys.filter { !$0.contains("/") && !all.contains($0) }.sorted()
      .map { "\(path)/\($0)" }
    // The apps come first, although other names may precede theirs.
    for name in [Self.appsName] + names.filter({ $0 != Self.appsName }) where all.contains(name) {
      if (apps + domains + unchanged.count) % 64 == 0 {
        progress?.say("Reading file \(domains + unchanged.count + 1) of \(names.count)")
      }
      let file = "\(path)/\(name)"
      guard let bytes = Self.bytes(of: file, &faults) else { continue }
      let domain = String(name.dropLast(".json".count))
      if let hash = known[domain], hash == SHA256.hexadecimal(of: bytes) {
        if isOnly(domain, &faults) { unchanged.append(domain) }
        continue
      }
      guard let json = Self.json(bytes, of: file, &faults) else { continue }
      if name != Self.appsName {
        if json["domains"]?.arrayValue != nil {
          faults.append(
            "\(file.quotedPath) has a list of domains, and a directory has a file for each domain. Give each its own file,"
              + " or name this file beside the directory.")
          continue
        }
        if Self.isUnrelated(json, in: name) {
          unrelated.append(file)
          continue
        }
        if let fault = Self.nameFault(in: json, file, name, all) { faults.append(fault) }
        try add(manifest.revised(json, of: name), to: "domains", &faults)
      } else if let members = json.objectValue?.members, !members.isEmpty,
        members.allSatisfy({ Self.appLists.contains($0.key) && $0.value.arrayValue != nil })
      {
        for member in members {
          for (index, app) in (member.value.arrayValue ?? []).enumerated() {
            try add(manifest.revised(app: app), to: member.key, at: index, &faults)
          }
        }
      } else {
        faults.append(
          "\(file.quotedPath) must be an object with the lists \"apps\" and \"androidApps\", or one of "
            + "them, and no other key.")
      }
    }
    let hasDomains = domains + unchanged.count > before
    isWhole = isWhole || hasDomains
    if !hasDomains && faults.isEmpty && !names.isEmpty && !all.contains(Self.appsName) {
      faults.append("\(path.quotedPath) contains no file of a state.")
    }
  }

  private mutating func manifest(of directory: String) throws -> ExportManifest {
    if let known = manifests[directory] { return known }
    let read = try ExportManifest(in: directory) { Terminal.complain($0) }
    manifests[directory] = read
    return read
  }

  private mutating func readTemplates(
    _ directory: String, _ manifest: ExportManifest, _ faults: inout [String]
  ) throws {
    let path = "\(directory)/\(Self.templatesName)"
    if !Self.isDirectory(path) { return }
    for name in try Self.names(in: path) {
      let file = "\(path)/\(name)"
      guard let bytes = Self.bytes(of: file, &faults),
        let json = Self.json(bytes, of: file, &faults)
      else { continue }
      if json["template"]?.stringValue.map({ "\($0).json" }) != name {
        faults.append(
          "\(file.quotedPath) must be an object whose \"template\" is \(name.dropLast(5).description.quoted), the name of the file."
        )
      }
      let name = "\(Self.templatesName)/\(name)"
      try add(manifest.revised(json, of: name), to: "templates", &faults)
    }
  }

  /// Adds the rows of a table of the domains of a template.
  ///
  /// - Throws: `Failure`.
  init(table path: String, of template: Template) throws {
    areSeveral = false
    var faults: [String] = []
    guard let bytes = Self.bytes(of: path, &faults) else {
      throw Failure(faults.joined(separator: "\n"))
    }
    let table = try TemplateTable(bytes, named: path, of: template)
    sources = [Source(path: path, isDirectory: false)]
    for row in table.domains {
      if let name = row.json["domain"]?.stringValue { tableLines[name] = row.line }
      try add(row.json, to: "domains", &faults)
    }
    isWhole = true
  }

  private mutating func readFile(
    _ source: Source, _ known: [String: String], _ faults: inout [String]
  ) throws {
    let path = source.path
    guard let bytes = Self.bytes(of: path, &faults) else { return }
    var failure: (any Error)?
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let directory = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
    let exported =
      parts.last == Self.appsName[...] ? try manifest(of: directory) : nil
    var state = self
    state.lines = Self.emptySpool()
    var found: [String] = []
    guard
      let rest = Self.json(
        bytes, of: path, &faults,
        element: { list, index, json in
          guard Self.lists.contains(list), failure == nil else { return }
          do {
            if list == "domains", let name = json["domain"]?.stringValue, let hash = known[name],
              hash == SHA256.hexadecimal(of: Array(json.prettyPrinted().utf8))
            {
              if state.isOnly(name, &found) { state.unchanged.append(name) }
              return
            }
            let app = Self.appLists.contains(list) ? exported?.revised(app: json) : nil
            try state.add(app ?? json, to: list, at: index, &found)
          } catch {
            failure = error
          }
        })
    else { return }
    if let failure { throw failure }
    if rest["domain"] != nil, rest["domains"] == nil,
      let json = Self.json(bytes, of: path, &faults)
    {
      // What it calls `apps` are texts of its document.
      sources[sources.count - 1].domain = json["domain"]?.stringValue ?? ""
      let manifest = try manifest(of: directory)
      return try add(
        manifest.revised(json, of: String(parts.last ?? "")), to: "domains", &faults)
    }
    if rest["template"] != nil, rest["domains"] == nil,
      let json = Self.json(bytes, of: path, &faults)
    {
      return try add(json, to: "templates", &faults)
    }
    faults += found
    state.isWhole = state.isWhole || rest["domains"] != nil
    let (earlier, own) = (lines, state.lines)
    self = state
    if earlier.count > 0 {
      lines = earlier
      let next = own.pieces()
      while let piece = try next() { try append(piece) }
    }
    let unknown = (rest.objectValue?.keys ?? []).filter { !Self.lists.contains($0) }
    let isState =
      rest.objectValue != nil
      && Self.lists.allSatisfy { rest[$0] == nil || rest[$0]?.arrayValue != nil }
    if !isState || !unknown.isEmpty {
      faults.append(
        "\(source.name) must be a domain, a template, or an object with the lists \"apps\", \"androidApps\", \"templates\" "
          + "and \"domains\""
          + (unknown.first.map { "; it has \($0.quoted)." } ?? "."))
    }
  }

  /// Adds an element of the last source, unless it is an app that an earlier one has, too.
  private mutating func add(
    _ json: JSON, to list: String, at index: Int = 0, _ faults: inout [String]
  ) throws {
    if list == "domains" {
      if let name = json["domain"]?.stringValue, !isOnly(name, &faults) { return }
      domains += 1
    } else {
      if isRepeated(json, in: list, &faults) { return }
      apps += 1
    }
    origins[list, default: []].append((sources.count - 1, index))
    try append(json.serialized() + [UInt8(ascii: "\n")])
  }

  /// Whether no earlier source has a domain. The server refuses one that a source has twice.
  private mutating func isOnly(_ name: String, _ faults: inout [String]) -> Bool {
    if !areSeveral { return true }
    let current = sources.count - 1
    let first = domainSources[name.lowercased()] ?? current
    domainSources[name.lowercased()] = first
    if first == current { return true }
    faults.append(
      "\(sources[first].name) and \(sources[current].name) both have the domain \(name.quoted). Name one of "
        + "them.")
    return false
  }

  /// Whether an earlier source has the same app or template. A fault if the two differ.
  private mutating func isRepeated(
    _ json: JSON, in list: String, _ faults: inout [String]
  ) -> Bool {
    guard areSeveral, let id = (json["app"] ?? json["package"] ?? json["template"])?.stringValue
    else {
      return false
    }
    let current = sources.count - 1
    let key = "\(list) \(id)"
    guard let (text, first) = appSources[key], first != current else {
      appSources[key] = (json.text, current)
      return false
    }
    if text != json.text {
      faults.append(
        "\(sources[first].name) and \(sources[current].name) differ in the \(list == "templates" ? "template" : "app") \(id.quoted). Make them equal."
      )
    }
    return true
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

  /// Checks that a file of a directory is named after its domain.
  private static func nameFault(
    in json: JSON, _ file: String, _ name: String, _ all: Set<String>
  ) -> String? {
    let path = file.dropLast(name.count + 1)
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
      try append(line.serialized() + [UInt8(ascii: "\n")])
    }
  }

  private func append(_ bytes: [UInt8]) throws { try Self.append(bytes, to: lines) }

  /// - Throws: `Failure` if there is no room for them.
  static func append(_ bytes: [UInt8], to lines: Spool) throws {
    do throws(Spool.Failure) {
      try lines.append(bytes)
    } catch {
      throw Failure(
        error == .full(limit: largestState)
          ? "The state is over the limit of \(largestState) bytes. Apply it in parts."
          : "Cannot write a temporary file in "
            + "\(FileManager.default.temporaryDirectory.path.quotedPath). Set TMPDIR to a directory "
            + "with more space.")
    }
  }

  // MARK: Places

  /// The file, the domain and the place in the file that an error of a problem is about.
  func place(of error: JSON) -> String {
    let pointer = error["pointer"]?.stringValue ?? ""
    let parts = pointer.split(separator: "/", maxSplits: 2).map(String.init)
    let rest = parts.count == 3 ? "/\(parts[2])" : ""
    let domain = error["domain"]?.stringValue
    if let template = error["template"]?.stringValue {
      return "\(Self.templatesName)/\(template).json" + (rest.isEmpty ? "" : " \(rest)")
    }
    if let place = domain.flatMap(tablePlace) { return place + (rest.isEmpty ? "" : " \(rest)") }
    if let domain, let file = file(of: domain) {
      return "\(file) \(domain)" + (rest.isEmpty ? "" : " \(rest)")
    }
    guard parts.count > 1, let index = Int(parts[1]), let list = origins[parts[0]],
      list.indices.contains(index)
    else { return [domain, pointer].compactMap(\.self).joined(separator: " ") }
    let (source, origin) = (sources[list[index].source], list[index].index)
    if source.isDirectory && parts[0] == "domains" {
      return [domain, pointer].compactMap(\.self).joined(separator: " ")
    }
    let file =
      source.isDirectory
      ? shown(Self.appsName, of: source) : areSeveral ? source.path : nil
    return [file, domain, "/\(parts[0])/\(origin)\(rest)"].compactMap(\.self).joined(separator: " ")
  }

  /// The domain with its line in a table; `nil` for a domain that no table has.
  func tablePlace(of domain: String) -> String? {
    tableLines[domain].map { "\(sources[0].path), line \($0): \(domain)" }
  }

  /// The file of a domain; `nil` if it is one with several.
  func file(of domain: String) -> String? {
    for source in sources {
      if let own = source.domain, own == domain || !areSeveral { return source.path }
      if source.isDirectory,
        FileManager.default.fileExists(atPath: "\(source.path)/\(domain).json")
      {
        return shown("\(domain).json", of: source)
      }
    }
    return nil
  }

  /// The name of a file in a directory, with the directory if there are others.
  private func shown(_ name: String, of source: Source) -> String {
    areSeveral ? "\(source.path)/\(name)" : name
  }
}
