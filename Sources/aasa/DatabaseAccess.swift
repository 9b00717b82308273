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
}

/// A database that cannot be used, as a sentence that says what to do.
struct UnusableDatabase: Error, CustomStringConvertible {
  let description: String
  let exitStatus: ExitStatus

  /// A database that does not exist.
  init(missing description: String) { (self.description, exitStatus) = (description, .failure) }

  init(_ error: StoreError, at location: DatabaseLocation) {
    description = error.advice(for: location)
    exitStatus =
      switch error {
      case .busy, .tookTooLong: .unavailable
      case .database(let refusal, _) where refusal.mayPass: .unavailable
      default: .failure
      }
  }
}

extension StoreError.Refusal {
  /// Whether the same command may work later, without another address or other rights.
  fileprivate var mayPass: Bool {
    switch self {
    case .unreachable, .unknownOutcome, .diskFull, .inputOutput: true
    case .readOnly, .cannotOpen, .damaged, .replaced, .unexpected: false
    }
  }
}

extension EffectiveConfiguration {
  /// The configuration from the options of a command, the environment and the file.
  init(_ arguments: Arguments) throws(Configuration.Invalid) {
    try self.init(
      flags: arguments.values, environment: ProcessInfo.processInfo.environment)
  }
}

extension Store {
  /// The database of a command.
  static func location(_ arguments: Arguments) throws -> DatabaseLocation {
    try EffectiveConfiguration(arguments).configuration.database
  }

  /// Whether opening it will create a database. False for one that cannot be looked at: opening it says why.
  static func isMissing(_ location: DatabaseLocation, orEmpty: Bool) throws -> Bool {
    switch location {
    case .file(let path):
      var status = stat()
      return stat(path, &status) != 0 || orEmpty && status.st_size == 0
    case .postgreSQL: return try isEmpty(location)
    }
  }

  /// - Throws: `UnusableDatabase` if there is no database; `StoreError`.
  static func checkExists(_ location: DatabaseLocation) throws {
    if try !isMissing(location, orEmpty: false) { return }
    throw UnusableDatabase(
      missing: location.path == nil
        ? "\(location.description.quotedPath) is not a database of aasa yet. 'aasa serve' creates its tables."
        : "No database at \(location.description.quotedPath). Choose one with --database.")
  }

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - isReadOnly: Whether nothing is ever written, so that the right to read is enough.
  ///   - upgrades: Whether the database of an earlier version is upgraded, or refused.
  /// - Throws: `UnusableDatabase`, `StoreError`.
  static func open(
    _ location: DatabaseLocation, missing: MissingDatabase, isReadOnly: Bool = false,
    upgrades: Bool = true
  ) throws -> Store {
    if missing == .refused { try checkExists(location) }
    let isNew = try missing == .createdWithNote && isMissing(location, orEmpty: false)
    let store = try Store(location, isReadOnly: isReadOnly, upgrades: upgrades)
    if isNew {
      Terminal.complain(
        location.path == nil
          ? "Created the tables in \(location.description.quotedPath)."
          : "Created the database \(location.description.quotedPath).")
    }
    return store
  }

  /// Runs `body`, and converts the store's errors to `UnusableDatabase`.
  static func advising<Result>(
    _ location: DatabaseLocation, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError {
      throw UnusableDatabase(error, at: location)
    }
  }
}
