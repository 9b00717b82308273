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
    return Self.isScheme(Substring(decoding: bytes[..<colon], as: UTF8.self))
  }

  /// A host that a text begins with.
  struct Host {
    /// The host as it is written, such as `example.com`, `*.example.com` or `$(lang).example.com`.
    let text: String
    /// The path that follows it, from its slash.
    let path: String
    /// Whether it can hardly be anything else, such as the name of a file (`/about.us`) or of another site.
    let isCertain: Bool
  }

  /// The host that the text begins with, also behind slashes and a scheme.
  ///
  /// - Parameter names: The registrable names that the file is published for; empty if they are not known.
  func host(of names: Set<String> = []) -> Host? {
    // Nearly all patterns have no dot.
    guard bytes.contains(UInt8(ascii: ".")) else { return nil }
    let slashes = bytes.prefix { $0 == UInt8(ascii: "/") }.count
    var rest = text.dropFirst(slashes)
    let afterScheme = Self.afterScheme(rest)
    let hasScheme = afterScheme != nil
    rest = afterScheme ?? rest
    let authority = rest.prefix { $0 != "/" }
    let colon = authority.lastIndex(of: ":") ?? authority.endIndex
    let hasPort =
      colon < authority.endIndex
      && authority[colon...].dropFirst().utf8.allSatisfy {
        $0.isASCIIDigit || $0 == UInt8(ascii: "*")
      }
    var name = hasPort ? authority[..<colon] : authority
    while name.last == "*" { name.removeLast() }
    guard let labels = Self.labels(of: name), let last = labels.named.last else { return nil }
    let end = rest[authority.endIndex...]
    let path = end.isEmpty ? (authority.last == "*" ? "/*" : "/") : String(end)
    let host = { Host(text: String(name), path: path, isCertain: $0) }
    if !names.isEmpty, let own = RegistrableName(ofHost: labels.named.joined(separator: ".")),
      names.contains(own.text)
    {
      return host(true)
    }
    guard Self.topLevelDomains.contains(last) else { return nil }
    let isGlued = name.first == "*" && !name.hasPrefix("*.")
    if hasScheme || hasPort || slashes != 1 && !isGlued { return host(true) }
    // Behind one slash, it may be the name of a file, a library or a package.
    let isGeneric = Self.hostEndings.contains(last)
    let isReversed =
      labels.count > 2 && labels.named.count == labels.count && !isGeneric
      && Self.topLevelDomains.contains(labels.named[0])
    if isReversed || labels.count == 2 && !Self.rareFileEndings.contains(last) { return nil }
    // A file with known names may have pages about other sites, such as `/github.com/*`.
    return host(names.isEmpty && (isGeneric || labels.count > 2))
  }

  /// The labels of a host behind those with a wildcard or a variable, in lower case, and the number of all; `nil`
  /// if a text is no host.
  private static func labels(of name: Substring) -> (named: [String], count: Int)? {
    let all = name.split(separator: ".", omittingEmptySubsequences: false)
    var named = all[...]
    while let first = named.first, first.contains(where: { "*?$()".contains($0) }) {
      let rest = first.drop { $0 == "*" }
      // A star may stand right before a label.
      if !rest.isEmpty, isLabel(rest) {
        named[named.startIndex] = rest
        break
      }
      named.removeFirst()
    }
    guard named.count >= 2, named.allSatisfy(isLabel) else { return nil }
    return (named.map { $0.lowercased() }, all.count)
  }

  private static func isLabel(_ label: Substring) -> Bool {
    !label.isEmpty
      && label.unicodeScalars.allSatisfy { scalar in
        scalar == "-"
          || (scalar.isASCII
            ? UInt8(scalar.value).isASCIILetterOrDigit : scalar.properties.isAlphabetic)
      }
  }

  private static func isScheme(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "*") }
  }

  /// What follows a scheme such as `https://` and `*://`, or one that is written as `https:/` or `http*//`; `nil` without
  /// one.
  private static func afterScheme(_ text: Substring) -> Substring? {
    if let end = text.firstRange(of: "://"), isScheme(text[..<end.lowerBound]) {
      return text[end.upperBound...]
    }
    let name = ["https", "http"].first { text.prefix($0.count).lowercased() == $0 }
    guard let name else { return nil }
    let sign = text.dropFirst(name.count).prefix { ":*?".contains($0) }
    let rest = text[sign.endIndex...]
    return sign.isEmpty || rest.first != "/" ? nil : rest.drop { $0 == "/" }
  }

  /// The path of a text that is a URL.
  var urlPath: String {
    let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
    let path = rest.drop { $0 != "/" }
    let end = queryInPath.flatMap { path.firstRange(of: $0)?.lowerBound } ?? path.endIndex
    return path.isEmpty ? "/" : String(path[..<end].prefix { $0 != "#" })
  }

  /// Whether a path of `paths` is correct except for a missing slash at its start.
  var isBarePath: Bool {
    let beginsLikePath = bytes.first == UInt8(ascii: "/") || bytes.first == UInt8(ascii: "*")
    return !beginsLikePath && !isURL && host() == nil && !beginsWithNot
  }

  /// Whether the text begins with the word "not" in some spelling, unlike paths such as `/nothing` and `not/found`.
  var beginsWithNot: Bool {
    let start = bytes.drop { $0 == UInt8(ascii: " ") }
    return start.count > 3 && start.prefix(3).map(\.asciiLowercased) == Array("not".utf8)
      && " \t!".utf8.contains(start[start.startIndex + 3]) || start.starts(with: "NOT/".utf8)
  }

  /// Whether the text begins with `!` and a path, as exclusions do in other files.
  var beginsWithBang: Bool {
    let next = bytes.dropFirst().first { $0 != UInt8(ascii: " ") }
    return bytes.first == UInt8(ascii: "!") && next.map { "/*".utf8.contains($0) } == true
  }

  /// Whether the text has no slash at its start because something is before it that another finding is about.
  var isBareForAnotherReason: Bool {
    switch bytes.first {
    case UInt8(ascii: "^"), UInt8(ascii: "\\"), UInt8(ascii: "#"): true
    case UInt8(ascii: " "), UInt8(ascii: "\t"):
      bytes.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        .map { "/*".utf8.contains($0) } == true
    default: false
    }
  }

  /// The paths that were written as one text, with spaces or `|` between them; `nil` if it is one path.
  var severalPaths: [String]? {
    guard bytes.contains(UInt8(ascii: " ")) || bytes.contains(UInt8(ascii: "|")) else { return nil }
    let paths = text.split { $0 == "|" || $0 == " " }.map { $0.last == "," ? $0.dropLast() : $0 }
    return paths.count > 1 && paths.allSatisfy { $0.hasPrefix("/") } ? paths.map(String.init) : nil
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

  /// A parameter in the syntax of web frameworks: `:id`, `{id}`, `<id>`, `[id]` or `[...id]` after a slash.
  var routeParameter: String? {
    // Checking first is faster than splitting every text.
    let isPossible = bytes.contains { byte in
      byte == UInt8(ascii: ":") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "<")
        || byte == UInt8(ascii: "[")
    }
    guard isPossible else { return nil }
    for segment in text.split(separator: "/") {
      let inner = segment.dropFirst()
      let isBraced = [("{", "}"), ("<", ">")].contains {
        segment.hasPrefix($0) && segment.hasSuffix($1)
      }
      let isNamed = segment.first == ":" && !inner.isEmpty && inner.utf8.allSatisfy(\.isASCIIWord)
      if isNamed || isBraced && segment.count > 2 || Self.isFileParameter(segment) {
        return String(segment)
      }
    }
    return nil
  }

  /// Whether it is `[id]`, `[...id]` or `[[...id]]`, as frameworks name files. A set such as `[a-z]` is none.
  private static func isFileParameter(_ segment: Substring) -> Bool {
    guard segment.hasPrefix("["), segment.hasSuffix("]") else { return false }
    var name = segment.dropFirst().dropLast()
    if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
    if name.hasPrefix("...") { name = name.dropFirst(3) }
    return name.first?.isLetter == true && name.utf8.allSatisfy(\.isASCIIWord)
  }

  /// A sign that a regular expression was meant.
  var regularExpression: String? {
    if bytes.first == UInt8(ascii: "^") { return "^" }
    if bytes.count > 1, bytes.last == UInt8(ascii: "$") { return "$" }
    // Nearly all patterns have none of these characters.
    guard bytes.contains(where: Self.isExpressionByte) else { return nil }
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
  private static func isExpressionByte(_ byte: UInt8) -> Bool {
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
  /// Those of them that only hosts have.
  private static let hostEndings: Set<String> = ["com", "org", "net", "edu", "gov", "example"]
  /// Those that files and libraries rarely have.
  private static let rareFileEndings: Set<String> = [
    "com", "org", "edu", "gov", "eu", "uk", "de", "fr", "jp", "cn", "br", "au", "ca", "nl", "ch",
    "ru", "us",
    "example",
  ]
}

extension [UInt8] {
  /// Whether the text contains these characters, byte by byte.
  func contains(ascii part: StaticString) -> Bool { part.withUTF8Buffer(contains) }

  /// Whether the text contains a word in quotation marks. The library's search for a collection takes much longer.
  func contains(quoted word: String) -> Bool {
    Array("\"\(word)\"".utf8).withUnsafeBufferPointer(contains)
  }

  private func contains(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = part.first, part.count <= count else { return false }
    return (0...count - part.count).contains { start in
      self[start] == first && self[start..<start + part.count].elementsEqual(part)
    }
  }
}

extension UInt8 {
  fileprivate var isASCIIWord: Bool { isASCIILetterOrDigit || self == UInt8(ascii: "_") }
}
