package import Association
package import Checking
package import HTTP
package import Store
package import Publishing

/// The JSON API of the admin listener, and the dashboard's files.
package struct AdminAPI: Sendable {
  let publisher: Publisher
  private let authentication: Authentication
  private let router: Router
  private let counts: AdminCounts
  private let heavyWork = HeavyWork()
  /// What gives the turns for reading. One token never has all connections for lists.
  let reading = HeavyWork(share: Store.scannerCount - 1)
  private let log: @Sendable (AdminEvent) -> Void

  /// An API that edits through a publisher.
  ///
  /// - Parameters:
  ///   - checker: Looks at domains from outside.
  ///   - readiness: Reports the health of the service.
  ///   - serves: Whether a file is currently served for a name.
  ///   - counts: Counts requests and answers.
  ///   - metrics: What `/metrics` shows.
  ///   - usesTLS: Whether the listener speaks HTTPS.
  ///   - trust: The proxies that may name the user.
  ///   - log: Receives events for the log; must not block.
  package init(
    publisher: Publisher, checker: @escaping @Sendable () -> Checker,
    readiness: @escaping @Sendable () -> Readiness,
    serves: @escaping @Sendable (DomainName) -> Bool, counts: AdminCounts,
    metrics: @escaping @Sendable () -> [MetricFamily], usesTLS: Bool = false,
    trust: ProxyTrust = ProxyTrust(),
    log: @escaping @Sendable (AdminEvent) -> Void
  ) {
    self.publisher = publisher
    self.counts = counts
    self.log = log
    authentication = Authentication(store: publisher.store, usesTLS: usesTLS, trust: trust)
    router = Router(
      Self.endpoints(
        publisher, authentication, checker: checker, readiness: readiness, serves: serves,
        metrics: metrics))
  }

  /// Trusts these proxies from now on.
  package func apply(_ trust: ProxyTrust) { authentication.apply(trust) }

  /// The version of the program, from the file `VERSION`.
  package static let programVersion = String(decoding: PackageResources.VERSION, as: UTF8.self)
    .filter { !$0.isNewline }

  /// The paths that monitoring asks for.
  package static let probes: Set<String> = ["/healthz", "/readyz", "/metrics"]

  /// All endpoints, in the order of the description.
  static func endpoints(
    _ publisher: Publisher, _ authentication: Authentication,
    checker: @escaping @Sendable () -> Checker, readiness: @escaping @Sendable () -> Readiness,
    serves: @escaping @Sendable (DomainName) -> Bool,
    metrics: @escaping @Sendable () -> [MetricFamily]
  ) -> [Endpoint] {
    let described =
      ServiceEndpoints(readiness: readiness, serves: serves, metrics: metrics).all
      + endpoints(of: publisher, checker: checker)
      + SessionEndpoints(store: publisher.store, authentication: authentication).all
    return [ServiceEndpoints.description(of: described)] + described
      + DashboardEndpoints().all
  }

  /// The endpoints for what is stored.
  ///
  /// - Parameter recordsChecks: Whether checks say something about the health of the domains that are published
  ///   here. Those of a command do not: its machine and its options are not those of the server.
  static func endpoints(
    of publisher: Publisher, checker: @escaping @Sendable () -> Checker, recordsChecks: Bool = true
  ) -> [Endpoint] {
    let state = StateEndpoints(publisher: publisher)
    let drafts = DraftEndpoints(publisher: publisher, state: state)
    let all =
      AppEndpoints.apple(publisher, state).all + AppEndpoints.android(publisher, state).all
      + DomainEndpoints(publisher: publisher).all
      + [ConvertEndpoint(publisher: publisher).convert]
      + TemplateEndpoints(publisher: publisher, state: state).all
      + EntryEndpoints(publisher: publisher).all + RouteEndpoints(publisher: publisher).all
      + [RouteEditEndpoint(publisher: publisher, state: state).edit]
      + RevisionEndpoints(publisher: publisher).all
      + ExpectationEndpoints(publisher: publisher).all
      + FindingEndpoints(store: publisher.store).all
      + SnippetEndpoints(store: publisher.store).all
      + MatchEndpoints(store: publisher.store).all
      + [ExplainEndpoint(store: publisher.store).explain, QREndpoint.code]
      + CheckEndpoints(store: publisher.store, checker: checker, records: recordsChecks).all
      + CheckHistoryEndpoints(store: publisher.store).all
      + state.all + [ServedEndpoint(store: publisher.store).list]
      + ChangeEndpoints(publisher: publisher, state: state).all
      + drafts.all
      + WebhookEndpoints(store: publisher.store).all
      + TokenEndpoints(store: publisher.store).all + UserEndpoints(store: publisher.store).all
      + AuditEndpoints(store: publisher.store).all
      + ReplicaEndpoints(store: publisher.store).all
    return all.map(drafts.offering)
  }

  /// Refuses a request before its body is read (400 for its query, 401, 403, 404 or 405), or says how
  /// large its body may be.
  package func screen(_ head: RequestHead) -> Screening {
    let start = ContinuousClock.now
    var caller = Caller()
    do {
      let endpoint = try admit(head, &caller).endpoint
      if let receive = endpoint.receiveLines, head.fields.areLines {
        return .spoolBody(try receive(caller.token))
      }
      return .readBody(
        upTo: endpoint.bodyLimit, for: authentication.bodyHolders(of: head, caller.token))
    } catch {
      return .answer(answer(.failure(error), to: head, head.fields, caller, since: start))
    }
  }

  /// Answers a request; any error becomes an answer.
  package func answer(_ request: Request) -> Response {
    let start = ContinuousClock.now
    var caller = Caller()
    let result = Result {
      let (endpoint, parameters) = try admit(request.head, &caller)
      let call = Call(
        request: request, parameters: parameters, identity: caller.identity,
        client: authentication.client(of: request.head))
      // The files of the dashboard take any query, and neither token nor database.
      let longestWait = endpoint.effect == .none ? nil : try call.longestWait()
      let response = try handle(call, endpoint)
      guard let longestWait, response.status.code < 300 else { return response }
      return call.wait(longestWait, response, publisher.store)
    }
    return answer(result, to: request.head, request.fields, caller, since: start)
  }

  private func handle(_ call: Call, _ endpoint: Endpoint) throws -> Response {
    guard let work = endpoint.isHeavy ? heavyWork : endpoint.isReading ? reading : nil else {
      return try endpoint.handle(call)
    }
    let turn = try work.turn(
      for: call.token?.sharer ?? "", unless: call.request.clientHasGone)
    var call = call
    // Who only waits to write does nothing heavy.
    call.willWrite = turn.release
    return try withExtendedLifetime(turn) { try endpoint.handle(call) }
  }

  /// What is known about a request, even a refused one.
  private struct Caller {
    var endpoint: Endpoint?
    var identity: Identity?
    var token: Token? { identity?.token }
  }

  /// The endpoint for a request, after its token and query have been checked.
  private func admit(
    _ head: RequestHead, _ caller: inout Caller
  ) throws -> (endpoint: Endpoint, parameters: [String: String]) {
    let (endpoint, parameters) = try router.find(head.method, head.target.segments)
    caller.endpoint = endpoint
    if endpoint.access != .anybody { caller.identity = try authentication.identity(of: head) }
    // A user may have a role for fewer domains than another.
    caller.identity = caller.identity?.limited(to: endpoint.role(isDryRun: head.isDryRun))
    try caller.token?.check(
      endpoint, parameters, in: publisher.store, isDryRun: head.isDryRun)
    try endpoint.check(head.target.queryItems)
    try endpoint.checkPreconditions(of: head)
    try endpoint.checkCoding(of: head)
    return (endpoint, parameters)
  }

  /// - Parameter head: `nil` for a malformed request.
  private func answer(
    _ result: Result<Response, any Error>, to head: RequestHead?, _ fields: Fields,
    _ caller: Caller, since start: ContinuousClock.Instant
  ) -> Response {
    let id = RequestID.of(fields)
    let response: Response
    var code: String?
    switch result {
    case .success(let answer): response = answer
    case .failure(let error):
      counts.count(error)
      let problem = problem(of: error, for: caller.token, requestID: id)
      response = problem.response(requestID: id)
      code = problem.code
    }
    let duration = ContinuousClock.now - start
    counts.count(
      response.status, of: caller.endpoint, isDryRun: head?.isDryRun ?? false, after: duration)
    log(
      .answered(
        AnsweredRequest(
          id: id, method: head?.method.description ?? "", path: head?.target.path ?? "",
          domain: head.flatMap(ServiceEndpoints.askedDomain), status: response.status, code: code,
          duration: duration, token: caller.token?.name, peer: head?.peer ?? "")))
    return finish(response, requestID: id)
  }

  /// Answers a request that is malformed HTTP or exceeds a limit.
  package func refuse(_ refusal: Refusal) -> Response {
    let start = ContinuousClock.now
    var caller = Caller()
    let result = Result<Response, any Error> {
      switch refusal.reason {
      case .bodyTooLarge, .tooManyBodies, .noRoom, .spoolFailed:
        // Its token, for the log. Such a request has passed `screen`.
        if let head = refusal.head { _ = try admit(head, &caller) }
      case .malformedTarget, .malformedHeader, .unknownTransferCoding, .headerTooLarge,
        .tooManyConnections:
        break
      }
      throw Problem(refusal.reason)
    }
    return answer(result, to: refusal.head, refusal.fields, caller, since: start)
  }

  private func problem(
    of error: any Error, for token: Token?, requestID: String
  ) -> Problem {
    do throws(InternalError) {
      return try publisher.problem(of: error, for: token)
    } catch {
      log(.failed(requestID: requestID, detail: error.detail))
      return Problem(
        .internalError, "Internal error. The log has the details under this request ID.")
    }
  }

  private func finish(_ response: Response, requestID: String) -> Response {
    var response = response
    response.fields.append(HeaderField("X-Request-Id", requestID))
    response.fields.append(HeaderField("X-Content-Type-Options", "nosniff"))
    response.fields.append(HeaderField("Cross-Origin-Resource-Policy", "same-origin"))
    if response.fields["Content-Security-Policy"] == nil {
      response.fields.append(
        HeaderField("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"))
    }
    if response.fields["Cache-Control"] == nil {
      response.fields.append(HeaderField("Cache-Control", "no-store"))
    }
    guard case .stream(let next) = response.body else { return response }
    response.body = .stream {
      do {
        return try next()
      } catch {
        log(.failed(requestID: requestID, detail: String(describing: error)))
        throw error
      }
    }
    return response
  }
}

