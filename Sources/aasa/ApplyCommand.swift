import JSONValue

/// `aasa apply`
enum ApplyCommand {
  static func run(_ arguments: Arguments) throws -> ExitStatus {
    let plan = try ApplyOrder(arguments).carryOut(isDryRun: arguments.has(.dryRun))
    return plan == nil ? .failure : .success
  }
}
