import Service
import Association
import Checking
import HTTP

enum ApplyCommand {
  fileprivate static let template = Option(
    "--template", "NAME", "Make the domains of this template what the table of --from says.")
  fileprivate static let table = Option(
    "--from", "FILE",
    "A CSV file: the first column is \"domain\", each other one a parameter of the template.")

  static let command = Command(
    name: "apply", group: .domains, summary: "apply a desired state from files, atomically",
    details:
      "Makes apps and domains match the files: directories as written by export, or single files. "
      + "Use - for stdin. Prints what changed. A domain whose file has not changed since the export stays as it is. "
      + "Refuses to undo what others have changed, unless --overwrite is given.",
    options: [
      .dryRun, .prune, .overwrite, .draft, .accept, .reason, .json,
      template, table,
    ] + Option.installation, operands: .any("FILE|DIR"),
    examples: [
      (
        "Apply a table of the domains of a template",
        "aasa apply --template white-label --from customers.csv"
      ),
      (
        "Apply files to a server, and delete everything else",
        "aasa apply --prune --server https://aasa.internal:8081 domains/"
      ),
    ],
    failure: "refused, or stored but not served yet; stderr says which", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    try DesiredChange(arguments: arguments, format: arguments.has(.json) ? .json : .text)
      .apply(isDryRun: arguments.has(.dryRun)) == .refused ? .failure : .success
  }
}

/// `aasa diff`: shows what `aasa apply` would change.
enum DiffCommand {
  private static let format = Option(
    "--format", "FORMAT",
    "The format of the plan: text, or markdown for a comment on a pull request.",
    choices: [PlanPrinter.Format.text, .markdown].map(\.rawValue))

  private static let approved = Option(
    "--draft", nil,
    "Show what happens once the changes of protected domains are approved, as for a pipeline that needs no approval."
  )

  static let command = Command(
    name: "diff", group: .domains, summary: "show what apply would change",
    details: "Prints the whole plan, then what apply would refuse.",
    options: [.prune, .overwrite, approved, .accept, format, .json] + Option.installation,
    operands: .many("FILE|DIR"),
    examples: [
      ("Compare a directory with a database", "aasa diff domains/"),
      (
        "Write a comment for a pull request, in a pipeline",
        "aasa diff --format markdown --server https://aasa.internal:8081 domains/"
      ),
    ],
    success: "nothing would change", failure: "apply would be refused",
    difference: "something would change", run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let outcome = try DesiredChange(arguments: arguments, format: planFormat(arguments))
      .apply(isDryRun: true)
    if arguments.has(approved), outcome == .different { Terminal.complain(approvedNote) }
    return switch outcome {
    case .refused: .failure
    case .different: .different
    case .same: .success
    }
  }

  /// What `--draft` means for the plan.
  fileprivate static let approvedNote =
    "Protected domains are shown as if somebody had approved their changes."

  private static func planFormat(_ arguments: Arguments) throws(UsageError) -> PlanPrinter.Format {
    guard let format: PlanPrinter.Format = try arguments.choice(format) else {
      return arguments.has(.json) ? .json : .text
    }
    if arguments.has(.json) {
      throw UsageError("--json and --format cannot be used together.")
    }
    return format
  }
}

/// The change that the arguments of `aasa apply` or `aasa diff` describe.
private struct DesiredChange {
  enum Outcome {
    case same, different, refused
  }

  let arguments: Arguments
  let format: PlanPrinter.Format

  /// Applies the files and prints the plan as it arrives; a dry run then prints what would be refused.
  ///
  /// - Throws: Like `Installation.apply`; a refusal names the files.
  func apply(isDryRun: Bool) throws -> Outcome {
    let installation = try Installation(
      arguments, missing: isDryRun ? .takenAsEmpty : .createdWithNote, upgrades: !isDryRun)
    let change = Installation.Change(
      prune: arguments.has(.prune), overwrite: arguments.has(.overwrite), isDryRun: isDryRun,
      listsRefusals: isDryRun, isDraft: arguments.has(.draft),
      accepted: try arguments.acceptedCodes(), reason: arguments.value(.reason) ?? "")
    let paths = arguments.operands
    let listed = paths.map(\.quotedPath).joined(separator: " and ")
    if let table = arguments.value(ApplyCommand.table) {
      return try apply(table, change, to: installation)
    }
    if arguments.value(ApplyCommand.template) != nil {
      throw UsageError("--template needs --from FILE, the table of its domains.")
    }
    if paths.isEmpty { throw UsageError("FILE|DIR is required.") }
    return try Progress.during("Reading \(listed)") { progress in
      var known: [String: String] = [:]
      if try DesiredFiles.areMany(at: paths) {
        progress.say("Asking \(installation.name) for its current state")
        known = try installation.hashes(
          unlessAppsDifferFrom: paths.flatMap(DesiredFiles.apps(at:)))
      }
      let files = try DesiredFiles(paths: paths, known: known, progress)
      progress.above {
        FilesToAdopt.say(skipped: files.unrelated)
        if !change.prune { Self.say(gone: files.gone) }
      }
      if change.prune && !files.isWhole {
        throw UsageError(
          "--prune would delete all domains that \(listed) \(paths.count > 1 ? "do" : "does") not list, and "
            + "\(paths.count > 1 ? "none" : "it") is \(paths.count > 1 ? "" : "not ")a list of all domains."
        )
      }
      return try apply(files, change, to: installation, progress)
    }
  }

