import Association
import Foundation
import Testing

/// Files that serve real domains. They are other people's and lie beside the repository.
@Suite struct CorpusLintTests {
  /// Without the list of the files, which is no association file.
  static let files: [URL] = {
    do {
      guard SharedFiles.exists(SharedFiles.corpus) else { return [] }
      let all = try FileManager.default.contentsOfDirectory(
        at: SharedFiles.corpus, includingPropertiesForKeys: nil)
      return all.filter { $0.lastPathComponent != "index.json" }.sorted { $0.path < $1.path }
    } catch {
      Issue.record(error)
      return []
    }
  }()

  @Test(.enabled(if: !files.isEmpty, "needs ../shared/corpus"), arguments: files)
  func aFileThatServesADomainCanBeAdoptedIfItIsJSON(file: URL) throws {
    let report = Linter.report(onFile: Array(try Data(contentsOf: file)))
    let errors = report.findings.filter { $0.severity == .error }
    if report.document == nil {
      #expect(errors.map(\.code) == [.notJSON])
    } else {
      #expect(errors.isEmpty)
    }
  }

  @Test(.enabled(if: !files.isEmpty, "needs ../shared/corpus"), arguments: files)
  func theExampleForARouteOfARealFileIsDecidedByIt(file: URL) throws {
    let report = Linter.report(onFile: Array(try Data(contentsOf: file)))
    for entry in report.document?["applinks"]?["details"]?.arrayValue ?? [] {
      // Other entries may decide first, so each is examined by itself.
      let matcher = try Matcher(document: ["applinks": ["details": [entry]]])
      for (number, route) in Shadowing(matcher.links).routes.enumerated() {
        guard case .decides(let example) = route.verdict else { continue }
        #expect(try matcher.resolve(example, in: matcher.everyEntry).route == number, "\(example)")
      }
    }
  }
}
