import Service
import FoundationEssentials

/// The manual page `aasa.1`, in the macros of man(7).
enum ManPage {
  static func text(of commands: [Command]) -> String {
    var lines = [
      ".TH AASA 1 \"\(date)\" \"aasa \(escaped(AdminAPI.programVersion))\" \"User Commands\"",
      ".SH NAME", "aasa \\- server for the files that tie apps to domains",
      ".SH SYNOPSIS", ".B aasa", ".I COMMAND", "[\\fIOPTION\\fR]...",
      ".SH DESCRIPTION",
    ]
    lines += paragraph(
      "aasa serves the association files of many domains from one SQLite or PostgreSQL database. "
        + "A JSON API edits them. Each edit is checked before it is published.")
    lines.append(".SH COMMANDS")
    for command in commands where command.group != nil {
      lines += [".SS \(escaped(command.usage))"] + paragraph(sentence(command))
      for option in command.options {
        lines += [".TP", ".B \(escaped(option.spelling))"]
        lines += paragraph("\(option.help) \(option.facts)")
      }
      for example in command.examples {
        lines += [".PP", escaped("\(example.does):"), ".PP", ".nf", "    " + escaped(example.line)]
        lines.append(".fi")
      }
      lines += [".PP", "Exit codes:"]
      for exit in command.exits {
        lines += [".TP", "\(exit.status.rawValue)", escaped(exit.meaning)]
      }
    }
    lines.append(".SH ENVIRONMENT")
    for (name, meaning) in environment { lines += [".TP", ".B \(name)"] + paragraph(meaning) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Today, or the day of SOURCE_DATE_EPOCH, so that a package can be built twice with the same bytes.
  private static var date: String {
    let epoch = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap(Double.init)
    return (epoch.map(Date.init(timeIntervalSince1970:)) ?? .now)
      .formatted(.iso8601.year().month().day())
  }

  private static let environment = [
    (
      "AASA_*",
      "Each option can be set by its variable, such as AASA_DATABASE for --database. Options take "
        + "precedence over variables, and variables over the --config file. An empty variable counts as unset; that of "
        + "a list is an empty list."
    ),
    (
      "AASA_SERVER",
      "The server to work on, without --server and --database. AASA_DATABASE must not be set as well."
    ),
    ("AASA_TOKEN", "The API token for the server."),
    ("SSL_CERT_FILE", "A PEM file with the certificate authorities to trust for --server."),
    ("NO_COLOR", "If set and not empty, turns colors off."),
  ]

  private static func sentence(_ command: Command) -> String {
    let summary = command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."
    return command.details.isEmpty ? summary : "\(summary) \(command.details)"
  }

  private static func paragraph(_ text: String) -> [String] { text.wrapped(to: 70).map(escaped) }

  /// The line, escaped so that nothing in it is a macro.
  private static func escaped(_ line: String) -> String {
    let text = line.reduce(into: "") { text, character in
      switch character {
      case "\\": text += "\\e"
      case "-": text += "\\-"
      case "…": text += "..."
      case "\"": text += "\\(dq"
      default: text.append(character)
      }
    }
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }
}
