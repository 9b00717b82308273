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
      if let address = item.ai_addr, !isLoopback(address, family: item.ai_family) { return true }
      next = item.ai_next
    }
    return false
  }
}

/// Whether an address is in 127.0.0.0/8, also as an IPv6 address, or is ::1.
private func isLoopback(_ address: UnsafeRawPointer, family: CInt) -> Bool {
  // Sound: the family says which structure the address is the beginning of.
  switch family {
  case AF_INET:
    let four = address.loadUnaligned(as: sockaddr_in.self).sin_addr
    return withUnsafeBytes(of: four) { $0.first == 127 }
  case AF_INET6:
    let six = address.loadUnaligned(as: sockaddr_in6.self).sin6_addr
    return withUnsafeBytes(of: six) { bytes in
      let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10..<12].allSatisfy { $0 == 0xFF }
      return (isMapped && bytes[12] == 127)
        || (bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1)
    }
  default: return false
  }
}
