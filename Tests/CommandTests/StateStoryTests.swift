import Foundation
import Association
import TestSupport
import Testing

/// A state in git meets the changes of others, through a database and through a server.
@Suite struct StateStoryTests {
  let trial: StateTrial

  init() throws { trial = try StateTrial(isExported: true) }

  /// Somebody adds a route through the API.
  private func addRoute(_ path: String) throws {
    let answer = try trial.server.client().send(
      "POST", "/v1/domains/a.example/entries/1/routes", json: ["path": .string(path)])
    #expect(answer.status == 201, "\(answer.text)")
  }

  @Test(arguments: StateTrial.Site.allCases)
  func anOlderExportDoesNotUndoWhatOthersDid(site: StateTrial.Site) throws {
    try trial.replace("3600", with: "60", in: "a.example.json")
    try addRoute("/sale")
    for command in ["diff", "apply"] {
      let refused = try trial.run(command, at: site, trial.directory)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("\n  a.example: "), "\(refused.errors)")
      #expect(refused.errors.contains("published revision 2, but the state is based on revision 1"))
      #expect(refused.errors.contains(" or repeat with --overwrite.\n"), "\(refused.errors)")
      #expect(refused.errors.contains("\n    route \"/sale\" removed"), "\(refused.errors)")
    }
    #expect(try trial.isServed(["/a", "/sale"], for: "a.example"))
    let forced = try trial.run("apply", at: site, "--overwrite", trial.directory)
    #expect(forced.status == 0, "\(forced.errors)")
    #expect(try trial.isServed(["/a"], for: "a.example"))
    let clean = try trial.run("diff", at: site, trial.directory)
    #expect(clean.status == 0, "what apply published is its own: \(clean.errors)")
  }

  @Test(arguments: StateTrial.Site.allCases)
  func aDomainThatOthersDeletedDoesNotComeBack(site: StateTrial.Site) throws {
    try trial.replace("3600", with: "60", in: "a.example.json")
    let deleted = try trial.server.client().send(
      "DELETE", "/v1/domains/a.example?accept=opens-nothing")
    #expect(deleted.status == 200, "\(deleted.text)")
    let refused = try trial.run("apply", at: site, trial.directory)
    #expect(refused.status == 1)
    let reason =
      "a.example: deleted after the state was exported. Applying it would create the domain again."
    #expect(refused.errors.contains(reason), "\(refused.errors)")
    #expect(try trial.server.file(of: "a.example").status == 404)
    let forced = try trial.run("apply", at: site, "--overwrite", trial.directory)
    #expect(forced.status == 0 && forced.output.hasPrefix("+ a.example  revision 2, "))
    #expect(try trial.isServed(["/a"], for: "a.example"))
  }

  @Test(arguments: StateTrial.Site.allCases)
  func aFileWithOneMemberChangesOnlyThat(site: StateTrial.Site) throws {
    let file: JSON = ["domain": "a.example", "cacheSeconds": 60]
    let applied = try trial.run("apply", at: site, "-", input: file.serialized())
    #expect(applied.status == 0, "\(applied.errors)")
    #expect(try trial.isServed(["/a"], for: "a.example"))
    #expect(
      try becomesTrue {
        try trial.server.file(of: "a.example")["Cache-Control"] == "public, max-age=60"
      })
  }

  @Test func aDatabaseThatDoesNotExistYetIsComparedAsEmpty() throws {
    let path = trial.scratch.path("none.db")
    let result = try Program.aasa("diff", "--database", path, trial.directory)
    #expect(result.status == 2)
    #expect(result.lines.last == "Domains: 2 to create. Apps: 1 to create. Nothing was changed.")
    #expect(result.errors.contains("No database at \"\(path)\" yet"))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func filesThatClaimOneNameAreBothNamed() throws {
    let domain = try trial.scratch.text("state/a.example.json")
    try trial.scratch.write(domain, to: "state/copy.json")
    let copied = try trial.run("diff", at: .server, trial.directory)
    #expect(copied.status == 1)
    #expect(
      copied.errors.contains("/copy.json\" and ")
        && copied.errors.contains("/a.example.json\" are both files of \"a.example\""))
    try trial.remove("copy.json")
    for name in ["c.example", "d.example"] {
      let json: JSON = ["domain": .string(name), "aliases": ["www.shared.example"]]
      try trial.scratch.write(json.text, to: "state/\(name).json")
    }
    for site in StateTrial.Site.allCases {
      let result = try trial.run("diff", at: site, trial.directory)
      #expect(result.status == 1)
      #expect(
        result.errors.contains(
          "\n  c.example.json and d.example.json both claim www.shared.example."),
        "\(result.errors)")
    }
  }
}

/// A state that is larger than a body of the API may be.
@Suite struct LargeStateTests {
  private static let count = 300

  private static func domain(_ index: Int) -> JSON {
    let comment = String(repeating: "long ", count: 200)
    var domain = StateTrial.domain("d\(index).example", ["/a"]).objectValue ?? [:]
    domain["entries"] = [
      [
        "apps": [.string(AssociationFile.app)],
        "routes": [["path": "/a", "comment": .string(comment)]],
      ]
    ]
    return .object(domain)
  }

  @Test func whatCanBeExportedCanBeAppliedAndOnlyDifferencesTravel() throws {
    let trial = try StateTrial()
    #expect(try trial.exportDirectory().status == 0)
    for index in 0..<Self.count {
      try trial.scratch.write(Self.domain(index).text, to: "state/d\(index).example.json")
    }
    let created = try trial.run("apply", at: .server, trial.directory)
    #expect(created.status == 0, "\(created.errors)")
    #expect(created.lines.last == "Domains: \(Self.count) created, 2 unchanged. Apps: 1 unchanged.")

    let export = trial.scratch.path("export")
    #expect(try trial.run("export", at: .server, export).status == 0)
    let same = try trial.run("diff", at: .server, export)
    #expect(same.status == 0)
    #expect(
      same.output == "No changes: \(Self.count + 2) domains and 1 app are up to date.\n",
      "\(same.errors)")

    let path = "export/d7.example.json"
    try trial.scratch.write(
      try trial.scratch.text(path).replacingOccurrences(of: "\"/a\"", with: "\"/z\""), to: path)
    for (site, words) in [(StateTrial.Site.server, [String]()), (.database, ["--prune"])] {
      let diff = try trial.run("diff", at: site, words: words + [export])
      #expect(diff.status == 2, "\(diff.errors)")
      #expect(diff.lines.filter { $0.hasPrefix("~ ") }.count == 1)
      #expect(
        diff.lines.last
          == "Domains: 1 to update, \(Self.count + 1) unchanged. Apps: 1 unchanged. "
          + "Nothing was changed.")
    }
    let json = try trial.run("diff", at: .server, "--json", export)
    let steps = try JSON.parse(json.bytes, limits: .trusted).value["domains"]?.arrayValue ?? []
    #expect(steps.count == Self.count + 2)
    #expect(steps.count { $0["action"] == "update" } == 1)
    let applied = try trial.run("apply", at: .server, export)
    #expect(applied.status == 0, "\(applied.errors)")
    #expect(try trial.isServed(["/z"], for: "d7.example"))
  }
}
