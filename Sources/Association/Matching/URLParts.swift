/// Where the components of an http or https URL stand in its bytes, as they are written.
///
/// RFC 3986, section 3 and appendix B: the path ends at the first `?` or `#`, the query at the first
/// `#`. Nothing is decoded, folded or normalised.
struct URLParts {
  /// The host without user information, port and the dot of a fully qualified name; not empty.
  let host: Range<Int>
  /// The path; empty if the URL ends after the authority.
  let path: Range<Int>
  /// What stands after the `?`; empty if there is none.
  let query: Range<Int>
  /// What stands after the `#`; empty if there is none.
  let fragment: Range<Int>

  /// The components; `nil` for what is not a URL with the scheme http or https and a host.
  init?(_ url: Span<UInt8>) {
    guard let authority = Self.startOfAuthority(url) else { return nil }
    let end = url.count
    let path = Self.index(in: url, authority..<end) {
      $0 == Self.slash || $0 == Self.questionMark || $0 == Self.hash
    }
    host = Self.host(in: url, authority..<path)
    if host.isEmpty { return nil }
    let endOfPath = Self.index(in: url, path..<end) {
      $0 == Self.questionMark || $0 == Self.hash
    }
    self.path = path..<endOfPath
    let hasQuery = endOfPath < end && url[endOfPath] == Self.questionMark
    let query = hasQuery ? endOfPath + 1 : endOfPath
    let endOfQuery = hasQuery ? Self.index(in: url, query..<end) { $0 == Self.hash } : query
    self.query = query..<endOfQuery
    fragment = min(endOfQuery + 1, end)..<end
  }

  /// Whether the host is this domain, whatever the case of either.
  func isHost(of domain: String, in url: Span<UInt8>) -> Bool {
    let domain = domain.utf8
    let count = domain.last == Self.dot ? domain.count - 1 : domain.count
    guard count == host.count else { return false }
    return zip(host, domain).allSatisfy { url[$0].asciiLowercased == $1.asciiLowercased }
  }

  private static let slash = UInt8(ascii: "/")
  private static let questionMark = UInt8(ascii: "?")
  private static let hash = UInt8(ascii: "#")
  private static let colon = UInt8(ascii: ":")
  private static let dot = UInt8(ascii: ".")

  /// Where the first byte is that ends a component, or the end of the range.
  @inline(__always)
  private static func index(
    in url: Span<UInt8>, _ range: Range<Int>, where isEnd: (UInt8) -> Bool
  ) -> Int {
    var index = range.lowerBound
    while index < range.upperBound, !isEnd(url[index]) { index += 1 }
    return index
  }

  /// What follows `http://` or `https://`.
  private static func startOfAuthority(_ url: Span<UInt8>) -> Int? {
    guard url.count > 7, url[0].asciiLowercased == UInt8(ascii: "h"),
      url[1].asciiLowercased == UInt8(ascii: "t"), url[2].asciiLowercased == UInt8(ascii: "t"),
      url[3].asciiLowercased == UInt8(ascii: "p")
    else { return nil }
    let colon = url[4].asciiLowercased == UInt8(ascii: "s") ? 5 : 4
    guard url[colon] == Self.colon, url[colon + 1] == slash, url[colon + 2] == slash else {
      return nil
    }
    return colon + 3
  }

  /// The host in an authority: `[user@]host[:port]`, where a colon inside brackets is an address's.
  private static func host(in url: Span<UInt8>, _ authority: Range<Int>) -> Range<Int> {
    var start = authority.lowerBound
    var end = authority.upperBound
    var isBracketed = false
    for index in authority {
      switch url[index] {
      case UInt8(ascii: "@"):
        (start, end, isBracketed) = (index + 1, authority.upperBound, false)
      case UInt8(ascii: "["): isBracketed = true
      case UInt8(ascii: "]"): isBracketed = false
      case colon where !isBracketed && end == authority.upperBound: end = index
      default: break
      }
    }
    if end > start, url[end - 1] == dot { end -= 1 }
    return start..<end
  }
}

extension UInt8 {
  /// The small letter for an ASCII capital letter, and every other byte itself.
  @inline(__always)
  var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  /// Whether the byte goes on with a character of UTF-8 that an earlier byte began.
  @inline(__always)
  var isUTF8Continuation: Bool { self & 0xC0 == 0x80 }
}
