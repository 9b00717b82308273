import FoundationEssentials
import Glibc

/// The programs that tests run: `aasa` as it was built beside them, and those of the system.
public enum Program {
  /// What a program did.
  public struct Result: Sendable {
    /// How it ended.
    public let ending: ChildProcess.Ending
    /// What it wrote to stdout.
    public let bytes: [UInt8]
    /// What it wrote to stderr.
    public let errors: String

    /// Its status; `nil` if a signal ended it.
    public var status: Int32? {
      if case .exited(let status) = ending { status } else { nil }
    }

    /// What it wrote to stdout, as text.
    public var output: String { String(decoding: bytes, as: UTF8.self) }

    /// The lines of stdout.
    public var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// The directory that the tests were built into.
  public static let directory: String = {
    var path = [CChar](repeating: 0, count: 4096)
    let count = max(0, readlink("/proc/self/exe", &path, path.count))
    let program = String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return program.split(separator: "/").dropLast().map { "/\($0)" }.joined()
  }()

  /// The `aasa` that was built with the tests.
  public static let aasa = directory + "/aasa"

  /// The variables that a program gets: those of the test, none of aasa's own, and these.
  public static func environment(_ additional: [String: String] = [:]) -> [String: String] {
    ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("AASA_") }
      .merging(additional) { $1 }
  }

  /// Runs `aasa` to its end.
  public static func aasa(
    _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:],
    in directory: TemporaryDirectory? = nil, seconds: Double = 30
  ) throws -> Result {
    try run(
      aasa, arguments, input: input, environment: environment, in: directory, seconds: seconds)
  }

  /// Runs a program to its end.
  public static func run(
    _ program: String, _ arguments: [String], input: [UInt8] = [],
    environment: [String: String] = [:], in directory: TemporaryDirectory? = nil,
    seconds: Double = 30
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
