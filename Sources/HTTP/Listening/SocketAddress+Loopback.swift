import CMicroHTTPD
import Glibc

extension SocketAddress {
  /// Whether other machines may reach it: one of the addresses that the host stands for is not a
  /// loopback address (RFC 6890). A host that stands for none is reached by nobody.
  public var isReachableFromOutside: Bool {
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
}
