import Glibc
import HTTP

/// The host that the nearest proxy says it was asked for.
enum ForwardedHost {
  /// It says nothing of a host.
  case absent
  case host(UnsafeRawBufferPointer, PublicAccess.HostSource)
  /// It cannot be understood, or says two things.
  case unclear

  /// Reads both fields of a request that comes from a trusted proxy.
  init(_ fields: DirectFields) {
    guard let standard = Self.standardHost(fields.forwarded) else {
      self = .unclear
      return
    }
    let common = Self.commonHost(fields.forwardedHost)
    switch (standard, common) {
    case (nil, nil): self = .absent
    case (let host?, nil): self = .host(host, .forwarded)
    case (nil, let host?): self = .host(host, .xForwardedHost)
    case (let host?, let other?):
      self = Self.areSame(host, other) ? .host(host, .forwarded) : .unclear
    }
  }

  /// The last element of `X-Forwarded-Host`, which proxies that append put behind the others.
  private static func commonHost(_ line: DirectFields.Line) -> UnsafeRawBufferPointer? {
    if line.count == 0 { return nil }
    let start = line.value.lastIndex(of: UInt8(ascii: ",")).map { $0 + 1 } ?? 0
    return trimmed(line.value[start...])
  }

  /// The host of the last element of `Forwarded` (RFC 7239 section 4); nil inside if it names none,
  /// outside if it is malformed.
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

  /// The part before the first separator that is not between quotation marks and what follows it, or
  /// the part behind the last one. Nil if a quotation mark is missing: what a client wrote before can
  /// so not hide what the proxy appended.
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

  /// A value without its quotation marks; nil for one that no host has.
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
    // Sound: both have as many bytes as are compared.
    return host.count == other.count && strncasecmp(start, otherStart, host.count) == 0
  }
}
