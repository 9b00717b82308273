import Glibc

/// A file that is made beside its place, and put there when it is complete: under its own name there
/// is never half of it. Only its owner may read it.
struct CompleteFile: ~Copyable {
  /// Where it is made.
  let temporaryPath: String
  private let path: String

  /// Makes an empty file beside a path.
  ///
  /// - Throws: `BackupError.file`.
  init(at path: String) throws(BackupError) {
    self.path = path
    temporaryPath = "\(path).\(getpid()).part"
    // What a process of the same number has left is nobody's any more.
    unlink(temporaryPath)
    let descriptor = open(temporaryPath, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw .file(path, code: errno) }
    close(descriptor)
  }

  /// Removes what was not put into its place, with what SQLite keeps beside it.
  deinit {
    for suffix in [""] + DatabaseFile.companions { unlink(temporaryPath + suffix) }
  }

  /// Puts it into its place. When this returns, it is there also after a loss of power.
  ///
  /// - Throws: `BackupError.alreadyThere` if there is a file that is not to be replaced,
  ///   `BackupError.file`.
  func put(replacing: Bool) throws(BackupError) {
    try Self.sync(temporaryPath)
    if replacing {
      if rename(temporaryPath, path) != 0 { throw .file(path, code: errno) }
    } else if link(temporaryPath, path) != 0 {
      // A link refuses to replace, which `rename` does not. Some file systems have none.
      guard errno != EEXIST else { throw .alreadyThere(path) }
      guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { throw .file(path, code: errno) }
      if FileIdentity(path) != nil { throw .alreadyThere(path) }
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

/// Which file a path leads to, by whatever name.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t
  /// Its size in bytes.
  let size: Int

  /// `nil` where there is none.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
    size = Int(status.st_size)
  }
}

/// What SQLite keeps of a database.
enum DatabaseFile {
  /// The ends of the names of the files beside it.
  static let companions = ["-wal", "-shm", "-journal"]

  /// Whether a path is that of the database or of a file beside it.
  static func isPart(_ path: String, of database: String) -> Bool {
    guard let file = FileIdentity(path) else { return false }
    return ([""] + companions).contains { FileIdentity(database + $0) == file }
  }
}
