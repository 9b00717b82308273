import Foundation

/// The bytes of a file, for searching.
package struct FileContents: Sendable {
  private let data: Data

  /// Reads a file; `nil` if it cannot be read.
  package init?(_ path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    self.data = data
  }

  /// Whether the file contains a text.
  package func contains(_ text: String) -> Bool { data.firstRange(of: Data(text.utf8)) != nil }
}
