import TestSupport
import Testing

/// What the program promises to scripts whatever the command: results on stdout, the rest on stderr,
/// and three exit statuses.
@Suite struct UsageTests {
  @Test(arguments: [
    [], ["publish"], ["serve", "--prot", "1"], ["serve", "now"], ["serve", "-d"],
    ["serve", "--database"], ["import"], ["import", "FILE"], ["import", "--domain", "a.example"],
    ["import", "--domain", "a.example", "--accept", "everything", "FILE"], ["validate"],
    ["validate", "-q", "FILE"], ["validate", "--json=yes", "FILE"],
    ["match", "https://a.example/"],
    ["match", "--file"], ["match", "--file", "FILE"], ["match", "--file", "-", "-"], ["token"],
    ["token", "destroy"], ["token", "create", "--role", "admin"],
    ["token", "create", "--name", "x"], ["token", "create", "--name", "x", "--role", "owner"],
    ["token", "create", "--name", "", "--role", "admin"],
    ["token", "create", "--name", "a\tb", "--role", "admin"], ["token", "revoke"],
    ["token", "list", "all"],
  ])
  func wrongUsageEndsWith64AndTheUsageOnStderr(words: [String]) throws {
    let scratch = try TemporaryDirectory()
    let result = try Program.run(Program.aasa, words, in: scratch)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("usage:\n  aasa serve"))
    let last = result.errors.split(separator: "\n").last ?? ""
    #expect(result.errors.hasSuffix("\n\n\(last)\n"), "what was wrong comes last, by itself")
  }

  @Test(arguments: [["help"], ["--help"], ["-h"], ["match", "--help"]])
  func helpIsAResult(words: [String]) throws {
    let result = try Program.run(Program.aasa, words)
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("usage:\n"))
    #expect(result.errors.isEmpty)
  }

  @Test func theVersionIsThatOfTheMetrics() throws {
    let result = try Program.aasa("--version")
    #expect(result.status == 0 && result.errors.isEmpty && result.lines.count == 1)
    let words = result.output.split(whereSeparator: \.isWhitespace)
    try #require(words.count == 2 && words[0] == "aasa")
    let scratch = try TemporaryDirectory()
    let metrics = try Metrics(of: RunningServer(database: scratch.path("aasa.db")))
    #expect(metrics["aasa_build_info{version=\"\(words[1])\"}"] == 1)
  }

  @Test(arguments: [
    ["import", "--domain", "https://a.example", "FILE"],
    ["import", "--domain", "a_b.example", "FILE"], ["validate", "--domain", "10.0.0.1", "FILE"],
    ["token", "create", "--name", "x", "--role", "admin", "--domain", "*"],
  ])
  func aNameThatIsNoDomainIsWrongUsageInASentence(words: [String]) throws {
    let scratch = try TemporaryDirectory()
    let result = try Program.run(Program.aasa, words, in: scratch)
    #expect(result.status == 64)
    #expect(result.errors.contains("example.com"), "says what a name looks like: \(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test(arguments: [
    ["match", "--file", "missing.json", "https://a.example/"],
    ["validate", "missing.json"], ["validate", "."], ["validate", "/dev/zero"],
    ["import", "--domain", "a.example", "missing.json"],
  ])
  func aFileThatCannotBeReadIsNamedInOneSentence(words: [String]) throws {
    let scratch = try TemporaryDirectory()
    let result = try Program.run(Program.aasa, words, in: scratch)
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("“"))
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(!result.errors.contains("Error"), "no dump of an error: \(result.errors)")
  }

  @Test func aResultThatCannotBeWrittenIsAnError() throws {
    let scratch = try TemporaryDirectory()
    let process = try ChildProcess(
      Program.aasa,
      ["token", "create", "--name", "lost", "--role", "admin", "--database", scratch.path("db")],
      environment: Program.environment(), output: "/dev/full", errors: scratch.path("err"))
    #expect(try process.waitForEnd() == .exited(1))
    #expect(try scratch.text("err").contains("No space left on device"))
    let tokens = try Program.aasa("token", "list", "--database", scratch.path("db"))
    #expect(tokens.output.isEmpty, "a token that nobody saw is of no use")
  }
}
