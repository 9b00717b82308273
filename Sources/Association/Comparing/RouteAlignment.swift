/// Which route of one list is which of another.
///
/// Routes of the same meaning belong together, the first to the first and so on. The longest
/// sequence of them that is in order in both lists is kept, and the others are moved. Of the rest,
/// routes of the same conditions, of the same path, and such as stand at the same place between kept
/// ones are changed routes, the most similar first.
struct RouteAlignment {
  /// What became of a route.
  enum Step {
    case kept(from: Int, to: Int)
    case moved(from: Int, to: Int)
    case changed(from: Int, to: Int)
    case removed(from: Int)
    case added(to: Int)
  }

  /// The steps in the order of the second list; what is removed stands where it was.
  let steps: [Step]

  init(_ from: [ComparedRoute], _ to: [ComparedRoute]) {
    let matched = Self.matched(from.map(\.meaningNumber), to.map(\.meaningNumber))
    let kept = PlacePair.longestRising(matched)
    var pairing = Pairing(from, to, kept: kept, matched: matched)
    pairing.pairAll()
    let isKept = Set(kept.map(\.from))
    let moved = matched.filter { !isKept.contains($0.from) }
    let steps =
      kept.map { Step.kept(from: $0.from, to: $0.to) }
      + moved.map { Step.moved(from: $0.from, to: $0.to) }
      + pairing.pairs.map { Step.changed(from: $0.from, to: $0.to) }
      + pairing.old.map { Step.removed(from: $0) } + pairing.new.map { Step.added(to: $0) }
    self.steps = Self.inOrder(steps, pairing.gaps)
  }

  /// The pairs of equal numbers, in the order of the first list. What begins or ends both lists is
  /// paired first, so that of repeated ones the right one is missing.
  private static func matched(_ from: [Int], _ to: [Int]) -> [PlacePair] {
    let start = zip(from, to).prefix { $0 == $1 }.count
    let shorter = min(from.count, to.count) - start
    let end = zip(from.reversed(), to.reversed()).prefix(shorter).prefix { $0 == $1 }.count
    var places: [Int: ArraySlice<Int>] = [:]
    for index in start..<to.count - end { places[to[index], default: []].append(index) }
    var pairs: [PlacePair] = (0..<start).map { PlacePair(from: $0, to: $0) }
    for index in start..<from.count - end {
      if let place = places[from[index]]?.popFirst() {
        pairs.append(PlacePair(from: index, to: place))
      }
    }
    return pairs
      + (0..<end).reversed().map { PlacePair(from: from.count - 1 - $0, to: to.count - 1 - $0) }
  }

  private static func inOrder(_ steps: [Step], _ gaps: Gaps) -> [Step] {
    let keyed = steps.map { step -> (gap: Int, rank: Int, index: Int, step: Step) in
      switch step {
      case .kept(_, let to): (gaps.to[to], 0, to, step)
      case .moved(_, let to), .changed(_, let to), .added(let to): (gaps.to[to], 2, to, step)
      case .removed(let from): (gaps.from[from], 1, from, step)
      }
    }
    return keyed.sorted { ($0.gap, $0.rank, $0.index) < ($1.gap, $1.rank, $1.index) }.map(\.step)
  }
}

/// For each route of two lists the number of kept ones up to it.
struct Gaps {
  let from: [Int]
  let to: [Int]

  init(from count: Int, to otherCount: Int, kept: [PlacePair]) {
    from = Self.numbers(count, kept.map(\.from))
    to = Self.numbers(otherCount, kept.map(\.to))
  }

  private static func numbers(_ count: Int, _ kept: [Int]) -> [Int] {
    var numbers: [Int] = []
    var rest = kept[...]
    for index in 0..<count {
      if rest.first == index { rest.removeFirst() }
      numbers.append(kept.count - rest.count)
    }
    return numbers
  }
}
