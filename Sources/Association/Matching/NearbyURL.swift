/// A URL that differs in one thing from one that no route matches, to find the route that people meant.
struct NearbyURL {
  /// What differs.
  enum Difference {
    /// With escapes for what browsers escape.
    case encoded
    /// With the digits of all escapes in capitals, or in small letters.
    case digits(areCapital: Bool)
    case decoded
    /// With an escape for each `%`.
    case escapedTwice
    case singleSlashes
    /// With a slash at the end of the path, or without it.
    case otherEnd
    case reversedItems
    case withoutItem(Int)
    /// With no more of the path than what is before this place, or behind it.
    case upTo(Int)
    case from(Int)
    /// With the fragment as the path, as routers in pages use it.
    case fragmentAsPath
    /// The URL of the same site that the query has.
    case target
  }

  /// The properties of a route or rule that matches the URL.
  fileprivate struct Meant {
    var noun = "route"
    let path: String?
    var decodesURL = false
    var comparesItems = false
  }

  let url: [UInt8]
  private let difference: Difference
  /// What the URL lacks.
  private let removed: String

  private static let slash = UInt8(ascii: "/")
  private static let ampersand = UInt8(ascii: "&")
  /// The parts of a path, and the items of a query, that are taken away one by one.
  private static let mostParts = 20
  /// The length up to which messages show a whole URL, in bytes.
  private static let longestShown = 80

  /// Other ways to write escapes.
  static func escapes(for platform: Platform) -> [Difference] {
    platform == .android
      ? [.escapedTwice]
      : [.encoded, .digits(areCapital: true), .digits(areCapital: false), .decoded]
  }

  /// More or less in the path or the query.
  ///
  /// - Parameter hasRoot: Whether the root of the site is one. Many files name it beside other paths on purpose.
  static func parts(
    of text: [UInt8], _ parts: URLParts, for platform: Platform, hasRoot: Bool
  ) -> [Difference] {
    let (path, query) = (text[parts.path], text[parts.query])
    var differences = [Difference.singleSlashes, .fragmentAsPath]
    if platform == .android { differences.append(.otherEnd) }
    if !query.isEmpty { differences.append(.target) }
    let count = query.count { $0 == ampersand } + 1
    if platform == .ios, !query.isEmpty, count <= mostParts {
      differences.append(.reversedItems)
      differences += (0..<count).map { .withoutItem($0) }
    }
    let ends = path.indices.filter { text[$0] == slash && $0 + 1 < path.endIndex }
    differences += ends.reversed().prefix(mostParts)
      .filter { $0 > path.startIndex || hasRoot }.map { .upTo($0) }
    if let second = ends.dropFirst().first { differences.append(.from(second)) }
    return differences
  }

  /// `nil` if the URL has no such difference.
  init?(_ difference: Difference, of text: [UInt8], _ parts: URLParts) {
    let path = text[parts.path]
    let (rest, end) = (text[path.startIndex...], text[path.endIndex...])
    var url = Array(text[..<path.startIndex])
    var removed: ArraySlice<UInt8> = []
    switch difference {
    case .encoded: url += ComparedText.encoded(rest)
    case .digits(let areCapital): url += ComparedText.withDigits(rest, areCapital: areCapital)
    case .decoded:
      url += Self.decoded(text, parts.path, keeping: "/?#")
      url += text[parts.path.upperBound..<parts.query.lowerBound]
      url += Self.decoded(text, parts.query, keeping: "&=#")
      url += Self.decoded(text, parts.query.upperBound..<text.count, keeping: "")
    case .escapedTwice:
      for byte in rest {
        if byte == UInt8(ascii: "%") { url += "%25".utf8 } else { url.append(byte) }
      }
    case .singleSlashes:
      for byte in path where byte != Self.slash || url.last != byte {
        url.append(byte)
      }
      url += end
    case .otherEnd:
      url += path
      if path.last == Self.slash {
        removed = path.suffix(1)
        url.removeLast()
      } else {
        url.append(Self.slash)
      }
      url += end
    case .reversedItems, .withoutItem:
      var items = text[parts.query].split(
        separator: Self.ampersand, omittingEmptySubsequences: false)
      if case .withoutItem(let index) = difference {
        removed = items.remove(at: index)
      } else {
        items.reverse()
      }
      let query = Array(items.joined(separator: [Self.ampersand]))
      url += path
      if !query.isEmpty { url.append(UInt8(ascii: "?")) }
      url += query
      url += text[parts.query.upperBound...]
    case .upTo(let index):
      let index = max(index, path.startIndex + 1)
      removed = text[index..<path.endIndex]
      url += text[path.startIndex..<index]
      url += end
    case .from(let index):
      removed = text[path.startIndex..<index]
      url += text[index...]
    case .fragmentAsPath:
      removed = text[parts.fragment].prefix { $0 == UInt8(ascii: "!") }
      let route = text[parts.fragment].dropFirst(removed.count)
      if route.first != Self.slash { return nil }
      url += route
    case .target:
      guard let target = Self.target(in: text, parts) else { return nil }
      url = target
    }
    if url == text { return nil }
    (self.url, self.difference) = (url, difference)
    self.removed = String(decoding: removed, as: UTF8.self)
  }

