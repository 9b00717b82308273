import Glibc

/// What the Host field, or the authority of an absolute target, says (RFC 9110 section 7.2).
enum RequestedHost {
  /// A name that a file may be published for: its length in the buffer, into which it was written
  /// in lower case, without port and without a dot at its end.
  case name(count: Int)
  /// A name with bytes outside ASCII; the bytes without the port.
  case international(UnsafeRawBufferPointer)
  /// A host that no file can be published for, such as an IPv6 address.
  case other
  /// Not a host.
  case malformed

  /// The longest name that DNS has (RFC 1035 section 2.3.4), and a dot behind it.
  static let bufferBytes = 254

  /// Reads a host without allocating.
  init(_ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer) {
    guard let host = Self.withoutPort(bytes), !host.isEmpty else {
      self = .malformed
      return
    }
    if host[0] == UInt8(ascii: "[") {
      self = host[host.count - 1] == UInt8(ascii: "]") ? .other : .malformed
      return
    }
    self = Self.name(host, into: buffer)
  }

  private static func name(
    _ host: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
  ) -> RequestedHost {
    var isName = true
    var previous = UInt8(ascii: ".")
    for (index, byte) in host.enumerated() {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        if index < buffer.count { buffer[index] = byte | 0x20 }
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        if index < buffer.count { buffer[index] = byte }
      case UInt8(ascii: "."):
        if previous == byte { return .malformed }
        if index < buffer.count { buffer[index] = byte }
      case 0x80...: return .international(host)
      default:
        guard isRegisteredNameByte(byte) else { return .malformed }
        isName = false
      }
      previous = byte
    }
    let count = previous == UInt8(ascii: ".") ? host.count - 1 : host.count
    return isName && count < bufferBytes ? .name(count: count) : .other
  }

  /// What else a host may have (RFC 3986 section 3.2.2, reg-name).
  private static func isRegisteredNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "~"), UInt8(ascii: "%"), UInt8(ascii: "!"), UInt8(ascii: "$"),
      UInt8(ascii: "&")...UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
      true
    default: false
    }
  }

  /// The host without `:` and digits behind it; nil if something else follows a `:`.
  private static func withoutPort(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    var colon = bytes.count
    while colon > 0, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[colon - 1]) {
      colon -= 1
    }
    if colon > 0, bytes[colon - 1] == UInt8(ascii: ":") {
      guard bytes.count - colon <= 5 else { return nil }
      return UnsafeRawBufferPointer(rebasing: bytes[..<(colon - 1)])
    }
    return bytes
  }
}
