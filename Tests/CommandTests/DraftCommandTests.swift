import Association
import TestSupport
import Testing

/// `aasa apply --draft` and `aasa draft`: a protected domain is published by two people.
@Suite struct DraftCommandTests {
  let trial: StateTrial
  private let anna: String
  private let boris: String

  init() throws {
    trial = try StateTrial()
    let database = trial.database
    (anna, boris) = (
      try Self.token("anna", database), try Self.token("boris", database)
    )
    let patch = try trial.server.client().send(
      "PATCH", "/v1/domains/a.example", json: ["protected": true])
    #expect(patch.status == 200)
    try trial.scratch.write(
      #"{"domains": [{"domain": "a.example", "cacheSeconds": 60}]}"#, to: "faster.json")
  }

  private static func token(_ name: String, _ database: String) throws -> String {
    try Program.aasa(
      "token", "create", "--name", name, "--role", "editor", "--database", database
    ).lines.first ?? ""
  }

  private func run(_ command: String, by token: String, _ words: String...) throws -> Program.Result
  {
    try trial.run(command, at: .server, words: words, token: token)
  }

  @Test func aDraftIsMadeOfFilesShownDiscussedAndApproved() throws {
    let file = trial.scratch.path("faster.json")
    let refused = try run("apply", by: anna, file)
    #expect(
      refused.status == 1 && refused.errors.contains("repeat with --draft"), "\(refused.errors)")
    let diff = try run("diff", by: anna, file)
    #expect(diff.status == 1 && diff.output.contains("~ a.example"), "\(diff.output)")
    #expect(diff.errors.contains("is protected"))
    let both = try trial.scratch.write(
      #"{"domains": [{"domain": "a.example", "cacheSeconds": 60}, {"domain": "b.example", "cacheSeconds": 60}]}"#,
      to: "both.json")
    let protect = try trial.server.client().send(
      "PATCH", "/v1/domains/b.example", json: ["protected": true])
    #expect(protect.status == 200)
    let grouped = try run("diff", by: anna, both)
    #expect(grouped.errors.contains("The same holds for b.example."), "\(grouped.errors)")
    #expect(grouped.errors.split(separator: "\n").count { $0.contains("is protected") } == 1)
    let planned = try run("diff", by: anna, "--draft", file)
    #expect(
      planned.status == 2 && planned.errors.hasPrefix("Protected domains are shown as"),
      "\(planned.errors)")
    let dry = try run("apply", by: anna, "--draft", "--dry-run", file)
    #expect(dry.status == 0 && dry.output.contains("~ a.example"), "\(dry.errors)")
    #expect(
      dry.errors.isEmpty && dry.output.hasSuffix("Domains: 1 to update. Nothing was changed.\n"))
    #expect(try run("draft list", by: anna).output.isEmpty)
    let asked = try run("apply", by: anna, "--draft", "--reason", "sale", file)
    #expect(asked.status == 0 && asked.output == "1\n", "\(asked.errors)")
    #expect(asked.errors.contains("aasa draft show 1"))
    let listed = try run("draft list", by: boris)
    #expect(listed.lines.map { $0.split(separator: "\t").last } == ["sale"])
    #expect(try run("draft comment", by: boris, "1", "--text", "Why?").status == 0)
    let shown = try run("draft show", by: boris, "1")
    #expect(shown.status == 0, "\(shown.errors)")
    #expect(shown.output.hasPrefix("Draft 1 by anna, ") && shown.output.contains(": Why?"))
    #expect(shown.output.contains("~ a.example"))
    #expect(shown.output.hasSuffix("Domains: 1 to update. Nothing was changed.\n"))
    let own = try run("draft approve", by: anna, "1")
    #expect(own.status == 1 && own.errors.contains("is your own"))
    let approved = try run("draft approve", by: boris, "1")
    #expect(approved.status == 0 && approved.output.hasSuffix("Domains: 1 updated.\n"))
    #expect(approved.errors.contains("aasa undo "))
    // A pipeline that runs again with the same files makes no draft, and does not fail.
    let again = try run("apply", by: anna, "--draft", file)
    #expect(again.status == 0 && again.output.isEmpty, "\(again.output)")
    #expect(again.errors == "No draft was created: nothing would change.\n")
    let ended = try run("draft show", by: anna, "1")
    #expect(ended.status == 0 && ended.output.contains("approved by boris, "), "\(ended.output)")
    #expect(try run("draft list", by: anna).output.isEmpty)
    #expect(try run("draft list", by: anna, "--all").lines.count == 1)
  }

  @Test func everyCommandThatChangesADomainCanAskForApproval() throws {
    let added = try trial.run("routes", at: .database, "--add", "/gift/*", "a.example")
    let change = try #require(added.errors.split { !$0.isNumber }.first)
    try trial.scratch.write("member=a", to: "trust.txt")
    let commands = [
      ("put", ["a.example", "trust.txt", trial.scratch.path("trust.txt")], "trust.txt"),
      ("put", ["--remove", "b.example", "trust.txt"], ""),
      ("rollback", ["a.example", "2"], "/gift/*"), ("undo", [String(change)], "/gift/*"),
      ("routes", ["--add", "/sale/*", "a.example"], "/sale/*"),
    ]
    var drafts = 0
    for (command, words, effect) in commands {
      let dry = try trial.run(
        command, at: .server, words: ["--draft", "--dry-run"] + words, token: anna)
      let asked = try trial.run(
        command, at: .server, words: ["--draft", "--reason", command] + words, token: anna)
      if effect.isEmpty {
        #expect(asked.status == 1 && asked.output.isEmpty, "\(asked.output)")
        continue
      }
      #expect(dry.status == 0 && dry.output.contains(effect), "\(command) \(dry.errors)")
      drafts += 1
      #expect(asked.status == 0 && asked.output == "\(drafts)\n", "\(command) \(asked.errors)")
      let shown = try run("draft show", by: boris, String(drafts))
      #expect(shown.status == 0 && shown.output.contains(effect), "\(command) \(shown.output)")
    }
    let json = try run("rollback", by: anna, "--draft", "--json", "a.example", "2")
    #expect(try JSON.parse(Array(json.output.utf8)).value["id"] == .integer(drafts + 1))
  }

  @Test func aDraftIsDeclinedOrWithdrawnAndAStaleOneSaysSo() throws {
    let file = trial.scratch.path("faster.json")
    for _ in 1...3 { #expect(try run("apply", by: anna, "--draft", file).status == 0) }
    #expect(try run("draft decline", by: boris, "1", "--reason", "Too early.").status == 0)
    let declined = try run("draft show", by: anna, "1")
    #expect(declined.output.contains("declined by boris, "))
    #expect(declined.output.contains(": Too early."))
    #expect(try run("draft withdraw", by: anna, "2").status == 0)
    // A command on the database itself needs no approval.
    let edited = try trial.run(
      "routes", at: .database, "--add", "/gift/*", "a.example")
    #expect(edited.status == 0, "\(edited.errors)")
    let stale = try run("draft show", by: boris, "3")
    #expect(stale.status == 1 && stale.errors.contains("others have changed"), "\(stale.errors)")
    let json = try run("draft show", by: boris, "3", "--json")
    #expect(json.status == 1 && json.output.contains("\"id\":3"), "\(json.output)")
    #expect(try run("draft show", by: boris, "1", "--json").status == 0)
    #expect(try run("draft approve", by: boris, "3").status == 1)
  }

  @Test func aTokenWithTheRightGoesThrough() throws {
    let created = try Program.aasa(
      "token", "create", "--name", "pipeline", "--role", "editor", "--publishes-protected",
      "--database", trial.database)
    let token = try #require(created.lines.first)
    let applied = try run("apply", by: token, trial.scratch.path("faster.json"))
    #expect(applied.status == 0, "\(applied.errors)")
    // The first token of a server has the right, and gives it.
    let given = try trial.run(
      "token create", at: .server, "--name", "second", "--role", "admin", "--publishes-protected")
    #expect(given.status == 0, "\(given.errors)")
    let list = try trial.run("token list", at: .database)
    #expect(
      list.lines.count { $0.contains("(publishes protected domains)") } >= 2, "\(list.output)")
  }
}
