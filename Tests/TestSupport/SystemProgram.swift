import FoundationEssentials
import Glibc
package import Testing

/// A program that tests start: one of Debian, or Traefik.
package struct SystemProgram: Sendable, CustomStringConvertible {
  /// Its file's name.
  package let description: String

  /// A program by its name.
  package init(_ name: String) { description = name }

  /// Its path. Debian's `/usr/sbin` is not in the PATH of every user, and Traefik, which Debian does not
  /// have, is where `make test` installs it.
  package var path: String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let directories =
      path.split(separator: ":").map(String.init)
      + ["/usr/sbin", "/sbin", Program.directory + "/../../traefik/bin"]
    return directories.map { "\($0)/\(description)" }.first { access($0, X_OK) == 0 }
  }

  /// Runs a test only if some programs are installed. In CI it always runs, and fails without them.
  package static func need(_ names: String...) -> ConditionTrait {
    let missing = names.filter { SystemProgram($0).path == nil }
    let isCI = ProcessInfo.processInfo.environment["CI"] == "true"
    return .enabled(
      if: missing.isEmpty || isCI,
      "\(missing.joined(separator: ", ")) not installed; `make setup` installs what tests need.")
  }
}
