/// The positions of the components of an http or https URL in its bytes, as written.
///
/// RFC 3986, section 3 and appendix B: the path ends at the first `?` or `#`, the query at the first
/// `#`. Nothing is decoded, folded or normalized.
struct URLParts {
  /// The authority; its host is not empty.
  private let authority: Range<Int>
  /// The path; empty if the URL ends after the authority.
  let path: Range<Int>
  /// The part after the `?`; empty if there is none.
  let query: Range<Int>
  /// The part after the `#`; empty if there is none.
  let fragment: Range<Int>

  /// Finds the components; `nil` unless the text is an http or https URL with a host.
  @inline(__always)
  init?(_ url: Span<UInt8>) {
    guard let authority = Self.authorityStart(url) else { return nil }
    let end = url.count
    let path =
      (authority..<end).first {
        url[$0] == Self.slash || url[$0] == Self.questionMark || url[$0] == Self.hash
      } ?? end
    if Self.host(in: url, authority..<path).isEmpty { return nil }
    self.authority = authority..<path
    let pathEnd =
      (path..<end).first { url[$0] == Self.questionMark || url[$0] == Self.hash } ?? end
    self.path = path..<pathEnd
    let hasQuery = pathEnd < end && url[pathEnd] == Self.questionMark
    let query = hasQuery ? pathEnd + 1 : pathEnd
    let queryEnd =
      hasQuery ? (query..<end).first { url[$0] == Self.hash } ?? end : query
    self.query = query..<queryEnd
    fragment = min(queryEnd + 1, end)..<end
  }

  /// The position of the host, without user information, port and trailing dot.
  func host(in url: Span<UInt8>) -> Range<Int> { Self.host(in: url, authority) }

  /// Whether the host is this domain, ignoring case; true without a domain.
  func isHost(of domain: String?, in url: Span<UInt8>) -> Bool {
    domain.map { isHost(of: $0, in: url) } ?? true
  }

  /// Whether the host is this domain, ignoring case. A host with U-labels is the same one as with A-labels.
  func isHost(of domain: String, in url: Span<UInt8>) -> Bool {
    let host = host(in: url)
    let name = domain.utf8
    let count = name.last == Self.dot ? name.count - 1 : name.count
    if count == host.count
      && zip(host, name).allSatisfy({ url[$0].asciiLowercased == $1.asciiLowercased })
    {
      return true
    }
    guard host.contains(where: { url[$0] >= 0x80 }) else { return false }
    let text = String(decoding: host.map { url[$0] }, as: UTF8.self)
    return DomainName(usable: text)?.text == domain.lowercased()
  }

  private static let slash = UInt8(ascii: "/")
  private static let questionMark = UInt8(ascii: "?")
  private static let hash = UInt8(ascii: "#")
  private static let colon = UInt8(ascii: ":")
  private static let bracket = UInt8(ascii: "[")
  private static let at = UInt8(ascii: "@")
  private static let dot = UInt8(ascii: ".")

  /// The part after `http://` or `https://`.
  @inline(__always)
  private static func authorityStart(_ url: Span<UInt8>) -> Int? {
    guard url.count >= 8 else { return nil }
    let colon = url[4] == Self.colon ? 4 : 5
    guard zip("https".utf8, 0..<colon).allSatisfy({ url[$1].asciiLowercased == $0 }),
      url[colon] == Self.colon, url[colon + 1] == slash, url[colon + 2] == slash
    else { return nil }
    return colon + 3
  }

  /// The host in an authority, `[user@]host[:port]`. A colon in brackets is part of an IPv6
  /// address.
  private static func host(in url: Span<UInt8>, _ authority: Range<Int>) -> Range<Int> {
    var start = authority.lowerBound
    var end = authority.upperBound
    var isBracketed = false
    for index in authority {
      switch url[index] {
      case at:
        (start, end, isBracketed) = (index + 1, authority.upperBound, false)
      case bracket: isBracketed = true
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
  /// The byte in lower case if it is an ASCII capital letter, otherwise the byte itself.
  @inline(__always)
  var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  /// Whether the byte is a UTF-8 continuation byte.
  @inline(__always)
  var isUTF8Continuation: Bool { self & 0xC0 == 0x80 }
}
