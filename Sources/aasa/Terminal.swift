import Glibc

/// How the program ends.
enum ExitStatus: Int32 {
  case fine = 0
  case no = 1
  case wrongUsage = 64
}

func exit(_ status: ExitStatus) -> Never { Glibc.exit(status.rawValue) }

/// What the program writes.
enum Terminal {
  /// Writes a line of the result to stdout.
  static func print(_ text: String) { write("\(text)\n".utf8, to: STDOUT_FILENO) }

  /// Writes bytes of the result to stdout.
  static func write(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

  /// Writes a line about something else to stderr.
  static func complain(_ text: String) { write("\(text)\n".utf8, to: STDERR_FILENO) }

  private static func write(_ bytes: some Sequence<UInt8>, to descriptor: Int32) {
    var bytes = Array(bytes)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      // Nobody reads any more, and nobody can be told.
      if count <= 0 { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
