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
  ///   - status: The status.
  ///   - content: The body.
  ///   - fields: Makes the fields. Whoever asks gives the same status, content and fields each time.
  ///   - limit: How many are kept together with others. Beyond it the response is made for this call
  ///     only. Whoever owns this gives its place back at the end, if it `isKept`.
  public borrowing func withResponse<Result>(
    _ status: Status, _ content: Content, fields: () -> Fields, within limit: KeptResponses? = nil,
    _ body: (borrowing PreparedResponse) -> Result
  ) -> Result? {
    if let reference {
      return PreparedResponse.lend(reference, status, contentBytes: content.count, body)
    }
    do throws(PreparedResponse.Failure) {
      let response = try PreparedResponse(status, fields: fields(), content: content)
      if limit?.take() ?? true {
        // Releasing, so that who finds the address finds the response as it was made.
        let isFirst = kept.compareExchange(
          expected: 0, desired: response.reference.bits, ordering: .acquiringAndReleasing
        ).exchanged
        if isFirst {
          let reference = response.handOver()
          return PreparedResponse.lend(reference, status, contentBytes: content.count, body)
        }
        // Another thread was faster: this one is sent once.
        limit?.giveBack()
      }
      return body(response)
    } catch {
      return nil
    }
  }
}
