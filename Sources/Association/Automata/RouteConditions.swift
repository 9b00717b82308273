/// The conditions of a route, in terms of automata.
///
/// The analyses depend on this type only, not on a dialect of routes. Anything that can be
/// expressed as tokens, an ending and a way to compare URLs can be analysed.
struct RouteConditions {
  enum Query {
    /// The tokens cover the whole query.
    case whole([Pattern.Token])
    /// Every item of a name matches the tokens, an absent one as the empty string.
    case items([(name: [Unicode.Scalar], value: [Pattern.Token])])
    /// For each of these, some parameter as a whole, `name=value`, matches the tokens.
    case parameters([[Pattern.Token]])
    /// An item is empty, or there are several items with one of these names in any case.
    case irregular(names: [[Unicode.Scalar]])
  }

  /// The conditions of an app's manifest.
  struct Filters {
    /// The path must match all of these.
    var path: [PatternMatcher] = []
    /// For each of these, some parameter as a whole must match.
    var parameters: [PatternMatcher] = []
    /// The fragment, which must be there and not be empty, must match all of these.
    var fragment: [PatternMatcher] = []

    /// Whether every URL meets all conditions.
    var isEmpty: Bool { patterns.isEmpty }

    var patterns: [PatternMatcher] { path + parameters + fragment }
  }

  let reading: Alphabet.Reading
  /// Whether case is folded before texts are compared.
  let folds: Bool
  let path: [Pattern.Token]
  let pathEnding: Automaton.Ending
  let query: Query
  let fragment: [Pattern.Token]
  /// What decides instead of the tokens, if it is not empty.
  var filters = Filters()

  /// The conditions of a route in Apple's format.
  init(_ route: AppLinks.Route) {
    reading = route.isPercentEncoded ? .written : .decoded
    folds = !route.isCaseSensitive
    path = route.path?.pathTokens ?? [.anyRun]
    pathEnding = .path
    query =
      switch route.query {
      case .any, .ignored: .whole([.anyRun])
      case .whole(let pattern): .whole(pattern.tokens)
      case .items(let items):
        .items(items.map { (Array($0.name.unicodeScalars), $0.pattern.tokens) })
      }
    fragment = route.fragment?.tokens ?? [.anyRun]
  }

  /// The conditions of a rule in Android's format.
  ///
  /// - Parameter reading: `common` to compare it with Apple's routes exactly, `android` with other rules. In
  ///   others, it matches some of its URLs: `written` those that escape only what must be escaped.
  init(_ rule: AssetLinks.Rule, reading: Alphabet.Reading) {
    var path: [Pattern.Token]?
    var parameters: [[Pattern.Token]] = []
    var fragment: [Pattern.Token]?
    for condition in rule.conditions {
      switch condition {
      case .path(let pattern): path = pattern.tokens(reading)
      case .parameter(_, let pattern): parameters.append(pattern.tokens(reading))
      // Without a fragment, not even `*` matches.
      case .fragment(let pattern):
        let tokens = pattern.tokens(reading)
        fragment = tokens.isStar ? [.one(.any), .anyRun] : tokens
      }
    }
    self.reading = reading
    folds = false
    self.path = rule.conditions.isEmpty ? [.nothing(variable: "")] : path ?? [.anyRun]
    pathEnding = .exact
    query = parameters.isEmpty ? .whole([.anyRun]) : .parameters(parameters)
    self.fragment = fragment ?? [.anyRun]
  }

  /// The condition that a query has an empty item, or several items with one of these names.
  init(irregularNames: [[Unicode.Scalar]]) {
    (reading, folds, path, pathEnding) = (.common, false, [.anyRun], .exact)
    (query, fragment) = (.irregular(names: irregularNames), [.anyRun])
  }

  /// The conditions of a manifest, to compare them with rules in Android's format.
  init(_ filters: Filters) {
    (reading, folds, path, pathEnding) = (.android, false, [.anyRun], .exact)
    (query, fragment, self.filters) = (.whole([.anyRun]), [.anyRun], filters)
  }

  /// The condition that the path has an empty segment before its last one, which examples had better not have.
  static let emptySegment = RouteConditions(containing: Array("//".unicodeScalars))

  private init(containing text: [Unicode.Scalar]) {
    (reading, folds, pathEnding) = (.android, false, .exact)
    (path, query, fragment) = ([.anyRun, .literal(text), .anyRun], .whole([.anyRun]), [.anyRun])
  }

  var patterns: [[Pattern.Token]] {
    switch query {
    case .whole(let tokens): [path, tokens, fragment]
    case .items(let items): [path, fragment] + items.map(\.value)
    case .parameters(let parameters): [path, fragment] + parameters
    case .irregular: [path, fragment]
    }
  }

  /// Whether every URL meets the conditions on query and fragment.
  var isFreeAfterPath: Bool {
    guard filters.isEmpty, case .whole(let tokens) = query else { return false }
    return tokens.isStar && fragment.isStar
  }

  /// Whether every URL meets all conditions.
  var isUnconditional: Bool {
    if case .irregular = query { return false }
    return filters.isEmpty && patterns.allSatisfy(\.isStar)
  }

  /// A lower bound for the number of states in the route's automata, including shared ones.
  var size: Int {
    patterns.reduce(0) { $0 + 1 + $1.size } + filters.patterns.reduce(0) { $0 + $1.size }
  }
}

extension DynamicPattern {
  /// The tokens that match the same texts, as far as the reading can say it.
  fileprivate func tokens(_ reading: Alphabet.Reading) -> [Pattern.Token] {
    var tokens: [Pattern.Token] = []
    var literal: [Unicode.Scalar] = []
    func flush() {
      if !literal.isEmpty { tokens.append(.literal(literal)) }
      literal = []
    }
    var rest = Array(text.unicodeScalars)[...]
    if reading == .written {
      // Wildcards are raw in a path or query.
      let escaped = rest.map { scalar in
        WrittenText.isRaw(scalar, in: .query)
          ? String(scalar) : String(scalar).utf8.map(\.percentEscaped).joined()
      }
      rest = Array(escaped.joined().unicodeScalars)[...]
    }
    while let scalar = rest.popFirst() {
      switch scalar {
      case "?":
        flush()
        tokens.append(.one(.any))
      case "*":
        flush()
        guard let next = rest.popFirst() else {
          tokens.append(.anyRun)
          break
        }
        tokens.append(.runUntil(next == "?" || next == "*" ? "." : next))
        if next == "*" { literal.append("*") }
      default: literal.append(scalar)
      }
    }
    flush()
    return tokens
  }
}
