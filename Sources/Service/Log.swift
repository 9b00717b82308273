import FoundationEssentials
import Glibc

/// Writes lines to stderr, each with its time.
public struct Log: Sendable {
  /// A log on stderr.
  public init() {}

  /// Writes one line. Line breaks in it are written as spaces, so that it stays one.
  public func line(_ text: String) {
    let line = text.split(separator: "\n").joined(separator: " ")
    let bytes = Array("\(Date.now.formatted(.iso8601)) \(line)\n".utf8)
    // A log that cannot be written has nowhere to say so.
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
