import Association
import TestSupport
import Testing

/// Where people without an app are sent is fixed when it is written: no link leads them to another host.
@Suite struct LinkTargetTests {
  private func url(_ target: String, _ path: String, _ query: String = "") throws -> String {
    try url(LinkTarget(target), Array(path.utf8), Array(query.utf8))
  }

  private func url(_ target: LinkTarget, _ path: [UInt8], _ query: [UInt8]) -> String {
    path.withUnsafeBytes { path in
      query.withUnsafeBytes { query in
        String(
          decoding: target.url(for: LinkTarget.Request(path: path, query: query)), as: UTF8.self)
      }
    }
  }

  @Test(arguments: [
    ("https://www.example.com{path}{query}", "https://www.example.com/a/b?x=1&y"),
    ("https://www.example.com", "https://www.example.com/"),
    ("https://www.example.com{query}", "https://www.example.com/?x=1&y"),
    ("https://www.example.com?from=app", "https://www.example.com/?from=app"),
    ("https://www.example.com/shop{path}", "https://www.example.com/shop/a/b"),
    ("https://www.example.com/open?link={path}", "https://www.example.com/open?link=/a/b"),
    ("https://www.example.com/open?a=b{query}", "https://www.example.com/open?a=b&x=1&y"),
    ("https://www.example.com/open?{query}", "https://www.example.com/open?x=1&y"),
    ("https://www.example.com/open?a=b&{query}", "https://www.example.com/open?a=b&x=1&y"),
    ("https://www.example.com/{query}#top", "https://www.example.com/?x=1&y#top"),
    ("https://app.example.com/#{path}{query}", "https://app.example.com/#/a/b?x=1&y"),
    ("https://WWW.example.com:443/a", "https://www.example.com/a"),
    ("https://www.example.com:8443{path}", "https://www.example.com:8443/a/b"),
    ("https://xn--bcher-kva.example{path}", "https://xn--bcher-kva.example/a/b"),
  ]) func placeholdersStandForThePathAndTheQueryOfTheLink(target: String, expected: String) throws {
    #expect(try url(target, "/a/b", "x=1&y") == expected)
  }