  /// The first value of a query that is a URL of the same host, without its escapes.
  private static func target(in text: [UInt8], _ parts: URLParts) -> [UInt8]? {
    guard let host = Matcher.host(of: String(decoding: text, as: UTF8.self))?.lowercased() else {
      return nil
    }
    for item in text[parts.query].split(separator: ampersand).prefix(mostParts) {
      guard let sign = item.firstIndex(of: UInt8(ascii: "=")),
        item[(sign + 1)...].starts(with: "http".utf8)
      else { continue }
      let url = decoded(text, (sign + 1)..<item.endIndex, keeping: "")
      if Matcher.host(of: String(decoding: url, as: UTF8.self))?.lowercased() == host { return url }
    }
    return nil
  }

  /// A part without its escapes, except those of delimiters, which would part it.
  private static func decoded(
    _ text: [UInt8], _ range: Range<Int>, keeping delimiters: String
  ) -> [UInt8] {
    ComparedText.decoded(text.span, range, keeping: Array(delimiters.utf8))
  }

  /// What to say of a route that matches it.
  func sentence(for route: AppLinks.Route) -> String {
    var comparesItems = false
    if case .items = route.query { comparesItems = true }
    return sentence(
      Meant(
        path: route.path?.text, decodesURL: !route.isPercentEncoded, comparesItems: comparesItems))
  }

  /// What to say of a rule that matches it.
  func sentence(for rule: AssetLinks.Rule) -> String {
    let paths = rule.conditions.compactMap {
      if case .path(let pattern) = $0 { pattern.text } else { nil }
    }
    return sentence(Meant(noun: "rule", path: paths.first))
  }

  private func sentence(_ meant: Meant) -> String {
    let text =
      url.count <= Self.longestShown
      ? String(decoding: url, as: UTF8.self).quoted : "the same URL \(words)"
    return " It would match \(text). \(advice(meant))"
  }

  /// The difference, for a URL that is too long to show it.
  private var words: String {
    switch difference {
    case .encoded: "with escapes as browsers write them"
    case .digits(let areCapital):
      "with the digits of its escapes in \(areCapital ? "capitals" : "small letters")"
    case .decoded: "with its escapes decoded"
    case .escapedTwice: "with `%25` for each `%`"
    case .singleSlashes: "with single slashes in its path"
    case .otherEnd:
      removed.isEmpty
        ? "with a slash at the end of its path" : "without the slash at the end of its path"
    case .reversedItems: "with its query items in reverse"
    case .withoutItem: "without the query item \(removed.quoted)"
    case .upTo: "without \(removed.quoted) at the end of its path"
    case .from: "without \(removed.quoted) at the beginning of its path"
    case .fragmentAsPath: "with what comes after its `#` as its path"
    case .target: "that its query has"
    }
  }

  /// What to do, in sentences.
  private func advice(_ meant: Meant) -> String {
    let asWritten = "Devices compare the URL as it is written"
    switch difference {
    case .encoded: return "\(asWritten), and browsers write it like this."
    case .digits: return "The hexadecimal digits of escapes are compared with regard to case."
    case .decoded:
      if meant.decodesURL { return "Devices decode the URL once, and the pattern not at all." }
      return url.allSatisfy { (0x21...0x7E).contains($0) }
        ? "\(asWritten): its escapes are not decoded, unless `percentEncoded` is false."
        : "\(asWritten): percent-encode the pattern, or set `percentEncoded` of a component to false."
    case .escapedTwice:
      return
        "Android decodes the URL, and not the pattern: write the characters themselves in place of its escapes."
    case .singleSlashes: return "Slashes within a path are compared one by one."
    case .otherEnd:
      return "On Android, a slash at the end of a path matters: add a rule for this path."
    case .reversedItems, .withoutItem:
      if meant.comparesItems {
        let name = removed.prefix { $0 != "=" }
        return "Every query item named \(String(name).quoted) must match its pattern."
      }
      return
        "A text compares the whole query. To compare items by their names, write an object, such as "
        + #"`"?": {"id": "?*"}`."#
    case .upTo:
      let below = "\((meant.path ?? "").trimmingSlashes)/*"
      let isShown = below.utf8.count <= Self.longestShown
      return "It does not cover what is below that path. Add a \(meant.noun) "
        + (isShown ? "`\(below.harmless)`." : "with `/*` at its end.")
    case .from:
      return
        "A path is compared from its beginning: add a \(meant.noun) with \(removed.quoted) in front."
    case .fragmentAsPath:
      let route = removed + (meant.path ?? "")
      let isShown = route.utf8.count <= Self.longestShown && meant.path != nil
      return "What comes after `#` is not part of the path: compare it in `#`"
        + (isShown ? ", as in `{\"#\": \(route.quoted)}`." : ".")
    case .target:
      return "Devices decide by the URL that is tapped, and not by one in its query."
    }
  }
}

