import FoundationEssentials

/// A file that was named on the command line.
enum Input {
  /// A file that cannot be read, as a sentence.
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  /// The bytes of a file, or of stdin for `-`.
  static func bytes(of path: String) throws -> [UInt8] {
    do {
      return Array(try Data(contentsOf: URL(filePath: path == "-" ? "/dev/stdin" : path)))
    } catch {
      throw Unreadable(description: "“\(path)” cannot be read: \(error)")
    }
  }
}
