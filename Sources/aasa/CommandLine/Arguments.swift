import Association
import Service

/// A usage error, as a sentence. The program adds a hint to run `--help` and exits with 64
/// (EX_USAGE in sysexits.h).
struct UsageError: Error {
  let message: String
  /// The command to run for help; nil for that of the command that was called.
  let hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }

  /// An unknown option or command, with a suggestion.
  init(unknown kind: String, _ name: String, among known: [String], hint: String? = nil) {
    self.hint = hint
    let guess = name.nearest(in: known).map { " Did you mean \($0.quoted)?" } ?? ""
    message = "Unknown \(kind) \(name.quoted).\(guess)"
  }
}

/// The arguments of a command: options, flags and operands.
struct Arguments {
  let command: Command
  /// The values of options by name; empty for a flag.
  private(set) var values: [String: [String]] = [:]
  private(set) var operands: [String] = []
  /// Whether help was requested. If so, nothing else is checked.
  private(set) var wantsHelp = false

  /// Splits words. `--name value` and `--name=value` are the same; all words after `--` are
  /// operands.
  init(_ words: ArraySlice<String>, for command: Command) throws(UsageError) {
    self.command = command
    var rest = words
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h":
        wantsHelp = true
        return
      case "--":
        operands += rest
        rest = []
      case _ where word.hasPrefix("-") && word != "-":
        try take(word, before: &rest, command.options)
      default: operands.append(word)
      }
    }
    try check(command)
  }

  private mutating func take(
    _ word: String, before rest: inout ArraySlice<String>, _ options: [Option]
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = options.first(where: { $0.name == name }) else {
      throw UsageError(unknown: "option", name, among: options.map(\.name))
    }
    if parts.count == 1 && option.placeholder == nil {
      values[name, default: []].append("")
    } else if option.placeholder == nil && option.choices.isEmpty {
      throw UsageError("\(name) takes no value.")
    } else if let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() {
      values[name, default: []].append(value)
    } else {
      throw UsageError("\(name) needs a value: \(option.spelling).")
    }
  }

  private func check(_ command: Command) throws(UsageError) {
    if operands.count > command.operands.count.upperBound {
      throw UsageError(
        "Unexpected argument \(operands[command.operands.count.upperBound].quoted).")
    }
    for option in command.options where option.isRequired { _ = try required(option) }
    for option in command.options where option.placeholder != nil {
      let isOverridable = option.variable != nil || option.name == "--server"
      if !option.isRepeatable && !isOverridable && all(option).count > 1 {
        throw UsageError("\(option.name) may be given only once.")
      }
    }
    if operands.count < command.operands.count.lowerBound {
      let names = command.operands.name.split(separator: " ").joined(separator: " and ")
      throw UsageError(
        "\(names) \(command.operands.count.lowerBound == 1 ? "is" : "are") required.")
    }
    if !command.choices.isEmpty, let word = operands.first(where: { !command.choices.contains($0) })
    {
      let choices = command.choices.joined(separator: ", ")
      throw UsageError("\(command.operands.name) must be one of \(choices), not \(word.quoted).")
    }
  }

  /// The value of an option; the last one if it is repeated.
  func value(_ option: Option) -> String? { values[option.name]?.last }

  /// All values of an option that may be repeated.
  func all(_ option: Option) -> [String] { values[option.name] ?? [] }

  /// Whether a flag is set.
  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// The value of a required option.
  func required(_ option: Option) throws(UsageError) -> String {
    guard let value = value(option) else {
      throw UsageError("\(option.spelling) is required.")
    }
    return value
  }

  /// The value of an option whose choices are words of a closed set.
  func choice<Words: RawRepresentable<String>>(_ option: Option) throws(UsageError) -> Words? {
    guard let word = value(option) else { return nil }
    return try choice(option, word)
  }

  /// - Parameter word: The value of the option.
  func choice<Words: RawRepresentable<String>>(
    _ option: Option, _ word: String
  ) throws(UsageError) -> Words {
    guard option.choices.contains(word), let choice = Words(rawValue: word) else {
      throw UsageError(
        "\(option.name) must be one of \(option.choices.joined(separator: ", ")), not \(word.quoted)."
      )
    }
    return choice
  }

  /// The number that an operand is.
  ///
  /// - Parameter name: What the usage calls the operand.
  func number(_ name: String, at index: Int = 0) throws(UsageError) -> Int {
    try Self.number(operands[index], name)
  }

  /// The value of an option that is a number of at least 1.
  func number(_ option: Option) throws(UsageError) -> Int? {
    guard let text = value(option) else { return nil }
    return try Self.number(text, option.name)
  }

  private static func number(_ text: String, _ name: String) throws(UsageError) -> Int {
    guard let number = Int(text), number > 0 else {
      throw UsageError("\(name) must be a number of at least 1, not \(text.quoted).")
    }
    return number
  }
}
