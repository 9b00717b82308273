import Association
import FoundationEssentials
import JSONValue
import Service

/// Association files named on the command line, each with the domain that its name says.
///
/// `example.com`, `example.com.json`, `example.com/apple-app-site-association` and
/// `example.com/.well-known/apple-app-site-association` are files of `example.com`, and so are those with the
/// names of the other kinds. A directory stands for everything in it except hidden files and READMEs.
struct FilesToAdopt {
  struct File {
    let path: String
    /// `nil` if its name is none of a domain.
    let domain: DomainName?
    /// The kind that its name says; `nil` if only its content does.
    var kind: DocumentKind? {
      DocumentKind(rawValue: path.split(separator: "/").last.map(String.init) ?? "")
    }
    /// Whether a directory was named, and not this file.
    let isListed: Bool
    /// What it has, if it was fetched; the path is a URL then.
    var content: [UInt8]?
  }

  private(set) var files: [File] = []
  /// Files beside those of a domain that are named almost like them, or in a second place. They are not read.
  private(set) var skipped: [String] = []

  /// Finds the files; `-` is stdin.
  ///
  /// - Throws: `Failure` for a directory that cannot be read or has no file.
  init(_ operands: [String]) throws {
    for operand in operands { try add(operand) }
  }

  private mutating func add(_ path: String) throws {
    guard path != "-", Self.isDirectory(path) else {
      files.append(File(path: path, domain: Self.domain(of: path), isListed: false))
      return
    }
    if try addFiles(in: path) { return }
    var names = try Self.names(in: path)
    // "README.md" is a valid domain.
    names.removeAll { $0.hasPrefix("README") }
    if names.contains(DesiredFiles.appsName) { names.removeAll { !$0.hasSuffix(".json") } }
    if names.isEmpty { throw Failure("\(path.quotedPath) has no files.") }
    for name in names {
      let entry = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
      if !Self.isDirectory(entry) {
        files.append(File(path: entry, domain: Self.domain(of: entry), isListed: true))
        continue
      }
      if try addFiles(in: entry) { continue }
      // A directory without files is reported when Apple's cannot be read.
      files.append(
        File(
          path: "\(entry)/\(DocumentKind.apple.rawValue)", domain: Self.domain(of: entry),
          isListed: true))
    }
  }

  /// Adds the files in the directory of a domain; returns false if it has none.
  private mutating func addFiles(in directory: String) throws -> Bool {
    let own = Self.files(in: directory)
    if own.isEmpty { return false }
    files += own
    let stems = DocumentKind.allCases.map { $0.rawValue.replacing(".json", with: "") }
    for place in [directory, "\(directory)/.well-known"] where Self.isDirectory(place) {
      skipped += try Self.names(in: place).filter { name in stems.contains(where: name.hasPrefix) }
        .map { "\(place)/\($0)" }.filter { path in !own.contains { $0.path == path } }
    }
    return true
  }

  /// The files in the directory of a domain, where web servers have them.
  private static func files(in directory: String) -> [File] {
    DocumentKind.allCases.compactMap { kind in
      [".well-known/\(kind.rawValue)", kind.rawValue].map { "\(directory)/\($0)" }
        .first { FileManager.default.fileExists(atPath: $0) }
        .map { File(path: $0, domain: domain(of: directory), isListed: true) }
    }
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
    if let last = parts.last, names.contains(last) || names.contains("\(last.dropLast(5))") {
      parts.removeLast()
      if parts.last == ".well-known" { parts.removeLast() }
    }
    let name = parts.last ?? ""
    let text = name.hasSuffix(".json") ? String(name.dropLast(5)) : name
    // A single label is a word such as "staging" far more often than a domain.
    guard text.contains(".") else { return nil }
    do throws(ValidationError) {
      return try DomainName(text)
    } catch {
      return nil
    }
  }
}

extension JSON {
  /// Whether a file is part of a state, as `aasa export` writes it, and no association file.
  var isState: Bool {
    guard self["applinks"] == nil else { return false }
    return self["domain"]?.stringValue != nil || self["domains"]?.arrayValue != nil
      || objectValue?.keys == ["apps"]
  }
}
