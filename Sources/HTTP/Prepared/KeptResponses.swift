import Synchronization

/// How many responses may be kept that are quickly made again.
public final class KeptResponses: Sendable {
  /// The most that there may be.
  public let limit: Int
  private let number = Atomic<Int>(0)

  /// Room for some, of which none is taken.
  public init(limit: Int) { self.limit = limit }

  /// How many there are.
  public var count: Int { number.load(ordering: .relaxed) }

  /// Whether one more may be kept, whose place is then to be given back.
  func take() -> Bool {
    if number.add(1, ordering: .relaxed).newValue <= limit { return true }
    giveBack()
    return false
  }

  /// One is kept no longer.
  public func giveBack() { number.subtract(1, ordering: .relaxed) }
}
