import Foundation

/// A file of `Config`, in which a test puts its own ports and paths in the place of those that users
/// change, too.
struct ConfigFile {
  /// The file does not have what was to be replaced.
  struct NotThere: Error {
    let file: String
    let text: String
  }

  let name: String
  private(set) var text: String

  init(_ name: String) throws {
    self.name = name
    text = try String(contentsOfFile: Self.path(name), encoding: .utf8)
  }

  /// Where a file of `Config` is.
  static func path(_ name: String) -> String {
    URL(filePath: #filePath).appending(path: "../../../Config/\(name)").standardized.path
  }

  /// Replaces each occurrence of a text, of which there must be one.
  mutating func replace(_ old: String, with new: String) throws {
    guard text.contains(old) else { throw NotThere(file: name, text: old) }
    text.replace(old, with: new)
  }

  /// Leaves out the lines that have a text.
  mutating func dropLines(with part: String) throws {
    guard text.contains(part) else { throw NotThere(file: name, text: part) }
    text = text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.contains(part) }.joined(separator: "\n")
  }
}
