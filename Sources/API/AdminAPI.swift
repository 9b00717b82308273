public import Association
public import HTTP
import JSONValue
public import Publishing
import Store

/// The JSON API of the admin listener.
public struct AdminAPI: Sendable {
  let publisher: Publisher
  private let authentication: Authentication
  private let router: Router
  private let log: @Sendable (AdminEvent) -> Void

  /// An API that edits through a publisher.
  ///
  /// - Parameters:
  ///   - problems: What keeps the service from being ready, as sentences; none when it is.
  ///   - serves: Whether a file is served for a name now.
  ///   - log: Takes what is to be logged; must not wait.
  public init(
    publisher: Publisher, problems: @escaping @Sendable () -> [String],
    serves: @escaping @Sendable (DomainName) -> Bool,
    log: @escaping @Sendable (AdminEvent) -> Void
  ) {
    self.publisher = publisher
    self.log = log
    authentication = Authentication(store: publisher.store)
    router = Router(Self.endpoints(publisher, problems: problems, serves: serves))
  }

  /// Every endpoint, in the order of the documentation.
  static func endpoints(
    _ publisher: Publisher, problems: @escaping @Sendable () -> [String],
    serves: @escaping @Sendable (DomainName) -> Bool
  ) -> [Endpoint] {
    HealthEndpoints.all(problems: problems) + CertificateEndpoints.all(serves: serves)
      + DescriptionEndpoints.all
      + AppEndpoints(publisher: publisher).all
      + DomainEndpoints(publisher: publisher).all + FileEndpoints(publisher: publisher).all
      + EntryEndpoints(publisher: publisher).all + RouteEndpoints(publisher: publisher).all
      + RevisionEndpoints(publisher: publisher).all + ExpectationEndpoints(publisher: publisher).all
      + MatchEndpoints(store: publisher.store).all + StateEndpoints(publisher: publisher).all
      + TokenEndpoints(publisher: publisher).all + AuditEndpoints(store: publisher.store).all
  }

  /// Answers a request. Whatever goes wrong is an answer too.
  public func answer(_ request: Request) -> Response {
    let start = ContinuousClock.now
    let id = RequestID.of(request.fields)
    var token: Token?
    var response: Response
    do {
      let (endpoint, parameters) = try router.find(request.method, request.target.segments)
      token = try authentication.token(of: request, for: endpoint, parameters: parameters)
      response = try endpoint.handle(Call(request: request, parameters: parameters, token: token))
    } catch {
      response = problem(of: error, requestID: id).response(requestID: id)
    }
    log(
      .answered(
        AnsweredRequest(
          id: id, method: request.method.description, path: request.target.path,
          status: response.status, duration: ContinuousClock.now - start, token: token?.name,
          peer: request.peer)))
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
    log(
      .answered(
        AnsweredRequest(
          id: id, method: "", path: "", status: refusal.status, duration: .zero, token: nil,
          peer: "")))
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
