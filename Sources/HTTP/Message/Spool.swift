import Glibc
import Synchronization

/// Bytes that are too many to hold: the first of them are in memory, the others in a file without a name,
/// which is gone when this value is. Threads may share it.
package final class Spool: Sendable {
  /// Why bytes cannot be added.
  package enum Failure: Error, Sendable, Equatable {
    /// There would be more of them than allowed, in this spool or in those that share a limit.
    case full(limit: Int)
    /// The disk would have too little space left.
    case noRoom
    /// The file cannot be created, written or read.
    case file(errno: Int32)
  }

  private struct State {
    var count = 0
    /// The bytes that the file does not have yet: all of them while there is no file.
    var pending: [UInt8] = []
    var descriptor: Int32 = -1
    /// The bytes that count as being in the file.
    var inFile = 0
    var written: Int { count - pending.count }
  }

  /// What several spools may have in their files together.
  package final class Share: Sendable {
    fileprivate let limit: Int
    private let used = Atomic(0)
    private let turn: (any Sendable)?

    /// - Parameters:
    ///   - limit: In bytes.
    ///   - turn: Kept as long as one of the spools.
    package init(limit: Int, keeping turn: (any Sendable)? = nil) {
      self.limit = limit
      self.turn = turn
    }

    /// Counts bytes that are about to be written; false if they would be too many.
    fileprivate func take(_ count: Int) -> Bool {
      if used.add(count, ordering: .relaxed).newValue <= limit { return true }
      release(count)
      return false
    }

    fileprivate func release(_ count: Int) { used.subtract(count, ordering: .relaxed) }
  }

  /// How many bytes are held in memory before they are written.
  private static let memoryBytes = 1_048_576
  /// The free space that the disk keeps for the database, in bytes.
  private static let reservedBytes: UInt64 = 134_217_728

  /// What all files of the process may have together.
  private static let all = Share(limit: 8_589_934_592)

  private let directory: String
  /// The maximum number of bytes.
  package let limit: Int
  /// What its file and those of other spools may have together.
  package let share: Share?
  private let state = Mutex(State())

  /// An empty one.
  ///
  /// - Parameters:
  ///   - directory: Where the file is created when it is needed.
  ///   - limit: The maximum number of bytes.
  ///   - share: What its file and those of other spools may have together; `nil` for no such limit.
  package init(in directory: String, limit: Int, within share: Share? = nil) {
    self.directory = directory
    self.limit = limit
    self.share = share
  }

  deinit {
    state.withLock { state in
      if state.descriptor >= 0 { close(state.descriptor) }
      share?.release(state.inFile)
      Self.all.release(state.inFile)
    }
  }

  /// The number of bytes.
  package var count: Int { state.withLock(\.count) }

  /// Adds bytes at the end.
  ///
  /// - Returns: Where they are.
  @discardableResult
  package func append(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> Range<Int> {
    try locked { state throws(Failure) in
      if bytes.count > limit - state.count { throw .full(limit: limit) }
      let start = state.count
      state.pending.append(contentsOf: bytes)
      state.count += bytes.count
      if state.pending.count >= Self.memoryBytes { try flush(&state) }
      return start..<state.count
    }
  }

  /// Adds bytes at the end.
  ///
  /// - Returns: Where they are.
  @discardableResult
  package func append(_ bytes: [UInt8]) throws(Failure) -> Range<Int> {
    let result = bytes.withUnsafeBytes { bytes in
      Result<Range<Int>, Failure> { () throws(Failure) in try append(bytes) }
    }
    return try result.get()
  }

  /// The bytes of a range, which must be within `0..<count`.
  package func bytes(_ range: Range<Int>) throws(Failure) -> [UInt8] {
    try locked { state throws(Failure) in
      let inFile = range.clamped(to: 0..<state.written)
      var bytes = [UInt8](repeating: 0, count: inFile.count)
      var done = 0
      while done < bytes.count {
        let got = bytes.withUnsafeMutableBytes {
          pread(
            state.descriptor, $0.baseAddress?.advanced(by: done), $0.count - done,
            off_t(inFile.lowerBound + done))
        }
        if got < 0 && errno == EINTR { continue }
        if got <= 0 { throw .file(errno: got < 0 ? errno : EIO) }
        done += got
      }
      let inMemory = range.clamped(to: state.written..<state.count)
      bytes += state.pending.dropFirst(inMemory.lowerBound - state.written).prefix(inMemory.count)
      return bytes
    }
  }

  /// `Mutex.withLock` for a typed error.
  private func locked<Result: Sendable>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> Result {
    try state.withLock(body)
  }

  private func flush(_ state: inout State) throws(Failure) {
    if state.descriptor < 0 { state.descriptor = try open() }
    var space = statvfs()
    if fstatvfs(state.descriptor, &space) == 0,
      UInt64(space.f_bavail) * UInt64(space.f_frsize) < Self.reservedBytes
    {
      throw .noRoom
    }
    let start = state.written
    if let share, !share.take(state.pending.count) { throw .full(limit: share.limit) }
    if !Self.all.take(state.pending.count) {
      share?.release(state.pending.count)
      throw .noRoom
    }
    state.inFile += state.pending.count
    var done = 0
    while done < state.pending.count {
      let put = state.pending.withUnsafeBytes {
        pwrite(
          state.descriptor, $0.baseAddress?.advanced(by: done), $0.count - done,
          off_t(start + done))
      }
      if put < 0 && errno == EINTR { continue }
      if put < 0 { throw [ENOSPC, EDQUOT].contains(errno) ? .noRoom : .file(errno: errno) }
      done += put
    }
    state.pending.removeAll(keepingCapacity: true)
  }

  /// A file without a name. Where the file system has none, a name that is removed at once.
  private func open() throws(Failure) -> Int32 {
    // O_TMPFILE, which Swift does not import.
    let temporary = 0o20_000_000 | O_DIRECTORY
    let nameless = Glibc.open(directory, temporary | O_RDWR | O_CLOEXEC, 0o600)
    if nameless >= 0 { return nameless }
    let path = "\(directory)/.aasa-\(String(UInt64.random(in: .min ... .max), radix: 16)).part"
    let descriptor = Glibc.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw .file(errno: errno) }
    unlink(path)
    return descriptor
  }
}
