import Glibc

/// What was named on the command line to be read.
enum Input {
  /// What cannot be read, as a sentence.
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  /// The most that a file may have: far more than any association file, so that a wrong path such as
  /// `/dev/zero` does not take all memory.
  private static let associationFileLimit = 8_388_608

  /// The bytes of a file, or of stdin for `-`.
  ///
  /// - Parameter limit: The most that it may have.
  static func bytes(
    of path: String, atMost limit: Int = associationFileLimit
  ) throws(Unreadable) -> [UInt8] {
    if path == "-" { return try allBytes(of: STDIN_FILENO, path, limit) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unreadable(path, errno) }
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
        throw Unreadable(
          description: "“\(path)” has more than \(limit) bytes, which is more than it can have.")
      }
    }
  }

  /// What is there to be read next; nothing at the end.
  ///
  /// - Parameter path: What the descriptor is called in a message.
  static func chunk(of descriptor: Int32, _ path: String) throws(Unreadable) -> ArraySlice<UInt8> {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count >= 0 { return chunk.prefix(count) }
      if errno != EINTR { throw Unreadable(path, errno) }
    }
  }
}

extension Input.Unreadable {
  fileprivate init(_ path: String, _ code: Int32) {
    let name = path == "-" ? "stdin" : "“\(path)”"
    self.init(description: "\(name) cannot be read: \(String(cString: strerror(code))).")
  }
}
