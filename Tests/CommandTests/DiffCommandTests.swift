import FoundationEssentials
import Association
import TestSupport
import Testing

@Suite struct DiffCommandTests {
  let trial: StateTrial

  init() throws { trial = try StateTrial(isExported: true) }

  @Test(arguments: StateTrial.Site.allCases)
  func anExportHasNoDifferences(site: StateTrial.Site) throws {
    let result = try trial.run("diff", at: site, trial.directory)
    #expect(result.status == 0)
    #expect(result.output == "No changes: 2 domains and 1 app are up to date.\n")
    #expect(result.errors.isEmpty)
    let whole = try trial.run("export", at: site)
    let fromStdin = try trial.run("diff", at: site, "--prune", "-", input: whole.bytes)
    #expect(fromStdin.status == 0)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func differencesEndWith2AndChangeNothing(site: StateTrial.Site) throws {
    try trial.replace("/a", with: "/z", in: "a.example.json")
    try trial.scratch.write(StateTrial.domain("c.example", ["/"]).text, to: "state/c.example.json")
    try trial.remove("b.example.json")
    let result = try trial.run("diff", at: site, trial.directory)
    #expect(result.status == 2)
    #expect(result.lines.contains { $0.hasPrefix("~ a.example  revision 2, ") })
    #expect(result.lines.contains { $0.hasPrefix("+ c.example  revision 1, ") })
    #expect(
      result.output.contains("[https://a.example/a for \(AssociationFile.app): match → no-match]"))
    #expect(result.lines.last?.contains("1 to create, 1 to update. ") == true)
    #expect(result.lines.last?.hasSuffix("Nothing was changed.") == true)
    #expect(!result.bytes.contains(0x1B), "a pipe gets no colours")

