import Association
import Checking
import FoundationEssentials
import Glibc
import Service

/// The exit statuses of the program.
enum ExitStatus: Int32 {
  case success = 0
  case failure = 1
  /// `diff` found differences.
  case different = 2
  case usage = 64
  /// The server or the database cannot be reached, is busy, or failed (EX_UNAVAILABLE in sysexits.h).
  case unavailable = 69
  /// The server does not accept the token, or its role is too low (EX_NOPERM).
  case noPermission = 77

  /// What an error says that ends a command.
  init(_ error: any Error) {
    switch error {
    case is UsageError, is ValidationError: self = .usage
    case let error as Configuration.Invalid:
      self = error.faults.allSatisfy(\.isDatabaseAddress) ? .failure : .usage
    case is APIClient.Unreachable: self = .unavailable
    case let error as Installation.Refused: self = error.exitStatus
    case let error as UnusableDatabase: self = error.exitStatus
    case let error as Failure: self = error.exitStatus
    default: self = .failure
    }
  }

  /// - Parameters:
  ///   - status: The HTTP status of a refusal.
  ///   - code: The stable word of its problem, if it has one.
  init(ofRefusal status: Int, code: String) {
    switch (status, code) {
    // Stored, so that nobody should try again.
    case (_, "committed-not-served"): self = .failure
    // These concern the change, and may be one of many reasons against it.
    case (403, "approval-required"), (403, "token-limited"): self = .failure
    case (401, _), (403, _): self = .noPermission
    case (408, _), (429, _), (500..., _): self = .unavailable
    default: self = .failure
    }
  }
}

/// Ends the program without the handlers that libraries have for its end: OpenSSL's frees what the thread that closes
/// connections to other machines may still use.
func exit(_ status: ExitStatus) -> Never {
  fflush(nil)
  _exit(status.rawValue)
}

/// Why a command failed, in sentences for people.
struct Failure: Error, CustomStringConvertible {
  let description: String
  let exitStatus: ExitStatus

  init(_ description: String, _ exitStatus: ExitStatus = .failure) {
    self.description = description
    self.exitStatus = exitStatus
  }

  /// - Parameter code: An `errno`, which completes the sentence.
  init(_ description: String, code: Int32) {
    self.init("\(description): \(String(cString: strerror(code))).")
  }
}

/// The program's output: results go to stdout, everything else to stderr.
enum Terminal {
  /// Opens stdin, stdout and stderr if they are closed, so that no database or connection gets
  /// their descriptors, and with them the program's output.
  static func openMissing() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// Makes a reader of stdout that has gone an error, instead of the end of the program.
  static func outliveReaders() { signal(SIGPIPE, SIG_IGN) }

  /// Writes a line of the result to stdout.
  static func print(_ text: String) throws(Failure) { try write("\(text)\n") }

  /// Writes text of the result to stdout.
  static func write(_ text: String) throws(Failure) { try write(Array(text.utf8)) }

  /// Writes bytes of the result to stdout.
  static func write(_ bytes: [UInt8]) throws(Failure) {
    if let code = write(bytes, to: STDOUT_FILENO) {
      throw Failure("Cannot write the result", code: code)
    }
  }

  /// Writes a line to stderr. Errors are ignored: there is nowhere left to report them.
  static func complain(_ text: String) { _ = write(Array("\(text)\n".utf8), to: STDERR_FILENO) }

  /// The number of columns of stdout; `nil` if it is no terminal.
  static var width: Int? {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    // Some terminals do not know their size.
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : 80
  }

  /// Replaces the current line of stderr, which has to be a terminal.
  static func showLine(_ text: String) {
    _ = write(Array("\r\u{1B}[2K\(text)".utf8), to: STDERR_FILENO)
  }

  /// Writes all bytes; returns the code of an error.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      // Sound: the pointer is used during the call only.
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Somebody else has set the pipe to answer at once.
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wait, 1, 1000)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}

/// Colors for stdout if it is a terminal and `NO_COLOR` is not set (no-color.org).
struct TextStyle {
  /// The codes of ECMA-48 (SGR).
  enum Color: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case faint = "2"
  }

  private let isColored: Bool

  init() {
    let environment = ProcessInfo.processInfo.environment
    isColored =
      isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty
      && environment["TERM"] != "dumb"
  }

  /// The text in a color, without control characters.
  func paint(_ text: String, _ color: Color?) -> String {
    let text = text.harmless
    guard isColored, let color else { return text }
    return "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m"
  }
}