/// The ID of a request in its answer and in the log.
enum RequestID {
  /// The client's own `X-Request-Id` if it is safe to log, otherwise a random one.
  static func of(_ fields: Fields) -> String {
    let own = fields["X-Request-Id"] ?? ""
    let isSafe = (1...64).contains(own.utf8.count) && own.utf8.allSatisfy(allowed.contains)
    if isSafe { return own }
    // The highest bit keeps the length at 16 digits.
    return String(UInt64.random(in: 0...UInt64.max) | 1 << 63, radix: 16)
  }

  private static let allowed = Set(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.".utf8)
}

/// An event for the log. It never contains a token or a body.
package enum AdminEvent: Sendable {
  case answered(AnsweredRequest)
  /// An unexpected error, of which the client sees only `internal-error`.
  case failed(requestID: String, detail: String)
}

package struct AnsweredRequest: Sendable {
  /// The ID that is also in the answer (`X-Request-Id`).
  package let id: String
  /// The method; empty for a malformed request.
  package let method: String
  /// The path as the client wrote it, without its query; empty for a malformed request.
  package let path: String
  /// The name that a proxy asks about (`/tls/ask`); nil for any other request.
  package let domain: DomainName?
  package let status: Status
  /// The code of the problem that was answered; nil without one.
  package let code: String?
  /// How long the answer took to make.
  package let duration: Duration
  /// The name of its token or user; nil without a known one.
  package let token: String?
  /// The client's address; empty if unknown.
  package let peer: String
}
