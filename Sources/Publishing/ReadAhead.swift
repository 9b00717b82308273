/// Reads values in batches, in the order of their keys.
struct ReadAhead<Key, Value> {
  private let keys: [Key]
  private let most: Int
  private var range = 0..<0
  /// The number of values before the next one.
  private var done = 0
  private var values: [Value] = []
  /// The next batch, if it has been read.
  private var next: Result<[Value], any Error>?

  /// - Parameter most: The most values of a batch; 1 if only few are asked for.
  init(_ keys: [Key], atOnce most: Int = 128) {
    (self.keys, self.most) = (keys, most)
  }

  /// - Parameter read: Reads the first of the values with some keys, at least one.
  mutating func value(at index: Int, read: ([Key]) throws -> [Value]) throws -> Value {
    if !range.contains(index) {
      // Two batches at most: this one, and the one that `take` got.
      let isNext = index == range.upperBound
      (values, range) = ([], index..<index)
      values = try (isNext ? next : nil)?.get() ?? read(keys(from: index))
      next = nil
      range = index..<index + values.count
    }
    done = index + 1
    return values[index - range.lowerBound]
  }

  /// The keys of the next batch; none while so many values are left.
  func upcoming(left: Int) -> [Key] {
    if most == 1 || next != nil || range.upperBound - done >= left { return [] }
    return keys(from: range.upperBound)
  }

  /// Takes what reading `upcoming` gave.
  mutating func take(_ read: Result<[Value], any Error>) { next = read }

  private func keys(from index: Int) -> [Key] { Array(keys[index...].prefix(most)) }
}
