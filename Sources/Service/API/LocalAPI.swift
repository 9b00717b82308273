package import Checking
package import HTTP
package import Publishing
import Store

/// The JSON API for a command that has opened the database itself: the endpoints of `AdminAPI`, without a
/// listener, a token, and the limits that protect a server.
package struct LocalAPI: Sendable {
  private let publisher: Publisher
  private let router: Router
  private let caller: Identity

  /// An API that edits through a publisher.
  ///
  /// - Parameters:
  ///   - checker: Looks at domains from outside.
  ///   - command: The name of the command, such as `aasa import`: the author of its changes.
  package init(
    publisher: Publisher, checker: @escaping @Sendable () -> Checker, command: String
  ) {
    self.publisher = publisher
    router = Router(AdminAPI.endpoints(of: publisher, checker: checker, recordsChecks: false))
    caller = Identity(.command(command), by: .token)
  }

  /// Answers a request; refusals are problems.
  ///
  /// - Throws: Errors of the database and the program. A command can say more about them than a problem.
  package func answer(_ request: Request) throws -> Response {
    do {
      let (endpoint, parameters) = try router.find(request.method, request.target.segments)
      try endpoint.check(request.target.queryItems)
      return try endpoint.handle(Call(request: request, parameters: parameters, identity: caller))
    } catch let error as StoreError where error.isDatabaseFailure {
      throw error
    } catch let refusal {
      do throws(InternalError) {
        return try publisher.problem(of: refusal).response()
      } catch {
        throw refusal
      }
    }
  }
}

extension StoreError {
  /// Whether the database cannot be used, whatever is asked of it.
  fileprivate var isDatabaseFailure: Bool {
    switch self {
    case .busy, .database, .newerSchema, .olderSchema, .unsuitable, .brokenReferences: true
    default: false
    }
  }
}
