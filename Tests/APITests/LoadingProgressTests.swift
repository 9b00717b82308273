import Association
import Synchronization
import TestSupport
import Testing

@testable import Service

/// What a server tells while it loads very many domains.
@Suite struct LoadingProgressTests {
  @Test func itTellsNowAndThenHowManyOfAllDomainsWereLoaded() throws {
    let running = try RunningService()
    for number in 0..<130 {
      try running.put("d\(number).example", ["entries": [["apps": [.string(app)], "routes": []]]])
    }
    let reports = Mutex<[[Int?]]>([])
    _ = try LiveTable(
      store: running.store,
      progress: LoadingProgress(interval: .zero) { loaded, all in
        reports.withLock { $0.append([loaded, all]) }
      })
    #expect(
      reports.withLock { $0.sorted { ($0[0] ?? 0) < ($1[0] ?? 0) } } == [[64, 130], [128, 130]])
  }

  @Test func itTellsNothingIfThatIsQuick() throws {
    let running = try RunningService()
    for number in 0..<70 {
      try running.put("d\(number).example", ["entries": [["apps": [.string(app)], "routes": []]]])
    }
    let reports = Mutex(0)
    let progress = LoadingProgress(interval: .seconds(3600)) { _, _ in
      reports.withLock { $0 += 1 }
    }
    _ = try LiveTable(store: running.store, progress: progress)
    #expect(reports.withLock(\.self) == 0)
  }
}
