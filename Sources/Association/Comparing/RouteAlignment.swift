/// What routes of two lists are matched by, Apple's or Android's.
struct RouteIdentity {
  /// Equal only for routes of the same meaning.
  let meaning: Int
  /// Equal only for routes of the same conditions, whether they are exclusions or not.
  let conditions: Int
  /// Equal only for routes of the same path.
  let path: Int
  let pathText: String
}

/// Matches the routes of one list with those of another.
///
/// Routes of the same meaning belong together, the first with the first and so on. The longest
/// sequence of them that has the same order in both lists is kept; the others are moved. The rest are
/// changed routes if they have the same conditions, the same path, or the same place between kept
/// ones, the most similar first.
struct RouteAlignment {
  /// What became of a route, and its places in both lists.
  struct Step {
    /// `nil` for a route that is kept.
    let kind: DocumentChange.Kind?
    let from: Int?
    let to: Int?

    /// A move in words.
    var positions: String { "moved from position \((from ?? 0) + 1) to \((to ?? 0) + 1)" }
  }

  /// The steps in the order of the second list; removed routes are where they were.
  let steps: [Step]

  init(_ from: [RouteIdentity], _ to: [RouteIdentity]) {
    let matched = Self.matched(from.map(\.meaning), to.map(\.meaning))
    let kept = PlacePair.longestRising(matched)
    var pairing = Pairing(from, to, kept: kept, matched: matched)
    pairing.pairAll()
    let isKept = Set(kept.map(\.from))
    let moved = matched.filter { !isKept.contains($0.from) }
    let steps =
      kept.map { Step(kind: nil, from: $0.from, to: $0.to) }
      + moved.map { Step(kind: .moved, from: $0.from, to: $0.to) }
      + pairing.pairs.map { Step(kind: .changed, from: $0.from, to: $0.to) }
      + pairing.old.map { Step(kind: .removed, from: $0, to: nil) }
      + pairing.new.map { Step(kind: .added, from: nil, to: $0) }
    self.steps = Self.inOrder(steps, pairing.gaps)
  }

  /// The pairs of equal numbers, in the order of the first list. Common starts and ends are paired
  /// first, so that the right one of several equal routes is reported as removed.
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
      let gap = step.to.map { gaps.to[$0] } ?? step.from.map { gaps.from[$0] } ?? 0
      let rank = step.kind == nil ? 0 : step.kind == .removed ? 1 : 2
      return (gap, rank, step.to ?? step.from ?? 0, step)
    }
    return keyed.sorted { ($0.gap, $0.rank, $0.index) < ($1.gap, $1.rank, $1.index) }.map(\.step)
  }
}

/// For each route of two lists, the number of kept routes up to it.
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

/// Pairs removed routes with added ones that are the same route, changed.
struct Pairing {
  /// The number of pairs between two kept routes, at most, whose similarity is measured.
  private static let mostPairs = 4_096

  private let from: [RouteIdentity]
  private let to: [RouteIdentity]
  let gaps: Gaps
  /// The unpaired routes of each list, in order.
  private(set) var old: [Int]
  private(set) var new: [Int]
  private(set) var pairs: [PlacePair] = []

  /// - Parameters:
  ///   - kept: The equal routes that have the same order in both lists.
  ///   - matched: The kept and the moved routes.
  init(
    _ from: [RouteIdentity], _ to: [RouteIdentity], kept: [PlacePair], matched: [PlacePair]
  ) {
    (self.from, self.to) = (from, to)
    gaps = Gaps(from: from.count, to: to.count, kept: kept)
    let isOld = Set(matched.map(\.from))
    let isNew = Set(matched.map(\.to))
    old = from.indices.filter { !isOld.contains($0) }
    new = to.indices.filter { !isNew.contains($0) }
  }

  mutating func pairAll() {
    // With one route on each side there is nothing to choose.
    if old.count == 1, new.count == 1, gaps.from[old[0]] == gaps.to[new[0]] {
      return take([PlacePair(from: old[0], to: new[0])])
    }
    pair(inOneGap: true, \.conditions)
    pair(inOneGap: true, \.path)
    pair(inOneGap: false, \.conditions)
    pair(inOneGap: false, \.path)
    pairSimilar()
  }

