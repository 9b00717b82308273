import Association
import Testing

/// What a diff says about Android's file and about passkeys.
@Suite struct StatementChangeTests {
  private static func changes(
    _ from: [DocumentKind: JSON], _ to: [DocumentKind: JSON]
  ) throws -> [DocumentChange] {
    try DomainComparison(
      of: DomainName("example.com"),
      from: DomainComparison.State(ReadDocuments(from), nil),
      to: DomainComparison.State(ReadDocuments(to), nil)
    ).changes
  }

  private static func texts(_ from: JSON?, _ to: JSON?) throws -> [String] {
    var (before, after): ([DocumentKind: JSON], [DocumentKind: JSON]) = ([:], [:])
    (before[.assetLinks], after[.assetLinks]) = (from, to)
    let changes = try changes(before, after)
    #expect(changes.allSatisfy { $0.document == .assetLinks })
    #expect(changes.allSatisfy { $0.json["document"] == "assetlinks.json" })
    return changes.map(\.text)
  }

  private static let other =
    "00:8B:E4:93:BF:67:34:99:B9:E3:D8:D0:5E:85:9B:65:E1:7E:C4:A5:47:F5:60:A5:FD:E5:94:D3:D1:0E:62:F3"

  private static func statement(
    _ relations: [String] = ["handle_all_urls"], package: String = StatementList.package,
    fingerprints: [String] = [StatementList.fingerprint]
  ) -> JSON {
    [
      "relation": .strings(relations.map { "delegate_permission/common.\($0)" }),
      "target": [
        "namespace": "android_app", "package_name": .string(package),
        "sha256_cert_fingerprints": .strings(fingerprints),
      ],
    ]
  }

