import FoundationEssentials
import Association
import TestSupport
import Testing

/// `aasa match URL…`: what is published for the host of each URL.
@Suite struct PublishedMatchTests {
  private let trial: StateTrial
  private let app = AssociationFile.app

  init() throws {
    trial = try StateTrial()
    let answer = try trial.server.client().send(
      "PATCH", "/v1/domains/a.example", json: ["aliases": ["www.a.example", "*.go.a.example"]])
    guard answer.status == 200 else { throw StateTrial.NotSetUp(problem: answer.text) }
  }

  @Test(arguments: StateTrial.Site.allCases)
  func theDomainIsThatOfTheURL(site: StateTrial.Site) throws {
    let result = try trial.run(
      "match", at: site, "https://a.example/a", "b.example/c/1", "https://B.Example:443/a",
      "www.a.example/a", "x.y.go.a.example/a?q", "https://go.a.example/a")
    #expect(
      result.output == """
        match\t\(app)\thttps://a.example/a
        match\t\(app)\thttps://b.example/c/1
        no-match\t\(app)\thttps://B.Example:443/a
        match\t\(app)\thttps://www.a.example/a
        match\t\(app)\thttps://x.y.go.a.example/a?q
        no-match\t-\thttps://go.a.example/a

        """)
    #expect(result.status == 1)
    #expect(
      result.errors
        == "https://go.a.example/a: No domain is published for the host of this URL.\n")
    #expect(try trial.run("match", at: site, "a.example/a", "b.example/b").status == 0)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func itSaysWhy(site: StateTrial.Site) throws {
    let result = try trial.run("match", at: site, "--explain", "a.example/a", "c.example/a")
    let columns = result.lines.map { $0.split(separator: "\t").map(String.init) }
    #expect(columns[0][3] == "/applinks/details/0/components/0")
    #expect(columns[1].suffix(2) == ["-", "No domain is published for the host of this URL."])
    let json = try trial.run("match", at: site, "--json", "--app", app, "c.example/a")
    let answer = try JSON.parse(json.bytes).value
    #expect(answer["resolution"] == "no-match" && answer["app"] == .string(app))
  }

  /// More than one request asks about, from two domains in turn.
  @Test func manyURLsComeBackInTheirOrder() throws {
    let urls = (0..<500).map {
      "https://\($0 % 3 == 0 ? "b" : "a").example/\($0 % 2 == 0 ? "a" : "b")"
    }
    let result = try trial.run(
      "match", at: .server, "-", input: Array(urls.joined(separator: "\n").utf8))
    #expect(result.lines.map { String($0.split(separator: "\t")[2]) } == urls)
    #expect(
      result.lines.map { $0.hasPrefix("match\t") }
        == (0..<500).map { ($0 % 3 == 0) == ($0 % 2 != 0) })
  }

  @Test func aLineThatIsNoURLOfTheAPIIsSkippedAndReported() throws {
    let long = "https://a.example/" + String(repeating: "x", count: 9000)
    let input = Array("a.example/a\n\(long)\n".utf8) + [0xFF, 0x0A]
    let result = try trial.run("match", at: .server, "-", input: input)
    #expect(result.status == 1)
    #expect(result.lines == ["match\t\(app)\thttps://a.example/a"])
    #expect(result.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("Skipped ") })
  }

  @Test(arguments: [
    ["match", "--domain", "a.example", "https://a.example/"],
    ["match", "--file", "x", "--database", "y", "https://a.example/"],
  ])
  func aFileAndAServerDoNotMix(words: [String]) throws {
    #expect(try Program.run(Program.aasa, words).status == 64)
  }
}
