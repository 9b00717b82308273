import APITypes
package import Association
package import JSONValue
package import Publishing
package import Store

/// Whole states in JSON: what `/v1/export` and `/v1/apply` do, whoever asked. A program that works on
/// the database itself uses it too, so that the same JSON goes in and comes out.
package struct StateExchange: Sendable {
  let publisher: Publisher

  /// The exchange with what a publisher publishes to.
  package init(publisher: Publisher) { self.publisher = publisher }

  /// All apps and domains.
  package func export() throws -> JSON { StateResource.json(try publisher.store.state()) }

  /// Makes everything what a state says, or nothing.
  ///
  /// - Parameters:
  ///   - prune: Whether what the state does not have is removed.
  ///   - accepted: Codes of errors in spite of which documents are published.
  /// - Returns: The plan, with `"dryRun": true` where the context says so.
  /// - Throws: what `problem(of:)` describes, and errors of the database.
  package func apply(
    _ json: JSON, _ context: WriteContext, prune: Bool, accepting accepted: Set<Finding.Code>
  ) throws -> JSON {
    let state = try Faults.collecting(in: json, StateResource.read)
    let plan = try publisher.write(context) {
      try $0.apply(state, prune: prune, accepting: accepted)
    }
    var object = try PlanResource.json(plan)
    if context.isDryRun { object["dryRun"] = true }
    return .object(object)
  }

  /// What the API answers to an error of `apply` (RFC 9457); `nil` for an error that is not the
  /// state's fault.
  package static func problem(of error: any Error) -> JSON? {
    switch error {
    case StoreError.database, StoreError.newerSchema, StoreError.brokenReferences: return nil
    default: break
    }
    do throws(Internal) {
      return try Problem.of(error).json
    } catch {
      return nil
    }
  }
}
