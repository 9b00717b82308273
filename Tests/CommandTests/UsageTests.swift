import Association
import TestSupport
import Testing

/// What every command promises: results on stdout, everything else on stderr, stable exit codes, help.
@Suite struct UsageTests {
  @Test(arguments: [
    [], ["publish"], ["serve", "--prot", "1"], ["serve", "now"], ["serve", "-d"],
    ["serve", "--database"], ["import"], ["import", "-"], ["import", "--domain", "a.example"],
    ["import", "--domain", "a.example", "--accept", "everything", "FILE"], ["validate"],
    ["validate", "-q", "FILE"], ["validate", "--json=yes", "FILE"],
    ["match"], ["match", "--file"], ["match", "--file", "FILE"], ["match", "--file", "-", "-"],
    ["token"],
    ["token", "destroy"], ["token", "create", "--role", "admin"],
    ["token", "create", "--name", "x"], ["token", "create", "--name", "x", "--role", "owner"],
    ["token", "create", "--name", "", "--role", "admin"],
    ["token", "create", "--name", "a\tb", "--role", "admin"], ["token", "revoke"],
    ["token", "list", "all"], ["delete"],
    ["routes", "--add", "/a", "--add", "/b", "a.example"], ["apply", "--template", "t", "state"],
  ])
  func wrongUsageEndsWith64AndOneHint(words: [String]) throws {
    let scratch = try TemporaryDirectory()
    let result = try Program.run(Program.aasa, words, in: scratch)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    let hint = try #require(result.errors.wholeMatch(of: /.+\nRun '(aasa.* --help)'\.\n/))
    #expect(try Program.run("sh", ["-c", Program.aasa + hint.1.dropFirst(4)]).status == 0)
  }

  @Test(arguments: [
    (["serv"], "Unknown command \"serv\". Did you mean \"serve\"?\nRun 'aasa --help'.\n"),
    (["-v"], "Unknown option \"-v\".\nRun 'aasa --help'.\n"),
    (["help", "nothing"], "Unknown command \"nothing\".\nRun 'aasa --help'.\n"),
    (
      ["token"], "aasa token needs one of create, list, rotate, revoke.\nRun 'aasa token --help'.\n"
    ),
    (
      ["token", "creat"],
      "Unknown command \"token creat\". Did you mean \"token create\"?\nRun 'aasa --help'.\n"
    ),
    (["serve", "--thread", "2"], "Unknown option \"--thread\". Did you mean \"--threads\"?\n"),
    (["diff", "--dryrun", "x"], "Unknown option \"--dryrun\".\nRun 'aasa diff --help'.\n"),
    (
      ["rollback", "a.example"],
      "DOMAIN and REVISION are required.\nRun 'aasa rollback --help'.\n"
    ),
    (["backup"], "FILE is required.\nRun 'aasa backup --help'.\n"),
    (["backup", "a", "b"], "Unexpected argument \"b\".\n"),
    (["serve", "--database"], "--database needs a value: --database DATABASE.\n"),
    (["export", "--json=yes"], "--json takes no value.\n"),
    (
      ["import", "-"],
      "Cannot tell the domain of \"-\" from its name. Name it with --domain.\n"
    ),
    (["import", "--domain", "a.example"], "FILE|DIR is required.\n"),
    (
      ["token", "create", "--name", "x", "--role", "owner"],
      "--role must be one of viewer, editor, admin, not \"owner\".\n"
    ),
  ])
  func theMessageSaysWhatIsWrong(words: [String], message: String) throws {
    #expect(try Program.run(Program.aasa, words).errors.hasPrefix(message))
  }

  @Test(arguments: [["help"], ["--help"], ["-h"]])
  func helpListsEveryCommandByGroup(words: [String]) throws {
    let result = try Program.run(Program.aasa, words)
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(result.output.contains("\nRun a server:\n  serve "))
    #expect(result.lines.count < 69 && result.lines.allSatisfy { $0.count <= 80 })
  }

