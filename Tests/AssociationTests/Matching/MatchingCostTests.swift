@testable import Association
import Testing

/// The steps of matching stay below the length of the text times the size of the pattern, counted,
/// not timed.
@Suite struct MatchingCostTests {
  private func steps(_ route: JSON, variables: JSON = [:], _ url: String) throws -> Int {
    let matcher = try Matcher(document: [
      "applinks": [
        "substitutionVariables": variables, "details": [["appID": "a", "components": [route]]],
      ]
    ])
    var budget = MatchingBudget()
    let decision = try matcher.resolve(
      url.utf8.span, in: matcher.everyEntry, domain: nil, budget: &budget)
    #expect(decision.resolution == .noMatch)
    return MatchingBudget.stepsPerURL - budget.steps
  }

  private let longPath = "https://example.com/" + String(repeating: "a", count: 10_000)

  @Test(arguments: [
    String(repeating: "*a", count: 50) + "*b", String(repeating: "*a", count: 50) + "b*c?",
    String(repeating: "?*", count: 50) + "b?", "*" + String(repeating: "a", count: 100) + "b*",
    String(repeating: "*a?", count: 30) + "*b*",
  ])
  func manyStarsDoNotTryEveryLength(pattern: String) throws {
    #expect(try steps(["/": .string(pattern)], longPath) <= 2 * 10_000 * pattern.utf8.count)
  }

  @Test func variablesInARowDoNotMultiply() throws {
    let values = (0..<600).map { "a\($0)" } + (1...20).map { String(repeating: "a", count: $0) }
    let pattern = String(repeating: "$(v)", count: 80) + "b"
    let size = 80 * values.reduce(0) { $0 + $1.utf8.count }
    let url = "https://example.com/" + String(repeating: "a", count: 300)
    #expect(
      try steps(["/": .string(pattern)], variables: ["v": .strings(values)], url) <= 300 * size)
  }

  @Test func starsInValuesDoNotMultiply() throws {
    let values = (0..<600).map { "*a\($0)*" } + ["*a*a*a*"]
    let pattern = String(repeating: "*$(v)", count: 10) + "*b"
    let size = 10 * values.reduce(1) { $0 + $1.utf8.count }
    let url = "https://example.com/" + String(repeating: "a", count: 200)
    #expect(
      try steps(["/": .string(pattern)], variables: ["v": .strings(values)], url) <= 200 * size)
  }

  @Test func manyQueryItemsOfANameAreLookedAtOnce() throws {
    let query = String(repeating: "a=1&", count: 2_000)
    let route: JSON = ["?": ["a": "1", "b": "?*"]]
    #expect(try steps(route, "https://example.com/?" + query) <= 4 * query.utf8.count)
  }

  @Test func aPathThatBeginsOtherwiseIsPassedOver() throws {
    #expect(try steps(["/": "/product/*"], "https://example.com/help/1") == 0)
  }
}
