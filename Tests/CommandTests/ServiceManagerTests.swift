import Glibc
import Synchronization
import TestSupport
import Testing

/// What systemd hands over and is told.
@Suite struct ServiceManagerTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }

  init() throws { scratch = try TemporaryDirectory() }

  /// Starts with sockets as systemd does: it says for which process they are.
  private static func activated(_ names: String, pid: String = "$$") -> [String] {
    let variables = "LISTEN_PID=\(pid) LISTEN_FDNAMES=\(names)"
    let count = names.split(separator: ":").count
    return ["sh", "-c", "\(variables) LISTEN_FDS=\(count) exec \"$@\"", "sh", Program.aasa]
  }

  @Test func itIsToldWhenTheServiceIsReadyReloadsAndEnds() throws {
    let notify = try NotifySocket(path: scratch.path("n"))
    let server = try RunningServer(
      database: database, environment: ["NOTIFY_SOCKET": notify.path])
    #expect(notify.next() == "READY=1")
    server.process.signal(SIGHUP)
    #expect(notify.next()?.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=[0-9]+/) != nil)
    #expect(notify.next() == "READY=1")
    server.process.signal(SIGTERM)
    #expect(notify.next() == "STOPPING=1")
    #expect(try server.process.waitForEnd() == .exited(0))
  }

  @Test func aSignalEndsAServerThatIsKeptWaiting() throws {
    let notify = try NotifySocket(path: scratch.path("n"))
    notify.fill()
    let server = try RunningServer(
      database: database, environment: ["NOTIFY_SOCKET": notify.path])
    server.process.signal(SIGTERM)
    #expect(try server.process.waitForEnd() == .killed(bySignal: SIGTERM))
  }

  @Test func theWatchdogIsToldAsLongAsFilesAreServed() throws {
    let notify = try NotifySocket(path: scratch.path("n"))
    let server = try RunningServer(
      database: database,
      environment: ["NOTIFY_SOCKET": notify.path, "WATCHDOG_USEC": "2000000"])
    #expect(notify.next() == "READY=1")
    // The shortest of the pauses counts: a busy machine can only make a pause longer.
    let pauses = (1...5).map { _ in
      let start = ContinuousClock.now
      #expect(notify.next() == "WATCHDOG=1")
      return .now - start
    }
    #expect(pauses.contains { $0 < .seconds(2) }, "\(pauses)")
    server.process.stop()
    while notify.next(within: 1) != nil {}
    server.process.signal(SIGCONT)
    #expect(notify.next() == "WATCHDOG=1")
  }

  @Test func theWatchdogsProbesAreNeitherCountedNorLogged() throws {
    let notify = try NotifySocket(path: scratch.path("n"))
    let server = try RunningServer(
      database: database, arguments: ["--access-log", "1"],
      environment: ["NOTIFY_SOCKET": notify.path, "WATCHDOG_USEC": "2000000"])
    #expect(notify.next() == "READY=1")
    for _ in 1...3 { #expect(notify.next() == "WATCHDOG=1") }
    let metrics = try Metrics(of: server).text.split(separator: "\n")
    let counts = metrics.filter { $0.hasPrefix("aasa_public_requests_total{") }
    #expect(!counts.isEmpty && counts.allSatisfy { $0.hasSuffix(" 0") })
    #expect(try !server.errors().contains("File request."))
    #expect(try server.file(of: "a.example").status == 404)
    #expect(try becomesTrue { try server.errors().contains("File request.") })
  }

  @Test(arguments: ["1", "3"])
  func bothListenersTakeOverSocketsByTheirNames(threads: String) throws {
    let (file, api) = (try ListeningDescriptor(), try ListeningDescriptor())
    let server = try RunningServer(
      database: database, program: Self.activated("admin:public"),
      arguments: ["--threads", threads], descriptors: [api.descriptor, file.descriptor])
    #expect(server.publicPort == file.port)
    #expect(server.adminPort == api.port)
    for _ in 1...20 { #expect(try server.file(of: "a.example").status == 404) }
    #expect(try server.client().send("GET", "/v1/domains").status == 200)
  }

  @Test func socketsOfAnotherProcessAreNotTaken() throws {
    let file = try ListeningDescriptor()
    let server = try RunningServer(
      database: database, program: Self.activated("public", pid: "1"),
      descriptors: [file.descriptor])
    #expect(server.publicPort != file.port)
  }

  @Test(arguments: [
    ("http", "unknown name \"http\""), ("public:public", "two sockets named \"public\""),
  ])
  func socketsThatFitNothingAreRefused(names: String, words: String) throws {
    let sockets = [try ListeningDescriptor(), try ListeningDescriptor()]
    do {
      _ = try RunningServer(
        database: database, program: Self.activated(names),
        descriptors: sockets.map(\.descriptor))
      Issue.record("it started")
    } catch let error as RunningServer.NotStarted {
      #expect(error.errors.contains(words))
      #expect(error.errors.split(separator: "\n").count == 1)
    }
  }

  @Test(arguments: ["1", "2"])
  func aRestartUnderLoadLosesNoRequest(threads: String) throws {
    let file = try ListeningDescriptor()
    let start = { () throws in
      try RunningServer(
        database: database, program: Self.activated("public"), arguments: ["--threads", threads],
        descriptors: [file.descriptor])
    }
    var server = try start()
    let load = Load(port: file.port)
    let threads = Threads((1...4).map { index in { load.run(keepsAlive: index % 2 == 0) } })
    for _ in 1...4 {
      let before = load.answered.count
      #expect(becomesTrue { load.answered.count > before + 200 })
      #expect(try server.end() == .exited(0))
      server = try start()
    }
    load.end()
    #expect(threads.end())
    #expect(load.failures == [])
    #expect(load.answered.count > 800)
  }
}

/// Clients that ask for a file again and again.
private final class Load: Sendable {
  let answered = Counter()
  private let port: UInt16
  private let state = Mutex<(failures: [String], isEnding: Bool)>(([], false))

  init(port: UInt16) { self.port = port }

  var failures: [String] { state.withLock(\.failures) }

  func end() { state.withLock { $0.isEnding = true } }

  /// Asks with a connection for each request, or keeps a connection until the server ends it.
  func run(keepsAlive: Bool) {
    let field = keepsAlive ? "" : "Connection: close\r\n"
    let request =
      "GET /.well-known/apple-app-site-association HTTP/1.1\r\nHost: a.example\r\n\(field)\r\n"
    var connection: RawConnection?
    while !state.withLock(\.isEnding) {
      do {
        let current = try connection ?? RawConnection(port: port)
        let answer = try current.exchange(request)
        let isKept = keepsAlive && answer["Connection"]?.lowercased() != "close"
        connection = isKept ? current : nil
        if answer.status == 404 { answered.add() } else { fail(answer.statusLine) }
      } catch {
        // A server may end a connection between two requests (RFC 9112 section 9.6); a client asks
        // again with a new one.
        let isIdleEnd = connection != nil
        connection = nil
        if !isIdleEnd { fail("\(error)") }
      }
    }
  }

  private func fail(_ text: String) { state.withLock { $0.failures.append(text) } }
}
