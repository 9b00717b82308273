import HTTP
import JSONValue

/// What a service says of itself to balancers and to people.
public struct Readiness: Sendable {
  /// Whether it is about to end, so that requests are to go elsewhere.
  public let isEnding: Bool
  /// What is wrong, as sentences; none where all is well.
  public let problems: [String]

  /// What it says.
  public init(isEnding: Bool = false, problems: [String] = []) {
    self.isEnding = isEnding
    self.problems = problems
  }
}

/// `/healthz` and `/readyz`.
enum HealthEndpoints {
  static func all(readiness: @escaping @Sendable () -> Readiness) -> [Endpoint] {
    [
      Endpoint(.get, "/healthz", .anybody) { _ in .json(.ok, ["status": "ok"]) },
      Endpoint(.get, "/readyz", .anybody) { _ in
        let readiness = readiness()
        let problems = JSON.strings(readiness.problems)
        if readiness.isEnding {
          return .json(.serviceUnavailable, ["status": "not ready", "problems": problems])
        }
        if readiness.problems.isEmpty { return .json(.ok, ["status": "ready"]) }
        // Files are served, so a balancer must not leave the server.
        return .json(.ok, ["status": "degraded", "problems": problems])
      },
    ]
  }
}
