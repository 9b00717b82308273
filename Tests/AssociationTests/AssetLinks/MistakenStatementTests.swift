import Association
import Testing

/// Common mistakes in Android's file, and the findings about them.
@Suite struct MistakenStatementTests {
  private static let links = "delegate_permission/common.handle_all_urls"
  private static let key = "dynamic_app_link_components"
  private static let fingerprint = StatementList.fingerprint

  private func findings(in list: JSON) -> [Finding] {
    Linter.report(onFile: Array(list.text.utf8), kind: .assetLinks).findings
  }

  private func first(_ code: Finding.Code, in list: JSON) throws -> Finding {
    let found = findings(in: list)
    return try #require(found.first { $0.code == code }, "\(found)")
  }

  private static func statement(
    _ certificates: [JSON] = [.string(fingerprint)], target more: JSON.Object = [:],
    _ rest: JSON.Object = [:]
  ) -> JSON {
    var target: JSON.Object = [
      "namespace": "android_app", "package_name": "com.example.app",
      "sha256_cert_fingerprints": .array(certificates),
    ]
    for member in more.members { target[member.key] = member.value }
    var statement: JSON.Object = ["relation": [.string(links)], "target": .object(target)]
    for member in rest.members { statement[member.key] = member.value }
    return .object(statement)
  }

  // MARK: - Rules

  @Test(arguments: [
    ("/b/[id]", Finding.Code.routeParameter), ("/c/:id", .routeParameter),
    ("/c/{id}", .routeParameter), ("/f?x=1", .queryInPath),
    ("/i/.*", .regularExpression), ("/j/[0-9]", .regularExpression),
  ])
  func aRuleHasTheMistakesOfARoute(path: String, code: Finding.Code) throws {
    let finding = try first(code, in: StatementList.rules([["/": .string(path)]]))
    #expect(finding.severity == .warning && finding.pointer.description.hasSuffix("/~1"))
    #expect(!finding.message.contains("$(") && !finding.help.contains("components"))
  }

  @Test(arguments: ["/b/*", "/b/?*", "/a.html", "/a:b", "/g#x"])
  func aRuleWithoutSuchAMistakeHasNone(path: String) {
    let found = findings(in: StatementList.rules([["/": .string(path)]]))
    #expect(found.allSatisfy { $0.severity == .note }, "\(found)")
  }

  @Test func aNumberSignInARuleMayBeThatOfAURLAndIsOnlyNoted() throws {
    let finding = try first(.fragmentInPath, in: StatementList.rules([["/": "/g#x"]]))
    #expect(finding.severity == .note && finding.help.contains("%23"))
  }

  /// Chrome looks for a WebAPK by the address of its manifest.
  @Test func theAddressOfAManifestIsKeptForTheRelationThatWantsIt() throws {
    for (relation, help) in [
      ("delegate_permission/common.query_webapk", "Keep it"), (Self.links, "Write"),
    ] {
      let statement: JSON = [
        "relation": [.string(relation)],
        "target": ["namespace": "web", "site": "https://a.example/manifest.json"],
      ]
      let finding = try first(.webTargetWithPath, in: [statement])
      #expect(finding.help.hasPrefix(help) && finding.severity == .warning, "\(finding.help)")
    }
  }

  @Test func aStatementThatOpensNoLinksLosesNoneWithItsRules() throws {
    var statement = Self.statement([.string(Self.fingerprint)], [Self.key: []]).objectValue ?? [:]
    statement["relation"] = ["delegate_permission/common.get_login_creds"]
    let finding = try first(.unknownKey, in: [.object(statement)])
    #expect(!finding.message.contains("there are no rules"), "\(finding)")
    let comment = Self.statement([.string(Self.fingerprint)], ["\(Self.key)_note": "none"])
    #expect(try !first(.unknownKey, in: [comment]).help.contains("relation_extensions"))
  }

  @Test func rulesBesideTheirRelationAreToGoBelowIt() throws {
    let list: JSON = [
      Self.statement([.string(Self.fingerprint)], ["relation_extensions": [Self.key: []]])
    ]
    let finding = try first(.extensionWithoutRelation, in: list)
    #expect(finding.help.contains("{\"\(Self.links)\": {\"\(Self.key)\": […]}}"))
  }

