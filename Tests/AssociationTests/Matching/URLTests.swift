import Association
import Testing

/// What counts as a URL, and as the host of a domain.
@Suite struct URLTests {
  private let matcher: Matcher
  private let everything: Matcher

  init() throws {
    matcher = try Matcher(document: [
      "applinks": ["details": [["appID": "a", "components": [["/": "/x", "?": "q", "#": "f"]]]]]
    ])
    everything = try Matcher(document: [
      "applinks": ["details": [["appID": "a", "components": [[:]]]]]
    ])
  }

  @Test(arguments: [
    "https://example.com/x?q#f", "http://example.com/x?q#f", "HTTPS://example.com/x?q#f",
    "https://user:pass@example.com:8443/x?q#f", "https://[::1]:80/x/?q#f", "https://a/x?q#f",
  ])
  func aURLIsSplitAsItIsWritten(url: String) throws {
    #expect(try matcher.resolve(url, in: matcher.everyEntry).resolution == .match)
  }

  @Test(arguments: [
    "", "/x?q#f", "example.com/x?q#f", "ftp://example.com/x?q#f", "https:/x?q#f", "https://",
    "https:///x", "https://?q", "https://:80/x", "https://user@/x", "https://.", "httpsx://a/",
    "http",
    "myapp://x", " https://example.com/x", "https//example.com", "mailto:a@example.com",
  ])
  func whatIsNoURLMatchesNothingAndSaysSo(url: String) throws {
    let explanation = try everything.explain(url, in: everything.everyEntry)
    #expect(explanation.resolution == .noMatch)
    #expect(explanation.reason == "The URL is not an http or https URL with a host.")
  }

  @Test(arguments: [
    ("https://example.com/", true), ("https://EXAMPLE.com:8080/", true),
    ("https://a@b@example.com./", true), ("https://example.com", true),
    ("https://example.com#x", true),
    ("https://www.example.com/", false), ("https://example.com.evil.test/", false),
    ("https://example.com@evil.test/", false), ("https://evil.test/example.com", false),
    ("https://examplexcom/", false),
  ])
  func onlyTheDomainsOwnURLsMatch(url: String, isOwn: Bool) throws {
    for domain in ["example.com", "Example.COM", "example.com."] {
      let explanation = try everything.explain(url, in: everything.everyEntry, domain: domain)
      #expect(explanation.resolution == (isOwn ? .match : .noMatch))
    }
    #expect(try everything.resolve(url, in: everything.everyEntry).resolution == .match)
  }

  @Test(arguments: [
    ("https://bücher.example/", true), ("https://BÜCHER.example:8443/", true),
    ("https://xn--bcher-kva.example/", true), ("https://bücher。example/", true),
    ("https://bucher.example/", false), ("https://büchers.example/", false),
    ("https://b\u{FFFF}cher.example/", false),
  ])
  func aHostWithULabelsIsTheOneWithALabels(url: String, isOwn: Bool) throws {
    let explanation = try everything.explain(
      url, in: everything.everyEntry, domain: "xn--bcher-kva.example")
    #expect(explanation.resolution == (isOwn ? .match : .noMatch), "\(explanation.reason)")
  }
}
