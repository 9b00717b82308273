import JSONValue
import Testing

@testable import Association

/// The compiled patterns and `NaivePattern` agree.
@Suite struct PatternPropertyTests {
  private func matcher(_ route: JSON, variables: [String: [String]] = [:]) -> Matcher {
    let values: JSON = .object(
      variables.reduce(into: JSON.Object()) { $0[$1.key] = .strings($1.value) })
    return Matcher(document: [
      "applinks": [
        "substitutionVariables": values,
        "details": [["appIDs": ["ABCDE12345.com.example"], "components": [route]]],
      ]
    ])
  }

  private func matches(_ matcher: Matcher, _ rest: String) -> Bool {
    matcher.resolve("https://example.com" + rest, in: matcher.everyEntry).resolution == .match
  }

  @Test func everySmallPathPatternMatchesWhatTheRulesSay() {
    let paths = everyText(of: ["a", "b", "/"], upTo: 4).map { "/" + $0 }
    for pattern in everyText(of: ["a", "/", "*", "?"], upTo: 5) {
      let matcher = matcher(["/": .string(pattern)])
      let naive = NaivePattern(pattern)
      for path in paths where matches(matcher, path) != naive.matchesPath(path) {
        Issue.record("\(pattern) against \(path)")
      }
    }
  }

  @Test func everySmallQueryPatternMatchesWhatTheRulesSay() {
    let queries = everyText(of: ["a", "b", "/", "é"], upTo: 4)
    for pattern in everyText(of: ["a", "é", "*", "?"], upTo: 4) {
      let matcher = matcher(["?": .string(pattern)])
      let naive = NaivePattern(pattern)
      for query in queries where matches(matcher, "/?" + query) != naive.matches(query) {
        Issue.record("\(pattern) against \(query)")
      }
    }
  }

  @Test(arguments: 0..<40)
  func patternsWithVariablesMatchWhatTheirExpansionsMatch(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let paths = everyText(of: ["a", "b", "/"], upTo: 4).map { "/" + $0 }
    for _ in 0..<20 {
      let variables = ["v", "w"].reduce(into: [String: [String]]()) { variables, name in
        variables[name] = (0...2).map { _ in
          generator.text(of: ["a", "b", "/", "*", "?"], upTo: 2)
            + ["a", "b", "*"][Int.random(in: 0..<3, using: &generator)]
        }
      }
      let pattern = generator.text(of: ["a", "/", "*", "?", "$(v)", "$(w)"], upTo: 5)
      let path = matcher(["/": .string(pattern)], variables: variables)
      let fragment = matcher(["#": .string(pattern)], variables: variables)
      let naive = NaivePattern(pattern, variables: variables)
      for text in paths {
        if matches(path, text) != naive.matchesPath(text) {
          Issue.record("path \(pattern) with \(variables) against \(text)")
        }
        if matches(fragment, "/#" + text) != naive.matches(text) {
          Issue.record("fragment \(pattern) with \(variables) against \(text)")
        }
      }
    }
  }
}
