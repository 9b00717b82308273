import Association
import FoundationEssentials
import Glibc
import Service

/// Association files named on the command line, each with the domain that its name says.
///
/// `example.com`, `example.com.json`, `example.com/apple-app-site-association` and
/// `example.com/.well-known/apple-app-site-association` are files of `example.com`, and so are those with the
/// names of the other kinds. A directory stands for the association files in it, and for the files of a state.
struct FilesToAdopt {
  struct File {
    let path: String
    /// `nil` if its name is none of a domain.
    let domain: DomainName?
    /// The kind that its name says; `nil` if only its content does. A name that no kind has says something only where
    /// web servers have such documents.
    var kind: DocumentKind? {
      let kind = DocumentKind(rawValue: path.split(separator: "/").last.map(String.init) ?? "")
      return kind?.isRendered == true || FilesToAdopt.isWellKnown(path) ? kind : nil
    }
    /// The kind as which it is published; `nil` if only its content says it.
    ///
    /// - Parameter given: The kind that the person says.
    func kind(given: DocumentKind?) -> DocumentKind? {
      kind?.isRendered == false ? kind : given ?? kind
    }
    /// The kind that its content says; `nil` if it cannot be read, which is reported when it is published.
    var kindByContent: DocumentKind? {
      do throws(Failure) {
        return DocumentKind(ofFile: try InputFile.bytes(of: path))
      } catch {
        return nil
      }
    }
    /// The name of a document that is published as bytes: of a file below `.well-known` that is no other kind, or a
    /// known name.
    var documentName: String? {
      if kind?.isRendered == true { return nil }
      let name = path.split(separator: "/").last.map(String.init) ?? ""
      let isKnown = DocumentName.known.contains { $0.name.text == name }
      return isKnown || FilesToAdopt.isWellKnown(path) ? name : nil
    }
    /// Whether a directory was named, and not this file.
    let isListed: Bool
    /// What it has, if it was fetched; the path is a URL then.
    var content: [UInt8]?
    /// The media type with which it was fetched.
    var mediaType: MediaType?
  }

  private static let wellKnown = ".well-known"
  /// What the names of the kinds begin with.
  private static let stems = DocumentKind.allCases.map {
    $0.rawValue.replacing(".json", with: "")
  }

  /// Whether a file is below `.well-known`, or the one that Windows also asks for beside it.
  static func isWellKnown(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return parts.dropLast().last.map { $0 == wellKnown } == true
      || parts.count > 1 && parts.last.map { $0 == DocumentName.windows.text } == true
  }

  private(set) var files: [File] = []
  /// Files beside those of a domain that are not read, and why.
  private var skipped: [(path: String, why: String)] = []
  /// What else the directories have, except hidden files.
  private(set) var unrelated: [String] = []

  /// Finds the files; `-` is stdin.
  ///
  /// - Parameter kind: Of a directory, only files of this kind, by name or by content; `nil` for all.
  /// - Throws: `Failure` for a directory that cannot be read or has no file.
  init(_ operands: [String], only kind: DocumentKind?) throws {
    for operand in operands { try add(operand) }
    guard let kind else { return }
    files.removeAll { $0.isListed && ($0.kind ?? $0.kindByContent ?? kind) != kind }
    if files.isEmpty {
      throw Failure(
        "No file is of the kind \(kind.rawValue). Leave --kind out, or name another one.")
    }
  }

  private mutating func add(_ path: String) throws {
    guard path != "-", Self.isDirectory(path) else {
      files.append(File(path: path, domain: Self.domain(of: path), isListed: false))
      return
    }
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let before = files.count
    let names = try Self.names(in: path)
    let isState = names.contains(DesiredFiles.appsName)
    let entries = names.map { path == "/" ? path + $0 : "\(path)/\($0)" }
    // A domain may have the name of a kind. A file beside directories of domains hides none of them.
    if !isState, try addFiles(in: path),
      Self.domain(of: path) != nil
        || !entries.contains(where: { Self.domain(of: $0) != nil && Self.isDirectory($0) })
    {
      return
    }
    let own = Set(files.dropFirst(before).map(\.path))
    for (name, entry) in zip(names, entries) where !own.contains(entry) {
      let domain = Self.domain(of: entry)
      let isFile = !Self.isDirectory(entry)
      if try !isFile && addFiles(in: entry) { continue }
      // A pipe would be waited for.
      let isUnrelated =
        isFile
        ? !Self.isReadable(entry) || isState && !name.hasSuffix(".json")
          || !Self.isRelated(entry, domain)
        : try domain == nil || !Self.hasNearMiss(in: entry)
      if isUnrelated {
        unrelated.append(entry)
        continue
      }
      // Reported when it cannot be read.
      let file = isFile ? entry : "\(entry)/\(DocumentKind.apple.rawValue)"
      files.append(File(path: file, domain: domain, isListed: true))
    }
    if files.count == before { throw Failure("\(path.quotedPath) has no association files.") }
  }

