import Association
import Glibc
import Synchronization

/// A file that appears at its path only when it is complete. Only its owner can read it.
///
/// Until then it is in a directory of its own beside its path, which only its owner may enter: SQLite plays back a
/// journal that it finds beside a database, so nobody else may be able to put one there.
struct AtomicFile: ~Copyable {
  let temporaryPath: String
  private let staging: String
  private let path: String

  /// The directories of all files that are not complete.
  private static let unfinished = Mutex<Set<String>>([])

  /// Creates an empty file at the temporary path.
  ///
  /// - Throws: `BackupError.file`.
  init(at path: String) throws(BackupError) {
    self.path = path
    // Random, because several threads or processes may create the same file.
    let staging = "\(path).\(String(UInt32.random(in: .min ... .max), radix: 16)).part"
    (self.staging, temporaryPath) = (staging, staging + "/file")
    // At once, so that what ends the process meanwhile finds all of it.
    let code = Self.unfinished.withLock { unfinished in
      if mkdir(staging, 0o700) != 0 { return errno }
      let descriptor = open(staging + "/file", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
      if descriptor < 0 {
        let code = errno
        rmdir(staging)
        return code
      }
      close(descriptor)
      unfinished.insert(staging)
      return 0
    }
    if code != 0 { throw .file(path, code: code) }
  }

  /// Removes the directory with what is left in it.
  deinit { Self.remove(staging) }

  private static func remove(_ staging: String) {
    unfinished.withLock { unfinished in
      delete(staging)
      unfinished.remove(staging)
    }
  }

  private static func delete(_ staging: String) {
    // SQLite may just make a file there.
    for _ in 1...100 {
      for suffix in [""] + DatabaseFile.companions { unlink("\(staging)/file\(suffix)") }
      if rmdir(staging) == 0 || errno != ENOTEMPTY { return }
    }
  }

  /// Removes all files that are not complete, just before the process ends. Some may be in use.
  static func removeUnfinished() {
    unfinished.withLock { unfinished in
      for staging in unfinished { delete(staging) }
      unfinished = []
    }
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

  /// Whether the disk has room for a file of this size.
  func hasRoom(bytes: Int) throws(BackupError) -> Bool {
    let descriptor = open(temporaryPath, O_WRONLY | O_CLOEXEC)
    if descriptor < 0 { throw .file(path, code: errno) }
    defer { close(descriptor) }
    return posix_fallocate(descriptor, 0, off_t(bytes)) == 0
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

  /// `nil` if there is no file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
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

  /// The size in bytes; `nil` if there is no file.
  static func size(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// One of SQLite's files of a deleted database. SQLite would read it as part of a new one.
  static func leftover(of database: String) -> String? {
    let found = companions.map { database + $0 }.first { FileIdentity($0) != nil }
    // Another process may have created the database, with these files, since the caller looked.
    return FileIdentity(database) == nil ? found : nil
  }

  /// Creates an empty database with the current schema, which only its owner can read. It appears
  /// complete or not at all, so an empty file is never one that was just created.
  ///
  /// - Throws: `StoreError`. If another process creates the file meanwhile, that one is kept.
  static func create(_ path: String, now: UnixTime) throws {
    if let leftover = leftover(of: path) { throw StoreError.leftover(leftover) }
    do {
      let file = try AtomicFile(at: path)
      let connection = try SQLiteConnection(path: file.temporaryPath, mode: .existing)
      try connection.execute("PRAGMA synchronous = OFF")
      try Migrator.migrate(connection, now: now)
      try file.commit(replacing: false)
    } catch BackupError.alreadyExists {
      return
    } catch BackupError.file(_, let code) {
      throw StoreError.database(
        code == ENOSPC || code == EDQUOT ? .diskFull : .cannotOpen,
        detail: String(cString: strerror(code)))
    }
  }

  /// Renames a database with SQLite's files beside it, and returns its new path.
  ///
  /// - Throws: `BackupError.file`.
  static func setAside(_ database: String, now: UnixTime) throws(BackupError) -> String {
    let path = dated(database, "damaged", now)
    for suffix in [""] + companions where rename(database + suffix, path + suffix) != 0 {
      if errno != ENOENT { throw .file(database + suffix, code: errno) }
    }
    return path
  }

  /// `aasa.db.rescue-20261122T031500Z`
  static func dated(_ database: String, _ word: String, _ now: UnixTime) -> String {
    var time = time_t(now.seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
    return "\(database).\(word)-"
      + String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether the disk has room for a few edits. Quotas count, too.
  static func hasRoom(beside database: String) -> Bool {
    do {
      let file = try AtomicFile(at: database)
      return try file.hasRoom(bytes: 524_288)
    } catch {
      return false
    }
  }
}

/// The files of a database as they were opened. If one of them is deleted or replaced, SQLite keeps
/// writing to the old one, and the next start finds nothing of it.
struct OpenFiles: Sendable {
  private let files: [(path: String, identity: FileIdentity)]

  /// The files of a database that is open, with a connection that has read from it.
  init(of database: String) {
    files = ["", "-wal", "-shm"].compactMap { suffix in
      FileIdentity(database + suffix).map { (database + suffix, $0) }
    }
  }

  /// The path of a file that was deleted or replaced; `nil` if all are as they were.
  var missing: String? { files.first { FileIdentity($0.path) != $0.identity }?.path }

  /// - Throws: `StoreError.database`, `.replaced`.
  func check() throws(StoreError) {
    if let missing { throw .replaced(missing) }
  }
}
