import Synchronization

/// A number that is set now and then by one thread, and read by others.
public final class Gauge: Sendable {
  private let number = Atomic(0)

  /// 0.
  public init() {}

  /// The number that was set last.
  public var value: Int { number.load(ordering: .relaxed) }

  /// Sets it.
  public func set(_ value: Int) { number.store(value, ordering: .relaxed) }
}
