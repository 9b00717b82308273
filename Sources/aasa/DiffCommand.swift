import JSONValue

/// `aasa diff`: what `aasa apply` would do.
enum DiffCommand {
  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    guard let plan = try ApplyOrder("diff", words).carryOut(isDryRun: true) else { return .no }
    return plan.isEmpty ? .fine : .different
  }
}
