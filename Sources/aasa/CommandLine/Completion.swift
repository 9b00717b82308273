import Service

/// Completion in shells: each script asks `aasa complete` for the words that may come next.
enum Completion {
  enum Shell: String, CaseIterable { case bash, zsh, fish }

  /// A word that completes a command line.
  struct Candidate {
    let word: String
    /// One line.
    let meaning: String
  }

  /// The words that may end a command line.
  ///
  /// - Parameter line: The words after `aasa`, up to the one to complete, which may be empty.
  /// - Returns: `nil` if the path of a file or directory is expected.
  static func candidates(_ line: [String]) -> [Candidate]? {
    // Bash splits `--name=value` into three words.
    var before = line.dropLast().filter { $0 != "=" }
    let current = line.last.map { $0 == "=" ? "" : $0 } ?? ""
    let isForHelp = before.first == "help"
    if isForHelp { before.removeFirst() }
    let names = words(after: before)
    let candidates = names.isEmpty && !isForHelp ? arguments(after: before, current) : names
    return candidates?.filter { $0.word.hasPrefix(current) }
  }

  /// The next words of the names of commands, each once.
  private static func words(after before: [String]) -> [Candidate] {
    var seen: Set<String> = []
    return Main.commands.filter { $0.group != nil }.compactMap { command in
      let name = command.words
      guard name.count > before.count, name.starts(with: before) else { return nil }
      let word = name[before.count]
      guard seen.insert(word).inserted else { return nil }
      let isWhole = name.count == before.count + 1
      return Candidate(word: word, meaning: isWhole ? command.summary : "see aasa \(word) --help")
    }
  }

  private static func arguments(after before: [String], _ current: String) -> [Candidate]? {
    guard let command = Main.command(before[...]) else { return [] }
    let equals = current.firstIndex(of: "=")
    let name = equals.map { String(current[..<$0]) } ?? before.last
    let option = command.options.first { $0.name == name && $0.placeholder != nil }
    if let option, !current.hasPrefix("-") || equals != nil {
      if option.choices.isEmpty { return option.takesPath ? nil : [] }
      let start = equals == nil ? "" : "\(option.name)="
      return option.choices.map { Candidate(word: start + $0, meaning: option.name) }
    }
    let expectsPath = command.operands.name.hasPrefix("FILE") || command.operands.name == "DIR"
    if !current.hasPrefix("-") && expectsPath { return nil }
    let options = command.options.map { Candidate(word: $0.name, meaning: $0.summary) }
    return command.choices.map { Candidate(word: $0, meaning: command.operands.name) } + options
      + [Candidate(word: "--help", meaning: "Print this help.")]
  }

  /// The script for a shell. `aasa complete` prints words with their meanings, and fails if a path is
  /// expected, which the shells complete by themselves.
  static func script(for shell: Shell) -> String {
    switch shell {
    case .bash:
      """
      # bash completion for aasa: eval "$(aasa completion bash)"
      _aasa() {
        local IFS=$'\\n'
        COMPREPLY=($("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null |
          cut -f 1))
      }
      complete -o default -F _aasa aasa

      """
    case .zsh:
      """
      #compdef aasa
      _aasa() {
        local found
        if found=$("${(Q)words[1]}" complete -- "${(@)words[2,CURRENT]}" 2> /dev/null); then
          local -a candidates=(${(f)${found//$'\\t'/:}})
          _describe aasa candidates
        else
          _files
        fi
      }
      if [[ $funcstack[1] == _aasa ]]; then _aasa "$@"; else compdef _aasa aasa; fi

      """
    case .fish:
      """
      function __aasa_complete
        set -l line (commandline -opc)
        set -l word (commandline -ct)
        set -g __aasa_words ($line[1] complete -- $line[2..] "$word" 2> /dev/null)
      end
      complete -c aasa -n __aasa_complete -f -a '$__aasa_words'

      """
    }
  }
}

extension Option {
  /// The first sentence of its help.
  fileprivate var summary: String {
    help.firstRange(of: ". ").map { String(help[..<$0.lowerBound]) + "." } ?? help
  }
}
