import Synchronization
import TestSupport
import Testing

@testable import HTTP

/// Bodies of requests within their limits, and answers that are produced while they are sent.
@Suite struct BodyTests {
  private static func streaming(
    _ limits: Limits = ListenerTests.limits,
    _ stream: @escaping @Sendable () -> (() throws -> [UInt8]?)
  ) throws -> Listener {
    try Listener(
      on: SocketAddress(host: "127.0.0.1", port: 0), limits: limits,
      refuse: { Response($0.status) },
      answer: { request in
        request.target.path == "/"
          ? Response(.ok, fields: [HeaderField("Content-Type", "text/plain")], stream: stream())
          : Response(.ok, body: Array("plain".utf8))
      })
  }

  private static func request(_ method: String = "GET", _ path: String = "/") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: h\r\n\r\n"
  }

  /// Pieces of all sizes, also empty ones and some larger than any buffer.
  private static let pieces = [0, 1, 0, 70_000, 5, 16_384, 200_000, 0].enumerated().map {
    [UInt8](repeating: UInt8(ascii: "a") + UInt8($0.offset), count: $0.element)
  }

  private static func pieceByPiece() -> () throws -> [UInt8]? {
    var rest = pieces[...]
    return { rest.popFirst() }
  }

  @Test func aStreamedBodyArrivesWholeAndTheConnectionContinues() throws {
    let listener = try Self.streaming { Self.pieceByPiece() }
    let connection = try RawConnection(port: listener.port, to: listener)
    for _ in 0..<2 {
      let response = try connection.exchange(Self.request())
      #expect(response["Transfer-Encoding"] == "chunked" && response["Content-Length"] == nil)
      #expect(response.body == Self.pieces.flatMap(\.self))
      #expect(try connection.exchange(Self.request("GET", "/x")).text == "plain")
    }
  }

  @Test func aClientOfHTTP10GetsAStreamUntilTheEndOfTheConnection() throws {
    let listener = try Self.streaming { Self.pieceByPiece() }
    let connection = try RawConnection(port: listener.port, to: listener)
    let response = try connection.exchange("GET / HTTP/1.0\r\n\r\n")
    #expect(response["Transfer-Encoding"] == nil && response["Content-Length"] == nil)
    #expect(try connection.readToEnd() == Self.pieces.flatMap(\.self))
  }

  @Test func theAnswerToHEADHasNoPartOfAStream() throws {
    let listener = try Self.streaming { Self.pieceByPiece() }
    let connection = try RawConnection(port: listener.port, to: listener)
    #expect(try connection.exchange(Self.request("HEAD"))["Content-Length"] == nil)
    #expect(try connection.readToEnd().isEmpty)
  }

  @Test(arguments: ["HTTP/1.1", "HTTP/1.0"])
  func aStreamThatFailsEndsWithAReset(version: String) throws {
    struct Failure: Error {}
    let listener = try Self.streaming {
      let next = Self.pieceByPiece()
      return { try next() ?? { throw Failure() }() }
    }
    let connection = try RawConnection(port: listener.port, to: listener)
    try connection.send("GET / \(version)\r\nHost: h\r\n\r\n")
    #expect(throws: RawConnection.Failure.self) { try connection.readToEnd() }
    #expect(becomesTrue { listener.openConnections == 0 })
  }

  /// Without end, so that an answer could not be held in memory.
  @Test func aStreamIsProducedWhileItIsReadAndReleasedWhenTheClientGoes() throws {
    final class Source: Sendable {
      static let released = Atomic(0)
      deinit { Self.released.add(1, ordering: .relaxed) }
    }
    let listener = try Self.streaming {
      let source = Source()
      return { withExtendedLifetime(source) { [UInt8](repeating: 120, count: 10_000) } }
    }
    let connection = try RawConnection(port: listener.port, to: listener)
    try connection.send(Self.request())
    #expect(try connection.read(atLeast: 10_000_000))
    connection.reset()
    #expect(becomesTrue { Source.released.load(ordering: .relaxed) == 1 })
    #expect(becomesTrue { listener.openConnections == 0 })
  }

  @Test func theTimeToProduceAStreamIsNotChargedToTheClient() throws {
    var limits = ListenerTests.limits
    (limits.headerSeconds, limits.bodySeconds) = (1, 1)
    let listener = try Self.streaming(limits) {
      var count = 0
      return {
        let end = ContinuousClock.now + .seconds(0.8)
        while ContinuousClock.now < end {}
        count += 1
        return count > 2 ? nil : [120]
      }
    }
    let connection = try RawConnection(port: listener.port, to: listener)
    #expect(try connection.exchange(Self.request()).text == "xx")
  }

  /// Each endpoint decides how large a body it reads.
  @Test(arguments: ["Content-Length: 101\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n65\r\n"])
  func theScreenDecidesHowLargeABodyMayBe(lines: String) throws {
    let listener = try Listener(
      on: SocketAddress(host: "127.0.0.1", port: 0), limits: ListenerTests.limits,
      screen: { .readBody(upTo: $0.target.path == "/small" ? 100 : .max) },
      refuse: { refusal in
        let path = refusal.head?.target.path ?? ""
        return Response(refusal.status, body: Array("\(refusal.reason) \(path)".utf8))
      },
      answer: { Response(.ok, body: Array("\($0.body.count)".utf8)) })
    let end = lines.hasSuffix("65\r\n") ? "\r\n0\r\n\r\n" : ""
    let body = String(repeating: "b", count: 101) + end
    func exchange(_ path: String) throws -> RawResponse {
      try RawConnection(port: listener.port, to: listener).exchange(
        "POST \(path) HTTP/1.1\r\nHost: h\r\n\(lines)\(body)")
    }
    #expect(try exchange("/large").text == "101")
    let refused = try exchange("/small")
    #expect(refused.status == 413)
    #expect(refused.text == "bodyTooLarge(limit: 100) /small")
  }

  @Test func theBodiesOfAllRequestsTogetherHaveALimit() throws {
    var limits = ListenerTests.limits
    (limits.smallBodyBytes, limits.bodyShareBytes) = (0, 10_000 / 3)
    let listener = try AbuseTests.listener(limits)
    func post(_ sent: Int) throws -> RawConnection {
      let connection = try RawConnection(port: listener.port, to: listener)
      try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9000\r\n\r\n")
      try connection.send(String(repeating: "x", count: sent))
      return connection
    }
    var first: RawConnection?
    let isRefused = try becomesTrue {
      first = nil
      guard becomesTrue({ listener.openConnections == 0 }) else { return false }
      first = try post(8000)
      // Unless this one arrives before the first.
      return try post(9000).readResponse().status == 503
    }
    #expect(isRefused)
    try first?.send(String(repeating: "x", count: 1000))
    #expect(try first?.readResponse().text == "9000")
    // What is held by requests that have ended counts no more.
    #expect(try becomesTrue { try post(9000).readResponse().text == "9000" })
    try post(8000).reset()
    #expect(try becomesTrue { try post(9000).readResponse().text == "9000" })
  }

  /// Bodies of 9,000 bytes, where a token may have 10,000, a client 20,000, all together 30,000. The path of a
  /// request names both: `/client/token`.
  private final class Shares {
    private let listener: Listener
    private let small: Int
    private var held: [RawConnection] = []

    init(small: Int = 0) throws {
      self.small = small
      var limits = ListenerTests.limits
      (limits.smallBodyBytes, limits.bodyShareBytes) = (small, 10_000)
      listener = try AbuseTests.listener(limits) { head in
        let names = head.target.segments
        return .readBody(upTo: .max, for: [.client(names[0]), .token(names[1])])
      }
    }

    /// The status of the answer to a whole body.
    func status(_ path: String, bytes: Int = 9000) throws -> Int {
      let connection = try begin(path, bytes: bytes)
      try connection.send("x")
      let status = try connection.readResponse().status
      connection.reset()
      expectNothingElse()
      return status
    }

    /// Sends all of a body but one byte, and goes on when the listener holds it and nothing else.
    func hold(_ path: String) throws {
      held.append(try begin(path, bytes: 9000))
      expectNothingElse()
    }

    /// Waits until the listener holds nothing but the bodies that are held.
    private func expectNothingElse() {
      #expect(becomesTrue { listener.heldBodyBytes == held.count * (8999 - small) })
    }

    private func begin(_ path: String, bytes: Int) throws -> RawConnection {
      let connection = try RawConnection(port: listener.port, to: listener)
      try connection.send("POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(bytes)\r\n\r\n")
      try connection.send(String(repeating: "x", count: bytes - 1))
      return connection
    }
  }

  @Test func aTokenLeavesRoomForTheOthersOfItsClientAndAClientForOthers() throws {
    let shares = try Shares()
    try shares.hold("/a/1")
    #expect(try shares.status("/b/1") == 503)
    #expect(try shares.status("/a/2") == 200)
    try shares.hold("/a/2")
    #expect(try shares.status("/a/3") == 503)
    #expect(try shares.status("/b/3") == 200)
    try shares.hold("/b/3")
    #expect(try shares.status("/c/4") == 503)
  }

  @Test func aSmallBodyIsTakenWhateverOthersHold() throws {
    let shares = try Shares(small: 500)
    for path in ["/a/1", "/a/2", "/b/3"] { try shares.hold(path) }
    #expect(try shares.status("/a/1", bytes: 500) == 200)
    #expect(try shares.status("/c/4", bytes: 500) == 200)
  }

  @Test(arguments: [true, false])
  func aHandlerSeesThatItsClientHasGone(isReset: Bool) throws {
    let asked = Asked()
    let listener = try asked.listener()
    var connection: RawConnection? = try RawConnection(port: listener.port)
    try connection?.send(Self.request())
    #expect(becomesTrue { asked.times.load(ordering: .relaxed) > 0 })
    if isReset { connection?.reset() }
    connection = nil
    #expect(becomesTrue { asked.hasSeenItGo.load(ordering: .relaxed) })
    #expect(becomesTrue { listener.openConnections == 0 })
  }

  @Test func aClientThatHasOnlyEndedItsSendingHasNotGone() throws {
    let asked = Asked()
    let listener = try asked.listener()
    let connection = try RawConnection(port: listener.port, to: listener)
    try connection.send(Self.request())
    connection.closeWriting()
    #expect(try connection.readResponse().status == 102)
    let times = asked.times.load(ordering: .relaxed)
    #expect(becomesTrue { asked.times.load(ordering: .relaxed) > times + 100 })
    asked.mayAnswer.store(true, ordering: .relaxed)
    #expect(try connection.readResponse().text == "here")
    #expect(try connection.readToEnd().isEmpty)
    let hasSeenItGo = asked.hasSeenItGo.load(ordering: .relaxed)
    #expect(!hasSeenItGo)
  }
}

/// A handler that asks for its client until it has gone, or until it may answer.
private final class Asked: Sendable {
  let times = Atomic(0)
  let mayAnswer = Atomic(false)
  let hasSeenItGo = Atomic(false)

  func listener() throws -> Listener {
    try Listener(
      on: SocketAddress(host: "127.0.0.1", port: 0), limits: ListenerTests.limits,
      refuse: { Response($0.status) },
      answer: { [self] request in
        let hasGone = becomesTrue {
          times.add(1, ordering: .relaxed)
          return request.clientHasGone() || mayAnswer.load(ordering: .relaxed)
        }
        hasSeenItGo.store(hasGone && request.clientHasGone(), ordering: .relaxed)
        return Response(.ok, body: Array("here".utf8))
      })
  }
}
