import FoundationEssentials
import Glibc

/// The programs that tests run: the `aasa` that was built with them, and system programs.
package enum Program {
  /// The result of a program.
  package struct Result: Sendable {
    /// How it ended.
    package let ending: ChildProcess.Ending
    /// Its stdout.
    package let bytes: [UInt8]
    /// Its stderr.
    package let errors: String

    /// Its exit status; `nil` if a signal ended it.
    package var status: Int32? {
      if case .exited(let status) = ending { status } else { nil }
    }

    /// Its stdout as text.
    package var output: String { String(decoding: bytes, as: UTF8.self) }

    /// The lines of stdout.
    package var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// The directory that the tests were built into.
  package static let directory: String = {
    var path = [CChar](repeating: 0, count: 4096)
    let count = max(0, readlink("/proc/self/exe", &path, path.count))
    let program = String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return program.split(separator: "/").dropLast().map { "/\($0)" }.joined()
  }()

  /// The `aasa` that was built with the tests.
  package static let aasa = directory + "/aasa"

  /// The environment of a program: that of the test without the variables of aasa, and the given
  /// ones.
  package static func environment(_ additional: [String: String] = [:]) -> [String: String] {
    ProcessInfo.processInfo.environment
      // A `make` of the tests is no part of the one that runs them.
      .filter { !$0.key.hasPrefix("AASA_") && !$0.key.hasPrefix("MAKE") && $0.key != "MFLAGS" }
      .merging(additional) { $1 }
  }

  /// Runs `aasa` until it ends.
  package static func aasa(
    _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:],
    in directory: TemporaryDirectory? = nil, seconds: Double = 120
  ) throws -> Result {
    try run(
      aasa, arguments, input: input, environment: environment, in: directory, seconds: seconds)
  }

  /// Runs a program until it ends.
  package static func run(
    _ program: String, _ arguments: [String], input: [UInt8] = [],
    environment: [String: String] = [:], in directory: TemporaryDirectory? = nil,
    seconds: Double = 120
  ) throws -> Result {
    let scratch = try TemporaryDirectory()
    let process = try ChildProcess(
      program, arguments, environment: Self.environment(environment),
      input: .file(try scratch.write(input, to: "in")), output: scratch.path("out"),
      errors: scratch.path("err"), directory: directory?.url.path)
    let ending = try process.waitForEnd(seconds: seconds)
    return Result(
      ending: ending, bytes: try scratch.read("out"),
      errors: try scratch.text("err"))
  }
}
