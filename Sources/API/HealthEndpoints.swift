import HTTP
import JSONValue

/// `/healthz` and `/readyz`.
enum HealthEndpoints {
  static func all(problems: @escaping @Sendable () -> [String]) -> [Endpoint] {
    [
      Endpoint(.get, "/healthz", .anybody) { _ in .json(.ok, ["status": "ok"]) },
      Endpoint(.get, "/readyz", .anybody) { _ in
        let problems = problems()
        if problems.isEmpty { return .json(.ok, ["status": "ready"]) }
        return .json(
          .serviceUnavailable, ["status": "not ready", "problems": .strings(problems)])
      },
    ]
  }
}
