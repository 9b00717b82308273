import Association
import FoundationEssentials
import Glibc
import Service
import Store

/// What a command does if its database does not exist.
enum MissingDatabase {
  /// It fails, because it only reads the database.
  case refused
  /// A temporary empty one stands in for it, with a note. `Installation` makes it.
  case takenAsEmpty
  /// The same, without a note: the command needs none.
  case absent
  /// It creates a database and says so, since the path may be a mistake.
  case createdWithNote
  case created
}

/// A database that cannot be used, as a sentence that says what to do.
struct UnusableDatabase: Error, CustomStringConvertible {
  let description: String
}

extension EffectiveConfiguration {
  /// The configuration from the options of a command, the environment and the file.
  init(_ arguments: Arguments) throws(Configuration.Invalid) {
    try self.init(
      flags: arguments.values, environment: ProcessInfo.processInfo.environment)
  }
}

extension Store {
  /// The path of the database of a command.
  static func path(_ arguments: Arguments) throws -> String {
    try EffectiveConfiguration(arguments).configuration.database
  }

  /// Whether opening it will create a database.
  static func isMissing(_ path: String, orEmpty: Bool) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 || orEmpty && status.st_size == 0
  }

  /// - Throws: `UnusableDatabase` if there is no file.
  static func checkExists(_ path: String) throws(UnusableDatabase) {
    if FileManager.default.fileExists(atPath: path) { return }
    throw UnusableDatabase(
      description: "No database at \(path.quotedPath). Choose one with --database.")
  }

  /// Opens a database.
  ///
  /// - Parameter fillingEmpty: Whether an empty file becomes a new database.
  /// - Throws: `UnusableDatabase`, `StoreError`.
  static func open(
    _ path: String, missing: MissingDatabase, fillingEmpty: Bool = false
  ) throws -> Store {
    let exists = FileManager.default.fileExists(atPath: path)
    if missing == .refused { try checkExists(path) }
    let store = try Store(path: path, fillingEmpty: fillingEmpty)
    if !exists && missing == .createdWithNote {
      Terminal.complain("Created the database \(path.quotedPath).")
    }
    return store
  }

  /// Runs `body` with a database.
  ///
  /// - Throws: What `body` throws, with the store's errors converted to `UnusableDatabase`.
  static func use<Result>(
    _ path: String, missing: MissingDatabase, fillingEmpty: Bool = false,
    _ body: (Store) throws -> Result
  ) throws -> Result {
    do {
      return try body(open(path, missing: missing, fillingEmpty: fillingEmpty))
    } catch let error as StoreError {
      throw UnusableDatabase(description: error.advice(for: path))
    }
  }
}