  @Test func aLinkWithoutQueryAddsNoQuestionMark() throws {
    #expect(try url("https://www.example.com{path}{query}", "/a") == "https://www.example.com/a")
    #expect(
      try url("https://www.example.com/?a=b{query}", "/a") == "https://www.example.com/?a=b")
    #expect(try url("https://www.example.com{path}", "") == "https://www.example.com/")
  }

  @Test func thePathIsOneValueWhereItStandsInAQuery() throws {
    #expect(
      try url("https://www.example.com/?to={path}&admin=0", "/a&admin=1#x+%2F=")
        == "https://www.example.com/?to=/a%26admin%3D1%23x%2B%252F%3D&admin=0")
  }

  @Test(arguments: [
    ("http://www.example.com{path}", "insecure-target"),
    ("//www.example.com{path}", "insecure-target"), ("www.example.com", "insecure-target"),
    ("market://details?id=com.example.app", "insecure-target"),
    ("itms-apps://apps.apple.com/app/id1", "insecure-target"),
    ("javascript:alert(1)", "insecure-target"), ("", "insecure-target"),
    ("https://{host}{path}", "malformed-target"), ("https://{path}", "malformed-target"),
    ("https://www.example.com{host}", "unknown-placeholder"),
    ("https://www.example.com/{host}", "unknown-placeholder"),
    ("https://www.example.com/?h={host}", "unknown-placeholder"),
    ("https://www.example.com/{Path}", "unknown-placeholder"),
    ("https://www.example.com/{}", "unknown-placeholder"),
    ("https://www.example.com/{path", "malformed-target"),
    ("https://www.example.com/a}", "malformed-target"),
    ("https://www.{path}", "malformed-target"), ("https://{path}.example.com", "malformed-target"),
    ("https://user@www.example.com{path}", "malformed-target"),
    ("https://user:secret@www.example.com/", "malformed-target"),
    ("https:///a", "malformed-target"), ("https://localhost{path}", "malformed-target"),
    ("https://192.0.2.1/", "malformed-target"), ("https://[::1]/", "malformed-target"),
    ("https://www.example.com.{path}", "malformed-target"),
    ("https://www.example.com:0/", "malformed-target"),
    ("https://www.example.com:65536/", "malformed-target"),
    ("https://www.example.com:/", "malformed-target"),
    ("https://www.example.com\\@evil.example/", "malformed-target"),
    ("https://www.example.com/a b", "malformed-target"),
    ("https://www.example.com/\r\nSet-Cookie: a=b", "malformed-target"),
    ("https://www.example.com/\u{0}", "malformed-target"),
    ("https://www.example.com/ä", "malformed-target"),
    ("https://www.example.com/%zz", "malformed-target"),
    ("https://www.example.com/<script>", "malformed-target"),
    ("https://www.example.com/{path}", "malformed-target"),
    ("https://www.example.com{query}{path}", "malformed-target"),
    ("https://www.example.com{query}{query}", "malformed-target"),
    ("https://www.example.com{query}&a=b", "malformed-target"),
    ("https://www.example.com/#a#b", "malformed-target"),
  ]) func anythingElseIsRefused(target: String, code: String) {
    let error = #expect(throws: ValidationError.self) { try LinkTarget(target) }
    #expect(
      error?.code.rawValue == code
        || code == "malformed-target" && error?.code.rawValue == "unknown-placeholder", "\(target)")
  }

  @Test func aTargetThatIsTooLongIsRefused() throws {
    let start = "https://www.example.com/"
    let longest = start + String(repeating: "a", count: 2048 - start.utf8.count)
    _ = try LinkTarget(longest)
    #expect(throws: ValidationError.self) { try LinkTarget(longest + "a") }
  }

  // MARK: Whatever a link has

  private static let targets = [
    "https://www.example.com{path}{query}", "https://www.example.com{query}",
    "https://www.example.com/shop{path}{query}#top", "https://www.example.com/?to={path}{query}",
    "https://www.example.com:8443{path}", "https://www.example.com/a?{query}",
    "https://www.example.com/#{path}{query}",
  ]
  private static let hostile =
    [
      "//evil.example/", "/\\evil.example", "\\\\evil.example", "/@evil.example", "@evil.example",
      ":8080@evil.example/", ".evil.example", "/../../evil", "/..//evil.example",
      "/%2e%2e/%2F%2fevil",
      "/\r\nLocation: https://evil.example", "/%0d%0aSet-Cookie:a=b", "/\t", "/\0", "/%", "/%4",
      "/%zz",
      "/a?b#c", "/#@evil.example", "/;/evil", "/https://evil.example", "https://evil.example/", "?",
      "#",
      "/\u{2028}", "/\u{FF0F}evil", "/é", "/<script>", "/\"'", "/{path}", "/{query}", "/[::1]",
      "/|^`", " ",
    ].map { Array($0.utf8) } + [
      [0x2F, 0xFF, 0xC0, 0x80], [0x2F, 0xE2, 0x80], Array(repeating: 0x5C, count: 4000),
    ]

  @Test(arguments: targets) func noLinkChangesSchemeAndHost(target: String) throws {
    var random = SeededGenerator(seed: 33)
    let target = try LinkTarget(target)
    let origin =
      target.text.contains(":8443") ? "https://www.example.com:8443" : "https://www.example.com"
    for _ in 0..<600 {
      let (path, query) = (Self.bytes(&random), Self.bytes(&random))
      let url = url(target, path, query)
      let parts = try #require(StrictURL(url), "\(url) of \(path) and \(query)")
      #expect(parts.origin == origin, "\(url) of \(path) and \(query)")
    }
  }

  private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    switch random.next() % 4 {
    case 0: return []
    case 1: return random.pick(hostile)
    case 2: return random.pick(hostile) + random.pick(hostile)
    default:
      return (0..<(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
  }
}

/// A URL as RFC 3986 defines it, character by character; `nil` for anything that it does not allow.
struct StrictURL {
  let origin: String

  init?(_ text: String) {
    let form =
      #/(https:\/\/[a-z0-9.-]+(?::[0-9]+)?)(?:\/(?:[A-Za-z0-9._~!$&'()*+,;=:@\/-]|%[0-9A-Fa-f]{2})*)(?:\?(?:[A-Za-z0-9._~!$&'()*+,;=:@\/?-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@\/?-]|%[0-9A-Fa-f]{2})*)?/#
    guard let match = text.wholeMatch(of: form) else { return nil }
    origin = String(match.1)
  }
}
