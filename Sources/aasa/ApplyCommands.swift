import Service
import Association
import APITypes
import JSONValue

/// `aasa apply`
enum ApplyCommand {
  static let command = Command(
    name: "apply", group: .domains, summary: "apply a desired state from files, atomically",
    details:
      "Makes apps and domains match the files: a directory as written by export, or one file. "
      + "Use - for stdin. Prints what changed.",
    options: [
      .dryRun, .prune, .accept, .reason, .json,
    ] + Option.installation, operands: .one("FILE|DIR"),
    examples: [
      ("Apply a directory kept in git", "aasa apply --reason 'release 7' domains/"),
      (
        "Apply it to a server, and delete everything else",
        "aasa apply --prune --server https://aasa.internal:8081 domains/"
      ),
    ],
    failure: "refused, or stored but not served yet; stderr says which", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    _ = try DesiredChange(arguments: arguments).apply(isDryRun: arguments.has(.dryRun))
    return .success
  }
}

/// `aasa diff`: shows what `aasa apply` would change.
enum DiffCommand {
  static let command = Command(
    name: "diff", group: .domains, summary: "show what apply would change",
    options: [.prune, .accept, .json] + Option.installation, operands: .one("FILE|DIR"),
    examples: [
      ("Compare a directory with a database", "aasa diff domains/"),
      (
        "Compare it with a server, in a pipeline",
        "aasa diff --server https://aasa.internal:8081 domains/"
      ),
    ],
    success: "nothing would change", failure: "apply would be refused",
    difference: "something would change", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let plan = try DesiredChange(arguments: arguments).apply(isDryRun: true)
    return plan.isEmpty ? .success : .different
  }
}

/// The change that the arguments of `aasa apply` or `aasa diff` describe.
private struct DesiredChange {
  let arguments: Arguments

  /// Applies the files and prints the plan.
  ///
  /// - Throws: Like `Installation.apply`; a refusal names the files.
  func apply(isDryRun: Bool) throws -> Plan {
    let installation = try Installation(
      arguments, missing: isDryRun ? .refused : .createdWithNote)
    let accepted = try arguments.acceptedCodes()
    let path = arguments.operands[0]
    let files = try DesiredFiles(path: path)
    let prune = arguments.has(.prune)
    if prune && !files.isWhole {
      throw UsageError(
        "--prune would delete all domains that \(path.quotedPath) does not list, and it is not a "
          + "list of all domains.")
    }
    do {
      let (plan, json) = try installation.apply(
        Installation.Change(
          state: files.state, prune: prune, isDryRun: isDryRun, accepted: accepted,
          reason: arguments.value(.reason) ?? ""))
      try Terminal.print(arguments.has(.json) ? json.text : PlanText(plan, TextStyle()).text)
      return plan
    } catch var refused as Installation.Refused {
      refused.place = files.place
      throw refused
    }
  }
}
