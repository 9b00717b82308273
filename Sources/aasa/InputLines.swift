import Glibc

/// The lines of stdin, one after another, byte for byte, in memory that does not grow with their
/// number.
final class InputLines {
  /// The longest line that is read, in bytes; what is longer is no URL.
  static let limit = 1_048_576

  /// What stands on a line.
  enum Line {
    /// Its bytes, without its end; not empty.
    case bytes(ArraySlice<UInt8>)
    /// More than `limit` bytes, which were passed over.
    case tooLong
  }

  private var pending: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  private var isPassingOver = false

  /// The next line that is not empty; `nil` after the last.
  ///
  /// - Parameter beforeWaiting: Called before more is read, which may take its time.
  func next(beforeWaiting: () throws -> Void) throws -> Line? {
    while true {
      if let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = pending[start..<end]
        start = end + 1
        if isPassingOver {
          isPassingOver = false
          return .tooLong
        }
        if let line = Self.line(line) { return line }
      } else if isAtEnd {
        let line = pending[start...]
        start = pending.count
        if !isPassingOver { return Self.line(line) }
        isPassingOver = false
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
      isPassingOver = true
      pending.removeAll(keepingCapacity: true)
    }
    let chunk = try Input.chunk(of: STDIN_FILENO, "-")
    isAtEnd = chunk.isEmpty
    pending += chunk
  }
}
