import Service

/// A command: parsing, help, completion and the man page are all made from this declaration.
struct Command: Sendable {
  /// The operands after the options.
  struct Operands: Sendable {
    var name = ""
    var count = 0...0

    static let none = Operands()
    static func one(_ name: String) -> Operands { Operands(name: name, count: 1...1) }
    static func optional(_ name: String) -> Operands { Operands(name: name, count: 0...1) }
    static func any(_ name: String) -> Operands { Operands(name: name, count: 0...Int.max) }
    static func many(_ name: String) -> Operands { Operands(name: name, count: 1...Int.max) }
  }

  /// Where `aasa --help` lists it.
  enum Group: String, CaseIterable {
    case server = "Run a server"
    case look = "Look at what is published"
    case domains = "Publish files"
    case files = "Check files without a server"
    case database = "Administer a database"
    case other = "Other"
  }

  /// One word, or two such as `token create`.
  let name: String
  /// `nil` for one that `aasa --help` does not list.
  let group: Group?
  /// One line that begins with a verb in lower case.
  let summary: String
  /// A further paragraph.
  var details = ""
  var options: [Option] = []
  var operands = Operands.none
  /// The allowed operands, if they are a few fixed words.
  var choices: [String] = []
  let examples: [(does: String, line: String)]
  /// The meaning of exit code 0.
  var success = "success"
  /// The meaning of exit code 1.
  var failure = "failure; stderr says why"
  /// The meaning of exit code 2, if the command uses it.
  var difference: String?
  let run: @Sendable (Arguments) throws -> ExitStatus

  var words: [String] { name.split(separator: " ").map(String.init) }

  /// Exit codes with their meanings.
  var exits: [(status: ExitStatus, meaning: String)] {
    let mayUseServer = options.contains { $0.name == Option.server.name }
    return [(.success, success), (.failure, failure)]
      + (difference.map { [(.different, $0)] } ?? [])
      + [(.usage, "wrong usage or an invalid setting")]
      + (mayUseServer || group == .database
        ? [(.unavailable, "the server or the database cannot be reached, is busy, or failed")] : [])
      + (mayUseServer
        ? [(.noPermission, "the server does not accept the token, or its role is too low")] : [])
  }

  /// The exit code for an error that ended it.
  func status(for error: any Error) -> ExitStatus {
    let status = ExitStatus(error)
    return exits.contains { $0.status == status } ? status : .failure
  }

  /// `aasa import --domain DOMAIN [OPTION]… FILE`
  var usage: String {
    let required = options.filter(\.isRequired).map(\.spelling)
    let rest = required.count < options.count ? ["[OPTION]…"] : []
    let names = operands.name.split(separator: " ").count
    let ellipsis = operands.count.upperBound > names ? "…" : ""
    let operand =
      operands.name.isEmpty
      ? []
      : [
        operands.count.lowerBound == 0 ? "[\(operands.name + ellipsis)]" : operands.name + ellipsis
      ]
    return (["aasa \(name)"] + required + rest + operand).joined(separator: " ")
  }
}

struct Option: Sendable {
  /// Such as `--domain`.
  let name: String
  /// The placeholder for its value in help; nil for a flag. A flag with `choices` may have one of
  /// them as its value: `--name=false`.
  var placeholder: String?
  let help: String
  var isRequired = false
  /// Whether all of its values count. Otherwise it is given once, unless it is a setting or the server, which callers may
  /// override.
  var isRepeatable = false
  var choices: [String] = []
  /// The range of a number, as a sentence.
  var range: String?
  /// The environment variable that it overrides.
  var variable: String?
  var standard = ""

  init(_ name: String, _ placeholder: String? = nil, _ help: String, choices: [String] = []) {
    self.name = name
    self.placeholder = placeholder
    self.help = help
    self.choices = choices
  }

  init(_ setting: Setting) {
    self.init(
      setting.flag, setting.kind == .flag ? nil : setting.placeholder, setting.help,
      choices: setting.choices)
    range = setting.range
    variable = setting.variable
    standard = setting.standard
  }

  /// The same option, but required.
  var required: Option {
    var option = self
    option.isRequired = true
    return option
  }

  /// The same option, of which all values count.
  var repeatable: Option {
    var option = self
    option.isRepeatable = true
    return option
  }

  /// `--domain DOMAIN`
  var spelling: String { name + (placeholder.map { " \($0)" } ?? "") }

  /// Its values, default and environment variable, if it has any.
  var facts: String {
    [
      range,
      placeholder != nil && !choices.isEmpty ? "One of \(choices.joined(separator: ", "))." : nil,
      standard.isEmpty ? nil : "Default: \(standard).", variable.map { "Variable: \($0)." },
    ].compactMap(\.self).joined(separator: " ")
  }

  /// Whether its value is the path of a file or directory.
  var takesPath: Bool { ["FILE", "DIR", "DATABASE"].contains(placeholder) }
}
