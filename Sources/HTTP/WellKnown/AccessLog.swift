package import Association
import Dispatch
import Glibc
import Synchronization

/// A line of the access log: an answered public request, without its query. Client-supplied texts
/// are cut and contain no control characters. Of people without an app, it has neither address nor path nor User-Agent.
package struct PublicAccess: Sendable, Equatable {
  /// The source of the effective host.
  package enum HostSource: String, Sendable {
    /// The Host field, or the authority of an absolute target.
    case host
    /// `X-Forwarded-Host` of a trusted proxy.
    case xForwardedHost = "x-forwarded-host"
    /// `Forwarded` of a trusted proxy (RFC 7239).
    case forwarded
  }

  /// When it was answered, in milliseconds since 1970.
  package let milliseconds: Int64
  /// The other end of the connection: the client, or the nearest proxy.
  package let peer: IPAddress?
  package let method: String
  /// The target up to its `?`.
  package let path: String
  /// The Host field; empty without one.
  package let hostAsked: String
  /// The effective host as written, whether a file is published for it or not; empty if there was
  /// none.
  package let hostUsed: String
  package let hostSource: HostSource
  /// Whether a `Forwarded` or `X-Forwarded-Host` was ignored, since the other end is not a trusted proxy.
  package let isForwardedHostIgnored: Bool
  package let outcome: PublicOutcome
  /// The size of the answer's body in bytes.
  package let bytes: Int
  /// The class of the client, by its User-Agent.
  package let fetcher: FetcherClass
  /// The User-Agent; empty without one.
  package let userAgent: String

  package var status: Int { outcome.status }

  /// How much of a client's text is kept, in raw bytes.
  static let textBytes = 256

  init(
    _ request: borrowing DirectRequest, _ choice: HostChoice, _ outcome: PublicOutcome,
    _ fetcher: FetcherClass, bytes: Int
  ) {
    milliseconds = Self.now
    peer = outcome.isForPeople ? nil : request.peer
    method = Self.text(request.method)
    path = outcome.isForPeople ? "" : Self.text(request.target)
    hostAsked = Self.text(request.fields.host.value)
    hostUsed = Self.text(choice.host)
    hostSource = choice.source
    isForwardedHostIgnored = choice.isForwardedIgnored
    self.outcome = outcome
    self.bytes = request.method.equals("HEAD") ? 0 : bytes
    self.fetcher = fetcher
    userAgent = outcome.isForPeople ? "" : Self.text(request.fields.userAgent.value)
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// The number of bytes to keep. If an API token may cross the limit, the text ends after the
  /// token's mark, because the log masks whole tokens and would not recognize a part of one.
  private static func keptBytes(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.count > textBytes else { return bytes.count }
    let end = bytes[(textBytes - tokenBytes)..<textBytes]
    return end.firstRange(of: tokenMark)?.upperBound ?? textBytes
  }

  private static let tokenMark = Array("aasa_".utf8)
  /// A mark and 32 bytes in base64url.
  private static let tokenBytes = 48

  /// Printable ASCII unchanged, everything else as `\xNN`.
  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    var text = ""
    for byte in bytes.prefix(keptBytes(bytes)) {
      if (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += byte < 0x10 ? "\\x0" : "\\x"
        text += String(byte, radix: 16)
      }
    }
    return text
  }
}

/// Passes lines of the access log from serving threads to a writing thread. Lines that do not fit
/// are dropped and counted, so that a slow disk delays no request.
final class AccessQueue: Sendable {
  /// The maximum number of waiting lines.
  static let capacity = 1024

  private struct Waiting {
    var lines: [PublicAccess] = []
    var isWriting = false
  }

  private let waiting = Mutex(Waiting())
  private let dropped = Atomic<UInt64>(0)
  private let writer = DispatchQueue(label: "access-log")
  private let write: @Sendable (PublicAccess) -> Void

  init(write: @escaping @Sendable (PublicAccess) -> Void) { self.write = write }

  /// The number of lines that were dropped.
  var droppedLines: UInt64 { dropped.load(ordering: .relaxed) }

  /// Adds a line. The lock is only ever held briefly.
  func add(_ line: PublicAccess) {
    let wakes = waiting.withLock { waiting in
      if waiting.lines.count == Self.capacity {
        dropped.add(1, ordering: .relaxed)
        return false
      }
      waiting.lines.append(line)
      defer { waiting.isWriting = true }
      return !waiting.isWriting
    }
    if wakes { writer.async { self.writeAll() } }
  }

  /// Waits until all lines are written, up to a timeout.
  func finish(within seconds: Double) {
    let group = DispatchGroup()
    writer.async(group: group) {}
    _ = group.wait(timeout: .now() + seconds)
  }

  private func writeAll() {
    while true {
      let lines = waiting.withLock { waiting in
        waiting.isWriting = !waiting.lines.isEmpty
        defer { waiting.lines = [] }
        return waiting.lines
      }
      if lines.isEmpty { return }
      for line in lines { write(line) }
    }
  }
}
