/// Looks for a URL that a route matches and that stands in a relation to other routes.
///
/// The automata of all routes run side by side over one URL, which is chosen symbol by symbol, the
/// shortest way to a match first. If every way was tried, there is no such URL.
struct WitnessSearch {
  /// What the others must do with the URL.
  enum Relation {
    /// None of them matches it.
    case missedByAll
    /// At least one of them matches it.
    case matchedByAny
  }

  enum Outcome {
    /// There is such a URL: a word of the alphabet.
    case found([Alphabet.Symbol])
    /// There is none. For `missedByAll`: routes that together match all URLs of the one in question,
    /// and those that were seen to match wherever one was needed.
    case none(because: Set<Int>, always: Set<Int>)
    /// The effort did not suffice.
    case undecided
  }

  /// A beginning of a URL.
  private struct Beginning {
    let parent: Int
    let symbol: Alphabet.Symbol
    let component: Alphabet.Component?
    let shape: PathShape
    let state: RouteMachine.State
    /// The other routes that can still match, as pairs of number and state.
    let others: [Int32]
  }

  /// What is known of the slashes of a path, of which only the normal form is looked at.
  private enum PathShape: Int32 {
    case empty, root, afterSlash, afterOther

    /// After one more character; `nil` if no path has it there.
    func next(isSlash: Bool) -> PathShape? {
      switch self {
      case .empty: isSlash ? .root : nil
      case .root, .afterSlash, .afterOther: isSlash ? .afterSlash : .afterOther
      }
    }

    var isNormal: Bool { self == .root || self == .afterOther }
  }

  private let alphabet: Alphabet
  private let route: RouteMachine
  private let others: [RouteMachine]
  private let relation: Relation
  private let effort: Effort

  private var beginnings: [Beginning] = []
  private var visited: Set<[Int32]> = []
  private var because: Set<Int> = []
  private var always: Set<Int>?

  static func run(
    _ alphabet: Alphabet, _ route: RouteMachine, _ relation: Relation, _ others: [RouteMachine],
    _ effort: Effort
  ) -> Outcome {
    var search = WitnessSearch(alphabet, route, relation, others, effort)
    return search.run()
  }

  private init(
    _ alphabet: Alphabet, _ route: RouteMachine, _ relation: Relation, _ others: [RouteMachine],
    _ effort: Effort
  ) {
    (self.alphabet, self.route, self.others) = (alphabet, route, others)
    (self.relation, self.effort) = (relation, effort)
  }

  private mutating func run() -> Outcome {
    var queue = BucketQueue()
    let alive = others.indices.filter { others[$0].start != RouteMachine.dead }
    let start = Beginning(
      parent: -1, symbol: Alphabet.end, component: .path, shape: .empty, state: route.start,
      others: alive.flatMap { [Int32($0), Int32(others[$0].start)] })
    if let word = visit(start, depth: 0, &queue) { return .found(word) }
    while let step = queue.pop() {
      effort.spend(4)
      if effort.isSpent { return .undecided }
      guard let next = beginning(after: step) else { continue }
      if let word = visit(next, depth: step.depth, &queue) { return .found(word) }
    }
    return .none(because: because, always: always ?? [])
  }

  /// The beginning that a step leads to, unless no URL begins like that or the route matches none.
  private func beginning(after step: BucketQueue.Step) -> Beginning? {
    let last = beginnings[step.parent]
    guard let component = last.component else { return nil }
    let isEnd = step.symbol == Alphabet.end
    let state = route.next(last.state, step.symbol)
    guard state != RouteMachine.dead else { return nil }
    var rest: [Int32] = []
    rest.reserveCapacity(last.others.count)
    for index in stride(from: 0, to: last.others.count, by: 2) {
      let machine = others[Int(last.others[index])]
      let next = machine.next(Int(last.others[index + 1]), step.symbol)
      if next != RouteMachine.dead { rest += [last.others[index], Int32(next)] }
    }
    effort.spend(last.others.count)
    let shape =
      component == .path && !isEnd
      ? last.shape.next(isSlash: step.symbol == alphabet.slash) ?? last.shape : last.shape
    return Beginning(
      parent: step.parent, symbol: step.symbol,
      component: isEnd ? Alphabet.Component(rawValue: component.rawValue + 1) : component,
      shape: component == .path && isEnd ? .empty : shape, state: state, others: rest)
  }

