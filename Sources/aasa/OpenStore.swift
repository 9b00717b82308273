import FoundationEssentials
import Service
import Store

/// What a command does where its database is not there.
enum MissingDatabase {
  /// It ends: it wants what is in it.
  case refused
  /// It makes one and says so, since the path may be a mistake.
  case madeAndTold
  /// It makes one.
  case made
}

/// A database that cannot be used, as a sentence that says what to do.
struct UnusableDatabase: Error, CustomStringConvertible {
  let description: String
}

extension EffectiveConfiguration {
  /// What the options of a command, the environment and the file say.
  init(_ arguments: Arguments) throws(Configuration.Invalid) {
    try self.init(
      flags: arguments.values, environment: ProcessInfo.processInfo.environment)
  }
}

extension Store {
  /// Does `body` with the database of a command: `--database`, `AASA_DATABASE`, or the default.
  static func use<Result>(
    _ arguments: Arguments, missing: MissingDatabase, _ body: (Store) throws -> Result
  ) throws -> Result {
    try use(path(arguments), missing: missing, body)
  }

  /// The database of a command: `--database`, `AASA_DATABASE`, or the default.
  static func path(_ arguments: Arguments) throws -> String {
    try EffectiveConfiguration(arguments).configuration.database
  }

  /// Does `body` with a database.
  ///
  /// - Throws: what `body` throws, the store's errors as `UnusableDatabase`.
  static func use<Result>(
    _ path: String, missing: MissingDatabase, _ body: (Store) throws -> Result
  ) throws -> Result {
    let isThere = FileManager.default.fileExists(atPath: path)
    if !isThere && missing == .refused {
      throw UnusableDatabase(
        description: "There is no database “\(path)”. --database names another one.")
    }
    do {
      let store = try Store(path: path)
      if !isThere && missing == .madeAndTold { Terminal.complain("“\(path)” is a new database.") }
      return try body(store)
    } catch let error as StoreError {
      throw UnusableDatabase(description: error.advice(for: path))
    }
  }
}
