import Association
import Testing

/// No document and no URL makes matching take much memory or time.
@Suite struct ComplexityTests {
  private static func document(
    _ routes: [JSON], variables: JSON = [:], defaults: JSON = [:]
  ) -> JSON {
    [
      "applinks": [
        "defaults": defaults, "substitutionVariables": variables,
        "details": [["appIDs": ["ABCDE12345.com.example.app"], "components": .array(routes)]],
      ]
    ]
  }

  private static func document(pattern: String, variables: JSON) -> JSON {
    document([["/": .string(pattern)]], variables: variables)
  }

  private static func text(_ part: String, _ count: Int) -> String {
    String(repeating: part, count: count)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let document: JSON
    let words: String
  }

  static let hostile: [Case] = [
    Case(
      testDescription: "a value of 1 MB, 20,000 times in a pattern",
      document: document(
        pattern: text("$(v)", 20_000), variables: ["v": [.string(text("a", 1_000_000))]]),
      words: "524288"),
    Case(
      testDescription: "a value of 40 KB, 20,000 times in a pattern",
      document: document(
        pattern: text("$(v)", 20_000), variables: ["v": [.string(text("a", 40_000))]]),
      words: "262144"),
    Case(
      testDescription: "a value of 2,000 bytes and a star, 400 times in a pattern",
      document: document(
        pattern: text("$(v)*", 400), variables: ["v": [.string(text("a", 2_000))]]),
      words: "262144"),
    Case(
      testDescription: "a variable of 601 values, 25,000 times in a pattern",
      document: document(
        pattern: text("$(v)", 25_000), variables: ["v": .strings((0...600).map { "\($0)" })]),
      words: "262144"),
    Case(
      testDescription: "a variable of 20,000 characters in 2,000 patterns",
      document: document(
        (0..<2_000).map { ["/": .string("/\($0)/$(v)/*")] },
        variables: ["v": .strings((0..<5_000).map { "\($0)" })]),
      words: "33554432"),
    Case(
      testDescription: "a long pattern that 10,000 routes inherit",
      document: document(
        text("x", 10_000).map { _ in [:] }, defaults: ["/": .string(text("*a", 40_000))]),
      words: "1048576"),
    Case(
      testDescription: "5,000 query items that 5,000 routes inherit",
      document: document(
        (0..<5_000).map { ["#": .string("\($0)")] },
        defaults: [
          "?": .object((0..<5_000).reduce(into: JSON.Object()) { $0["\($1)"] = "?*" })
        ]),
      words: "1048576"),
    Case(
      testDescription: "70,000 empty routes",
      document: document((0..<70_000).map { _ in [:] }), words: "65537"),
  ]

  @Test(arguments: hostile)
  func aDocumentThatWouldTakeMuchMemoryIsRefusedWithTheLimit(hostile: Case) {
    let error = #expect(throws: TooComplex.self) { try Matcher(document: hostile.document) }
    #expect(error?.message.contains(hostile.words) == true, "\(String(describing: error))")
    #expect(throws: TooComplex.self) { try DocumentComparison(from: [:], to: hostile.document) }
    let findings = Linter.findings(in: ReadDocument(hostile.document), size: 100_000)
    #expect(findings.filter { $0.severity == .error }.map(\.code) == [.tooComplex])
    #expect(findings.first { $0.code == .tooComplex }?.message == error?.message)
  }

  @Test(arguments: [
    ("10,000 routes", document((0..<10_000).map { ["/": .string("/p/\($0)/*")] })),
    ("languages", document((0..<5_000).map { ["/": .string("/$(lang)/\($0)/*")] })),
    (
      "a variable of 10,000 values in 50 routes",
      document(
        (0..<50).map { ["/": .string("/\($0)/$(v)")] },
        variables: ["v": .strings((0..<10_000).map { "product-\($0)" })])
    ),
    ("a pattern of 128 KB", document([["/": .string(text("a*", 65_000))]])),
  ])
  func aLargeUsefulDocumentIsNotRefused(name: String, document: JSON) throws {
    let matcher = try Matcher(document: document)
    #expect(
      try matcher.resolve("https://example.com/nowhere", in: matcher.everyEntry) == .noMatch)
  }

  @Test func aURLThatTakesTooManyStepsIsAnErrorAndNoAnswer() throws {
    let matcher = try Matcher(
      document: Self.document(
        pattern: Self.text("$(v)*", 100) + "b",
        variables: ["v": [.string(Self.text("a", 2_000)), .string(Self.text("a", 500))]]))
    let url = "https://example.com/" + Self.text("a", 16_000)
    let error = #expect(throws: TooComplex.self) {
      try matcher.resolve(url, in: matcher.everyEntry)
    }
    #expect(error?.pointer.description == "/applinks/details/0/components/0")
    #expect(throws: TooComplex.self) { try matcher.explain(url, in: matcher.everyEntry) }
    var budget = MatchingBudget(steps: 1_000)
    #expect(throws: TooComplex.self) { try matcher.explanations(for: url, budget: &budget) }
    // A URL that the pattern cannot tell from a match only slowly, but short, still has its answer.
    #expect(try matcher.resolve("https://example.com/a", in: matcher.everyEntry) == .noMatch)
  }

  @Test(arguments: [
    document([["/": .string("*" + text("a", 60_000) + "b*")]]),
    document((0..<60).map { _ in ["/": .string("*" + text("a", 2_000) + "b*")] }),
    document([
      ["?": .object((0..<16_000).reduce(into: JSON.Object()) { $0["\($1)"] = "b" })]
    ]),
    document(
      [["?": .object((0..<4_000).reduce(into: JSON.Object()) { $0["\($1)"] = "" })]],
      defaults: ["percentEncoded": false]),
  ])
  func anyURLEndsWithinItsSteps(document: JSON) throws {
    let matcher = try Matcher(document: document)
    for rest in [
      Self.text("a", 16_000), "?" + Self.text("%61&", 4_000), "?" + Self.text("&", 16_000),
    ] {
      let url = "https://example.com/" + rest
      var budget = MatchingBudget()
      do {
        _ = try matcher.explain(
          url.utf8.span, in: matcher.everyEntry, budget: &budget)
      } catch {
        #expect(error.message.contains("takes too many steps"))
      }
    }
  }

  @Test func aURLMayHave16KBAndNoMore() throws {
    let matcher = try Matcher(document: Self.document([["/": "/*"]]))
    let url = "https://example.com/" + Self.text("a", MatchingBudget.mostURLBytes - 20)
    #expect(try matcher.resolve(url, in: matcher.everyEntry).resolution == .match)
    let error = #expect(throws: TooComplex.self) {
      try matcher.resolve(url + "a", in: matcher.everyEntry)
    }
    #expect(error?.message == "The URL has 16385 bytes; the limit is 16384.")
  }
}
