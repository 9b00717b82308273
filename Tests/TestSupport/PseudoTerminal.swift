import Glibc

/// A terminal for a program's output (pty(7)).
package final class PseudoTerminal {
  /// The terminal could not be made.
  package struct Failure: Error {
    /// An `errno`.
    package let code: Int32
  }

  /// The device that the program writes to.
  package let path: String
  private let reader: Int32
  /// Kept open, so that nothing is lost when the program ends.
  private let writer: Int32

  /// A terminal of this width. It holds a few kilobytes of output.
  package init(columns: Int) throws(Failure) {
    reader = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    // ioctl_tty(2). Swift does not import these macros.
    let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    var (locked, number): (CInt, CUnsignedInt) = (0, 0)
    guard reader >= 0, ioctl(reader, unlock, &locked) == 0, ioctl(reader, getNumber, &number) == 0
    else { throw Failure(code: errno) }
    path = "/dev/pts/\(number)"
    writer = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var size = winsize(
      ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard writer >= 0, ioctl(writer, UInt(TIOCSWINSZ), &size) == 0 else {
      throw Failure(code: errno)
    }
  }

  deinit {
    close(reader)
    close(writer)
  }

  /// What was written since the last call.
  package func output() -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(reader, &chunk, chunk.count), count > 0 {
      bytes += chunk.prefix(count)
    }
    // A terminal makes CR LF of each LF.
    return String(decoding: bytes.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }
}
