import Association
import Testing

/// The rules about entries, defaults and legacy paths.
@Suite struct DocumentRuleTests {
  private func resolve(_ applinks: JSON, _ rest: String, app: String? = nil) throws -> Resolution {
    let matcher = try Matcher(document: ["applinks": applinks])
    let scope = app.map(matcher.scope(of:)) ?? matcher.everyEntry
    return try matcher.resolve("https://example.com" + rest, in: scope).resolution
  }

  private func route(_ matcher: Matcher, _ rest: String) throws -> String? {
    try matcher.explain("https://example.com" + rest, in: matcher.everyEntry).route?.description
  }

  @Test func theFirstMatchingRouteDecides() throws {
    let applinks: JSON = [
      "details": [
        ["appID": "a", "components": [["/": "/x/1", "exclude": true], ["/": "/x/*"]]],
        ["appID": "a", "components": [["/": "/x/2", "exclude": true], ["/": "/y"]]],
      ]
    ]
    #expect(try resolve(applinks, "/x/1") == .blocked)
    #expect(try resolve(applinks, "/x/2", app: "a") == .match)
    #expect(try resolve(applinks, "/y", app: "a") == .match)
    #expect(try resolve(applinks, "/z", app: "a") == .noMatch)
  }

  @Test func anExclusionEndsTheSearchAcrossTheEntriesOfAnApp() throws {
    let applinks: JSON = [
      "details": [
        ["appID": "a", "components": [["/": "/x", "exclude": true]]],
        ["appID": "b", "components": [["/": "*"]]],
        ["appID": "a", "components": [["/": "*"]]],
      ]
    ]
    #expect(try resolve(applinks, "/x", app: "a") == .blocked)
    #expect(try resolve(applinks, "/x", app: "b") == .match)
    #expect(try resolve(applinks, "/y", app: "a") == .match)
  }

  static let entries: [(JSON, [String])] = [
    (["appIDs": ["a"], "appID": "b", "components": [[:]]], ["a"]),
    (["appIDs": [], "appID": "b", "components": [[:]]], []),
    (["appIDs": "a", "appID": "b", "components": [[:]]], ["b"]),
    (["appIDs": ["a", 1, "b", "a"], "components": [[:]]], ["a", "b"]),
    (["appID": ["a"], "components": [[:]]], []),
  ]

  @Test(arguments: entries)
  func appIDsWinOverAppID(entry: JSON, apps: [String]) throws {
    let matcher = try Matcher(document: ["applinks": ["details": [entry]]])
    #expect(matcher.scopes.map(\.app) == apps)
  }

  @Test func appsAreInTheOrderOfFirstAppearance() throws {
    let matcher = try Matcher(document: [
      "applinks": [
        "details": [
          ["appIDs": ["b", "a"], "components": [["/": "/x"]]],
          ["appIDs": ["c", "b", "d"], "components": [["/": "/y"]]],
        ]
      ]
    ])
    #expect(matcher.scopes.map(\.app) == ["b", "a", "c", "d"])
    var budget = MatchingBudget()
    let onY = try matcher.explanations(for: "https://example.com/y", budget: &budget)
    #expect(onY.map(\.resolution) == [.match, .noMatch, .match, .match])
    #expect(onY.map(\.app) == ["b", "a", "c", "d"])
    let onX = try matcher.explanations(for: "https://example.com/x", budget: &budget)
    #expect(onX.map(\.resolution) == [.match, .match, .noMatch, .noMatch])
  }

  @Test func componentsReplacePaths() throws {
    let both: JSON = ["appID": "a", "paths": ["/old"], "components": [["/": "/new"]]]
    #expect(try resolve(["details": [both]], "/old") == .noMatch)
    #expect(try resolve(["details": [both]], "/new") == .match)
    let empty: JSON = ["appID": "a", "paths": ["/old"], "components": []]
    #expect(try resolve(["details": [empty]], "/old") == .noMatch)
    let wrong: JSON = ["appIDs": ["a"], "paths": ["/old"], "components": "/new"]
    #expect(try resolve(["details": [wrong]], "/old", app: "a") == .match)
  }

