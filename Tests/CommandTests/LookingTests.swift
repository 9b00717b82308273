import FoundationEssentials
import Association
import TestSupport
import Testing

/// `aasa domains`, `show`, `revisions` and `audit`: of a server and of a database.
@Suite struct LookingTests {
  let trial: StateTrial

  init() throws { trial = try StateTrial() }

  @Test(arguments: StateTrial.Site.allCases)
  func eachDomainIsALine(site: StateTrial.Site) throws {
    let off = try trial.server.client().send(
      "PATCH", "/v1/domains/b.example?accept=opens-nothing",
      json: ["enabled": false, "expectations": []])
    #expect(off.status == 200, "\(off.text)")
    let result = try trial.run("domains", at: site)
    #expect(result.status == 0 && result.errors.isEmpty)
    let rows = result.lines.map { $0.split(separator: "\t").map(String.init) }
    #expect(rows.map { $0[0] } == ["a.example", "b.example"])
    #expect(rows.map { $0[1] } == ["1", "2"])
    #expect(rows.map { $0[4] } == ["served", "disabled"])
    #expect(try trial.run("domains", at: site, "a.ex").lines.count == 1)
    #expect(try trial.run("domains", at: site, "--app", AssociationFile.app).lines.count == 2)
    let json = try trial.run("domains", at: site, "--json").lines.map {
      try JSON.parse($0.utf8).value
    }
    #expect(json.map { $0["enabled"] } == [true, false])
    let none = try trial.run("domains", at: site, "nothing")
    #expect(none.status == 0 && none.output.isEmpty && none.errors == "No domains.\n")
  }

  @Test(arguments: StateTrial.Site.allCases)
  func domainsAreChosenByTheirDocuments(site: StateTrial.Site) throws {
    let client = try trial.server.client()
    let text = try client.send(
      "PUT", "/v1/domains/a.example/documents/security.txt?accept=missing-field",
      body: Array("Contact: x".utf8))
    #expect(text.status == 200, "\(text.text)")
    let listed = try trial.run("domains", at: site, "--kind", "security.txt")
    #expect(listed.lines.count == 1 && listed.output.hasPrefix("a.example\t"), "\(listed.errors)")
  }

  @Test(
    arguments: StateTrial.Site.allCases,
    [
      ["domains", "--check", "bogus"], ["domains", "--environment", "live"],
      ["domains", "--finding", "not-jsn"], ["findings", "--source", "web"],
      ["findings", "--code", "not-jsn"],
    ])
  func aWordThatAnOptionDoesNotHaveIsWrongUsage(site: StateTrial.Site, words: [String]) throws {
    let result = try trial.run(words[0], at: site, words: Array(words.dropFirst()))
    #expect(result.status == 64, "\(result.errors)")
    #expect(result.errors.contains(words[1]) && result.errors.utf8.count < 200)
  }

  @Test func aListOfManyPagesIsWholeUnlessItIsLimited() throws {
    let domains = (1000..<2100).map { StateTrial.domain("d\($0).example", ["/"]) }
    let freed = try trial.server.client().send(
      "PATCH", "/v1/domains/b.example", json: ["expectations": []])
    #expect(freed.status == 200, "\(freed.text)")
    let answer = try trial.server.client().send(
      "POST", "/v1/apply?prune=true&overwrite=true&accept=opens-nothing",
      json: ["domains": .array(domains)])
    #expect(answer.status == 200, "\(answer.text)")
    let names = try trial.run("domains", at: .server).lines.map { $0.prefix { $0 != "\t" } }
    #expect(names == (1000..<2100).map { "d\($0).example" })
    let few = try trial.run("domains", at: .server, "--limit", "3")
    #expect(few.lines.count == 3)
    #expect(few.errors == "There are more than 3 domains. Use --limit to see more.\n")
  }

