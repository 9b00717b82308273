@testable import Association

/// The rules of matching once more, as directly as they can be written: every variable is replaced
/// by each of its values, and every star tries every length. It shares with the matcher how a
/// document is read, and how text is decoded and folded.
struct SlowMatcher {
  private enum Element: Equatable {
    case scalar(Unicode.Scalar)
    case run
    case kind(CharacterClass)
  }

  /// All readings of a pattern, one for each combination of values, with one star for several in a row.
  private typealias Readings = [[Element]]

  private struct Route {
    let number: Int
    let apps: [String]
    let route: AppLinks.Route
    let path: Readings?
    let fragment: Readings?
    /// Of the whole query, or of each of its items.
    let queries: [Readings]

    init(_ number: Int, _ apps: [String], _ route: AppLinks.Route) {
      let folds = !route.isCaseSensitive
      self.number = number
      self.apps = apps
      self.route = route
      path = route.path.map { SlowMatcher.readings(of: $0, folds: folds) }
      fragment = route.fragment.map { SlowMatcher.readings(of: $0, folds: folds) }
      queries =
        switch route.query {
        case .any, .ignored: []
        case .whole(let pattern): [SlowMatcher.readings(of: pattern, folds: folds)]
        case .items(let items):
          items.map { SlowMatcher.readings(of: $0.pattern, folds: folds) }
        }
    }
  }

  private let routes: [Route]

  /// `nil` if the document's variables have too many combinations to try.
  init?(_ links: AppLinks) {
    let flat = links.entries.flatMap { entry in entry.routes.map { (entry.apps, $0) } }
    guard flat.flatMap(\.1.patterns).allSatisfy({ Self.combinations(of: $0) <= 300 }) else {
      return nil
    }
    routes = flat.enumerated().map { Route($0, $1.0, $1.1) }
  }

  private static func combinations(of pattern: Pattern) -> Int {
    pattern.tokens.reduce(1) { count, token in
      if case .values(let variable) = token {
        min(1000, count * variable.values.count)
      } else {
        count
      }
    }
  }

  /// - Parameters:
  ///   - url: An http or https URL with a host.
  ///   - app: `nil` for all entries.
  func resolve(_ url: String, app: String?) -> Matcher.Decision {
    let rest = url.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
    let parts = Parts(Array(rest.drop { !"/?#".utf8.contains($0) }))
    for candidate in routes {
      let route = candidate.route
      if candidate.apps.isEmpty { continue }
      if let app, !candidate.apps.contains(where: { $0.utf8.elementsEqual(app.utf8) }) { continue }
      guard Self.matches(candidate, parts) else { continue }
      return Matcher.Decision(
        resolution: route.isExclusion ? .blocked : .match, route: candidate.number)
    }
    return .noMatch
  }

  private struct Parts {
    let path: [UInt8]
    let query: [UInt8]
    let fragment: [UInt8]

    init(_ rest: [UInt8]) {
      let hash = rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.count
      fragment = Array(rest[hash...].dropFirst())
      let mark = rest[..<hash].firstIndex(of: UInt8(ascii: "?")) ?? hash
      query = Array(rest[mark..<hash].dropFirst())
      path = Array(rest[..<mark])
    }
  }

  private static func matches(_ candidate: Route, _ parts: Parts) -> Bool {
    let route = candidate.route
    let folds = !route.isCaseSensitive
    func text(_ bytes: [UInt8]) -> [Unicode.Scalar] {
      let decoded =
        route.isPercentEncoded ? bytes : ComparedText.decoded(bytes.span, bytes.indices)
      let compared = folds ? ComparedText.folded(decoded) : decoded
      return Array(String(decoding: compared, as: UTF8.self).unicodeScalars)
    }
    func covers(_ readings: Readings, _ bytes: [UInt8]) -> Bool {
      let text = text(bytes)
      return readings.contains { matches($0, text, folds: folds) }
    }
    if let path = candidate.path, !coversPath(path, text(parts.path), folds: folds) { return false }
    if let fragment = candidate.fragment, !covers(fragment, parts.fragment) { return false }
    switch route.query {
    case .any, .ignored: return true
    case .whole: return covers(candidate.queries[0], parts.query)
    case .items(let conditions):
      let items = parts.query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        .map { item in
          let name = item.prefix { $0 != UInt8(ascii: "=") }
          return (name: text(Array(name)), value: Array(item.dropFirst(name.count + 1)))
        }
      return zip(conditions, candidate.queries).allSatisfy { condition, readings in
        let name = condition.name.unicodeScalars.map { folds ? ComparedText.folded($0) : $0 }
        let values = items.filter { $0.name == name }.map(\.value)
        return (values.isEmpty ? [[]] : values).allSatisfy { covers(readings, $0) }
      }
    }
  }

  /// Slashes at the end do not matter, the one in front may be missing, and `/*` at the end covers
  /// the parent.
  private static func coversPath(
    _ readings: Readings, _ path: [Unicode.Scalar], folds: Bool
  ) -> Bool {
    let text = withoutTrailingSlashes(path, slash: "/")
    return readings.contains { elements in
      let slash = Element.scalar("/")
      let whole = elements.first == .run ? elements : [slash] + elements.drop { $0 == slash }
      let trimmed = withoutTrailingSlashes(whole, slash: slash)
      if matches(trimmed, text, folds: folds) { return true }
      guard trimmed.suffix(2) == [slash, .run] else { return false }
      let parent = withoutTrailingSlashes(Array(trimmed.dropLast(2)), slash: slash)
      return matches(parent, text, folds: folds)
    }
  }

  private static func withoutTrailingSlashes<Item: Equatable>(
    _ items: [Item], slash: Item
  ) -> [Item] {
    let kept = Array(items.reversed().drop { $0 == slash }.reversed())
    return kept.isEmpty ? [slash] : kept
  }

  private static func readings(of pattern: Pattern, folds: Bool) -> Readings {
    func elements(_ token: Pattern.Token) -> [[Element]] {
      switch token {
      case .literal(let text):
        [text.map { .scalar(folds ? ComparedText.folded($0) : $0) }]
      case .anyRun: [[.run]]
      case .one(let kind): [[.kind(kind)]]
      case .values(let variable): variable.values.map { $0.flatMap { elements($0)[0] } }
      case .nothing, .runUntil: []
      }
    }
    let all = pattern.tokens.reduce([[]]) { beginnings, token in
      beginnings.flatMap { beginning in elements(token).map { beginning + $0 } }
    }
    return all.map {
      $0.reduce(into: []) { if $1 != .run || $0.last != .run { $0.append($1) } }
    }
  }

  /// Whether the elements cover the text: follows all prefixes of the pattern that cover the text
  /// so far.
  private static func matches(
    _ pattern: [Element], _ text: [Unicode.Scalar], folds: Bool
  ) -> Bool {
    var reached = [true] + pattern.map { _ in false }
    func passStars() {
      for (index, element) in pattern.enumerated() where element == .run && reached[index] {
        reached[index + 1] = true
      }
    }
    passStars()
    for scalar in text {
      var next = reached.map { _ in false }
      for (index, element) in pattern.enumerated() where reached[index] {
        switch element {
        case .scalar(let own) where own == scalar: next[index + 1] = true
        case .kind(let kind) where kind.contains(scalar, foldingCase: folds):
          next[index + 1] = true
        case .run: next[index] = true
        default: break
        }
      }
      reached = next
      passStars()
    }
    return reached[pattern.count]
  }
}
