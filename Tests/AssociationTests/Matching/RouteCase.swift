import Association
import Testing

/// A route, what follows the host in a URL, and whether the route matches.
struct RouteCase: Sendable, CustomTestStringConvertible {
  let route: JSON
  let rest: String
  let matches: Bool
  let why: String

  var testDescription: String {
    "\(route.text) \(matches ? "matches" : "does not match") \(rest): \(why)"
  }

  init(_ route: JSON, _ rest: String, _ matches: Bool, _ why: String) {
    self.route = route
    self.rest = rest
    self.matches = matches
    self.why = why
  }

  /// Checks the case in a document with these variables.
  func check(variables: JSON = [:]) throws {
    let document: JSON = [
      "applinks": [
        "details": [["appIDs": ["ABCDE12345.com.example"], "components": [route]]],
        "substitutionVariables": variables,
      ]
    ]
    let matcher = try Matcher(document: document)
    let decision = try matcher.resolve("https://example.com" + rest, in: matcher.everyEntry)
    #expect(decision.resolution == (matches ? .match : .noMatch))
  }
}
