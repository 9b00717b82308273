import CMicroHTTPD
import Glibc

/// An IPv4 or IPv6 address. An IPv4 address that is written or comes as an IPv6 address
/// (`::ffff:192.0.2.1`, RFC 4291 section 2.5.5.2) is the IPv4 address.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// The 128 bits of an IPv6 address; an IPv4 address is mapped into them.
  let bits: UInt128

  private static let mappedPrefix: UInt128 = 0xFFFF << 32

  init(bits: UInt128) { self.bits = bits }

  /// Parses `192.0.2.1` or `2001:db8::1`; nil for anything else, also with a zone or a port.
  public init?(_ text: String) {
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

  /// The address of a socket's other end; nil if it is not of the internet.
  init?(_ address: UnsafePointer<sockaddr>) {
    // Sound: the family says which structure the address is the beginning of.
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
  public var isIPv4: Bool { bits >> 32 == Self.mappedPrefix >> 32 }

  /// Whether it is in 127.0.0.0/8 or is ::1 (RFC 6890).
  var isLoopback: Bool { isIPv4 ? bits >> 24 & 0xFF == 127 : bits == 1 }

  /// As it is written: `192.0.2.1` or `2001:db8::1`.
  public var description: String {
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
