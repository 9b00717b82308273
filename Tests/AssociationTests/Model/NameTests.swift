import Association
import Testing

@Suite struct NameTests {
  @Test(arguments: [
    ("example.com", "example.com"), ("EXAMPLE.com.", "example.com"), ("localhost", "localhost"),
    ("münchen.example", "xn--mnchen-3ya.example"),
    ("XN--MNCHEN-3YA.example", "xn--mnchen-3ya.example"),
    ("a-b.1.example", "a-b.1.example"), ("straße.example", "xn--strae-oqa.example"),
    (
      String(repeating: "a", count: 63) + ".example", String(repeating: "a", count: 63) + ".example"
    ),
  ])
  func aDomainIsStoredAsLowerCaseALabels(given: String, stored: String) throws {
    #expect(try DomainName(given).text == stored)
  }

  @Test func anInternationalDomainIsShownWithItsULabel() throws {
    #expect(try DomainName("xn--mnchen-3ya.example").unicode == "münchen.example")
    #expect(try DomainName("example.com").unicode == "example.com")
  }

  @Test(arguments: [
    ("", "domain-empty"), ("https://example.com", "domain-has-scheme"),
    ("example.com:443", "domain-has-port"), ("example.com/x", "domain-has-path"),
    ("_dmarc.example.com", "domain-has-underscore"), ("192.0.2.1", "domain-is-address"),
    ("[::1]", "domain-is-address"), ("2001:db8::1", "domain-is-address"),
    ("*", "domain-has-wildcard"), ("*.example.com", "domain-has-wildcard"),
    ("a..example", "domain-malformed"), (".", "domain-malformed"),
    ("-a.example", "domain-malformed"),
    ("a-.example", "domain-malformed"), ("a b.example", "domain-malformed"),
    ("exa\u{0}mple.com", "domain-malformed"), ("a@example.com", "domain-malformed"),
    ("xn--a.example", "domain-malformed"),
    (String(repeating: "a", count: 64) + ".example", "domain-too-long"),
    (
      Array(repeating: String(repeating: "a", count: 49), count: 5).joined(separator: ".")
        + ".abcd", "domain-too-long"
    ),
  ])
  func anInvalidDomainIsRefusedWithACode(text: String, code: String) {
    let error = #expect(throws: ValidationError.self) { try DomainName(text) }
    #expect(error?.code.rawValue == code, "\(String(describing: error))")
  }

  @Test func aDomainMayHave253CharactersAndNoMore() throws {
    let label = String(repeating: "a", count: 49) + "."
    let longest = String(repeating: label, count: 5) + "abc"
    #expect(longest.count == 253)
    #expect(try DomainName(longest).text == longest)
  }

  @Test func anAliasMayCoverAllNamesBelowOne() throws {
    let alias = try Alias("*.Go.example.com")
    #expect(alias.isWildcard)
    #expect(alias.description == "*.go.example.com")
    #expect(try Alias("www.example.com").isWildcard == false)
  }

  @Test(arguments: [
    "*", "*.", "a.*.example.com", "**.example.com", "*.*.example.com", "*a.example.com",
  ])
  func aWildcardElsewhereIsRefused(text: String) {
    #expect(throws: ValidationError.self) { try Alias(text) }
  }

  @Test(arguments: [
    "ABCDE12345.com.example.app", "TEAM_ID.com.x", "DEVELOPMENT_TEAM.PRODUCT_BUNDLE_IDENTIFIER",
    "A.b", "9JA89QQLNQ.com.example.App-Clip",
  ])
  func anAppIdentifierBeginsWithItsPrefix(text: String) throws {
    let app = try AppIdentifier(text)
    #expect(app.text == text && text.hasPrefix("\(app.prefix).") && !app.prefix.contains("."))
  }

  @Test(arguments: ["com.example.app.widget", "com.example.application", "com.example"])
  func anotherAppIsNotTakenForOneThatIsMeant(bundle: String) throws {
    let app = try AppIdentifier("ABCDE12345.com.example.app")
    #expect(app.sentence(onOthersIn: ["ABCDE12345.\(bundle)"]).isEmpty)
  }

  @Test(arguments: [
    "", "ABCDE12345", ".com.example", "ABCDE12345.", "ABCDE12345..app", "ABCDE12345.com.",
    "ABCDE12345.com example", " ABCDE12345.com", "ABCDE12345.*", "ABCDE12345.com/x", "A.b\u{0}",
    "ABCDE12345.é", "A." + String(repeating: "b", count: 254),
  ])
  func anInvalidAppIdentifierIsRefused(text: String) {
    let error = #expect(throws: ValidationError.self) { try AppIdentifier(text) }
    #expect(error?.code.rawValue == "malformed-app-identifier")
  }
}
