import JSONValue

/// `aasa apply`
enum ApplyCommand {
  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    let order = try ApplyOrder("apply", words, options: ["--reason"], flags: ["--dry-run"])
    let isDryRun = order.arguments.has("--dry-run")
    return try order.carryOut(isDryRun: isDryRun) == nil ? .no : .fine
  }
}
