import Association
import Foundation
import TestSupport
import Testing

/// Templates in files: a directory in git, and a table of the domains of a template.
@Suite struct TemplateFileTests {
  typealias Site = StateTrial.Site
  private let trial: StateTrial

  private static let rules = #"""
    {"template": "white-label",
     "parameters": [{"name": "app", "type": "app"},
      {"name": "clips", "type": "apps", "default": []},
      {"name": "shop", "type": "path", "default": "shop"}],
     "entries": [{"apps": ["{app}"], "routes": [{"path": "/{shop}/*"}]}], "appclips": ["{clips}"]}
    """#

  init() throws {
    trial = try StateTrial()
    try trial.scratch.write(Self.rules, to: "rules.json")
    let applied = try trial.run("apply", at: .database, trial.scratch.path("rules.json"))
    #expect(applied.status == 0, "\(applied.errors)")
    #expect(applied.output.contains("+ template white-label"), "\(applied.output)")
  }

  private func apply(
    _ table: String, at site: Site = .server, _ words: String...
  ) throws -> Program.Result {
    try trial.scratch.write(table, to: "customers.csv")
    return try trial.run(
      "apply", at: site,
      words: ["--template", "white-label", "--from", trial.scratch.path("customers.csv")] + words)
  }

  private func parameters(of domain: String) throws -> JSON? {
    let answer = try trial.server.client().send("GET", "/v1/domains/\(domain)")
    return answer.status == 200 ? try answer.json["parameters"] : nil
  }

  /// So many files that those that are as exported are not sent.
  @Test func aDomainThatATemplateChangesIsCountedOnce() throws {
    let rows = (0..<110).map { "d\($0).example,ABCDE12345.com.example.app,," }
    let made = try apply(
      "domain,app,clips,shop\n" + rows.joined(separator: "\n") + "\n", at: .database)
    #expect(made.status == 0, "\(made.errors)")
    let state = trial.scratch.path("many")
    #expect(try trial.run("export", at: .database, state).status == 0)
    let wider = Self.rules.replacing(
      "\"/{shop}/*\"}", with: "\"/{shop}/*\"}, {\"path\": \"/more\"}")
    try trial.scratch.write(wider, to: "many/templates/white-label.json")
    let plan = try trial.run("diff", at: .database, state)
    #expect(
      plan.lines.last?.contains("Domains: 110 to update, 2 unchanged.") == true,
      "\(plan.lines.suffix(2)) \(plan.errors)")
  }

  @Test(arguments: Site.allCases) func theDomainsOfATemplateAreWhatTheTableSays(site: Site) throws {
    let table = """
      domain,app,clips,shop
      anna.example,ABCDE12345.com.example.anna,,
      bruno.example,ABCDE12345.com.example.bruno,ABCDE12345.b.Clip  ABCDE12345.c.Clip,boutique

