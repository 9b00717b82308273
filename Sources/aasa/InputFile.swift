import Association
import Glibc
import Service

/// Files that are named on the command line; `-` is stdin.
enum InputFile {
  /// The default limit, far above any association file, so that a wrong path such as `/dev/zero` does not
  /// fill the memory.
  private static let associationFileLimit = 8_388_608
  /// The longest line, in bytes. Anything longer is not a URL.
  static let lineLimit = 1_048_576

  /// All bytes of a file.
  ///
  /// - Parameter stateLimit: The limit of a file that begins like a part of a state, if that is another one.
  static func bytes(
    of path: String, atMost limit: Int = associationFileLimit, ofState stateLimit: Int? = nil
  ) throws(Failure) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var bytes: [UInt8] = []
    while true {
      let chunk = try chunk(of: descriptor, path)
      if chunk.isEmpty { return bytes }
      bytes += chunk
      if bytes.count > limit {
        if let stateLimit, bytes.count <= stateLimit, beginsState(bytes) { continue }
        throw Failure("\(name(path)) is too large. The limit is \(limit) bytes.")
      }
    }
  }

  /// The first bytes of a file, as many as one read gives.
  static func beginning(of path: String) throws(Failure) -> ArraySlice<UInt8> {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    return try chunk(of: descriptor, path)
  }

  /// Whether the first member is one of a state.
  private static func beginsState(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes.prefix(4096), as: UTF8.self)
    let beginning = text.drop { $0.isWhitespace || $0 == "{" }
    return (DesiredFiles.appLists + ["domains", "domain"]).contains {
      beginning.hasPrefix("\"\($0)\"")
    }
  }

  /// Reads stdin, in memory that does not grow with the number of lines.
  ///
  /// - Parameters:
  ///   - wait: Called before reading more, which may block.
  ///   - take: Called with each line that is not empty, without its end; with `nil` for a line over
  ///     `lineLimit`.
  static func lines(
    beforeWaiting wait: () throws -> Void, _ take: (ArraySlice<UInt8>?) throws -> Void
  ) throws {
    let lineFeed = UInt8(ascii: "\n")
    var pending: [UInt8] = []
    var isTooLong = false
    while true {
      try wait()
      let chunk = try chunk(of: STDIN_FILENO, "-")
      pending += chunk.isEmpty ? [lineFeed] : chunk
      var rest = pending[...]
      while let end = rest.firstIndex(of: lineFeed) {
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        if isTooLong || line.count > lineLimit {
          try take(nil)
        } else {
          let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
          if !line.isEmpty { try take(line) }
        }
        isTooLong = false
      }
      if chunk.isEmpty { return }
      isTooLong = isTooLong || rest.count > lineLimit
      pending = isTooLong ? [] : Array(rest)
    }
  }

  /// The next bytes; none at the end.
  private static func chunk(
    of descriptor: Int32, _ path: String
  ) throws(Failure) -> ArraySlice<UInt8> {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count >= 0 { return chunk.prefix(count) }
      if errno != EINTR { throw unreadable(path) }
    }
  }

  private static func unreadable(_ path: String) -> Failure {
    Failure("Cannot read \(name(path))", code: errno)
  }

  private static func name(_ path: String) -> String { path == "-" ? "stdin" : path.quotedPath }
}
