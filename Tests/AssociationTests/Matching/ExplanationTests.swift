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

  /// Routes that a URL misses by one thing, and what an explanation says of it.
  private static let nearMisses: [(component: JSON, url: String, says: String)] = [
    (
      ["/": "/Gift/*"], "/gift/1",
      "Only the case of letters differs. To ignore it, set `caseSensitive`"
    ),
    (["/": "/gift", "?": ["Code": "?*"]], "/gift?code=1", "Only the case of letters differs."),
    (["/": "/gift", "#": "Top"], "/gift#top", "Only the case of letters differs."),
    (
      ["/": "/na%C3%AFve"], "/na%c3%afve",
      "\"https://example.com/na%C3%AFve\". The hexadecimal digits of escapes are compared with regard to case."
    ),
    (["/": "/na%c3%afve"], "/na%C3%AFve", "The hexadecimal digits"),
    (["/": "Gift/*"], "/gift/1", "Only the case of letters differs."),
    (["/": "/a%3Fb&*"], "/a%3Fb%26c", "would match \"https://example.com/a%3Fb&c\"."),
    (
      ["/": "/aA", "percentEncoded": false], "/a%2541",
      "Devices decode the URL once, and the pattern not at all."
    ),
    (
      ["/": "/gift", "?": ["a": "1"]], "/gift?a=1&a=2",
      "match \"https://example.com/gift?a=1\". Every query item named \"a\" must match its pattern."
    ),
    (
      ["/": "/gift/*/x"], "/gift/\(String(repeating: "x", count: 90))/x/1",
      "match the same URL without \"/1\" at the end of its path."
    ),
    (["/": "/$(lang)/sale/*"], "/en-US/sale/1", "none of the variable's values."),
    (["/": "/p/$(digit)"], "/p/12", "none of the variable's values."),
    (["/": "/p/$(digit)"], "/p/1/2", "Add a route `/p/$(digit)/*`."),
    (["/": "/na%C3%AFve"], "/naïve", "browsers write it like this."),
    (["/": "/naïve"], "/na%C3%AFve", "percent-encode the pattern"),
    (["/": "/gift"], "/%67ift", "its escapes are not decoded"),
    (["/": "/gift"], "//gift", "compared one by one."),
    (
      ["/": "/gift"], "/gift/1/2",
      "match \"https://example.com/gift\". It does not cover what is below that path. Add a route `/gift/*`."
    ),
    (["/": "/gift"], "/de/gift", "add a route with \"/de\" in front."),
    // As routers in pages write them.
    (
      ["/": "/gift/*"], "/#/gift/1",
      "match \"https://example.com/gift/1\". What comes after `#` is not part of the path: compare it in `#`, as in "
        + "`{\"#\": \"/gift/*\"}`."
    ),
    (["/": "/gift/*"], "/#!/gift/1", "as in `{\"#\": \"!/gift/*\"}`."),
    (["/": "/gift"], "/index.html#!/gift", "match \"https://example.com/gift\"."),
    (
      ["/": "/gift/*"], "/click?u=1&to=https%3A%2F%2Fexample.com%2Fgift%2F1",
      "match \"https://example.com/gift/1\". Devices decide by the URL that is tapped, and not by one in its query."
    ),
    (
      ["/": "/gift/*"], "/l?to=https://example.com/gift/\(String(repeating: "x", count: 90))",
      "match the same URL that its query has. Devices decide"
    ),
    (
      ["/": "/"], "/gift",
      "match \"https://example.com/\". It does not cover what is below that path. Add a route `/*`."
    ),
    (["/": "/gift", "?": "a=1&b=2"], "/gift?b=2&a=1", "A text compares the whole query."),
    (
      ["/": "/gift", "?": "a=?"], "/gift?a=1&utm_source=x",
      "match \"https://example.com/gift?a=1\". A text"
    ),
  ]

  @Test(arguments: nearMisses.indices)
  func aRouteThatAURLMissesByOneThingIsNamed(index: Int) throws {
    let (component, url, says) = Self.nearMisses[index]
    // The first route would be the closest one otherwise.
    let components: JSON = .array([["/": "/other/*"], component])
    let matcher = try Matcher(document: [
      "applinks": [
        "details": [
          [
            "appIDs": ["ABCDE12345.com.example"],
            "components": url == "/gift" ? .array([component]) : components,
          ]
        ]
      ]
    ])
    let explanation = try matcher.explain("https://example.com" + url, in: matcher.everyEntry)
    #expect(explanation.resolution == .noMatch)
    #expect(explanation.closest?.description.hasSuffix(url == "/gift" ? "/0" : "/1") == true)
    #expect(explanation.reason.contains(says), "\(explanation.reason)")
  }

  @Test(arguments: ["/p/$(digit", "/p/$(unknown)"])
  func aVariableWithoutValuesIsNotSaidToHaveOthers(path: String) throws {
    let reason = try Self.reason(["components": [["/": .string(path)]]], "/p/12")
    #expect(!reason.contains("variable's values"), "\(reason)")
  }

  /// The document of one site says nothing about another one.
  @Test func aURLOfAnotherSiteInTheQueryIsNotNamed() throws {
    let matcher = try Matcher(document: [
      "applinks": [
        "details": [["appIDs": ["ABCDE12345.com.example"], "components": [["/": "/gift/*"]]]]
      ]
    ])
    for (url, isNamed) in [
      ("https://facebook.com/gift/1", false), ("https://example.com.b.example/gift/1", false),
      ("https://EXAMPLE.com/gift/1", true),
    ] {
      let explanation = try matcher.explain(
        "https://example.com/login?next=\(url)", in: matcher.everyEntry)
      #expect(explanation.reason.contains("It would match") == isNamed, "\(explanation.reason)")
    }
  }

  @Test func anotherFragmentIsNoPath() throws {
    for url in ["/#gift", "/#", "/#top/gift"] {
      #expect(try !explain(url).reason.contains("no part of the path"), "\(url)")
    }
  }

  @Test func anExclusionThatAURLMissesIsNoNearMiss() throws {
    let matcher = try Matcher(document: [
      "applinks": [
        "details": [
          [
            "appIDs": ["ABCDE12345.com.example"],
            "components": [["/": "/Gift/*", "exclude": true], ["/": "/x"]],
          ]
        ]
      ]
    ])
    let explanation = try matcher.explain("https://example.com/gift/1", in: matcher.everyEntry)
    #expect(!explanation.reason.contains("case"), "\(explanation.reason)")
  }

  /// A near miss costs what it takes, so a document and URLs that are made to take long get fewer.
  @Test(arguments: [
    (1000, "/" + String(repeating: "x", count: 200)),
    (0, "/" + String(repeating: "x/", count: 4000)),
  ])
  func lookingForNearMissesEndsWithItsBudget(routes: Int, path: String) throws {
    let long = (0..<routes).map { _ in ["/": .string("/Gift" + path + "2")] as JSON }
    let matcher = try Matcher(document: [
      "applinks": [
        "details": [
          [
            "appIDs": ["ABCDE12345.com.example"],
            "components": .array([["/": "/Gift"]] + long),
          ]
        ]
      ]
    ])
    var budget = MatchingBudget(steps: 1_000_000_000)
    func explain(_ path: String) throws -> String {
      try matcher.explain(
        "https://example.com\(path)".utf8.span, in: matcher.everyEntry, budget: &budget
      ).reason
    }
    #expect(try explain("/gift").contains("Only the case"))
    for _ in 0..<40 { _ = try explain("/gift" + path + "1") }
    #expect(try explain("/gift").hasSuffix("which requires path \"/Gift\"."))
  }

  @Test(arguments: ["www.example.com", "example.com"])
  func aNeighbourOfTheDomainNeedsTheFileItself(domain: String) throws {
    let host = domain == "example.com" ? "www.example.com" : "example.com"
    var budget = MatchingBudget()
    let explanation = try matcher.explain(
      "https://\(host)/buy".utf8.span, in: matcher.everyEntry, domain: domain, budget: &budget)
    let isBelow = domain == "example.com"
    #expect(
      explanation.reason.hasSuffix(
        " Each name needs the file, and an entry of its own in the app"
          + (isBelow ? ", unless the app names `*.example.com`." : ".")), "\(explanation.reason)")
    let above = try matcher.explain(
      "https://com/buy".utf8.span, in: matcher.everyEntry, domain: domain, budget: &budget)
    #expect(above.reason.hasSuffix("not for the host \"com\"."))
    let other = try matcher.explain(
      "https://example.org/buy".utf8.span, in: matcher.everyEntry, domain: domain, budget: &budget)
    #expect(other.reason.hasSuffix("not for the host \"example.org\"."))
  }

  // MARK: - What people overlook

  private static func reason(_ entry: JSON, _ path: String) throws -> String {
    var members = entry.objectValue ?? [:]
    members["appID"] = "ABCDE12345.com.example"
    let matcher = try Matcher(document: ["applinks": ["details": [.object(members)]]])
    return try matcher.explain("https://example.com\(path)", in: matcher.everyEntry).reason
  }

  @Test(
    arguments: [
      (["paths": ["*", "NOT /admin/*"]], "/admin/1", "/applinks/details/0/paths/1"),
      (
        ["components": [["/": "/a/*"], ["/": "/b"], ["/": "/a/x", "exclude": true]]], "/a/x",
        "/applinks/details/0/components/2"
      ),
    ] as [(JSON, String, String)])
  func anExclusionThatComesTooLateIsNamed(entry: JSON, path: String, pointer: String) throws {
    let reason = try Self.reason(entry, path)
    #expect(
      reason.hasSuffix(
        " The later exclusion \(pointer) matches it, too, but the first match decides. To keep the URL in the browser,"
          + " move the exclusion before this route."), "\(reason)")
  }

  @Test(arguments: [
    ("/Admin/1", true), ("/admin/1", false), ("/shop", false), ("/OTHER/1", false),
  ])
  func anExclusionInOtherLettersIsNamed(path: String, isNamed: Bool) throws {
    let reason = try Self.reason(["paths": ["NOT /admin/*", "/other/*", "*"]], path)
    let sentence =
      "The exclusion /applinks/details/0/paths/0 is written with other capital or small letters"
    #expect(reason.contains(sentence) == isNamed, "\(reason)")
  }

  @Test func aRouteThatDemandsNothingIsTold() throws {
    let reason = try Self.reason(["components": [["/": "/a", "?": ["v": "*"]]]], "/a")
    #expect(reason.contains("also matches what is missing"), "\(reason)")
  }

  @Test(
    arguments: [
      (["paths": ["*", "NOT /admin/*"]], "/shop"), (["paths": ["NOT /a/*", "*"]], "/a/1"),
      (["paths": ["NOT /a/*", "/b"]], "/b"),
    ] as [(JSON, String)])
  func anotherExclusionIsNotNamed(entry: JSON, path: String) throws {
    #expect(try !Self.reason(entry, path).contains("later exclusion"))
  }

  @Test(
    arguments: [
      (["?": ["web": "*"]], "/a", "In a query, `*` also matches what is missing"),
      (["#": "*"], "/a", "In a fragment, `*` also matches what is missing"),
      (["?": ["web": "*"]], "/a?b=1", nil), (["?": ["web": "?*"]], "/a?web=1", nil),
      (["/": "/a"], "/a", nil), (["#": "*"], "/a#b", nil),
    ] as [(JSON, String, String?)])
  func aStarThatDemandsNothingIsTold(condition: JSON, path: String, words: String?) throws {
    var exclusion = condition.objectValue ?? [:]
    exclusion["exclude"] = true
    let reason = try Self.reason(["components": [.object(exclusion), ["/": "*"]]], path)
    #expect(reason.contains("an exclusion for"), "\(reason)")
    #expect(reason.contains(words ?? "what is missing") == (words != nil), "\(reason)")
  }

  @Test(arguments: [
    ("/shop?id=*", "/shop?id=1", "the query is no part of it: compare \"?id=\""),
    ("/#/reset", "/#/reset", "`#` and what follows it are no part of a path."),
    ("/user/:id", "/user/1", "\":id\" stands for itself"),
    ("https://example.com/a/*", "/a/1", "without scheme and host"),
    ("/a/*, /b/*", "/b/1", "2 paths in one text"), ("/shop/*", "/other", nil),
  ])
  func aPathInAnotherSyntaxIsExplained(pattern: String, path: String, words: String?) throws {
    let reason = try Self.reason(["paths": [.string(pattern)]], path)
    #expect(reason.hasPrefix("No route matches."), "\(reason)")
    if let words {
      #expect(reason.contains(words), "\(reason)")
    } else {
      #expect(reason.hasSuffix("which requires path \"/shop/*\"."), "\(reason)")
    }
  }

  /// One for more URLs is the rest that stays in the browser, as it should.
  @Test(arguments: [("/a/private/*", true), ("*", false), ("/*", false)])
  func onlyALaterExclusionForFewerURLsIsNamed(path: String, isNamed: Bool) throws {
    let reason = try Self.reason(["paths": ["/a/*", .string("NOT \(path)")]], "/a/private/1x")
    #expect(reason.contains("The later exclusion") == isNamed, "\(reason)")
  }
}
