import Association
import Service
import Store

enum BackupCommand {
  static let command = Command(
    name: "backup", group: .database, summary: "save the database to one file and check it",
    details:
      "Works while servers run on the database. The backup of a PostgreSQL database is an SQLite file, "
      + "too.",
    options: [.force, .json, .database], operands: .one("FILE"),
    examples: [
      ("Save the database", "aasa backup aasa-backup.db"),
      (
        "Replace last night's backup",
        "aasa backup --force --database /var/lib/aasa/aasa.db /backup/aasa.db"
      ),
    ], run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let file = try arguments.backupFile()
    let database = try Store.location(arguments)
    let contents = try Store.advisingBackup(database) {
      try Store.checkExists(database)
      return try Progress.copy {
        try Backup.save(
          database, to: file, replacing: arguments.has(.force), now: .now, progress: $0)
      }
    }
    if arguments.has(.json) {
      try Terminal.print(JSON.object(contents.members(["file": .string(file)])).text)
    } else {
      try Terminal.print("\(file): \(contents.counts), schema \(contents.schema)")
    }
    return .success
  }
}

enum RestoreCommand {
  static let command = Command(
    name: "restore", group: .database, summary: "restore the database from a backup",
    details: "Checks the backup first. Works while a server runs on the database: it serves the "
      + "restored files within a second. Lists tokens and users that come back.",
    options: [.force, .json, .database], operands: .one("FILE"),
    examples: [
      ("Restore into a new database", "aasa restore --database new.db aasa-backup.db"),
      ("Replace the database of a running server", "aasa restore --force aasa-backup.db"),
    ], run: run)

  private static func run(_ arguments: Arguments) throws -> ExitStatus {
    let file = try arguments.backupFile()
    let location = try Store.location(arguments)
    let database = location.description
    let restored = try Store.advisingBackup(location) {
      try Progress.copy {
        do {
          return try Backup.restore(
            file, to: location, replacing: arguments.has(.force), now: .now, progress: $0)
        } catch BackupError.database(file, .database(.damaged, _)) {
          throw Failure("\(file.quotedPath) is not a backup of aasa, or is damaged.")
        }
      }
    }
    let text =
      arguments.has(.json) ? json(restored, database, file) : line(restored, database, file)
    warn(restored)
    try Terminal.print(text)
    return .success
  }

  private static func line(_ restored: Restored, _ database: String, _ file: String) -> String {
    let old = restored.contents.schema
    let schema = old == restored.schema ? "schema \(old)" : "schema \(old), now \(restored.schema)"
    return "\(database): restored from \(file), \(restored.contents.counts), \(schema)"
  }

  private static func json(_ restored: Restored, _ database: String, _ file: String) -> String {
    var object = restored.contents.members(["database": .string(database), "file": .string(file)])
    object["schemaNow"] = .integer(restored.schema)
    object["republished"] = .integer(restored.republished)
    object["deleted"] = .integer(restored.deleted)
    object["revivedTokens"] = .strings(restored.revivedTokens)
    object["revivedUsers"] = .strings(restored.revivedUsers)
    object["unprotectedLabels"] = .strings(restored.unprotectedLabels)
    object["isOfOtherDatabase"] = .bool(restored.isForeign)
    object["setAside"] = restored.setAside.map { .string($0) } ?? .null
    return JSON.object(object).text
  }

  private static func warn(_ restored: Restored) {
    if restored.republished > 0 {
      Terminal.complain(
        "Republished \(restored.republished.counted("domain")) under a new number: the database had "
          + "later revisions than the backup.")
    }
    if restored.deleted > 0 {
      Terminal.complain(
        "Deleted \(restored.deleted.counted("domain")) that the backup does not have. They can be brought back."
      )
    }
    if let setAside = restored.setAside {
      Terminal.complain(
        "The database was damaged. It is kept as \(setAside.quotedPath). Restart every server that "
          + "runs on the database.")
    }
    if restored.isForeign {
      Terminal.complain(
        "The backup is from another database. This database keeps its own audit log; the backup's "
          + "was not restored.")
    }
    if !restored.revivedTokens.isEmpty {
      Terminal.complain(
        "These tokens are valid again, or their secrets from before a rotation; revoke or rotate those that must not be: "
          + restored.revivedTokens.joined(separator: ", "))
    }
    if !restored.revivedUsers.isEmpty {
      Terminal.complain(
        "These users have the rights of the backup again; change those that should not: "
          + restored.revivedUsers.joined(separator: ", "))
    }
    if !restored.unprotectedLabels.isEmpty {
      Terminal.complain(
        "These labels no longer protect their domains; protect them again if they should: "
          + restored.unprotectedLabels.joined(separator: ", "))
    }
  }
}

extension Arguments {
  /// The operand of `backup` and `restore`, which cannot be stdin or stdout.
  fileprivate func backupFile() throws(UsageError) -> String {
    let file = operands[0]
    if file.isEmpty || file == "-" {
      throw UsageError("FILE must be a path, not \(file.quotedPath).")
    }
    return file
  }
}

extension Store {
  /// Runs `body` and adds advice to its database errors.
  static func advisingBackup<Result>(
    _ location: DatabaseLocation, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try advising(location, body)
    } catch BackupError.database(let path, let error) {
      throw UnusableDatabase(error, at: .file(path))
    }
  }
}

extension DatabaseContents {
  /// "118784 bytes, 1 domain, 17 revisions"
  fileprivate var counts: String {
    "\(bytes) bytes, " + domains.counted("domain") + ", " + revisions.counted("revision")
  }

  /// Adds these counts to the members of an object.
  fileprivate func members(_ others: JSON.Object) -> JSON.Object {
    var object = others
    object["bytes"] = .integer(bytes)
    object["domains"] = .integer(domains)
    object["revisions"] = .integer(revisions)
    object["schema"] = .integer(schema)
    return object
  }
}
