import HTTP
import TestSupport
import Testing

@Suite struct ForwardedHostTests {
  static let bodies = ["proxy.example": "proxy", "example.com": "real", "evil.example": "evil"]

  static func serving(trusting ranges: [String]) throws -> Serving {
    try Serving(
      bodies, settings: PublicSettings(trustedProxies: ranges.compactMap { AddressRange($0) }))
  }

  static func answer(_ lines: [String], trusting ranges: [String]) throws -> RawResponse {
    let fields = lines.map { $0 + "\r\n" }.joined()
    return try serving(trusting: ranges).connect().exchange(
      "GET \(Serving.path) HTTP/1.1\r\nHost: proxy.example\r\n\(fields)\r\n")
  }

  @Test(arguments: [
    ["X-Forwarded-Host: example.com"], ["x-forwarded-host: EXAMPLE.com:443"],
    ["X-Forwarded-Host: evil.example, example.com"],
    ["X-Forwarded-Host: evil.example,example.com "],
    ["X-Forwarded-Host: evil.example", "X-Forwarded-Host: example.com"],
    ["Forwarded: host=example.com"],
    ["Forwarded: for=192.0.2.1;HOST=\"example.com:8443\";proto=https"],
    ["Forwarded: host=evil.example, for=\"[2001:db8::1]:47011\"; host=example.com"],
    ["Forwarded: host=\"evil.example, x\";by=a,;host=example.com;"],
    ["Forwarded: host=evil.example", "Forwarded: host=example.com"],
    ["Forwarded: for=192.0.2.1;host=example.com", "X-Forwarded-Host: Example.com"],
    ["Forwarded: host=evil.example, for=192.0.2.1", "X-Forwarded-Host: example.com"],
  ])
  func theHostFromTheNearestTrustedProxyIsUsed(lines: [String]) throws {
    #expect(try Self.answer(lines, trusting: ["10.0.0.0/8", "127.0.0.0/8"]).text == "real")
  }

  @Test(arguments: [
    ["X-Forwarded-Host: evil.example"], ["Forwarded: host=evil.example"],
    ["X-Forwarded-Host: a b"], ["Forwarded: \""],
  ])
  func forwardedFieldsFromAnybodyElseAreIgnored(lines: [String]) throws {
    for ranges in [[], ["10.0.0.0/8", "::1"]] {
      #expect(try Self.answer(lines, trusting: ranges).text == "proxy")
    }
  }

  @Test(arguments: ["Forwarded: for=192.0.2.1;proto=https", "Forwarded:", "Forwarded: ,"])
  func theHostFieldIsUsedIfTheProxyNamesNoHost(line: String) throws {
    #expect(try Self.answer([line], trusting: ["127.0.0.1"]).text == "proxy")
  }

  @Test(arguments: [
    (["X-Forwarded-Host: a b"], "malformed-host"), (["X-Forwarded-Host:"], "malformed-host"),
    (["X-Forwarded-Host: example.com,"], "malformed-host"),
    (["Forwarded: host=\"\""], "malformed-host"),
    (["Forwarded: host=\"example.com"], "unclear-forwarded-host"),
    (["Forwarded: x=\", host=example.com"], "unclear-forwarded-host"),
    (["Forwarded: x=\", for=\"_a\";host=example.com"], "unclear-forwarded-host"),
    (["Forwarded: host=evil.example;host=example.com"], "unclear-forwarded-host"),
    (["Forwarded: host"], "unclear-forwarded-host"),
    (["Forwarded: host=\"ex\\ample.com\""], "unclear-forwarded-host"),
    (
      ["Forwarded: host=evil.example", "X-Forwarded-Host: example.com"], "unclear-forwarded-host"
    ),
  ])
  func ambiguousForwardedFieldsAreABadRequest(lines: [String], code: String) throws {
    let response = try Self.answer(lines, trusting: ["127.0.0.1"])
    #expect(response.status == 400)
    #expect(Serving.code(response) == code)
  }

  @Test func theTrustedProxiesChangeWhileConnectionsAreOpen() throws {
    let serving = try Self.serving(trusting: [])
    let connection = try serving.connect()
    let request =
      "GET \(Serving.path) HTTP/1.1\r\nHost: proxy.example\r\nX-Forwarded-Host: example.com\r\n\r\n"
    #expect(try connection.exchange(request).text == "proxy")
    serving.listener.apply(
      PublicSettings(trustedProxies: [try #require(AddressRange("127.0.0.1"))]))
    #expect(try connection.exchange(request).text == "real")
    serving.listener.apply(PublicSettings())
    #expect(try connection.exchange(request).text == "proxy")
  }
}
