import Glibc

/// How the program ends.
enum ExitStatus: Int32 {
  case fine = 0
  case no = 1
  /// There are differences.
  case different = 2
  case wrongUsage = 64
}

func exit(_ status: ExitStatus) -> Never { Glibc.exit(status.rawValue) }

/// What the program writes.
enum Terminal {
  /// A result that cannot be written, as a sentence.
  struct Unwritable: Error, CustomStringConvertible {
    let description: String
  }

  /// Opens what is closed of stdin, stdout and stderr, so that no database and no connection gets their
  /// numbers, and with them what is written there.
  static func openMissing() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// Writes a line of the result to stdout.
  static func print(_ text: String) throws(Unwritable) { try write(Array("\(text)\n".utf8)) }

  /// Writes bytes of the result to stdout.
  static func write(_ bytes: [UInt8]) throws(Unwritable) {
    if let code = write(bytes, to: STDOUT_FILENO) {
      throw Unwritable(
        description: "The result cannot be written: \(String(cString: strerror(code))).")
    }
  }

  /// Writes a line about something else to stderr. Where that fails, nobody can be told.
  static func complain(_ text: String) { _ = write(Array("\(text)\n".utf8), to: STDERR_FILENO) }

  /// Whether somebody looks at what is written to a descriptor.
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Shows a line on stderr, a terminal, in the place of the one that was shown before; an empty one
  /// takes that away.
  static func showLine(_ text: String) {
    _ = write(Array("\r\u{1B}[2K\(text)".utf8), to: STDERR_FILENO)
  }

  /// Writes all of it; returns the code of the error that kept it from doing so.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      // Sound: the pointer is used during the call only.
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}
