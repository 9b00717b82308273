import Store
import TestSupport
import Testing

@Suite struct TokenCommandTests {
  let scratch: TemporaryDirectory
  var database: String { scratch.path("aasa.db") }

  init() throws { scratch = try TemporaryDirectory() }

  private func create(_ name: String, role: String = "admin") throws -> String {
    let result = try Program.aasa(
      "token", "create", "--name", name, "--role", role, "--database", database)
    #expect(result.status == 0)
    #expect(
      result.errors.hasSuffix(
        "Created the token \"\(name)\": \(role), all domains, never expires.\n"))
    return result.output
  }

  @Test func createPrintsTheTokenAlone() throws {
    let output = try create("release")
    #expect(output.wholeMatch(of: /aasa_[A-Za-z0-9_-]{43}\n/) != nil)
  }

  @Test func listShowsNamesRolesAndDomainsButNoSecret() throws {
    let secret = try create("release", role: "viewer")
    _ = try Program.aasa(
      "token", "create", "--name", "brand", "--role", "editor", "--domain", "*.brand.example",
      "--domain", "brand.example", "--database", database)
    let list = try Program.aasa("token", "list", "--database", database)
    #expect(list.status == 0)
    let rows = list.lines.map { $0.split(separator: "\t").map(String.init) }
    #expect(rows.map { $0[0] } == ["brand", "release"])
    #expect(rows.map { $0[1] } == ["editor", "viewer"])
    #expect(rows.map { $0[3] } == ["*.brand.example,brand.example", "all domains"])
    #expect(!list.output.contains(secret.prefix(20)))
  }

  @Test func aTokenMayExpireAndTheListTellsThatAndItsLastUse() throws {
    let server = try RunningServer(database: database)
    _ = try server.client().send("GET", "/v1/domains")
    let created = try Program.aasa(
      "token", "create", "--name", "short", "--role", "viewer", "--expires", "2999-01-31",
      "--database", database)
    #expect(created.status == 0 && created.errors.contains("expires 2999-01-31T00:00:00Z."))
    #expect(try server.end() == .exited(0))
    let rows = try Program.aasa("token", "list", "--database", database).lines
      .map { $0.split(separator: "\t").map(String.init) }
    #expect(rows.map { $0[0] } == ["first-admin", "short"])
    #expect(rows.map { $0[4] } == ["never expires", "expires 2999-01-31T00:00:00Z"])
    #expect(rows[0][5].hasPrefix("last used 2") && rows[1][5] == "never used")
    #expect(rows[0][5].suffix(20) >= rows[0][2], "no use before its creation")
  }

  @Test(arguments: ["2020-01-31", "tomorrow", "2999-13-01"])
  func aTimeThatIsOverOrNoneIsWrongUsage(time: String) throws {
    let result = try Program.aasa(
      "token", "create", "--name", "x", "--role", "viewer", "--expires", time, "--database",
      database)
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("--expires must be "))
  }

  @Test func aNameIsGivenOnce() throws {
    _ = try create("release")
    let again = try Program.aasa(
      "token", "create", "--name", "release", "--role", "admin", "--database", database)
    #expect(again.status == 1)
    #expect(again.output.isEmpty)
    #expect(again.errors.contains("A token named \"release\" already exists."))
  }

  @Test func aTokenIsRotatedUnderItsNameAndARunningServerTakesOnlyTheNewOne() throws {
    let server = try RunningServer(database: database)
    let old = try create("release", role: "editor").trimmingSuffix("\n")
    for (words, end) in [
      ([], "never expires"), (["--expires", "2999-01-31"], "expires 2999-01-31T00:00:00Z"),
      ([], "expires 2999-01-31T00:00:00Z"),
    ] {
      let rotated = try Program.run(
        Program.aasa, ["token", "rotate", "release", "--database", database] + words)
      #expect(rotated.status == 0)
      #expect(rotated.output.wholeMatch(of: /aasa_[A-Za-z0-9_-]{43}\n/) != nil)
      #expect(rotated.errors == "Rotated the token \"release\": editor, all domains, \(end).\n")
      let new = rotated.output.trimmingSuffix("\n")
      #expect(try server.client(token: new).send("GET", "/v1/domains").status == 200)
      #expect(try server.client(token: old).send("GET", "/v1/domains").status == 401)
    }
  }

  @Test func rotatingWhatIsNotThereOrForATimeThatIsOverSaysSo() throws {
    _ = try create("somebody")
    let result = try Program.aasa("token", "rotate", "nobody", "--database", database)
    #expect(result.status == 1)
    #expect(result.errors == "\(database): The token \"nobody\" does not exist.\n")
    let late = try Program.aasa(
      "token", "rotate", "somebody", "--expires", "2020-01-31", "--database", database)
    #expect(late.status == 64 && late.errors.hasPrefix("--expires must be in the future"))
  }

  /// The old one is gone by then.
  @Test func aRotatedTokenThatCannotBeWrittenIsAnErrorThatSaysWhatToDo() throws {
    _ = try create("release")
    let process = try ChildProcess(
      Program.aasa, ["token", "rotate", "release", "--database", database],
      environment: Program.environment(), output: "/dev/full", errors: scratch.path("err"))
    #expect(try process.waitForEnd() == .exited(1))
    #expect(try scratch.text("err").contains("is not accepted any more: rotate it again"))
  }

  @Test func aFirstTokenThatIsRotatedLivesOnUnused() throws {
    let server = try RunningServer(database: database)
    _ = try server.firstToken()
    let rotated = try Program.aasa("token", "rotate", "first-admin", "--database", database)
    #expect(rotated.status == 0 && rotated.errors.contains("never expires"))
    let listed = try Program.aasa("token", "list", "--database", database).output
    #expect(listed.contains("never expires") && listed.contains("never used"))
  }

  @Test func revokingWhatIsNotThereSaysSo() throws {
    _ = try create("somebody")
    let result = try Program.aasa("token", "revoke", "--name", "nobody", "--database", database)
    #expect(result.status == 1)
    #expect(result.errors == "\(database): The token \"nobody\" does not exist.\n")
  }

  @Test func aTokenIsRevokedByItsNameWithOrWithoutTheOption() throws {
    _ = try create("first")
    _ = try create("second")
    func revoke(_ words: String...) throws -> Int32? {
      try Program.run(Program.aasa, ["token", "revoke", "--database", database] + words).status
    }
    #expect(try revoke() == 64 && revoke("first", "--name", "second") == 64)
    #expect(try revoke("first") == 0 && revoke("--name", "second") == 0)
    #expect(try Program.aasa("token", "list", "--database", database).output.isEmpty)
  }

  @Test func aRunningServerTakesANewTokenAndRefusesARevokedOneAtOnce() throws {
    let server = try RunningServer(database: database)
    let token = try create("release").trimmingSuffix("\n")
    let client = server.client(token: token)
    #expect(try client.send("GET", "/v1/domains").status == 200)
    _ = try Program.aasa("token", "revoke", "--name", "release", "--database", database)
    #expect(try client.send("GET", "/v1/domains").status == 401)
  }

  @Test func aFirstTokenThatNobodyUsesExpiresAndTheNextStartPrintsAnother() throws {
    func letADayPass() throws {
      try SQLiteConnection(path: database, mode: .existing).execute(
        "UPDATE token SET unused_until = unused_until - 86400")
    }
    let first = try RunningServer(database: database)
    let unused = try first.firstToken()
    let row = try Program.aasa("token", "list", "--database", database).output
    #expect(row.contains("expires 2") && row.contains("never used"))
    try letADayPass()
    #expect(try first.client(token: unused).send("GET", "/v1/domains").status == 401)
    #expect(try first.end() == .exited(0))

    let second = try RunningServer(database: database)
    let used = try second.firstToken()
    #expect(used != unused)
    #expect(try second.client(token: used).send("GET", "/v1/domains").status == 200)
    #expect(try second.end() == .exited(0))
    try letADayPass()
    let third = try RunningServer(database: database)
    #expect(try third.client(token: used).send("GET", "/v1/domains").status == 200)
    #expect(try third.client(token: unused).send("GET", "/v1/domains").status == 401)
  }

  @Test func theFirstStartPrintsATokenAndTheSecondDoesNot() throws {
    let first = try RunningServer(database: database)
    let token = try first.firstToken()
    #expect(try first.client().send("GET", "/v1/domains").status == 200)
    #expect(try first.end() == .exited(0))
    #expect(try first.output().isEmpty, "a token is nothing for stdout")

    let second = try RunningServer(database: database)
    #expect(
      try second.client(token: token).send("GET", "/v1/apps").status == 200)
    #expect(try second.end() == .exited(0))
    #expect(try !second.errors().contains("aasa_"))
  }
}

extension String {
  /// The text without an end that it has.
  fileprivate func trimmingSuffix(_ end: String) -> String {
    hasSuffix(end) ? String(dropLast(end.count)) : self
  }
}
