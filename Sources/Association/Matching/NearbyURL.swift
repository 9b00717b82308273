/// A URL that differs in one thing from one that no route matches, to find the route that people meant.
struct NearbyURL {
  let url: [UInt8]
  /// What to do if a route matches it, in sentences.
  let advice: String

  private static let slash = UInt8(ascii: "/")
  /// The parts of a path, and the items of a query, that are taken away one by one.
  private static let mostParts = 20

  /// The URL with its percent-encoding written differently.
  static func otherEscapes(
    of url: Span<UInt8>, _ parts: URLParts, for platform: Platform
  ) -> [NearbyURL] {
    let range = parts.path.lowerBound..<url.count
    let start = bytes(url, 0..<range.lowerBound)
    let rest = bytes(url, range)
    switch platform {
    case .ios:
      let decoded = ComparedText.decoded(url, range)
      let asWritten = "Devices compare the URL as it is written"
      return found(
        [
          (start + ComparedText.encoded(rest), "\(asWritten), and browsers write it like this."),
          (
            start + decoded,
            ComparedText.encoded(decoded) == decoded
              ? "\(asWritten): its escapes are not decoded, unless `percentEncoded` is false."
              : "\(asWritten): percent-encode the pattern, or set `percentEncoded` of a component to false."
          ),
        ], unlike: url)
    case .android:
      let twice = rest.flatMap { $0 == UInt8(ascii: "%") ? Array("%25".utf8) : [$0] }
      return found(
        [
          (
            start + twice,
            "Android decodes the URL, and not the pattern: write the characters themselves in place of its escapes."
          )
        ], unlike: url)
    }
  }

  /// The URL with more or less in its path or its query.
  ///
  /// - Parameter hasRoot: Whether the root of the site is one. Many files name it beside other paths on purpose.
  static func otherParts(
    of url: Span<UInt8>, _ parts: URLParts, for platform: Platform, hasRoot: Bool
  ) -> [NearbyURL] {
    let (start, end) = (
      bytes(url, 0..<parts.path.lowerBound), bytes(url, parts.path.upperBound..<url.count)
    )
    let path = bytes(url, parts.path)
    let noun = platform == .android ? "rule" : "route"
    var others: [([UInt8], String)] = []
    func add(path: some Sequence<UInt8>, _ advice: String) {
      others.append((start + path + end, advice))
    }
    let single = path.indices.filter { path[$0] != slash || $0 == 0 || path[$0 - 1] != slash }
    add(path: single.map { path[$0] }, "Slashes within a path are compared one by one.")
    if platform == .android {
      let advice = "On Android, a slash at the end of a path matters: add a rule for this path."
      add(path: path.last == slash ? path.dropLast() : path[...] + [slash], advice)
    }
    let (query, fragment) = (
      bytes(url, parts.query), bytes(url, parts.query.upperBound..<url.count)
    )
    let items = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    func add(items: some Sequence<ArraySlice<UInt8>>, _ advice: String) {
      let query = Array(items.joined(separator: "&".utf8))
      let sign = query.isEmpty ? [] : Array("?".utf8)
      others.append((start + path + sign + query + fragment, advice))
    }
    if platform == .ios, !query.isEmpty, items.count <= mostParts {
      let advice =
        "A text compares the whole query. To compare items by their names, write an object, such as "
      let example = #"`"?": {"id": "?*"}`."#
      add(items: items.reversed(), advice + example)
      for index in items.indices {
        add(items: items[..<index] + items[(index + 1)...], advice + example)
      }
    }
    let ends = path.indices.filter { path[$0] == slash && $0 + 1 < path.count }
    for index in ends.reversed().prefix(mostParts) where index > 0 || hasRoot {
      let advice = "It does not cover what is below that path: add a \(noun) with `/*` at its end."
      add(path: path[..<max(index, 1)], advice)
    }
    if let second = ends.dropFirst().first {
      let first = String(decoding: path[..<second], as: UTF8.self)
      add(
        path: path[second...],
        "A path is compared from its beginning: add a \(noun) with \(first.quoted) in front.")
    }
    return found(others, unlike: url)
  }

  private static func bytes(_ url: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
    range.map { url[$0] }
  }

  private static func found(
    _ others: [([UInt8], String)], unlike url: Span<UInt8>
  ) -> [NearbyURL] {
    let own = bytes(url, url.indices)
    return others.filter { $0.0 != own }.map(NearbyURL.init)
  }

  private init(_ other: ([UInt8], String)) { (url, advice) = other }

  /// What to say of a route that matches it.
  var sentence: String {
    " It would match \(String(decoding: url, as: UTF8.self).quoted). \(advice)"
  }
}

