import Association
import TestSupport
import Testing

/// That no documents make a comparison slow, or say too little where they are large.
@Suite struct ComparisonCostTests {
  private static func document(_ paths: [String], _ defaults: JSON = [:]) -> JSON {
    let routes = paths.enumerated().map { index, path in
      JSON.object(["/": .string(path), "exclude": .bool(index % 3 == 0)])
    }
    return [
      "applinks": [
        "defaults": defaults, "details": [["appIDs": ["a"], "components": .array(routes)]],
      ]
    ]
  }

  private static func paths(_ count: Int, _ text: (Int) -> String) -> [String] {
    (0..<count).map(text)
  }

  @Test func everyOneOfAHundredEditedRoutesHasItsExample() throws {
    let from = Self.document(Self.paths(100) { "/section/\($0)/*" })
    for to in [
      Self.document(Self.paths(100) { "/part/\($0)/*" }),
      Self.document(Self.paths(100) { "/section/\($0)/*" }, ["caseSensitive": false]),
      Self.document(Self.paths(100) { "/section/\($0)/*" }, ["percentEncoded": false]),
    ] {
      let routes = try DocumentComparison(from: from, to: to).changes.filter { $0.what == .route }
      #expect(routes.count == 100)
      #expect(routes.allSatisfy { $0.kind == .changed && !$0.examples.isEmpty })
    }
  }

  static let hostile: [(JSON, JSON)] = [
    (
      document(paths(400) { "*/a\($0)*b*/*" }), document(paths(400) { "*/b\($0)*a*/*" }.reversed())
    ),
    (document(paths(500) { _ in "*" }), document(paths(499) { _ in "**" })),
  ]

  /// By number, because the test library prints each argument.
  @Test(arguments: hostile.indices)
  func complexDocumentsAreGivenUpInTime(number: Int) throws {
    let (from, to) = Self.hostile[number]
    let (comparison, time) = try processorTime { try DocumentComparison(from: from, to: to) }
    #expect(!comparison.isEmpty)
    #expect(time < .seconds(120), "\(time)")
  }

  @Test func manyOriginsAreComparedQuickly() throws {
    func state(_ name: String) -> DomainComparison.State {
      let origins = JSON.strings((0..<7_000).map { "https://\(name)\($0).example" })
      return DomainComparison.State(ReadDocuments([.webAuthn: ["origins": origins]]), nil)
    }
    let (comparison, time) = try processorTime {
      try DomainComparison(of: DomainName("example.com"), from: state("a"), to: state("b"))
    }
    #expect(comparison.changes.count == 14_000)
    #expect(time < .seconds(1), "\(time)")
  }
}
