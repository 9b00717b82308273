/// A URL as Android compares it with dynamic rules: cut into parts, each of which is then
/// percent-decoded once, in UTF-16 (AOSP's Uri, UriCodec and UriRelativeFilter).
struct DynamicURL {
  /// The path; empty if the URL ends behind the authority.
  private(set) var path: [UInt16]
  /// The whole query; `nil` without a `?`.
  let query: [UInt16]?
  private(set) var parameters: [[UInt16]]
  /// The fragment; `nil` without a `#`.
  private(set) var fragment: [UInt16]?
  /// Whether a part of the URL has an escape that cannot be decoded.
  let hasBrokenEscape: Bool
  /// Whether a delimiter of parameters is written as an escape.
  let hasEscapedDelimiter: Bool
  /// Whether there is more in front of the path than scheme and host.
  let hasPortOrUser: Bool

  init(_ url: Span<UInt8>, _ parts: URLParts) {
    let scheme = url[4] == UInt8(ascii: ":") ? 7 : 8
    // A backslash ends the host for Android, too.
    let end = (scheme..<parts.path.lowerBound).first { url[$0] == UInt8(ascii: "\\") }
    let path = (end ?? parts.path.lowerBound)..<parts.path.upperBound
    let hasQuery =
      path.upperBound < url.count && url[path.upperBound] == UInt8(ascii: "?")
    let hasFragment = parts.query.upperBound < url.count
    var isBroken = false
    self.path = Self.decoded(url, path, &isBroken)
    query = hasQuery ? Self.decoded(url, parts.query, &isBroken) : nil
    fragment = hasFragment ? Self.decoded(url, parts.fragment, &isBroken) : nil
    parameters = query.map(Self.parameters) ?? []
    hasBrokenEscape = isBroken
    let written = parts.query.map { url[$0] }
    hasEscapedDelimiter = ["%26", "%3B", "%3b"].contains { written.contains(Array($0.utf8)) }
    hasPortOrUser = (scheme..<path.lowerBound).contains {
      url[$0] == UInt8(ascii: ":") || url[$0] == UInt8(ascii: "@")
    }
  }

  /// The URL with what rules compare in lower case.
  var ignoringCase: DynamicURL {
    let lower = { (text: [UInt16]) in
      Array(String(decoding: text, as: UTF16.self).lowercased().utf16)
    }
    var url = self
    url.path = lower(path)
    url.parameters = parameters.map(lower)
    url.fragment = fragment.map(lower)
    return url
  }

  // MARK: - Parameters

  /// Cuts a query at `&`; if that gives one piece, at `;`.
  private static func parameters(_ query: [UInt16]) -> [[UInt16]] {
    let pieces = pieces(of: query, at: UInt16(UInt8(ascii: "&")))
    return pieces.count == 1 ? Self.pieces(of: query, at: UInt16(UInt8(ascii: ";"))) : pieces
  }

  /// The pieces of a text, without empty ones at the end; the text itself without a separator.
  private static func pieces(of text: [UInt16], at separator: UInt16) -> [[UInt16]] {
    guard text.contains(separator) else { return [text] }
    var pieces = text.split(separator: separator, omittingEmptySubsequences: false).map(Array.init)
    while pieces.last?.isEmpty == true { pieces.removeLast() }
    return pieces
  }

  // MARK: - Decoding

  private static let replacement: UInt16 = 0xFFFD

  /// Decodes escapes once. Invalid UTF-8 becomes U+FFFD. A digit that is none becomes U+FFFD and is gone,
  /// and the octet before or after it is what the other digit says.
  private static func decoded(
    _ text: Span<UInt8>, _ range: Range<Int>, _ isBroken: inout Bool
  ) -> [UInt16] {
    var result: [UInt16] = []
    result.reserveCapacity(range.count)
    /// The octets of consecutive escapes, or of consecutive other characters.
    var octets: [UInt8] = []
    var areEscaped = false
    func flush() {
      if octets.isEmpty { return }
      let text = String(decoding: octets, as: UTF8.self)
      isBroken = isBroken || text.utf16.contains(replacement)
      result += text.utf16
      octets.removeAll(keepingCapacity: true)
    }
    var index = range.lowerBound
    while index < range.upperBound {
      let isEscape = text[index] == UInt8(ascii: "%")
      if isEscape != areEscaped { flush() }
      areEscaped = isEscape
      guard isEscape else {
        octets.append(text[index])
        index += 1
        continue
      }
      index += 1
      var octet: UInt8 = 0
      for _ in 0..<2 {
        guard index < range.upperBound else {
          flush()
          isBroken = true
          return result + [replacement]
        }
        let digit = ComparedText.hexadecimal(text[index])
        index += 1
        guard let digit else {
          flush()
          isBroken = true
          result.append(replacement)
          // The rest of a character of several octets is not read as characters of its own.
          while index < range.upperBound, text[index].isUTF8Continuation { index += 1 }
          break
        }
        octet = octet << 4 | digit
      }
      octets.append(octet)
    }
    flush()
    return result
  }
}
