import Association
import TestSupport
import Testing

/// `aasa changes`, `undo` and `routes`: of a server and of a database.
@Suite struct UndoTests {
  let trial: StateTrial

  init() throws { trial = try StateTrial() }

  private func files() throws -> [[UInt8]] {
    try ["a.example", "b.example"].map { try trial.server.file(of: $0).body }
  }

  @Test(arguments: StateTrial.Site.allCases)
  func aChangeOfManyDomainsIsUndoneByItsNumber(site: StateTrial.Site) throws {
    let before = try files()
    let edited = try trial.run(
      "routes", at: site, "--add", "/gift/*", "--first", "*.example", "--reason", "spring")
    #expect(edited.status == 0, "\(edited.errors)")
    #expect(edited.output.contains("~ a.example") && edited.output.contains("~ b.example"))
    #expect(edited.output.hasSuffix("Domains: 2 updated.\n"))
    let list = try trial.run("changes", at: site, "--domain", "a.example", "--limit", "1")
    let line = try #require(list.lines.first).split(separator: "\t").map(String.init)
    #expect(line[3...] == ["2", "edit routes", "spring"])
    #expect(edited.errors.contains("aasa undo \(line[0])"))
    let audit = try trial.run("audit", at: site, "--limit", "1")
    #expect(audit.lines[0].contains("\t2 domains\t"))
    let parts = try trial.run("audit", at: site, "--change", line[0])
    let objects = parts.lines.map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)[4]
    }
    #expect(objects == ["b.example", "a.example"])
    let dry = try trial.run("undo", at: site, "--dry-run", line[0])
    #expect(dry.status == 0 && dry.output.hasSuffix("Domains: 2 to update. Nothing was changed.\n"))
    let undone = try trial.run("undo", at: site, line[0], "--reason", "wrong")
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try files().map { $0 } == before || site == .database)
    let undoing = try trial.run("changes", at: site, "--limit", "2")
    #expect(undoing.lines[1].contains("edit routes (undone by "))
  }

  @Test(arguments: StateTrial.Site.allCases)
  func changesAreUndoneOneAfterTheOtherTheLastFirst(site: StateTrial.Site) throws {
    let change = { (words: String...) in
      let done = try trial.run(words[0], at: site, words: Array(words.dropFirst()))
      #expect(done.status == 0, "\(done.errors)")
      return try String(
        trial.run("changes", at: site, "--limit", "1").lines[0].prefix { $0 != "\t" })
    }
    let export = {
      let domains = try trial.server.client().send("GET", "/v1/export").json["domains"]?.arrayValue
      return (domains ?? []).map { $0["entries"] }
    }
    let before = try export()
    let first = try change("routes", "--add", "/one/*", "*.example")
    let middle = try export()
    let second = try change("routes", "--add", "/two/*", "*.example")
    let last = try export()
    let undone = try change("undo", second)
    #expect(try export() == middle)
    _ = try change("undo", first)
    #expect(try export() == before)
    let redone = try trial.run("undo", at: site, undone)
    #expect(redone.status == 1 && redone.errors.contains("changed since"))
    _ = try change("undo", String((Int(undone) ?? 0) + 1))
    _ = try change("undo", undone)
    #expect(try export() == last)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func domainsThatChangedSinceAreNamed(site: StateTrial.Site) throws {
    let edited = try trial.run("routes", at: site, "--add", "/gift/*", "a.example", "b.example")
    #expect(edited.status == 0, "\(edited.errors)")
    let number = try trial.run("changes", at: site, "--limit", "1").lines[0].prefix { $0 != "\t" }
    let patch = try trial.server.client().send(
      "PATCH", "/v1/domains/a.example", json: ["cacheSeconds": 60])
    #expect(patch.status == 200)
    let refused = try trial.run("undo", at: site, String(number))
    #expect(refused.status == 1 && refused.errors.contains("a.example (in change 3) changed since"))
    #expect(refused.errors.contains("--skip changed"))
    let skipped = try trial.run("undo", at: site, String(number), "--skip", "changed")
    #expect(skipped.status == 0 && skipped.errors.contains("Left as they are: a.example"))
    #expect(skipped.output.contains("~ b.example") && !skipped.output.contains("a.example"))
  }

  @Test(arguments: StateTrial.Site.allCases)
  func routesAreMovedInDomainsThatALabelATemplateOrAConditionChooses(site: StateTrial.Site) throws {
    let client = try trial.server.client()
    let state: JSON = [
      "templates": [["template": "other", "cacheSeconds": 60]],
      "domains": [
        ["domain": "a.example", "labels": ["brand-a"]],
        ["domain": "b.example", "template": "other", "environment": "staging"],
      ],
    ]
    #expect(try client.send("POST", "/v1/apply?overwrite=true", json: state).status == 200)
    let routes = { (words: String...) in
      let done = try trial.run("routes", at: site, words: words)
      #expect(done.status == 0, "\(done.errors)")
      return done.output.split(separator: "\n").filter { $0.hasPrefix("~") }.map {
        $0.prefix(11)
      }
    }
    #expect(
      try routes("--add", "/gift/*", "--exclude", "--before", "/a", "--label", "brand-a")
        == ["~ a.example"])
    #expect(try trial.isServed(["/gift/*", "/a"], for: "a.example"))
    #expect(try routes("--move", "/a", "--first", "a.example", "b.example") == ["~ a.example"])
    #expect(try trial.isServed(["/a", "/gift/*"], for: "a.example"))
    #expect(
      try routes("--move", "/b", "--after", "/c/*", "--template", "other") == ["~ b.example"])
    #expect(try trial.isServed(["/c/*", "/b"], for: "b.example"))
    #expect(
      try routes(
        "--add", #"{"path": "/q", "query": "x=*"}"#, "--last", "--filter",
        #"{"environment": "staging"}"#) == ["~ b.example"])
    try trial.scratch.write(
      #"[{"remove": {"path": "/q", "query": "x=*"}}, {"add": {"path": "/d"}, "position": "first"}]"#,
      to: "edits.json")
    #expect(
      try routes("--edits", trial.scratch.path("edits.json"), "--template", "other")
        == ["~ b.example"])
    #expect(try trial.isServed(["/d", "/c/*", "/b"], for: "b.example"))
    #expect(
      try routes("--add", #"{"path": "/q"}"#, "--exclude", "--first", "b.example")
        == ["~ b.example"])
    #expect(
      try client.send("GET", "/v1/domains/b.example").json["entries"]?.arrayValue?.first?["routes"]?
        .arrayValue?.first?["exclude"] == true)
    let none = try trial.run("routes", at: site, "--add", "/x", "--label", "none")
    #expect(none.status == 1 && none.errors.contains("there is no domain that"), "\(none.errors)")
  }

  @Test(arguments: [
    ["routes", "--move", "/a", "--first", "--last", "a.example"],
    ["routes", "--add", "/a", "--edits", "x.json", "a.example"],
    ["routes", "--edits", "x.json", "--exclude", "a.example"],
    ["routes", "--edits", "x.json", "--before", "/b", "a.example"],
    ["show", "--kind", "security.txt", "a.example"], ["show", "--document", "--json", "a.example"],
    ["routes", "--add", "/a", "--filter", "x"], ["routes", "--add", "{", "a.example"],
    ["undo", "x"], ["undo", "0"], ["undo"], ["routes", "a.example"],
    ["routes", "--add", "/a", "--remove", "/b", "a.example"], ["routes", "--add", "/a"],
  ])
  func wrongUsageIsRefused(words: [String]) throws {
    #expect(try Program.run(Program.aasa, words + ["--database", trial.database]).status == 64)
  }
}
