import FoundationEssentials
import Service
import Store

/// A database that cannot be used, as a sentence that says what to do.
struct UnusableDatabase: Error, CustomStringConvertible {
  let description: String
}

extension Store {
  /// Does `body` with the database of a command: `--database`, `AASA_DATABASE`, or the default.
  static func use<Result>(_ arguments: Arguments, _ body: (Store) throws -> Result) throws -> Result
  {
    try use(path(arguments), body)
  }

  /// The database of a command: `--database`, `AASA_DATABASE`, or the default.
  static func path(_ arguments: Arguments) throws -> String {
    let flags = arguments.value("--database").map { ["--database": $0] } ?? [:]
    return try Configuration(flags: flags, environment: ProcessInfo.processInfo.environment)
      .database
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
