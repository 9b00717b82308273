/// Where a listener listens: an address of this machine and a port.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
  /// An IPv4 or IPv6 address, or a name that stands for one, such as `localhost`. `::` takes IPv4
  /// as well.
  public let host: String
  /// The port; 0 asks for any free one.
  public let port: UInt16

  /// An address and a port.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses `127.0.0.1:8080`, `localhost:8080` or `[::1]:8080`; nil for anything else.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("[") && host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    if host.isEmpty { return nil }
    self.init(host: String(host), port: port)
  }

  /// As in a URL.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
