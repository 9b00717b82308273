/// The goal of a search: a URL that one route decides in its list and another list resolves
/// differently.
///
/// Without rivals, this is a URL that the focus matches and no blocker does. If the rivals
/// disagree, and everything else agrees, it is a URL that the focus and any of the rivals match.
struct WitnessQuestion<Route> {
  /// The route that must match.
  let focus: Route
  /// The routes before it in its own list, none of which may match.
  var blockers: [Route] = []
  /// The routes of the other list, in which the first match decides. `agrees` says whether a rival
  /// resolves a URL as the focus does.
  var rivals: [(route: Route, agrees: Bool)] = []
  /// Whether the other list resolves a URL as the focus does if no rival matches.
  var agreesOtherwise = false

  /// All routes: the focus, then the blockers, then the rivals.
  var routes: [Route] { [focus] + blockers + rivals.map(\.route) }
}

/// Looks for a URL that answers a question about routes.
///
/// The automata of all routes run in parallel over one URL, which is extended symbol by symbol,
/// shortest possible match first. If every extension was tried, no such URL exists.
struct WitnessSearch {
  enum Outcome {
    /// A URL that answers the question, as a word of the alphabet.
    case found([Alphabet.Symbol])
    /// No URL answers it. `covering` are blockers that together match all URLs in question;
    /// `always` are those that matched whenever one was needed. Both are indices from 0.
    case none(covering: Set<Int>, always: Set<Int>)
    /// The budget was too small.
    case undecided
  }

  /// A prefix of a URL.
  private struct Beginning {
    let parent: Int
    let symbol: Alphabet.Symbol
    /// The component that is being read; `nil` after the last one.
    let component: URLComponent?
    let place: PathPlace
    let focus: RouteMachine.State
    /// The blockers and rivals that can still match, as pairs of number and state.
    var others: [Int32]
    var agreesOtherwise: Bool
  }

  /// The position in the path at which a prefix ends. Only paths in normal form are tried.
  private enum PathPlace: Int32 {
    case outside, root, slash, character, trailingSlash
  }

  private struct Step {
    let parent: Int
    let symbol: Alphabet.Symbol
    let depth: Int
  }

  private let alphabet: Alphabet
  private let focus: RouteMachine
  /// The blockers, then the rivals.
  private let others: [RouteMachine]
  private let blockerCount: Int
  private let agrees: [Bool]
  private let agreesOtherwise: Bool
  private let budget: SearchBudget

  private var beginnings: [Beginning] = []
  private var visited: Set<[Int32]> = []
  /// The steps to try, ordered by the length of the shortest URL that they can lead to.
  private var queue: [[Step]] = []
  private var shortest = 0
  private var covering: Set<Int> = []
  private var always: Set<Int>?

  init(
    _ question: WitnessQuestion<RouteMachine>, _ alphabet: Alphabet, _ budget: SearchBudget
  ) {
    (self.alphabet, self.budget, focus) = (alphabet, budget, question.focus)
    others = question.blockers + question.rivals.map(\.route)
    blockerCount = question.blockers.count
    agrees = question.rivals.map(\.agrees)
    agreesOtherwise = question.agreesOtherwise
  }

  mutating func run() -> Outcome {
    let alive = others.indices.filter { others[$0].start != RouteMachine.dead }
    let start = Beginning(
      parent: -1, symbol: Alphabet.end, component: .path, place: .outside, focus: focus.start,
      others: alive.flatMap { [Int32($0), Int32(others[$0].start)] },
      agreesOtherwise: agreesOtherwise)
    if let word = visit(start, depth: 0) { return .found(word) }
    while shortest < queue.count {
      guard let step = queue[shortest].popLast() else {
        shortest += 1
        continue
      }
      budget.spend(4)
      if budget.isSpent { return .undecided }
      guard let next = beginning(after: step) else { continue }
      if let word = visit(next, depth: step.depth) { return .found(word) }
    }
    return .none(covering: covering, always: always ?? [])
  }

  /// The prefix that a step leads to; `nil` if the focus matches no URL with it.
  private func beginning(after step: Step) -> Beginning? {
    let last = beginnings[step.parent]
    let state = focus.next(last.focus, step.symbol)
    guard let component = last.component, state != RouteMachine.dead else { return nil }
    var rest: [Int32] = []
    rest.reserveCapacity(last.others.count)
    for index in stride(from: 0, to: last.others.count, by: 2) {
      let next = others[Int(last.others[index])].next(Int(last.others[index + 1]), step.symbol)
      if next == RouteMachine.dead { continue }
      rest.append(last.others[index])
      rest.append(Int32(next))
    }
    budget.spend(last.others.count)
    let isEnd = step.symbol == Alphabet.end
    return Beginning(
      parent: step.parent, symbol: step.symbol,
      component: isEnd ? URLComponent(rawValue: component.rawValue + 1) : component,
      place: isEnd || component != .path ? .outside : place(after: last, step.symbol),
      focus: state, others: rest, agreesOtherwise: last.agreesOtherwise)
  }

