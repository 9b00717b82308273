import Association
import Testing

/// What is certainly wrong with a document that is published as bytes is found.
@Suite struct NamedDocumentFindingTests {
  private static let now: UnixTime = 1_800_000_000

  private static func findings(
    _ name: String, _ text: String, type: MediaType? = nil
  ) throws -> [Finding] {
    var domain = Domain(name: DomainName(stored: "example.com"))
    domain.aliases = [Alias(stored: "www.example.com"), Alias(stored: "*.go.example.com")]
    domain.put(try NamedDocument(DocumentName(name), type, bytes: Array(text.utf8)))
    return domain.namedFindings(at: now)
  }

  private static func codes(_ name: String, _ text: String, type: MediaType? = nil) throws
    -> [String]
  {
    try findings(name, text, type: type).map { finding in
      #expect(finding.kind == .named(DocumentName(stored: name)))
      return "\(finding.code.rawValue) \(finding.severity) \(finding.pointer)"
    }
  }

  private static func expires(in days: Int64) -> String {
    "Contact: mailto:a@example.com\nExpires: \((now + days * 86_400).text)\n"
  }

  @Test(arguments: [
    (expires(in: 200), []),
    ("# a comment\r\ncontact: tel:+1-201-555-0123\r\nEXPIRES: 2027-12-31T18:37:07z\r\n", []),
    ("Contact: a:b\nExpires: 2037-01-01t00:00:00z\n", []),
    ("Contact: a:b\nExpires: 2037-02-30T00:00:00Z\n", ["missing-field error "]),
    ("Contact: a:b\nExpires: 2036-02-29T23:00:00+02:00\n", []),
    (expires(in: 31), []), (expires(in: 29), ["document-expiring warning "]),
    (expires(in: 0), ["document-expired error "]), (expires(in: -1), ["document-expired error "]),
    ("Contact: mailto:a@example.com\n", ["missing-field error "]),
    ("Expires: 2027-12-31T18:37:07Z\n", ["missing-field error "]),
    ("<html></html>", ["missing-field error ", "missing-field error "]),
    (expires(in: 200) + "Expires: 2027-12-31T18:37:07Z", ["missing-field error "]),
    ("Contact: a:b\nExpires: tomorrow", ["missing-field error "]),
    (expires(in: 200) + "Contact: http://example.com/", ["insecure-link warning "]),
    (
      expires(in: 200) + "Canonical: https://example.com/.well-known/security.txt",
      ["not-canonical warning "]
    ),
    (
      expires(in: 200) + "Canonical: https://example.com/.well-known/security.txt\n"
        + "Canonical: https://www.example.com/.well-known/security.txt", []
    ),
    (
      "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n" + expires(in: 200)
        + "-----BEGIN PGP SIGNATURE-----\nExpires: x\n-----END PGP SIGNATURE-----\n", []
    ),
  ])
  func aSecurityTextSaysWhomToAskAndUntilWhen(text: String, codes: [String]) throws {
    #expect(try Self.codes("security.txt", text) == codes)
  }

  @Test(arguments: [
    ("gpc.json", "{", ["not-json error "]), ("gpc.json", "{}", []),
    ("microsoft-identity-association.json", "[]", ["wrong-type warning "]),
    (
      "microsoft-identity-association.json",
      #"{"associatedApplications": [{"applicationId": "x"}]}"#,
      ["wrong-type warning /associatedApplications/0"]
    ),
    (
      "microsoft-identity-association.json",
      #"{"associatedApplications": [{"applicationId": "00000000-0000-0000-0000-00000000000a"}]}"#,
      []
    ),
    (
      "web-app-origin-association", #"{"web_apps": [{"manifest": "https://a.example/m"}]}"#,
      ["outdated-form error /web_apps"]
    ),
    ("web-app-origin-association", #"{"https://a.example/": {"scope": "/"}}"#, []),
    (
      "web-app-origin-association", #"{"a": 1}"#,
      ["wrong-type warning /a", "wrong-type warning /a"]
    ),
    ("applinking.json", #"{"apps": []}"#, ["wrong-type warning "]),
    (
      "applinking.json", #"{"applinking": {"apps": [{"appIdentifier": 1}]}}"#,
      ["wrong-type warning /applinking/apps/0"]
    ),
    ("applinking.json", #"{"applinking": {"apps": [{"appIdentifier": "1", "index": 100}]}}"#, []),
    (
      "applinking.json", #"{"applinking": {"apps": [{"appIdentifier": "1", "index": 101}]}}"#,
      ["wrong-type warning /applinking/apps/0/index"]
    ),
    ("windows-app-web-link", "{}", ["wrong-type warning "]),
    ("windows-app-web-link", #"[{"packageFamilyName": "Shop_1234567890abc", "paths": ["*"]}]"#, []),
    (
      "windows-app-web-link", #"[{"packageFamilyName": "Shop_1234.ABC-XYZ0", "paths": ["*"]}]"#,
      ["wrong-type warning /0"]
    ),
    (
      "windows-app-web-link", #"[{"packageFamilyName": "com.example", "paths": []}]"#,
      ["wrong-type warning /0", "wrong-type warning /0"]
    ),
    (
      "com.apple.remotemanagement",
      #"{"Servers": [{"Version": "mdm-byod", "BaseURL": "https://a.example/"}]}"#, []
    ),
    ("com.apple.remotemanagement", #"{"Servers": []}"#, ["wrong-type warning "]),
    ("apple-developer-merchantid-domain-association.txt", "7B", ["wrong-name warning "]),
    ("windows-app-web-link.json", "[]", ["wrong-name warning "]),
    ("passkey-endpoints.json", "{}", ["wrong-name warning "]),
    ("web-app-origin-association.json", "{}", ["wrong-name warning "]),
    ("windows-web-app-link", "[]", ["wrong-name warning "]),
    ("assetLinks.json", "[]", ["wrong-name warning "]),
    ("assetlink.json", "[]", ["wrong-name warning "]),
    ("Apple-App-Site-Association", "{}", ["wrong-name warning "]),
    ("assetlinks-of-mine.json", "[]", []),
    ("apple-developer-merchantid-domain-association", "7B", []), ("trust.txt", "x", []),
  ])
  func whatTheReaderOfAKnownNameDoesNotReadIsFound(
    name: String, text: String, codes: [String]
  ) throws {
    #expect(try Self.codes(name, text) == codes)
  }

  @Test func anyDocumentWithAMediaTypeOfJSONMustBeJSON() throws {
    #expect(try Self.codes("x", "{", type: .json) == ["not-json error "])
    #expect(try Self.codes("x", "{", type: MediaType("application/a+json")) == ["not-json error "])
    #expect(try Self.codes("x", "{") == [])
  }
}
