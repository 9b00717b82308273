import Association
import TestSupport
import Testing

/// What is rendered from the model says the same as the file that it was made from.
@Suite struct RenderingTests {
  private static let urls = [
    "https://example.com/", "https://example.com/buy/1", "https://example.com/help/website/x",
    "https://example.com/a?id=1234&ref=x#top", "https://example.com/A/b",
    "https://example.com/old/b",
    "https://example.com/en/pizza", "https://example.com/x1", "https://example.com/caf%C3%A9/",
  ]

  /// Every decision about the URLs, for every app.
  private func decisions(_ document: JSON) throws -> [String] {
    let matcher = try Matcher(document: document)
    var budget = MatchingBudget()
    return try Self.urls.flatMap { url in
      try matcher.explanations(for: url, budget: &budget).map {
        "\($0.app ?? "-") \($0.resolution)"
      }
    }
  }

  @Test(arguments: Shape.all)
  func aFileOfAnyShapeResolvesTheSameAfterItWasAdoptedAndRendered(shape: Shape) throws {
    let rendered = try JSON.parse(AssociationFile(adopting: shape.file).json.serialized()).value
    #expect(rendered == shape.file)
    #expect(try decisions(rendered) == decisions(shape.file))
    #expect(
      try AssociationFile(adopting: rendered).json.serialized()
        == AssociationFile(adopting: shape.file).json.serialized())
  }

  /// A mark combines with the space before it: as characters, the two are one.
  @Test(arguments: ["\u{301}/a", "\u{308}", "\u{200D}x", "/e\u{301}"])
  func anExcludedPathKeepsACombiningMarkAtItsStart(path: String) throws {
    let legacy = LegacyPath("NOT " + path)
    #expect(legacy.exclude)
    #expect(sameScalars(legacy.pattern, path))
    let file: JSON = [
      "applinks": [
        "apps": [], "details": [["appID": "A.b", "paths": ["*", .string("NOT " + path)]]],
      ]
    ]
    #expect(try AssociationFile(adopting: file).json == file)
  }

  @Test(.enabled(if: CorpusFile.isThere, CorpusFile.missing))
  func aRealFileResolvesTheSameAfterItWasAdoptedAndRendered() throws {
    var count = 0
    for file in try CorpusFile.all() {
      // Five of them are not JSON, which other tests look at.
      guard let document = try? JSON.parse(file.bytes).value else { continue }
      let rendered = try JSON.parse(AssociationFile(adopting: document).json.serialized()).value
      #expect(rendered == document, "\(file.testDescription)")
      #expect(try decisions(rendered) == decisions(document), "\(file.testDescription)")
      count += 1
    }
    #expect(count > 100)
  }
}
