import Service

/// Commands about the program itself.
enum InfoCommands {
  static let commands: [Command] = [
    Command(
      name: "completion", group: .other, summary: "print a completion script for a shell",
      operands: .one("SHELL"), choices: Completion.Shell.allCases.map(\.rawValue),
      examples: [
        ("Turn on completion in this bash session", "eval \"$(aasa completion bash)\""),
        (
          "Turn on completion in fish permanently",
          "aasa completion fish > ~/.config/fish/completions/aasa.fish"
        ),
      ]
    ) {
      if let shell = Completion.Shell(rawValue: $0.operands[0]) {
        try Terminal.write(Completion.script(for: shell))
      }
      return .success
    },
    Command(
      name: "version", group: .other, summary: "print the version",
      details: "Same as --version.",
      examples: [
        ("Print the version", "aasa version"),
        ("Ask a running server", "curl -sS http://127.0.0.1:8081/metrics | grep build_info"),
      ]
    ) { _ in
      try Terminal.print("aasa \(AdminAPI.programVersion)")
      return .success
    },
    Command(
      name: "help", group: .other, summary: "explain a command",
      operands: Command.Operands(name: "COMMAND", count: 0...2),
      examples: [
        ("List all commands", "aasa help"), ("Explain one", "aasa help token create"),
      ]
    ) {
      try Main.help($0.operands)
      return .success
    },
    Command(
      name: "reference", group: nil,
      summary: "print the manual page, or the Markdown table of all settings",
      operands: .one("PAGE"), choices: ["man", "settings"],
      examples: [
        ("Read the manual page", "aasa reference man | man -l -"),
        ("Print the table of docs/configuration.md", "aasa reference settings"),
      ]
    ) {
      try Terminal.write(
        $0.operands[0] == "man" ? ManPage.text(of: Main.commands) : Configuration.markdownTable)
      return .success
    },
    Command(
      name: "complete", group: nil,
      summary: "print the words that may end a command line, with their meanings",
      details: "For the scripts of aasa completion.",
      operands: .many("WORD"),
      examples: [
        ("Complete a command", "aasa complete -- tok"),
        ("Complete an option", "aasa complete -- serve --log-format ''"),
      ], failure: "the path of a file or directory is expected"
    ) {
      guard let candidates = Completion.candidates($0.operands) else { return .failure }
      try Terminal.write(candidates.map { "\($0.word)\t\($0.meaning)\n" }.joined())
      return .success
    },
  ]
}
