import CMicroHTTPD
import Glibc

/// An IPv4 or IPv6 address. An IPv4 address in the form of an IPv6 address (`::ffff:192.0.2.1`, RFC 4291
/// section 2.5.5.2) is the IPv4 address.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// The 128 bits of an IPv6 address; an IPv4 address is mapped into them.
  let bits: UInt128

  private static let mappedPrefix: UInt128 = 0xFFFF << 32

  init(bits: UInt128) { self.bits = bits }

  /// Parses `192.0.2.1` or `2001:db8::1`; nil for anything else, such as an address with a zone or a port.
  package init?(_ text: String) {
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(four)
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      self.init(six)
    } else {
      return nil
    }
  }

  /// The address of a socket's other end; nil unless it is an IP address.
  init?(_ address: UnsafePointer<sockaddr>) {
    // Sound: the family identifies the structure that begins with this address.
    let pointer = UnsafeRawPointer(address)
    switch CInt(address.pointee.sa_family) {
    case AF_INET: self.init(pointer.loadUnaligned(as: sockaddr_in.self).sin_addr)
    case AF_INET6: self.init(pointer.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    default: return nil
    }
  }

  private init(_ four: in_addr) {
    bits = Self.mappedPrefix | UInt128(UInt32(bigEndian: four.s_addr))
  }

  private init(_ six: in6_addr) {
    bits = UInt128(bigEndian: withUnsafeBytes(of: six) { $0.loadUnaligned(as: UInt128.self) })
  }

  /// Whether it is an IPv4 address.
  package var isIPv4: Bool { bits >> 32 == Self.mappedPrefix >> 32 }

  /// What one client is taken for: an IPv4 address, or the IPv6 network of 64 bits that a site has at
  /// least (RFC 6177).
  package var client: IPAddress { isIPv4 ? self : IPAddress(bits: bits & ~0 << 64) }

  /// Whether it is in 127.0.0.0/8 or is ::1 (RFC 6890).
  var isLoopback: Bool { isIPv4 ? bits >> 24 & 0xFF == 127 : bits == 1 }

  /// Whether this machine has the address. Services on it may trust connections from there.
  package var isOwnAddress: Bool {
    var list: UnsafeMutablePointer<ifaddrs>?
    // Unknown addresses count as those of other machines.
    guard getifaddrs(&list) == 0 else { return false }
    defer { freeifaddrs(list) }
    var next = list
    while let entry = next?.pointee {
      // Sound: the list and its addresses live until it is freed.
      if let address = entry.ifa_addr, IPAddress(address) == self { return true }
      next = entry.ifa_next
    }
    return false
  }

  /// The address as text: `192.0.2.1` or `2001:db8::1`.
  package var description: String {
    // Sound: the buffers have the sizes that the function asks for, and it ends its text with NUL.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      guard let text = buffer.baseAddress else { return "" }
      if isIPv4 {
        var four = UInt32(truncatingIfNeeded: bits).bigEndian
        inet_ntop(AF_INET, &four, text, socklen_t(INET6_ADDRSTRLEN))
      } else {
        var six = bits.bigEndian
        inet_ntop(AF_INET6, &six, text, socklen_t(INET6_ADDRSTRLEN))
      }
      return String(cString: text)
    }
  }
}

/// The address of a connection's other end; nil unless it is an IP address.
func peerAddress(of connection: OpaquePointer) -> IPAddress? {
  aasa_peer(connection).flatMap { IPAddress($0) }
}

/// A range of addresses in CIDR notation (RFC 4632 section 3.1, RFC 4291 section 2.3), such as that of
/// trusted proxies: `10.0.0.0/8`, `fd00::/8`.
package struct AddressRange: Sendable, Hashable, CustomStringConvertible {
  private let first: IPAddress
  /// How many of the 128 bits every address in the range shares with the first one.
  private let prefixBits: Int

  /// Parses an address with a prefix length, or a single address, which is a range of one. Bits
  /// after the prefix are ignored. Nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(String(parts[0])) else { return nil }
    let isMapped = address.isIPv4 && !parts[0].contains(":")
    guard
      let bits = parts.count == 1
        ? 128
        : Self.prefixBits(parts[1], upTo: isMapped ? 32 : 128).map({ isMapped ? $0 + 96 : $0 })
    else { return nil }
    prefixBits = bits
    first = IPAddress(bits: address.bits & Self.mask(bits))
  }

  private static func prefixBits(_ text: Substring, upTo limit: Int) -> Int? {
    guard let bits = Int(text), String(bits) == text, (0...limit).contains(bits) else { return nil }
    return bits
  }

  private static func mask(_ prefixBits: Int) -> UInt128 { ~0 << (128 - prefixBits) }

  /// Whether an address is in the range. A range of IPv6 addresses never contains an IPv4 address:
  /// `::/0` does not mean every client.
  package func contains(_ address: IPAddress) -> Bool {
    address.bits & Self.mask(prefixBits) == first.bits && address.isIPv4 == isIPv4
  }

  private var isIPv4: Bool { first.isIPv4 && prefixBits >= 96 }

  /// `10.0.0.0/8`, always with the length of the prefix.
  package var description: String { "\(first)/\(isIPv4 ? prefixBits - 96 : prefixBits)" }
}
