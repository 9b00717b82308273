import Service
import Association
import Glibc

/// Files that are named on the command line; `-` is stdin.
enum InputFile {
  /// A file that cannot be read, as a sentence.
  struct Unreadable: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    fileprivate init(_ path: String, code: Int32) {
      let name = path == "-" ? "stdin" : path.quotedPath
      description = "Cannot read \(name): \(String(cString: strerror(code)))."
    }
  }

  /// The default limit, far above any association file, so that a wrong path such as `/dev/zero` does not
  /// fill the memory.
  private static let associationFileLimit = 8_388_608

  /// All bytes of a file.
  static func bytes(
    of path: String, atMost limit: Int = associationFileLimit
  ) throws(Unreadable) -> [UInt8] {
    if path == "-" { return try allBytes(of: STDIN_FILENO, path, limit) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unreadable(path, code: errno) }
    defer { close(descriptor) }
    return try allBytes(of: descriptor, path, limit)
  }

  private static func allBytes(
    of descriptor: Int32, _ path: String, _ limit: Int
  ) throws(Unreadable) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let chunk = try chunk(of: descriptor, path)
      if chunk.isEmpty { return bytes }
      bytes += chunk
      if bytes.count > limit {
        throw Unreadable("\(path.quotedPath) is too large: it has more than \(limit) bytes.")
      }
    }
  }

  /// The next bytes; none at the end.
  fileprivate static func chunk(
    of descriptor: Int32, _ path: String
  ) throws(Unreadable) -> ArraySlice<UInt8> {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count >= 0 { return chunk.prefix(count) }
      if errno != EINTR { throw Unreadable(path, code: errno) }
    }
  }
}

/// The lines of stdin as bytes, in memory that does not grow with their number.
final class InputLines {
  /// The longest line, in bytes. Anything longer is not a URL.
  static let limit = 1_048_576

  enum Line {
    /// Not empty, and without the line end.
    case bytes(ArraySlice<UInt8>)
    /// More than `limit` bytes, which were skipped.
    case tooLong
  }

  private var pending: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  private var isSkipping = false

  /// The next line that is not empty; `nil` after the last.
  ///
  /// - Parameter beforeWaiting: Called before reading more, which may block.
  func next(beforeWaiting: () throws -> Void) throws -> Line? {
    while true {
      if let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = pending[start..<end]
        start = end + 1
        if isSkipping {
          isSkipping = false
          return .tooLong
        }
        if let line = Self.line(line) { return line }
      } else if isAtEnd {
        let line = pending[start...]
        start = pending.count
        if !isSkipping { return Self.line(line) }
        isSkipping = false
        return .tooLong
      } else {
        try beforeWaiting()
        try readMore()
      }
    }
  }

  private static func line(_ line: ArraySlice<UInt8>) -> Line? {
    let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    return line.isEmpty ? nil : .bytes(line)
  }

  private func readMore() throws {
    pending.removeFirst(start)
    start = 0
    if pending.count > Self.limit {
      isSkipping = true
      pending.removeAll(keepingCapacity: true)
    }
    let chunk = try InputFile.chunk(of: STDIN_FILENO, "-")
    isAtEnd = chunk.isEmpty
    pending += chunk
  }
}
