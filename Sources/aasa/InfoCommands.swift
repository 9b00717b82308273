import Service

/// Commands about the program itself.
enum InfoCommands {
  static let commands = [
    Command(
      name: "completion", group: .other, summary: "print a completion script for a shell",
      operands: .one("SHELL"), choices: Completion.Shell.allCases.map(\.rawValue),
      examples: [
        ("Complete in this bash", "eval \"$(aasa completion bash)\""),
        (
          "Complete in every fish",
          "aasa completion fish > ~/.config/fish/completions/aasa.fish"
        ),
      ], run: completion),
    Command(
      name: "version", group: .other, summary: "print the version", details: "So does --version.",
      examples: [
        ("Print the version", "aasa version"),
        ("Ask a running server", "curl -sS http://127.0.0.1:8081/metrics | grep build_info"),
      ]
    ) { _ in
      try Terminal.print("aasa \(Release.version)")
      return .success
    },
    Command(
      name: "help", group: .other, summary: "explain a command",
      operands: Command.Operands(name: "COMMAND", count: 0...2),
      examples: [
        ("List all commands", "aasa help"), ("Explain one", "aasa help token create"),
      ], run: help),
    Command(
      name: "reference", group: nil,
      summary: "print the manual page, or the Markdown table of all settings",
      operands: .one("PAGE"), choices: ["man", "settings"],
      examples: [
        ("Read the manual page", "aasa reference man | man -l -"),
        ("Print the table of docs/configuration.md", "aasa reference settings"),
      ], run: reference),
  ]

  private static func completion(_ arguments: Arguments) throws -> ExitStatus {
    guard let shell = arguments.operands.first.flatMap(Completion.Shell.init) else {
      throw UsageError("SHELL must be one of bash, zsh, fish.")
    }
    try Terminal.write(Array(Completion.script(for: shell, Main.commands).utf8))
    return .success
  }

  private static func help(_ arguments: Arguments) throws -> ExitStatus {
    try Main.help(arguments.operands)
    return .success
  }

  private static func reference(_ arguments: Arguments) throws -> ExitStatus {
    switch arguments.operands.first {
    case "man": try Terminal.write(Array(ManPage.text(of: Main.commands).utf8))
    case "settings": try Terminal.write(Array(Configuration.markdownTable.utf8))
    default: throw UsageError("PAGE must be one of man, settings.")
    }
    return .success
  }
}