  private func commands() throws -> [String] {
    try Program.aasa("help").lines.filter { $0.hasPrefix("  ") }.map {
      String(String($0.dropFirst(2)).firstMatch(of: #/(.+?)  /#)?.output.1 ?? "")
    }
  }

  @Test func eachCommandHasItsOptionsTwoExamplesAndItsExitCodes() throws {
    let commands = try commands()
    #expect(commands.contains("serve") && commands.contains("token create"))
    for command in commands {
      let words = command.split(separator: " ").map(String.init)
      let help = try Program.run(Program.aasa, words + ["--help"])
      #expect(help.status == 0 && help.errors.isEmpty)
      #expect(help.output.hasPrefix("aasa \(command): "))
      #expect(help.output.contains("\nUsage: aasa \(command)"))
      #expect(help.output.matches(of: /\n  # .+\n  \S.+/).count == 2, "\(command)")
      #expect(help.output.contains("\nExit codes:\n  0   ") && help.output.contains("\n  64  "))
      let long = help.lines.filter { $0.count > 80 && !$0.hasPrefix("  curl") }
      #expect(long.allSatisfy { $0.contains("aasa ") }, "\(long)")
      for same in [words + ["-h"], ["help"] + words] {
        #expect(try Program.run(Program.aasa, same).output == help.output)
      }
    }
  }

  @Test func helpOfServeHasDefaultsAndVariables() throws {
    let help = try Program.aasa("serve", "--help").output
    #expect(help.contains("\n  --threads N\n"))
    #expect(help.contains("Range: 1 to 64. Default: 1. Variable: AASA_THREADS.\n"))
    #expect(help.contains("\n  --insecure-admin\n"))
  }

  @Test func helpIsForWhoeverAsksBehindOtherOptions() throws {
    let result = try Program.aasa("serve", "--threads", "2", "--help")
    #expect(result.status == 0 && result.output.hasPrefix("aasa serve: "))
    let operand = try Program.aasa("validate", "--", "--help")
    #expect(operand.status == 1 && operand.errors.contains("Cannot read \"--help\""))
  }

  @Test(SystemProgram.need("mandoc"))
  func theManualPageIsSound() throws {
    let page = try Program.aasa("reference", "man")
    let checked = try Program.run("mandoc", ["-Tlint"], input: page.bytes)
    #expect(checked.status == 0 && checked.output.isEmpty, "\(checked.output)")
    let text = try Program.run("mandoc", ["-Tutf8", "-O", "width=200"], input: page.bytes).output
      .replacing(/.\u{8}/, with: "")
    for command in try commands() { #expect(text.contains("   aasa \(command)")) }
    #expect(text.contains("--public-address ADDRESS"))
  }

  @Test(arguments: ["--version", "version"])
  func theVersionIsThatOfTheMetrics(word: String) throws {
    let result = try Program.aasa(word)
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
    ["validate", "missing.json"], ["validate", "/dev/zero"],
    ["import", "--domain", "a.example", "missing.json"],
  ])
  func aFileThatCannotBeReadIsNamedInOneSentence(words: [String]) throws {
    let scratch = try TemporaryDirectory()
    let result = try Program.run(Program.aasa, words, in: scratch)
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(
      result.errors.hasPrefix("Cannot read \"") || result.errors.hasPrefix("\"/dev/zero\" is too"))
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(!result.errors.contains("Error"), "no dump of an error: \(result.errors)")
  }

  @Test func aPipeThatAnswersAtOnceGetsTheWholeResult() throws {
    let scratch = try TemporaryDirectory()
    let script = """
      import array, fcntl, os, subprocess, sys, termios
      read, write = os.pipe()
      os.set_blocking(write, False)
      child = subprocess.Popen([sys.argv[1], "match", "--file", sys.argv[2], "-"], stdout=write,
        stdin=open(sys.argv[3]))
      os.close(write)
      waiting = array.array("i", [0])
      while waiting[0] < 65536 and child.poll() is None:  # a pipe holds no more
        fcntl.ioctl(read, termios.FIONREAD, waiting)
      lines = open(read).read().count("\\n")
      print(lines, child.wait())
      """
    let file = try scratch.write(AssociationFile.routes(["/*"]).text, to: "file")
    let urls = try scratch.write(
      String(repeating: "https://example.com/a\n", count: 5000), to: "urls")
    let result = try Program.run("python3", ["-c", script, Program.aasa, file, urls])
    #expect(result.output == "5000 0\n", "\(result)")
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

  @Test func aTokenWhoseReaderHasGoneIsTakenBack() throws {
    let scratch = try TemporaryDirectory()
    let script = #"exec 3> >(true); wait $!; exec "$@" >&3"#
    let create = ["token", "create", "--name", "lost", "--role", "admin"]
    let database = ["--database", scratch.path("db")]
    let result = try Program.run("bash", ["-c", script, "bash", Program.aasa] + create + database)
    #expect(result.status == 1 && result.errors.contains("Broken pipe"), "\(result)")
    #expect(try Program.run(Program.aasa, ["token", "list"] + database).output.isEmpty)
  }
}
