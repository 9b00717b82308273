import JSONValue

/// `aasa diff`: what `aasa apply` would do.
enum DiffCommand {
  static func run(_ arguments: Arguments) throws -> ExitStatus {
    guard let plan = try ApplyOrder(arguments).carryOut(isDryRun: true) else { return .failure }
    return plan.isEmpty ? .success : .different
  }
}
