package import Association
import HTTP
import Store
import Synchronization

/// What the service reports about its health.
package struct Readiness: Sendable {
  /// Whether it is shutting down, so that load balancers must send new requests elsewhere.
  package let isEnding: Bool
  /// The current problems, as sentences.
  package let problems: [String]
  /// When the oldest of them began.
  package let since: UnixTime?

  package init(isEnding: Bool = false, problems: [String] = [], since: UnixTime? = nil) {
    self.isEnding = isEnding
    self.problems = problems
    self.since = since
  }
}

/// The admin listener's endpoints for people, load balancers, Prometheus and proxies. None needs a
/// token.
struct ServiceEndpoints: Sendable {
  let readiness: @Sendable () -> Readiness
  let serves: @Sendable (DomainName) -> Bool
  let metrics: @Sendable () -> [MetricFamily]

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/healthz", .anybody,
        "getHealth", .service, "Check that the process is alive",
        answers: .ok("It is alive.", .named("Health", .object([Member("status", .constant("ok"))])))
      ) { _ in .json(.ok, ["status": "ok"]) },
      Endpoint(
        .get, "/readyz", .anybody,
        "getReadiness", .service, "Check that the service is ready",
        description:
          "Files are served even while the database fails. The status is then `degraded`, and a load "
          + "balancer should keep the server.",
        answers: .ok(
          "Files are served. Everything works (`ready`), or something else fails (`degraded`): `problems` says "
            + "what, and `since` when the first of them began.",
          .json([
            "oneOf": [
              Schema.named("Ready", .object([Member("status", .constant("ready"))])).json,
              Self.schema("Degraded", ofStatus: "degraded").json,
            ]
          ])),
        Answer(
          status: .serviceUnavailable,
          description: "The server is shutting down; it still answers requests for a while.",
          schema: Self.schema("NotReady", ofStatus: "not ready")), handle: ready),
      Endpoint(
        .get, "/metrics", .anybody,
        "getMetrics", .service, "Read metrics for Prometheus",
        description: "docs/metrics.md lists them.",
        answers: Answer(
          status: .ok, description: "The Prometheus text format, version 0.0.4.",
          mediaType: "text/plain", schema: .string)
      ) { _ in
        Response(
          .ok, fields: [HeaderField("Content-Type", MetricFamily.mediaType)],
          body: metrics().flatMap { Array($0.text.utf8) })
      },
      // Caddy asks before it obtains a certificate
      // (caddyserver.com/docs/automatic-https#on-demand-tls): 200 means yes, any other status no.
      Endpoint(
        .get, Self.askPath, .anybody, query: [.askedDomain],
        "askForCertificate", .service, "Check whether to obtain a certificate for a name",
        description:
          "200 if a file is currently served for the name, directly or through a wildcard alias. For "
          + "Caddy's on-demand TLS.",
        answers: .ok(
          "A file is served.", .named("Served", .object([Member("status", .constant("served"))])))
      ) { call in
        let name = try Call.name(call.query(.askedDomain) ?? "", DomainName.init(_:))
        if serves(name) { return .json(.ok, ["status": "served"]) }
        throw Problem(.notServed, "No association file is served for \"\(name)\".")
      },
    ]
  }

  // MARK: Readiness

  private static func schema(_ name: String, ofStatus status: String) -> Schema {
    .named(
      name,
      .object([
        Member("status", .constant(status)), Member("problems", .list(of: .string)),
        Member("since", .time),
      ]))
  }

  private func ready(_: Call) -> Response {
    let readiness = readiness()
    guard let since = readiness.since else { return .json(.ok, ["status": "ready"]) }
    // While files are served, a load balancer must not drop the server.
    return .json(
      readiness.isEnding ? .serviceUnavailable : .ok,
      [
        "status": readiness.isEnding ? "not ready" : "degraded",
        "problems": .strings(readiness.problems), "since": .time(since),
      ])
  }

  // MARK: Certificates

  private static let askPath = "/tls/ask"

  /// The name that a proxy asks about; `nil` if it is not a valid one, and for any other request.
  static func askedDomain(in head: RequestHead) -> DomainName? {
    guard head.target.path == askPath else { return nil }
    let text = head.target.queryItems.first { $0.name == Parameter.askedDomain.name }?.value
    return text.flatMap(DomainName.init(usable:))
  }

  // MARK: The description

  /// The endpoint that serves the description of others and of itself.
  static func description(of others: [Endpoint]) -> Endpoint {
    var endpoint = Endpoint(
      .get, "/openapi.json", .anybody,
      "getDescription", .service, "Read this description", answers: .ok("OpenAPI 3.1.", .object)
    ) { _ in Response(.noContent) }
    let described = others + [endpoint]
    // Made when somebody first asks, because it takes longer than the rest of a start.
    let document = Mutex<[UInt8]?>(nil)
    endpoint.handle = { _ in
      let body = try document.withLock { document in
        let bytes = try document ?? OpenAPI.describe(described).serialized()
        document = bytes
        return bytes
      }
      return Response(
        .ok, fields: [HeaderField("Content-Type", "application/json")], body: body)
    }
    return endpoint
  }
}
