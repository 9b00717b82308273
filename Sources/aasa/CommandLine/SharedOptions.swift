import Association
import Service

/// Options of several commands.
extension Option {
  static let config = {
    var option = Option("--config", "FILE", "A TOML file with settings.")
    option.variable = "AASA_CONFIG"
    return option
  }()
  /// Every option of `aasa serve`.
  static let settings = [config] + Configuration.settings.map { Option($0) }
  static let database = Option(Setting.database)
  static let json = Option("--json", nil, "Print JSON.")
  static let kind = Option(
    "--kind", "KIND", "The kind of the file. Default: detected from the content.",
    choices: DocumentKind.allCases.map(\.rawValue))
  static let kindOfFiles = Option(
    "--kind", "KIND",
    "The kind of the file; of a directory, take only files of this kind. Default: detected from the content.",
    choices: kind.choices)
  static let accept = Option(
    "--accept", "CODES",
    "Accept these errors: codes of findings, separated by commas. May be repeated."
  ).repeatable
  static let severity = Option(
    "--severity", "SEVERITY", "Only findings of this severity or a worse one.",
    choices: Finding.Severity.allCases.map(\.rawValue))
  static let app = Option(
    "--app", "APP", "Only domains that use this app, such as ABCDE12345.com.example.app.")
  static let label = Option("--label", "LABEL", "Only domains with this label.")
  static let skipRefused = Option(
    "--skip", "refused", "Leave domains that would be refused as they are.", choices: ["refused"])
  static let detach = Option(
    "--detach", nil,
    "Make what came from a template the domain's own, so that exactly the old documents come back.")
  static let reason = Option("--reason", "TEXT", "The reason for the change, for the audit log.")
  static let prune = Option(
    "--prune", nil, "Delete domains, and unused apps, that are not in the files.")
  static let overwrite = Option(
    "--overwrite", nil, "Undo what others have changed since the files were exported.")
  static let dryRun = Option("--dry-run", nil, "Show what would change, and change nothing.")
  static let draft = Option(
    "--draft", nil,
    "Change nothing, but create a draft of the change, which somebody else approves. Prints the number of the draft; with "
      + "--dry-run, what it would change.")
  static let force = Option("--force", nil, "Overwrite an existing file or database.")
  static let server = {
    var option = Option(
      "--server", "URL",
      "Work on a running server instead of a database file: the URL of its admin listener. Needs a "
        + "token in AASA_TOKEN.")
    option.variable = "AASA_SERVER"
    return option
  }()

  /// The options that choose an `Installation`.
  static let installation = [database, server]
}

extension Arguments {
  /// The kind of file that is asked for, if any.
  func kind() throws(UsageError) -> DocumentKind? {
    try choice(.kind)
  }

  /// The mildest findings to print.
  func leastSeverity() throws(UsageError) -> Finding.Severity {
    try choice(.severity) ?? .note
  }

  /// The codes of errors that do not stop a publication.
  func acceptedCodes() throws(UsageError) -> Set<Finding.Code> {
    do throws(UnacceptableCode) {
      return try Finding.Code.accepted(in: all(.accept).joined(separator: ","))
    } catch {
      throw UsageError(error.message)
    }
  }
}