  /// Notes a beginning and the steps that lead on from it; the word, if it already settles the
  /// question.
  private mutating func visit(
    _ beginning: Beginning, depth: Int, _ queue: inout BucketQueue
  ) -> [Alphabet.Symbol]? {
    guard beginning.state != RouteMachine.dead else { return nil }
    if let isSettled = settles(beginning) {
      return isSettled ? word(of: beginning) : nil
    }
    let key =
      [Int32(beginning.component?.rawValue ?? 3), beginning.shape.rawValue, Int32(beginning.state)]
      + beginning.others
    guard visited.insert(key).inserted else { return nil }
    beginnings.append(beginning)
    let place = beginnings.count - 1
    for symbol in symbols(after: beginning).reversed() {
      let next = route.next(beginning.state, symbol)
      guard let distance = route.distance(next) else { continue }
      queue.push(
        BucketQueue.Step(parent: place, symbol: symbol, depth: depth + 1),
        priority: depth + 1 + distance)
    }
    return nil
  }

  /// Whether a URL that begins so is (true) or can never be (false) what is looked for; `nil` while
  /// that depends on how it goes on.
  private mutating func settles(_ beginning: Beginning) -> Bool? {
    let isWhole = beginning.component == nil
    switch relation {
    case .missedByAll:
      let matching = othersMatching(beginning)
      if matching.isEmpty { return isWhole ? true : nil }
      always = always?.intersection(matching) ?? Set(matching)
      if because.isDisjoint(with: matching), let first = matching.first { because.insert(first) }
      return false
    case .matchedByAny:
      if beginning.others.isEmpty { return false }
      return isWhole ? true : nil
    }
  }

  /// The others that match every URL that begins so.
  private func othersMatching(_ beginning: Beginning) -> [Int] {
    stride(from: 0, to: beginning.others.count, by: 2).compactMap { index in
      let number = Int(beginning.others[index])
      let state = Int(beginning.others[index + 1])
      let matches = beginning.component == nil || others[number].isBoundless(state)
      return matches ? number : nil
    }
  }

  /// The symbols that URLs go on with, one of each kind that all routes treat alike, as far as the
  /// route allows them; the plainest first.
  private func symbols(after beginning: Beginning) -> [Alphabet.Symbol] {
    guard let component = beginning.component else { return [] }
    if beginning.shape == .empty, component == .path { return [alphabet.slash] }
    let usable = alphabet.symbols(in: component)
    let isEndPossible = component != .path || beginning.shape.isNormal
    let end = isEndPossible ? [Alphabet.end] : []
    if let leadingOn = route.leadingOn(beginning.state) {
      return end + usable.filter(leadingOn.contains)
    }
    var isTold = Array(repeating: false, count: alphabet.count)
    isTold[alphabet.slash] = component == .path
    for symbol in route.distinguished(beginning.state) { isTold[symbol] = true }
    for index in stride(from: 0, to: beginning.others.count, by: 2) {
      let machine = others[Int(beginning.others[index])]
      for symbol in machine.distinguished(Int(beginning.others[index + 1])) {
        isTold[symbol] = true
      }
    }
    effort.spend(beginning.others.count / 2 + 10)
    let anyOther = usable.first { !isTold[$0] }
    return end + (anyOther.map { [$0] } ?? []) + usable.filter { isTold[$0] }
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

/// Steps in the order of their priorities; of equal ones the last first.
private struct BucketQueue {
  struct Step {
    let parent: Int
    let symbol: Alphabet.Symbol
    let depth: Int
  }

  private var buckets: [[Step]] = []
  private var first = 0

  mutating func push(_ step: Step, priority: Int) {
    while buckets.count <= priority { buckets.append([]) }
    buckets[priority].append(step)
    first = min(first, priority)
  }

  mutating func pop() -> Step? {
    while first < buckets.count {
      if let step = buckets[first].popLast() { return step }
      first += 1
    }
    return nil
  }
}
