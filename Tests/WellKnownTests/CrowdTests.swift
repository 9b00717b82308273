import Association
import HTTP
import Synchronization
import TestSupport
import Testing

/// Who keeps a connection, and who is answered, when too many clients want one.
@Suite struct CrowdTests {
  static let request = AbuseTests.request

  private static func serving(
    connections: Int, clientPercent: Int, body: String = "{}", trusted: [AddressRange] = []
  ) throws -> Serving {
    var limits = PublicListener.defaultLimits
    (limits.connections, limits.clientPercent) = (connections, clientPercent)
    return try Serving(
      ["example.com": body], limits: limits, settings: PublicSettings(trustedProxies: trusted))
  }

  /// Connections that were answered once, the first one first.
  private static func idle(
    _ count: Int, client: UInt8, of serving: Serving
  ) throws -> [RawConnection] {
    try (0..<count).map { _ in
      let connection = try serving.connect(client: client)
      #expect(try connection.exchange(request).status == 200)
      // Deadlines have a resolution of 4 ms.
      let start = ContinuousClock.now
      #expect(becomesTrue { ContinuousClock.now - start > .milliseconds(10) })
      return connection
    }
  }

  @Test func aClientOverItsShareLosesItsLongestIdleConnection() throws {
    let serving = try Self.serving(connections: 16, clientPercent: 25)
    let other = try Self.idle(1, client: 3, of: serving)
    let own = try Self.idle(4, client: 2, of: serving)
    #expect(try serving.connect(client: 2).exchange(Self.request).status == 200)
    #expect(own[0].hasEnded(withinMilliseconds: 10_000))
    for connection in own.dropFirst() + other {
      #expect(try connection.exchange(Self.request).status == 200)
    }
  }

  @Test func aTrustedProxyMayHaveAllConnections() throws {
    let proxy = try #require(AddressRange("127.0.0.2"))
    let serving = try Self.serving(connections: 16, clientPercent: 25, trusted: [proxy])
    let connections = try Self.idle(16, client: 2, of: serving)
    for connection in connections {
      #expect(try connection.exchange(Self.request).status == 200)
    }
    serving.listener.apply(PublicSettings())
    let later = try Self.idle(5, client: 4, of: serving)
    #expect(later[0].hasEnded(withinMilliseconds: 10_000), "a reload applies to new connections")
  }

  @Test func aNewConnectionTakesThePlaceOfTheLongestIdleOne() throws {
    let serving = try Self.serving(connections: 8, clientPercent: 100)
    var idle = try (2..<10).flatMap { try Self.idle(1, client: $0, of: serving) }
    // It has asked last, and so waits the shortest time.
    #expect(try idle[0].exchange(Self.request).status == 200)
    idle.append(idle.removeFirst())
    for client in UInt8(10)..<14 {
      idle += try Self.idle(1, client: client, of: serving)
      #expect(idle.removeFirst().hasEnded(withinMilliseconds: 10_000))
    }
    for connection in idle { #expect(try connection.exchange(Self.request).status == 200) }
  }

  @Test func anAnswerUnderWayIsNotCutWhileOthersAreIdle() throws {
    // More than the sockets hold.
    let body = String(repeating: "x", count: 48_000_000)
    let serving = try Self.serving(connections: 8, clientPercent: 100, body: body)
    let reading = try serving.connect()
    try reading.send(Self.request)
    #expect(becomesTrue { serving.listener.counts.requests(.ok, .other) == 1 })
    // They have waited for a shorter time, but are in the middle of a request.
    let idle = try (0..<20).map { _ in try serving.connect() }
    #expect(becomesTrue { idle.contains { $0.hasEnded(withinMilliseconds: 0) } })
    #expect(try reading.readResponse().body.count == body.utf8.count)
  }

  @Test(arguments: [1, 2])
  func aThousandIdleClientsLeaveOthersAnswered(daemons: Int) throws {
    var limits = PublicListener.defaultLimits
    limits.connections = 256
    let serving = try Serving(daemons: daemons, limits: limits)
    var idle: [RawConnection] = []
    for client in 2..<UInt8(12) {
      for _ in 0..<100 {
        let connection = try serving.connect(client: client)
        // The kernel holds back those that send nothing. It may have been cut already.
        try? connection.send("GET /")
        idle.append(connection)
      }
      #expect(try serving.answer().status == 200)
    }
    #expect(becomesTrue { serving.listener.counts.openConnections <= 258 })
    idle = []
    #expect(becomesTrue { serving.listener.counts.openConnections == 0 })
  }

  /// A listener whose handler holds requests for `/wait` until the test releases them.
  private final class Waiting: Sendable {
    let listener: Listener

    private final class Gate: Sendable {
      let waits = Atomic(0)
      let isOpen = Atomic(false)
    }

    private let gate: Gate

    init(connections: Int, clientPercent: Int) throws {
      var limits = Limits(connections: connections)
      (limits.clientPercent, limits.probes) = (clientPercent, ["/healthz"])
      let gate = Gate()
      self.gate = gate
      listener = try Listener(
        on: SocketAddress(host: "127.0.0.1", port: 0), limits: limits,
        refuse: { Response($0.status) },
        answer: { request in
          if request.target.path == "/wait" {
            gate.waits.add(1, ordering: .relaxed)
            _ = becomesTrue { gate.isOpen.load(ordering: .relaxed) }
          }
          return Response(.ok, body: Array("answered".utf8))
        })
    }

    var waiting: Int { gate.waits.load(ordering: .relaxed) }

    func open() { gate.isOpen.store(true, ordering: .relaxed) }

    func connect(client: UInt8) throws -> RawConnection {
      try RawConnection(port: listener.port, client: client, to: self)
    }
  }

  private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }

