/// Values that are read some at a time, in the order of their keys.
struct ReadAhead<Key, Value> {
  private let keys: [Key]
  private let most: Int
  private var range = 0..<0
  /// The number of those before the next one.
  private var done = 0
  private var values: [Value] = []
  /// Those after them, if they have been read.
  private var next: Result<[Value], any Error>?

  /// - Parameter most: The most that are read together; 1 if only few of them are asked for.
  init(_ keys: [Key], atOnce most: Int = 128) {
    (self.keys, self.most) = (keys, most)
  }

  /// - Parameter read: Reads the first of the values with some keys, at least one.
  mutating func value(at index: Int, read: ([Key]) throws -> [Value]) throws -> Value {
    if !range.contains(index) {
      // Never more than those that `take` got in advance, besides these.
      values = []
      let isNext = index == range.upperBound
      values = try (isNext ? next : nil)?.get() ?? read(keys(from: index))
      next = nil
      range = index..<index + values.count
    }
    done = index + 1
    return values[index - range.lowerBound]
  }

  /// The keys of those to read next; none while as many are left of those that were read.
  func upcoming(left: Int) -> [Key] {
    if most == 1 || next != nil || range.upperBound - done >= left { return [] }
    return keys(from: range.upperBound)
  }

  /// Takes what reading `upcoming` gave.
  mutating func take(_ read: Result<[Value], any Error>) { next = read }

  private func keys(from index: Int) -> [Key] { Array(keys[index...].prefix(most)) }
}
