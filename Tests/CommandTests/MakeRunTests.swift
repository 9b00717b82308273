import Foundation
import Glibc
import TestSupport
import Testing

/// The recipe of `make run`, with the program that was built for the tests.
@Suite struct MakeRunTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// Runs the recipe until the server listens.
  private func run(on database: String) throws -> ChildProcess {
    let package = URL(filePath: #filePath).appending(path: "../../..").standardized.path
    return try ChildProcess(
      "make",
      [
        "-C", package, "--no-print-directory", "--old-file=program", "run", "DEBUG=\(Program.aasa)",
        "DATABASE=\(database)",
        "SERVE_FLAGS=--public-address 127.0.0.1:0 --admin-address 127.0.0.1:0",
      ], environment: Program.environment(), output: scratch.path("out"),
      errors: scratch.path("err"))
  }

  @Test func itServesTheExampleAndMayBeRepeated() throws {
    try serveTwice(scratch.path("var/aasa.db"))
  }

  @Test(PostgreSQLServer.needs) func itServesTheExampleFromAPostgreSQLDatabase() throws {
    let server = try PostgreSQLServer()
    try serveTwice(server.uri)
  }

  private func serveTwice(_ database: String) throws {
    for isFirst in [true, false] {
      let make = try run(on: database)
      let port = try scratch.announced(RunningServer.port("Association files:"), by: make)
      let command = try scratch.announced(Self.curl, by: make)
      #expect(command.contains(":\(port)/"))
      if isFirst { #expect(try scratch.announced(RunningServer.firstToken, by: make).count == 48) }

      for file in ["assetlinks.json", "webauthn"] {
        let other = try Program.run(
          "sh", ["-c", command.replacing("apple-app-site-association", with: file)])
        #expect(other.output.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(file)")
      }
      let answer = try Program.run("sh", ["-c", command])
      #expect(answer.status == 0)
      #expect(answer.output.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.output.contains("Content-Type: application/json\r\n"))
      #expect(answer.output.contains("ABCDE12345.com.example.app"))

      let shell = try scratch.text("out").split(separator: "\n").filter { $0.hasPrefix("  ") }
      let inSecondTerminal = try Program.run("sh", ["-c", shell.joined(separator: "\n")])
      #expect(inSecondTerminal.output.hasPrefix("aasa serves "), "\(shell)")

      make.signal(SIGINT, wholeGroup: true)  // as Ctrl-C does
      _ = try make.waitForEnd()
      #expect(try isFirst == scratch.text("out").contains("+ example.com  revision 1"))
      #expect(try isFirst == scratch.text("err").contains("First admin token"))
    }
  }

  /// The line that is ready to paste.
  private static func curl(in errors: String) -> String? {
    errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .first { $0.hasPrefix("Try:") }?.dropFirst(4).trimmingCharacters(in: .whitespaces)
  }
}
