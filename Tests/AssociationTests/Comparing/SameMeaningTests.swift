import Association
import Testing

/// Ways to write the same thing, which are no changes.
@Suite struct SameMeaningTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let one: JSON
    let other: JSON

    init(_ testDescription: String, _ one: JSON, _ other: JSON) {
      self.testDescription = testDescription
      self.one = ["applinks": one]
      self.other = ["applinks": other]
    }
  }

  private static func entry(_ routes: JSON, _ more: (String, JSON)...) -> JSON {
    var object: JSON.Object = ["appIDs": ["a"], "components": routes]
    for (key, value) in more { object[key] = value }
    return ["details": [.object(object)]]
  }

  private static let insensitive = entry([
    ["/": "/x", "caseSensitive": false], ["/": "/y", "caseSensitive": false],
  ])

  static let cases = [
    Case(
      "a setting of all routes in the entry's defaults", insensitive,
      entry([["/": "/x"], ["/": "/y"]], ("defaults", ["caseSensitive": false]))),
    Case(
      "a setting of all routes in the domain's defaults", insensitive,
      [
        "defaults": ["caseSensitive": false],
        "details": entry([["/": "/x"], ["/": "/y"]])["details"] ?? [],
      ]),
    Case(
      "an exclusion by default", entry([["/": "/x", "exclude": true], ["/": "/y"]]),
      entry([["/": "/x"], ["/": "/y", "exclude": false]], ("defaults", ["exclude": true]))),
    Case(
      "a default that no route inherits", entry([["/": "/x", "caseSensitive": true]]),
      entry([["/": "/x", "caseSensitive": true]], ("defaults", ["caseSensitive": false]))),
    Case(
      "the defaults of Apple written out", entry([["/": "/x"]]),
      entry([
        [
          "#": "*", "?": "*", "/": "/x", "percentEncoded": true, "exclude": false,
          "caseSensitive": true,
        ]
      ])),
    Case(
      "an entry for two apps as two entries",
      ["details": [["appIDs": ["a", "b"], "components": [["/": "/x"], ["/": "/y"]]]]],
      [
        "details": [
          ["appIDs": ["a"], "components": [["/": "/x"], ["/": "/y"]]],
          ["appIDs": ["b"], "components": [["/": "/x"], ["/": "/y"]]],
        ]
      ]),
    Case(
      "an app's entry as two entries", entry([["/": "/x"], ["/": "/y"]]),
      [
        "details": [
          ["appIDs": ["a"], "components": [["/": "/x"]]],
          ["appIDs": ["a"], "components": [["/": "/y"]]],
        ]
      ]),
    Case(
      "appID for one of appIDs", entry([["/": "/x"]]),
      ["details": [["appID": "a", "components": [["/": "/x"]]]]]),
    Case(
      "keys in another order", entry([["/": "/x", "?": ["p": "1", "q": "2"]]]),
      ["details": [["components": [["?": ["q": "2", "p": "1"], "/": "/x"]], "appIDs": ["a"]]]]),
    Case(
      "values of a variable in another order",
      ["substitutionVariables": ["v": ["1", "2"]], "details": []],
      ["details": [], "substitutionVariables": ["v": ["2", "1", "2"]]]),
    Case(
      "the obsolete form", ["details": ["a": ["paths": ["/x", "NOT /y"]]]],
      ["apps": [], "details": [["appID": "a", "paths": ["/x", "NOT /y"]]]]),
  ]

  @Test(arguments: cases)
  func anotherFormOfTheSameMeaningIsNoChange(pair: Case) throws {
    for (from, to) in [(pair.one, pair.other), (pair.other, pair.one), (pair.one, pair.one)] {
      let comparison = try DocumentComparison(from: from, to: to)
      #expect(comparison.changes.map(\.text) == [])
      #expect(comparison.affectsLinks == false)
    }
  }

  @Test func otherFilesAreComparedToo() throws {
    for document: JSON in [[], "x", ["applinks": 5], ["applinks": ["details": [1, ["x": 2]]]]] {
      #expect(try DocumentComparison(from: document, to: document).isEmpty)
      #expect(try !DocumentComparison(from: document, to: [:]).isEmpty)
    }
  }
}
