import Association
import Testing

@Suite struct AndroidMatcherTests {
  private func explanation(
    _ list: JSON, _ url: String = "https://example.com/a", app: String? = StatementList.package,
    domain: String? = nil
  ) throws -> Explanation {
    try AndroidMatcher(AssetLinks(list)).explain(url, for: app, domain: domain)
  }

  private func statement(_ relation: String, _ more: (String, JSON)...) -> JSON {
    var object: JSON.Object = ["relation": [.string(relation)], "target": StatementList.target]
    for (key, value) in more { object[key] = value }
    return .object(object)
  }

  @Test func withoutRulesTheManifestAloneDecides() throws {
    let explanation = try explanation([statement(StatementList.relation)])
    #expect(explanation.resolution == .match)
    #expect(explanation.route?.description == "/0")
    #expect(
      explanation.reason
        == "The statement /0 has no dynamic rules, so every URL that the app's manifest "
        + "names opens the app.")
  }

  @Test func aMalformedRuleIsNamed() throws {
    let explanation = try explanation(StatementList.rules([["/": "/b"], ["/": ""]]))
    #expect(explanation.resolution == .match)
    #expect(
      explanation.reason.contains(
        " drops the dynamic rules of /0 because of /0/relation_extensions/delegate_permission~1common"
          + ".handle_all_urls/dynamic_app_link_components/1/~1, "), "\(explanation.reason)")
  }

  @Test func theReasonNamesTheRuleOrTheClosestOne() throws {
    let rules = StatementList.rules([["/": "/b"], ["/": "/a", "?": ["k": "v"], "exclude": true]])
    let place =
      "/0/relation_extensions/delegate_permission~1common.handle_all_urls/dynamic_app_link_components"
    #expect(
      try explanation(rules, "https://example.com/a?k=v").reason
        == "The first matching rule is \(place)/1, an exclusion for the path \"/a\" and the query parameter "
        + "\"k=v\".")
    let closest = try explanation(rules)
    #expect(closest.closest?.description == "\(place)/0")
    #expect(
      closest.reason
        == "No rule matches. The closest is \(place)/0, which requires the path \"/b\"."
    )
    // A rule without conditions is close to nothing.
    let behindNothing = try explanation(
      StatementList.rules([["exclude": false], ["/": "/b", "exclude": true]]))
    #expect(behindNothing.closest?.description == "\(place)/1")
  }

  @Test(arguments: [
    ("/Gift/1", "Only the case of letters differs: write a rule for each way of writing it."),
    (
      "/gift",
      "would match \"https://example.com/gift/\". On Android, a slash at the end of a path matters"
    ),
    ("/na%C3%AFve", "Android decodes the URL, and not the pattern"),
    ("/de/gift/1", "add a rule with \"/de\" in front."),
    ("/#/gift/1", "compare it in `#`, as in `{\"#\": \"/gift/*\"}`."),
  ])
  func aRuleThatAURLMissesByOneThingIsNamed(path: String, says: String) throws {
    let rules = StatementList.rules([
      ["/": "/gift/x", "exclude": true], ["/": "/other"], ["/": "/gift/*"], ["/": "/na%C3%AFve"],
    ])
    let explanation = try explanation(rules, "https://example.com" + path)
    #expect(explanation.resolution == .noMatch)
    #expect(explanation.reason.contains(says), "\(explanation.reason)")
  }

  @Test func anAppThatIsNotLinkedOpensNothing() throws {
    let list: JSON = [
      ["include": "https://example.net/a"],
      statement("delegate_permission/common.get_login_creds"),
    ]
    let matcher = try AndroidMatcher(AssetLinks(list))
    #expect(matcher.apps.isEmpty && DocumentMatcher.android(matcher).apps(asking: nil) == [nil])
    #expect(
      try explanation(list, app: nil).reason
        == "No statement grants delegate_permission/common.handle_all_urls to an app, so no app opens the "
        + "URL. Included files are not read.")
    #expect(try explanation(list).resolution == .noMatch)
  }

  @Test func aSecondStatementWithOtherRulesIsMentioned() throws {
    let first = statement(StatementList.relation)
    let second = try #require(StatementList.rules([["/": "/b"]]).arrayValue?.first)
    let explanation = try explanation([first, second])
    #expect(explanation.resolution == .match)
    #expect(
      explanation.reason.hasSuffix(
        " /1 states the app again with other rules; which apply is not documented."))
    #expect(try !self.explanation([first, first]).reason.contains("/1"))
  }

  @Test(
    arguments: [
      (url: "https://example.com/a", domain: "example.com", resolution: .match),
      (url: "https://example.org/a", domain: "example.com", resolution: .noMatch),
      (url: "ftp://example.com/a", domain: nil, resolution: .noMatch),
    ] as [(url: String, domain: String?, resolution: Resolution)])
  func onlyURLsOfTheDomainMatch(url: String, domain: String?, resolution: Resolution) throws {
    let list = StatementList.rules([["/": "*"]])
    #expect(try explanation(list, url, domain: domain).resolution == resolution)
  }

  @Test func aBudgetEndsTheWork() throws {
    let stars = String(repeating: "*a", count: 500)
    let rules = (0..<200).map { ["/": .string("/\(stars)\($0)")] as JSON }
    let matcher = try AndroidMatcher(AssetLinks(StatementList.rules(.array(rules))))
    let url = "https://example.com/" + String(repeating: "xa", count: 4_000)
    var budget = MatchingBudget(steps: 100_000)
    #expect(throws: TooComplex.self) {
      try matcher.explain(url.utf8.span, for: StatementList.package, budget: &budget)
    }
    let tooLong = "https://example.com/" + String(repeating: "a", count: 16_384)
    #expect(throws: TooComplex.self) { try matcher.explain(tooLong, for: StatementList.package) }
  }

  @Test func aFileWithTooManyRulesIsTooComplex() throws {
    let rules = JSON.array(Array(repeating: ["/": "/a"], count: 20_001))
    #expect(throws: TooComplex.self) { try AndroidMatcher(AssetLinks(StatementList.rules(rules))) }
    let huge = JSON.array(Array(repeating: "", count: 70_000))
    #expect(throws: TooComplex.self) { try AndroidMatcher(AssetLinks(huge)) }
  }
}