      """
    let tried = try apply(table, at: site, "--dry-run")
    #expect(tried.status == 0, "\(tried.errors)")
    #expect(tried.output.contains("+ anna.example"))
    #expect(try parameters(of: "anna.example") == nil, "a dry run changes nothing")
    let applied = try apply(table, at: site)
    #expect(applied.status == 0, "\(applied.errors)")
    #expect(try trial.isServed(["/shop/*"], for: "anna.example"))
    #expect(try trial.isServed(["/boutique/*"], for: "bruno.example"))
    #expect(
      try parameters(of: "bruno.example")?["clips"] == ["ABCDE12345.b.Clip", "ABCDE12345.c.Clip"])
    let again = try apply(table, at: site)
    #expect(again.output.contains("No changes: 2 domains"), "\(again.output)")
    #expect(!tried.errors.contains("aasa undo") && !again.errors.contains("aasa undo"))
    let change = try #require(applied.errors.firstMatch(of: /run 'aasa undo (\d+)'/)).output.1
    let undone = try trial.run("undo", at: site, String(change), "--accept", "opens-nothing")
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try parameters(of: "anna.example") == nil)
  }

  @Test func aTableMayComeFromASpreadsheet() throws {
    let table =
      "\u{FEFF}domain,app,shop\r\n\"anna.example\",ABCDE12345.com.example.anna,\"a, \"\"quoted\"\" shop\"\r\n"
      + "\r\nbruno.example , ABCDE12345.com.example.bruno ,\"b\"\r\n"
    let applied = try apply(table)
    #expect(applied.status == 0, "\(applied.errors)")
    #expect(try parameters(of: "anna.example")?["shop"] == #"a, "quoted" shop"#)
    #expect(try parameters(of: "bruno.example")?["shop"] == "b")
  }

  @Test func pruningDeletesOnlyDomainsOfTheTemplate() throws {
    let row = { (name: String) in "\(name).example,ABCDE12345.com.example.\(name)\n" }
    #expect(try apply("domain,app\n" + row("anna") + row("bruno")).status == 0)
    let pruned = try apply("domain,app\n" + row("anna"), "--prune", "--accept", "opens-nothing")
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(pruned.output.contains("- bruno.example"), "\(pruned.output)")
    #expect(try parameters(of: "bruno.example") == nil)
    #expect(try parameters(of: "anna.example") != nil)
    #expect(try trial.isServed(["/a"], for: "a.example"), "other domains stay")
    #expect(try trial.server.client().send("GET", "/v1/templates/white-label").status == 200)
  }

  @Test(arguments: [
    ("", "is empty. Begin with the line domain,app,clips,shop."),
    ("name,app\na.b,A.b\n", #"line 1, column "name": The first column must be "domain"."#),
    ("domain,app,app\n", #"line 1, column "app": This column is there twice."#),
    (
      "domain,app,more\n",
      #"line 1, column "more": The template "white-label" has no such parameter."#
    ),
    ("domain,app\nx.example\n", "line 2: This row has 1 cell, and the first line 2."),
    ("domain,app\nx example,ABCDE12345.a\n", #"line 2, column "domain": "#),
    (
      "domain,app\nx.example,ABCDE12345.a\n\nX.example,ABCDE12345.a\n",
      #"line 4, column "domain": x.example is on line 2, too."#
    ),
    (
      "domain,app\nx.example,none\n",
      #"line 2, column "app": The app identifier "none" has no dot."#
    ),
    ("domain,app,shop\nx.example,ABCDE12345.a,*\n", #"line 2, column "shop": "*" has "*", which"#),
    ("domain,app\nx.example,\"ABC\"x\n", "line 2: a quote is in the wrong place."),
    ("domain,app\nx.example,\"ABC\n", "the quote of the last cell never ends."),
    (
      "domain,app\n" + String(repeating: ",", count: 3_000_000),
      "line 2: this row has more than 101 cells."
    ),
    (
      "domain,app\n" + String(repeating: "x.example,a\n", count: 200_001),
      "has more than 200000 rows."
    ),
    ("domain,app\n\"a\nb\",x\ny.example,none\n", #"line 4, column "app": "#),
    ("domain;app\nx.example;ABCDE12345.a\n", "seems to be separated by semicolons."),
    (
      "domain,app\n" + (1...150).map { "x\($0).example,none\n" }.joined(),
      #"line 101, column "app": The app identifier "none" has no dot."#
    ),
    ("domain,app\n" + (1...150).map { "x\($0).example,none\n" }.joined(), "\nand 50 more\n"),
  ])
  func everyFaultOfATableIsNamedByLineAndColumn(_ table: String, _ message: String) throws {
    let refused = try apply(table)
    #expect(refused.status == 1)
    #expect(refused.errors.contains(message), "\(refused.errors)")
    #expect(try parameters(of: "x.example") == nil, "nothing is changed")
  }

  @Test func whatTheServerRefusesIsNamedByItsLine() throws {
    let answer = try trial.server.client().send(
      "PUT", "/v1/domains/taken.example", json: ["aliases": ["x.example"]])
    #expect(answer.status == 201)
    let refused = try apply("domain,app\na2.example,ABCDE12345.a\nx.example,ABCDE12345.a\n")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("x.example"), "\(refused.errors)")
    #expect(try parameters(of: "a2.example") == nil)
  }

  @Test func aTableKeepsWhatItHasNoColumnForAndAnEmptyCellResets() throws {
    let name = "anna.example"
    let app = "ABCDE12345.com.example.anna"
    #expect(try apply("domain,app,shop\n\(name),\(app),boutique\n").status == 0)
    let kept = try apply("domain,app\n\(name),\(app)\n")
    #expect(kept.status == 0 && kept.output.contains("No changes"), "\(kept.output)\(kept.errors)")
    #expect(try trial.isServed(["/boutique/*"], for: name))
    let reset = try apply("domain,shop\n\(name),\n")
    #expect(reset.status == 0, "\(reset.errors)")
    #expect(reset.output.contains(#"- parameter shop removed: "boutique""#), "\(reset.output)")
    #expect(try trial.isServed(["/shop/*"], for: name))
    let missing = try apply("domain,shop\n\(name),\nx.example,\n")
    #expect(missing.status == 1)
    #expect(
      missing.errors.contains("customers.csv, line 3: x.example /parameters/app"),
      "\(missing.errors)")
  }

  @Test func aDomainOfAnotherTemplateIsNamedWithItsLine() throws {
    let other: JSON = ["domain": "x.example", "template": "other"]
    let state: JSON = [
      "templates": [["template": "other", "cacheSeconds": 60]], "domains": [other],
    ]
    #expect(try trial.server.client().send("POST", "/v1/apply", json: state).status == 200)
    let row = { (name: String) in "\(name).example,ABCDE12345.com.example.app\n" }
    for rows in [row("anna") + row("x"), row("anna") + row("x") + "b.example,ABCDE12345.b\n"] {
      let refused = try apply("domain,app\n" + rows)
      #expect(refused.status == 1)
      #expect(
        refused.errors.contains("customers.csv, line 3: x.example: x.example was not taken"),
        "\(refused.errors)")
      #expect(refused.errors.contains("run 'aasa template detach x.example'"))
    }
    #expect(try parameters(of: "anna.example") == nil, "nothing is changed")
  }

  @Test func aDomainBehindItsTemplateStopsNoPipeline() throws {
    let table = "domain,app\nanna.example,ABCDE12345.a\nbruno.example,ABCDE12345.b\n"
    #expect(try apply(table).status == 0)
    let client = try trial.server.client()
    let own: JSON = [
      "expectations": [
        ["url": "https://bruno.example/shop/1", "app": "ABCDE12345.b", "resolution": "match"]
      ]
    ]
    #expect(
      try client.send("PUT", "/v1/domains/bruno.example/expectations", json: own).status == 200)
    var rules = try JSON.parse(Array(Self.rules.utf8)).value.objectValue ?? [:]
    rules["entries"] = [["apps": ["{app}"], "routes": [["path": "/{shop}/new/*"]]]]
    let edited = try client.send(
      "PUT", "/v1/templates/white-label?skip=refused", json: .object(rules))
    #expect(try edited.json["skipped"] == ["bruno.example"], "\(edited.text)")
    #expect(try trial.exportDirectory(at: .server).status == 0)
    for site in Site.allCases {
      let same = try trial.run("diff", at: site, trial.directory)
      #expect(same.status == 0, "\(same.output)\(same.errors)")
    }
    try trial.replace("\"/a\"", with: "\"/gift\"", in: "a.example.json")
    let applied = try trial.run("apply", at: .server, trial.directory)
    #expect(applied.status == 0, "\(applied.errors)")
    #expect(try trial.isServed(["/gift"], for: "a.example"))
    #expect(try trial.isServed(["/shop/*"], for: "bruno.example"))
  }

  @Test func aMoveToAnotherTemplateIsInEveryPlan() throws {
    #expect(try apply("domain,app\nanna.example,ABCDE12345.a\n").status == 0)
    try trial.scratch.write(
      #"{"template": "other", "parameters": [{"name": "place", "type": "path"}], "entries": [{"apps": ["ABCDE12345.a"], "routes": [{"path": "/{place}/*"}]}]}"#,
      to: "other.json")
    try trial.scratch.write(
      #"{"domain": "anna.example", "template": "other", "parameters": {"place": "shop"}}"#,
      to: "anna.json")
    let paths = ["other.json", "anna.json"].map(trial.scratch.path)
    let said = [
      #"template changed: from "white-label" to "other""#,
      #"parameter app removed: "ABCDE12345.a""#, #"parameter place added: "shop""#,
    ]
    for format in [[], ["--format", "markdown"], ["--json"]] {
      let diff = try trial.run("diff", at: .server, words: format + paths)
      #expect(diff.status == 2, "\(diff.errors)")
      for text in said {
        let text = format == ["--json"] ? text.replacing("\"", with: "\\\"") : text
        #expect(diff.output.contains(text), "\(diff.output)")
      }
    }
    let plan = try trial.run("diff", at: .server, words: paths)
    #expect(
      plan.output.contains("Domains: 1 to update. Templates: 1 to create. Nothing was changed."),
      "\(plan.output)")
  }

  @Test func aDirectoryHasTemplatesAndOnlyWhatIsADomainsOwn() throws {
    #expect(try apply("domain,app\nanna.example,ABCDE12345.com.example.anna\n").status == 0)
    #expect(try trial.exportDirectory(at: .server).status == 0)
    let template = try JSON.parse(
      Array(trial.scratch.text("state/templates/white-label.json").utf8))
    #expect(template.value["template"] == "white-label")
    let domain = try JSON.parse(Array(trial.scratch.text("state/anna.example.json").utf8)).value
    #expect(domain["entries"] == .null && domain["template"] == "white-label")
    #expect(try trial.run("diff", at: .server, trial.directory).status == 0)
    let valid = try Program.aasa("validate", trial.directory)
    #expect(valid.status == 0, "\(valid.errors)")
    #expect(!valid.output.contains("template-not-listed"), "\(valid.output)")
    let alone = try Program.aasa("validate", "\(trial.directory)/anna.example.json")
    #expect(alone.output.contains("template-not-listed"), "\(alone.output)")
    try trial.replace("/{shop}/*", with: "/{shop}/new/*", in: "templates/white-label.json")
    let diff = try trial.run("diff", at: .server, trial.directory)
    #expect(diff.status == 2, "\(diff.errors)")
    #expect(diff.output.contains("~ template white-label"), "\(diff.output)")
    #expect(diff.output.contains("~ anna.example"))
    #expect(try trial.run("apply", at: .server, trial.directory).status == 0)
    #expect(try trial.isServed(["/shop/new/*"], for: "anna.example"))
  }

  @Test func aStateWithTemplatesIsAppliedElsewhere() throws {
    #expect(try apply("domain,app\nanna.example,ABCDE12345.com.example.anna\n").status == 0)
    #expect(try trial.exportDirectory(at: .server).status == 0)
    let other = try StateTrial()
    let applied = try other.run("apply", at: .server, trial.directory)
    #expect(applied.status == 0, "\(applied.errors)")
    #expect(try other.isServed(["/shop/*"], for: "anna.example"))
    #expect(try other.exportDirectory(at: .server).status == 0)
    #expect(
      try other.scratch.text("state/templates/white-label.json")
        == trial.scratch.text("state/templates/white-label.json"))
  }
}
