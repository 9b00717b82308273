import Glibc
import SQLite

/// Saving a database to a file of its own.
public enum Backup {
  /// Saves a database as it is at one moment, while others go on editing it, and checks what was
  /// saved. The file can be opened wherever it lies, for reading only as well: it has no WAL.
  ///
  /// - Parameters:
  ///   - database: The path of the database, which must be there. Its schema is left as it is.
  ///   - path: Where it is saved. Until the copy is complete and checked, nothing is there, or what
  ///     was there.
  ///   - replacing: Whether a file that is there is replaced.
  /// - Throws: `BackupError`.
  public static func save(
    _ database: String, to path: String, replacing: Bool
  ) throws -> DatabaseContents {
    if DatabaseFile.isPart(path, of: database) { throw BackupError.sameFile(path) }
    if !replacing && FileIdentity(path) != nil { throw BackupError.alreadyThere(path) }
    let file = try CompleteFile(at: path)
    // Who is the last to close a database with a WAL, and may write, leaves one file.
    try copy(database, to: file, mayWrite: access(database, W_OK) == 0)
    let contents = try DatabaseContents(checking: file.temporaryPath, as: database)
    try file.put(replacing: replacing)
    return contents
  }

  /// Copies a database. What comes out is one file.
  static func copy(_ database: String, to file: borrowing CompleteFile, mayWrite: Bool) throws {
    let source = try BackupError.naming(database) {
      try Connection(path: database, mode: mayWrite ? .existing : .readOnly)
    }
    let path = file.temporaryPath
    try BackupError.naming(path) {
      let copy = try Connection(path: path, mode: .existing)
      // If it is not completed, nobody needs it; when it is, all of it is synced at once.
      try copy.execute("PRAGMA synchronous = OFF")
      do {
        try source.copy(to: copy)
      } catch let error as SQLiteError where [.corrupt, .busy].contains(error.kind) {
        // Nobody else has the copy: whoever holds a lock has it on the database.
        throw BackupError.database(database, StoreError(error))
      }
      // The copy says that it has a WAL, as the original does.
      try copy.execute("PRAGMA journal_mode = DELETE")
    }
  }
}
