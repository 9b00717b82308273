import FoundationEssentials
import Association
import TestSupport
import Testing

/// Lists on a terminal, where people read them.
@Suite struct TableTests {
  private let trial: StateTrial
  private let long = "a-domain-with-a-long-name.brand.example"

  init() throws {
    trial = try StateTrial()
    let reason = String(repeating: "much+to+say+", count: 20)
    let answer = try trial.server.client().send(
      "PUT", "/v1/domains/\(long)?reason=\(reason)", json: StateTrial.domain(long, ["/"]))
    guard answer.status == 201 else { throw StateTrial.NotSetUp(problem: answer.text) }
  }

  private func run(
    _ words: String..., columns: Int, environment: [String: String] = ["TERM": "xterm"]
  ) throws -> [String] {
    let terminal = try PseudoTerminal(columns: columns)
    let process = try ChildProcess(
      Program.aasa, words + ["--database", trial.database],
      environment: Program.environment(["NO_COLOR": ""].merging(environment) { $1 }),
      output: terminal.path, errors: trial.scratch.path("err"))
    #expect(try process.waitForEnd() == .exited(0))
    return terminal.output().split(separator: "\n").map(String.init)
  }

  private func plain(_ line: String) -> String { line.replacing(/\u{1B}\[[0-9]*m/, with: "") }

  @Test(arguments: [120, 80, 60])
  func columnsHaveTitlesAndFitTheTerminal(columns: Int) throws {
    for words in [["domains"], ["revisions", long], ["audit"]] {
      let lines =
        try words.count == 1
        ? run(words[0], columns: columns) : run(words[0], words[1], columns: columns)
      #expect(lines.count > 1 && lines.allSatisfy { plain($0).count <= columns }, "\(lines)")
      #expect(lines.allSatisfy { !$0.contains("\t") })
      let titles = plain(lines[0])
      #expect(titles == titles.uppercased())
    }
    let rows = try run("domains", columns: columns).dropFirst().map(plain)
    #expect(rows.contains { $0.hasPrefix("a.example ") && $0.contains("  served") })
    #expect(rows.contains { $0.hasPrefix(columns == 120 ? "\(long)  " : "a-domain") })
  }

  @Test func titlesAreCutLast() throws {
    let lines = try run("findings", columns: 80).map(plain)
    #expect(lines[0].hasPrefix("SEVERITY  CODE"), "\(lines[0])")
    #expect(lines[0].hasSuffix("  PLACE  FINDING"), "\(lines[0])")
    let audit = try run("audit", columns: 80).map(plain)
    #expect(audit[1].prefix(22).hasSuffix("Z  "), "times are not cut: \(audit[1])")
  }

  @Test func whatIsCutSaysSo() throws {
    let lines = try run("revisions", long, columns: 80).map(plain)
    #expect(lines[1].hasSuffix("…"))
  }

  @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
  func colorsCanBeTurnedOff(environment: [String: String]) throws {
    let colored = try run("domains", columns: 80)
    #expect(colored.contains { $0.contains("\u{1B}[") })
    let plain = try run("domains", columns: 80, environment: environment)
    #expect(plain.allSatisfy { !$0.contains("\u{1B}") })
  }

  /// A name in the database cannot move the cursor of whoever reads the list.
  @Test func controlCharactersAreNotSentToTheTerminal() throws {
    let answer = try trial.server.client().send(
      "PATCH", "/v1/domains/a.example?reason=%1B%5B2J%0Anext", json: ["cacheSeconds": 5])
    #expect(answer.status == 200)
    let lines = try run("audit", "--limit", "1", columns: 300).map(plain)
    #expect(lines.count == 2 && lines[1].contains("\u{FFFD}[2J\u{FFFD}next"))
    let piped = try Program.aasa("audit", "--limit", "1", "--database", trial.database)
    #expect(piped.lines.count == 1 && !piped.bytes.contains(0x1B))
  }
}
