import Association
import HTTP
package import Store
import Publishing

/// Counts requests to the admin listener and their answers. Labels have path patterns, never paths, so
/// that their number is bounded.
package final class AdminCounts: Sendable {
  private let requests = Counters()
  private let edits = Counters()
  private let findings = Counters()
  private let duration = Histogram()

  package init() {}

  /// Counts an answer.
  ///
  /// - Parameters:
  ///   - endpoint: What the request called; `nil` if no endpoint has its path and method.
  ///   - time: How long the answer took.
  func count(
    _ status: Status, of endpoint: Endpoint?, isDryRun: Bool = false, after time: Duration = .zero
  ) {
    duration.observe(time / .seconds(1))
    let method = endpoint?.method.name ?? "none"
    let path = endpoint?.path ?? "none"
    requests.add(1, ["method": method, "endpoint": path, "code": "\(status.code)"])
    guard let endpoint, endpoint.effect != .none else { return }
    let outcome = Self.outcome(status, isDryRun: isDryRun)
    edits.add(1, ["method": method, "endpoint": path, "outcome": outcome])
  }

  /// Counts the findings that stopped a publication.
  func count(_ error: any Error) {
    switch error as? PublicationError {
    case .refused(_, let found, _):
      for finding in found where finding.severity == .error {
        findings.add(1, ["finding": finding.code.rawValue])
      }
    case .several(let errors, _): for error in errors { count(error) }
    case .expectationsBroken, .changedElsewhere, .changedSince, .notRevertible, .nothingChosen,
      .notEditable,
      .revisionsPruned, .nameTaken, .tooMuchWork, .invalid, .templateChangedElsewhere,
      .appChangedElsewhere, .appTakenBack,
      .usesTemplate, .fromTemplate, .templateNamesApp, .detached, .notAdoptable, .notAlike,
      .templateChanged, .outsideLimits, .needsApproval, .draftOutdated,
      .nothingToApprove, nil:
      break
    }
  }

  private static func outcome(_ status: Status, isDryRun: Bool) -> String {
    switch status.code {
    case 202: "drafted"
    case ..<400: isDryRun ? "tried" : "done"
    case 401, 403: "forbidden"
    case 409: "conflict"
    case 412, 428: "stale"
    case 413, 422: "refused"
    case 500...: "failed"
    default: "invalid"
    }
  }

  package var families: [MetricFamily] {
    [
      .counter(
        "aasa_admin_requests_total",
        "Requests to the admin listener, by method, path pattern and status.",
        requests.values),
      .histogram(
        "aasa_admin_request_duration_seconds", "Time from the complete request to its answer.",
        [(key: .none, value: duration)]),
      .counter(
        "aasa_edits_total",
        "Requests that change something, by endpoint and outcome.", edits.values),
      .counter(
        "aasa_findings_refused_total",
        "Errors that stopped a publication, by code; includes dry runs.",
        findings.values),
    ]
  }
}

extension RequestHead {
  var isDryRun: Bool { target.queryItems.last { $0.name == "dryRun" }?.value == "true" }
}
