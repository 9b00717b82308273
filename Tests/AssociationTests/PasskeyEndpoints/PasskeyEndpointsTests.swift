import Association
import Testing

extension FindingCase {
  private init(
    endpoints code: Finding.Code, _ pointer: String, _ file: String,
    severity: Finding.Severity? = nil
  ) {
    self.init(code, pointer, file, severity: severity)
    kind = .passkeyEndpoints
  }

  static let ofEndpoints: [FindingCase] = [
    FindingCase(endpoints: .notJSON, "", #"{"enroll":}"#),
    FindingCase(endpoints: .notObject, "", "[]"),
    FindingCase(endpoints: .malformedEndpoint, "/enroll", #"{"enroll":"/new"}"#),
    FindingCase(endpoints: .malformedEndpoint, "/enroll", #"{"enroll":"http://example.com/"}"#),
    FindingCase(endpoints: .malformedEndpoint, "/manage", #"{"manage":""}"#),
    FindingCase(endpoints: .malformedEndpoint, "/manage", #"{"manage":"https://"}"#),
    FindingCase(endpoints: .malformedEndpoint, "/manage", #"{"manage":"https:///a.b"}"#),
    FindingCase(endpoints: .malformedEndpoint, "/manage", #"{"manage":"https://localhost/"}"#),
    FindingCase(endpoints: .malformedEndpoint, "/manage", #"{"manage":"https://example.com/a b"}"#),
    FindingCase(endpoints: .malformedEndpoint, "/manage", #"{"manage":"https://example.com\n"}"#),
    FindingCase(endpoints: .wrongType, "/enroll", #"{"enroll":["https://example.com/"]}"#),
    FindingCase(
      endpoints: .unknownKey, "/Enroll", #"{"Enroll":"https://example.com/"}"#, severity: .note),
    FindingCase(
      endpoints: .duplicateKey, "/manage", #"{"manage":"https://a.de/","manage":"https://b.de/"}"#),
  ]
}

@Suite struct PasskeyEndpointsTests {
  private let kind = DocumentKind.passkeyEndpoints

  private func json(_ text: String) throws -> JSON { try JSON.parse(Array(text.utf8)).value }

  private func domain() throws -> Domain { Domain(name: try DomainName("example.com")) }

  @Test func aDomainWithoutEndpointsHasNoFile() throws {
    #expect(try domain().documents(UsedApps())[kind] == nil)
  }

  /// Also what password managers do not read is served again as it was, and an empty object says that
  /// the site supports passkeys.
  @Test(arguments: [
    #"{"enroll":"https://example.com/new","manage":"https://example.com/keys"}"#,
    #"{"x":[1],"prfUsageDetails":"https://example.com/prf","enroll":7}"#, "{}",
  ])
  func anAdoptedFileIsServedUnchanged(text: String) throws {
    let file = try json(text)
    var domain = try domain()
    domain.passkeyEndpoints = ["old": true]
    try domain.adopt(file, as: kind, UsedApps())
    #expect(domain.documents(UsedApps())[kind] == file)
    try domain.adopt(nil, as: kind, UsedApps())
    #expect(domain.passkeyEndpoints == nil)
  }

  @Test(arguments: ["[]", "null", #""https://example.com""#])
  func aFileThatIsNoObjectIsNotAdopted(text: String) throws {
    var domain = try domain()
    let file = try json(text)
    #expect(throws: AdoptionError.self) { try domain.adopt(file, as: kind, UsedApps()) }
  }

  @Test(arguments: [
    (#"{"enroll":"https://example.com/new"}"#, DocumentKind.passkeyEndpoints),
    (#"{"manage":7}"#, .passkeyEndpoints), (#"{"origins":[],"manage":7}"#, .webAuthn),
    (#"{"applinks":{},"manage":7}"#, .apple), ("{}", .apple),
  ])
  func theKindIsSeenFromTheMembers(text: String, kind: DocumentKind) throws {
    #expect(DocumentKind(ofFile: Array(text.utf8)) == kind)
  }

  @Test(arguments: [
    #"{"enroll":"https://example.com/new","manage":"HTTPS://example.com"}"#,
    #"{"prfUsageDetails":"https://login.example.org:8443/a?b=c#d"}"#, "{}",
  ])
  func aGoodFileHasNoFinding(text: String) {
    #expect(Linter.report(onFile: Array(text.utf8), kind: kind).findings.isEmpty)
  }

  @Test(arguments: FindingCase.ofEndpoints)
  func whatPasswordManagersIgnoreIsFound(testCase: FindingCase) {
    let findings = Linter.report(onFile: Array(testCase.file.utf8), kind: kind).findings
    #expect(findings.map(\.code) == [testCase.code])
    #expect(findings.first?.pointer.description == testCase.pointer)
    #expect(findings.first?.severity == testCase.severity ?? testCase.code.severity)
  }

  @Test func aLargeFileIsRefused() throws {
    let text = #"{"x":""# + String(repeating: "x", count: Linter.maximumSize) + #""}"#
    let codes = Linter.report(onFile: Array(text.utf8), kind: kind).findings.map(\.code)
    #expect(codes.contains(.tooLarge))
  }

  @Test func eachMemberThatChangesIsNamed() throws {
    let documents = { (file: JSON?) in
      ReadDocuments(file.map { [DocumentKind.passkeyEndpoints: $0] } ?? [:])
    }
    let changes = { (before: JSON?, after: JSON?) in
      try DomainComparison(
        of: DomainName("example.com"), from: .init(documents(before), nil),
        to: .init(documents(after), nil)
      ).changes.map(\.summary)
    }
    #expect(
      try changes(
        ["enroll": "https://a.example/", "x": 1], ["enroll": "https://b.example/", "manage": 2])
        == [
          #"enroll "https://a.example/" → "https://b.example/""#, "x 1 removed", "manage 2 added",
        ])
    #expect(try changes(nil, [:]) == ["a file without pages added"])
    #expect(try changes([:], nil) == ["a file without pages removed"])
    #expect(try changes(["enroll": 1], ["enroll": 1]) == [])
  }
}