  @Test func anAppThatComesOrGoesHasAnExample() throws {
    #expect(
      try Self.texts(nil, [Self.statement()]) == [
        "+ Android app com.example.shop added [https://example.com/ for com.example.shop: no-match → match]"
      ])
    #expect(
      try Self.texts(StatementList.rules([["/": "/a"]]), []) == [
        "- Android app com.example.shop removed [https://example.com/a for com.example.shop: match → no-match]"
      ])
    #expect(
      try Self.texts(
        [Self.statement(["get_login_creds"])], [Self.statement(["get_login_creds"], package: "a.b")]
      )
        == [
          "- Android app com.example.shop removed [no URL resolves differently]",
          "+ Android app a.b added [no URL resolves differently]",
        ])
  }

  @Test func relationsAndCertificatesAreNamed() throws {
    #expect(
      try Self.texts([Self.statement()], [Self.statement(["handle_all_urls", "get_login_creds"])])
        == ["+ relation delegate_permission/common.get_login_creds of com.example.shop added"])
    #expect(
      try Self.texts(
        [Self.statement()], [Self.statement(fingerprints: [StatementList.fingerprint, Self.other])])
        == ["+ fingerprint \(Self.other) of com.example.shop added"])
    #expect(
      try Self.texts([Self.statement(fingerprints: [Self.other])], [Self.statement()])
        == [
          "- fingerprint \(Self.other) of com.example.shop removed",
          "+ fingerprint \(StatementList.fingerprint) of com.example.shop added",
        ])
  }

  @Test func theSameInOtherStatementsIsNoChange() throws {
    let one: JSON = [Self.statement(["handle_all_urls", "get_login_creds"])]
    let two: JSON = [Self.statement(["get_login_creds"]), Self.statement()]
    let changes = try Self.texts(one, two)
    #expect(changes == ["~ the order of statements, or values that Android ignores, changed"])
    #expect(try Self.texts(one, one).isEmpty)
  }

  @Test func otherStatementsAreCompared() throws {
    let site: JSON = [
      "relation": ["delegate_permission/common.get_login_creds"],
      "target": ["namespace": "web", "site": "https://www.example.com"],
    ]
    #expect(
      try Self.texts([site, ["include": "https://a.b/c"]], [["x": 1]]) == [
        "- statement about the site \"https://www.example.com\" removed",
        "- include of \"https://a.b/c\" removed", "+ element that Android does not read added",
      ])
  }

  static let rules: [(JSON, JSON, [String])] = [
    (
      [["/": "/a"]], [["/": "/a"], ["/": "/b*"]],
      [#"+ rule for the path "/b*" added [https://example.com/b for P: no-match → match]"#]
    ),
    (
      [["/": "/a"], ["/": "*"]], [["/": "/a", "exclude": true], ["/": "*"]],
      [
        #"~ rule for the path "/a" changed to exclusion for the path "/a" [https://example.com/a for P: match → blocked]"#
      ]
    ),
    (
      [["/": "/a*", "exclude": true], ["/": "/ab"]],
      [["/": "/ab"], ["/": "/a*", "exclude": true]],
      [
        #"↕ exclusion for the path "/a*" moved from position 1 to 2 [https://example.com/ab for P: blocked → match]"#
      ]
    ),
    // No URL resolves differently.
    (
      [["/": "*"], ["/": "/a"]], [["/": "*"]],
      [#"- rule for the path "/a" removed [no URL resolves differently]"#]
    ),
    // What Android's star does not try again.
    (
      [["/": "/*/c"]], [["/": "/*/*/c"]],
      [
        #"~ rule for the path "/*/c" changed to rule for the path "/*/*/c" [https://example.com//c for P: match → no-match; https://example.com///c for P: no-match → match]"#
      ]
    ),
    (
      [["/": "/a"]], [["/": "/é", "?": ["v": "1"]]],
      [
        #"~ rule for the path "/a" changed to rule for the path "/é" and the query parameter "v=1" [https://example.com/a for P: match → no-match; https://example.com/%C3%A9?v=1 for P: no-match → match]"#
      ]
    ),
    (
      [["/": "/a", "comments": "x"]], [["/": "/a"]],
      ["~ the order of statements, or values that Android ignores, changed"]
    ),
  ]

  @Test(arguments: rules.indices)
  func aChangedRuleHasItsEffectOnLinks(index: Int) throws {
    let (from, to, expected) = Self.rules[index]
    let texts = try Self.texts(StatementList.rules(from), StatementList.rules(to))
    #expect(
      texts == expected.map { $0.replacing(" for P:", with: " for \(StatementList.package):") },
      "\(texts)")
  }

  @Test func withoutExamplesNothingIsSaidOfLinks() throws {
    let states = [StatementList.rules([["/": "/a"]]), StatementList.rules([["/": "/b"]]), []].map {
      DomainComparison.State(ReadDocuments([.assetLinks: $0]), nil)
    }
    for state in states.dropFirst() {
      let changes = try DomainComparison(
        of: DomainName("example.com"), from: states[0], to: state, findsExamples: false
      ).changes
      #expect(changes.map(\.affectsLinks) == [nil])
    }
  }

  @Test func rulesThatReplaceTheManifestAreOneChange() throws {
    #expect(
      try Self.texts([Self.statement()], StatementList.rules([["/": "/a"]])) == [
        "+ all 1 dynamic rule of com.example.shop added [https://example.com/ for com.example.shop: match → no-match]"
      ])
  }

  /// The matchers of both files confirm every example, and random small URLs what is said of all.
  @Test func whatIsSaidOfLinksHoldsForRandomURLs() throws {
    var generator = SeededGenerator(seed: 23)
    let pieces = ["/", "a", "b", "*", "?", "é", "."]
    let rule = { (generator: inout SeededGenerator) -> JSON in
      var rule: JSON.Object = ["/": .string("/" + generator.text(of: pieces, upTo: 4))]
      if generator.once(in: 3) {
        rule["?"] = ["v": .string("a" + generator.text(of: pieces, upTo: 2))]
      }
      if generator.once(in: 3) { rule["exclude"] = true }
      return .object(rule)
    }
    var different = 0
    for _ in 0..<200 {
      let from = (0..<3).map { _ in rule(&generator) }
      var to = from.shuffled(using: &generator)
      if generator.once(in: 2) { to[0] = rule(&generator) }
      let lists = (StatementList.rules(.array(from)), StatementList.rules(.array(to)))
      let changes = try Self.changes([.assetLinks: lists.0], [.assetLinks: lists.1])
      let (old, new) = (SlowAndroidMatcher(rules: from), SlowAndroidMatcher(rules: to))
      for example in changes.flatMap(\.examples) {
        try #require(
          old.resolve(example.url).resolution == example.before.rawValue
            && new.resolve(example.url).resolution == example.after.rawValue, "\(example)")
      }
      let isAffected = changes.contains { $0.affectsLinks != false }
      different += changes.contains { !$0.examples.isEmpty } ? 1 : 0
      for _ in 0..<100 where !isAffected {
        let url =
          "https://example.com/" + generator.text(of: ["/", "a", "b", ".", "%C3%A9", "x"], upTo: 5)
          + generator.pick(["", "?v=a", "?v=ab&v=aé"])
        try #require(
          old.resolve(url).resolution == new.resolve(url).resolution,
          "\(url) \(JSON.array(from).text) \(JSON.array(to).text)")
      }
    }
    #expect(different > 50)
  }

  @Test func originsAreCompared() throws {
    let changes = try Self.changes(
      [.webAuthn: ["origins": ["https://a.example", "https://b.example"]]],
      [.webAuthn: ["origins": ["https://b.example", "https://c.example"]]])
    #expect(
      changes.map(\.text) == [
        #"- origin "https://a.example" removed"#, #"+ origin "https://c.example" added"#,
      ])
    #expect(changes.allSatisfy { $0.document == .webAuthn && $0.affectsLinks == false })
    let empty: [DocumentKind: JSON] = [.webAuthn: ["origins": []]]
    #expect(try Self.changes([:], empty).map(\.text) == ["+ a file without origins added"])
    #expect(try Self.changes(empty, [:]).map(\.text) == ["- a file without origins removed"])
  }
}
