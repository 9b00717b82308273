import Service

/// Completion scripts for shells: commands, options and their values.
enum Completion {
  enum Shell: String, CaseIterable { case bash, zsh, fish }

  static func script(for shell: Shell, _ commands: [Command]) -> String {
    let commands = commands.filter { $0.group != nil }
    return switch shell {
    case .bash: bash(commands)
    case .zsh: zsh(commands)
    case .fish: fish(commands)
    }
  }

  /// The first words of commands, and the second words of those that have two.
  private static func words(
    _ commands: [Command]
  ) -> (first: [String], second: [(first: String, words: [String])]) {
    let names = commands.map { $0.name.split(separator: " ").map(String.init) }
    var first: [String] = []
    for name in names where first.last != name[0] { first.append(name[0]) }
    let second = first.compactMap { word in
      let words = names.filter { $0[0] == word && $0.count > 1 }.map { $0[1] }
      return words.isEmpty ? nil : (first: word, words: words)
    }
    return (first, second)
  }

  /// Readline completes file names if there are no other words.
  private static func bash(_ commands: [Command]) -> String {
    let (first, second) = words(commands)
    let options = commands.flatMap(\.options).filter { $0.placeholder != nil }
    let choices = Set(
      options.filter { !$0.choices.isEmpty }.map { option in
        "    \(option.name)) words='\(option.choices.joined(separator: " "))' ;;"
      }
    ).sorted()
    let values = Set(options.filter(\.choices.isEmpty).map(\.name)).sorted()
    let subcommands = second.map {
      "        '2 \($0.first) '*) words='\($0.words.joined(separator: " "))' ;;"
    }
    let cases = commands.map { command in
      let names = command.choices + command.options.map(\.name) + ["--help"]
      let condition = command.takesPath ? "[[ $current == -* ]] && " : ""
      return
        "        \"$COMP_CWORD \(command.name) \"*) \(condition)words='\(names.joined(separator: " "))' ;;"
    }
    return """
      # bash completion for aasa: eval "$(aasa completion bash)"
      _aasa() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=
        case $previous in
      \(choices.joined(separator: "\n"))
          \(values.joined(separator: "|"))) ;;
          *)
            case "$COMP_CWORD ${COMP_WORDS[*]:1} " in
              '1 '*) words='\(first.joined(separator: " "))' ;;
      \((subcommands + cases).joined(separator: "\n"))
            esac ;;
        esac
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      }
      complete -o default -F _aasa aasa

      """
  }

  private static func zsh(_ commands: [Command]) -> String {
    let (_, second) = words(commands)
    let quoted = { (text: String) in "'\(text.replacing("'", with: "'\\''"))'" }
    let plain = { (text: String) in
      text.replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(":", with: "\\:")
    }
    let list =
      commands.filter { !$0.name.contains(" ") }.map { quoted("\($0.name):\($0.summary)") }
      + second.map { quoted("\($0.first):\($0.words.joined(separator: ", "))") }
    let cases = commands.map { command in
      let positions = command.name.split(separator: " ").indices.map { "'\($0 + 1): :'" }
      let options = command.options.map { option in
        let value = option.placeholder.map { ":\($0):\(action(option))" } ?? ""
        return quoted("*\(option.name)[\(plain(option.summary))]\(value)")
      }
      let operand =
        command.choices.isEmpty
        ? (command.takesPath ? ["'*:\(command.operands.name):_files'"] : [])
        : ["'*:\(command.operands.name):(\(command.choices.joined(separator: " ")))'"]
      let words = (positions + options + ["'--help[Print help.]'"] + operand).joined(separator: " ")
      return "    '\(command.name) '*) _arguments \(words) ;;"
    }
    return """
      #compdef aasa
      _aasa() {
        local -a commands=(\(list.joined(separator: " ")))
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        case "$CURRENT $words[2]" in
      \(second.map { "    '3 \($0.first)') compadd \($0.words.joined(separator: " ")); return ;;" }
        .joined(separator: "\n"))
        esac
        case "$words[2,-1] " in
      \(cases.joined(separator: "\n"))
        esac
      }
      if [[ $funcstack[1] == _aasa ]]; then _aasa "$@"; else compdef _aasa aasa; fi

      """
  }

  private static func action(_ option: Option) -> String {
    option.choices.isEmpty
      ? (option.takesPath ? "_files" : " ") : "(\(option.choices.joined(separator: " ")))"
  }

  private static func fish(_ commands: [Command]) -> String {
    let (_, second) = words(commands)
    let quoted = { (text: String) in
      "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
    var lines = ["complete -c aasa -f"]
    for command in commands {
      let words = command.name.split(separator: " ").map(String.init)
      let seen = words.map { "__fish_seen_subcommand_from \($0)" }
      let before =
        words.count == 1
        ? "__fish_use_subcommand"
        : "\(seen[0]); and not __fish_seen_subcommand_from "
          + (second.first { $0.first == words[0] }?.words ?? []).joined(separator: " ")
      if words.count == 2 {
        lines.append("complete -c aasa -n __fish_use_subcommand -a \(words[0])")
      }
      let here = "complete -c aasa -n '\(seen.joined(separator: "; and "))'"
      lines.append(
        "complete -c aasa -n '\(before)' -a \(words[words.count - 1]) -d \(quoted(command.summary))"
      )
      for option in command.options {
        let value =
          option.placeholder == nil
          ? ""
          : option.choices.isEmpty
            ? (option.takesPath ? " -r -F" : " -x")
            : " -x -a '\(option.choices.joined(separator: " "))'"
        lines.append("\(here) -l \(option.name.dropFirst(2))\(value) -d \(quoted(option.summary))")
      }
      if command.takesPath { lines.append("\(here) -F") }
      if !command.choices.isEmpty {
        lines.append("\(here) -a '\(command.choices.joined(separator: " "))'")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension Command {
  /// Whether its operands are paths of files or directories.
  fileprivate var takesPath: Bool {
    operands.name.split(separator: "|").contains { $0 == "FILE" || $0 == "DIR" }
  }
}

extension Option {
  /// The first sentence of its help.
  fileprivate var summary: String {
    help.firstRange(of: ". ").map { String(help[..<$0.lowerBound]) + "." } ?? help
  }
}
