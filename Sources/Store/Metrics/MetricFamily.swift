/// A metric with its samples. Names follow prometheus.io/docs/practices/naming: the prefix `aasa_`, base
/// units, `_total` for counters.
package struct MetricFamily: Sendable, Equatable {
  enum Kind: String {
    case counter, gauge, histogram
  }

  /// One line.
  struct Sample: Equatable {
    var suffix = ""
    let labels: Labels
    let value: Double
  }

  package let name: String
  let help: String
  let kind: Kind
  let samples: [Sample]

  package static func counter(
    _ name: String, _ help: String, _ values: [(key: Labels, value: Int)]
  ) -> MetricFamily {
    MetricFamily(
      name: name, help: help, kind: .counter,
      samples: values.map { Sample(labels: $0.key, value: Double($0.value)) })
  }

  package static func counter(_ name: String, _ help: String, _ value: Double) -> MetricFamily {
    MetricFamily(
      name: name, help: help, kind: .counter, samples: [Sample(labels: .none, value: value)])
  }

  package static func gauge(
    _ name: String, _ help: String, _ values: [(key: Labels, value: Double)]
  ) -> MetricFamily {
    MetricFamily(
      name: name, help: help, kind: .gauge,
      samples: values.map { Sample(labels: $0.key, value: $0.value) })
  }

  /// A gauge, by one label.
  package static func gauge(
    _ name: String, _ help: String, by label: String, _ values: KeyValuePairs<String, Double>
  ) -> MetricFamily {
    gauge(name, help, values.map { (key: [label: $0.key], value: $0.value) })
  }

  /// A gauge; without a sample if its value is unknown.
  package static func gauge(_ name: String, _ help: String, _ value: Double?) -> MetricFamily {
    gauge(name, help, value.map { [(key: .none, value: $0)] } ?? [])
  }

  package static func histogram(
    _ name: String, _ help: String, _ values: [(key: Labels, value: Histogram)]
  ) -> MetricFamily {
    MetricFamily(
      name: name, help: help, kind: .histogram,
      samples: values.flatMap { $0.value.samples(labels: $0.key) })
  }
}

extension MetricFamily {
  /// Prometheus' text format, version 0.0.4
  /// (prometheus.io/docs/instrumenting/exposition_formats#text-based-format).
  package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// The metric in that format.
  package var text: String {
    let help = help.escaped(quotes: false)
    let lines = samples.map { "\(name)\($0.suffix)\($0.labels.text) \(Self.text($0.value))\n" }
    return "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n" + lines.joined()
  }

  /// In Go's syntax; whole numbers without a point.
  static func text(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    return Int64(exactly: value).map(String.init) ?? String(value)
  }
}
