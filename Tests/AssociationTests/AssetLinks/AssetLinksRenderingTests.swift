import Association
import Testing

/// What is published for Android from the rows of a domain.
@Suite struct AssetLinksRenderingTests {
  private static func package(_ text: String) throws -> PackageName {
    try #require(PackageName(text))
  }

  private static func certificates() throws -> [AndroidApp.Certificate] {
    [AndroidApp.Certificate(try #require(Fingerprint(StatementList.fingerprint)), label: .upload)]
  }

  private static func domain(_ entries: [Entry]) throws -> Domain {
    var document = AssociationFile()
    document.entries = entries
    return Domain(name: try DomainName("example.com"), associationFile: document)
  }

  private static func rendering(_ domain: Domain) throws -> AssetLinksRendering {
    try #require(try AssetLinksRendering(domain) { _ in try certificates() })
  }

  /// The rules for some routes, as elements of `components`.
  private static func rules(
    _ components: JSON, _ more: (inout AssociationFile) throws -> Void = { _ in }
  ) throws -> [String] {
    var document = try AssociationFile(
      adopting: ["applinks": ["details": [["appIDs": ["A.b"], "components": components]]]])
    document.entries[0].androidApps = [try package(StatementList.package)]
    try more(&document)
    let domain = Domain(name: try DomainName("example.com"), associationFile: document)
    let statement = try rendering(domain).json.arrayValue?.first
    let rules = statement?["relation_extensions"]?[StatementList.relation]?[
      "dynamic_app_link_components"]
    return (rules?.arrayValue ?? []).map(\.text)
  }

  @Test func aDomainWithoutAnythingOfAndroidHasNoFile() throws {
    #expect(AssetLinksRendering(try Self.domain([Entry()])) { _ in [] } == nil)
  }

  @Test func everyAppHasOneStatementInTheOrderOfFirstAppearance() throws {
    let (shop, tool) = (try Self.package("com.example.shop"), try Self.package("com.example.tool"))
    var domain = try Self.domain([
      Entry(routes: [Route(path: "/a")], androidApps: [tool]),
      Entry(routes: [Route(path: "/b")], androidApps: [shop, tool]),
    ])
    domain.androidCredentials = [try Self.package("com.example.vault"), tool]
    domain.assetLinksExtra = [["include": "https://example.com/more.json"]]
    let statements = try #require(Self.rendering(domain).json.arrayValue)
    #expect(
      statements.map { $0["target"]?["package_name"]?.stringValue } == [
        "com.example.tool", "com.example.shop", "com.example.vault", nil,
      ])
    #expect(
      statements.map { $0["relation"]?.arrayValue?.count } == [2, 1, 2, nil])
    #expect(
      statements[0]["relation"] == [
        "delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds",
      ])
    #expect(
      statements[0]["target"]?["sha256_cert_fingerprints"]
        == [.string(StatementList.fingerprint)])
    #expect(
      statements[0]["relation_extensions"]?[StatementList.relation]?[
        "dynamic_app_link_components"] == [
          ["/": "/a"], ["/": "/a/"], ["/": "/b"], ["/": "/b/"],
        ])
    #expect(
      statements[2]["relation_extensions"] == [
        StatementList.relation: ["dynamic_app_link_components": [["/": "*", "exclude": true]]]
      ])
    #expect(statements[3] == domain.assetLinksExtra[0])
  }

  /// Google wants both relations for passkeys; the rule keeps links out, whatever the domain's routes do.
  @Test(arguments: [true, false])
  func anAppThatOnlySharesPasswordsGetsBothRelationsAndNoLink(hasDynamicAppLinks: Bool) throws {
    let (shop, vault) = (
      try Self.package(StatementList.package), try Self.package("com.example.vault")
    )
    var domain = try Self.domain([Entry(routes: [Route(path: "*")], androidApps: [shop])])
    domain.androidCredentials = [vault]
    domain.hasDynamicAppLinks = hasDynamicAppLinks
    let rendering = try Self.rendering(domain)
    let links = AssetLinks(rendering.json)
    let certificate = try #require(Fingerprint(StatementList.fingerprint))
    for relation in [Relation.handleAllURLs, .getLoginCredentials] {
      #expect(links.statements.link(relation, to: vault, signedWith: certificate))
    }
    let matcher = try AndroidMatcher(links)
    var budget = MatchingBudget()
    for path in ["", "/", "/login", "/a/b?c=d#e"] {
      let url = "https://example.com\(path)"
      for (app, resolution) in [(vault, Resolution.blocked), (shop, .match)] {
        let decision = try matcher.decision(on: url.utf8.span, for: app.text, budget: &budget)
        #expect(decision.resolution == resolution, "\(url)")
      }
    }
    #expect(PlatformComparison(rendering, domain: "example.com").findings.isEmpty)
    let findings = Linter.report(onFile: rendering.json.serialized(), kind: .assetLinks).findings
    #expect(
      Set(findings.map(\.code)).isSubset(of: [.singleFingerprint, .olderAndroidOpensAll]),
      "\(findings)")
  }

  @Test func aFileForPasskeysAloneBecomesRowsAndOneOfBeforeIsKept() throws {
    let vault = try Self.package("com.example.vault")
    var domain = try Self.domain([])
    domain.androidCredentials = [vault]
    let file = try Self.rendering(domain).json
    var apps = UsedApps()
    apps.android[vault] = AndroidApp(package: vault, certificates: try Self.certificates())
    var adopted = try Self.domain([])
    try adopted.adopt(file, as: .assetLinks, apps)
    #expect(adopted.androidCredentials == [vault] && adopted.assetLinksExtra.isEmpty)
    #expect(adopted.documents(apps)[.assetLinks] == file)
    // What earlier versions published is not what the rows say now.
    var statement = try #require(file.arrayValue?.first?.objectValue)
    statement["relation"] = ["delegate_permission/common.get_login_creds"]
    statement["relation_extensions"] = nil
    let before: JSON = [.object(statement)]
    try adopted.adopt(before, as: .assetLinks, apps)
    #expect(adopted.documents(apps)[.assetLinks] == before)
  }

  /// Rolling back to a revision of an earlier version keeps the rows of apps that open links.
  @Test func theStatementOfBeforeDoesNotCostTheRowsOfOtherApps() throws {
    let (shop, vault) = (
      try Self.package(StatementList.package), try Self.package("com.example.vault")
    )
    var domain = try Self.domain([Entry(routes: [Route(path: "/a/*")], androidApps: [shop])])
    domain.androidCredentials = [vault]
    var apps = UsedApps()
    for package in [shop, vault] {
      apps.android[package] = AndroidApp(package: package, certificates: try Self.certificates())
    }
    var statements = try #require(domain.documents(apps)[.assetLinks]?.arrayValue)
    var old = try #require(statements[1].objectValue)
    old["relation"] = ["delegate_permission/common.get_login_creds"]
    old["relation_extensions"] = nil
    statements[1] = .object(old)
    try domain.adopt(.array(statements), as: .assetLinks, apps)
    #expect(domain.documents(apps)[.assetLinks] == .array(statements))
    #expect(domain.associationFile.androidApps == [shop] && domain.androidCredentials.isEmpty)
    #expect(domain.assetLinksExtra == [.object(old)])
  }

  @Test func withoutDynamicLinksTheManifestDecides() throws {
    let shop = try Self.package(StatementList.package)
    var domain = try Self.domain([Entry(routes: [Route(path: "/a")], androidApps: [shop])])
    domain.hasDynamicAppLinks = false
    #expect(try Self.rendering(domain).json.arrayValue?.first?["relation_extensions"] == nil)
  }

  static let translations: [(JSON, [String])] = [
    ([], [#"{"/":"*","exclude":true}"#]),
    ([[:]], [#"{"/":"*"}"#]),
    ([["/": "*", "#": "*", "?": "*"]], [#"{"/":"*"}"#]),
    ([["/": "/*"]], [#"{"/":"*"}"#]),
    ([["/": "/"]], [#"{"/":"/"}"#]),
    ([["/": "/buy/*"]], [#"{"/":"/buy/*"}"#, #"{"/":"/buy"}"#]),
    ([["/": "/buy//*"]], [#"{"/":"/buy//*"}"#, #"{"/":"/buy"}"#, #"{"/":"/buy/"}"#]),
    ([["/": "buy/*"]], [#"{"/":"/buy/*"}"#, #"{"/":"/buy"}"#]),
    ([["/": "/pro*", "exclude": false]], [#"{"/":"/pro*"}"#]),
    (
      [["/": "/a/", "exclude": true]],
      [#"{"/":"/a","exclude":true}"#, #"{"/":"/a/","exclude":true}"#]
    ),
    // Wildcards in the order that Android understands.
    ([["/": "/a*?b*"]], [#"{"/":"/a?*b*"}"#]),
    // A slash that Apple drops is nothing for `?` to take.
    (
      [["/": "/a?"]], [#"{"/":"/a?/"}"#, #"{"/":"/a/","exclude":true}"#, #"{"/":"/a?"}"#]
    ),
    ([["/": "/a*?*"]], [#"{"/":"/a/","exclude":true}"#, #"{"/":"/a?*"}"#]),
    // An inner star.
    (
      [["/": "/*/c"]],
      ["/*/c", "/*/*/c", "/*/*/*/c", "/*/*/*/*/c", "/*/c/", "/*/*/c/", "/*/*/*/c/", "/*/*/*/*/c/"]
        .map { #"{"/":"\#($0)"}"# }
    ),
    ([["/": "/x*-*"]], [#"{"/":"/x*-*"}"#]),
    // An exclusion with one keeps out whatever comes behind it.
    ([["/": "/a/*.pdf", "exclude": true]], [#"{"/":"/a/*.*","exclude":true}"#]),
    // Escapes are decoded, unless that would open more.
    ([["/": "/caf%C3%A9*"]], [#"{"/":"/café*"}"#]),
    (
      [["/": "/a%2Fb"], ["/": "/%61"], ["/": "/caf%c3%a9"], ["/": "/é"], ["/": "/b*"]],
      [#"{"/":"/b*"}"#]
    ),
    ([["/": "/a%2Fb*", "exclude": true]], [#"{"/":"/a/b*","exclude":true}"#]),
    ([["/": "/%2A*"]], [#"{"/":"*","exclude":true}"#]),
    ([["/": "/%2A*", "exclude": true]], [#"{"/":"/?*","exclude":true}"#]),
    ([["/": "/a b*", "percentEncoded": false]], [#"{"/":"/a b*"}"#]),
    // Case.
    ([["/": "/a1*", "caseSensitive": false]], [#"{"/":"/a1*"}"#, #"{"/":"/A1*"}"#]),
    ([["/": "/Sonderangebot*", "caseSensitive": false]], [#"{"/":"/Sonderangebot*"}"#]),
    (
      [["/": "/Sonderangebot*", "caseSensitive": false, "exclude": true]],
      [#"{"/":"/?????????????*","exclude":true}"#]
    ),
    // The one character is the slash.
    ([["/": "*?"]], [#"{"/":"*"}"#]),
    // Variables.
    ([["/": "/$(digit)x*"]], (0...9).map { #"{"/":"/\#($0)x*"}"# }),
    ([["/": "/$(unknown)"]], [#"{"/":"*","exclude":true}"#]),
    // Queries and fragments.
    ([["/": "/a*", "?": ["v": "1", "w": "*"]]], [#"{"/":"/a*","?":{"v":"1"}}"#]),
    ([["?": ["v": "?*"], "#": "top*"]], [##"{"?":{"v":"?*"},"#":"top*"}"##]),
    (
      [["/": "/a*", "?": "v=1"], ["/": "/b*", "?": ["v": ""]], ["/": "/c*", "#": ""]],
      [#"{"/":"*","exclude":true}"#]
    ),
    (
      [
        ["/": "/a*", "?": ["v": "", "w": "1"], "exclude": true],
        ["/": "/b*", "?": "", "exclude": true],
      ],
      [#"{"/":"/a*","?":{"w":"1"},"exclude":true}"#, #"{"/":"/b*","exclude":true}"#]
    ),
    ([["?": ["a%26b": "1"]], ["?": ["a": "1%26b"]], ["/": "/c*"]], [#"{"/":"/c*"}"#]),
    ([["?": ["a": "1%26b"], "exclude": true]], [#"{"?":{"a":"1*"},"exclude":true}"#]),
  ]

  @Test(arguments: translations.indices)
  func aRouteBecomesTheRulesThatMeanTheSame(index: Int) throws {
    let (components, expected) = Self.translations[index]
    #expect(try Self.rules(components) == expected, "\(components.text)")
  }

  @Test func defaultsVariablesAndPathsCount() throws {
    let rules = try Self.rules([["/": "/$(city)/a*"], ["/": "/b*", "exclude": false]]) { document in
      document.substitutionVariables = [SubstitutionVariable(name: "city", values: ["rom", "ulm"])]
      document.defaults.extra = ["exclude": true]
      document.entries.append(
        Entry(
          keys: .legacy, routes: [Route(LegacyPath("NOT /c*"))],
          androidApps: [try Self.package(StatementList.package)]))
    }
    #expect(
      rules == [
        #"{"/":"/rom/a*","exclude":true}"#, #"{"/":"/ulm/a*","exclude":true}"#, #"{"/":"/b*"}"#,
        #"{"/":"/c*","exclude":true}"#,
      ])
  }

  @Test func anExpansionHasALimit() throws {
    #expect(try Self.rules([["/": "/$(lang)"]]).count == 1262)
    #expect(try Self.rules([["/": "/$(lang)/$(region)"]]) == [#"{"/":"*","exclude":true}"#])
    #expect(
      try Self.rules([["/": "/$(lang)-$(region)", "exclude": true]])
        == [#"{"/":"/*-*","exclude":true}"#])
    let many = JSON.array((0..<40).map { ["/": .string("/$(lang)/\($0)")] })
    #expect(try Self.rules(many) == [#"{"/":"*","exclude":true}"#])
  }
}
