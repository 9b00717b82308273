import Association
import TestSupport
import Testing

@Suite struct ExportCommandTests {
  let trial: StateTrial

  init() throws { trial = try StateTrial() }

  @Test func databaseAndServerExportTheSameBytes() throws {
    let own = try trial.run("export", at: .database)
    let remote = try trial.run("export", at: .server)
    #expect(own.status == 0)
    #expect(remote.status == 0)
    #expect(own.bytes == remote.bytes)
    #expect(own.output.hasPrefix("{\n  \"apps\": ["))
    let line = try trial.run("export", at: .server, "--json")
    #expect(line.lines.count == 1)
    #expect(try JSON.parse(line.bytes).value == JSON.parse(own.bytes).value)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func aDirectoryHasAFileForEachDomainAndOneForTheApps(site: StateTrial.Site) throws {
    let result = try trial.exportDirectory(at: site)
    #expect(result.status == 0)
    #expect(result.output == "3 files written, 0 removed, 0 unchanged\n")
    #expect(try trial.names() == ["a.example.json", "apps.json", "b.example.json"])
    let domain = try JSON.parse(trial.scratch.read("state/a.example.json")).value
    #expect(domain["domain"] == "a.example")
    #expect(domain["revision"] == 1)
    #expect(domain["updatedAt"] == nil, "what changes by itself makes noise in git")
    #expect(domain["entries"]?.arrayValue?.first?["id"] == nil)
    #expect(
      try trial.exportDirectory(at: site).output == "0 files written, 0 removed, 3 unchanged\n")
  }

  @Test func onlyChangedFilesAreWritten() throws {
    _ = try trial.exportDirectory()
    let before = try trial.number(of: "b.example.json")
    #expect(before != nil)
    let change = StateTrial.domain("a.example", ["/new"])
    let answer = try trial.server.client().send(
      "PUT", "/v1/domains/a.example", json: change, "If-Match: *")
    #expect(answer.status == 200)
    #expect(try trial.exportDirectory().output == "1 file written, 0 removed, 2 unchanged\n")
    #expect(try trial.number(of: "b.example.json") == before)
    #expect(try trial.scratch.text("state/a.example.json").contains("/new"))
  }

  @Test func theFileOfADeletedDomainIsRemovedOnlyIfUnchanged() throws {
    _ = try trial.exportDirectory()
    try trial.scratch.write("notes", to: "state/README.md")
    try trial.scratch.write("{\"private\": true}", to: "state/package.json")
    try trial.scratch.write(StateTrial.domain("c.example", ["/"]).text, to: "state/c.example.json")
    try trial.replace("/c/*", with: "/d/*", in: "b.example.json")
    let client = try trial.server.client()
    let patch: JSON = ["expectations": []]
    #expect(try client.send("PATCH", "/v1/domains/b.example", json: patch).status == 200)
    for name in ["a.example", "b.example"] {
      let path = "/v1/domains/\(name)?accept=opens-nothing"
      #expect(try client.send("DELETE", path).status == 200)
    }
    let result = try trial.exportDirectory()
    #expect(result.status == 0)
    #expect(result.output == "0 files written, 1 removed, 1 unchanged\n")
    #expect(
      try trial.names() == [
        "README.md", "apps.json", "b.example.json", "c.example.json", "package.json",
      ])
    #expect(!result.errors.contains("package.json"), "\(result.errors)")
    #expect(result.errors.contains("/b.example.json\", which is not part of this state"))
    #expect(result.errors.contains("/c.example.json\", which is not part of this state"))
  }

  @Test func withoutItsManifestAnExportRemovesNothing() throws {
    _ = try trial.exportDirectory()
    try trial.scratch.write("<<<<<<< ours\n", to: "state/.aasa-export.json")
    let path = "/v1/domains/a.example?accept=opens-nothing"
    #expect(try trial.server.client().send("DELETE", path).status == 200)
    let result = try trial.exportDirectory()
    #expect(result.status == 0)
    #expect(result.errors.contains("No files were removed"))
    #expect(try trial.names().contains("a.example.json"))
  }

  @Test func whatOnlyYouHaveChangedStays() throws {
    _ = try trial.exportDirectory()
    try trial.replace("\"Example\"", with: "\"Mine\"", in: "apps.json")
    try trial.replace("3600", with: "600", in: "a.example.json")
    let result = try trial.exportDirectory()
    #expect(result.output == "0 files written, 0 removed, 1 unchanged, 2 left as edited\n")
    #expect(try trial.scratch.text("state/apps.json").contains("\"Mine\""))
    // Somebody else has changed the app, too.
    let app: JSON = ["name": "Theirs"]
    let path = "/v1/apps/\(AssociationFile.app)"
    #expect(try trial.server.client().send("PUT", path, json: app).status == 200)
    let other = try trial.exportDirectory()
    #expect(
      other.errors.contains("Wrote over 1 file with changes since the last export: apps.json"))
    #expect(try trial.scratch.text("state/apps.json").contains("\"Theirs\""))
  }

  @Test(arguments: StateTrial.Site.allCases)
  func anAppThatYouHaveAppliedIsNoChangeOfOthers(site: StateTrial.Site) throws {
    let client = try trial.server.client()
    let path = "/v1/apps/ABCDE12345.com.example.unused"
    #expect(try client.send("PUT", path, json: ["name": "Second"]).status == 201)
    _ = try trial.exportDirectory(at: site)
    try trial.replace("\"Second\"", with: "\"Mine\"", in: "apps.json")
    #expect(try trial.run("apply", at: site, trial.directory).status == 0)
    let file = try trial.scratch.text("state/apps.json")
    for _ in 1...2 {
      let export = try trial.exportDirectory(at: site)
      #expect(export.output == "0 files written, 0 removed, 3 unchanged\n")
      #expect(export.errors.isEmpty, "\(export.errors)")
    }
    #expect(try trial.scratch.text("state/apps.json") == file)
    // What others change now is left to them, and not taken for a conflict with an edit.
    #expect(try client.send("PUT", path, json: ["name": "Theirs"]).status == 200)
    for words in [[trial.directory], ["\(trial.directory)/apps.json"]] {
      let other = try trial.run("apply", at: site, words: words)
      #expect(other.status == 0 && other.output.contains("= app "), "\(other.errors)")
    }
    let export = try trial.exportDirectory(at: site)
    #expect(export.output == "1 file written, 0 removed, 2 unchanged\n")
    #expect(export.errors.isEmpty, "\(export.errors)")
  }

  /// Its file names the revision from before, because the export leaves it alone.
  @Test func anEditAfterSomebodyMadeTheSameOneStaysAndIsNoConflict() throws {
    _ = try trial.exportDirectory()
    try trial.replace("3600", with: "600", in: "a.example.json")
    let same: JSON = ["cacheSeconds": 600]
    let client = try trial.server.client()
    #expect(try client.send("PATCH", "/v1/domains/a.example", json: same).status == 200)
    #expect(try trial.exportDirectory().output == "0 files written, 0 removed, 3 unchanged\n")
    try trial.replace("600", with: "700", in: "a.example.json")
    #expect(try trial.exportDirectory().output.hasSuffix(", 1 left as edited\n"))
    let token = try pipeline()
    let applied = try trial.run("apply", at: .server, trial.directory, token: token)
    #expect(applied.status == 0, "\(applied.errors)")
    #expect(try client.send("GET", "/v1/domains/a.example").json["cacheSeconds"] == 700)
  }

  /// The list of what was exported says of which revision a file is, and only of the file that it was made for.
  @Test func anOlderFileIsOfTheRevisionThatItNames() throws {
    _ = try trial.exportDirectory()
    let older = try trial.scratch.text("state/a.example.json")
    let client = try trial.server.client()
    func patch(_ seconds: Int) throws {
      let change: JSON = ["cacheSeconds": .integer(seconds)]
      #expect(try client.send("PATCH", "/v1/domains/a.example", json: change).status == 200)
    }
    try patch(600)
    _ = try trial.exportDirectory()
    try patch(700)
    try patch(600)
    #expect(try trial.exportDirectory().output == "0 files written, 0 removed, 3 unchanged\n")
    try trial.scratch.write(older.replacing("/a\"", with: "/b\""), to: "state/a.example.json")
    let token = try pipeline()
    for path in [trial.directory, "\(trial.directory)/a.example.json"] {
      let applied = try trial.run("apply", at: .server, path, token: token)
      #expect(
        applied.status == 1 && applied.errors.contains("others have changed"), "\(applied.errors)")
    }
    #expect(try client.send("GET", "/v1/domains/a.example").json["cacheSeconds"] == 600)
  }

  private func pipeline() throws -> String {
    let answer = try trial.server.client().send(
      "POST", "/v1/tokens", json: ["name": "pipeline", "role": "editor"])
    return try answer.json["secret"]?.stringValue ?? answer.json["token"]?.stringValue ?? ""
  }

  @Test func anAppsFileThatWasFormattedKeepsYourEdits() throws {
    _ = try trial.exportDirectory()
    let text = try JSON.parse(trial.scratch.read("state/apps.json")).value.text
    try trial.scratch.write(text, to: "state/apps.json")
    #expect(try trial.exportDirectory().output == "0 files written, 0 removed, 3 unchanged\n")
    try trial.replace("\"Example\"", with: "\"Mine\"", in: "apps.json")
    #expect(try trial.exportDirectory().output.hasSuffix(", 1 left as edited\n"))
  }

  @Test func aFileThatYouHaveDeletedComesBackAndIsNamed() throws {
    _ = try trial.exportDirectory()
    try trial.remove("b.example.json")
    let diff = try trial.run("diff", at: .database, trial.directory)
    #expect(diff.errors.contains("1 file of the last export is gone: "), "\(diff.errors)")
    #expect(
      try trial.run("diff", at: .database, "--prune", trial.directory).errors.contains("gone")
        == false)
    let result = try trial.exportDirectory()
    #expect(
      result.errors.contains(
        "1 file again that had been deleted since the last export: b.example.json"))
    #expect(try trial.names().contains("b.example.json"))
  }

  @Test func aLabelThatNoDomainHasIsSaid() throws {
    let result = try trial.run("export", at: .database, "--label", "nobody")
    #expect(result.status == 0 && result.errors == "No domain has the label \"nobody\".\n")
  }

  @Test func anUnwritableDirectoryIsReported() throws {
    try trial.scratch.write("", to: "state")
    let result = try trial.exportDirectory()
    #expect(result.status == 1)
    #expect(result.errors == "Cannot write \"\(trial.directory)\": File exists.\n")
  }

  @Test func aMissingDatabaseIsNotCreated() throws {
    let path = trial.scratch.path("other.db")
    let result = try Program.aasa("export", "--database", path)
    #expect(result.status == 1)
    #expect(result.errors.contains("No database at \"\(path)\""))
    #expect(FileContents(path) == nil)
  }
}
