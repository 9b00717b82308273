import Association
import Testing

/// Changes of apps, and what changes of shared entries say of several apps.
@Suite struct AppChangeTests {
  private func entry(_ apps: [String], _ paths: String...) -> JSON {
    let routes = paths.map { JSON.object(["/": .string($0)]) }
    return ["appIDs": .strings(apps), "components": .array(routes)]
  }

  private func changes(_ from: [JSON], _ to: [JSON]) throws -> [String] {
    try DocumentComparison(
      from: ["applinks": ["details": .array(from)]], to: ["applinks": ["details": .array(to)]]
    ).changes.map(\.text)
  }

  @Test func anAppIsAddedAndRemovedWithItsRoutes() throws {
    let one = [entry(["a"], "/x")]
    let two = [entry(["a"], "/x"), entry(["b"], "/y", "/z")]
    #expect(
      try changes(one, two) == [
        "+ app b added, with 2 routes [https://example.com/y for b: no-match → match]"
      ])
    #expect(
      try changes(two, one) == [
        "- app b removed, with 2 routes [https://example.com/y for b: match → no-match]"
      ])
  }

  @Test func anotherIdentifierForTheSameRoutesIsAChangedApp() throws {
    #expect(
      try changes([entry(["a", "b"], "/x", "/y")], [entry(["a", "c"], "/x", "/y")]) == [
        "~ app b renamed to c, with 2 routes [https://example.com/x for b: match → no-match]"
      ])
  }

  @Test func aRouteOfARenamedAppIsStillCompared() throws {
    #expect(
      try changes([entry(["b"], "/x", "/y")], [entry(["c"], "/x", "/z")]) == [
        "~ app b renamed to c, with 2 routes [https://example.com/x for b: match → no-match]",
        #"~ route "/y" changed: path from "/y" to "/z" [https://example.com/y for b: match → no-match;"#
          + " https://example.com/z for c: no-match → match]",
      ])
  }

  @Test func aRouteOfASharedEntryIsOneChangeForAllItsApps() throws {
    let from = [entry(["a", "b", "c"], "/x"), entry(["b"], "/y")]
    let to = [entry(["a", "b", "c"], "/z"), entry(["b"], "/y")]
    let comparison = try DocumentComparison(
      from: ["applinks": ["details": .array(from)]], to: ["applinks": ["details": .array(to)]])
    #expect(comparison.changes.map(\.kind) == [.changed])
    #expect(comparison.changes.map { Set($0.apps) } == [["a", "b", "c"]])
  }

  @Test func reorderedAppsAreAMove() throws {
    let entries = [entry(["a"], "/x"), entry(["b"], "/y"), entry(["c"], "/z")]
    #expect(
      try changes(entries, [entries[2], entries[0], entries[1]]) == [
        "↕ app c moved in the order of apps"
      ])
  }

  @Test func anEntryWithoutAnAppAffectsNoLink() throws {
    let comparison = try DocumentComparison(
      from: ["applinks": ["details": []]],
      to: ["applinks": ["details": [["components": [["/": "/x"]]]]]])
    #expect(comparison.changes.map(\.what) == [.route])
    #expect(comparison.affectsLinks == false)
  }

  @Test func appsOfOtherServicesAreComparedWithoutOrder() throws {
    let comparison = try DocumentComparison(
      from: ["webcredentials": ["apps": ["a", "b"]], "appclips": ["apps": []]],
      to: ["webcredentials": ["apps": ["c", "a"]]])
    #expect(
      comparison.changes.map(\.text) == [
        "- webcredentials app b removed", "+ webcredentials app c added",
      ])
    #expect(comparison.affectsLinks == false)
  }

  @Test func theJSONNamesKindPlacesValuesAndExample() throws {
    let comparison = try DocumentComparison(
      from: ["applinks": ["details": [entry(["a"], "/x")]]],
      to: ["applinks": ["details": [entry(["a"], "/y")]]], domain: "shop.example")
    #expect(
      comparison.changes.map(\.json) == [
        [
          "kind": "changed", "what": "route", "from": "/applinks/details/0/components/0",
          "to": "/applinks/details/0/components/0", "before": ["/": "/x"],
          "after": ["/": "/y"], "apps": ["a"],
          "summary": #"route "/x" changed: path from "/x" to "/y""#, "affectsLinks": true,
          "example": [
            "url": "https://shop.example/x", "platform": "ios", "app": "a", "before": "match",
            "after": "no-match",
          ],
          "moreExamples": [
            [
              "url": "https://shop.example/y", "platform": "ios", "app": "a",
              "before": "no-match", "after": "match",
            ]
          ],
        ]
      ])
  }
}
