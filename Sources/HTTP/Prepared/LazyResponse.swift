import Synchronization

/// A response that is made when it is first asked for, by whichever thread, and then kept: making it
/// takes longer than reading its document from a database, and for most of many documents nobody asks.
public struct LazyResponse: ~Copyable, Sendable {
  /// The bits of a `ResponseReference`, 0 while none is kept. It is kept until the end of this.
  private let kept = Atomic<UInt>(0)

  /// A response that is still to be made.
  public init() {}

  deinit { reference?.release() }

  /// Whether it was made and is kept.
  public var isKept: Bool { reference != nil }

  /// Where it lies in memory; empty while it is not kept.
  public var extent: Extent { reference.map { Extent(of: $0) } ?? Extent() }

  private var reference: ResponseReference? {
    ResponseReference(bits: kept.load(ordering: .acquiring))
  }

  /// Calls `body` with the response and returns its result; `nil` if there is no memory for it.
  ///
  /// - Parameters:
  ///   - limit: How many are kept together with others. Beyond it the response is made for this call
  ///     only. Whoever owns this gives its place back at the end, if it `isKept`.
  ///   - make: Makes the response, always the same one.
  package borrowing func withReference<Result>(
    within limit: KeptResponses?,
    _ make: () throws(PreparedResponse.Failure) -> PreparedResponse,
    _ body: (ResponseReference) -> Result
  ) -> Result? {
    if let reference { return body(reference) }
    do throws(PreparedResponse.Failure) {
      let response = try make()
      if limit?.take() ?? true {
        // Releasing, so that who finds the address finds the response as it was made.
        let isFirst = kept.compareExchange(
          expected: 0, desired: response.reference.bits, ordering: .acquiringAndReleasing
        ).exchanged
        if isFirst { return body(response.handOver()) }
        // Another thread was faster: this one is sent once.
        limit?.giveBack()
      }
      return withExtendedLifetime(response) { body($0.reference) }
    } catch {
      return nil
    }
  }
}