  private func place(after last: Beginning, _ symbol: Alphabet.Symbol) -> PathPlace {
    if last.place == .outside { return .root }
    if symbol == alphabet.trailingSlash { return .trailingSlash }
    return symbol == alphabet.slash ? .slash : .character
  }

  /// Records a prefix and its possible next steps. Returns the word if it answers the question.
  private mutating func visit(_ beginning: Beginning, depth: Int) -> [Alphabet.Symbol]? {
    guard beginning.focus != RouteMachine.dead, let open = reduced(beginning) else { return nil }
    if open.component == nil { return word(of: open) }
    let key =
      [
        Int32(open.component?.rawValue ?? 3), open.place.rawValue, Int32(open.focus),
        open.agreesOtherwise ? 1 : 0,
      ] + open.others
    guard visited.insert(key).inserted else { return nil }
    beginnings.append(open)
    for symbol in symbols(after: open).reversed() {
      guard let distance = focus.distance(focus.next(open.focus, symbol)) else { continue }
      let length = depth + 1 + distance
      while queue.count <= length { queue.append([]) }
      shortest = min(shortest, length)
      queue[length].append(Step(parent: beginnings.count - 1, symbol: symbol, depth: depth + 1))
      budget.spend(1)
    }
    return nil
  }

  /// The prefix without the rivals that make no difference; `nil` if no URL with this prefix
  /// answers the question.
  private mutating func reduced(_ beginning: Beginning) -> Beginning? {
    var result = beginning
    var matching: [Int] = []
    for index in stride(from: 0, to: beginning.others.count, by: 2) {
      let number = Int(beginning.others[index])
      let isMatching =
        beginning.component == nil
        || others[number].isUnconditional(Int(beginning.others[index + 1]))
      if !isMatching { continue }
      if number < blockerCount {
        matching.append(number)
      } else {
        // No later rival decides.
        result.others.removeSubrange(index...)
        result.agreesOtherwise = agrees[number - blockerCount]
        break
      }
    }
    if let first = matching.first {
      budget.spend(4 * matching.count)
      always = always?.intersection(matching) ?? Set(matching)
      if covering.isDisjoint(with: matching) { covering.insert(first) }
      return nil
    }
    // The last rivals make no difference if the outcome is the same without them.
    while let number = result.others.dropLast().last.map(Int.init), number >= blockerCount,
      agrees[number - blockerCount] == result.agreesOtherwise
    {
      result.others.removeLast(2)
    }
    let hasRival = result.others.dropLast().last.map { $0 >= blockerCount } ?? false
    return result.agreesOtherwise && !hasRival ? nil : result
  }

  /// The symbols to try next, plainest first: those that some route distinguishes, and one for all
  /// others, if the focus allows them.
  private func symbols(after beginning: Beginning) -> [Alphabet.Symbol] {
    guard let component = beginning.component else { return [] }
    if component == .path, beginning.place == .outside { return [alphabet.slash] }
    if beginning.place == .trailingSlash { return [Alphabet.end] }
    var usable = alphabet.symbols(in: component)
    let isEnd = beginning.place != .slash || alphabet.reading == .android
    var end = isEnd ? [Alphabet.end] : []
    if alphabet.reading == .common, component == .path {
      if beginning.place == .character {
        end.append(alphabet.trailingSlash)
      } else {
        // No segment is empty.
        usable.removeAll { $0 == alphabet.slash }
      }
    }
    var isDistinguished = Array(repeating: false, count: alphabet.count)
    let exits = focus.exits(from: beginning.focus)
    for symbol in exits.symbols { isDistinguished[symbol] = true }
    if !exits.isOpen { return end + usable.filter { isDistinguished[$0] } }
    if component == .path { isDistinguished[alphabet.slash] = true }
    for index in stride(from: 0, to: beginning.others.count, by: 2) {
      let machine = others[Int(beginning.others[index])]
      for symbol in machine.exits(from: Int(beginning.others[index + 1])).symbols {
        isDistinguished[symbol] = true
      }
    }
    budget.spend(beginning.others.count / 2 + 10 + usable.count / 16)
    let anyOther = usable.first { !isDistinguished[$0] }
    return end + (anyOther.map { [$0] } ?? []) + usable.filter { isDistinguished[$0] }
  }

  private func word(of beginning: Beginning) -> [Alphabet.Symbol] {
    var word: [Alphabet.Symbol] = []
    var current = beginning
    while current.parent >= 0 {
      word.append(current.symbol)
      current = beginnings[current.parent]
    }
    return word.reversed()
  }
}
