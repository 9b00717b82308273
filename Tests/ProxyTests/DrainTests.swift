import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Servers behind a proxy end and start again, and no request fails.
@Suite(ProxyKind.needs) struct DrainTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// HAProxy does not repeat a request that it had sent over a connection that is reset. It looks at
  /// /readyz each second, and leaves a server that is not ready while that still answers.
  private static func arguments(_ kind: ProxyKind) -> [String] {
    kind == .haproxy ? ["--ready-delay-seconds", "3"] : []
  }

  /// On a busy machine a server may need longer to start than the 10 seconds of `Config`.
  private static func waitBudget(_ kind: ProxyKind) -> ProxyChange {
    switch kind {
    case .nginx, .haproxy: ProxyChange()
    case .caddy: ProxyChange(replaced: ("lb_try_duration 10s", "lb_try_duration 60s"))
    case .traefik: ProxyChange(replaced: ("attempts: 60", "attempts: 360"))
    }
  }

  @Test(arguments: ProxyKind.allCases)
  func noRequestFailsWhileTwoServersEndAndStartAgain(kind: ProxyKind) throws {
    let servers = [try server(kind, publishes: true), try server(kind)]
    try restart(servers, [0, 1, 0], behind: kind)
  }

  /// These try again for the seconds that their files of `Config` say.
  @Test(arguments: [ProxyKind.caddy, .traefik])
  func noRequestFailsWhileTheOnlyServerStartsAgain(kind: ProxyKind) throws {
    try restart([try server(kind, publishes: true)], [0, 0], behind: kind)
  }

  /// These send it again until a server answers, although the first one had it.
  @Test(arguments: [ProxyKind.caddy, .traefik])
  func aRequestThatTheOnlyServerDidNotReadBeforeItsEndIsAnswered(kind: ProxyKind) throws {
    let server = try server(kind, publishes: true)
    let proxy = try RunningProxy(kind, before: [server], names: ServedFile.hosts) { _ in
      Self.waitBudget(kind)
    }
    let client = try RawConnection(port: proxy.httpPort, seconds: 60)
    let request = Self.request(for: "small.example")
    #expect(try client.exchange(request).status == 200)
    server.process.stop()
    try client.send(request)
    #expect(try becomesTrue { try Self.hasUnreadBytes(port: server.publicPort) })
    #expect(try server.end(SIGKILL) == .killed(bySignal: SIGKILL))
    let next = try self.server(kind, after: server)
    #expect(try client.readResponse().status == 200)
    #expect(try next.end() == .exited(0))
  }

  private static func request(for host: String) -> String {
    "GET \(ServedFile.paths[0]) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
  }

  /// Whether a connection to a port of 127.0.0.1 has bytes that its program has not read (proc(5)).
  private static func hasUnreadBytes(port: UInt16) throws -> Bool {
    let local = "0100007F:" + String(format: "%04X", port)
    let established = "01"
    // Not by String(contentsOfFile:), which misses the end of such files.
    let table = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd()
    return String(decoding: table ?? Data(), as: UTF8.self).split(separator: "\n").contains {
      let words = $0.split(separator: " ")
      return words[1] == local && words[3] == established && !words[4].hasSuffix(":00000000")
    }
  }

  private func server(
    _ kind: ProxyKind, publishes: Bool = false, after old: RunningServer? = nil
  ) throws -> RunningServer {
    let ports = old.map { old in
      [
        "--public-address", "127.0.0.1:\(old.publicPort)", "--admin-address",
        "127.0.0.1:\(old.adminPort)",
      ]
    }
    let arguments = Self.arguments(kind) + (ports ?? [])
    let database = scratch.path("aasa.db")
    return publishes
      ? try ServedFile.server(database: database, arguments: arguments)
      : try RunningServer(database: database, arguments: arguments)
  }

  /// Ends and starts servers, one after the other, while clients ask.
  private func restart(_ servers: [RunningServer], _ order: [Int], behind kind: ProxyKind) throws {
    var servers = servers
    let proxy = try RunningProxy(kind, before: servers, names: ServedFile.hosts) { _ in
      Self.waitBudget(kind)
    }
    let expected = try ServedFile.direct(servers[0], "GET", "large.example", ServedFile.paths[0])
    let load = Load(
      port: proxy.httpPort, request: Self.request(for: "large.example"), body: expected.body)
    let threads = Threads((1...8).map { _ in { load.run() } })
    defer { load.isEnding.store(true, ordering: .relaxed) }
    for index in order {
      load.waitForMore(200)
      let before = load.answered.count
      #expect(try servers[index].end() == .exited(0))
      if servers.count > 1 { load.waitForMore(200) }
      servers[index] = try server(kind, after: servers[index])
      if kind == .haproxy { #expect(try becomesTrue { try proxy.saysThatItIsUp(index) }) }
      load.waitForMore(200)
      #expect(load.answered.count > before)
    }
    load.isEnding.store(true, ordering: .relaxed)
    #expect(threads.end())
    let failures = load.failures.withLock { $0 }
    let log = try proxy.log()
    #expect(
      failures.isEmpty, "\(failures.count) of \(load.answered.count): \(Set(failures)), \(log)")
  }
}

extension RunningProxy {
  /// What HAProxy has written last of a server, as one looks before the next server is ended.
  fileprivate func saysThatItIsUp(_ index: Int) throws -> Bool {
    let log = try directory.text("out")
    guard let last = log.ranges(of: "Server aasa/aasa\(index + 1) is ").last else { return false }
    return log[last.upperBound...].hasPrefix("UP")
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

  init(port: UInt16, request: String, body: [UInt8]) {
    self.port = port
    self.request = request
    self.body = body
  }

  /// Waits for further answers, or for a failure.
  func waitForMore(_ count: Int) {
    let goal = answered.count + count
    let isThere = becomesTrue {
      answered.count >= goal || failures.withLock { !$0.isEmpty }
    }
    if !isThere { failures.withLock { $0.append("only \(answered.count) of \(goal) answers") } }
  }

  /// One client. A proxy may close a connection after an answer that says so.
  func run() {
    var connection: RawConnection?
    while !isEnding.load(ordering: .relaxed) {
      do {
        let open = try connection ?? RawConnection(port: port, seconds: 60)
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
