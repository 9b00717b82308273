import Association
import Foundation

/// What the other two ways get: the URL's components, split before the clock runs, and for each route
/// the parts of its conditions.
struct SplitURL {
  let path: String
  let query: String
  let items: [(name: String, value: String)]
  let fragment: String

  init(_ url: String) {
    let rest = url.dropFirst("https://example.com".count)
    let parts = rest.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let target = (parts.first ?? "").split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path = target.first ?? ""
    while path.count > 1, path.last == "/" { path.removeLast() }
    self.path = path.isEmpty ? "/" : String(path)
    query = target.count > 1 ? String(target[1]) : ""
    fragment = parts.count > 1 ? String(parts[1]) : ""
    items = query.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
  }
}

/// A route whose patterns are compiled by another engine.
struct TranslatedRoute<Compiled> {
  let isExclusion: Bool
  let path: Compiled?
  let query: Compiled?
  let items: [(name: String, pattern: Compiled)]
  let fragment: Compiled?

  init(_ route: AppLinks.Route, _ compile: (_ tokens: [Pattern.Token], _ isPath: Bool) -> Compiled)
  {
    isExclusion = route.isExclusion
    path = route.path.map { compile($0.pathTokens, true) }
    fragment = route.fragment.map { compile($0.tokens, false) }
    switch route.query {
    case .any, .ignored: (query, items) = (nil, [])
    case .whole(let pattern): (query, items) = (compile(pattern.tokens, false), [])
    case .items(let items):
      query = nil
      self.items = items.map { ($0.name, compile($0.pattern.tokens, false)) }
    }
  }

  func matches(_ url: SplitURL, _ covers: (Compiled, String) -> Bool) -> Bool {
    if let path, !covers(path, url.path) { return false }
    if let fragment, !covers(fragment, url.fragment) { return false }
    if let query, !covers(query, url.query) { return false }
    return items.allSatisfy { name, pattern in
      let values = url.items.filter { $0.name == name }.map(\.value)
      return (values.isEmpty ? [""] : values).allSatisfy { covers(pattern, $0) }
    }
  }
}

/// Resolves as the format says, with another engine for the patterns.
struct TranslatedDocument<Compiled> {
  let routes: [TranslatedRoute<Compiled>]
  let covers: (Compiled, String) -> Bool

  func resolve(_ url: SplitURL) -> Resolution {
    for route in routes where route.matches(url, covers) {
      return route.isExclusion ? .blocked : .match
    }
    return .noMatch
  }

  /// How many of the URLs match.
  func matches(among urls: [SplitURL]) -> Int { urls.count { resolve($0) == .match } }
}

extension TranslatedDocument where Compiled == NSRegularExpression? {
  /// Each pattern as an anchored regular expression of Foundation.
  init(regularExpressions links: AppLinks) {
    routes = links.entries.flatMap(\.routes).map { TranslatedRoute($0, Self.expression) }
    covers = { expression, text in
      let range = NSRange(location: 0, length: text.utf16.count)
      return expression?.firstMatch(in: text, options: .anchored, range: range) != nil
    }
  }

  static func expression(_ tokens: [Pattern.Token], isPath: Bool) -> NSRegularExpression? {
    var text = tokens.map(expressionText).joined()
    if isPath {
      while text.count > 1, text.hasSuffix("/") { text.removeLast() }
      if text.hasSuffix("/.*") { text = text.dropLast(3) + "(?:/.*)?" }
    }
    do {
      return try NSRegularExpression(
        pattern: "^(?:\(text))$", options: .dotMatchesLineSeparators)
    } catch {
      print("not a regular expression: \(text)")
      return nil
    }
  }

  private static func expressionText(_ token: Pattern.Token) -> String {
    switch token {
    case .literal(let text):
      NSRegularExpression.escapedPattern(for: text.map(String.init).joined())
        .replacing("\\/", with: "/")
    case .one(.any): "."
    case .anyRun: ".*"
    // Only in Android's files.
    case .runUntil: ""
    case .one(.alpha): "[A-Za-z]"
    case .one(.upper): "[A-Z]"
    case .one(.lower): "[a-z]"
    case .one(.alnum): "[A-Za-z0-9]"
    case .one(.digit): "[0-9]"
    case .one(.xdigit): "[0-9A-Fa-f]"
    case .values(let variable):
      "(?:" + variable.values.map { $0.map(expressionText).joined() }.joined(separator: "|") + ")"
    case .nothing: "(?!)"
    }
  }
}

/// The patterns of `fnmatch`: a second one for the parent of a path pattern that ends in `/*`.
struct FilePattern {
  let pattern: [CChar]
  let parent: [CChar]?
  let flags: Int32
}

extension TranslatedDocument where Compiled == FilePattern {
  /// Each pattern as one of the C library's `fnmatch`, in the C locale.
  init(filePatterns links: AppLinks) {
    routes = links.entries.flatMap(\.routes).map { TranslatedRoute($0, Self.pattern) }
    covers = { pattern, text in
      if fnmatch(pattern.pattern, text, pattern.flags) == 0 { return true }
      return pattern.parent.map { fnmatch($0, text, pattern.flags) == 0 } ?? false
    }
  }

  static func pattern(_ tokens: [Pattern.Token], isPath: Bool) -> FilePattern {
    var text = tokens.map(patternText).joined()
    var parent: String?
    if isPath {
      while text.count > 1, text.hasSuffix("/") { text.removeLast() }
      if text.hasSuffix("/*") { parent = text.count > 2 ? String(text.dropLast(2)) : "/" }
    }
    // FNM_EXTMATCH of glibc, only where alternatives need it.
    let hasValues = tokens.contains { if case .values = $0 { true } else { false } }
    return FilePattern(
      pattern: Array(text.utf8CString), parent: parent.map { Array($0.utf8CString) },
      flags: hasValues ? 1 << 5 : 0)
  }

  private static func patternText(_ token: Pattern.Token) -> String {
    switch token {
    case .literal(let text):
      text.map { "[\\".unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined()
    case .one(.any): "?"
    case .anyRun: "*"
    // Only in Android's files.
    case .runUntil: ""
    case .one(let characterClass): "[[:\(characterClass.rawValue):]]"
    case .values(let variable):
      "@(" + variable.values.map { $0.map(patternText).joined() }.joined(separator: "|") + ")"
    case .nothing: "[!\u{1}-\u{FF}]"
    }
  }
}
