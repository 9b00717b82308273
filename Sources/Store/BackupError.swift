import Glibc
import SQLite

/// Why a database was not saved or restored. Nothing was changed.
public enum BackupError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is a file, and it was not said that it may be replaced.
  case alreadyThere(String)
  /// The backup and the database are one file.
  case sameFile(String)
  /// The operating system did not do something with a file.
  case file(String, code: Int32)
  /// A file is no database of this program.
  case foreign(String)
  /// A newer version of this program made the schema of a file.
  case newerSchema(String, found: Int, known: Int)
  /// The tables of a file are not those that this program makes.
  case otherSchema(String, objects: [String])
  /// What is wrong with a file, the first few faults.
  case damaged(String, faults: [String])
  /// There is no database, and this is left of one.
  case leftover(String)
  /// SQLite did not do something with a file.
  case database(String, StoreError)

  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .alreadyThere(let path):
      "“\(path)” is there already. Choose another path, or replace it with --force."
    case .sameFile(let path): "“\(path)” is the database itself."
    case .file(let path, let code): "“\(path)”: \(String(cString: strerror(code)))."
    case .foreign(let path): "“\(path)” is no database of aasa."
    case .newerSchema(let path, let found, let known):
      "“\(path)” has schema \(found); this program knows schemas up to \(known). Use a newer version "
        + "of aasa, or move the file away if it is to be replaced."
    case .otherSchema(let path, let objects):
      "“\(path)” has other tables than this program makes: \(objects.joined(separator: ", "))."
    case .damaged(let path, let faults):
      "“\(path)” is damaged: \(faults.joined(separator: "; "))."
    case .leftover(let path):
      "“\(path)” is left of a database that is not there. Move it away first: SQLite would take it for "
        + "a part of what is restored."
    case .database(let path, let error): "“\(path)” cannot be used: \(error)"
    }
  }

  /// Does `body`, and says of SQLite's errors with which file they came up.
  static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw database(path, StoreError(error))
    } catch let error as StoreError {
      throw database(path, error)
    }
  }
}
