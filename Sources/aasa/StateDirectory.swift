import Association
import FoundationEssentials
import Glibc
import Service
import Store

/// Writes a state as a directory to keep in git: `apps.json` and a file for each domain, which
/// `DesiredFiles` reads.
///
/// A file that already says the same is not touched, whatever revision it names, and neither is one that somebody has
/// edited while nobody has changed the domain, the template or the apps. The file of a domain that no longer exists is
/// removed only if the previous export left it like that: `.aasa-export.json` lists the SHA-256 of each file, and the
/// revision of a file that says the same but names an earlier one. Other files are left alone.
struct StateDirectory {
  private let path: String
  private(set) var written: [String] = []
  private(set) var removed: [String] = []
  /// Files that are not part of the state, but that `aasa apply` would read.
  private(set) var kept: [String] = []
  /// Files that somebody has edited, of domains that nobody has changed since the revision that they name.
  private(set) var edited: [String] = []
  /// Written files that were changed since the previous export, or that no export wrote.
  private(set) var replaced: [String] = []
  /// Written files that somebody has deleted since the previous export, of what nobody has changed meanwhile.
  private(set) var restored: [String] = []
  private(set) var unchanged = 0
  /// The SHA-256 of each file of the state so far.
  private var hashes: [(name: String, hash: JSON)] = []
  /// The revisions of files that name another one.
  private var revisions: JSON.Object = [:]
  /// The previous export, once it was read.
  private var before: ExportManifest?

  init(path: String) { self.path = path }

  var json: JSON {
    [
      "written": .strings(written), "removed": .strings(removed), "kept": .strings(kept),
      "edited": .strings(edited), "replaced": .strings(replaced), "restored": .strings(restored),
      "unchanged": .integer(unchanged),
    ]
  }

  var text: String {
    "\(written.count.counted("file")) written, \(removed.count) removed, \(unchanged) unchanged"
      + (edited.isEmpty ? "" : ", \(edited.count) left as edited")
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
    let (file, manifest) = ("\(name).json", try manifest())
    try write(file, domain) { old in
      let (before, after) = (
        DomainResource.domain(in: old, over: nil), DomainResource.domain(in: domain, over: nil)
      )
      if before != nil && before == after { return .same }
      return manifest.revision(of: file, old) == domain["revision"] ? .edited : .outdated
    }
  }

