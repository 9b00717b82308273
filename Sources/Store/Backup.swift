import Glibc
import SQLite

/// Saves a database to a file.
public enum Backup {
  /// Saves a snapshot of a database, which others may edit meanwhile, and checks the copy. The copy
  /// is a single file without a WAL, so it can be opened read-only anywhere.
  ///
  /// - Parameters:
  ///   - database: The path of an existing database. Its schema is not migrated.
  ///   - path: The path of the copy. Nothing changes there until the copy is complete and checked.
  ///   - replacing: Whether to replace an existing file.
  /// - Throws: `BackupError`.
  public static func save(
    _ database: String, to path: String, replacing: Bool
  ) throws -> DatabaseContents {
    if DatabaseFile.isPart(path, of: database) { throw BackupError.sameFile(path) }
    if !replacing && FileIdentity(path) != nil { throw BackupError.alreadyExists(path) }
    let file = try AtomicFile(at: path)
    // When the last connection to a database closes, it removes the WAL if it may write.
    try copy(database, to: file, mayWrite: access(database, W_OK) == 0)
    let contents = try DatabaseContents(checking: file.temporaryPath, as: database)
    try file.commit(replacing: replacing)
    return contents
  }

  /// Copies a database to one file.
  static func copy(_ database: String, to file: borrowing AtomicFile, mayWrite: Bool) throws {
    let source = try BackupError.naming(database) {
      try Connection(path: database, mode: mayWrite ? .existing : .readOnly)
    }
    let path = file.temporaryPath
    try BackupError.naming(path) {
      let copy = try Connection(path: path, mode: .existing)
      // An incomplete copy is deleted, and `commit` syncs a complete one.
      try copy.execute("PRAGMA synchronous = OFF")
      do {
        try source.copy(to: copy)
      } catch let error as SQLiteError where [.corrupt, .busy].contains(error.kind) {
        // Nothing else uses the copy, so the database is locked or damaged.
        throw BackupError.database(database, StoreError(error))
      }
      // The copy has inherited the journal mode WAL from the original.
      try copy.execute("PRAGMA journal_mode = DELETE")
    }
  }
}

/// Why a database was not saved or restored. Nothing was changed.
public enum BackupError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file exists and must not be replaced.
  case alreadyExists(String)
  /// The backup and the database are the same file.
  case sameFile(String)
  /// The operating system failed to read or write a file.
  case file(String, code: Int32)
  /// The file is not a database of this program.
  case foreign(String)
  /// The schema of the file is newer than this program.
  case newerSchema(String, found: Int, known: Int)
  /// The schema of the file differs from the one that this program creates.
  case otherSchema(String, objects: [String])
  /// The file is damaged; has the first few faults.
  case damaged(String, faults: [String])
  /// The database does not exist, but a file of a deleted database does.
  case leftover(String)
  /// SQLite failed.
  case database(String, StoreError)

  /// What failed and what to do.
  public var description: String {
    switch self {
    case .alreadyExists(let path):
      "\"\(path)\" already exists. Choose another path, or replace it with --force."
    case .sameFile(let path): "\"\(path)\" is the database itself."
    case .file(let path, let code): "\"\(path)\": \(String(cString: strerror(code)))."
    case .foreign(let path): "\"\(path)\" is not an aasa database."
    case .newerSchema(let path, let found, let known):
      "\"\(path)\" has schema \(found), but this version of aasa only knows schemas up to \(known). Use a "
        + "newer version of aasa. To replace the file, move it away first."
    case .otherSchema(let path, let objects):
      "\"\(path)\" does not have the schema that aasa creates: \(objects.joined(separator: ", "))."
    case .damaged(let path, let faults):
      "\"\(path)\" is damaged: \(faults.joined(separator: "; "))."
    case .leftover(let path):
      "\"\(path)\" is left over from a deleted database. Move it away first: SQLite would read it as part "
        + "of the restored database."
    case .database(let path, let error): "\"\(path)\" cannot be used: \(error)"
    }
  }

  /// Runs `body`, and adds the path of the file to SQLite's errors.
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

/// A file that appears at its path only when it is complete. Until then it has a temporary path in
/// the same directory. Only its owner can read it.
struct AtomicFile: ~Copyable {
  let temporaryPath: String
  private let path: String

  /// Creates an empty file at the temporary path.
  ///
  /// - Throws: `BackupError.file`.
  init(at path: String) throws(BackupError) {
    self.path = path
    temporaryPath = "\(path).\(getpid()).part"
    // A file with this name is left over from a dead process with the same ID.
    unlink(temporaryPath)
    let descriptor = open(temporaryPath, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw .file(path, code: errno) }
    close(descriptor)
  }

  /// Removes the temporary file with SQLite's files beside it.
  deinit {
    for suffix in [""] + DatabaseFile.companions { unlink(temporaryPath + suffix) }
  }

  /// Moves the file to its path. Once this returns, it survives a power failure.
  ///
  /// - Throws: `BackupError.alreadyExists` if there is a file that may not be replaced,
  ///   `BackupError.file`.
  func commit(replacing: Bool) throws(BackupError) {
    try Self.sync(temporaryPath)
    if replacing {
      if rename(temporaryPath, path) != 0 { throw .file(path, code: errno) }
    } else if link(temporaryPath, path) != 0 {
      // Unlike `rename`, a link never replaces a file. Some file systems have no links.
      guard errno != EEXIST else { throw .alreadyExists(path) }
      guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { throw .file(path, code: errno) }
      if FileIdentity(path) != nil { throw .alreadyExists(path) }
      if rename(temporaryPath, path) != 0 { throw .file(path, code: errno) }
    } else {
      unlink(temporaryPath)
    }
    try Self.sync(Self.directory(of: path))
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func sync(_ path: String) throws(BackupError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw .file(path, code: errno) }
    defer { close(descriptor) }
    if fsync(descriptor) != 0 { throw .file(path, code: errno) }
  }
}

/// The identity of a file, regardless of its path.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t
  /// The size in bytes.
  let size: Int

  /// `nil` if there is no file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
    size = Int(status.st_size)
  }
}

/// The files of a database.
enum DatabaseFile {
  /// The suffixes of SQLite's files beside the database.
  static let companions = ["-wal", "-shm", "-journal"]

  /// Whether a path is the database or one of SQLite's files beside it.
  static func isPart(_ path: String, of database: String) -> Bool {
    guard let file = FileIdentity(path) else { return false }
    return ([""] + companions).contains { FileIdentity(database + $0) == file }
  }
}