  /// Pairs routes of the same number, the first with the first and so on.
  private mutating func pair(inOneGap: Bool, _ number: (RouteIdentity) -> Int) {
    if old.isEmpty || new.isEmpty { return }
    var places: [[Int]: ArraySlice<Int>] = [:]
    for index in new {
      places[[inOneGap ? gaps.to[index] : 0, number(to[index])], default: []].append(index)
    }
    take(
      old.compactMap { index in
        let key = [inOneGap ? gaps.from[index] : 0, number(from[index])]
        return places[key]?.popFirst().map { PlacePair(from: index, to: $0) }
      })
  }

  /// Pairs the remaining routes between the same kept ones, the most similar first.
  private mutating func pairSimilar() {
    if old.isEmpty || new.isEmpty { return }
    let candidates = Dictionary(grouping: new) { gaps.to[$0] }
    for (gap, old) in Dictionary(grouping: old, by: { gaps.from[$0] }) {
      guard let new = candidates[gap] else { continue }
      let isSmall = old.count * new.count <= Self.mostPairs
      take(isSmall ? similar(old, new) : zip(old, new).map(PlacePair.init))
    }
  }

  private func similar(_ old: [Int], _ new: [Int]) -> [PlacePair] {
    let scored = old.flatMap { index in
      new.map { (pair: PlacePair(from: index, to: $0), score: similarity(index, $0)) }
    }
    // If both sides have the same count, routes are paired even if they have nothing in common.
    let isComplete = old.count == new.count
    var isOpen = (from: Set(old), to: Set(new))
    var result: [PlacePair] = []
    for (pair, score) in scored.sorted(by: Self.isBefore) where score > 0 || isComplete {
      guard isOpen.from.contains(pair.from), isOpen.to.contains(pair.to) else { continue }
      isOpen.from.remove(pair.from)
      isOpen.to.remove(pair.to)
      result.append(pair)
    }
    return result
  }

  private static func isBefore(
    _ one: (pair: PlacePair, score: Int), _ other: (pair: PlacePair, score: Int)
  ) -> Bool {
    (-one.score, one.pair.from, one.pair.to) < (-other.score, other.pair.from, other.pair.to)
  }

  /// How much of the paths is equal at their starts and ends, not counting the slash, in percent.
  private func similarity(_ old: Int, _ new: Int) -> Int {
    let one = Array(from[old].pathText.utf8.prefix(200))
    let other = Array(to[new].pathText.utf8.prefix(200))
    let start = zip(one, other).prefix { $0 == $1 }.count
    let rest = min(one.count, other.count) - start
    let end = zip(one.reversed(), other.reversed()).prefix(rest).prefix { $0 == $1 }.count
    let same = max(0, start + end - 1)
    return same * 100 / max(one.count, other.count, 1)
  }

  private mutating func take(_ taken: [PlacePair]) {
    if taken.isEmpty { return }
    pairs += taken
    let isOld = Set(taken.map(\.from))
    let isNew = Set(taken.map(\.to))
    old.removeAll(where: isOld.contains)
    new.removeAll(where: isNew.contains)
  }
}

/// A place in one list with its counterpart in another.
struct PlacePair {
  let from: Int
  let to: Int

  /// The longest sequence of pairs that also rises in the second list.
  static func longestRising(_ pairs: [PlacePair]) -> [PlacePair] {
    // For each length, the last pair of the sequence that ends lowest.
    var ends: [Int] = []
    var previous: [Int?] = []
    for index in pairs.indices {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].to < pairs[index].to { low = middle + 1 } else { high = middle }
      }
      previous.append(low > 0 ? ends[low - 1] : nil)
      if low < ends.count { ends[low] = index } else { ends.append(index) }
    }
    var result: [PlacePair] = []
    var next = ends.last
    while let index = next {
      result.append(pairs[index])
      next = previous[index]
    }
    return result.reversed()
  }
}
