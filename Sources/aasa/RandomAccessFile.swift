import Glibc
import Service

/// A file of which only parts are read.
final class RandomAccessFile {
  let size: Int
  /// The path, for messages.
  let name: String
  private let descriptor: Int32

  init(path: String) throws(Failure) {
    name = path.quotedPath
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure("Cannot read \(name)", code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw Failure("\(name) is not a file.")
    }
    size = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// The bytes at a place; `nil` if the file does not have all of them.
  func bytes(at offset: Int, _ count: Int) throws(Failure) -> [UInt8]? {
    guard offset >= 0, count >= 0, count <= size, offset <= size - count else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = bytes.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, offset + filled)
      }
      if read < 0 && errno == EINTR { continue }
      if read < 0 { throw Failure("Cannot read \(name)", code: errno) }
      // It has become shorter.
      if read == 0 { return nil }
      filled += read
    }
    return bytes
  }
}

/// Reads numbers and parts from the start of bytes; `nil` once there are too few.
struct ByteCursor {
  private(set) var rest: ArraySlice<UInt8>
  /// Whether the first byte of a number is its highest.
  private let isBigEndian: Bool

  init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool = false) {
    (rest, self.isBigEndian) = (bytes, isBigEndian)
  }

  init(_ bytes: [UInt8], isBigEndian: Bool = false) {
    self.init(bytes[...], isBigEndian: isBigEndian)
  }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// A number without a sign; `nil` also for one that `Int` cannot hold.
  mutating func number(bytes count: Int) -> Int? {
    guard let bytes = bytes(count) else { return nil }
    let value = (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(UInt64(0)) {
      $0 << 8 | UInt64($1)
    }
    return Int(exactly: value)
  }

  /// The bytes behind a number of this size, which says how many they are.
  mutating func counted(bytes count: Int) -> ArraySlice<UInt8>? {
    number(bytes: count).flatMap { self.bytes($0) }
  }
}
