import FoundationEssentials
import JSONValue
import Service
import Store

/// `aasa restore`
enum RestoreCommand {
  static func run(_ arguments: Arguments) throws -> ExitStatus {
    let file = try arguments.backupFile()
    let database = try Store.path(arguments)
    let restored = try Store.namingFiles {
      try Backup.restore(
        file, to: database, replacing: arguments.has(.force),
        now: Int64(Date.now.timeIntervalSince1970))
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
    object["revivedTokens"] = .strings(restored.revivedTokens)
    object["isOfOtherDatabase"] = .bool(restored.isOfOtherDatabase)
    return JSON.object(object).text
  }

  private static func warn(_ restored: Restored) {
    if restored.republished > 0 {
      Terminal.complain(
        "Domains that were published under a new number, since the database had come further than "
          + "the backup: \(restored.republished).")
    }
    if restored.isOfOtherDatabase {
      Terminal.complain(
        "The backup is of another database: the audit is still the one of this database, and that of "
          + "the backup is only in the backup.")
    }
    if !restored.revivedTokens.isEmpty {
      Terminal.complain(
        "Tokens that are valid again; revoke those that must not be: "
          + restored.revivedTokens.joined(separator: ", "))
    }
  }
}
