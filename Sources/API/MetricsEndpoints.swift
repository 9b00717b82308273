import HTTP
import Metrics

/// `/metrics`, for Prometheus.
enum MetricsEndpoints {
  static func all(_ families: @escaping @Sendable () -> [MetricFamily]) -> [Endpoint] {
    [
      Endpoint(.get, "/metrics", .anybody) { _ in
        Response(
          .ok, fields: [Field("Content-Type", MetricFamily.mediaType)],
          body: families().flatMap { Array($0.text.utf8) })
      }
    ]
  }
}
