import Association
import Testing

/// The kinds of changes, each in a document of one entry for one app.
@Suite struct ChangeTests {
  private static func document(_ routes: JSON, _ more: (String, JSON)...) -> JSON {
    var applinks: JSON.Object = ["details": [["appIDs": ["a"], "components": routes]]]
    for (key, value) in more { applinks[key] = value }
    return ["applinks": .object(applinks)]
  }

  private func changes(_ from: JSON, _ to: JSON) throws -> [String] {
    try DocumentComparison(from: from, to: to).changes.map(\.text)
  }

  @Test func anAddedRouteShowsAURLThatOpensTheAppNow() throws {
    #expect(
      try changes(Self.document([["/": "/x"]]), Self.document([["/": "/x"], ["/": "/y/*"]])) == [
        #"+ route "/y/*" added [https://example.com/y for a: no-match → match]"#
      ])
  }

  @Test func aRemovedRouteShowsAURLThatNoLongerOpensTheApp() throws {
    #expect(
      try changes(Self.document([["/": "/x"], ["/": "/y/*"]]), Self.document([["/": "/x"]])) == [
        #"- route "/y/*" removed [https://example.com/y for a: match → no-match]"#
      ])
  }

  @Test func swappingTwoRoutesIsAMove() throws {
    let exclusion: JSON = ["/": "/x/1", "exclude": true]
    let route: JSON = ["/": "/x/*"]
    #expect(
      try changes(Self.document([exclusion, route]), Self.document([route, exclusion])) == [
        #"↕ exclusion "/x/1" moved from position 1 to 2, to the end [https://example.com/x/1 for a: blocked → match]"#
      ])
  }

  @Test func aMoveShowsEveryRouteThatItHides() throws {
    let help: JSON = ["/": "/help", "exclude": true]
    let new: JSON = ["/": "/new", "exclude": true]
    let admin: JSON = ["/": "/admin", "exclude": true]
    let all: JSON = ["/": "/*"]
    #expect(
      try changes(Self.document([help, new, all]), Self.document([admin, all, help, new])) == [
        #"+ exclusion "/admin" added [https://example.com/admin for a: match → blocked]"#,
        #"↕ route "/*" moved from position 3 to 2, before exclusion "/help""#
          + " [https://example.com/new for a: blocked → match;"
          + " https://example.com/help for a: blocked → match]",
      ])
  }

  @Test func aMoveMayAffectNoLink() throws {
    let comparison = try DocumentComparison(
      from: Self.document([["/": "/x"], ["/": "/y"]]),
      to: Self.document([["/": "/y"], ["/": "/x"]]))
    #expect(comparison.changes.map(\.kind) == [.moved])
    #expect(comparison.affectsLinks == false)
  }

  static let edits: [(JSON, JSON, String)] = [
    (
      ["/": "/buy/*"], ["/": "/shop/*"],
      #"path from "/buy/*" to "/shop/*" [https://example.com/buy for a: match → no-match;"#
        + " https://example.com/shop for a: no-match → match]"
    ),
    (
      ["/": "/buy/*"], ["/": "/buy/*", "exclude": true],
      "now an exclusion [https://example.com/buy for a: match → blocked]"
    ),
    (
      ["/": "/buy"], ["/": "/buy", "caseSensitive": false],
      "no longer case-sensitive [https://example.com/BUY for a: no-match → match]"
    ),
    (
      ["/": "/b"], ["/": "/b", "percentEncoded": false],
      "now compared with the decoded URL [https://example.com/%62 for a: no-match → match]"
    ),
    (
      ["/": "/b"], ["/": "/b", "?": ["n": "1"]],
      #"query from "*" to {"n":"1"} [https://example.com/b for a: match → no-match]"#
    ),
    (
      ["/": "/b", "#": "top"], ["/": "/b"],
      ##"fragment from "top" to "*" [https://example.com/b for a: no-match → match]"##
    ),
    (["/": "/b/"], ["/": "/b"], #"path from "/b/" to "/b" [no URL resolves differently]"#),
  ]

  @Test(arguments: edits)
  func anEditedRouteIsOneChangeWithAnExample(before: JSON, after: JSON, words: String) throws {
    let others: [JSON] = [["/": "/first"], ["/": "/last"]]
    let comparison = try DocumentComparison(
      from: Self.document(.array([others[0], before, others[1]])),
      to: Self.document(.array([others[0], after, others[1]])))
    #expect(comparison.changes.map(\.kind) == [.changed])
    #expect(comparison.changes.first?.text.hasSuffix("changed: " + words) == true)
    #expect(comparison.changes.first?.from?.description == "/applinks/details/0/components/1")
  }

  @Test func anEditBehindAWiderRouteAffectsNoLink() throws {
    let comparison = try DocumentComparison(
      from: Self.document([["/": "/x/*"], ["/": "/x/1"]]),
      to: Self.document([["/": "/x/*"], ["/": "/x/2"]]))
    #expect(comparison.changes.map(\.kind) == [.changed])
    #expect(comparison.affectsLinks == false)
  }

  @Test func aDefaultIsShownWithTheRoutesThatItChanges() throws {
    let routes: JSON = [["/": "/x"], ["/": "/y", "caseSensitive": true]]
    let from = Self.document(routes)
    let to = Self.document(routes, ("defaults", ["caseSensitive": false]))
    #expect(
      try changes(from, to) == [
        #"+ default "caseSensitive" added: false"#
          + " [https://example.com/X for a: no-match → match]",
        #"~ route "/x" changed: no longer case-sensitive [https://example.com/X for a: no-match → match]"#,
      ])
  }

  @Test func aVariableIsShownWithTheRoutesThatMatchOtherURLs() throws {
    let routes: JSON = [["/": "/$(v)"], ["/": "/x", "?": "$(v)", "#": "$(undefined)"]]
    let from = Self.document(routes, ("substitutionVariables", ["v": ["1"]]))
    let to = Self.document(routes, ("substitutionVariables", ["v": ["1", "2"]]))
    #expect(
      try changes(from, to) == [
        #"~ variable "v" changed: added ["2"] [https://example.com/2 for a: no-match → match]"#,
        #"~ route "/$(v)" changed: one of its variables changed"#
          + " [https://example.com/2 for a: no-match → match]",
      ])
  }

  @Test func aVariableThatNoRouteNamesAffectsNoLink() throws {
    let from = Self.document([["/": "/x"]])
    let to = Self.document([["/": "/x"]], ("substitutionVariables", ["v": ["1"]]))
    #expect(try changes(from, to) == [#"+ variable "v" added [no URL resolves differently]"#])
  }

  @Test func aCommentIsAChangeThatAffectsNoLink() throws {
    let from = Self.document([["/": "/x", "comment": "old"]])
    let to = Self.document([["/": "/x", "comment": "new"]])
    let comparison = try DocumentComparison(from: from, to: to)
    #expect(
      comparison.changes.map(\.text) == [
        #"~ comment of route "/x" changed: from "old" to "new""#
      ])
    #expect(comparison.affectsLinks == false)
  }

  @Test func ignoredValuesAreChangesThatAffectNoLink() throws {
    var to = Self.document([["/": "/x", "exclude": "true", "note": 1]]).objectValue ?? [:]
    to["vendor"] = ["x": 1]
    let comparison = try DocumentComparison(from: Self.document([["/": "/x"]]), to: .object(to))
    #expect(
      comparison.changes.map { $0.to?.description } == [
        "/applinks/details/0/components/0/exclude", "/applinks/details/0/components/0/note",
        "/vendor",
      ])
    #expect(comparison.changes.allSatisfy { $0.what == .extra && $0.kind == .added })
    #expect(comparison.affectsLinks == false)
  }

  @Test func aLegacyPathIsARoute() throws {
    let document = { (paths: JSON) -> JSON in
      ["applinks": ["apps": [], "details": [["appID": "a", "paths": paths]]]]
    }
    #expect(
      try changes(document(["/x/*"]), document(["NOT /x/1", "/x/*"])) == [
        #"+ exclusion "/x/1" added [https://example.com/x/1 for a: match → blocked]"#
      ])
    #expect(
      try changes(document(["/x"]), Self.document([["/": "/x"]])) == [
        #"~ route "/x" changed: now in `components` [no URL resolves differently]"#
      ])
  }

  @Test func pathsNextToComponentsAreForOldSystems() throws {
    let document = { (paths: JSON) -> JSON in
      [
        "applinks": [
          "details": [["appID": "a", "components": [["/": "/x"]], "paths": paths]]
        ]
      ]
    }
    let comparison = try DocumentComparison(from: document(["/x"]), to: document(["/y"]))
    #expect(comparison.changes.map(\.what) == [.legacyPaths])
    #expect(comparison.affectsLinks == nil)
  }

  @Test func aSummaryCannotMoveTheCursor() throws {
    let from = Self.document([["/": "/x"]])
    let to = Self.document([["/": "/x\u{1B}[2J\u{202E}\u{85}"]])
    let texts = try DocumentComparison(from: from, to: to).changes.map(\.text)
    #expect(
      !texts.joined().unicodeScalars.contains { "\u{1B}\u{202E}\u{85}".unicodeScalars.contains($0) }
    )
  }
}
