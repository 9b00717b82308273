import Association
import FoundationEssentials
import Glibc
import Service

/// A directory with a directory for each host, as static hosts and web servers take it.
///
/// Only files whose bytes differ are written. Each appears as a whole, and is on the disk before it gets its name: the
/// drafts of a batch are written first, then renamed. In the directory of a host, `.well-known` and the files beside
/// it belong to this program, which deletes what it did not write there. Anything else in it is left alone.
final class RenderedDirectory {
  struct File {
    /// The path in the directory of its host.
    let path: String
    let bytes: [UInt8]
  }

  /// The directory for drafts, by which a directory is known to be this program's.
  private static let markerName = ".aasa-render"
  private static let wellKnown = ".well-known"
  static let headersName = "_headers"
  static let redirectsName = "_redirects"
  /// What a file of this name begins with that is this program's.
  static let redirectsStart = "/.well-known/\(DocumentName.changePassword) "
  /// The files of a host that are not in `.well-known`.
  private static let outside = Set(
    DocumentKind.paths.map { String($0.path.description.dropFirst()) }
      .filter { !$0.hasPrefix("\(wellKnown)/") }
      + [DocumentName.windows.text, headersName])

  private static let fewFiles = 16

  private struct Draft {
    let path: String
    let target: String
  }

  private let path: String
  private let lock: Int32
  private var drafts: [Draft] = []
  /// The files of hosts, as they are after the batch.
  private var filesByHost: [String: Set<String>] = [:]

  /// The files since the last call of `takeCounts`.
  private var counts = Counts()

  struct Counts: Equatable {
    var written = 0
    var removed = 0
    var unchanged = 0

    var text: String {
      "\(written.counted("file")) written, \(removed) removed, \(unchanged) unchanged"
    }
    var json: JSON {
      [
        "written": .integer(written), "removed": .integer(removed),
        "unchanged": .integer(unchanged),
      ]
    }
  }

  /// Takes a directory that is missing, empty, or this program's.
  init(path: String) throws {
    self.path = path
    let marker = "\(path)/\(Self.markerName)"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let found = try FileManager.default.contentsOfDirectory(atPath: path)
      // The root of a file system has lost+found.
      let other = found.filter { $0 != "lost+found" }.min()
      if let other, !found.contains(Self.markerName) {
        throw Failure(
          "\(path.quotedPath) has files that 'aasa render' did not write, such as \(other.quoted). Choose a new "
            + "directory. If this one may be changed, run: mkdir \(marker.quotedPath)")
      }
      try FileManager.default.createDirectory(atPath: marker, withIntermediateDirectories: true)
    } catch let error as CocoaError {
      throw Failure("Cannot write \(path.quotedPath): \(error.reason).")
    }
    lock = open("\(marker)/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o666)
    if lock < 0 { throw Failure("Cannot write \(marker.quotedPath)", code: errno) }
    if lockf(lock, F_TLOCK, 0) != 0 {
      let isTaken = errno == EACCES || errno == EAGAIN
      throw isTaken
        ? Failure(
          "Another 'aasa render' works on \(path.quotedPath). Stop it first, or choose another directory."
        )
        : Failure("Cannot lock \(marker.quotedPath)", code: errno)
    }
    for name in try names(in: Self.markerName) where name != "lock" {
      try remove("\(Self.markerName)/\(name)")
    }
  }

  deinit {
    dropDrafts()
    close(lock)
  }

  /// Everything that was done since the last call.
  func takeCounts() -> Counts {
    defer { counts = Counts() }
    return counts
  }

  /// Whether anything was written or deleted since the last call of `takeCounts`.
  var hasChanged: Bool { counts.written + counts.removed > 0 }

  /// The names in the directory that can be hosts.
  func hosts() throws -> [DomainName] {
    try names(in: "").compactMap { name in
      DomainName(usable: name).flatMap { $0.text == name ? $0 : nil }
    }
  }

  // MARK: A batch

  /// Makes these the files of a host, with the next `commit`.
  func put(_ files: [File], of host: String) throws {
    filesByHost[host] = Set(files.map(\.path))
    for file in files { try put(file.bytes, at: "\(host)/\(file.path)") }
  }

