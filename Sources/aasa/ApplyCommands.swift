import APITypes
import JSONValue

/// `aasa apply`
enum ApplyCommand {
  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    let arguments = try Arguments(
      words, options: DesiredChange.options + ["--reason"],
      flags: DesiredChange.flags + ["--dry-run"])
    let change = try DesiredChange("apply", arguments)
    return try change.apply(isDryRun: arguments.has("--dry-run")) == nil ? .no : .fine
  }
}

/// `aasa diff`: shows what `aasa apply` would change.
enum DiffCommand {
  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    let arguments = try Arguments(
      words, options: DesiredChange.options, flags: DesiredChange.flags)
    guard let plan = try DesiredChange("diff", arguments).apply(isDryRun: true) else { return .no }
    return plan.isEmpty ? .fine : .different
  }
}

/// The change that the arguments of `aasa apply` or `aasa diff` describe.
private struct DesiredChange {
  static let options = Installation.options + ["--accept"]
  static let flags = ["--prune", "--json"]

  private let arguments: Arguments
  private let path: String

  init(_ command: String, _ arguments: Arguments) throws(Arguments.Wrong) {
    guard let path = arguments.operands.first, arguments.operands.count == 1 else {
      throw Arguments.Wrong(message: "\(command) needs one FILE or DIR.")
    }
    self.arguments = arguments
    self.path = path
  }

  /// Applies the files and prints the plan. Prints the problem instead, and returns `nil`, if they are
  /// refused, or stored but not served yet.
  func apply(isDryRun: Bool) throws -> Plan? {
    let installation = try Installation(arguments)
    let accepted = try arguments.acceptedCodes()
    let files = try DesiredFiles(path: path)
    let prune = arguments.has("--prune")
    if prune && !files.isWhole {
      throw Arguments.Wrong(
        message: "--prune would delete all domains that “\(path)” does not list, and it is not a "
          + "list of all domains.")
    }
    do {
      let (plan, json) = try installation.apply(
        Installation.Change(
          state: files.state, prune: prune, isDryRun: isDryRun, accepted: accepted,
          reason: arguments.value("--reason") ?? ""))
      try Terminal.print(arguments.has("--json") ? json.text : PlanText(plan, Style()).text)
      return plan
    } catch let refused as Installation.Refused {
      let text = ProblemText(refused.problem, from: installation.name, place: files.place)
      try text.print(asJSON: arguments.has("--json"))
      return nil
    }
  }
}