  /// Whether a file in a directory is meant to be published: by its name, if its content is not something else
  /// altogether, or by its content. "README.md" and "logo.png" are valid domains. One that cannot be read is reported
  /// later.
  private static func isRelated(_ path: String, _ domain: DomainName?) -> Bool {
    let name = (path.split(separator: "/").last ?? "").lowercased()
    let suffix = name.split(separator: ".").last.map(String.init) ?? ""
    if copySuffixes.contains(suffix) || name.hasSuffix("~") { return false }
    let bytes: [UInt8]
    do throws(Failure) {
      bytes = try InputFile.bytes(of: path)
    } catch {
      return true
    }
    let file = File(path: path, domain: domain, isListed: true)
    if file.kind != nil { return true }
    let text = bytes.drop { $0 > 0x7F || " \t\r\n".utf8.contains($0) }
    if domain != nil {
      // JSON or, from 2014, JSON in a CMS signature. Anything else is a failed download, such as the page of a 404,
      // unless the name is one of other files.
      if text.isEmpty || "{[0".utf8.contains(text[text.startIndex]) { return true }
      if text.first == UInt8(ascii: "<") { return !markupSuffixes.contains(suffix) }
      return !otherSuffixes.contains(suffix) && !name.hasPrefix("readme")
    }
    do throws(JSON.SyntaxError) {
      let json = try JSON.parse(bytes, limits: .trusted).value
      return json.isState || json["androidApps"] != nil || json.isAssociationFile
    } catch {
      let name = path.split(separator: "/").last ?? ""
      return DocumentKind.allCases.contains { name.contains($0.rawValue) }
    }
  }

  /// Suffixes of copies that editors and people leave beside a file. None is a top-level domain.
  private static let copySuffixes: Set = ["bak", "old", "orig", "rej", "swp", "tmp"]
  /// Suffixes of files that begin with "<".
  private static let markupSuffixes: Set = ["htm", "html", "plist", "svg", "xhtml", "xml"]
  /// Suffixes of other files that people keep beside these; some are top-level domains, too.
  private static let otherSuffixes: Set = [
    "cfg", "conf", "crt", "css", "csv", "gif", "go", "gz", "htm", "html", "ico", "ini",
    "jpeg", "jpg", "js", "key",
    "lock", "log", "map", "md", "mjs", "pdf", "pem", "php", "plist", "png", "py", "rb",
    "rs", "sh", "so", "sql",
    "svg", "swift", "tar", "toml", "ts", "tsv", "txt", "webp", "xml", "yaml", "yml", "zip",
  ]

  /// Says which files beside those of domains were left out, and why.
  func saySkipped() {
    for (path, why) in skipped { Terminal.complain("Skipped \(path.quotedPath), \(why).") }
  }

  /// Says in one line which files of directories were left out.
  static func say(skipped paths: [String]) {
    if paths.isEmpty { return }
    let listed = paths.prefix(5).map(\.quotedPath).joined(separator: ", ")
    let more = paths.count > 5 ? " and \(paths.count - 5) more" : ""
    Terminal.complain("Skipped \(paths.count.counted("other file")): \(listed)\(more).".harmless)
  }

