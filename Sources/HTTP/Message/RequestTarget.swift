/// What a request asks for (RFC 9112 section 3.2), split before it is decoded: a `%2F` stays part of its
/// segment. The authority of an absolute target is ignored.
package struct RequestTarget: Sendable {
  /// The path as written, from its `/` to the `?`; `*` for `OPTIONS *`.
  package let path: String
  /// The decoded parts of the path: `/v1/apps/` has `v1`, `apps` and an empty one. Dot segments are kept.
  /// None for `*`.
  package let segments: [String]
  /// The decoded parameters of the query, in order. A `+` is a space (as HTML forms and most
  /// clients write it), a name without `=` has an empty value.
  package let queryItems: [QueryItem]

  /// One parameter of a query.
  package struct QueryItem: Sendable, Hashable {
    /// The name, decoded.
    package let name: String
    /// The value, decoded.
    package let value: String
  }

  /// Why a target cannot be used.
  package enum Malformed: String, Error, Sendable {
    /// A control character, white space, a byte outside ASCII, or an escaped NUL.
    case character = "has an invalid character"
    /// A `%` without two hexadecimal digits.
    case escape = "has a % without two hexadecimal digits after it"
    /// Escaped bytes that are not UTF-8.
    case encoding = "has escaped bytes that are not UTF-8"
    /// Neither a path, nor an http URL, nor `*`.
    case form = "is neither a path nor an http URL"
  }

  /// Splits and decodes a target.
  ///
  /// - Throws: `Malformed`; a request with such a target is answered 400.
  package init(_ bytes: some Sequence<UInt8>) throws(Malformed) {
    let bytes = Array(bytes)
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .character }
    let rest = try Self.withoutAuthority(bytes)
    let questionMark = rest.firstIndex(of: UInt8(ascii: "?"))
    let path = rest[..<(questionMark ?? rest.endIndex)]
    let query = questionMark.map { rest[($0 + 1)...] }
    self.path = path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
    segments = try Self.segments(of: path)
    queryItems = try Self.items(of: query ?? [])
  }

  private static func withoutAuthority(
    _ bytes: [UInt8]
  ) throws(Malformed) -> ArraySlice<UInt8> {
    if bytes.first == UInt8(ascii: "/") || bytes == [UInt8(ascii: "*")] { return bytes[...] }
    for scheme in ["http://", "https://"] where bytes.count > scheme.utf8.count {
      let head = bytes[..<scheme.utf8.count]
      guard head.elementsEqual(scheme.utf8, by: { $0.asciiLowercased == $1 }) else { continue }
      return bytes[scheme.utf8.count...].drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    }
    throw .form
  }

  private static func segments(of path: ArraySlice<UInt8>) throws(Malformed) -> [String] {
    if path.first == UInt8(ascii: "*") { return [] }
    var segments: [String] = []
    let parts = path.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for part in parts { segments.append(try percentDecoded(part)) }
    return segments
  }

  private static func items(of query: ArraySlice<UInt8>) throws(Malformed) -> [QueryItem] {
    var items: [QueryItem] = []
    for part in query.split(separator: UInt8(ascii: "&")) {
      let plain = part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }[...]
      let equals = plain.firstIndex(of: UInt8(ascii: "="))
      items.append(
        QueryItem(
          name: try percentDecoded(plain[..<(equals ?? plain.endIndex)]),
          value: try percentDecoded(equals.map { plain[($0 + 1)...] } ?? [])))
    }
    return items
  }
}

/// The text that percent-encoded bytes stand for (RFC 3986 section 2.1).
///
/// - Throws: `RequestTarget.Malformed` for a `%` without two digits, for an escaped NUL, and for
///   bytes that are not UTF-8.
private func percentDecoded(_ bytes: ArraySlice<UInt8>) throws(RequestTarget.Malformed) -> String {
  var decoded: [UInt8] = []
  decoded.reserveCapacity(bytes.count)
  var index = bytes.startIndex
  while index < bytes.endIndex {
    guard bytes[index] == UInt8(ascii: "%") else {
      decoded.append(bytes[index])
      index += 1
      continue
    }
    guard bytes.endIndex - index > 2, let high = hexadecimalDigit(bytes[index + 1]),
      let low = hexadecimalDigit(bytes[index + 2])
    else { throw .escape }
    if high == 0 && low == 0 { throw .character }
    decoded.append(high << 4 | low)
    index += 3
  }
  guard let text = String(validating: decoded, as: UTF8.self) else { throw .encoding }
  return text
}

private func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
  Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
}