extension String {
  /// The text without slashes at its end.
  fileprivate var trimmingSlashes: Substring {
    var text = self[...]
    while text.last == "/" { text.removeLast() }
    return text
  }
}

extension Matcher {
  /// The first route of the scope that would open the app if the URL differed in one thing, with a sentence about
  /// that; `nil` if there is none, or if finding it would take too long.
  func nearMiss(
    _ url: Span<UInt8>, _ parts: URLParts, in scope: Scope, _ budget: inout MatchingBudget
  ) -> (route: Int, sentence: String)? {
    if budget.stepsForNearMisses <= 0 { return nil }
    var spare = MatchingBudget(steps: budget.stepsForNearMisses - url.count)
    defer { budget.stepsForNearMisses = max(0, spare.steps) }
    let text = url.indices.map { url[$0] }
    if let found = match(NearbyURL.escapes(for: .ios), of: text, parts, in: scope, &spare) {
      return found
    }
    if let route = matchIgnoringCase(url, parts, in: scope, &spare) {
      let isLegacy = links.route(at: places[route]).isLegacy
      return (
        route,
        " Only the case of letters differs."
          + (isLegacy ? "" : " To ignore it, set `caseSensitive` of the route to false.")
      )
    }
    let isOne = scope.routes.count == 1 && scope.routes[0].count == 1
    let nearby = NearbyURL.parts(of: text, parts, for: .ios, hasRoot: isOne)
    if let found = match(nearby, of: text, parts, in: scope, &spare) { return found }
    // Last, because a missing slash or `*` explains more.
    return matchWithoutVariables(url, parts, in: scope, &spare).map {
      ($0, " Only the text in place of a variable differs: it is none of the variable's values.")
    }
  }

  private func match(
    _ differences: [NearbyURL.Difference], of text: [UInt8], _ parts: URLParts, in scope: Scope,
    _ budget: inout MatchingBudget
  ) -> (route: Int, sentence: String)? {
    for difference in differences {
      // To copy the URL, and to find its parts again.
      budget.steps -= 2 * text.count
      if budget.steps <= 0 { return nil }
      guard let other = NearbyURL(difference, of: text, parts) else { continue }
      do throws(TooComplex) {
        let decision = try resolve(other.url.span, in: scope, budget: &budget)
        if decision.resolution == .match, let number = decision.route {
          return (number, other.sentence(for: links.route(at: places[number])))
        }
      } catch {
        return nil
      }
    }
    return nil
  }

  private static let mostFolded = 200

  /// The first route that the URL would match if case were ignored; `nil` if that is an exclusion.
  private func matchIgnoringCase(
    _ url: Span<UInt8>, _ parts: URLParts, in scope: Scope, _ budget: inout MatchingBudget
  ) -> Int? {
    let found = routeIgnoringCase(url, parts, in: scope, &budget)
    return found.flatMap { table.routes[$0].isExclusion ? nil : $0 }
  }

  /// The first route that the URL would match if the variables of its path had any values; `nil` if that is an
  /// exclusion.
  private func matchWithoutVariables(
    _ url: Span<UInt8>, _ parts: URLParts, in scope: Scope, _ budget: inout MatchingBudget
  ) -> Int? {
    var (numbers, routes): ([Int], [AppLinks.Route]) = ([], [])
    for number in scope.routes.joined() where numbers.count < Self.mostFolded {
      let written = links.route(at: places[number])
      // To look for variables.
      budget.steps -= 1 + (written.path?.size ?? 0)
      if budget.steps < 0 { return nil }
      guard let route = written.withoutVariables else { continue }
      budget.steps -= route.namedPatterns.reduce(0) { $0 + 1 + $1.pattern.size }
      numbers.append(number)
      routes.append(route)
    }
    if budget.steps < 0 || routes.isEmpty { return nil }
    return firstMatch(of: routes, url, parts, &budget).flatMap {
      routes[$0].isExclusion ? nil : numbers[$0]
    }
  }