  /// Says which files are gone, because deleting one is not enough to delete a domain.
  private static func say(gone: [String]) {
    if gone.isEmpty { return }
    let names = gone.prefix(5).map(\.quotedPath).joined(separator: ", ")
    Terminal.complain(
      "\(gone.count.counted("file")) of the last export \(gone.count == 1 ? "is" : "are") gone: \(names)"
        + (gone.count > 5 ? " and \(gone.count - 5) more" : "")
        + ". If the domains still exist, they stay; --prune deletes them.")
  }

  /// Applies a table of the domains of a template.
  private func apply(
    _ table: String, _ change: Installation.Change, to installation: Installation
  ) throws -> Outcome {
    guard let name = arguments.value(ApplyCommand.template) else {
      throw UsageError("--from needs --template NAME.")
    }
    if !arguments.operands.isEmpty {
      throw UsageError(
        "--from takes the domains from a table. Leave \(arguments.operands[0].quoted) out.")
    }
    let path = try "/v1/templates/\(TemplateName(name))"
    let template = try TemplateResource.read(
      record: installation.json(APIClient.Request("GET", path), having: "template"))
    var change = change
    change.template = name
    return try Progress.during("Reading \(table.quotedPath)") { progress in
      let files = try DesiredFiles(table: table, of: template)
      return try apply(files, change, to: installation, progress)
    }
  }

  private func apply(
    _ files: DesiredFiles, _ change: Installation.Change, to installation: Installation,
    _ progress: Progress
  ) throws -> Outcome {
    // The server would only refuse it once it has received everything.
    let most = StateReading.itemLimit
    if files.domains > most {
      throw Failure(
        "\(files.domains.counted("domain")) are too many for one change, of which a plan is kept in memory; the limit is "
          + "\(most). Apply some of the files at a time, without --prune.")
    }
    if change.prune { try files.keepUnchanged() }
    return try request(files, change, to: installation, progress)
  }

  private func request(
    _ files: DesiredFiles, _ change: Installation.Change, to installation: Installation,
    _ progress: Progress
  ) throws -> Outcome {
    do {
      return try send(files, change, to: installation, progress)
    } catch let refused as Installation.Refused
      where refused.code == "unknown-parameter" && change.listsRefusals
    {
      // The server's version lists no refusals: the first is the answer.
      var change = change
      change.listsRefusals = false
      return try request(files, change, to: installation, progress)
    } catch var refused as Installation.Refused {
      refused.files = files
      // There is no plan. That the server is busy, or the token wrong, is nothing for a comment.
      if refused.exitStatus == .failure {
        try PlanPrinter(format, isDryRun: change.isDryRun).printRefusal(refused)
      }
      throw refused
    }
  }

  private func send(
    _ files: DesiredFiles, _ change: Installation.Change, to installation: Installation,
    _ progress: Progress
  ) throws -> Outcome {
    var printer = PlanPrinter(format, isDryRun: change.isDryRun)
    let domains = files.domains.counted("changed domain")
    let sent = { (sent: Int) in
      let percent = sent * 100 / max(1, files.lines.count)
      let work = change.isDryRun ? "compares" : "applies"
      progress.say(
        percent < 100
          ? "Sending \(domains) to \(installation.name): \(percent) %"
          : "\(installation.name) \(work) \(domains)")
    }
    let made = try installation.apply(change, lines: files.lines, sent) { part in
      try progress.above { try printer.add(part) }
    }
    let refused = printer.refused(by: installation, files)
    try progress.above {
      try printer.finish(unchanged: files.unchanged, refused, change: made)
      ChangeCommands.sayHowToUndo(made)
    }
    return refused != nil ? .refused : printer.isDifferent ? .different : .same
  }
}
