import Association
import Service

extension Option {
  static let accept = Option(
    "--accept", "CODES",
    "Codes of errors in spite of which files are published, with commas between them. May be repeated."
  )
  static let reason = Option("--reason", "TEXT", "Why, for the audit log.")
  static let prune = Option(
    "--prune", nil, "Delete domains, and unused apps, that are not in the files.")
  static let dryRun = Option("--dry-run", nil, "Show what would change, and change nothing.")
  static let force = Option("--force", nil, "Overwrite what exists.")
  static let server = Option(
    "--server", "URL",
    "Work on a running server instead of a database: the URL of its admin listener. Needs a token in "
      + "AASA_TOKEN.")
  static let domain = Option("--domain", "DOMAIN", "The domain that will serve the file.").required
}

extension Arguments {
  /// The codes of errors in spite of which files are published.
  func acceptedCodes() throws(UsageError) -> Set<Finding.Code> {
    do throws(UnacceptableCode) {
      return try Finding.Code.accepted(in: all(.accept).joined(separator: ","))
    } catch {
      throw UsageError(error.message)
    }
  }
}

extension ImportCommand {
  static let command = Command(
    name: "import", group: .domains, summary: "publish a file for a domain",
    details:
      "Creates the domain if it is new, and makes it serve exactly this file. A running server "
      + "on the same database follows within a second. FILE - is stdin.",
    options: [.domain, .accept, .reason, .database], operands: .one("FILE"),
    examples: [
      ("Publish a file", "aasa import --domain example.com apple-app-site-association"),
      (
        "Take over what a site serves today",
        "curl -fsS https://example.com/.well-known/apple-app-site-association | aasa import "
          + "--domain example.com -"
      ),
    ],
    failure: "the file has errors or breaks expectations; nothing was published", run: run)
}

extension ApplyCommand {
  static let command = Command(
    name: "apply", group: .domains, summary: "apply a desired state from files, atomically",
    details:
      "Makes apps and domains match the files: a directory as written by export, or one file; "
      + "FILE - is stdin. Prints what changed.",
    options: [
      .dryRun, .prune, .accept, .reason, .json, .database, .server,
    ], operands: .one("FILE|DIR"),
    examples: [
      ("Apply a directory kept in git", "aasa apply --reason 'release 7' domains/"),
      (
        "Apply it to a server, and delete what is not in it",
        "aasa apply --prune --server https://aasa.internal:8081 domains/"
      ),
    ],
    failure: "refused; nothing was changed unless stderr says so", run: run)
}

extension DiffCommand {
  static let command = Command(
    name: "diff", group: .domains, summary: "show what apply would change",
    options: [.prune, .accept, .json, .database, .server], operands: .one("FILE|DIR"),
    examples: [
      ("Compare a directory with a database", "aasa diff domains/"),
      (
        "Compare it with a server, in a pipeline",
        "aasa diff --server https://aasa.internal:8081 domains/"
      ),
    ],
    success: "nothing would change", failure: "apply would be refused",
    difference: "something would change", run: run)
}

extension ExportCommand {
  static let command = Command(
    name: "export", group: .domains, summary: "write all apps and domains to files or stdout",
    details:
      "DIR gets apps.json and a file per domain, in a stable order for git. A file whose domain "
      + "is gone is deleted if the last export wrote it and nobody has changed it. Without DIR one "
      + "JSON document goes to stdout.",
    options: [.json, .database, .server], operands: .optional("DIR"),
    examples: [
      ("Write files for git", "aasa export domains/"),
      (
        "Copy everything to another server",
        "aasa export | aasa apply --server https://aasa.internal:8081 -"
      ),
    ], run: run)
}

extension BackupCommand {
  static let command = Command(
    name: "backup", group: .database, summary: "save the database to one checked file",
    details: "Works while a server runs on the database.",
    options: [.force, .json, .database], operands: .one("FILE"),
    examples: [
      ("Save the database", "aasa backup aasa-backup.db"),
      (
        "Replace last night's backup",
        "aasa backup --force --database /var/lib/aasa/aasa.db /backup/aasa.db"
      ),
    ], run: run)
}

extension RestoreCommand {
  static let command = Command(
    name: "restore", group: .database, summary: "restore the database from a backup",
    details: "Checks the backup first. Works while a server runs on the database: it serves the "
      + "restored files within a second. Lists tokens that become valid again.",
    options: [.force, .json, .database], operands: .one("FILE"),
    examples: [
      ("Restore into a new database", "aasa restore --database new.db aasa-backup.db"),
      ("Replace the database of a running server", "aasa restore --force aasa-backup.db"),
    ], run: run)
}
