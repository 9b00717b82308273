/// Signs of another syntax in the text of a pattern.
struct PatternSyntax {
  let text: String
  private let bytes: [UInt8]

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  /// Whether it is a whole URL.
  var isURL: Bool {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[colon...].starts(with: "://".utf8)
    else { return false }
    return bytes[..<colon].allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "*") }
  }

  /// The host that the text begins with, such as `example.com` or `*.example.com`.
  var host: String? {
    let first = text.drop { $0 == "/" }.prefix { $0 != "/" }
    let labels = first.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, let last = labels.last?.lowercased(),
      Self.topLevelDomains.contains(last)
    else { return nil }
    // Behind one slash, it may be the name of a file, a library or a package.
    let isBehindOneSlash = bytes.first == UInt8(ascii: "/") && !text.utf8.starts(with: "//".utf8)
    if isBehindOneSlash {
      let isReversed = labels.count > 2 && Self.topLevelDomains.contains(labels[0].lowercased())
      if isReversed || labels.count == 2 && !Self.rarelyEndingsOfFiles.contains(last) { return nil }
    }
    let isHost = labels.enumerated().allSatisfy { index, label in
      index == 0 && label == "*"
        || !label.isEmpty
          && label.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
    }
    return isHost ? String(first) : nil
  }

  /// Whether a path of `paths` is correct except for a missing slash at its start.
  var isBarePath: Bool {
    let beginsLikePath = bytes.first == UInt8(ascii: "/") || bytes.first == UInt8(ascii: "*")
    return !beginsLikePath && !isURL && host == nil && !beginsWithNot
  }

  /// Whether the text begins with the word "not" in some spelling, unlike a path such as `/nothing`.
  var beginsWithNot: Bool {
    let start = bytes.drop { $0 == UInt8(ascii: " ") }
    return start.count > 3 && start.prefix(3).map(\.asciiLowercased) == Array("not".utf8)
      && " /\t!".utf8.contains(start[start.startIndex + 3])
  }

  /// A query in the text, from its `?` to its `=`.
  var queryInPath: String? {
    for start in bytes.indices where bytes[start] == UInt8(ascii: "?") {
      let name = bytes[(start + 1)...].prefix {
        $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
      }
      let end = start + 1 + name.count
      if !name.isEmpty, end < bytes.count, bytes[end] == UInt8(ascii: "=") {
        return String(decoding: bytes[start...end], as: UTF8.self)
      }
    }
    return nil
  }

  /// Whether a query pattern begins with the delimiter of queries.
  var beginsWithQuery: Bool {
    queryInPath.map { text.utf8.starts(with: $0.utf8) } ?? false
  }

  /// A parameter in the syntax of web frameworks: `:id`, `{id}` or `<id>` after a slash.
  var routeParameter: String? {
    // Checking first is faster than splitting every text.
    let isPossible = bytes.contains { byte in
      byte == UInt8(ascii: ":") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "<")
    }
    guard isPossible else { return nil }
    for segment in text.split(separator: "/") {
      let inner = segment.dropFirst()
      let isBraced = [("{", "}"), ("<", ">")].contains {
        segment.hasPrefix($0) && segment.hasSuffix($1)
      }
      let isNamed = segment.first == ":" && !inner.isEmpty && inner.utf8.allSatisfy(\.isASCIIWord)
      if isNamed || isBraced && segment.count > 2 { return String(segment) }
    }
    return nil
  }

  /// A sign that a regular expression was meant.
  var regularExpression: String? {
    if bytes.first == UInt8(ascii: "^") { return "^" }
    if bytes.count > 1, bytes.last == UInt8(ascii: "$") { return "$" }
    // Nearly all patterns have none of these characters.
    guard bytes.contains(where: Self.isOfExpressions) else { return nil }
    if let sign = Self.signs.first(where: { bytes.contains(ascii: $0) && !isVariable($0) }) {
      return sign.description
    }
    return alternatives
  }

  private static let signs: [StaticString] = [
    "\\d", "\\w", "\\s", "\\.", "\\/", "\\b", "(.*)", "(.+)", "(?:", "(?=", "(?!", "(?<", "/.*",
    ".+", "[^", "[a-z", "[A-Z", "[0-9", "]+", "]*", ")?", ")+", ")*",
  ]

  /// Whether the byte may be part of a sign: every sign and alternative contains at least one such
  /// byte.
  private static func isOfExpressions(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\\"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["),
      UInt8(ascii: "]"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// Whether the sign is just the end of a variable, as in `$(lang)*`.
  private func isVariable(_ sign: StaticString) -> Bool {
    sign.withUTF8Buffer { $0.first == UInt8(ascii: ")") } && bytes.contains(ascii: "$(")
  }

  /// Alternatives in parentheses: `(a|b)`.
  private var alternatives: String? {
    guard let open = bytes.firstIndex(of: UInt8(ascii: "(")),
      let close = bytes[open...].firstIndex(of: UInt8(ascii: ")")),
      bytes[open..<close].contains(UInt8(ascii: "|"))
    else { return nil }
    return String(decoding: bytes[open...close], as: UTF8.self)
  }

  /// Endings that distinguish a host without a scheme from a file name.
  private static let topLevelDomains: Set<String> = [
    "com", "org", "net", "io", "app", "dev", "co", "me", "info", "biz", "edu", "gov", "eu", "uk",
    "de", "fr", "jp", "cn", "in", "br", "au", "ca", "es", "nl", "se", "ch", "ru", "us", "ai",
    "shop", "store", "link", "page", "example",
  ]
  /// Those of them that files and libraries rarely have.
  private static let rarelyEndingsOfFiles: Set<String> = [
    "com", "org", "edu", "gov", "eu", "uk", "de", "fr", "jp", "cn", "br", "au", "ca", "nl", "ch",
    "ru", "us",
    "example",
  ]
}

extension [UInt8] {
  /// Whether the text contains these characters, byte by byte.
  func contains(ascii part: StaticString) -> Bool {
    part.withUTF8Buffer { part in
      guard let first = part.first, part.count <= count else { return false }
      return (0...count - part.count).contains { start in
        self[start] == first && self[start..<start + part.count].elementsEqual(part)
      }
    }
  }
}

extension UInt8 {
  fileprivate var isASCIIWord: Bool { isASCIILetterOrDigit || self == UInt8(ascii: "_") }
}
