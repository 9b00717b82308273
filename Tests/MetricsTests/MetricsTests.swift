import Store
import TestSupport
import Testing

/// What Prometheus reads.
@Suite struct MetricsTests {
  @Test func aCounterIsALineForEachOfItsLabels() {
    let counters = Counters([["outcome": "document", "fetcher": "other"]])
    counters.add(2, ["outcome": "unknown-host", "fetcher": "device"])
    counters.add(1, ["outcome": "unknown-host", "fetcher": "device"])
    let family = MetricFamily.counter("aasa_requests_total", "Requests.", counters.values)
    #expect(
      family.text == """
        # HELP aasa_requests_total Requests.
        # TYPE aasa_requests_total counter
        aasa_requests_total{outcome="document",fetcher="other"} 0
        aasa_requests_total{outcome="unknown-host",fetcher="device"} 3

        """)
  }

  @Test func whatIsNotKnownHasNoSample() {
    #expect(
      MetricFamily.gauge("aasa_size_bytes", "Size.", nil).text
        == "# HELP aasa_size_bytes Size.\n# TYPE aasa_size_bytes gauge\n")
  }

  @Test(arguments: [
    (0.0, "0"), (12, "12"), (1.5, "1.5"), (-3, "-3"), (1e300, "1e+300"), (0.00025, "0.00025"),
    (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
  ])
  func aValueIsWrittenAsGoReadsIt(value: Double, text: String) {
    #expect(MetricFamily.gauge("a", "", value).text.hasSuffix("\na \(text)\n"))
  }

  @Test func aHistogramCountsWhatIsUpToEachBound() {
    let histogram = Histogram(bounds: [0.5, 1])
    for value in [0.25, 0.5, 0.75, 4] { histogram.observe(value) }
    let family = MetricFamily.histogram("aasa_seconds", "Time.", [(["kind": "read"], histogram)])
    #expect(
      family.text == """
        # HELP aasa_seconds Time.
        # TYPE aasa_seconds histogram
        aasa_seconds_bucket{kind="read",le="0.5"} 2
        aasa_seconds_bucket{kind="read",le="1"} 3
        aasa_seconds_bucket{kind="read",le="+Inf"} 4
        aasa_seconds_sum{kind="read"} 5.5
        aasa_seconds_count{kind="read"} 4

        """)
  }

  @Test func timeIsObservedAlsoWhenItEndsInAnError() {
    struct Stop: Error {}
    let histogram = Histogram(bounds: [10])
    histogram.time {}
    #expect(throws: Stop.self) { try histogram.time { throw Stop() } }
    let text = MetricFamily.histogram("a", "", [(.none, histogram)]).text
    #expect(text.contains("a_bucket{le=\"10\"} 2\n") && text.contains("a_count 2\n"))
  }

  /// Whatever a label holds, it stays one line, and Prometheus' own tool reads it.
  @Test(
    SystemProgram.need("promtool"),
    arguments: ["a\"b", "a\\", "a\nb", "a\r\nb", "\\n", "ü{},= ", ""])
  func anyTextMayBeALabel(value: String) throws {
    let family = MetricFamily.gauge("aasa_x", "Line\nand \\ \"\(value)", [(["name": value], 1)])
    #expect(family.text.split(separator: "\n").count == 3 || value.contains("\r"))
    let checked = try Program.run("promtool", ["check", "metrics"], input: Array(family.text.utf8))
    #expect(checked.status == 0 && checked.errors.isEmpty, "\(checked.errors)")
  }
}
