import FoundationEssentials
import Glibc
import HTTP
import JSONValue
import Service
import Store
import Synchronization
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

  // MARK: Reading

  /// Fifty clients of one token, again and again, are never answered more than two at a time, so others are.
  @Test(arguments: ["/v1/domains?q=z%C3%BCrich", "/v1/qr?url=https://example.com/a"])
  func manyRequestsOfATokenKeepNobodyElseWaiting(target: String) throws {
    let running = try RunningService()
    try running.put("xn--zrich-kva.example", [:])
    let (viewer, other) = (try running.client(.viewer), try running.client(.viewer))
    let ends = Atomic(false)
    let answers = Counter()
    let work: @Sendable () -> Void = {
      while !ends.load(ordering: .relaxed) {
        do {
          let status = try viewer.send("GET", target).status
          #expect([200, 503].contains(status))
          answers.add()
        } catch {
          Issue.record(error)
          return
        }
      }
    }
    let attack = Threads(Array(repeating: work, count: 50))
    #expect(becomesTrue { answers.count > 50 })
    for _ in 0..<20 { #expect(try other.send("GET", target).status == 200) }
    ends.store(true, ordering: .relaxed)
    #expect(attack.end())
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
