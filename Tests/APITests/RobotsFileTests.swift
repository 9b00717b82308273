import Checking
import Testing

/// `robots.txt` says the same here as it does to Google (RFC 9309).
@Suite struct RobotsFileTests {
  private static let path = "/.well-known/assetlinks.json"

  private static func rule(_ text: String, _ path: String = path) -> RobotsFile.Rule? {
    RobotsFile(Array(text.utf8), for: ["GoogleAssociationService", "Googlebot"]).rule(against: path)
  }

  @Test(
    arguments: [
      // The groups.
      ("User-agent: *\nDisallow: /", 2),
      ("User-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow:", 2),
      ("User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /private", nil),
      ("User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow:", nil),
      ("User-agent: a\nUser-agent: *\nDisallow: /", 3),
      ("User-agent: GoogleAssociationService\nDisallow: /", 2),
      ("User-agent: googleassociationservice\nAllow: /\n\nUser-agent: Googlebot\nDisallow: /", nil),
      (
        "User-agent: Googlebot\nAllow: /\n\nUser-agent: GoogleAssociationService\nDisallow: /.well-known",
        5
      ),
      ("User-agent: *\nUser-agent: a\n\nDisallow: /", 4),
      ("User-agent: *\nDisallow: /x\nUser-agent: a\nDisallow: /", nil),
      (
        "User-agent: Googlebot\nDisallow: /x\nUser-agent: a\nAllow: /\nUser-agent: googlebot/2.1\nDisallow: /",
        6
      ),
      ("User-agent: Googlebot-News\nDisallow: /", nil), ("User-agent: AASA-Bot\nDisallow: /", nil),
      ("User-agent: *\nSitemap: https://a.example/s.xml\nCrawl-delay: 1\nDisallow: /", 4),
      ("Disallow: /", nil), ("", nil), ("User-agent: *", nil), ("User-agent: *\nDisallow:", nil),
      // The rules.
      ("User-agent: *\nDisallow: /.well-known/", 2), ("User-agent: *\nDisallow: /.well-known", 2),
      ("User-agent: *\nDisallow: /.well-known/apple", nil),
      ("User-agent: *\nDisallow: /\nAllow: /.well-known/", nil),
      ("User-agent: *\nAllow: /.well-known/\nDisallow: /", nil),
      ("User-agent: *\nAllow: /\nDisallow: /.well-known/", 3),
      ("User-agent: *\nDisallow: /.well-known/\nAllow: /.well-known/", nil),
      ("User-agent: *\nDisallow: /*.json$", 2), ("User-agent: *\nDisallow: /*.jso$", nil),
      ("User-agent: *\nDisallow: /*.json", 2), ("User-agent: *\nDisallow: *assetlinks", 2),
      ("User-agent: *\nDisallow: /$", nil), ("User-agent: *\nAllow: /$\nDisallow: /", 3),
      ("User-agent: *\nDisallow: /.*/*links*n$", 2), ("User-agent: *\nDisallow: /*$", 2),
      ("User-agent: *\nDisallow: /%2ewell-known/", 2),
      ("User-agent: *\nDisallow: /.Well-known/", nil),
      ("User-agent: *\nDisallow: .well-known", nil),
      ("User-agent: *\nDisallow: /.*\nAllow: /*.json$", nil),
      // The spelling.
      ("\u{FEFF}User-agent: *\nDisallow: /", 2), ("USER-AGENT:*\r\nDISALLOW:/\r\n", 2),
      ("User-agent: *\rDisallow: /", 2), ("\r\n\r\nUser-agent: *\r\nDisallow: /", 4),
      ("  User-agent : * # all\n\tDisallow :\t/ # no", 2), ("# User-agent: *\n# Disallow: /", nil),
      ("User-agent: *\nDisallow: # /", nil), ("useragent: *\ndisalow: /", 2),
      ("User-agent *\nDisallow /", 2), ("User-agent: *\nNoindex: /\nnonsense\n:\nDisallow: /", 5),
      ("<html>\n<body>User-agent: *\nDisallow: /</body>", nil),
    ] as [(String, Int?)])
  func theRuleThatDecidesIsFound(text: String, line: Int?) {
    #expect(Self.rule(text)?.line == line, "\(text)")
  }

  @Test func aRuleIsKnownByItsGroupAndItsLine() throws {
    let all = try #require(Self.rule("User-agent: *\n  Disallow: /  # no\n"))
    #expect(all.group == "*" && all.text == "  Disallow: /  # no")
    #expect(Self.rule("User-agent: GoogleBot\nDisallow: /")?.group == "Googlebot")
  }

  @Test func aFileIsReadUpToItsLimitAndInTimeInProportionToItsLength() {
    let agents = String(repeating: "User-agent: *\nUser-agent: Googlebot\n", count: 2_000)
    let rules = String(repeating: "Disallow: /*a*s*s*e*t*l*i*n*k*s*x\n", count: 3_000)
    #expect(Self.rule(agents + rules) == nil)
    let stars = "User-agent: *\nDisallow: /" + String(repeating: "*a", count: 50_000)
    #expect(Self.rule(stars) == nil)
    let comment = "#" + String(repeating: "x", count: RobotsFile.limit)
    #expect(Self.rule(comment + "\nUser-agent: *\nDisallow: /") == nil)
    let rest = "User-agent: *\nDisallow: /.well-known/apple"
    let start = String(repeating: "\n", count: RobotsFile.limit - rest.utf8.count + 5)
    #expect(Self.rule(start + rest) == nil, "a part of a line is no rule")
    #expect(
      Self.rule(String(repeating: "\n", count: 100_000) + "User-agent: *\nDisallow: /") != nil)
  }

  @Test(arguments: [
    "/", "/.well-known/", "/.well-known/*", "/.well-known/assetlinks.json",
    "/.well-known/assetlinks.json$", "/*.json$", "*", "/.well-known/assetlinks.js*",
  ])
  func theLineThatOutweighsARuleDoes(pattern: String) throws {
    let text = "User-agent: *\nDisallow: \(pattern)"
    let line = try #require(Self.rule(text)?.outweighing(Self.path))
    #expect(Self.rule("\(text)\n\(line)") == nil)
  }

  @Test func aRuleThatIsMoreSpecificThanAnyLineIsOnlyRemoved() throws {
    let rule = try #require(Self.rule("User-agent: *\nDisallow: /.well-known/*assetlinks.json$"))
    #expect(rule.outweighing(Self.path) == nil)
  }
}
