public import Store

/// Writes to the store, and waits until the change is served.
public struct Publisher: Sendable {
  /// The store.
  public let store: Store
  private let serve: @Sendable () throws -> Void

  /// A publisher for a store.
  ///
  /// - Parameter serve: Called after each commit; serves everything that is committed.
  public init(store: Store, serve: @escaping @Sendable () throws -> Void = {}) {
    self.store = store
    self.serve = serve
  }

  /// Runs `body` in a write transaction. When this returns, all of it is stored and served. If
  /// `body` throws, or for a dry run, nothing is.
  ///
  /// - Throws: `StoreError`, and what `body` throws. With `StoreError.notServedYet`, all of it is
  ///   stored.
  public func write<Result: Sendable>(
    _ context: WriteContext, _ body: (borrowing Transaction) throws -> Result
  ) throws -> Result {
    let result = try store.write(context, body)
    if context.isDryRun { return result }
    do {
      try serve()
    } catch {
      throw StoreError.notServedYet(detail: String(describing: error))
    }
    return result
  }
}
