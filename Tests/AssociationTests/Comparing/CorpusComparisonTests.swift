import Association
import Foundation
import Testing

/// Files that serve real domains. They are other people's and lie beside the repository.
@Suite struct CorpusComparisonTests {
  @Test(.enabled(if: SharedFiles.exists(SharedFiles.corpus), "needs ../shared/corpus"))
  func aRealFileIsTheSameAsItselfAndEveryExampleHolds() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: SharedFiles.corpus, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
    let documents = try files.compactMap { file -> JSON? in
      let bytes = Array(try Data(contentsOf: file))
      return Linter.report(onFile: bytes).document
    }
    for (from, to) in zip(documents, documents.dropFirst()) {
      #expect(try DocumentComparison(from: from, to: from).isEmpty)
      let (old, new) = try (Matcher(document: from), Matcher(document: to))
      for example in try DocumentComparison(from: from, to: to).changes.flatMap(\.examples) {
        let before = try old.resolve(example.url, in: old.scope(of: example.app)).resolution
        let after = try new.resolve(example.url, in: new.scope(of: example.app)).resolution
        #expect(before == example.before && after == example.after && before != after)
      }
    }
  }
}
