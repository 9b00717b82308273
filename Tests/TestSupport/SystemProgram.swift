import FoundationEssentials
import Glibc
public import Testing

/// A program of Debian that tests start.
public struct SystemProgram: Sendable, CustomStringConvertible {
  /// Its file's name.
  public let description: String

  /// A program by its name.
  public init(_ name: String) { description = name }

  /// Where it is: Debian's `/usr/sbin` is not in the PATH of every user.
  public var path: String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let directories = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
    return directories.map { "\($0)/\(description)" }.first { access($0, X_OK) == 0 }
  }

  /// Lets a test run only where some programs are installed. Where CI runs it, it runs anyhow, and
  /// fails for the lack of them.
  public static func need(_ names: String...) -> ConditionTrait {
    let missing = names.filter { SystemProgram($0).path == nil }
    let isCI = ProcessInfo.processInfo.environment["CI"] == "true"
    return .enabled(
      if: missing.isEmpty || isCI,
      "\(missing.joined(separator: ", ")) not installed; `make setup` installs what tests need.")
  }
}
