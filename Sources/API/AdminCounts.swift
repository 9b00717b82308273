import Association
import HTTP
import JSONValue
public import Metrics
import Publishing
import Store

/// Counts what the admin listener is asked and what it answers. Its labels are patterns of paths and
/// never paths, so that there are only so many.
public final class AdminCounts: Sendable {
  private let requests = Counters()
  private let edits = Counters()
  private let findings = Counters()
  private let duration = Histogram()

  /// Counts of nothing yet.
  public init() {}

  /// Counts an answer.
  ///
  /// - Parameters:
  ///   - endpoint: What was asked for; `nil` where there is nothing.
  ///   - isTrial: Whether it was a dry run.
  ///   - time: How long the answer took to make.
  func count(
    _ status: Status, of endpoint: Endpoint?, isTrial: Bool = false, after time: Duration = .zero
  ) {
    duration.observe(time / .seconds(1))
    let method = endpoint?.method.name ?? "none"
    let path = endpoint?.path ?? "none"
    requests.add(1, ["method": method, "endpoint": path, "code": "\(status.code)"])
    guard let endpoint, endpoint.isEdit else { return }
    let outcome = Self.outcome(status, isTrial: isTrial)
    edits.add(1, ["method": method, "endpoint": path, "outcome": outcome])
  }

  /// Counts the findings that kept a document from being published.
  func count(_ error: any Error) {
    switch error as? PublicationError {
    case .refused(_, let found, _):
      for finding in found where finding.severity == .error {
        findings.add(1, ["finding": finding.code.rawValue])
      }
    case .several(let errors): for error in errors { count(error) }
    case .expectationsBroken, nil: break
    }
  }

  private static func outcome(_ status: Status, isTrial: Bool) -> String {
    switch status.code {
    case ..<400: isTrial ? "tried" : "done"
    case 401, 403: "forbidden"
    case 409: "conflict"
    case 412: "stale"
    case 413, 422: "refused"
    case 500...: "failed"
    default: "invalid"
    }
  }

  /// What was counted.
  public var families: [MetricFamily] {
    [
      .counter(
        "aasa_admin_requests_total",
        "Requests to the admin listener, by method, pattern of the path and status.",
        requests.values),
      .histogram(
        "aasa_admin_request_duration_seconds", "Time from a whole request to its answer.",
        [(key: .none, value: duration)]),
      .counter(
        "aasa_edits_total",
        "Requests that change something, by what they do and what came of it.", edits.values),
      .counter(
        "aasa_findings_refused_total",
        "Errors that kept a document from being published, dry runs included, by code.",
        findings.values),
    ]
  }
}

extension Endpoint {
  /// Whether it changes something that is stored.
  fileprivate var isEdit: Bool {
    if case .role(let role) = access { method != .get && role > .viewer } else { false }
  }
}

extension RequestHead {
  /// Whether it asks for a dry run.
  var isTrial: Bool { target.queryItems.last { $0.name == "dryRun" }?.value == "true" }
}
