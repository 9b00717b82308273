import Association
import TestSupport
import Testing

/// What is said of a kept statement of Android's beside Apple's routes, against every short URL.
@Suite struct SeparateStatementTests {
  private static let package = "com.example.shop"
  private static let patterns: [JSON] = [
    ["/": "/a/*"], ["/": "/a"], ["/": "/b"], ["/": "*"], ["/": "/a*"], ["/": "/?"],
    ["/": "/a/b"], ["?": ["q": "1"]], ["#": "x"], ["/": "/b", "?": ["q": "1"]],
  ]

  private static let urls = everyText(of: ["/", "a", "b"], upTo: 5).filter { !$0.contains("//") }
    .flatMap { path in
      ["", "?q=1", "#x"].map { "https://example.com/\(path.drop { $0 == "/" })\($0)" }
    }

  private static func domain(_ components: [JSON], _ statement: JSON) throws -> Domain {
    let document = try AssociationFile(
      adopting: [
        "applinks": ["details": [["appIDs": ["A.b"], "components": .array(components)]]]
      ])
    return Domain(
      name: try DomainName("example.com"), associationFile: document, assetLinksExtra: [statement])
  }

  private static func statement(rules: [JSON]?) -> JSON {
    var statement: JSON.Object = [
      "relation": ["delegate_permission/common.handle_all_urls"],
      "target": [
        "namespace": "android_app", "package_name": .string(package),
        "sha256_cert_fingerprints": [.string(StatementList.fingerprint)],
      ],
    ]
    if let rules {
      statement["relation_extensions"] = [
        "delegate_permission/common.handle_all_urls": [
          "dynamic_app_link_components": .array(rules)
        ]
      ]
    }
    return .object(statement)
  }

  private static func some(_ generator: inout SeededGenerator) -> [JSON] {
    (0...Int(generator.next() % 3)).map { _ in
      var pattern = generator.pick(patterns).objectValue ?? [:]
      if generator.once(in: 3) { pattern["exclude"] = true }
      return .object(pattern)
    }
  }

  @Test func aFindingNamesAURLThatDiffersIfThereIsOne() throws {
    var generator = SeededGenerator(seed: 28)
    var counts: [String: Int] = [:]
    for _ in 0..<400 {
      let components = Self.some(&generator)
      let rules =
        generator.once(in: 5)
        ? nil : generator.once(in: 3) ? components : Self.some(&generator)
      let statement = Self.statement(rules: rules)
      let domain = try Self.domain(components, statement)
      let apple = try Matcher(AppLinks(document: domain.associationFile.json))
      let android = try AndroidMatcher(AssetLinks([statement]))
      func resolutions(_ url: String) throws -> [Resolution] {
        [
          try apple.resolve(url, in: apple.scope(of: "A.b")).resolution,
          try android.explain(url, for: Self.package).resolution,
        ]
      }
      func differ(_ pair: [Resolution]) -> Bool { (pair[0] == .match) != (pair[1] == .match) }
      let all = try Self.urls.map(resolutions)
      let findings = Linter.findings(
        aboutStatementsBesideRoutesOf: domain, in: AssetLinks([statement]))
      let text = "\(JSON.array(components).text) \(rules.map { JSON.array($0).text } ?? "none")"
      guard let finding = findings.first else {
        #expect(!all.contains(where: differ), "\(text)")
        counts["same", default: 0] += 1
        continue
      }
      let example = finding.message.split(separator: "\"").first { $0.hasPrefix("https://") }
      let pair = try resolutions(String(try #require(example, "\(text) \(finding.message)")))
      #expect(differ(pair), "\(text) \(finding.message)")
      #expect(finding.code == .androidNotManaged && finding.pointer.description == "/0")
      // What an exclusion keeps in the browser, and Android opens, is never missed.
      let opensExclusion = all.contains([.blocked, .match])
      #expect(
        (finding.severity == .warning) == (pair == [.blocked, .match])
          && (!opensExclusion || finding.severity == .warning), "\(text) \(finding.message)")
      counts[finding.severity.rawValue, default: 0] += 1
    }
    #expect(["same", "note", "warning"].allSatisfy { counts[$0, default: 0] > 20 }, "\(counts)")
  }

  @Test func aStatementIsComparedWithTheRoutesOfEachAppleApp() throws {
    let statement = Self.statement(rules: [["/": "/b"], ["/": "/b/"]])
    var domain = try Self.domain([["/": "/a"]], statement)
    func findings() -> [Finding] {
      Linter.findings(aboutStatementsBesideRoutesOf: domain, in: AssetLinks([statement]))
    }
    #expect(findings().count == 1)
    let other = try AppIdentifier("ABCDE12345.com.example.other")
    domain.associationFile.entries.append(Entry(apps: [other], routes: [Route(path: "/b")]))
    #expect(findings().isEmpty)
  }

  @Test func withoutRoutesOfAnAppleAppThereIsNothingToCompare() throws {
    let statement = Self.statement(rules: [["/": "/b"]])
    let domain = Domain(name: try DomainName("example.com"), assetLinksExtra: [statement])
    #expect(
      Linter.findings(aboutStatementsBesideRoutesOf: domain, in: AssetLinks([statement])).isEmpty)
  }

  @Test func routesAboutEscapedTextAreComparedByAnExample() throws {
    let statement = Self.statement(rules: [["/": "/a"], ["/": "/a/"]])
    let domain = try Self.domain([["/": "/a"], ["/": "/caf%C3%A9"]], statement)
    let finding = Linter.findings(
      aboutStatementsBesideRoutesOf: domain, in: AssetLinks([statement])
    ).first
    #expect(finding?.message.contains("\"https://example.com/caf%C3%A9\" (match)") == true)
  }

  @Test func anAppWhoseManifestDecidesMayOpenAURLIfItsManifestClaimsIt() throws {
    let statement = Self.statement(rules: nil)
    let finding = Linter.findings(
      aboutStatementsBesideRoutesOf: try Self.domain([["/": "/a"]], statement),
      in: AssetLinks([statement])
    ).first
    #expect(
      finding?.message.contains("in \(Self.package) if the app's manifest claims it, which")
        == true,
      "\(finding?.message ?? "")")
  }

  /// Each comparison prepares both lists, so many of them are many times as much work as the file is large.
  @Test(arguments: [false, true])
  func manyStatementsBesideManyListsOfRoutesTakeBoundedTime(haveRules: Bool) throws {
    let entries = try (0..<8).map { list in
      Entry(
        apps: [try AppIdentifier("ABCDE12345.com.example.app\(list)")],
        routes: (0..<250).map { Route(path: "/\(list)/\($0)/*") })
    }
    let statements = (0..<500).map { number -> JSON in
      var statement =
        Self.statement(rules: haveRules ? [["/": .string("/x\(number)/*")]] : nil).objectValue
        ?? [:]
      var target = statement["target"]?.objectValue ?? [:]
      target["package_name"] = .string("com.example.app\(number)")
      statement["target"] = .object(target)
      return .object(statement)
    }
    var domain = Domain(name: try DomainName("example.com"), assetLinksExtra: statements)
    domain.associationFile.entries = entries
    let (findings, time) = processorTime {
      Linter.findings(
        aboutStatementsBesideRoutesOf: domain, in: AssetLinks(.array(statements)))
    }
    #expect(time < .seconds(60), "\(time)")
    #expect(!findings.isEmpty)
    // Of equal rules, one comparison is enough.
    #expect(
      haveRules || findings.dropLast().allSatisfy { $0.message.hasPrefix("Android may open") })
  }
}
