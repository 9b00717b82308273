import Glibc

/// The host in the Host field, or in the authority of an absolute target (RFC 9110 section 7.2).
enum RequestedHost {
  /// A name that a file may be published for: its length in the buffer, which has it in lower case,
  /// without port and trailing dot.
  case name(count: Int)
  /// A name with bytes outside ASCII, without the port.
  case international(UnsafeRawBufferPointer)
  /// A host that no file can be published for, such as an IPv6 address.
  case other
  /// Not a host.
  case malformed

  /// The longest name in DNS (RFC 1035 section 2.3.4), with a trailing dot.
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

  /// Other bytes that a host may have (RFC 3986 section 3.2.2, reg-name).
  private static func isRegisteredNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "~"), UInt8(ascii: "%"), UInt8(ascii: "!"), UInt8(ascii: "$"),
      UInt8(ascii: "&")...UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
      true
    default: false
    }
  }

  /// The host without `:` and the digits after it; nil if there are more than five.
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

/// The effective host of a request.
struct HostChoice {
  /// The host as written; empty if there is none.
  var host = UnsafeRawBufferPointer(start: nil, count: 0)
  var source = PublicAccess.HostSource.host
  var isForwardedIgnored = false
}

/// The host that the nearest proxy was asked for, according to its fields.
enum ForwardedHost {
  /// The proxy named no host.
  case absent
  case host(UnsafeRawBufferPointer, PublicAccess.HostSource)
  /// Malformed, or two different hosts.
  case unclear

  /// Reads `Forwarded` and `X-Forwarded-Host` of a request from a trusted proxy.
  init(_ forwarded: DirectFields.Line, _ forwardedHost: DirectFields.Line) {
    guard let standard = Self.standardHost(forwarded) else {
      self = .unclear
      return
    }
    let common = Self.commonHost(forwardedHost)
    switch (standard, common) {
    case (nil, nil): self = .absent
    case (let host?, nil): self = .host(host, .forwarded)
    case (nil, let host?): self = .host(host, .xForwardedHost)
    case (let host?, let other?):
      self = Self.areSame(host, other) ? .host(host, .forwarded) : .unclear
    }
  }

  /// The last element of `X-Forwarded-Host`, which the nearest proxy appended.
  private static func commonHost(_ line: DirectFields.Line) -> UnsafeRawBufferPointer? {
    if line.count == 0 { return nil }
    let start = line.value.lastIndex(of: UInt8(ascii: ",")).map { $0 + 1 } ?? 0
    return trimmed(line.value[start...])
  }

  /// The host of the last element of `Forwarded` (RFC 7239 section 4). The inner nil means that the
  /// element names no host; the outer nil means that it is malformed.
  private static func standardHost(_ line: DirectFields.Line) -> UnsafeRawBufferPointer?? {
    if line.count == 0 { return .some(nil) }
    guard var rest = split(line.value, at: UInt8(ascii: ","), last: true)?.part else { return nil }
    var host: UnsafeRawBufferPointer?
    while !rest.isEmpty {
      guard let (pair, next) = split(rest, at: UInt8(ascii: ";"), last: false) else { return nil }
      rest = next
      if pair.isEmpty { continue }
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      guard areSame(UnsafeRawBufferPointer(rebasing: pair[..<equals]), Self.hostName) else {
        continue
      }
      guard host == nil, let value = unquoted(pair[(equals + 1)...]) else { return nil }
      host = value
    }
    return .some(host)
  }

  private static let name: StaticString = "host"

  private static var hostName: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
  }

  /// Splits at the first separator outside quotation marks, or takes the part after the last one. Nil if a
  /// quotation mark is missing, so that what a client wrote cannot hide what the proxy appended.
  private static func split(
    _ text: UnsafeRawBufferPointer, at separator: UInt8, last: Bool
  ) -> (part: UnsafeRawBufferPointer, rest: UnsafeRawBufferPointer)? {
    var isQuoted = false
    var isEscaped = false
    var place: Int?
    for (index, byte) in text.enumerated() {
      if isEscaped {
        isEscaped = false
      } else if isQuoted && byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if !isQuoted && byte == separator && (last || place == nil) {
        place = index
      }
    }
    if isQuoted { return nil }
    let before = trimmed(text[..<(place ?? (last ? 0 : text.count))])
    let behind = trimmed(text[(place.map { $0 + 1 } ?? (last ? 0 : text.count))...])
    return last ? (behind, before) : (before, behind)
  }

  /// A value without its quotation marks; nil if it cannot be a host.
  private static func unquoted(_ value: Slice<UnsafeRawBufferPointer>) -> UnsafeRawBufferPointer? {
    let isQuoted = value.count >= 2 && value.first == UInt8(ascii: "\"")
    let inner = isQuoted ? value.dropFirst().dropLast() : value
    if isQuoted && value.last != UInt8(ascii: "\"") { return nil }
    let isPlain = !inner.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
    return isPlain ? UnsafeRawBufferPointer(rebasing: inner) : nil
  }

  private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> UnsafeRawBufferPointer {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var text = text.drop(while: isBlank)
    while let byte = text.last, isBlank(byte) { text.removeLast() }
    return UnsafeRawBufferPointer(rebasing: text)
  }

  private static func areSame(
    _ host: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
  ) -> Bool {
    guard let start = host.baseAddress, let otherStart = other.baseAddress else { return false }
    // Sound: both have at least as many bytes as are compared.
    return host.count == other.count && strncasecmp(start, otherStart, host.count) == 0
  }
}
