struct CompiledRoute: Sendable {
  enum Query: Sendable {
    case any
    case whole(PatternTable.Compiled)
    /// The conditions in this range of `RouteTable.items`.
    case items(Range<Int32>)
  }

  /// The condition on the query items with one name.
  struct Item: Sendable {
    /// The range of the name among the table's literals; folded if the route folds.
    let name: Range<Int32>
    let pattern: PatternTable.Compiled
    /// Whether the pattern matches the empty string, which stands for an absent item.
    let matchesEmpty: Bool
  }

  let isExclusion: Bool
  let form: ComparedForm
  /// The condition on the path; `nil` if there is none.
  let path: PatternTable.Compiled?
  let query: Query
  /// The condition on the fragment; `nil` if there is none.
  let fragment: PatternTable.Compiled?
}

/// The transformation of a URL's component before it is compared.
struct ComparedForm: Sendable, Hashable {
  let folds: Bool
  let decodes: Bool
}

/// The compiled routes of a document, in file order.
struct RouteTable: Sendable {
  private(set) var patterns = PatternTable()
  private(set) var routes: [CompiledRoute] = []
  private var filters: [(prefix: PathPrefix.Filter, form: ComparedForm)] = []
  private var items: [CompiledRoute.Item] = []
  /// Whether any route compares URLs in a form other than the written one.
  private(set) var hasForms = false
  private let root = [UInt8(ascii: "/")]

  init(_ list: some Sequence<AppLinks.Route>) {
    var compiler = PatternTable.Compiler()
    for route in list {
      let compiled = compile(route, &compiler)
      routes.append(compiled)
      hasForms = hasForms || compiled.form.folds || compiled.form.decodes
      let prefix = PathPrefix(route.path?.pathTokens ?? [], isDecoded: compiled.form.decodes)
      filters.append((prefix.filter, compiled.form))
    }
    patterns = compiler.table
  }

  private mutating func compile(
    _ route: AppLinks.Route, _ compiler: inout PatternTable.Compiler
  ) -> CompiledRoute {
    let folds = !route.isCaseSensitive
    let query: CompiledRoute.Query =
      switch route.query {
      case .any, .ignored: .any
      case .whole(let pattern): .whole(compiler.compile(pattern, folds: folds))
      case .items(let conditions): .items(compile(conditions, folds: folds, &compiler))
      }
    return CompiledRoute(
      isExclusion: route.isExclusion,
      form: ComparedForm(folds: folds, decodes: !route.isPercentEncoded),
      path: route.path.map { compiler.compile(path: $0, folds: folds) },
      query: query,
      fragment: route.fragment.map { compiler.compile($0, folds: folds) })
  }

  private mutating func compile(
    _ conditions: [AppLinks.Item], folds: Bool, _ compiler: inout PatternTable.Compiler
  ) -> Range<Int32> {
    let first = Int32(items.count)
    for condition in conditions {
      let pattern = compiler.compile(condition.pattern, folds: folds)
      let name = ComparedText.bytes(Array(condition.name.unicodeScalars), folds: folds)
      var steps = Int.max
      let nothing: [UInt8] = []
      let matchesEmpty = compiler.table.matches(pattern, nothing.span, 0..<0, steps: &steps)
      items.append(
        CompiledRoute.Item(
          name: compiler.append(literal: name), pattern: pattern, matchesEmpty: matchesEmpty))
    }
    return first..<Int32(items.count)
  }

  /// The first bytes of the URL's path, which the filters compare.
  @inline(__always)
  func head(of path: Range<Int>, in url: Span<UInt8>) -> PathHead {
    path.isEmpty ? PathHead(root.span, root.indices) : PathHead(url, path)
  }

  /// The first route in the range that matches; the last one tried if no steps are left.
  func firstMatch(
    in range: Range<Int>, _ url: Span<UInt8>, _ compared: inout ComparedURL, _ head: PathHead,
    _ steps: inout Int
  ) -> Int? {
    // Passing over a route takes much less than a step.
    steps -= range.count >> 3
    for index in range {
      let isAllowed =
        filters[index].prefix.allows(head) || compared.pathDiffers(in: filters[index].form)
      if isAllowed, matches(index, url, &compared, &steps) || steps < 0 { return index }
    }
    return nil
  }

  private func matches(
    _ index: Int, _ url: Span<UInt8>, _ compared: inout ComparedURL, _ steps: inout Int
  ) -> Bool {
    let route = routes[index]
    guard matches(route.path, .path, route.form, url, &compared, &steps),
      matches(route.fragment, .fragment, route.form, url, &compared, &steps)
    else { return false }
    switch route.query {
    case .any: return true
    case .whole(let pattern): return matches(pattern, .query, route.form, url, &compared, &steps)
    case .items(let range):
      for item in range where !matchesItem(Int(item), route.form, url, compared.query, &steps) {
        return false
      }
      return true
    }
  }

