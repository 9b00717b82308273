import Foundation
public import Testing

/// A real association file. The files are other people's: they are read from the folder
/// `shared/corpus/aasa` beside the package, where it exists, and are no part of it.
public struct CorpusFile: Sendable, CustomTestStringConvertible {
  /// The name of the file.
  public let testDescription: String
  /// Its bytes.
  public let bytes: [UInt8]

  /// What a skipped test says.
  public static let missing: Comment = "There is no ../shared/corpus/aasa beside the package."

  private static let folder =
    URL(filePath: #filePath).appending(path: "../../../../shared/corpus/aasa").standardized

  /// Whether the folder is there.
  public static var isThere: Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: "index.json").path)
  }

  /// All files in the order of their names.
  public static func all() throws -> [CorpusFile] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".json") && $0 != "index.json" }
      .map { name in
        let data = try Data(contentsOf: folder.appending(path: name))
        return CorpusFile(testDescription: name, bytes: Array(data))
      }
  }
}
