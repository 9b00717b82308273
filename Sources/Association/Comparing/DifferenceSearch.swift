/// Looks for a URL about which a route decides in one list of routes, and which another list resolves
/// otherwise.
///
/// The automata of all routes run side by side over one URL, as in `WitnessSearch`. If every way was
/// tried, there is no such URL.
struct DifferenceSearch {
  /// A route of the other list.
  struct Rival {
    let machine: RouteMachine
    /// Whether it says of a URL what the route in question says.
    let agrees: Bool
  }

  struct Question {
    /// The route in question.
    let focus: RouteMachine
    /// The routes before it in its own list, which must not match.
    var blockers: [RouteMachine] = []
    /// The routes of the other list, of which the first that matches decides.
    var rivals: [Rival] = []
    /// Whether the other list says the same if none of the rivals matches.
    var agreesOtherwise = false
  }

  enum Outcome {
    /// There is such a URL: a word of the alphabet.
    case found([Alphabet.Symbol])
    /// There is none.
    case none
    /// The effort did not suffice.
    case undecided
  }

  /// A beginning of a URL.
  private struct Beginning {
    let parent: Int
    let symbol: Alphabet.Symbol
    let component: Alphabet.Component?
    let place: PathPlace
    let focus: RouteMachine.State
    /// The blockers and rivals that can still match, as pairs of number and state.
    var others: [Int32]
    var agreesOtherwise: Bool
  }

  /// Where in a path one is. Only paths in normal form are looked at: they begin with one slash, and
  /// slashes at the end do not count.
  private enum PathPlace: Int32 {
    case outside, root, slash, character
  }

  private struct Step {
    let parent: Int
    let symbol: Alphabet.Symbol
    let depth: Int
  }

  private let alphabet: Alphabet
  private let focus: RouteMachine
  private let others: [RouteMachine]
  private let blockerCount: Int
  private let agrees: [Bool]
  private let effort: Effort
  private var beginnings: [Beginning] = []
  private var visited: Set<[Int32]> = []
  /// The steps to try, by the least length of a URL that they may lead to.
  private var queue: [[Step]] = []
  private var shortest = 0

  static func run(_ question: Question, _ alphabet: Alphabet, _ effort: Effort) -> Outcome {
    var search = DifferenceSearch(question, alphabet, effort)
    return search.run(agreesOtherwise: question.agreesOtherwise)
  }

  private init(_ question: Question, _ alphabet: Alphabet, _ effort: Effort) {
    (self.alphabet, self.effort) = (alphabet, effort)
    focus = question.focus
    others = question.blockers + question.rivals.map(\.machine)
    blockerCount = question.blockers.count
    agrees = question.rivals.map(\.agrees)
  }

  private mutating func run(agreesOtherwise: Bool) -> Outcome {
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
      effort.spend(4)
      if effort.isSpent { return .undecided }
      guard let next = beginning(after: step) else { continue }
      if let word = visit(next, depth: step.depth) { return .found(word) }
    }
    return .none
  }

  /// The beginning that a step leads to.
  private func beginning(after step: Step) -> Beginning? {
    let last = beginnings[step.parent]
    guard let component = last.component else { return nil }
    var rest: [Int32] = []
    rest.reserveCapacity(last.others.count)
    for index in stride(from: 0, to: last.others.count, by: 2) {
      let state = others[Int(last.others[index])].next(Int(last.others[index + 1]), step.symbol)
      if state != RouteMachine.dead { rest += [last.others[index], Int32(state)] }
    }
    effort.spend(last.others.count)
    let isEnd = step.symbol == Alphabet.end
    return Beginning(
      parent: step.parent, symbol: step.symbol,
      component: isEnd ? Alphabet.Component(rawValue: component.rawValue + 1) : component,
      place: isEnd || component != .path ? .outside : place(after: last, step.symbol),
      focus: focus.next(last.focus, step.symbol), others: rest,
      agreesOtherwise: last.agreesOtherwise)
  }

  private func place(after last: Beginning, _ symbol: Alphabet.Symbol) -> PathPlace {
    if last.place == .outside { return .root }
    return symbol == alphabet.slash ? .slash : .character
  }

  /// Notes a beginning and the steps that lead on from it; the word, if it is what is looked for.
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
    }
    return nil
  }

  /// The beginning without the rivals that make no difference; `nil` if no URL that begins so is what
  /// is looked for.
  private func reduced(_ beginning: Beginning) -> Beginning? {
    var result = beginning
    result.others.removeAll(keepingCapacity: true)
    for index in stride(from: 0, to: beginning.others.count, by: 2) {
      let number = Int(beginning.others[index])
      let state = beginning.others[index + 1]
      let isSure = beginning.component == nil || others[number].isBoundless(Int(state))
      if isSure {
        if number < blockerCount { return nil }
        result.agreesOtherwise = agrees[number - blockerCount]
        break
      }
      result.others += [Int32(number), state]
    }
    // What the last rivals say is said without them, too.
    while let number = result.others.dropLast().last.map(Int.init), number >= blockerCount,
      agrees[number - blockerCount] == result.agreesOtherwise
    {
      result.others.removeLast(2)
    }
    let hasRival = result.others.dropLast().last.map { $0 >= blockerCount } ?? false
    return result.agreesOtherwise && !hasRival ? nil : result
  }

  /// The symbols that URLs go on with, one of each kind that all routes treat alike; the plainest
  /// first.
  private func symbols(after beginning: Beginning) -> [Alphabet.Symbol] {
    guard let component = beginning.component else { return [] }
    if component == .path, beginning.place == .outside { return [alphabet.slash] }
    let usable = alphabet.symbols(in: component)
    let end = beginning.place == .slash ? [] : [Alphabet.end]
    if let leadingOn = focus.leadingOn(beginning.focus) {
      return end + usable.filter(leadingOn.contains)
    }
    var told = Set(focus.distinguished(beginning.focus))
    if component == .path { told.insert(alphabet.slash) }
    for index in stride(from: 0, to: beginning.others.count, by: 2) {
      let machine = others[Int(beginning.others[index])]
      told.formUnion(machine.distinguished(Int(beginning.others[index + 1])))
    }
    effort.spend(beginning.others.count / 2 + 10)
    let anyOther = usable.first { !told.contains($0) }
    return end + (anyOther.map { [$0] } ?? []) + usable.filter(told.contains)
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