  /// Adds the files in the directory of a domain; returns false if it has none.
  private mutating func addFiles(in directory: String) throws -> Bool {
    let stems = Self.stems
    let own = Self.files(in: directory) + (try Self.namedFiles(in: directory, besides: stems))
    if own.isEmpty { return false }
    files += own
    let wellKnown = "\(directory)/\(Self.wellKnown)"
    if Self.isDirectory(wellKnown) {
      skipped += try Self.names(in: wellKnown).map { "\(wellKnown)/\($0)" }
        .filter { path in
          !Self.isRegular(path) && !Self.isDirectory(path) && !own.contains { $0.path == path }
            && !stems.contains { path.dropFirst(wellKnown.count + 1).hasPrefix($0) }
        }.map { ($0, "which is no regular file") }
    }
    for place in [directory, "\(directory)/.well-known"] where Self.isDirectory(place) {
      for name in try Self.names(in: place) where stems.contains(where: name.hasPrefix) {
        let (path, first) = ("\(place)/\(name)", "\(wellKnown)/\(name)")
        if own.contains(where: { $0.path == path }) { continue }
        skipped.append(
          own.contains { $0.path == first }
            ? (path, "because \(first.quotedPath) takes precedence")
            : (path, "which is not where servers have the file"))
      }
    }
    return true
  }

  /// The files in the directory of a domain, where web servers have them.
  private static func files(in directory: String) -> [File] {
    DocumentKind.allCases.compactMap { kind in
      [".well-known/\(kind.rawValue)", kind.rawValue].map { "\(directory)/\($0)" }
        .first { isReadable($0) }
        .map { File(path: $0, domain: domain(of: directory), isListed: true) }
    }
  }

  /// Whether a path is a file itself: no link, which may lead out of the tree, and no pipe.
  private static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether a path is, or leads to, a file or something that cannot be read, and no pipe or device.
  static func isReadable(_ path: String) -> Bool {
    var status = stat()
    if stat(path, &status) != 0 {
      return errno != ENOENT && errno != ENOTDIR || lstat(path, &status) == 0
    }
    return status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether the directory of a domain has something that is named almost like an association file: then the file is
  /// missing, and not meant to be.
  private static func hasNearMiss(in directory: String) throws -> Bool {
    let places = [directory, "\(directory)/\(wellKnown)"].filter(isDirectory)
    return try places.flatMap(names).contains { name in stems.contains(where: name.hasPrefix) }
  }

  /// The files in the directory of a domain that are published as bytes.
  private static func namedFiles(in directory: String, besides stems: [String]) throws -> [File] {
    let place = "\(directory)/\(wellKnown)"
    let found = isDirectory(place) ? try names(in: place) : []
    var paths = found.filter { name in !stems.contains(where: name.hasPrefix) }
      .map { "\(place)/\($0)" }.filter(isRegular)
    let other = "\(directory)/\(DocumentName.windows)"
    if !paths.contains("\(place)/\(DocumentName.windows)"), isRegular(other) {
      paths.append(other)
    }
    return paths.map { File(path: $0, domain: domain(of: directory), isListed: true) }
  }

  /// The names in a directory in a stable order, without hidden ones.
  private static func names(in directory: String) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory)
        .filter { !$0.hasPrefix(".") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    } catch let error as CocoaError {
      throw Failure("Cannot read \(directory.quotedPath): \(error.reason).")
    }
  }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }

  private static func domain(of path: String) -> DomainName? {
    var parts = URL(filePath: path).standardizedFileURL.pathComponents
    let names = DocumentKind.allCases.map(\.rawValue)
    if let last = parts.last,
      names.contains(last) || names.contains("\(last.dropLast(5))") || isWellKnown(path)
    {
      parts.removeLast()
      if parts.last == ".well-known" { parts.removeLast() }
    }
    let name = parts.last ?? ""
    let text = name.lowercased().hasSuffix(".json") ? String(name.dropLast(5)) : name
    // A single label is a word such as "staging" far more often than a domain.
    return text.contains(".") ? DomainName(usable: text) : nil
  }
}

extension JSON {
  /// Whether a file looks like an association file of some kind.
  var isAssociationFile: Bool {
    if let statements = arrayValue { return statements.contains { $0["relation"] != nil } }
    return (["applinks", "relation", "origins"] + AssociationFile.Service.allCases.map(\.rawValue))
      .contains { self[$0] != nil }
  }

  /// Whether a file is part of a state, as `aasa export` writes it, and no association file.
  var isState: Bool {
    guard self["applinks"] == nil, let object = objectValue else { return false }
    if self["domain"]?.stringValue != nil || self["domains"]?.arrayValue != nil { return true }
    if self["template"]?.stringValue != nil { return true }
    return !object.isEmpty
      && object.members.allSatisfy {
        DesiredFiles.appLists.contains($0.key) && $0.value.arrayValue != nil
      }
  }
}
