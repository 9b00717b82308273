/// A place in one list and the place in another that belongs to it.
struct PlacePair {
  let from: Int
  let to: Int

  /// The longest sequence of the pairs that rises in the second list, too.
  static func longestRising(_ pairs: [PlacePair]) -> [PlacePair] {
    // For each length the sequence that ends lowest, by its last pair.
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
