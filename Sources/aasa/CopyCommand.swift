import Association
import Service
import Store

enum CopyCommand {
  private static let from = Option(
    "--from", "DATABASE", "The database to copy: a file, or the URI of a PostgreSQL database.")
  private static let to = Option(
    "--to", "DATABASE",
    "Where to: a file that does not exist, or the URI of an empty PostgreSQL database.")

  static let command = Command(
    name: "copy", group: .database,
    summary: "copy everything to another database, with its history",
    details:
      "Copies everything with its history, and compares counts and digests of all rows. If anything differs, no copy "
      + "is made. Stop the servers on both databases first, or restart them with --read-only.",
    options: [from, to, .json],
    examples: [
      (
        "Move to PostgreSQL",
        "aasa copy --from aasa.db --to postgresql://aasa@db.internal/aasa"
      ),
      (
        "Move back", "aasa copy --from postgresql://aasa@db.internal/aasa --to aasa.db"
      ),
    ], run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let (source, target) = (try location(from, arguments), try location(to, arguments))
    if source == target { throw UsageError("--from and --to are the same database.") }
    // Errors of the source are found first.
    let copied = try Store.advisingBackup(target) {
      try Store.advisingBackup(source) { try Store.checkExists(source) }
      return try Progress.copy {
        do {
          return try Backup.copy(from: source, to: target, now: .now, progress: $0)
        } catch BackupError.alreadyExists(let path) {
          throw Failure("\(path.quotedPath) already exists. Choose another path, or move it away.")
        }
      }
    }
    if arguments.has(.json) {
      var rows: JSON.Object = [:]
      for (table, count) in copied.rows.sorted(by: { $0.key < $1.key }) {
        rows[table] = .integer(count)
      }
      try Terminal.print(
        JSON.object([
          "from": .string(source.description), "to": .string(target.description),
          "rows": .object(rows),
        ]).text)
    } else {
      let count = copied.rows.values.reduce(0, +)
      let domains = copied.rows["domain"] ?? 0
      try Terminal.print(
        "\(target.description): \(count.counted("row")) of \(domains.counted("domain")) copied, all equal"
      )
    }
    return .success
  }

  private static func location(
    _ option: Option, _ arguments: Arguments
  ) throws -> DatabaseLocation {
    guard let text = arguments.value(option) else { throw UsageError("\(option.name) is missing.") }
    do {
      if let location = try DatabaseLocation(text) { return location }
    } catch {
      throw UsageError("\(option.name) is not valid: \(error).")
    }
    throw UsageError("\(option.name) must be a path or a URI, not \"\".")
  }
}
