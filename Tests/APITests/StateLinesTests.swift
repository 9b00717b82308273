import Association
import HTTP
import Publishing
import Store
import TestSupport
import Testing

/// A state of any size goes through the API as lines.
@Suite struct StateLinesTests {

  private static func domain(_ index: Int, path: String = "/a", padding: String = "") -> JSON {
    [
      "domain": .string("d\(index).example"), "cacheSeconds": 60,
      "entries": [
        [
          "apps": [.string(app)],
          "routes": [["path": .string(path), "comment": .string("c\(padding)")]],
        ]
      ],
    ]
  }

  private static func lines(_ elements: [JSON]) -> [UInt8] {
    Array(elements.map { $0.text + "\n" }.joined().utf8)
  }

  private func apply(
    _ running: RunningService, _ lines: [UInt8], _ query: String = ""
  ) throws -> RawResponse {
    try running.admin.send(
      "POST", "/v1/apply?\(query)", body: lines, "Content-Type: application/x-ndjson")
  }

  @Test func aStateLargerThanAnyOtherBodyIsApplied() throws {
    let running = try RunningService(maxBodyBytes: 131_072)
    let padding = String(repeating: "x", count: 4_000)
    let domains = (0..<400).map { Self.domain($0, padding: padding) }
    let body = Self.lines([["app": .string(app), "name": "Example"]] + domains)
    #expect(body.count > 1_500_000)
    let answer = try apply(running, body)
    #expect(answer.status == 200, "\(answer.text.prefix(300))")
    let steps = try answer.json["domains"]?.arrayValue ?? []
    #expect(steps.count == 400 && steps.allSatisfy { $0["action"] == "create" })
    #expect(try running.serve("d399.example").status == 200)
    let again = try apply(running, body, "dryRun=true")
    #expect(
      try again.json["domains"]?.arrayValue?.allSatisfy { $0["action"] == "unchanged" } == true)
  }

  @Test func oneInvalidLineStopsTheWholeState() throws {
    let running = try RunningService()
    let good = Self.lines([Self.domain(1)])
    for (line, code) in [
      ("{\"domain\": \"d2.example\", \"cacheSeconds\": -1}", "invalid-input"),
      ("{\"domain\": \"d1.example\"}", "invalid-input"), ("{\"what\": 1}", "invalid-input"),
      ("{\"domain\": \"d2.example\", \"domain\": 1}", "invalid-input"),
      ("[", "not-json"), ("{} {}", "not-json"),
    ] {
      let answer = try apply(running, good + Array(line.utf8))
      #expect(try answer.code == code, "\(line): \(answer.text)")
    }
    #expect(try running.serve("d1.example").status == 404)
  }

  @Test func aLineThatIsTooLongIsRefused() throws {
    let running = try RunningService()
    let answer = try apply(running, Array(repeating: UInt8(ascii: " "), count: 5_000_000))
    #expect(try answer.status == 413 && answer.code == "body-too-complex")
  }

  @Test func keptDomainsAreNotPruned() throws {
    let running = try RunningService()
    #expect(try apply(running, Self.lines((0..<3).map { Self.domain($0) })).status == 200)
    let state: [JSON] = [Self.domain(0, path: "/z"), ["keep": ["d2.example"]]]
    let answer = try apply(running, Self.lines(state), "prune=true&accept=opens-nothing")
    let steps = try answer.json["domains"]?.arrayValue?.map {
      "\($0["domain"]?.stringValue ?? ""): \($0["action"]?.stringValue ?? "")"
    }
    #expect(steps == ["d1.example: delete", "d0.example: update"], "\(answer.text)")
    #expect(try running.serve("d2.example").status == 200)
  }

  @Test func aTokenWithoutTheRoleIsRefusedBeforeTheLinesAreRead() throws {
    let running = try RunningService()
    let viewer = try running.client(.viewer)
    let connection = try RawConnection(port: viewer.port)
    let head =
      ["POST /v1/apply HTTP/1.1"] + viewer.lines
      + ["Content-Type: application/x-ndjson", "Transfer-Encoding: chunked", "", ""]
    try connection.send(head.joined(separator: "\r\n"))
    #expect(try connection.readResponse().status == 403)
  }

  // MARK: Hashes

  @Test func hashesAreThoseOfTheFilesOfAnExport() throws {
    let running = try RunningService()
    for index in 0..<3 { try running.put("d\(index).example", ["cacheSeconds": 5]) }
    let hashes = {
      try running.admin.send("GET", "/v1/export/hashes").json["domains"]?.arrayValue ?? []
    }
    func expected() throws -> [JSON] {
      let domains = try running.admin.send("GET", "/v1/export").json["domains"]?.arrayValue ?? []
      return domains.map { domain in
        [
          "domain": domain["domain"] ?? .null, "revision": domain["revision"] ?? .null,
          "sha256": .string(SHA256.hexadecimal(of: Array(domain.prettyPrinted().utf8))),
        ]
      }
    }
    let first = try hashes()
    #expect(try first.count == 3 && first == expected())
    #expect(try hashes() == first, "from the database, where they are kept")
    #expect(
      try running.admin.send("PATCH", "/v1/domains/d1.example", json: ["cacheSeconds": 6])
        .status == 200)
    let second = try hashes()
    #expect(try second == expected() && second[1] != first[1] && second[2] == first[2])
  }

  // MARK: Work

  @Test(arguments: [
    (ApplyOptions(longest: .zero), PublicationError.Work.checked),
    (ApplyOptions(longestWrite: .zero), .written),
  ]) func documentsThatTakeTooLongTogetherAreRefused(
    options: ApplyOptions, work: PublicationError.Work
  ) throws {
    let running = try RunningService()
    let names = try (0..<3).map { try DomainName("d\($0).example") }
    let state = DesiredState(apps: [], domains: names) { index, _ in
      (Domain(name: names[index]), nil)
    }
    let error = #expect(throws: PublicationError.self) {
      _ = try Publisher(store: running.store).apply(
        state, options, by: WriteContext(author: "test"))
    }
    guard case .tooMuchWork(work, done: 0, of: 3, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try running.admin.send("GET", "/v1/domains").json["total"] == 0)
  }

  @Test func aWriteWhoseClientGoesEndsAndChangesNothing() throws {
    let running = try RunningService()
    let names = try (0..<3).map { try DomainName("d\($0).example") }
    // Each domain is read once for the plan, then once to be written.
    let readings = Counter()
    let state = DesiredState(apps: [], domains: names) { index, _ in
      readings.add()
      return (Domain(name: names[index]), nil)
    }
    let context = WriteContext(author: "test") { readings.count > 3 }
    #expect(throws: StoreError.busy) {
      _ = try Publisher(store: running.store).apply(state, by: context)
    }
    #expect(readings.count == 4)
    #expect(try running.admin.send("GET", "/v1/domains").json["total"] == 0)
  }
}
