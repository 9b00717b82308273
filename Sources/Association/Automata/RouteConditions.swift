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
  }

  let reading: Alphabet.Reading
  /// Whether case is folded before texts are compared.
  let folds: Bool
  let path: [Pattern.Token]
  let pathEnding: Automaton.Ending
  let query: Query
  let fragment: [Pattern.Token]

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

  /// The tokens of all conditions.
  var patterns: [[Pattern.Token]] {
    switch query {
    case .whole(let tokens): [path, tokens, fragment]
    case .items(let items): [path, fragment] + items.map(\.value)
    }
  }

  /// Whether every URL meets the conditions on query and fragment.
  var isFreeAfterPath: Bool {
    if case .whole(let tokens) = query { tokens.isStar && fragment.isStar } else { false }
  }

  /// Whether every URL meets all conditions.
  var isUnconditional: Bool { patterns.allSatisfy(\.isStar) }

  /// A lower bound for the number of states in the route's automata, including shared ones.
  var size: Int { patterns.reduce(0) { $0 + 1 + $1.size } }
}
