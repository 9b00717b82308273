public import Store

/// Commits what changes documents, and returns when what was committed is what is served.
public struct Publisher: Sendable {
  /// The store.
  public let store: Store
  /// Called after each commit; returns when what was committed is served.
  private let didCommit: @Sendable () throws -> Void

  /// A publisher for a store.
  ///
  /// - Parameter didCommit: Called after each commit; returns when what was committed is served.
  public init(store: Store, didCommit: @escaping @Sendable () throws -> Void = {}) {
    self.store = store
    self.didCommit = didCommit
  }

  /// Does `body` in one transaction: all of it, or nothing where it throws or the context is a dry
  /// run.
  ///
  /// - Throws: `StoreError`, and what `body` throws.
  public func write<Result: Sendable>(
    _ context: WriteContext, _ body: (borrowing Transaction) throws -> Result
  ) throws -> Result {
    let result = try store.write(context, body)
    if !context.isDryRun { try didCommit() }
    return result
  }
}
