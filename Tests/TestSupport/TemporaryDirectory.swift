package import Foundation

/// A temporary directory for a test, removed with this value.
package final class TemporaryDirectory: Sendable {
  /// The path.
  package let url: URL

  /// Creates the directory.
  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "aasa-test-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      print("\(url.path) is left: \(error)")
    }
  }

  /// The path of a file in the directory.
  package func path(_ name: String) -> String { url.appending(path: name).path }
}