  /// The number of the first of some routes that matches; `nil` if finding it would take too long.
  private func firstMatch(
    of routes: [AppLinks.Route], _ url: Span<UInt8>, _ parts: URLParts,
    _ budget: inout MatchingBudget
  ) -> Int? {
    let table = RouteTable(routes)
    var compared = ComparedURL(url, parts, hasForms: table.hasForms)
    let head = table.head(of: compared.path, in: url)
    let found = table.firstMatch(in: 0..<routes.count, url, &compared, head, &budget.steps)
    return budget.steps >= 0 ? found : nil
  }

  /// The first route that the URL would match if case were ignored; `nil` without one, or if finding it would take
  /// too long.
  func routeIgnoringCase(
    _ url: Span<UInt8>, _ parts: URLParts, in scope: Scope, _ budget: inout MatchingBudget
  ) -> Int? {
    budget.steps -= parts.path.count
    if budget.steps < 0 { return nil }
    let path = ComparedText.folded(parts.path.map { url[$0] })
    var numbers: [Int] = []
    for number in scope.routes.joined() where numbers.count < Self.mostFolded {
      let route = links.route(at: places[number])
      budget.steps -= 1
      if budget.steps < 0 { return nil }
      guard !route.isPercentEncoded || route.mayMatchIgnoringCase(path, &budget.steps) else {
        continue
      }
      budget.steps -= route.namedPatterns.reduce(0) { $0 + 1 + $1.pattern.size }
      numbers.append(number)
    }
    if budget.steps < 0 { return nil }
    let routes = numbers.map { links.route(at: places[$0]).ignoringCase }
    return firstMatch(of: routes, url, parts, &budget).map { numbers[$0] }
  }
}

extension AppLinks.Route {
  /// Whether the path begins as the pattern does, if case is ignored in both.
  fileprivate func mayMatchIgnoringCase(_ foldedPath: [UInt8], _ steps: inout Int) -> Bool {
    guard case .literal(let text)? = path?.tokens.first else { return true }
    // Matching adds a slash at the beginning of a pattern, and ignores those at the end of both.
    let rest = text.drop { $0 == "/" }
    let path = foldedPath.drop { $0 == UInt8(ascii: "/") }
    // A literal that is longer than the path does not match.
    let compared = rest.prefix(path.count + 1)
    steps -= text.count - rest.count + compared.count
    var start = ComparedText.bytes(Array(compared), folds: true)[...]
    while start.last == UInt8(ascii: "/") { start.removeLast() }
    return path.starts(with: start)
  }
}

extension AndroidMatcher {
  /// The first rule that would open the app if the URL differed in one thing, as for Apple's routes.
  func nearMiss(
    _ url: Span<UInt8>, _ parts: URLParts, of rules: [AssetLinks.Rule],
    _ budget: inout MatchingBudget
  ) -> (rule: AssetLinks.Rule, sentence: String)? {
    if budget.stepsForNearMisses <= 0 { return nil }
    var steps = budget.stepsForNearMisses - 2 * url.count
    defer { budget.stepsForNearMisses = max(0, steps) }
    let text = url.indices.map { url[$0] }
    func match(
      _ differences: [NearbyURL.Difference]
    ) -> (rule: AssetLinks.Rule, sentence: String)? {
      for difference in differences {
        steps -= 2 * text.count
        if steps <= 0 { return nil }
        guard let other = NearbyURL(difference, of: text, parts),
          let parts = URLParts(other.url.span)
        else { continue }
        let compared = DynamicURL(other.url.span, parts)
        if let rule = rules.first(where: { $0.holds(for: compared, &steps) }), !rule.isExclusion {
          return (rule, other.sentence(for: rule))
        }
      }
      return nil
    }
    if let found = match(NearbyURL.escapes(for: .android)) { return found }
    if steps <= 0 { return nil }
    let folded = DynamicURL(url, parts).ignoringCase
    for rule in rules {
      steps -= rule.conditions.reduce(1) { $0 + $1.pattern.units.count }
      if steps <= 0 { return nil }
      let conditions = rule.conditions.map(\.ignoringCase)
      if !conditions.isEmpty, conditions.allSatisfy({ $0.holds(for: folded, &steps) }) {
        if rule.isExclusion { break }
        return (rule, " Only the case of letters differs: write a rule for each way of writing it.")
      }
    }
    return match(
      NearbyURL.parts(of: text, parts, for: .android, hasRoot: rules.count == 1))
  }
}
