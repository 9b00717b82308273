/// The conditions of a route, with automata that are built when they are first asked for.
final class ExaminedRoute {
  /// The same for no route that matches other URLs; two that match the same may have two numbers.
  let language: Int
  /// What the route compares its patterns with.
  let reading: Alphabet.Reading
  private let route: AppLinks.Route
  let start: PathStart
  /// A path that the route surely matches, if that can be told at once.
  private(set) lazy var sample = SamplePath(route)
  private lazy var prefix = PathPrefix(route.path)
  /// Whether it matches everything, however it is compared.
  private lazy var isFree = route.patterns.allSatisfy(\.isStar)
  /// Whether the path begins in the same way before and after decoding.
  private lazy var isPrefixPlain = !(route.path?.pathPrefix.contains("%") ?? false)
  private var machines: [Alphabet.Reading: RouteMachine] = [:]

  init(_ route: AppLinks.Route, language: Int) {
    self.route = route
    self.language = language
    reading = route.isPercentEncoded ? .written : .decoded
    start = PathStart(route.path)
  }

  /// Whether the other route reads URLs in the same way, or matches all of them.
  func isComparable(with other: ExaminedRoute) -> Bool { reading == other.reading || isFree }

  /// Whether some URL may match both, as far as the starts of their paths tell.
  func mayMeet(_ other: ExaminedRoute) -> Bool {
    let written = reading == .written ? self : other
    return reading != other.reading && !written.isPrefixPlain || prefix.mayMeet(other.prefix)
  }

  func machine(_ alphabet: Alphabet, _ effort: Effort) -> RouteMachine {
    if let machine = machines[alphabet.reading] { return machine }
    let machine = RouteMachine(route, alphabet, effort)
    machines[alphabet.reading] = machine
    return machine
  }
}
