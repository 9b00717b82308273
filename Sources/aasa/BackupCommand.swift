import JSONValue
import Service
import Store

/// `aasa backup`
enum BackupCommand {
  static func run(_ words: some Sequence<String>) throws -> ExitStatus {
    let arguments = try Arguments(words, options: ["--database"], flags: ["--force", "--json"])
    let file = try arguments.backupFile("backup")
    let database = try Store.path(arguments)
    let contents = try Store.namingFiles {
      try Backup.save(database, to: file, replacing: arguments.has("--force"))
    }
    if arguments.has("--json") {
      try Terminal.print(JSON.object(contents.members(["file": .string(file)])).text)
    } else {
      try Terminal.print("\(file): \(contents.counts), schema \(contents.schema)")
    }
    return .fine
  }
}

extension Arguments {
  /// The one operand of a command that saves to a file, or restores from it.
  func backupFile(_ command: String) throws(Wrong) -> String {
    guard operands.count == 1, let file = operands.first, !file.isEmpty else {
      throw Wrong(message: "\(command) needs one FILE.")
    }
    guard file != "-" else { throw Wrong(message: "\(command) needs a FILE, which “-” is not.") }
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
    "\(bytes) bytes, " + Self.count(domains, "domain") + ", " + Self.count(revisions, "revision")
  }

  private static func count(_ number: Int, _ word: String) -> String {
    "\(number) \(word)\(number == 1 ? "" : "s")"
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
