import Association
import TestSupport
import Testing

/// From the edit that Apple has not seen yet to the proxy that answers for us, and back.
@Suite(CheckedWorld.needs) struct CheckStoryTests {
  private static let domain = "story.example"

  @Test func aChangeIsFollowedUntilAppleHasItAndAProxyThatAnswersHTMLRaisesAnAlert() throws {
    let world = try CheckedWorld()
    let receiver = try Target()
    let webhook: JSON = [
      "url": .string(receiver.url),
      "events": ["check.failed", "check.recovered", "apple.collected"],
    ]
    let put = try world.client.send("PUT", "/v1/webhooks/alerts", json: webhook)
    #expect(put.status == 201, "\(put.text)")
    let slack = try Target()
    let slackHook: JSON = [
      "url": .string(slack.url), "format": "slack", "events": ["check.failed"],
    ]
    #expect(try world.client.send("PUT", "/v1/webhooks/slack", json: slackHook).status == 201)
    let events = { () throws -> [String] in
      try receiver.received.map { try $0.json["type"]?.stringValue ?? "" }
    }

    // Apple has the first revision.
    try world.publish(Self.domain, ["/old/*"])
    #expect(try findings(world) == [])
    #expect(try becomesTrue { try events() == ["apple.collected"] })

    // An edit: Apple's copy is old until its time is over.
    try world.publish(Self.domain, ["/new/*"])
    let check = try world.check(Self.domain)
    #expect(CheckedWorld.findings(check) == ["cdn-stale warning"], "\(check.text)")
    #expect(check["cdn"]?["revision"] == 1 && check["cdn"]?["current"] == 2)
    try world.outside.dropCopy(of: Self.domain)
    #expect(try findings(world) == [])
    #expect(
      try becomesTrue { try events() == ["apple.collected", "apple.collected"] })
    #expect(try receiver.received.last?.json["data"]?["revision"] == 2)

    // A proxy answers HTML. One failure is no alert; two are one.
    try world.outside.site(
      Self.domain,
      [
        "paths": [
          CheckedWorld.path: CheckedWorld.page, "/apple-app-site-association": CheckedWorld.page,
        ]
      ])
    #expect(try findings(world) == ["html-answer error", "cdn-only warning"])
    #expect(try world.client.send("GET", "/v1/checks?status=failing").json["total"] == 1)
    #expect(try findings(world) == ["html-answer error", "cdn-only warning"])
    #expect(try becomesTrue { try events().last == "check.failed" })
    let alert = try #require(try receiver.received.last?.json["data"])
    #expect(alert["codes"] == ["html-answer"], "\(alert.text)")
    #expect(becomesTrue { !slack.received.isEmpty })
    // One line for each error, and what to do first.
    let text = try slack.received.first?.json["text"]?.stringValue ?? ""
    let lines = text.split(separator: "\n")
    #expect(lines.first?.hasPrefix("story.example: checks fail since 20") == true, "\(text)")
    #expect(lines.dropFirst().first?.contains("serves an HTML page instead of the file.") == true)
    #expect(lines.last?.hasSuffix("Pass this path to aasa.") == true && lines.count == 3)

    // Mended.
    try world.outside.site(Self.domain, ["upstream": .integer(world.server.publicPort)])
    #expect(try findings(world) == [])
    #expect(try becomesTrue { try events().last == "check.recovered" })
    #expect(try events().count == 4)
    #expect(try world.client.send("GET", "/v1/checks?status=failing").json["total"] == 0)
  }

  @Test func aCheckThroughAServerSaysWhichFindingsAreSuppressed() throws {
    let world = try CheckedWorld()
    try world.publish(Self.domain)
    try world.site(Self.domain, CheckedWorld.page)
    let check = { () throws -> String in
      try Program.aasa(
        "check", Self.domain, "--server", "http://127.0.0.1:\(world.server.adminPort)",
        environment: ["AASA_TOKEN": world.server.firstToken()]
      ).output
    }
    #expect(try !check().contains("(suppressed)"))
    let suppression: JSON = [
      "code": "html-answer", "pointer": "", "reason": "known", "owner": "web",
      "until": "2036-01-01T00:00:00Z",
    ]
    let answer = try world.client.send(
      "POST", "/v1/domains/\(Self.domain)/suppressions", json: suppression)
    #expect(answer.status == 201, "\(answer.text)")
    let lines = try check().split(separator: "\n")
    let marked = lines.filter { $0.hasSuffix("(suppressed)") }
    #expect(marked.count == 1 && marked[0].contains("html-answer"), "\(lines)")
  }

  @Test(arguments: StateTrial.Site.allCases)
  func theHistoryOfADomainIsListedNewestFirst(at place: StateTrial.Site) throws {
    let world = try CheckedWorld()
    try world.publish(Self.domain)
    #expect(try findings(world) == [])
    try world.site(Self.domain, CheckedWorld.page)
    for _ in 0..<2 { #expect(try findings(world).contains("html-answer error")) }
    let list = { (words: String...) throws -> Program.Result in
      let options =
        switch place {
        case .database: ["--database", world.scratch.path("aasa.db")]
        case .server: ["--server", "http://127.0.0.1:\(world.server.adminPort)"]
        }
      return try Program.run(
        Program.aasa, ["checks"] + words + options,
        environment: place == .server ? ["AASA_TOKEN": try world.server.firstToken()] : [:])
    }
    let lines = try list(Self.domain).lines.map { $0.split(separator: "\t").map(String.init) }
    try #require(lines.count == 2 && lines.allSatisfy { $0.count >= 5 }, "\(lines)")
    #expect(lines[0][2...3] == ["2", "failing"] && lines[0].last?.contains("html-answer") == true)
    #expect(lines[1][2...4] == ["1", "ok", "1"], "\(lines[1])")
    #expect(lines[1][1] < lines[0][0] || lines[1][1] == lines[0][0])
    // In full, as the API has it.
    let newest = try JSON.parse(try list("--json", "--limit", "1", Self.domain).bytes).value
    #expect(newest["checks"] == 2 && newest["last"]?["findings"]?.arrayValue?.isEmpty == false)
    let more = try list("--limit", "1", Self.domain)
    #expect(more.status == 0 && more.lines.count == 1 && more.errors.contains("--limit"))
    let unknown = try list("unknown.example")
    #expect(unknown.status == 1 && unknown.errors.contains("unknown.example"), "\(unknown.errors)")
  }

  private func findings(_ world: CheckedWorld) throws -> [String] {
    CheckedWorld.findings(try world.check(Self.domain))
  }
}