  @Test(arguments: StateTrial.Site.allCases)
  func showHasEveryRouteAndWhetherAppleHasTheRevision(site: StateTrial.Site) throws {
    let domain: JSON = [
      "aliases": ["www.c.example"],
      "entries": [
        [
          "apps": [.string(AssociationFile.app)],
          "routes": [
            ["path": "/help/web/*", "exclude": true],
            ["path": "/help/*", "query": ["id": "??"], "comment": "articles"],
          ],
        ]
      ],
    ]
    #expect(
      try trial.server.client().send("PUT", "/v1/domains/c.example", json: domain).status == 201)
    let result = try trial.run("show", at: site, "c.example")
    #expect(result.status == 0)
    #expect(result.lines.first == "c.example")
    for text in [
      "www.c.example", "has not fetched this revision", "\nEntry 1: \(AssociationFile.app)\n",
      "\n  exclude  /help/web/*\n  open     /help/*  ?id=??  articles\n",
    ] {
      #expect(result.output.contains(text), "\(result.output)")
    }
    let json = try JSON.parse(trial.run("show", at: site, "--json", "c.example").bytes).value
    let read = try trial.server.client().send("GET", "/v1/domains/c.example").json
    #expect(json == read)
    let document = try trial.run("show", at: site, "--document", "c.example")
    #expect(try document.bytes == trial.server.file(of: "c.example").body)
    let missing = try trial.run("show", at: site, "d.example")
    #expect(missing.status == 1 && missing.output.isEmpty)
    #expect(missing.errors.hasSuffix(": The domain \"d.example\" does not exist.\n"))
  }

  @Test(arguments: StateTrial.Site.allCases)
  func showHasWhatATemplateGivesAndSaysSo(site: StateTrial.Site) throws {
    let app = "ABCDE12345.com.example.app"
    let template = { (path: String) -> JSON in
      [
        "parameters": [["name": "shop", "type": "path"]], "cacheSeconds": 60,
        "entries": [["apps": [.string(app)], "routes": [["path": .string(path)]]]],
        "webcredentials": [.string(app)],
        "expectations": [
          ["url": "https://{domain}/{shop}/1", "app": .string(app), "resolution": "match"]
        ],
      ]
    }
    let client = try trial.server.client()
    let path = "/v1/templates/white-label"
    #expect(try client.send("PUT", path, json: template("/{shop}/*")).status == 201)
    let domain: JSON = [
      "template": "white-label", "parameters": ["shop": "boutique"],
      "entries": [["apps": [.string(app)], "routes": [["path": "/own/*"]]]],
      "expectations": [
        ["url": "https://c.example/boutique/2", "app": .string(app), "resolution": "match"]
      ],
    ]
    #expect(try client.send("PUT", "/v1/domains/c.example", json: domain).status == 201)
    let result = try trial.run("show", at: site, "c.example")
    for text in [
      "template    white-label: shop=boutique\n", "cache       60 seconds, from the template\n",
      "format      modern\n",
      "\nEntry 1: \(app)\n  open     /own/*\n",
      "\nEntry 2: \(app), from the template\n  open     /boutique/*\n",
      "\nwebcredentials: \(app), from the template\n", "/boutique/2  \(app)\n",
      "/boutique/1  \(app), from the template\n",
    ] {
      #expect(result.output.contains(text), "\(result.output)")
    }
    var new = template("/{shop}/1").objectValue ?? [:]
    new["cacheSeconds"] = 5
    let edited = try client.send("PUT", path + "?skip=refused", json: .object(new))
    #expect(try edited.json["skipped"] == ["c.example"], "\(edited.text)")
    let behind = try trial.run("show", at: site, "c.example")
    #expect(behind.output.contains("its last edit was refused for this domain"))
    #expect(behind.output.contains("60 seconds"))
    let json = try JSON.parse(trial.run("show", at: site, "--json", "c.example").bytes).value
    #expect(json["behindTemplate"] == true && json["entries"]?.arrayValue?.count == 1)
    let sent = try client.send(
      "PUT", "/v1/domains/c.example", body: json.serialized(), "If-Match: *")
    #expect(sent.status == 409, "it can be sent back as it came: \(sent.text)")
    #expect(try !client.send("GET", "/v1/export").text.contains("behindTemplate"))
  }

  @Test(arguments: StateTrial.Site.allCases)
  func aBadChangeIsFoundAndRolledBack(site: StateTrial.Site) throws {
    let change = try trial.server.client().send(
      "PATCH", "/v1/domains/a.example?reason=release+7",
      json: ["entries": StateTrial.domain("a.example", ["/z"])["entries"] ?? []])
    #expect(change.status == 200, "\(change.text)")
    // What happened, and who did it?
    let revisions = try trial.run("revisions", at: site, "a.example").lines.map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    #expect(revisions.map { $0[0] } == ["2", "1"])
    #expect(revisions[0][2] == "first-admin" && revisions[0][4] == "release 7")
    // What would go back?
    let plan = try trial.run("rollback", at: site, "--dry-run", "a.example", "1")
    #expect(plan.status == 0)
    #expect(plan.lines.first?.hasPrefix("~ a.example  revision 3, ") == true)
    #expect(
      plan.output.contains("https://a.example/z for \(AssociationFile.app): match → no-match"))
    #expect(plan.lines.last == "Nothing was changed.")
    #expect(try trial.isServed(["/z"], for: "a.example"))
    // Back it goes.
    let done = try trial.run("rollback", at: site, "a.example", "1", "--reason", "breaks links")
    #expect(done.status == 0 && done.errors.isEmpty)
    #expect(try trial.isServed(["/a"], for: "a.example"))
    let again = try trial.run("rollback", at: site, "a.example", "1")
    #expect(again.output == "No changes: a.example already matches revision 1.\n")
    let audit = try trial.run("audit", at: site, "--domain", "a.example", "--limit", "1")
    let record = audit.lines[0].split(separator: "\t", omittingEmptySubsequences: false)
    #expect(record[1] == (site == .server ? "first-admin" : "aasa rollback"))
    #expect(
      record.suffix(5) == [
        "restore revision 1", "a.example", "3", "breaks links",
        "apple-app-site-association changed",
      ])
    for (option, count) in [("--since", 0), ("--until", 1)] {
      let some = try trial.run(
        "audit", at: site, "--domain", "a.example", option, "2100-01-01", "--limit", "1")
      #expect(some.status == 0 && some.lines.count == count, "\(some)")
    }
    let unknown = try trial.run("rollback", at: site, "a.example", "9")
    #expect(unknown.status == 1)
    #expect(unknown.errors.contains("no revision 9"), "\(unknown.errors)")
  }

  @Test(arguments: StateTrial.Site.allCases)
  func domainsThatWereDeletedOrThatAppleLacksAreListed(site: StateTrial.Site) throws {
    #expect(try trial.run("domains", at: site, "--uncollected").lines.count == 2)
    #expect(try trial.run("domains", at: site, "--deleted").lines.isEmpty)
    let answer = try trial.server.client().send(
      "DELETE", "/v1/domains/a.example?accept=opens-nothing")
    #expect(answer.status == 200, "\(answer.text)")
    let deleted = try trial.run("domains", at: site, "--deleted")
    #expect(deleted.lines.count == 1 && deleted.output.hasPrefix("a.example\t1\t"))
    #expect(deleted.output.hasSuffix("\tdeleted\t\n"))
    let show = try trial.run("show", at: site, "a.example")
    #expect(show.status == 1 && show.errors.contains("\"a.example\" was deleted. To bring it back"))
  }

  @Test(arguments: StateTrial.Site.allCases)
  func pathsThatOnlyOldSystemsReadDoNotKeepADomainFromBeingConverted(site: StateTrial.Site) throws {
    let app = AssociationFile.app
    let file = """
      {"applinks": {"apps": [], "details": [
        {"appID": "\(app)", "paths": ["NOT /a/web/*", "/a/*"]},
        {"appID": "\(app)", "appIDs": ["\(app)"], "paths": ["/old/*"], "components": [{"/": "/b"}]}]}}
      """
    let adopted = try trial.server.client().send(
      "PUT", "/v1/domains/c.example/file", body: Array(file.utf8))
    #expect(adopted.status == 201, "\(adopted.text)")
    let plan = try trial.run("convert", at: site, "--dry-run", "c.example")
    #expect(plan.status == 0 && plan.lines.last == "Nothing was changed.", "\(plan.output)")
    let done = try trial.run("convert", at: site, "c.example")
    #expect(
      done.status == 0 && done.errors.hasSuffix("No URL of c.example resolves differently.\n"))
    #expect(
      done.errors.contains(
        "note /applinks/details/1/paths: Only iOS 12 and earlier read these paths.\n"))
    #expect(
      try becomesTrue {
        try !trial.server.file(of: "c.example").text.contains("paths")
      })
  }

  @Test(arguments: StateTrial.Site.allCases)
  func severalDomainsAreConvertedOneByOne(site: StateTrial.Site) throws {
    for name in ["c.example", "d.example"] {
      let details: JSON = [["appID": .string(AssociationFile.app), "paths": ["/old/*"]]]
      let file: JSON = ["applinks": ["apps": [], "details": details]]
      let adopted = try trial.server.client().send(
        "PUT", "/v1/domains/\(name)/file", json: file)
      #expect(adopted.status == 201, "\(adopted.text)")
    }
    let done = try trial.run("convert", at: site, "c.example", "none.example", "d.example")
    #expect(done.status == 1 && done.errors.contains("none.example"), "\(done.errors)")
    for name in ["c.example", "d.example"] {
      #expect(done.errors.contains("No URL of \(name) resolves differently.\n"), "\(done.errors)")
      #expect(
        try becomesTrue { try !trial.server.file(of: name).text.contains("paths") })
    }
  }

  @Test(arguments: StateTrial.Site.allCases)
  func findingsThatRepeatAreOneRow(site: StateTrial.Site) throws {
    let domains = (1...5).map { StateTrial.domain("d\($0).example", ["/x", "/x"]) }
    let answer = try trial.server.client().send(
      "POST", "/v1/apply", json: ["domains": .array(domains)])
    #expect(answer.status == 200, "\(answer.text)")
    let result = try trial.run("findings", at: site, "--code", "duplicate-route")
    #expect(result.lines.count == 1, "\(result.output)")
    #expect(result.output.contains("\td1.example and 4 more\t"), "\(result.output)")
    let json = try trial.run("findings", at: site, "--code", "duplicate-route", "--json")
    #expect(json.lines.count == 5)
    for severity in ["warning", "error"] {
      let none = try trial.run(
        "findings", at: site, "--severity", severity, "--code", "duplicate-route")
      #expect(none.status == 0 && none.output.isEmpty, "\(none.output)")
    }
    let notes = try trial.run(
      "findings", at: site, "--severity", "note", "--code", "duplicate-route")
    #expect(notes.output == result.output)
  }

  @Test func aTokenMayDoNoMoreThanItsRole() throws {
    let created = try Program.aasa(
      "token", "create", "--name", "reader", "--role", "viewer", "--database", trial.database)
    let token = created.lines[0]
    #expect(try trial.run("domains", at: .server, token: token).status == 0)
    #expect(try trial.exportDirectory().status == 0)
    #expect(try trial.run("diff", at: .server, trial.directory, token: token).status == 0)
    for words in [["rollback", "a.example", "1"], ["audit"]] {
      let result = try Program.run(
        Program.aasa, words + ["--server", "http://127.0.0.1:\(trial.server.adminPort)"],
        environment: ["AASA_TOKEN": token])
      #expect(result.status == 77 && result.output.isEmpty)
      #expect(result.errors.contains("has the role \"viewer\""), "\(result.errors)")
    }
  }

  @Test func theServerCanBeAVariable() throws {
    var environment = [
      "AASA_SERVER": "http://127.0.0.1:\(trial.server.adminPort)",
      "AASA_TOKEN": try trial.server.firstToken(),
    ]
    let result = try Program.aasa("domains", environment: environment)
    #expect(result.status == 0 && result.lines.count == 2)
    let chosen = try Program.aasa(
      "domains", "--database", trial.scratch.path("none.db"), environment: environment)
    #expect(chosen.status == 1 && chosen.errors.contains("No database at "))
    environment["AASA_DATABASE"] = trial.database
    let both = try Program.aasa("domains", environment: environment)
    #expect(both.status == 64)
    #expect(both.errors.hasPrefix("AASA_SERVER and AASA_DATABASE are both set."))
    #expect(
      try Program.aasa("token", "list", environment: ["AASA_SERVER": "http://x"]).status == 64)
  }

  @Test(arguments: [
    ["show"], ["show", "a b"], ["revisions"], ["revisions", "a.example", "--limit", "0"],
    ["rollback", "a.example"], ["rollback", "a.example", "first"], ["domains", "a", "b"],
    ["audit", "--domain", "http://a"], ["audit", "--since", "yesterday"],
    ["audit", "--since", "2026-11-22", "--until", "2026-11-21"],
    ["domains", "--limit", "many"],
  ])
  func wrongUsageEndsWith64(words: [String]) throws {
    let result = try Program.run(
      Program.aasa, words + ["--database", trial.database], in: trial.scratch)
    #expect(result.status == 64 && result.output.isEmpty, "\(result)")
  }
}
