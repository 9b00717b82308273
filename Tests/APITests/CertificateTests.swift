import Association
import TestSupport
import Testing

/// What a proxy is told that asks whether it may have a certificate for a name.
@Suite struct CertificateTests {
  let running: RunningService

  init() throws { running = try RunningService() }

  private func ask(_ query: String) throws -> RawResponse {
    try running.client().send("GET", "/tls/ask\(query)")
  }

  @Test func aCertificateIsAllowedWhileTheNameIsServed() throws {
    #expect(try ask("?domain=example.com").code == "not-served")
    try running.put("example.com", ["aliases": ["www.example.com", "*.go.example.com"]])
    for name in ["example.com", "EXAMPLE.com.", "www.example.com", "a.b.go.example.com"] {
      let response = try ask("?domain=\(name)")
      #expect(try response.status == 200 && response.json == ["status": "served"], "\(name)")
    }
    for name in ["go.example.com", "example.org", "com", "mail.example.com"] {
      #expect(try ask("?domain=\(name)").status == 404, "\(name)")
    }
    try running.put("example.com", ["enabled": false])
    #expect(try ask("?domain=example.com").status == 404)
    try running.put("example.com", [:])
    #expect(try ask("?domain=example.com").status == 200)
    #expect(try ask("?domain=www.example.com").status == 404)
    #expect(try running.admin.send("DELETE", "/v1/domains/example.com").status == 200)
    #expect(try ask("?domain=example.com").status == 404)
  }

  @Test func aNameCanHaveULabels() throws {
    try running.put("b%C3%BCcher.example", [:])
    #expect(try ask("?domain=b%C3%BCcher.example").status == 200)
    #expect(try ask("?domain=xn--bcher-kva.example").status == 200)
  }

  @Test(arguments: [
    ("", "domain-empty"), ("?domain=", "domain-empty"), ("?name=example.com", "unknown-parameter"),
    ("?domain=192.0.2.1", "domain-is-address"), ("?domain=[2001:db8::1]", "domain-is-address"),
    ("?domain=*.example.com", "domain-has-wildcard"), ("?domain=a..b", "domain-malformed"),
    ("?domain=example.com:443", "domain-has-port"),
    ("?domain=example.com/x", "domain-has-path"), ("?domain=a%20b", "domain-malformed"),
  ])
  func anInvalidNameIsABadRequest(query: String, code: String) throws {
    let response = try ask(query)
    #expect(try response.status == 400 && response.code == code, "\(response.text)")
  }
}
