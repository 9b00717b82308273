import Service

/// The texts of `aasa --help` and `aasa COMMAND --help`.
enum Help {
  static func overview(of commands: [Command]) -> String {
    let width = commands.map(\.name.count).max() ?? 0
    var lines = [
      "aasa serves the files that tie apps to domains.", "",
      "Usage: aasa COMMAND [OPTION]…",
    ]
    for group in Command.Group.allCases {
      lines += ["", "\(group.rawValue):"]
      for command in commands where command.group == group {
        lines.append("  \(command.name.padded(to: width))  \(command.summary)")
      }
    }
    return (lines + ["", "Run 'aasa COMMAND --help' for the options of a command."])
      .joined(separator: "\n")
  }

  /// Commands that begin with the same word.
  static func family(_ commands: [Command]) -> String {
    let width = commands.map(\.usage.count).max() ?? 0
    let lines = commands.map { "  \($0.usage.padded(to: width))  \($0.summary)" }
    return (["Usage:"] + lines + ["", "Run 'aasa COMMAND --help' for the options of a command."])
      .joined(separator: "\n")
  }

  static func text(of command: Command) -> String {
    var lines = ["aasa \(command.name): \(command.summary)", "", "Usage: \(command.usage)"]
    if !command.details.isEmpty { lines += [""] + command.details.wrapped(to: 80) }
    lines += ["", "Options:"]
    for option in command.options {
      lines.append("  \(option.spelling)")
      lines += (option.help.wrapped(to: 74) + option.facts.wrapped(to: 74)).map { "      \($0)" }
    }
    lines += ["  -h, --help", "      Print this help.", "", "Examples:"]
    for example in command.examples { lines += ["  # \(example.does)", "  \(example.line)"] }
    lines += ["", "Exit codes:"]
    for exit in command.exits {
      lines.append("  \("\(exit.status.rawValue)".padded(to: 2))  \(exit.meaning)")
    }
    return lines.joined(separator: "\n")
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