  /// Writes the file of a template.
  mutating func write(template: JSON) throws {
    guard let name = template["template"]?.stringValue, !name.hasPrefix("."), !name.contains("/")
    else { throw Failure("The export has a template whose name cannot be a file name.") }
    let folder = "\(path)/\(DesiredFiles.templatesName)"
    try writing(folder) {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    let (file, manifest) = ("\(DesiredFiles.templatesName)/\(name).json", try manifest())
    try write(file, template) { old in
      if manifest.isSame(old, template) { return .same }
      return manifest.revision(of: file, old) == template["revision"] ? .edited : .outdated
    }
  }

  /// How an existing file compares with the export.
  private enum Comparison {
    /// It says the same in other bytes.
    case same
    case edited, outdated
    /// Another one, of a file that does not say of which revision it is.
    case other
  }

  /// Writes the file of the apps, and removes the files of domains that no longer exist.
  mutating func finish(apps: ExportedApps) throws {
    let list = JSON.object(apps.json)
    let earlier = try manifest()
    var bases = JSON.Object()
    try write(DesiredFiles.appsName, list) { old in
      guard let apart = Self.bases(of: old, apartFrom: list) else { return .other }
      bases = apart
      return .same
    }
    if edited.contains(DesiredFiles.appsName) {
      for (app, base) in earlier.bases.sorted(by: { $0.key < $1.key }) {
        bases.appendNew(app, base.json)
      }
    }
    let before = earlier.files
    // Before files are removed, so that no unlisted file is left if the program is killed in between.
    var files = JSON.Object()
    for (name, hash) in hashes.suffix(1) + hashes.dropLast() { files.appendNew(name, hash) }
    var manifest: JSON.Object = ["files": .object(files)]
    if !revisions.isEmpty { manifest["revisions"] = .object(revisions) }
    if !bases.isEmpty { manifest["bases"] = .object(bases) }
    _ = try put(ExportManifest.name, pretty(.object(manifest)))
    let names = Set(hashes.map(\.name))
    let folder = DesiredFiles.templatesName
    let templates =
      FileManager.default.fileExists(atPath: "\(path)/\(folder)")
      ? try DesiredFiles.names(in: "\(path)/\(folder)").map { "\(folder)/\($0)" } : []
    for name in try DesiredFiles.names(in: path) + templates where !names.contains(name) {
      if let hash = before[name], try contents(of: name).map(SHA256.hexadecimal) == hash {
        try writing("\(path)/\(name)") {
          try FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
        removed.append(name)
      } else if try !isUnrelated(name) {
        kept.append(name)
      }
    }
  }

  /// The apps that only have another `base` than those of an export, with both; `nil` if the lists differ in anything else.
  private static func bases(of old: JSON, apartFrom new: JSON) -> JSON.Object? {
    var bases = JSON.Object()
    if Set(old.objectValue?.keys ?? []) != Set(new.objectValue?.keys ?? []) { return nil }
    for list in new.objectValue?.members ?? [] {
      let (apps, others) = (list.value.arrayValue ?? [], old[list.key]?.arrayValue ?? [])
      if apps.count != others.count { return nil }
      for (app, other) in zip(apps, others) where app != other {
        guard var object = other.objectValue, let id = ExportManifest.identifier(of: app),
          let named = other["base"]?.stringValue, let current = app["base"]?.stringValue
        else { return nil }
        object["base"] = app["base"]
        if .object(object) != app { return nil }
        bases.appendNew(id, ExportManifest.Base(named: named, current: current).json)
      }
    }
    return bases
  }

  /// Whether `aasa apply` leaves a file out.
  private func isUnrelated(_ name: String) throws -> Bool {
    guard !name.contains("/"), let bytes = try contents(of: name) else { return false }
    do throws(JSON.SyntaxError) {
      return DesiredFiles.isUnrelated(try JSON.parse(bytes).value, in: name)
    } catch {
      return false
    }
  }

  private mutating func write(
    _ name: String, _ json: JSON, compare: (JSON) -> Comparison
  ) throws {
    if hashes.isEmpty {
      try writing(path) {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }
    }
    let before = try manifest().files
    let bytes = pretty(json)
    let old = try contents(of: name)
    let oldHash = old.map(SHA256.hexadecimal)
    var hash = SHA256.hexadecimal(of: bytes)
    var (comparison, named) =
      old.map { Self.comparison(of: $0, with: bytes, compare) } ?? (.outdated, nil)
    let isAsBefore = before[name] == hash
    if comparison == .other { comparison = isAsBefore ? .edited : .outdated }
    // An export of another server may have the same number.
    if comparison == .edited && oldHash == before[name] { comparison = .outdated }
    switch comparison {
    case .same:
      unchanged += 1
      guard let oldHash, oldHash != hash else { break }
      // That of the apps is never removed, and tells nothing else of which state it is.
      if name != DesiredFiles.appsName { hash = oldHash }
      if let named, let revision = json["revision"]?.integerValue, named != revision {
        revisions[name] = ExportManifest.Revision(named: named, current: revision).json
      }
    case .edited:
      edited.append(name)
      revisions[name] = try manifest().revisions[name]?.json
    case .outdated, .other:
      _ = try put(name, bytes)
      written.append(name)
      if let old, oldHash != before[name], try !areAppsAsExported(old, name) {
        replaced.append(name)
      }
      if oldHash == nil && isAsBefore { restored.append(name) }
    }
    hashes.append((name, .string(hash)))
  }

  /// Whether a file is that of the apps, and only says what the last export would have written.
  private mutating func areAppsAsExported(_ bytes: [UInt8], _ name: String) throws -> Bool {
    guard name == DesiredFiles.appsName else { return false }
    let manifest = try manifest()
    do throws(JSON.SyntaxError) {
      guard var object = try JSON.parse(bytes, limits: .trusted).value.objectValue else {
        return false
      }
      for list in object.members {
        object[list.key] = .array((list.value.arrayValue ?? []).map(manifest.revised(app:)))
      }
      return SHA256.hexadecimal(of: pretty(.object(object))) == manifest.files[name]
    } catch {
      return false
    }
  }

  /// - Returns: How they compare, and the revision that the old one names if it has other bytes.
  private static func comparison(
    of old: [UInt8], with new: [UInt8], _ compare: (JSON) -> Comparison
  ) -> (Comparison, named: Int?) {
    if old == new { return (.same, nil) }
    do throws(JSON.SyntaxError) {
      let json = try JSON.parse(old, limits: .trusted).value
      return (compare(json), json["revision"]?.integerValue)
    } catch {
      // For example after a merge with conflicts.
      return (.outdated, nil)
    }
  }

  private func pretty(_ json: JSON) -> [UInt8] { Array(json.prettyPrinted().utf8) }

  /// Writes a file as a whole or not at all. Returns `false` if it already has these bytes.
  private func put(_ name: String, _ bytes: [UInt8]) throws -> Bool {
    if try contents(of: name)?.elementsEqual(bytes) == true { return false }
    // Not with Foundation, which waits for the disk after each file: an export can be repeated.
    let file = "\(path)/\(name)"
    let parts = file.split(separator: "/", omittingEmptySubsequences: false)
    let draft = (parts.dropLast() + [".\(parts.last ?? "").tmp"]).joined(separator: "/")
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

  /// The previous export.
  private mutating func manifest() throws -> ExportManifest {
    if let before { return before }
    let read = try ExportManifest(in: path) {
      Terminal.complain("No files were removed, because \($0)")
    }
    before = read
    return read
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
