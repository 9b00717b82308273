import Association
import Synchronization
import TestSupport
import Testing

@testable import Service

/// What is said while a server reads what it serves.
@Suite struct LoadingReportTests {
  @Test func howManyOfAllDomainsWereReadIsSaidNowAndThen() throws {
    let running = try RunningService()
    for number in 0..<130 {
      try running.put("d\(number).example", ["entries": [["apps": [.string(app)], "routes": []]]])
    }
    let reports = Mutex<[[Int]]>([])
    _ = try LiveTable(
      store: running.store,
      report: LoadingReport(interval: .zero) { read, all in
        reports.withLock { $0.append([read, all]) }
      })
    #expect(reports.withLock { $0.sorted { $0[0] < $1[0] } } == [[64, 130], [128, 130]])
  }

  @Test func nothingIsSaidOfWhatTakesNoTime() throws {
    let running = try RunningService()
    for number in 0..<70 {
      try running.put("d\(number).example", ["entries": [["apps": [.string(app)], "routes": []]]])
    }
    let reports = Mutex(0)
    _ = try LiveTable(
      store: running.store,
      report: LoadingReport(interval: .seconds(3600)) { _, _ in reports.withLock { $0 += 1 } })
    #expect(reports.withLock(\.self) == 0)
  }
}
