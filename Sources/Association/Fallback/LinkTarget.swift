/// Where people without an app are sent: an https URL in which `{path}` and `{query}` stand for those of the request.
///
/// Scheme, host and port are fixed when it is read. What a request has is added behind them, with every byte that a URL
/// must not have there percent-encoded, so no request can lead to another host.
package struct LinkTarget: Sendable, Hashable, CustomStringConvertible, Parsable {
  enum Piece: Sendable, Hashable {
    /// A part that every request gets.
    case literal(String)
    /// The path, which begins with a slash.
    case path
    /// The path in a query, as a value there.
    case pathAsValue
    /// The query behind this character, or nothing.
    case query(separator: String)
  }

  /// As it is written.
  package let text: String
  /// `https://` with the host, and the port if it is not the usual one.
  let origin: String
  /// The first one is a literal with a slash at its start, or the path.
  let pieces: [Piece]

  /// The longest target, in bytes.
  package static let longest = 2048

  /// - Throws: `ValidationError` for anything but an https URL with only these placeholders.
  package init(_ text: String) throws(ValidationError) {
    if text.utf8.count > Self.longest {
      throw .malformed(text, "has \(text.utf8.count) bytes; the limit is \(Self.longest)")
    }
    if text.hasControlCharacter {
      throw .malformed(text, "has a control character")
    }
    if let scalar = text.unicodeScalars.first(where: { $0 == " " || !$0.isASCII }) {
      throw .malformed(
        text, "has \(String(scalar).quoted)",
        "Percent-encode it, or write the host with its A-labels (xn--…).")
    }
    let scheme = "https://"
    guard text.utf8.starts(with: scheme.utf8) else {
      throw ValidationError(
        .insecureTarget,
        "\(text.quoted) does not begin with https://. Write an https URL; stores have one for each app, such as "
          + "https://apps.apple.com/app/id123456789.")
    }
    let bytes = Array(text.utf8)
    let authority = bytes[scheme.utf8.count...].prefix { !"/?#{".utf8.contains($0) }
    self.text = text
    origin = try Self.origin(authority, text)
    var reader = TargetReader(text)
    try reader.read(bytes[authority.endIndex...])
    pieces = reader.pieces
  }

  private static func origin(
    _ authority: ArraySlice<UInt8>, _ text: String
  ) throws(ValidationError) -> String {
    let parts = authority.split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    let host = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    guard let name = DomainName(usable: host), name.text.utf8.contains(UInt8(ascii: ".")),
      host.utf8.last != UInt8(ascii: ".")
    else {
      throw .malformed(
        text, "has no host that is a domain name",
        "Write the host itself, such as https://www.example.com{path}{query}.")
    }
    if parts.count == 1 { return "https://\(name)" }
    guard parts[1].count <= 5, parts[1].allSatisfy(\.isASCIIDigit),
      let port = UInt16(String(decoding: parts[1], as: UTF8.self)), port > 0
    else { throw .malformed(text, "has a port that is none") }
    return port == 443 ? "https://\(name)" : "https://\(name):\(port)"
  }

  /// The target that stands for none while one is read.
  init(stored text: String) { (self.text, origin, pieces) = (text, "", []) }

  package var description: String { text }

  /// Whether it depends on the request.
  package var hasPlaceholder: Bool {
    pieces.contains { if case .literal = $0 { false } else { true } }
  }

  /// Whether only the host differs from the link.
  var keepsLink: Bool {
    pieces.allSatisfy { piece in
      switch piece {
      case .path, .query: true
      case .literal, .pathAsValue: false
      }
    }
  }

  /// The host, with the port if it is not the usual one.
  package var host: Substring { origin.dropFirst("https://".count) }
}

/// Reads what is behind the host of a target.
private struct TargetReader {
  private enum Component { case path, query, fragment }

  private(set) var pieces: [LinkTarget.Piece] = []
  private let text: String
  private var literal: [UInt8] = []
  private var component = Component.path
  private var hasQuery = false

  init(_ text: String) { self.text = text }

  mutating func read(_ bytes: ArraySlice<UInt8>) throws(ValidationError) {
    var rest = bytes
    while let byte = rest.first {
      if byte == UInt8(ascii: "{") {
        let name = rest.dropFirst().prefix { $0 != UInt8(ascii: "}") }
        try add(placeholder: String(decoding: name, as: UTF8.self))
        rest = rest[min(name.endIndex + 1, rest.endIndex)...]
        continue
      }
      try enter(byte)
      if hasQuery, component != .fragment {
        throw .malformed(text, "has something behind {query}", "Only a fragment can follow it.")
      }
      if !URLBytes.isAllowed(byte, at: rest.startIndex, in: rest) {
        throw .malformed(
          text, "has \(String(decoding: [byte], as: UTF8.self).quoted) where a URL cannot have it",
          "Percent-encode it.")
      }
      if literal.isEmpty && pieces.isEmpty && byte != UInt8(ascii: "/") {
        literal.append(UInt8(ascii: "/"))
      }
      literal.append(byte)
      rest.removeFirst()
    }
    if pieces.isEmpty && literal.isEmpty { literal.append(UInt8(ascii: "/")) }
    endLiteral()
  }