  /// Makes these the bytes of a file, with the next `commit`.
  func put(_ bytes: [UInt8], at name: String) throws {
    if try has(bytes, at: name) {
      counts.unchanged += 1
      return
    }
    let draft = "\(path)/\(Self.markerName)/\(drafts.count)"
    let descriptor = open(draft, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw failure("Cannot write", name, errno) }
    drafts.append(Draft(path: draft, target: name))
    var code = Terminal.write(bytes, to: descriptor)
    // Some network file systems report only here that the disk is full.
    if close(descriptor) != 0 { code = code ?? errno }
    if let code { throw failure("Cannot write", name, code) }
  }

  /// Gives the drafts of the batch their names, then deletes what its hosts no longer have.
  ///
  /// - Throws: `Failure`. No file is half-written then; the batch is given up, and can be made again.
  func commit() throws {
    // Much faster than file by file, which then has nothing left to do but to report errors.
    if drafts.count > Self.fewFiles { sync() }
    for draft in drafts { try wait(for: draft) }
    for draft in drafts {
      try makeDirectory(of: draft.target)
      if rename(draft.path, "\(path)/\(draft.target)") != 0 {
        throw failure("Cannot replace", draft.target, errno)
      }
      counts.written += 1
    }
    dropDrafts()
    for (host, files) in filesByHost { try removeOthers(than: files, of: host) }
    filesByHost = [:]
  }

  /// Waits until a draft is on the disk. It was closed meanwhile: a batch can have more files than a process may have
  /// open.
  private func wait(for draft: Draft) throws {
    let descriptor = open(draft.path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw failure("Cannot write", draft.target, errno) }
    defer { close(descriptor) }
    if fsync(descriptor) != 0 { throw failure("Cannot write", draft.target, errno) }
  }

  /// Forgets the batch.
  func giveUp() {
    dropDrafts()
    filesByHost = [:]
  }

  private func dropDrafts() {
    // Those that got their names have gone.
    for draft in drafts { unlink(draft.path) }
    drafts = []
  }

  private func has(_ bytes: [UInt8], at name: String) throws -> Bool {
    var status = stat()
    // Whatever is in the way is found when the file gets its name.
    guard stat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size == bytes.count
    else { return false }
    return try InputFile.bytes(of: "\(path)/\(name)", atMost: bytes.count) == bytes
  }

  private func begins(_ name: String, with text: String) throws -> Bool {
    var status = stat()
    guard stat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return false
    }
    return try InputFile.beginning(of: "\(path)/\(name)").starts(with: text.utf8)
  }

  private func makeDirectory(of name: String) throws {
    var directory = ""
    for part in name.split(separator: "/").dropLast() {
      directory += "/\(part)"
      if mkdir(path + directory, 0o777) != 0 && errno != EEXIST {
        throw failure("Cannot create", String(directory.dropFirst()), errno)
      }
    }
  }

  private func removeOthers(than files: Set<String>, of host: String) throws {
    let wellKnown = "\(host)/\(Self.wellKnown)"
    let inside = try names(in: wellKnown).map { "\(Self.wellKnown)/\($0)" }
    for name in Self.outside.union(inside).subtracting(files).sorted() {
      try remove("\(host)/\(name)")
    }
    // Sites have such a file of their own.
    let redirects = "\(host)/\(Self.redirectsName)"
    if !files.contains(Self.redirectsName), try begins(redirects, with: Self.redirectsStart) {
      try remove(redirects)
    }
    if !files.isEmpty { return }
    // They stay if they have files of somebody else.
    for directory in [wellKnown, host] where rmdir("\(path)/\(directory)") != 0 {
      if ![ENOENT, ENOTEMPTY, EEXIST, ENOTDIR].contains(errno) {
        throw failure("Cannot delete", directory, errno)
      }
    }
  }

  /// Deletes a file, unless it is none.
  private func remove(_ name: String) throws {
    if unlink("\(path)/\(name)") == 0 {
      counts.removed += name.hasPrefix(Self.markerName) ? 0 : 1
    } else if ![ENOENT, ENOTDIR, EISDIR].contains(errno) {
      throw failure("Cannot delete", name, errno)
    }
  }

  /// The names in a directory; none if it does not exist.
  private func names(in name: String) throws -> [String] {
    guard let directory = opendir("\(path)/\(name)") else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw failure("Cannot read", name, errno)
    }
    defer { closedir(directory) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(directory) {
      // Sound: the name ends with a NUL within the entry.
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    if errno != 0 { throw failure("Cannot read", name, errno) }
    return names
  }

  private func failure(_ what: String, _ name: String, _ code: Int32) -> Failure {
    Failure("\(what) \("\(path)/\(name)".quotedPath)", code: code)
  }
}
