import Foundation
import Association
import Synchronization
import TestSupport
import Testing

/// A primary is killed under edits, and its standby takes over, again and again (`ROUNDS`).
@Suite(PostgreSQLServer.needs) struct FailoverTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["ROUNDS"].flatMap(Int.init) ?? 4
  private static let domains = 4

  /// What a writer was told of one domain: each edit has a higher number.
  private struct Told {
    var acknowledged = 0
    var sent = 0
    var refused = 0
  }

  private let nodes: [PostgreSQLServer]

  init() throws {
    let first = try PostgreSQLServer()
    nodes = [first, try PostgreSQLServer(standbyOf: first)]
  }

  private var uri: String {
    let hosts = nodes.map(\.folder).joined(separator: ",")
    return "postgresql://aasa@/aasa?host=\(hosts)&target_session_attrs=read-write"
  }

  /// From now on, a commit is acknowledged only when the standby has it.
  private func requireStandby(of primary: PostgreSQLServer) throws {
    try primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try primary.execute("SELECT pg_reload_conf()")
    let state = "SELECT sync_state FROM pg_stat_replication"
    #expect(try becomesTrue { try primary.text(state) == "sync" })
  }

  private func number(_ response: RawResponse) -> Int? {
    response.text.split(separator: "/n").dropFirst().first
      .flatMap { Int($0.prefix { $0.isNumber }) }
  }

  @Test func nothingAcknowledgedIsLostAndNobodyServesAnOlderFileWhenThePrimaryIsKilled() throws {
    try requireStandby(of: nodes[0])
    let servers = try (0..<2).map { _ in try RunningServer(database: uri) }
    let token = try servers[0].firstToken()
    let clients = servers.map { $0.client(token: token) }
    let entry = { @Sendable (number: Int) -> JSON in
      ["apps": ["ABCDE12345.com.example.app"], "routes": [["path": .string("/n\(number)/")]]]
    }
    for domain in 0..<Self.domains {
      let response = try clients[0].send(
        "PUT", "/v1/domains/d\(domain).example", json: ["entries": [entry(0)]])
      try #require(response.status == 201, "\(response.text)")
    }
    let told = Mutex(Array(repeating: Told(), count: Self.domains))
    let backwards = Mutex<[String]>([])
    let isOver = Mutex(false)
    var work: [@Sendable () -> Void] = []
    for domain in 0..<Self.domains {
      // Each domain has one writer, which goes from server to server.
      work.append {
        var turn = domain
        while !isOver.withLock({ $0 }) {
          turn += 1
          let number = told.withLock { told in
            told[domain].sent += 1
            return told[domain].sent
          }
          let response = try? clients[turn % 2].send(
            "PUT", "/v1/domains/d\(domain).example", json: ["entries": [entry(number)]],
            "If-Match: *")
          told.withLock { told in
            if response?.status == 200 {
              told[domain].acknowledged = number
            } else {
              told[domain].refused += 1
            }
          }
        }
      }
    }
    for server in servers {
      work.append {
        var last = Array(repeating: 0, count: Self.domains)
        while !isOver.withLock({ $0 }) {
          for domain in 0..<Self.domains {
            guard let file = try? server.file(of: "d\(domain).example"),
              let number = number(file)
            else { continue }
            if number < last[domain] {
              backwards.withLock { $0.append("d\(domain): \(number) after \(last[domain])") }
            }
            last[domain] = number
          }
        }
      }
    }
    let threads = Threads(work)
    var primary = 0
    for round in 1...Self.rounds {
      let before = told.withLock { $0.map(\.acknowledged) }
      #expect(
        becomesTrue {
          told.withLock { zip($0, before).allSatisfy { $0.acknowledged > $1 + 2 } }
        }, "round \(round): \(before) \(told.withLock { $0 })")
      nodes[primary].kill()
      let acknowledged = told.withLock { $0.map(\.acknowledged) }
      primary = 1 - primary
      try nodes[primary].promote()
      // There is no second standby to wait for.
      try nodes[primary].execute("ALTER SYSTEM SET synchronous_standby_names = ''")
      try nodes[primary].execute("SELECT pg_reload_conf()")
      for (domain, number) in acknowledged.enumerated() {
        for server in servers {
          #expect(
            try becomesTrue {
              try self.number(server.file(of: "d\(domain).example")) ?? -1 >= number
            }, "round \(round): d\(domain) has lost \(number)")
        }
      }
      try nodes[1 - primary].follow(nodes[primary])
      try requireStandby(of: nodes[primary])
    }
    isOver.withLock { $0 = true }
    #expect(threads.end())
    #expect(backwards.withLock { $0 } == [])
    let totals = told.withLock { $0 }
    print(
      "\(Self.rounds) failovers: \(totals.reduce(0) { $0 + $1.acknowledged }) acknowledged, "
        + "\(totals.reduce(0) { $0 + $1.refused }) refused")
  }
}