  /// How many of a route's conditions a URL meets, and the first that it fails. Conditions are
  /// numbered from 0: the path, then the query or each of its items, then the fragment.
  func conditionsMet(
    by url: Span<UInt8>, _ compared: inout ComparedURL, of index: Int, _ steps: inout Int
  ) -> (count: Int, firstFailed: Int?) {
    let route = routes[index]
    var tally = Tally()
    if let path = route.path {
      tally.add(matches(path, .path, route.form, url, &compared, &steps))
    }
    switch route.query {
    case .any: break
    case .whole(let pattern):
      tally.add(matches(pattern, .query, route.form, url, &compared, &steps))
    case .items(let range):
      for item in range {
        tally.add(matchesItem(Int(item), route.form, url, compared.query, &steps))
      }
    }
    if let fragment = route.fragment {
      tally.add(matches(fragment, .fragment, route.form, url, &compared, &steps))
    }
    return (tally.met, tally.firstFailed)
  }

  private struct Tally {
    private(set) var met = 0
    private(set) var firstFailed: Int?
    private var all = 0

    mutating func add(_ isMet: Bool) {
      if isMet { met += 1 } else { firstFailed = firstFailed ?? all }
      all += 1
    }
  }

  /// Whether a pattern of a route covers a component.
  private func matches(
    _ pattern: PatternTable.Compiled?, _ component: URLComponent, _ form: ComparedForm,
    _ url: Span<UInt8>, _ compared: inout ComparedURL, _ steps: inout Int
  ) -> Bool {
    guard let pattern, pattern.kind != .anything else { return true }
    // Finding out whether the form changes the component takes much less than a step per byte.
    if form.folds || form.decodes { steps -= 1 + compared.range(of: component).count >> 3 }
    if let copy = compared.copy(of: component, in: form, url) {
      return patterns.matches(pattern, copy.span, copy.indices, steps: &steps)
    }
    let range = compared.range(of: component)
    if component == .path, range.isEmpty {
      return patterns.matches(pattern, root.span, root.indices, steps: &steps)
    }
    return patterns.matches(pattern, url, range, steps: &steps)
  }

  /// Whether every query item with the condition's name matches. A missing item has an empty value.
  ///
  /// The query is split at `&`, each item at its first `=`, and only then decoded, so that an
  /// encoded `&` does not split an item.
  private func matchesItem(
    _ index: Int, _ form: ComparedForm, _ url: Span<UInt8>, _ query: Range<Int>,
    _ steps: inout Int
  ) -> Bool {
    let item = items[index]
    if item.pattern.kind == .anything { return true }
    var isFound = false
    var start = query.lowerBound
    while start < query.upperBound, steps >= 0 {
      let (name, value) = Self.item(startingAt: start, in: url, query)
      steps -= value.upperBound + 1 - start
      start = value.upperBound + 1
      guard isName(item, name, form, url, &steps) else { continue }
      isFound = true
      guard matchesValue(item.pattern, value, form, url, &steps) else { return false }
    }
    return isFound || item.matchesEmpty
  }

  private static func item(
    startingAt start: Int, in url: Span<UInt8>, _ query: Range<Int>
  ) -> (name: Range<Int>, value: Range<Int>) {
    var index = start
    var nameEnd: Int?
    while index < query.upperBound, url[index] != UInt8(ascii: "&") {
      if nameEnd == nil, url[index] == UInt8(ascii: "=") { nameEnd = index }
      index += 1
    }
    guard let nameEnd else { return (start..<index, index..<index) }
    return (start..<nameEnd, nameEnd + 1..<index)
  }

  private func isName(
    _ item: CompiledRoute.Item, _ range: Range<Int>, _ form: ComparedForm, _ url: Span<UInt8>,
    _ steps: inout Int
  ) -> Bool {
    let name = PatternTable.Compiled(
      kind: .exact, folds: form.folds, start: item.name.lowerBound, count: Int32(item.name.count))
    return matchesValue(name, range, form, url, &steps)
  }

  private func matchesValue(
    _ pattern: PatternTable.Compiled, _ range: Range<Int>, _ form: ComparedForm,
    _ url: Span<UInt8>, _ steps: inout Int
  ) -> Bool {
    if let copy = ComparedURL.changed(range, in: form, url) {
      steps -= 20 + 5 * range.count
      return patterns.matches(pattern, copy.span, copy.indices, steps: &steps)
    }
    return patterns.matches(pattern, url, range, steps: &steps)
  }
}
