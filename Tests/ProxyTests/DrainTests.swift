import Glibc
import Synchronization
import TestSupport
import Testing

/// Two servers on one database behind a proxy: each may end and start again, and no request fails.
@Suite(ProxyKind.needs) struct DrainTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// HAProxy does not repeat a request that it had sent over a connection that is reset. It looks at
  /// /readyz each second, and leaves a server that is not ready while that still answers.
  private static func arguments(_ kind: ProxyKind) -> [String] {
    kind == .haproxy ? ["--ready-delay-seconds", "2"] : []
  }

  @Test(arguments: ProxyKind.allCases)
  func noRequestFailsWhileServersEndAndStartAgain(kind: ProxyKind) throws {
    let database = scratch.path("aasa.db")
    let arguments = Self.arguments(kind)
    var servers = [
      try ServedFile.server(database: database, arguments: arguments),
      try RunningServer(database: database, arguments: arguments),
    ]
    let proxy = try RunningProxy(kind, before: servers, names: ServedFile.hosts)
    let expected = try ServedFile.direct(servers[0], "GET", "large.example", ServedFile.paths[0])
    let load = Load(port: proxy.httpPort, host: "large.example", body: expected.body)
    let threads = Threads((1...8).map { _ in { load.run() } })
    for index in [0, 1, 0] {
      load.waitForMore(200)
      let server = servers[index]
      #expect(try server.end() == .exited(0))
      load.waitForMore(200)
      servers[index] = try RunningServer(
        database: database,
        arguments: arguments + [
          "--public-address", "127.0.0.1:\(server.publicPort)",
          "--admin-address", "127.0.0.1:\(server.adminPort)",
        ])
    }
    load.waitForMore(200)
    load.isEnding.store(true, ordering: .relaxed)
    #expect(threads.end())
    let failures = load.failures.withLock { $0 }
    let log = try proxy.log()
    #expect(
      failures.isEmpty, "\(failures.count) of \(load.answered.count): \(Set(failures)), \(log)")
    #expect(load.answered.count >= 1_400)
  }
}

/// Clients that ask for one file again and again, over connections that are kept.
private final class Load: Sendable {
  let answered = Counter()
  let failures = Mutex<[String]>([])
  let isEnding = Atomic(false)

  private let port: UInt16
  private let request: String
  private let body: [UInt8]

  init(port: UInt16, host: String, body: [UInt8]) {
    self.port = port
    self.body = body
    request = "GET \(ServedFile.paths[0]) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
  }

  /// Waits for further answers, or for a failure.
  func waitForMore(_ count: Int) {
    let goal = answered.count + count
    let isThere = becomesTrue(within: 30) {
      answered.count >= goal || failures.withLock { !$0.isEmpty }
    }
    if !isThere { failures.withLock { $0.append("only \(answered.count) of \(goal) answers") } }
  }

  /// One client. A proxy may close a connection after an answer that says so.
  func run() {
    var connection: RawConnection?
    while !isEnding.load(ordering: .relaxed) {
      do {
        let open = try connection ?? RawConnection(port: port)
        let answer = try open.exchange(request)
        connection = answer["Connection"] == "close" ? nil : open
        if answer.status == 200 && answer.body == body {
          answered.add()
        } else {
          failures.withLock { $0.append(answer.statusLine) }
        }
      } catch {
        connection = nil
        failures.withLock { $0.append("\(error)") }
      }
    }
  }
}