    let client = try trial.server.client()
    let patch: JSON = ["expectations": []]
    #expect(try client.send("PATCH", "/v1/domains/b.example", json: patch).status == 200)
    let pruning = try trial.run(
      "diff", at: site, "--prune", "--accept", "opens-nothing", trial.directory)
    #expect(pruning.status == 2)
    #expect(pruning.lines.contains("- b.example"))
    #expect(try trial.isServed(["/a"], for: "a.example"))
    #expect(try trial.isServed(["/b", "/c/*"], for: "b.example"))
  }

  @Test func whatManyDomainsHaveInCommonIsPrintedOnce() throws {
    func write(_ name: String, _ paths: [String]) throws {
      try trial.scratch.write(StateTrial.domain(name, paths).text, to: "state/\(name).json")
    }
    let names = ["c.example", "d.example", "e.example"]
    for name in names { try write(name, ["/old"]) }
    #expect(try trial.run("apply", at: .database, trial.directory).status == 0)
    for name in names { try write(name, ["/old", "/new"]) }
    let result = try trial.run("diff", at: .database, trial.directory)
    let added = "route \"/new\" added [https://c.example/new"
    #expect(result.output.components(separatedBy: "/new").count == 3, "\(result.output)")
    #expect(result.output.contains(added), "\(result.output)")
    #expect(result.lines.count { $0.hasSuffix(", as for c.example") } == 2)
    let markdown = try trial.run("diff", at: .database, "--format", "markdown", trial.directory)
    #expect(markdown.lines.count { $0.hasSuffix(", as for c.example @@") } == 2)
    // One that differs in anything is printed whole.
    try write("e.example", ["/old", "/new", "/newer"])
    let differing = try trial.run("diff", at: .database, trial.directory)
    #expect(differing.lines.count { $0.hasSuffix(", as for c.example") } == 1, "\(differing)")
  }

  @Test func whatDiffersIsPrintedForEachDomain() throws {
    // Names that contain one another, and more details than are shown.
    let names = ["c.example", "cc.example"]
    func write(_ name: String, _ paths: [String], _ aliases: JSON) throws {
      var domain = try #require(StateTrial.domain(name, paths).objectValue)
      domain["aliases"] = aliases
      try trial.scratch.write(JSON.object(domain).text, to: "state/\(name).json")
    }
    for name in names { try write(name, ["/old"], []) }
    #expect(try trial.run("apply", at: .database, trial.directory).status == 0)
    for name in names { try write(name, ["/old"], [.string("a\(name)")]) }
    let aliases = try trial.run("diff", at: .database, trial.directory)
    #expect(aliases.output.contains("acc.example"), "\(aliases.output)")
    for name in names {
      try write(name, ["/old", "/\(name)"] + (1...25).map { "/new\($0)" }, [])
    }
    let routes = try trial.run("diff", at: .database, trial.directory)
    #expect(!routes.output.contains("as for"), "\(routes.output)")
  }

  @Test func databaseAndServerPrintTheSamePlanAsJSON() throws {
    try trial.replace("/a", with: "/z", in: "a.example.json")
    let own = try trial.run("diff", at: .database, "--json", trial.directory)
    let remote = try trial.run("diff", at: .server, "--json", trial.directory)
    #expect(own.status == 2)
    #expect(remote.status == 2)
    #expect(own.bytes == remote.bytes)
    let plan = try JSON.parse(own.bytes).value
    #expect(plan["dryRun"] == true)
    #expect(plan["domains"]?.arrayValue?.map { $0["action"] } == ["update", "unchanged"])
  }

  @Test func aFileWithOneDomainIsComparedWithThatDomain() throws {
    try trial.replace("/a", with: "/z", in: "a.example.json")
    let file = trial.directory + "/a.example.json"
    #expect(try trial.run("diff", at: .database, file).status == 2)
    let pruning = try trial.run("diff", at: .database, "--prune", file)
    #expect(pruning.status == 64, "it would delete every other domain")
  }

  @Test func aFileWithOneDomainMayHaveTextsCalledApps() throws {
    let file = #"{"applinks":{"apps":["ABCDE12345.com.q"],"details":[]}}"#
    let adopted = try trial.run(
      "import", at: .database, "--domain", "old.example", "-", input: Array(file.utf8))
    #expect(adopted.status == 0, "\(adopted.errors)")
    #expect(try trial.exportDirectory().status == 0)
    let diff = try trial.run("diff", at: .database, trial.directory + "/old.example.json")
    #expect(diff.status == 0, "\(diff.errors)")
  }

  @Test func inALargeStateTooTheDomainsOfAChangedAppAreChecked() throws {
    var domains = (0..<101).map { StateTrial.domain("d\($0).example", ["/"]) }
    var strict = domains[0].objectValue ?? [:]
    strict["strict"] = true
    domains[0] = .object(strict)
    let answer = try trial.server.client().send(
      "POST", "/v1/apply", json: ["domains": .array(domains)])
    #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    #expect(try trial.exportDirectory().status == 0)
    #expect(try trial.run("diff", at: .database, trial.directory).status == 0)
    try trial.replace("\"production\"", with: "\"development\"", in: "apps.json")
    let result = try trial.run("diff", at: .database, trial.directory)
    #expect(result.status == 1 && result.errors.contains("environment-mismatch"))
  }

  @Test func everyReasonIsCountedOfWhichSomeAreListed() throws {
    let domains = (100..<230).map { index in
      var domain = StateTrial.domain("d\(index).example", ["/a"]).objectValue ?? [:]
      domain["expectations"] = [
        [
          "url": .string("https://d\(index).example/b"), "app": .string(AssociationFile.app),
          "resolution": "match",
        ]
      ]
      return JSON.object(domain)
    }
    let state = JSON.object(["domains": .array(domains)]).serialized()
    let result = try trial.run("diff", at: .database, "-", input: state)
    #expect(result.status == 1)
    #expect(result.errors.contains("the state would be refused for 130 reasons."))
    #expect(result.errors.contains("d199.example") && !result.errors.contains("d200.example"))
    #expect(result.errors.contains("and 30 more"), "\(result.errors.suffix(200))")
  }

  @Test func eachInvalidFileIsReported() throws {
    try trial.scratch.write("{\n  \"domain\": ,\n}", to: "state/broken.json")
    try trial.scratch.write(
      "{\"domain\": \"c.example\", \"domain\": 1}", to: "state/c.example.json")
    try trial.scratch.write("{\"domain\": \"d.example\"}", to: "state/e.example.json")
    try trial.scratch.write("[]", to: "state/list.example.json")
    try trial.scratch.write("{\"domain\": \"https://x.example\"}", to: "state/x.example.json")
    try trial.scratch.write("{\"domains\": []}", to: "state/apps.json")
    let result = try trial.run("diff", at: .database, trial.directory)
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 6, "\(result.errors)")
    #expect(lines[0].contains("/apps.json\" must be an object with the lists \"apps\" and "))
    #expect(lines[1].contains("/broken.json\" is not JSON: line 2, column 13"))
    #expect(lines[2].contains("/c.example.json\" has a duplicate key: /domain."))
    #expect(
      lines[3].contains(
        "/e.example.json\" to \"d.example.json\": its domain is \"d.example\"."))
    #expect(lines[4].contains("/list.example.json\" needs a \"domain\""))
    #expect(lines[5].contains("/x.example.json\": "))
  }

  @Test(arguments: StateTrial.Site.allCases)
  func eachFaultIsReportedWithFileAndPointer(site: StateTrial.Site) throws {
    try trial.replace("\"/a\"", with: "7", in: "a.example.json")
    try trial.replace("\"cacheSeconds\": 3600", with: "\"cacheSecond\": -1", in: "b.example.json")
    let result = try trial.run("diff", at: site, trial.directory)
    #expect(result.status == 1)
    #expect(result.errors.contains(": The state has 2 invalid values.\n"))
    #expect(
      result.errors.contains(
        "\n  a.example.json a.example /entries/0/routes/0/path: wrong-type: "))
    #expect(
      result.errors.contains("\n  b.example.json b.example /cacheSecond: unknown-member: "))
  }

  @Test func anEmptyDirectoryIsRefused() throws {
    let empty = try TemporaryDirectory()
    let result = try trial.run("diff", at: .database, "--prune", empty.url.path)
    #expect(result.status == 1)
    #expect(result.errors.contains("no file whose name ends in \".json\""))
    try empty.write("{\"apps\": []}", to: "apps.json")
    #expect(try trial.run("diff", at: .database, "--prune", empty.url.path).status == 64)
  }
}
