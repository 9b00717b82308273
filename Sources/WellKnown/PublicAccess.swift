public import Association
import Glibc
public import HTTP

/// A line of the access log: a public request that was answered. It has nothing of the query. Texts of
/// the client are cut and have no control characters.
public struct PublicAccess: Sendable, Equatable {
  /// Where the host came from that decided.
  public enum HostSource: String, Sendable {
    /// The Host field, or the authority of an absolute target.
    case host
    /// `X-Forwarded-Host` of a trusted proxy.
    case xForwardedHost = "x-forwarded-host"
    /// `Forwarded` of a trusted proxy (RFC 7239).
    case forwarded
  }

  /// When it was answered, in milliseconds since 1970.
  public let milliseconds: Int64
  /// The other end of the connection: the client, or the proxy before this server.
  public let peer: IPAddress?
  /// The method.
  public let method: String
  /// The target up to its `?`.
  public let path: String
  /// What the Host field says; empty without one.
  public let hostAsked: String
  /// The host that decided: as it was written, also where no file is published for it; empty if
  /// none could be used.
  public let hostUsed: String
  /// Where the host that decided came from.
  public let hostSource: HostSource
  /// Whether there was a `Forwarded` or `X-Forwarded-Host` that did not count, since the other end
  /// is not a trusted proxy.
  public let isForwardedHostIgnored: Bool
  /// How it was answered.
  public let outcome: PublicOutcome
  /// The bytes of the answer's body.
  public let bytes: Int
  /// Who asked, by the User-Agent.
  public let fetcher: FetcherClass
  /// The User-Agent; empty without one.
  public let userAgent: String

  /// The status of the answer.
  public var status: Int { outcome.status }

  /// The longest text of a client that is kept, in bytes as they came.
  static let textBytes = 256

  init(
    _ request: borrowing DirectRequest, _ choice: HostChoice, _ outcome: PublicOutcome,
    _ fetcher: FetcherClass, bytes: Int
  ) {
    milliseconds = Self.now
    peer = request.peer
    method = Self.text(request.method)
    path = Self.text(request.target)
    hostAsked = Self.text(request.fields.host.value)
    hostUsed = Self.text(choice.host)
    hostSource = choice.source
    isForwardedHostIgnored = choice.isForwardedIgnored
    self.outcome = outcome
    self.bytes = request.method.equals("HEAD") ? 0 : bytes
    self.fetcher = fetcher
    userAgent = Self.text(request.fields.userAgent.value)
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// How many bytes are kept. Where a token of the API may go beyond the limit, its mark is the last:
  /// the log masks whole tokens, and would not know a part for one.
  private static func keptBytes(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.count > textBytes else { return bytes.count }
    let end = bytes[(textBytes - tokenBytes)..<textBytes]
    return end.firstRange(of: tokenMark)?.upperBound ?? textBytes
  }

  private static let tokenMark = Array("aasa_".utf8)
  /// A mark and 32 bytes in base64url.
  private static let tokenBytes = 48

  /// Printable ASCII as it is, everything else as `\xNN`.
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

/// Which host decides about a request.
struct HostChoice {
  /// As it was written; empty if none can be used.
  var host = UnsafeRawBufferPointer(start: nil, count: 0)
  var source = PublicAccess.HostSource.host
  var isForwardedIgnored = false
}
