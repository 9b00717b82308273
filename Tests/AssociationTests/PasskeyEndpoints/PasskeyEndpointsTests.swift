import Association
import Testing

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
    (#"{"enroll":"https://example.com/new","manage":"HTTPS://example.com"}"#, []),
    (#"{"prfUsageDetails":"https://login.example.org:8443/a?b=c#d"}"#, []),
    ("{}", []),
    ("[]", ["not-object "]),
    (#"{"enroll":"/new"}"#, ["malformed-endpoint /enroll"]),
    (#"{"enroll":"http://example.com/"}"#, ["malformed-endpoint /enroll"]),
    (#"{"manage":"https://"}"#, ["malformed-endpoint /manage"]),
    (#"{"manage":"https:///a.b"}"#, ["malformed-endpoint /manage"]),
    (#"{"manage":"https://localhost/"}"#, ["malformed-endpoint /manage"]),
    (#"{"manage":"https://example.com/a b"}"#, ["malformed-endpoint /manage"]),
    (#"{"manage":"https://example.com\n"}"#, ["malformed-endpoint /manage"]),
    (#"{"manage":"","enroll":[]}"#, ["malformed-endpoint /manage", "wrong-type /enroll"]),
    (#"{"Enroll":"https://example.com"}"#, ["unknown-key /Enroll"]),
    (#"{"enroll":"https://example.com","enroll":"/x"}"#, ["duplicate-key /enroll"]),
  ])
  func whatPasswordManagersIgnoreIsFound(text: String, findings: [String]) {
    let report = Linter.report(onFile: Array(text.utf8), kind: kind)
    #expect(report.findings.map { "\($0.code.rawValue) \($0.pointer)" } == findings)
    #expect(report.isValid == !report.findings.contains { $0.code != .unknownKey })
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
