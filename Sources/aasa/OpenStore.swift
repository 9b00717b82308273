import FoundationEssentials
import Service
import Store

/// A database that cannot be used, as a sentence that says what to do.
struct UnusableDatabase: Error, CustomStringConvertible {
  let description: String
}

extension Store {
  /// Opens the database of a command: `--database`, `AASA_DATABASE`, or the default.
  static func open(_ arguments: Arguments) throws -> Store {
    let flags = arguments.value("--database").map { ["--database": $0] } ?? [:]
    let configuration = try Configuration(
      flags: flags, environment: ProcessInfo.processInfo.environment)
    return try open(configuration.database)
  }

  /// Opens a database.
  static func open(_ path: String) throws -> Store {
    do {
      return try Store(path: path)
    } catch let error as StoreError {
      throw UnusableDatabase(description: error.advice(for: path))
    }
  }
}
