import FoundationEssentials
import Glibc

/// A running `aasa serve` on free ports.
package final class RunningServer: Sendable {
  /// It did not print its addresses, or its token.
  package struct NotStarted: Error {
    /// What it wrote to stderr.
    package let errors: String
  }

  /// The process.
  package let process: ChildProcess
  /// The port of the public listener.
  package let publicPort: UInt16
  /// The port of the admin listener.
  package let adminPort: UInt16

  private let scratch: TemporaryDirectory

  /// Starts the server, and returns when it listens.
  ///
  /// - Parameters:
  ///   - program: The program, with any arguments before `serve`.
  ///   - arguments: Further options.
  ///   - descriptors: The descriptors that it inherits, from 3 on.
  package init(
    database: String, program: [String] = [Program.aasa], arguments: [String] = [],
    environment: [String: String] = [:], descriptors: [Int32] = []
  ) throws {
    let scratch = try TemporaryDirectory()
    self.scratch = scratch
    let anyPort = "127.0.0.1:0"
    let words =
      program.dropFirst() + [
        "serve", "--database", database, "--public-address", anyPort, "--admin-address", anyPort,
      ] + arguments
    let process = try ChildProcess(
      program[0], Array(words), environment: Program.environment(environment),
      output: scratch.path("out"), errors: scratch.path("err"), descriptors: descriptors)
    self.process = process
    publicPort = try scratch.announced(Self.port("Association files:"), by: process)
    adminPort = try scratch.announced(Self.port("Admin API:"), by: process)
  }

  /// What it has written to stderr so far.
  package func errors() throws -> String { try scratch.text("err") }

  /// What it has written to stdout so far.
  package func output() throws -> [UInt8] { try scratch.read("out") }

  /// The token that it prints on its first start.
  package func firstToken() throws -> String {
    try scratch.announced(Self.firstToken, by: process)
  }

  /// The API with the token of the first start.
  package func client() throws -> Client {
    client(token: try firstToken())
  }

  /// The API with a token.
  package func client(token: String) -> Client {
    Client(port: adminPort, lines: ["Host: localhost", "Authorization: Bearer \(token)"])
  }

  /// Fetches a file of a host.
  package func file(
    _ name: String = "apple-app-site-association", of host: String
  ) throws -> RawResponse {
    try RawConnection(port: publicPort).exchange(
      "GET /.well-known/\(name) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
  }

  /// Sends a signal and waits for the end.
  package func end(_ signal: Int32 = SIGTERM) throws -> ChildProcess.Ending {
    process.signal(signal)
    return try process.waitForEnd()
  }

  /// The token in a server's output.
  package static func firstToken(in errors: String) -> String? {
    lines(of: errors).first { $0.hasPrefix("First admin token") }?
      .split(separator: " ").last.map(String.init)
  }

  /// The port in the line that begins with a word.
  package static func port(_ word: String) -> @Sendable (String) -> UInt16? {
    { errors in
      lines(of: errors).first { $0.hasPrefix(word) }?.split(separator: ":").last
        .flatMap { UInt16($0.prefix { $0.isNumber }) }
    }
  }

  /// Whole lines only, because the last one may be incomplete.
  private static func lines(of errors: String) -> some Sequence<Substring> {
    errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  }
}

extension TemporaryDirectory {
  /// What a program has written to the file `err` so far.
  package func errors() throws -> String { String(decoding: try read("err"), as: UTF8.self) }

  /// Waits until a program has written something to the file `err`.
  package func announced<Value>(
    _ find: (String) -> Value?, by process: ChildProcess
  ) throws -> Value {
    var errors = ""
    var value: Value?
    let deadline = ContinuousClock.now + .seconds(60)
    while value == nil && ContinuousClock.now < deadline {
      let hasEnded = process.ending != nil
      errors = try text("err")
      value = find(errors)
      if hasEnded { break }
      if value == nil { usleep(1_000) }
    }
    guard let value else { throw RunningServer.NotStarted(errors: errors) }
    return value
  }
}
