import Association
import Dispatch
import JSONValue
import Synchronization
import TestSupport
import Testing

/// However many edit at once, what was acknowledged is there.
@Suite struct ConcurrencyTests {
  private static let writers = 50
  private static let seconds = 30.0
  private static let domains = 20

  private let running: RunningService

  init() throws {
    running = try RunningService()
    for index in 0..<Self.domains {
      let entry: JSON = ["apps": ["ABCDE12345.com.example.app"], "routes": []]
      try running.put("d\(index).example", ["entries": [entry]])
    }
  }

  /// What one writer was answered.
  private struct Acknowledged: Sendable {
    var domain: Int
    var path: String
    var revision: Int
  }

  @Test func fiftyWritersForHalfAMinuteLoseNoEditAndUseEveryRevisionNumberOnce() throws {
    let acknowledged = Mutex<[Acknowledged]>([])
    let failures = Mutex<[String]>([])
    let end = ContinuousClock.now + .seconds(Self.seconds)
    DispatchQueue.concurrentPerform(iterations: Self.writers) { writer in
      var number = 0
      while ContinuousClock.now < end {
        number += 1
        do {
          let edit = try add("/w\(writer)/\(number)", to: (writer + number) % Self.domains)
          acknowledged.withLock { $0.append(edit) }
        } catch {
          failures.withLock { $0.append(String(describing: error)) }
          return
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
    try check(acknowledged.withLock { $0 })
  }

  /// Adds a route. The domains are so many that no document reaches the limit.
  private func add(_ path: String, to domain: Int) throws -> Acknowledged {
    let response = try running.admin.send(
      "POST", "/v1/domains/d\(domain).example/entries/\(domain + 1)/routes",
      json: ["path": .string(path), "position": 0])
    guard response.status == 201 else { throw Unexpected(response: response) }
    let revision = try response.json["revision"]?.integerValue ?? 0
    return Acknowledged(domain: domain, path: path, revision: revision)
  }

  private func check(_ edits: [Acknowledged]) throws {
    #expect(edits.count > Self.writers)
    for domain in 0..<Self.domains {
      let own = edits.filter { $0.domain == domain }
      let served = try running.served("d\(domain).example")
      let components = served["applinks"]?["details"]?[0]?["components"]?.arrayValue ?? []
      let paths = Set(components.compactMap { $0["/"]?.stringValue })
      #expect(paths == Set(own.map(\.path)))
      // Revision 1 is the one that the test began with.
      #expect(own.map(\.revision).sorted() == Array(2..<own.count + 2))
    }
  }

  @Test func ofTwoEditorsWithTheSameRevisionOneIsRefused() throws {
    let wins = Mutex(0)
    let stale = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      let response = try? running.admin.send(
        "PATCH", "/v1/domains/d0.example", json: ["cacheSeconds": .integer(index)],
        "If-Match: \"1\"")
      if response?.status == 200 { wins.withLock { $0 += 1 } }
      if response?.status == 412 { stale.withLock { $0 += 1 } }
    }
    #expect(wins.withLock { $0 } == 1)
    #expect(stale.withLock { $0 } == 7)
  }
}