extension Matcher {
  /// The first route of the scope that would open the app if the URL differed in one thing, with a sentence about
  /// that; `nil` if there is none, or if finding it would take too long.
  func nearMiss(
    _ url: Span<UInt8>, _ parts: URLParts, in scope: Scope, _ budget: inout MatchingBudget
  ) -> (route: Int, sentence: String)? {
    var spare = MatchingBudget(steps: budget.stepsForNearMisses)
    defer { budget.stepsForNearMisses = max(0, spare.steps) }
    if let found = match(NearbyURL.otherEscapes(of: url, parts, for: .ios), in: scope, &spare) {
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
    let others = NearbyURL.otherParts(
      of: url, parts, for: .ios, hasRoot: scope.routes.joined().count == 1)
    return match(others, in: scope, &spare)
  }

  private func match(
    _ others: [NearbyURL], in scope: Scope, _ budget: inout MatchingBudget
  ) -> (route: Int, sentence: String)? {
    for other in others {
      do throws(TooComplex) {
        let decision = try resolve(other.url.span, in: scope, budget: &budget)
        if decision.resolution == .match, let route = decision.route {
          return (route, other.sentence)
        }
      } catch {
        return nil
      }
    }
    return nil
  }

  private static let mostFolded = 200

  /// The first route that the URL meets but for case, if it opens the app.
  private func matchIgnoringCase(
    _ url: Span<UInt8>, _ parts: URLParts, in scope: Scope, _ budget: inout MatchingBudget
  ) -> Int? {
    let path = ComparedText.folded(parts.path.map { url[$0] })
    var numbers: [Int] = []
    for number in scope.routes.joined() where numbers.count < Self.mostFolded {
      let route = links.route(at: places[number])
      budget.steps -= 1
      if budget.steps < 0 { return nil }
      guard !route.isPercentEncoded || route.mayMatchIgnoringCase(path) else { continue }
      budget.steps -= route.namedPatterns.reduce(0) { $0 + $1.pattern.size }
      numbers.append(number)
    }
    if budget.steps < 0 { return nil }
    let table = RouteTable(numbers.map { links.route(at: places[$0]).ignoringCase })
    var compared = ComparedURL(url, parts, hasForms: table.hasForms)
    let head = table.head(of: compared.path, in: url)
    let found = table.firstMatch(
      in: 0..<numbers.count, url, &compared, head, &budget.steps)
    guard budget.steps >= 0, let found, !table.routes[found].isExclusion else { return nil }
    return numbers[found]
  }
}

extension AppLinks.Route {
  /// Whether the path begins as the pattern does, if case is ignored in both.
  fileprivate func mayMatchIgnoringCase(_ foldedPath: [UInt8]) -> Bool {
    guard case .literal(let text)? = path?.tokens.first else { return true }
    var start = ComparedText.bytes(text, folds: true)[...]
    // Devices ignore slashes at the end.
    while start.last == UInt8(ascii: "/") { start.removeLast() }
    return foldedPath.starts(with: start)
  }
}

extension AndroidMatcher {
  /// The first rule that would open the app if the URL differed in one thing, as for Apple's routes.
  func nearMiss(
    _ url: Span<UInt8>, _ parts: URLParts, of rules: [AssetLinks.Rule],
    _ budget: inout MatchingBudget
  ) -> (rule: AssetLinks.Rule, sentence: String)? {
    var steps = budget.stepsForNearMisses
    defer { budget.stepsForNearMisses = max(0, steps) }
    func match(_ others: [NearbyURL]) -> (rule: AssetLinks.Rule, sentence: String)? {
      for other in others where steps > 0 {
        guard let parts = URLParts(other.url.span) else { continue }
        let compared = DynamicURL(other.url.span, parts)
        if let rule = rules.first(where: { $0.holds(for: compared, &steps) }), !rule.isExclusion {
          return (rule, other.sentence)
        }
      }
      return nil
    }
    if let found = match(NearbyURL.otherEscapes(of: url, parts, for: .android)) { return found }
    let folded = DynamicURL(url, parts).ignoringCase
    for rule in rules where steps > 0 {
      steps -= 1
      let conditions = rule.conditions.map(\.ignoringCase)
      if !conditions.isEmpty, conditions.allSatisfy({ $0.holds(for: folded, &steps) }) {
        if rule.isExclusion { break }
        return (rule, " Only the case of letters differs: write a rule for each way of writing it.")
      }
    }
    return match(
      NearbyURL.otherParts(of: url, parts, for: .android, hasRoot: rules.count == 1))
  }
}