@Suite struct StatementNameTests {
  @Test(arguments: [
    ("com.example", true), ("com.example_1.Shop", true), ("shop", false), ("com..example", false),
    ("com.1example", false), ("com.example.*", false), ("", false), ("com.exämple", false),
  ])
  func packageNamesHaveTwoPartsThatBeginWithALetter(text: String, isValid: Bool) {
    #expect((PackageName(text) != nil) == isValid)
  }

  @Test func fingerprintsAreTakenAsToolsPrintThemAndWrittenInOneForm() {
    let text = StatementList.fingerprint
    let plain = text.replacing(":", with: "")
    for written in [text, text.lowercased(), plain, plain.lowercased()] {
      #expect(Fingerprint(written: written)?.description == text)
      #expect((Fingerprint(written) != nil) == (written == text))
    }
    for wrong in ["", ":", plain + "00", String(text.dropLast(3)), text + ":", "SHA256: " + text] {
      #expect(Fingerprint(written: wrong) == nil, "\(wrong)")
    }
  }

  @Test(arguments: [
    ("https://example.com", true), ("HTTP://example.com.:8080", true),
    ("https://example.com/", false),
    ("https://", false), ("https://u@example.com", false), ("https://example.com:65536", false),
    ("https://example.com:", false), ("https://example.com?a", false), ("example.com", false),
    ("ftp://example.com", false), ("https://exa mple.com", false),
    ("https://example.com:080808", false), ("https://.", false), ("https://.example.com", false),
    ("https://www..example.com", false),
  ])
  func sitesAreSchemeHostAndPort(text: String, isValid: Bool) {
    #expect((WebSite(text) != nil) == isValid)
  }

  @Test(arguments: [
    ("[]", DocumentKind.assetLinks), ("\u{FEFF}\n[ {", .assetLinks), ("{}", .apple), ("", .apple),
    (#"{"relation": [], "target": {}}"#, .assetLinks),
    (#"{"applinks": {}, "relation": 1}"#, .apple),
    (#"{"origins": []}"#, .webAuthn), ("\u{FEFF}{\"origins\": 1}", .webAuthn),
    (#"{"applinks": {}, "origins": []}"#, .apple), (#"{"origins": ["#, .apple),
    ("<!doctype html>", .apple), ("{", .apple),
  ])
  func theContentSaysTheKind(text: String, kind: DocumentKind) {
    #expect(DocumentKind(ofFile: Array(text.utf8)) == kind)
  }
}
