import Association
import Checking
import FoundationEssentials
import Glibc
import HTTP
import Publishing
@testable import Service
import Store
import TestSupport
import Testing

/// What one token may take of what is there for all.
@Suite struct ShareTests {
  /// A request whose body lacks its last byte.
  private func hold(
    _ client: Client, _ target: String, _ body: [UInt8], _ lines: String...
  ) throws -> RawConnection {
    let connection = try RawConnection(port: client.port, seconds: 60)
    let head =
      ["POST \(target) HTTP/1.1"] + client.lines + lines + ["Content-Length: \(body.count)"]
    try connection.send(head.map { $0 + "\r\n" }.joined() + "\r\n")
    try connection.send(Array(body.dropLast()))
    return connection
  }

  @Test func slowBodiesOfATokenKeepNeitherOthersNorSignInsOut() throws {
    let running = try RunningService()
    let viewer = try running.client(.viewer)
    let body = Array(#"{"applinks": {}"#.utf8) + [UInt8](repeating: 0x20, count: 2_000_000)
    // Eight bodies are the 16 MB of a token, of which 64 KB of each do not count.
    var held = try (0..<8).map { _ in try hold(viewer, "/v1/validate", body) }
    let refused = try becomesTrue {
      // The question may have come before one of them, which was refused in its place.
      if let another = try? hold(viewer, "/v1/validate", body) { held.append(another) }
      return try viewer.send("POST", "/v1/validate", body: body + Array("}".utf8)).code
        == "too-many-bodies"
    }
    #expect(refused)

    let other = try running.client(.viewer)
    let answer = try other.send("POST", "/v1/validate", body: body + Array("}".utf8))
    #expect(answer.status != 503, "\(answer.text)")
    let secret = try running.createToken(name: "anna", role: .editor)
    let signIn = try running.client().send(
      "POST", "/v1/session", json: ["token": .string(secret.text)], "X-Aasa-Dashboard: 1")
    #expect(signIn.status == 201)
    #expect(
      try viewer.send("POST", "/v1/validate", body: Array(#"{"applinks": {}}"#.utf8)).status != 503)
    withExtendedLifetime(held) {}
  }

  /// A trusted proxy that does not say whom it asks for may stand for many clients.
  @Test(arguments: [
    ("192.0.2.7", "", "192.0.2.7"), ("2001:db8::7:0:0:0:1", "", "2001:db8:0:7::"),
    ("192.0.2.7", "203.0.113.9", "192.0.2.7"), ("127.0.0.1", "203.0.113.9", "203.0.113.9"),
    ("127.0.0.1", "", nil), ("127.0.0.1", "unknown", nil),
  ])
  func aBodyCountsForItsClientAndItsToken(peer: String, forwarded: String, client: String?) throws {
    let running = try RunningService()
    let secret = try running.createToken(name: "reader", role: .viewer).text
    let trust = ProxyTrust(proxies: [try #require(AddressRange("127.0.0.0/8"))])
    let request = Request(
      method: .post, target: try RequestTarget("/v1/validate".utf8),
      fields: [
        HeaderField("Authorization", "Bearer \(secret)"), HeaderField("X-Forwarded-For", forwarded),
      ], peer: peer)
    guard case .readBody(_, let holders) = api(running, trust).screen(request.head) else {
      Issue.record("not read")
      return
    }
    #expect(
      holders == [client.map(BodyHolder.client)].compactMap(\.self) + [.token("token reader")])
  }

  private func api(_ running: RunningService, _ trust: ProxyTrust = ProxyTrust()) -> AdminAPI {
    AdminAPI(
      publisher: Publisher(store: running.store), checker: { Checker(Fetcher(), now: { 0 }) },
      readiness: { Readiness() }, serves: { _ in false }, counts: AdminCounts(), metrics: { [] },
      trust: trust, log: { _ in })
  }

  // MARK: Reading

  /// One token has as many requests under way as it may. Its next one waits, and that of another token does not.
  @Test(arguments: ["/v1/domains?q=z%C3%BCrich", "/v1/qr?url=https://example.com/a"])
  func manyRequestsOfATokenKeepNobodyElseWaiting(target: String) throws {
    let running = try RunningService()
    let api = api(running)
    let (greedy, other) = (
      try running.createToken(name: "greedy", role: .viewer).text,
      try running.createToken(name: "other", role: .viewer).text
    )
    let path = try RequestTarget(target.utf8)
    let status = { @Sendable (secret: String) in
      api.answer(
        Request(
          method: .get, target: path, fields: [HeaderField("Authorization", "Bearer \(secret)")])
      ).status
    }
    var turns = try (0..<api.reading.share).map { _ in
      try api.reading.turn(for: "token greedy")
    }
    let waiting = Threads([{ #expect(status(greedy) == .ok) }])
    #expect(becomesTrue { api.reading.waitingCount == 1 })
    #expect(status(other) == .ok)
    #expect(api.reading.waitingCount == 1)
    turns.removeAll()
    #expect(waiting.end())
  }

  // MARK: States as lines

  private let lines = "Content-Type: application/x-ndjson"

  /// Lines without a domain.
  private let megabyte = [UInt8](repeating: 0x0A, count: 1_048_576)

  /// The bytes of this process's files without names in a directory.
  private func spooledBytes(in directory: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").reduce(0) { sum, name in
      let link = "/proc/self/fd/\(name)"
      // Other tests close files meanwhile.
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
        target.hasPrefix(directory + "/"), target.hasSuffix(" (deleted)")
      else { return sum }
      var status = stat()
      return stat(link, &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }

  @Test(arguments: [Role.viewer, .editor])
  func temporaryFilesOfWhoHasNoLargeStateAreLimited(role: Role) throws {
    let spools = try TemporaryDirectory()
    let running = try RunningService(configure: { $0.spoolDirectory = spools.url.path })
    let client = try running.client(role, domains: role == .viewer ? [] : ["*.example"])
    let connection = try RawConnection(port: client.port, seconds: 60)
    let head = ["POST /v1/apply?dryRun=true HTTP/1.1"] + client.lines + [lines]
    let count = 100 * megabyte.count
    try connection.send((head + ["Content-Length: \(count)", "", ""]).joined(separator: "\r\n"))
    for _ in 0..<60 { try connection.send(megabyte) }
    let most = try spooledBytes(in: spools.url.path)
    #expect(most > 30_000_000 && most <= 67_108_864)
    for _ in 0..<6 { try connection.send(megabyte) }
    let answer = try connection.readResponse()
    #expect(try answer.status == 413 && answer.code == "body-too-large")
    #expect(becomesTrue { (try? spooledBytes(in: spools.url.path)) == 0 })
  }

  @Test func aTokenSendsOneStateAtATimeAndKeepsNobodyElseWaiting() throws {
    let running = try RunningService()
    let viewer = try running.client(.viewer)
    let body = Array(#"{"domain": "a.example"}"#.utf8) + [UInt8](repeating: 0x0A, count: 100_000)
    let held = try hold(viewer, "/v1/apply?dryRun=true", body, lines)
    // Before its body is read. A request that overtakes the first one is answered.
    let isBusy = try becomesTrue {
      let second = try viewer.send("POST", "/v1/apply?dryRun=true", body: body, lines)
      return try second.status == 503 && second.code == "busy"
    }
    #expect(isBusy)
    let other = try running.client(.viewer)
    #expect(try other.send("POST", "/v1/apply?dryRun=true", body: body, lines).status == 200)
    try held.send("\n")
    #expect(try held.readResponse().status == 200)
    #expect(try viewer.send("POST", "/v1/apply?dryRun=true", body: body, lines).status == 200)
  }
}
