import CMicroHTTPD
import Glibc

/// Where a listener listens: an address of this machine and a port.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
  /// An IPv4 or IPv6 address, or a name for one, such as `localhost`. `::` accepts IPv4 as well.
  package let host: String
  /// The port; 0 asks for any free one.
  package let port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses `127.0.0.1:8080`, `localhost:8080` or `[::1]:8080`; nil for anything else.
  package init?(_ text: String) {
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

  /// As in a URL: `127.0.0.1:8080` or `[::1]:8080`.
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension SocketAddress {
  /// Where a TCP socket is bound.
  init?(boundBy descriptor: CInt) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    // Sound: every kind of socket address begins with the members of `sockaddr`, and the calls get
    // the sizes of what they write to.
    let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getsockname(descriptor, address, &length) == 0
          && getnameinfo(
            address, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
            NI_NUMERICHOST | NI_NUMERICSERV) == 0
      }
    }
    guard isKnown, let port = UInt16(Self.text(service)) else { return nil }
    self.init(host: Self.text(host), port: port)
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether other machines can reach it: whether the host has an address other than a loopback
  /// address (RFC 6890). A host without an address is unreachable.
  package var isReachableFromOutside: Bool {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return false }
    defer { freeaddrinfo(list) }
    var next = list
    while let item = next?.pointee {
      if let address = item.ai_addr, IPAddress(address)?.isLoopback == false { return true }
      next = item.ai_next
    }
    return false
  }

  /// Whether a server accepts connections there, and closes one without a request. Works for HTTP
  /// and HTTPS.
  ///
  /// - Parameter seconds: How long each step may take.
  package func reacts(within seconds: Int) -> Bool {
    let resolved: ResolvedAddress
    do throws(ListenerError) {
      resolved = try ResolvedAddress(self)
    } catch {
      return false
    }
    let flags = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(resolved.family, flags, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // The timeout for sending applies to connecting as well (socket(7)).
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
      setsockopt(
        descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    guard resolved.withSocketAddress({ connect(descriptor, $0, $1) }) == 0 else { return false }
    // The serving thread sees the end of the connection and counts or logs no request.
    guard shutdown(descriptor, CInt(SHUT_WR)) == 0 else { return errno == ENOTCONN }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0) >= 0 || errno == ECONNRESET
  }
}

/// The first address of a host and port.
struct ResolvedAddress {
  private let storage: sockaddr_storage
  private let length: socklen_t
  let family: CInt

  init(_ address: SocketAddress) throws(ListenerError) {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(address.host, String(address.port), &hints, &list)
    guard code == 0, let list, let first = list.pointee.ai_addr else {
      let message = String(cString: gai_strerror(code))
      throw ListenerError(reason: .unknownHost(message), address: address)
    }
    defer { freeaddrinfo(list) }
    var storage = sockaddr_storage()
    let length = list.pointee.ai_addrlen
    self.length = length
    family = list.pointee.ai_family
    // Sound: the length is that of the address that the library allocated, and no address is longer
    // than the storage for all of them.
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: first, count: Int(length)))
    }
    self.storage = storage
  }

  func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    // Sound: every kind of socket address begins with the members of `sockaddr`.
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
