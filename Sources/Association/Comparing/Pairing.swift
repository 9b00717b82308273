/// Finds out which removed route and which added one are one route that was changed.
struct Pairing {
  /// Of how many pairs of routes between two kept ones the similarity is measured.
  private static let mostPairs = 4_096

  private let from: [ComparedRoute]
  private let to: [ComparedRoute]
  let gaps: Gaps
  /// The routes of either list that are not paired, in order.
  private(set) var old: [Int]
  private(set) var new: [Int]
  /// What belongs together.
  private(set) var pairs: [PlacePair] = []

  /// - Parameters:
  ///   - kept: The routes that are the same, in order in both lists.
  ///   - matched: These and the ones that were moved.
  init(
    _ from: [ComparedRoute], _ to: [ComparedRoute], kept: [PlacePair],
    matched: [PlacePair]
  ) {
    (self.from, self.to) = (from, to)
    gaps = Gaps(from: from.count, to: to.count, kept: kept)
    let isOld = Set(matched.map(\.from))
    let isNew = Set(matched.map(\.to))
    old = from.indices.filter { !isOld.contains($0) }
    new = to.indices.filter { !isNew.contains($0) }
  }

  mutating func pairAll() {
    // Where only one was changed, there is nothing to choose.
    if old.count == 1, new.count == 1, gaps.from[old[0]] == gaps.to[new[0]] {
      return take([PlacePair(from: old[0], to: new[0])])
    }
    pair(inOneGap: true, \.conditionsNumber)
    pair(inOneGap: true, \.pathNumber)
    pair(inOneGap: false, \.conditionsNumber)
    pair(inOneGap: false, \.pathNumber)
    pairSimilar()
  }

  /// Pairs routes of the same number, the first with the first and so on.
  private mutating func pair(inOneGap: Bool, _ number: (ComparedRoute) -> Int) {
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

  /// Pairs what is left between the same kept routes, the most similar first.
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
    // With as many on either side they belong together even if they have nothing in common.
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

  /// In percent, how much of the paths is the same at their starts and ends, beyond the slash.
  private func similarity(_ old: Int, _ new: Int) -> Int {
    let one = Array((from[old].route.path?.text ?? "*").utf8.prefix(200))
    let other = Array((to[new].route.path?.text ?? "*").utf8.prefix(200))
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
