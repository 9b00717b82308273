@testable import Association
import Testing

/// The compiled patterns and `NaivePattern` agree.
@Suite struct PatternPropertyTests {
  private func matcher(_ routes: JSON..., variables: [String: [String]] = [:]) throws -> Matcher {
    let values: JSON = .object(
      variables.reduce(into: JSON.Object()) { $0[$1.key] = .strings($1.value) })
    return try Matcher(document: [
      "applinks": [
        "substitutionVariables": values,
        "details": [["appIDs": ["ABCDE12345.com.example"], "components": .array(routes)]],
      ]
    ])
  }

  private func matches(_ matcher: Matcher, _ rest: String) throws -> Bool {
    try matcher.resolve("https://example.com" + rest, in: matcher.everyEntry).resolution == .match
  }

  @Test func everySmallPathPatternMatchesWhatTheRulesSay() throws {
    let paths = everyText(of: ["a", "b", "/"], upTo: 4).map { "/" + $0 }
    for pattern in everyText(of: ["a", "/", "*", "?"], upTo: 5) {
      let matcher = try matcher(["/": .string(pattern)])
      let naive = NaivePattern(pattern)
      for path in paths where try matches(matcher, path) != naive.matchesPath(path) {
        Issue.record("\(pattern) against \(path)")
      }
    }
  }

  @Test func everySmallQueryPatternMatchesWhatTheRulesSay() throws {
    let queries = everyText(of: ["a", "b", "/", "é"], upTo: 4)
    for pattern in everyText(of: ["a", "é", "*", "?"], upTo: 4) {
      let matcher = try matcher(["?": .string(pattern)])
      let naive = NaivePattern(pattern)
      for query in queries where try matches(matcher, "/?" + query) != naive.matches(query) {
        Issue.record("\(pattern) against \(query)")
      }
    }
  }

  @Test(arguments: 0..<10)
  func patternsWithVariablesMatchWhatTheirExpansionsMatch(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let paths = everyText(of: ["a", "b", "/"], upTo: 4).map { "/" + $0 }
    for _ in 0..<20 {
      let variables = ["v", "w"].reduce(into: [String: [String]]()) { variables, name in
        variables[name] = (0...2).map { _ in
          generator.text(of: ["a", "b", "/", "*", "?"], upTo: 2)
            + ["a", "b", "*"][Int.random(in: 0..<3, using: &generator)]
        }
      }
      let patterns = (0..<3).map { _ in
        generator.text(of: ["a", "/", "*", "?", "$(v)", "$(w)"], upTo: 5)
      }
      // Routes of one document share what is compiled of a variable.
      let matcher = try matcher(
        ["/": .string(patterns[0])], ["/": .string(patterns[1])], ["#": .string(patterns[2])],
        variables: variables)
      let naive = patterns.map { NaivePattern($0, variables: variables) }
      for text in paths {
        let url = "https://example.com\(text)#\(text)"
        let expected =
          naive[0].matchesPath(text)
          ? 0 : naive[1].matchesPath(text) ? 1 : naive[2].matches(text) ? 2 : nil
        if try matcher.resolve(url, in: matcher.everyEntry).route != expected {
          Issue.record("\(patterns) with \(variables) against \(text)")
        }
      }
    }
  }
}
