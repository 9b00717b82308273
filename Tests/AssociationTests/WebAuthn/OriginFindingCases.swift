import Association
import Testing

extension FindingCase {
  private init(
    origins code: Finding.Code, _ pointer: String, _ file: String,
    severity: Finding.Severity? = nil, names: [String]? = nil
  ) {
    self.init(
      code, pointer, file, severity: severity,
      context: names.map { Linter.Context(domain: $0[0], aliases: Array($0.dropFirst())) })
    kind = .webAuthn
  }

  fileprivate static func origins(_ origins: String...) -> String {
    JSON.object(["origins": .strings(origins)]).text
  }

  private static let good = origins("https://example.de")
  private static let five = (1...5).map { "https://brand\($0).com" }

  private static func five(and origin: String) -> String {
    JSON.object(["origins": .strings(five + [origin])]).text
  }

  static let ofOrigins: [FindingCase] = [
    FindingCase(origins: .notJSON, "", #"{"origins":}"#),
    FindingCase(origins: .notObject, "", #"["https://example.de"]"#),
    FindingCase(origins: .byteOrderMark, "", "\u{FEFF}" + good),
    FindingCase(origins: .duplicateKey, "/origins", #"{"origins":["https://a.de"],"origins":1}"#),
    FindingCase(origins: .tooLarge, "", good + String(repeating: " ", count: 262_144)),
    FindingCase(
      origins: .unknownKey, "/note", #"{"origins":["https://a.de"],"note":1}"#, severity: .note),
    FindingCase(origins: .missingOrigins, "", "{}"),
    FindingCase(origins: .wrongType, "/origins", #"{"origins":"https://example.de"}"#),
    FindingCase(origins: .emptyOrigins, "/origins", origins()),
    FindingCase(origins: .originNotString, "/origins/0", #"{"origins":[1]}"#),
    FindingCase(origins: .malformedOrigin, "/origins/1", origins("https://a.de", "example.de")),
    FindingCase(origins: .malformedOrigin, "/origins/0", origins("")),
    FindingCase(origins: .malformedOrigin, "/origins/0", origins("ftp://example.de")),
    FindingCase(origins: .malformedOrigin, "/origins/0", origins("https://")),
    FindingCase(origins: .malformedOrigin, "/origins/0", origins("https://192.0.2.1")),
    FindingCase(origins: .malformedOrigin, "/origins/0", origins("https://[2001:db8::1]")),
    FindingCase(origins: .malformedOrigin, "/origins/0", origins("https://localhost")),
    FindingCase(origins: .malformedOrigin, "/origins/0", origins("https://example.de.")),
    FindingCase(origins: .malformedOrigin, "/origins/0", origins("https://example.de:65536")),
    FindingCase(origins: .malformedOrigin, "/origins/0", origins("https://a b.de")),
    FindingCase(origins: .insecureOrigin, "/origins/0", origins("http://example.de")),
    FindingCase(origins: .wildcardOrigin, "/origins/0", origins("https://*.example.de")),
    FindingCase(origins: .malformedOrigin, "/origins/0", origins("*")),
    FindingCase(origins: .originWithPath, "/origins/0", origins("https://example.de/")),
    FindingCase(origins: .originWithPath, "/origins/0", origins("https://example.de?a")),
    FindingCase(origins: .originWithPath, "/origins/0", origins("https://u@example.de")),
    FindingCase(origins: .unusualOrigin, "/origins/0", origins("https://Example.de")),
    FindingCase(origins: .unusualOrigin, "/origins/0", origins("https://example.de:443")),
    FindingCase(origins: .unusualOrigin, "/origins/0", origins("https://example.de:08443")),
    FindingCase(origins: .unusualOrigin, "/origins/0", origins(" https://example.de")),
    FindingCase(origins: .unusualOrigin, "/origins/0", origins("https://bücher.example")),
    FindingCase(origins: .publicSuffixOrigin, "/origins/0", origins("https://github.io")),
    FindingCase(origins: .publicSuffixOrigin, "/origins/0", origins("https://pages.dev")),
    FindingCase(origins: .publicSuffixOrigin, "/origins/0", origins("https://co.uk")),
    FindingCase(origins: .insecureOrigin, "/origins/0", origins("http://localhost:8093")),
    FindingCase(origins: .insecureOrigin, "/origins/0", origins("http://app.localhost")),
    FindingCase(origins: .malformedOrigin, "/origins/0", origins("https://127.0.0.1:8443")),
    FindingCase(
      origins: .duplicateOrigin, "/origins/1", origins("https://a.de", "https://a.de")),
    FindingCase(
      origins: .ownOrigin, "/origins/0", origins("https://www.example.com"), names: ["example.com"]),
    FindingCase(origins: .tooManyLabels, "/origins/5", five(and: "https://www.brand6.co.uk")),
  ]
}

@Suite struct OriginLinterTests {
  private func findings(in file: String, names: String...) -> [Finding] {
    Linter.report(
      onFile: Array(file.utf8), kind: .webAuthn,
      context: names.first.map { Linter.Context(domain: $0, aliases: Array(names.dropFirst())) }
    ).findings
  }

  @Test(arguments: FindingCase.ofOrigins)
  func everyCaseRaisesItsFindingAndNoOther(testCase: FindingCase) {
    let report = Linter.report(
      onFile: Array(testCase.file.utf8), kind: .webAuthn, context: testCase.context)
    #expect(report.findings.map(\.code) == [testCase.code])
    #expect(report.findings.first?.pointer.description == testCase.pointer)
    #expect(report.findings.first?.severity == testCase.severity ?? testCase.code.severity)
    for finding in report.findings {
      #expect(finding.message.hasSuffix(".") && finding.help.hasSuffix("."))
    }
  }

  @Test func aGoodFileHasNoFinding() {
    let file = FindingCase.origins(
      "https://example.co.uk", "https://example.de", "https://www.example.de:8443",
      "https://xn--bcher-kva.example")
    #expect(findings(in: file, names: "example.com", "www.example.com").isEmpty)
  }

  /// Chrome's own test has these lists ("WebAuthRequestSecurityCheckerWellKnownJSONTest").
  @Test func fiveRegistrableNamesAreReadUnderAnyEnding() {
    let endings = ["co.uk", "de", "in", "net", "org", "com"]
    let file = JSON.object(["origins": .strings(endings.map { "https://foo.\($0)" })]).text
    #expect(findings(in: file).isEmpty)
  }

  /// An origin with a known name is read, wherever it is.
  @Test func anOriginBehindFiveNamesIsReadIfItsNameIsOneOfThem() {
    let names = ["a", "b", "c", "d", "e", "f", "a"]
    let origins = names.enumerated().map { "https://n\($0).\($1).com" }
    let file = JSON.object(["origins": .strings(origins)]).text
    #expect(
      findings(in: file).map { "\($0.code.rawValue) \($0.pointer)" } == [
        "too-many-labels /origins/5"
      ])
  }

  /// An alias is another name for passkeys, whose pages may not use those of the domain.
  @Test func theDomainsOriginIsNeededForItsAliases() {
    let file = FindingCase.origins("https://example.com")
    #expect(findings(in: file, names: "example.com").map(\.code) == [.ownOrigin])
    #expect(findings(in: file, names: "example.com", "example.de").isEmpty)
    #expect(findings(in: file, names: "example.com", "*.example.com").isEmpty)
  }

  @Test(arguments: [
    ("example.de", #"Write "https://example.de"."#),
    ("HTTPS://Example.DE:443/login", #"Write "https://example.de"."#),
    ("https://bücher.example", #"Write "https://xn--bcher-kva.example"."#),
  ])
  func theHelpWritesTheOriginOut(text: String, help: String) {
    #expect(findings(in: FindingCase.origins(text)).map(\.help) == [help])
  }
}
