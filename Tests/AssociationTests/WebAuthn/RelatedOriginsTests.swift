import Association
import Testing

@Suite struct RelatedOriginsTests {
  private func domain() throws -> Domain { Domain(name: try DomainName("example.com")) }

  @Test(arguments: [
    ("https://example.com", true), ("https://example.com:8443", true),
    ("https://xn--bcher-kva.example", true), ("https://example.com/", false),
    ("https://example.com:443", false), ("https://Example.com", false),
    ("http://example.com", false), ("https://*.example.com", false), ("https://localhost", false),
    ("https://192.0.2.1", false), ("https://example.com.", false), ("https://example.com:", false),
    ("https://u@example.com", false), ("https://bücher.example", false), ("example.com", false),
    (" https://example.com", false), ("https:example.com", false), ("", false), (":", false),
    ("https://example.com:0443", false), ("https://example.com:99999", false),
  ])
  func anOriginIsHttpsAHostAndMaybeAPort(text: String, isValid: Bool) {
    #expect((WebOrigin(text) != nil) == isValid)
  }

  @Test func aDomainWithoutOriginsHasNoFile() throws {
    #expect(try domain().webAuthn == nil)
  }

  @Test func originsAreTheFile() throws {
    var domain = try domain()
    domain.webAuthnOrigins = ["https://example.de", "https://example.fr"].compactMap {
      WebOrigin($0)
    }
    #expect(domain.webAuthn == ["origins": ["https://example.de", "https://example.fr"]])
  }

  /// Also what browsers do not read is served again as it was.
  @Test(arguments: [
    #"{"origins":["https://example.de"]}"#,
    #"{"origins":["example.de","https://a.de",1,null,"https://b.de","https://c.de/"],"x":{"y":[]}}"#,
    #"{"origins":["https://a.de","HTTPS://B.de"]}"#,
    #"{"x":1,"origins":[]}"#,
    #"{"origins":[]}"#,
    #"{"x":1}"#,
    #"{"origins":["https://a.de","https://a.de"],"Origins":["https://b.de"]}"#,
    #"{"origins":[["https://a.de"],{"0":"https://b.de"}]}"#,
  ])
  func anAdoptedFileIsServedUnchanged(text: String) throws {
    let file = try JSON.parse(Array(text.utf8)).value
    var domain = try domain()
    domain.webAuthnOrigins = ["https://old.example"].compactMap { WebOrigin($0) }
    domain.webAuthnExtra = ["old": true]
    try domain.adoptWebAuthn(file)
    #expect(domain.webAuthn == file)
    #expect(domain.webAuthnExtra["origins"].map(Domain.areOtherOrigins) != false)
  }

  @Test func adoptedOriginsAreRowsAndTheRestIsKeptBesideThem() throws {
    var domain = try domain()
    try domain.adoptWebAuthn(["x": 1, "origins": ["example.de", "https://a.de", "https://b.de/"]])
    #expect(domain.webAuthnOrigins.map(\.text) == ["https://a.de"])
    #expect(
      domain.webAuthnExtra == ["x": 1, "origins": ["0": "example.de", "2": "https://b.de/"]])
    domain.webAuthnOrigins.append(contentsOf: ["https://c.de"].compactMap { WebOrigin($0) })
    #expect(
      domain.webAuthn
        == ["x": 1, "origins": ["example.de", "https://a.de", "https://b.de/", "https://c.de"]])
  }

  /// Members of JSON have no order.
  @Test func otherElementsKeepTheirPlaceInAnyOrderOfMembers() throws {
    var domain = try domain()
    domain.webAuthnOrigins = ["https://a.de"].compactMap { WebOrigin($0) }
    domain.webAuthnExtra = ["origins": ["10": "z", "0": "y"]]
    #expect(domain.webAuthn == ["origins": ["y", "https://a.de", "z"]])
  }

  @Test(arguments: [
    ("[]", "", "an array but must be an object"), ("{}", "", "nothing that can be stored"),
    (#"{"origins":{"0":"a"}}"#, "/origins", "an object but must be an array"),
  ])
  func aFileThatRowsCannotHoldIsRefusedAndNothingChanges(
    text: String, pointer: String, message: String
  ) throws {
    var domain = try domain()
    domain.webAuthnOrigins = ["https://a.de"].compactMap { WebOrigin($0) }
    let before = domain
    let file = try JSON.parse(Array(text.utf8)).value
    let error = try #require(throws: AdoptionError.self) { try domain.adoptWebAuthn(file) }
    #expect(error.pointer.description == pointer)
    #expect(error.message.contains(message), "\(error.message)")
    #expect(domain == before)
  }

  @Test(arguments: [
    (#"{"0":"a","3":1}"#, true), ("{}", true), (#"{"0":"https://a.de"}"#, false),
    (#"{"-1":"a"}"#, false), (#"{"a":"b"}"#, false), (#"["a"]"#, false),
  ])
  func otherElementsAreKeptByTheirIndexOnly(text: String, isValid: Bool) throws {
    #expect(Domain.areOtherOrigins(try JSON.parse(Array(text.utf8)).value) == isValid)
  }
}