  @Test func theMoreSpecificDefaultWinsKeyByKey() throws {
    let applinks: JSON = [
      "defaults": ["caseSensitive": false, "/": "/d/*", "?": ["a": "1"], "exclude": true],
      "details": [
        [
          "appID": "a", "defaults": ["/": "/e/*", "exclude": false],
          "components": [
            ["#": "1", "caseSensitive": true], ["#": "2", "/": "/r", "exclude": true],
            ["#": "3", "?": ["b": "2"]], ["#": "4", "?": ["b": true]], ["#": "5", "/": 5],
          ],
        ],
        ["appID": "b", "components": [["#": "6"]]],
      ],
    ]
    #expect(try resolve(applinks, "/e/x?a=1#1") == .match)
    #expect(try resolve(applinks, "/E/x?a=1#1") == .noMatch)
    #expect(try resolve(applinks, "/R?a=1#2") == .blocked)
    #expect(try resolve(applinks, "/e?b=2#3") == .match)
    #expect(try resolve(applinks, "/e?b=3#3") == .noMatch)
    #expect(try resolve(applinks, "/e?b=3#4") == .match)
    #expect(try resolve(applinks, "/E/5?a=1#5") == .match)
    #expect(try resolve(applinks, "/d?A=1#6") == .blocked)
  }

  static let legacyPaths: [([String], String, Resolution)] = [
    (["/a/*", "NOT /a/b"], "/a/b", .match), (["NOT /a/b", "/a/*"], "/a/b", .blocked),
    (["not /a"], "/a", .noMatch), (["NOT/a"], "/a", .noMatch), (["NOT  /a"], "/a", .noMatch),
    (["/a"], "/a?b#c", .match), (["/a?b=1"], "/a?b=1", .noMatch), (["/a?b"], "/axb", .match),
    (["/A"], "/a", .noMatch), (["/$(digit)"], "/1", .noMatch), (["/$(digit)"], "/$(digit)", .match),
    (["/a/"], "/a", .match), (["/a/*"], "/a", .match), (["a"], "/a", .match),
    (["https://example.com/a"], "/a", .noMatch), (["*"], "", .match),
    (["NOT *", "*"], "/", .blocked),
  ]

  @Test(arguments: legacyPaths)
  func aLegacyPathMatchesThePathAlone(paths: [String], rest: String, expected: Resolution) throws {
    let applinks: JSON = [
      "defaults": ["caseSensitive": false, "?": "x", "exclude": true],
      "details": [["appID": "a", "paths": .strings(paths)]],
    ]
    #expect(try resolve(applinks, rest) == expected)
  }

  @Test func detailsMayBeAnObject() throws {
    let matcher = try Matcher(document: [
      "applinks": ["details": ["a/b": ["paths": ["NOT /x", "*"]], "c": 1, "d": ["paths": "*"]]]
    ])
    #expect(matcher.scopes.map(\.app) == ["a/b", "d"])
    #expect(try route(matcher, "/y") == "/applinks/details/a~1b/paths/1")
  }

  @Test func theDecidingRouteIsNamedByItsPlaceInTheFile() throws {
    let matcher = try Matcher(document: [
      "applinks": ["details": [1, ["appID": "a", "components": ["x", ["/": "/x"], [:]]]]]
    ])
    #expect(try route(matcher, "/x") == "/applinks/details/1/components/1")
    #expect(try route(matcher, "/y") == "/applinks/details/1/components/2")
  }

  @Test(
    arguments: [
      .null, 1, [], "x", [:], ["applinks": 1], ["applinks": ["details": "x"]],
      ["applinks": ["details": [["appID": "a"]], "defaults": [], "substitutionVariables": []]],
      ["Applinks": ["details": [["appID": "a", "components": [[:]]]]]],
      ["webcredentials": ["apps": ["a"]]],
    ] as [JSON])
  func aDocumentWithoutRoutesMatchesNothing(document: JSON) throws {
    let matcher = try Matcher(document: document)
    let explanation = try matcher.explain("https://example.com/", in: matcher.everyEntry)
    #expect(explanation.resolution == .noMatch)
    #expect(explanation.closest == nil)
  }

  @Test func routesThatBeginWithOneVariableDoNotDisturbEachOther() throws {
    let applinks: JSON = [
      "substitutionVariables": ["v": ["*", "aa"]],
      "details": [
        [
          "appID": "a",
          "components": [["/": "$(v)/x"], ["/": "/$(v)?"], ["/": "/", "exclude": true]],
        ]
      ],
    ]
    #expect(try resolve(applinks, "/b/x") == .match)
    #expect(try resolve(applinks, "/x") == .match)
    #expect(try resolve(applinks, "/") == .blocked)
  }

  @Test func unknownKeysDoNotCount() throws {
    let route: JSON = ["/": "/x", "Exclude": true, "path": "/y"]
    #expect(try resolve(["details": [["appID": "a", "components": [route]]]], "/x") == .match)
    let other: JSON = ["Path": "/y"]
    #expect(try resolve(["details": [["appID": "a", "components": [other]]]], "/x") == .match)
  }
}
