import Service
import Association
import HTTP

enum ApplyCommand {
  static let command = Command(
    name: "apply", group: .domains, summary: "apply a desired state from files, atomically",
    details:
      "Makes apps and domains match the files: a directory as written by export, or one file. "
      + "Use - for stdin. Prints what changed. Refuses to undo what others have changed since the "
      + "export, unless --overwrite is given.",
    options: [
      .dryRun, .prune, .overwrite, .accept, .reason, .json,
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
    options: [.prune, .overwrite, .accept, .json] + Option.installation,
    operands: .one("FILE|DIR"),
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
    let isDifferent = try DesiredChange(arguments: arguments).apply(isDryRun: true)
    return isDifferent ? .different : .success
  }
}

/// The change that the arguments of `aasa apply` or `aasa diff` describe.
private struct DesiredChange {
  let arguments: Arguments

  /// Applies the files and prints the plan as it arrives.
  ///
  /// - Returns: Whether something changes.
  /// - Throws: Like `Installation.apply`; a refusal names the files.
  func apply(isDryRun: Bool) throws -> Bool {
    let installation = try Installation(
      arguments, missing: isDryRun ? .takenAsEmpty : .createdWithNote)
    let change = Installation.Change(
      prune: arguments.has(.prune), overwrite: arguments.has(.overwrite), isDryRun: isDryRun,
      accepted: try arguments.acceptedCodes(), reason: arguments.value(.reason) ?? "")
    let path = arguments.operands[0]
    return try Progress.during("Reading \(path.quotedPath)") { progress in
      var known: [String: String] = [:]
      if try DesiredFiles.areMany(at: path) {
        progress.say("Asking \(installation.name) for its current state")
        known = try installation.hashes(unlessAppsDifferFrom: DesiredFiles.apps(at: path))
      }
      let files = try DesiredFiles(path: path, known: known, progress)
      progress.above { FilesToAdopt.say(skipped: files.unrelated) }
      if change.prune && !files.isWhole {
        throw UsageError(
          "--prune would delete all domains that \(path.quotedPath) does not list, and it is not a "
            + "list of all domains.")
      }
      do {
        return try apply(files, change, to: installation, progress)
      } catch var refused as Installation.Refused {
        refused.files = files
        throw refused
      }
    }
  }

  private func apply(
    _ files: DesiredFiles, _ change: Installation.Change, to installation: Installation,
    _ progress: Progress
  ) throws -> Bool {
    if change.prune { try files.keepUnchanged() }
    var printer = PlanPrinter(isJSON: arguments.has(.json), isDryRun: change.isDryRun)
    let domains = files.domains.counted("changed domain")
    let pieces = files.lines.pieces { sent in
      let percent = sent * 100 / max(1, files.lines.count)
      let work = change.isDryRun ? "compares" : "applies"
      progress.say(
        percent < 100
          ? "Sending \(domains) to \(installation.name): \(percent) %"
          : "\(installation.name) \(work) \(domains)")
    }
    try installation.apply(change, lines: pieces) { part in
      try progress.above { try printer.add(part) }
    }
    try progress.above { try printer.finish(unchanged: files.unchanged) }
    return printer.isDifferent
  }
}
