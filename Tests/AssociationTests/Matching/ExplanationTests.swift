import Association
import JSONValue
import Testing

@Suite struct ExplanationTests {
  private let matcher = Matcher(document: [
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

  private func explain(_ rest: String) -> Explanation {
    matcher.explain("https://example.com" + rest, in: matcher.everyEntry)
  }

  @Test func aMatchNamesTheRouteAndItsConditions() {
    let explanation = explain("/buy/1")
    #expect(explanation.route?.description == "/applinks/details/0/components/1")
    #expect(
      explanation.reason
        == #"The first matching route is /applinks/details/0/components/1, a route for path "/buy/*"."#
    )
    #expect(
      explain("/buy#web").reason
        == #"The first matching route is /applinks/details/0/components/0, an exclusion for fragment "web"."#
    )
  }

  @Test func withoutAMatchTheClosestRouteIsNamed() {
    let explanation = explain("/help/1?articleNumber=123&lang=en")
    #expect(explanation.closest?.description == "/applinks/details/0/components/2")
    #expect(
      explanation.reason
        == #"No route matches. The closest is /applinks/details/0/components/2, which requires query item "articleNumber" to match "????"."#
    )
  }

  @Test func theFirstOfSeveralClosestRoutesIsNamed() {
    #expect(explain("/help/").closest?.description == "/applinks/details/0/components/2")
    #expect(explain("/").closest?.description == "/applinks/details/0/components/0")
  }

  @Test func anUnknownAppMatchesNothing() {
    let scope = matcher.scope(of: "ABCDE12345.com.other")
    let explanation = matcher.explain("https://example.com/buy/1", in: scope)
    #expect(explanation.resolution == .noMatch)
    #expect(explanation.app == "ABCDE12345.com.other")
    #expect(explanation.reason == "The document has no entry for the app ABCDE12345.com.other.")
  }
}