  @Test func aListOfRulesWithoutItsKeyIsToGetIt() throws {
    let rules: JSON = ["relation_extensions": [Self.links: [["/": "/a"]]]]
    let list: JSON = [
      Self.statement([.string(Self.fingerprint)], rules.objectValue ?? [:])
    ]
    #expect(try first(.rulesDiscarded, in: list).help.contains("{\"\(Self.key)\": […]}"))
  }

  @Test func rulesInTheWrongObjectSayThatTheyDoNothing() throws {
    let rules: JSON = [["/": "*", "exclude": true]]
    let lists: [JSON] = [
      [Self.statement(target: [Self.key: rules])],
      [Self.statement([.string(Self.fingerprint)], [Self.key: rules])],
    ]
    for list in lists {
      let finding = try first(.unknownKey, in: list)
      #expect(finding.message.contains("there are no rules"), "\(finding)")
      #expect(finding.help.contains("\"relation_extensions\": {\"\(Self.links)\""), "\(finding)")
    }
    let misspelled = try first(
      .unknownKey,
      in: [
        Self.statement(
          [.string(Self.fingerprint)],
          ["relation_extensions": [Self.links: ["dynamic_app_link_component": rules]]])
      ])
    #expect(misspelled.message.contains("there are no rules"))
    #expect(misspelled.help == "Write `\(Self.key)` if that is what you mean.")
  }

  // MARK: - Fingerprints

  @Test(arguments: [
    ("\(fingerprint), \(fingerprint)", "2 fingerprints in one string", "string of its own"),
    ("SHA256: \(fingerprint)", "more than the fingerprint", "Write \"\(fingerprint)\""),
    ("SHA256:\(fingerprint)", "more than the fingerprint", "Write \"\(fingerprint)\""),
    ("\(fingerprint)\n", "a blank or a line break", "Write \"\(fingerprint)\""),
    (" \(fingerprint)", "a blank or a line break", "Write \"\(fingerprint)\""),
    (fingerprint.replacing(":", with: "-"), "a colon between", "Write \"\(fingerprint)\""),
    (fingerprint.replacing(":", with: ""), "no colons", "Write \"\(fingerprint)\""),
    (String(fingerprint.dropLast(3)), "It has 31 pairs", "Copy the SHA-256"),
    (String(fingerprint.dropLast()), "does not have two digits", "Copy the SHA-256"),
    ("O" + fingerprint.dropFirst(), "\"O\" is not a hexadecimal digit", "Copy the SHA-256"),
  ])
  func theFaultOfAFingerprintIsNamed(text: String, fault: String, help: String) throws {
    let finding = try first(.malformedFingerprint, in: [Self.statement([.string(text)])])
    #expect(finding.message.contains(fault), "\(finding.message)")
    #expect(finding.help.contains(help), "\(finding.help)")
  }

  // MARK: - Lists in place of one value

  @Test func oneValueIsNotAList() throws {
    let target = Self.statement()["target"] ?? .null
    let one: JSON = [["relation": [.string(Self.links)], "target": [target]]]
    #expect(try first(.missingTarget, in: one).help.hasPrefix("Remove the `[` and `]`"))
    let two: JSON = [["relation": [.string(Self.links)], "target": [target, target]]]
    #expect(try first(.missingTarget, in: two).help.contains("one statement for each"))
    let names: JSON = [
      Self.statement(target: ["package_name": ["com.example.a", "com.example.b"]])
    ]
    #expect(try first(.malformedPackageName, in: names).help.contains("one statement for each"))
    let nested: JSON = [[Self.statement()]]
    #expect(try first(.statementNotObject, in: nested).help.contains("inner `[` and `]`"))
  }

  @Test(arguments: [["https://a.example/l.json"] as JSON, ["url": "https://a.example/l.json"]])
  func anIncludeIsOneText(value: JSON) throws {
    let finding = try first(.insecureInclude, in: [["include": value]])
    #expect(finding.message.contains("must be a string") && !finding.message.contains("http."))
    #expect(finding.help.contains("\"include\": \"https://"))
  }
}
