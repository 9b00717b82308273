import FoundationEssentials
import Service
import Store

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
  static func use<Result>(_ arguments: Arguments, _ body: (Store) throws -> Result) throws -> Result
  {
    try use(path(arguments), body)
  }

  /// The database of a command: `--database`, `AASA_DATABASE`, or the default.
  static func path(_ arguments: Arguments) throws -> String {
    try EffectiveConfiguration(arguments).configuration.database
  }

  /// Does `body` with a database.
  ///
  /// - Throws: what `body` throws, the store's errors as `UnusableDatabase`.
  static func use<Result>(_ path: String, _ body: (Store) throws -> Result) throws -> Result {
    do {
      return try body(try Store(path: path))
    } catch let error as StoreError {
      throw UnusableDatabase(description: error.advice(for: path))
    }
  }
}
