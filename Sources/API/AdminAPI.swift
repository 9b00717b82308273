public import Association
public import HTTP
import JSONValue
public import Metrics
public import Publishing
import Store

/// The JSON API of the admin listener.
public struct AdminAPI: Sendable {
  let publisher: Publisher
  private let authentication: Authentication
  private let router: Router
  private let counts: AdminCounts
  private let log: @Sendable (AdminEvent) -> Void

  /// An API that edits through a publisher.
  ///
  /// - Parameters:
  ///   - readiness: How the service is.
  ///   - serves: Whether a file is served for a name now.
  ///   - counts: Counts what is asked and answered.
  ///   - metrics: What `/metrics` shows.
  ///   - log: Takes what is to be logged; must not wait.
  public init(
    publisher: Publisher, readiness: @escaping @Sendable () -> Readiness,
    serves: @escaping @Sendable (DomainName) -> Bool, counts: AdminCounts,
    metrics: @escaping @Sendable () -> [MetricFamily],
    log: @escaping @Sendable (AdminEvent) -> Void
  ) {
    self.publisher = publisher
    self.counts = counts
    self.log = log
    authentication = Authentication(store: publisher.store)
    router = Router(
      Self.endpoints(publisher, readiness: readiness, serves: serves, metrics: metrics))
  }

  /// Every endpoint, in the order of the documentation.
  static func endpoints(
    _ publisher: Publisher, readiness: @escaping @Sendable () -> Readiness,
    serves: @escaping @Sendable (DomainName) -> Bool,
    metrics: @escaping @Sendable () -> [MetricFamily]
  ) -> [Endpoint] {
    HealthEndpoints.all(readiness: readiness) + MetricsEndpoints.all(metrics)
      + CertificateEndpoints.all(serves: serves)
      + DescriptionEndpoints.all
      + AppEndpoints(store: publisher.store).all
      + DomainEndpoints(publisher: publisher).all + FileEndpoints(publisher: publisher).all
      + EntryEndpoints(publisher: publisher).all + RouteEndpoints(publisher: publisher).all
      + RevisionEndpoints(publisher: publisher).all + FetchEndpoints(store: publisher.store).all
      + ExpectationEndpoints(publisher: publisher).all
      + MatchEndpoints(store: publisher.store).all + StateEndpoints(publisher: publisher).all
      + TokenEndpoints(store: publisher.store).all + AuditEndpoints(store: publisher.store).all
  }

  /// Answers a request that nobody may make, before its body is read: 400 for its query, 401, 403, 404
  /// or 405. Nil for any other.
  public func screen(_ head: RequestHead) -> Response? {
    let start = ContinuousClock.now
    var called = Called()
    do {
      _ = try admit(head, &called)
      return nil
    } catch {
      return answer(.failure(error), to: head, called, since: start)
    }
  }

  /// Answers a request. Whatever goes wrong is an answer too.
  public func answer(_ request: Request) -> Response {
    let start = ContinuousClock.now
    var called = Called()
    let result = Result {
      let (endpoint, parameters) = try admit(request.head, &called)
      return try endpoint.handle(
        Call(request: request, parameters: parameters, token: called.token))
    }
    return answer(result, to: request.head, called, since: start)
  }

  /// What is known of a request, also of one that is refused.
  private struct Called {
    var endpoint: Endpoint?
    var token: Token?
  }

  /// What a request calls, and the token that it may do so with.
  private func admit(
    _ head: RequestHead, _ called: inout Called
  ) throws -> (endpoint: Endpoint, parameters: [String: String]) {
    let (endpoint, parameters) = try router.find(head.method, head.target.segments)
    called.endpoint = endpoint
    called.token = try authentication.token(of: head, for: endpoint, parameters: parameters)
    try endpoint.check(head.target.queryItems)
    return (endpoint, parameters)
  }

  private func answer(
    _ result: Result<Response, any Error>, to head: RequestHead, _ called: Called,
    since start: ContinuousClock.Instant
  ) -> Response {
    let id = RequestID.of(head.fields)
    let response: Response
    switch result {
    case .success(let answer): response = answer
    case .failure(let error):
      counts.count(error)
      response = problem(of: error, requestID: id).response(requestID: id)
    }
    let duration = ContinuousClock.now - start
    counts.count(response.status, of: called.endpoint, isTrial: head.isTrial, after: duration)
    log(
      .answered(
        AnsweredRequest(
          id: id, method: head.method.description, path: head.target.path,
          domain: CertificateEndpoints.domain(askedForBy: head), status: response.status,
          duration: duration, token: called.token?.name, peer: head.peer)))
    return finish(response, requestID: id)
  }

  /// Answers a request that is not usable HTTP or goes over a limit.
  public func refuse(_ refusal: Refusal) -> Response {
    let id = RequestID.of(refusal.fields)
    let (code, detail) =
      switch refusal.reason {
      case .malformedTarget(let reason):
        ("malformed-target", "The request's target \(reason.rawValue).")
      case .malformedHeader(let reason): ("malformed-header", reason)
      case .unknownTransferCoding:
        ("unknown-transfer-coding", "The only transfer coding that is understood is chunked.")
      case .bodyTooLarge(let limit):
        ("body-too-large", "The body is larger than the limit of \(limit) bytes.")
      case .headerTooLarge(let limit):
        ("header-too-large", "The header is larger than the limit of \(limit) bytes.")
      }
    counts.count(refusal.status, of: nil)
    log(
      .answered(
        AnsweredRequest(
          id: id, method: "", path: "", domain: nil, status: refusal.status, duration: .zero,
          token: nil, peer: "")))
    return finish(Problem(refusal.status, code, detail).response(requestID: id), requestID: id)
  }

  private func problem(of error: any Error, requestID: String) -> Problem {
    do throws(Internal) {
      return try Problem.of(error)
    } catch {
      log(.failed(requestID: requestID, detail: error.detail))
      return Problem(
        .internalServerError, "internal-error",
        "Something failed that should not. The log has it under this request's identifier.")
    }
  }

  private func finish(_ response: Response, requestID: String) -> Response {
    var response = response
    response.fields.append(Field("X-Request-Id", requestID))
    response.fields.append(Field("X-Content-Type-Options", "nosniff"))
    response.fields.append(Field("Cache-Control", "no-store"))
    return response
  }
}

/// What a request is called in answers and in the log.
enum RequestID {
  /// The client's own `X-Request-Id` if it can stand in a log, otherwise a random one.
  static func of(_ fields: Fields) -> String {
    let own = fields["X-Request-Id"] ?? ""
    let isUsable =
      (1...64).contains(own.utf8.count)
      && own.utf8.allSatisfy { byte in
        switch UInt8(ascii: "0") {
        case _ where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): true
        case _ where (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20): true
        default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
        }
      }
    return isUsable ? own : String(UInt64.random(in: 0...UInt64.max), radix: 16)
  }
}

extension Response {
  /// An answer with JSON.
  static func json(_ status: Status, _ json: JSON, fields: [Field] = []) -> Response {
    Response(
      status, fields: Fields([Field("Content-Type", "application/json")] + fields),
      body: json.serialized())
  }
}
