import Association
import Foundation
import JSONValue
import Testing

/// Files that serve real domains. They are other people's and lie beside the repository.
@Suite struct CorpusLintTests {
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "shared/corpus/aasa")
  static let files =
    (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "json" && $0.lastPathComponent != "index.json" }
      .sorted { $0.path < $1.path }) ?? []

  @Test(.enabled(if: !files.isEmpty, "the corpus is not there"), arguments: files)
  func aFileThatServesADomainHasNoErrorIfItIsJSON(file: URL) throws {
    let report = Linter.report(onFile: Array(try Data(contentsOf: file)))
    for f in report.findings { print("@", f.code.rawValue, f.severity, file.lastPathComponent, f.pointer, f.message) }
    let errors = report.findings.filter { $0.severity == .error }
    if report.document == nil {
      #expect(errors.map(\.code) == [.notJSON])
    } else {
      #expect(errors.isEmpty)
    }
  }
}
