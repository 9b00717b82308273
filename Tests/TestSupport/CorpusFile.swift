import Foundation
package import Testing

/// A real association file. The files belong to other people and are not part of the package: they
/// are read from the directory `shared/corpus/aasa` beside it, if that exists.
package struct CorpusFile: Sendable, CustomTestStringConvertible {
  /// The name of the file.
  package let testDescription: String
  /// Its bytes.
  package let bytes: [UInt8]

  /// The message of a skipped test.
  package static let missing: Comment = "There is no ../shared/corpus/aasa beside the package."

  private static let folder =
    URL(filePath: #filePath).appending(path: "../../../../shared/corpus/aasa").standardized

  /// Whether the directory exists.
  package static var isThere: Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: "index.json").path)
  }

  /// All files, by name.
  package static func all() throws -> [CorpusFile] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".json") && $0 != "index.json" }
      .map { name in
        let data = try Data(contentsOf: folder.appending(path: name))
        return CorpusFile(testDescription: name, bytes: Array(data))
      }
  }
}