  /// Notes the component that a byte begins.
  private mutating func enter(_ byte: UInt8) throws(ValidationError) {
    switch (byte, component) {
    case (UInt8(ascii: "?"), .path): component = .query
    case (UInt8(ascii: "#"), .fragment): throw .malformed(text, "has \"#\" twice")
    case (UInt8(ascii: "#"), _): component = .fragment
    default: break
    }
  }

  private mutating func add(placeholder name: String) throws(ValidationError) {
    let last = literal.last
    switch (name, component) {
    case ("path", _) where last == UInt8(ascii: "/") && component == .path:
      throw .malformed(
        text, "has a slash before {path}, which begins with one", "Leave the slash out.")
    case ("path", _) where hasQuery && component == .path:
      throw .malformed(text, "has {path} behind {query}", "Write {path}{query}.")
    case ("path", .query): add(.pathAsValue)
    case ("path", _): add(.path)
    case ("query", _) where hasQuery: throw .malformed(text, "has {query} twice")
    case ("query", _):
      if pieces.isEmpty && literal.isEmpty { literal.append(UInt8(ascii: "/")) }
      let isBare = last.map { "?&".utf8.contains($0) } ?? false
      add(.query(separator: component != .query ? "?" : isBare ? "" : "&"))
      hasQuery = true
    default:
      throw ValidationError(
        .unknownPlaceholder,
        "\(text.quoted) has \("{\(name)}".quoted). Only {path} and {query} can be there, and the host is always "
          + "the one that you write.")
    }
  }

  private mutating func add(_ piece: LinkTarget.Piece) {
    endLiteral()
    pieces.append(piece)
  }

  private mutating func endLiteral() {
    if literal.isEmpty { return }
    pieces.append(.literal(String(decoding: literal, as: UTF8.self)))
    literal = []
  }
}

extension ValidationError {
  fileprivate static func malformed(
    _ text: String, _ what: String, _ help: String = "Correct the URL."
  ) -> ValidationError {
    ValidationError(.malformedTarget, "\(text.quoted) \(what). \(help)")
  }
}

// MARK: - The URL for a request

extension LinkTarget {
  /// The path and query of a request, unchanged.
  package struct Request {
    package let path: UnsafeRawBufferPointer
    package let query: UnsafeRawBufferPointer

    /// - Parameters:
    ///   - path: Empty or with a slash at its start.
    ///   - query: Without its question mark; empty if there is none.
    package init(path: UnsafeRawBufferPointer, query: UnsafeRawBufferPointer) {
      (self.path, self.query) = (path, query)
    }
  }

  /// The URL for a request, in ASCII.
  package func url(for request: Request) -> [UInt8] {
    var url: [UInt8] = []
    url.reserveCapacity(text.utf8.count + request.path.count + request.query.count + 16)
    url += origin.utf8
    for piece in pieces {
      switch piece {
      case .literal(let text): url += text.utf8
      case .path: URLBytes.append(path: request.path, to: &url)
      case .pathAsValue: URLBytes.append(value: request.path, to: &url)
      case .query(let separator):
        if request.query.isEmpty { continue }
        url += separator.utf8
        URLBytes.append(query: request.query, to: &url)
      }
    }
    return url
  }
}

/// What the components of a URL may have (RFC 3986 section 3).
package enum URLBytes {
  /// Whether a byte may stand in a path, query or fragment. A percent sign needs two digits behind it.
  static func isAllowed(_ byte: UInt8, at index: Int, in bytes: ArraySlice<UInt8>) -> Bool {
    if byte == UInt8(ascii: "%") {
      return bytes.endIndex - index > 2 && isHexadecimal(bytes[index + 1])
        && isHexadecimal(bytes[index + 2])
    }
    return isPathByte(byte) || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Adds a path, with a slash at its start.
  package static func append(path: UnsafeRawBufferPointer, to url: inout [UInt8]) {
    if path.first != UInt8(ascii: "/") { url.append(UInt8(ascii: "/")) }
    append(path, to: &url, isPathByte)
  }

  /// Adds a query, without its question mark.
  package static func append(query: UnsafeRawBufferPointer, to url: inout [UInt8]) {
    append(query, to: &url) { isPathByte($0) || $0 == UInt8(ascii: "?") }
  }

  /// Adds a text as the value of a parameter of a query.
  static func append(value: UnsafeRawBufferPointer, to url: inout [UInt8]) {
    for byte in value {
      if isUnreserved(byte) || byte == UInt8(ascii: "/") {
        url.append(byte)
      } else {
        append(escaped: byte, to: &url)
      }
    }
  }

  private static func append(
    _ bytes: UnsafeRawBufferPointer, to url: inout [UInt8], _ isAllowed: (UInt8) -> Bool
  ) {
    for (index, byte) in bytes.enumerated() {
      let isEscape =
        byte == UInt8(ascii: "%") && bytes.count - index > 2 && isHexadecimal(bytes[index + 1])
        && isHexadecimal(bytes[index + 2])
      if isEscape || isAllowed(byte) {
        url.append(byte)
      } else {
        append(escaped: byte, to: &url)
      }
    }
  }

  private static func append(escaped byte: UInt8, to url: inout [UInt8]) {
    url.append(UInt8(ascii: "%"))
    url.append(digit(byte >> 4))
    url.append(digit(byte & 15))
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: byte.isASCIILetterOrDigit
    }
  }

  private static func isPathByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","),
      UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="),
      UInt8(ascii: "@"):
      true
    default: isUnreserved(byte)
    }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte.asciiLowercased)
  }
}
