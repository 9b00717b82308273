import Association
import Testing

@Suite struct ExplanationTests {
  private let matcher: Matcher

  init() throws {
    matcher = try Matcher(document: [
      "applinks": [
        "details": [
          [
            "appIDs": ["ABCDE12345.com.example"],
            "components": [
              ["#": "web", "exclude": true],
              ["/": "/buy/*"],
              ["/": "/help/*", "?": ["articleNumber": "????", "lang": "en"]],
              ["/": "/help/*", "#": "top"],
            ],
          ]
        ]
      ]
    ])
  }

  private func explain(_ rest: String) throws -> Explanation {
    try matcher.explain("https://example.com" + rest, in: matcher.everyEntry)
  }

  @Test func aMatchNamesTheRouteAndItsConditions() throws {
    let explanation = try explain("/buy/1")
    #expect(explanation.route?.description == "/applinks/details/0/components/1")
    #expect(
      explanation.reason
        == #"The first matching route is /applinks/details/0/components/1, a route for path "/buy/*"."#
    )
    #expect(
      try explain("/buy#web").reason
        == #"The first matching route is /applinks/details/0/components/0, an exclusion for fragment "web"."#
    )
  }

  @Test func withoutAMatchTheClosestRouteIsNamed() throws {
    let explanation = try explain("/help/1?articleNumber=123&lang=en")
    #expect(explanation.closest?.description == "/applinks/details/0/components/2")
    #expect(
      explanation.reason
        == #"No route matches. The closest is /applinks/details/0/components/2, which requires query item "articleNumber" to match "????"."#
    )
  }

  @Test func theFirstOfSeveralClosestRoutesIsNamed() throws {
    #expect(try explain("/help/").closest?.description == "/applinks/details/0/components/2")
    #expect(try explain("/").closest?.description == "/applinks/details/0/components/0")
  }

  /// Decided for `appIDs` that is empty, and that is a text; of a list, texts count.
  @Test(
    arguments: [
      ["components": [["/": "*"]]], ["appIDs": [], "components": [["/": "*"]]],
      ["appIDs": "ABCDE12345.a", "components": [["/": "*"]]],
      ["appIDs": [], "appID": "ABCDE12345.a", "components": [["/": "*"]]], ["paths": ["*"]],
    ] as [JSON])
  func anEntryThatNamesNoAppOpensNothing(entry: JSON) throws {
    let matcher = try Matcher(document: ["applinks": ["details": [entry]]])
    var budget = MatchingBudget()
    let results = try matcher.explanations(for: "https://example.com/", budget: &budget)
    #expect(results.map(\.resolution) == [.noMatch])
    #expect(results.map(\.app) == [nil])
    #expect(
      results.map(\.reason)
        == ["No entry of the document names an app, so no app opens the URL."])
    #expect(try matcher.resolve("https://example.com/", in: matcher.everyEntry) == .noMatch)
  }

  @Test func anEntryThatNamesNoAppIsPassedOverForOthers() throws {
    let matcher = try Matcher(document: [
      "applinks": [
        "details": [["components": [[:]]], ["appIDs": ["a"], "components": [["/": "/x"]]]]
      ]
    ])
    let scope = matcher.everyEntry
    #expect(try matcher.resolve("https://example.com/x", in: scope).route == 1)
    #expect(try matcher.resolve("https://example.com/y", in: scope) == .noMatch)
  }

  @Test func anUnknownAppMatchesNothing() throws {
    let scope = matcher.scope(of: "ABCDE12345.com.other")
    let explanation = try matcher.explain("https://example.com/buy/1", in: scope)
    #expect(explanation.resolution == .noMatch)
    #expect(explanation.app == "ABCDE12345.com.other")
    #expect(explanation.reason == "The document has no entry for the app ABCDE12345.com.other.")
  }
}
