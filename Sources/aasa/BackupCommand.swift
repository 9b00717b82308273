import Association
import JSONValue
import Service
import Store

/// `aasa backup`
enum BackupCommand {
  static func run(_ arguments: Arguments) throws -> ExitStatus {
    let file = try arguments.backupFile()
    let database = try Store.path(arguments)
    let contents = try Store.namingFiles {
      try Backup.save(database, to: file, replacing: arguments.has(.force))
    }
    if arguments.has(.json) {
      try Terminal.print(JSON.object(contents.members(["file": .string(file)])).text)
    } else {
      try Terminal.print("\(file): \(contents.counts), schema \(contents.schema)")
    }
    return .success
  }
}

extension Arguments {
  /// The file of a backup, which cannot be a stream.
  func backupFile() throws(UsageError) -> String {
    let file = operands[0]
    if file.isEmpty || file == "-" { throw UsageError("FILE must be a path, not “\(file)”.") }
    return file
  }
}

extension Store {
  /// Does `body`, and says of the store's errors what to do about the file that they name.
  static func namingFiles<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch BackupError.database(let path, let error) {
      throw UnusableDatabase(description: error.advice(for: path))
    }
  }
}

extension DatabaseContents {
  /// "118784 bytes, 1 domain, 17 revisions"
  var counts: String {
    "\(bytes) bytes, \(domains.counted("domain")), \(revisions.counted("revision"))"
  }

  /// Members of an object, after others.
  func members(_ others: JSON.Object) -> JSON.Object {
    var object = others
    object["bytes"] = .integer(bytes)
    object["domains"] = .integer(domains)
    object["revisions"] = .integer(revisions)
    object["schema"] = .integer(schema)
    return object
  }
}
