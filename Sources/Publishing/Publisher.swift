public import Store

/// Commits what changes documents, and returns when what was committed is what is served.
public struct Publisher: Sendable {
  /// The store.
  public let store: Store
  /// Called after each commit; returns when what was committed is served.
  private let serve: @Sendable (Commit) throws -> Void

  /// A publisher for a store.
  ///
  /// - Parameter serve: Called after each commit, of one or of several edits; returns when what was
  ///   committed is served.
  public init(store: Store, serve: @escaping @Sendable (Commit) throws -> Void = { _ in }) {
    self.store = store
    self.serve = serve
  }

  /// Does `body` in one transaction: all of it, or nothing where it throws or the context is a dry
  /// run.
  ///
  /// - Throws: `StoreError`, and what `body` throws. After `StoreError.notServedYet` all of it is done.
  public func write<Result: Sendable>(
    _ context: WriteContext, _ body: (borrowing Transaction) throws -> Result
  ) throws -> Result {
    try store.write(context, handOver: serve, body)
  }
}
