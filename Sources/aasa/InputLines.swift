import Glibc

/// The lines of stdin, one after another, in memory that does not grow with their number.
final class InputLines {
  /// A line longer than any URL.
  struct TooLong: Error, CustomStringConvertible {
    let description = "A line of stdin has more than \(limit) bytes; a URL is expected on each."
  }

  private static let limit = 1_048_576

  private var pending: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  /// The next line that is not empty, without its end; `nil` after the last.
  ///
  /// - Parameter beforeWaiting: Called before more is read, which may take its time.
  func next(beforeWaiting: () throws -> Void) throws -> String? {
    while true {
      if let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = pending[start..<end]
        start = end + 1
        if let text = Self.text(line) { return text }
      } else if isAtEnd {
        let line = pending[start...]
        start = pending.count
        return Self.text(line)
      } else {
        try beforeWaiting()
        try readMore()
      }
    }
  }

  private static func text(_ line: ArraySlice<UInt8>) -> String? {
    let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  private func readMore() throws {
    pending.removeFirst(start)
    start = 0
    if pending.count > Self.limit { throw TooLong() }
    let chunk = try Input.chunk(of: STDIN_FILENO, "-")
    isAtEnd = chunk.isEmpty
    pending += chunk
  }
}