  @Test func slowBodiesOfOneOrOfManyClientsLeaveOthersAndProbesAnswered() throws {
    for clients in [1, 32] as [UInt8] {
      let server = try Waiting(connections: 64, clientPercent: 25)
      var slow: [RawConnection] = []
      for index in 0..<400 {
        let connection = try server.connect(client: 2 + UInt8(index % Int(clients)))
        // It may have been cut already.
        try? connection.send("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nx")
        slow.append(connection)
      }
      for client in [1, 2] as [UInt8] {
        for path in ["/healthz", "/a"] {
          #expect(try server.connect(client: client).exchange(Self.get(path)).status == 200)
        }
      }
      #expect(slow.contains { !$0.hasEnded(withinMilliseconds: 0) })
    }
  }

  @Test func aClientWhoseRequestsAreAllBeingAnsweredGetsProbesOnly() throws {
    let server = try Waiting(connections: 16, clientPercent: 25)
    let busy = try (0..<4).map { _ in try server.connect(client: 2) }
    for connection in busy { try connection.send(Self.get("/wait")) }
    #expect(becomesTrue { server.waiting == 4 })
    for _ in 0..<50 {
      let refused = try server.connect(client: 2).exchange(Self.get("/a"))
      #expect(refused.status == 503)
      #expect(refused["Connection"] == "close")
    }
    #expect(try server.connect(client: 2).exchange(Self.get("/healthz")).status == 200)
    #expect(try server.connect(client: 3).exchange(Self.get("/a")).status == 200)
    server.open()
    for connection in busy { #expect(try connection.readResponse().text == "answered") }
    #expect(try busy[0].exchange(Self.get("/a")).status == 200, "it is kept alive")
  }

  @Test func aProbeIsAnsweredWhenAllConnectionsAreBusyAndMoreWait() throws {
    let server = try Waiting(connections: 16, clientPercent: 100)
    let busy = try (2..<UInt8(18)).map { try server.connect(client: $0) }
    for connection in busy { try connection.send(Self.get("/wait")) }
    #expect(becomesTrue { server.waiting == 16 })
    // They take the places that are left for probes, and say nothing.
    let silent = try (0..<100).map { _ in try server.connect(client: 30) }
    #expect(try server.connect(client: 40).exchange(Self.get("/healthz")).status == 200)
    #expect(try server.connect(client: 40).exchange(Self.get("/a")).status == 503)
    #expect(silent[0].hasEnded(withinMilliseconds: 10_000))
    server.open()
    for connection in busy { #expect(try connection.readResponse().text == "answered") }
    #expect(
      try becomesTrue { try server.connect(client: 40).exchange(Self.get("/a")).status == 200 })
  }
}
