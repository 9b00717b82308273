import Glibc
import Association
import Store
import TestSupport
import Testing

/// Whether Apple has collected a change: what is fetched from a running server gets into the ledger.
@Suite struct LedgerTests {
  static let apple = "AASA-Bot/1.0.0"

  let scratch: TemporaryDirectory
  var database: String { scratch.path("aasa.db") }

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.adopt(["/first"], for: "example.com")
  }

  private func start() throws -> RunningServer { try RunningServer(database: database) }

  /// A new token, since the one that the first start prints is gone with it.
  private func client(of server: RunningServer, _ name: String = "test") throws -> Client {
    let token = try Program.aasa(
      "token", "create", "--database", database, "--name", name, "--role", "admin")
    return server.client(token: token.lines.first ?? "")
  }

  private func fetches(_ client: Client) throws -> JSON {
    try client.send("GET", "/v1/domains/example.com/fetches").json
  }

  private func count(_ fetcher: String, _ client: Client) throws -> Int? {
    try fetches(client)["current"]?["counts"]?[fetcher]?.integerValue
  }

  @Test func aChangeIsCollectedWhenAppleFetchesAnyNameOfTheDomain() throws {
    let server = try start()
    let client = try client(of: server)
    let change: JSON = ["aliases": ["*.go.example.com"]]
    #expect(try client.send("PATCH", "/v1/domains/example.com", json: change).status == 200)
    #expect(try fetches(client)["current"]?["collected"] == false)
    try server.fetch("a.go.example.com", as: Self.apple)
    try server.fetch("example.com", as: "swcd (unknown version) CFNetwork")
    try server.fetch("example.com", as: "curl/8")
    #expect(try becomesTrue { try fetches(client)["current"]?["collected"] == true })
    let expected: JSON = ["apple-cdn": 1, "device": 1, "google": 0, "other": 1]
    #expect(try becomesTrue { try fetches(client)["current"]?["counts"] == expected })
    let current = try fetches(client)["current"]
    #expect(current?["revision"] == 2 && current?["firstFetchedByAppleAt"]?.stringValue != nil)
    #expect(try fetches(client)["items"]?.arrayValue?.last?["collected"] == false)
  }

  @Test func fetchesOfEachDocumentAreCountedByThemselves() throws {
    let server = try start()
    let client = try client(of: server)
    let file = Array(#"{"origins":["https://example.co.uk"]}"#.utf8)
    let target = "/v1/domains/example.com"
    #expect(try client.send("PUT", target + "/documents/webauthn", body: file).status == 200)
    for _ in 1...2 {
      try server.fetch("example.com", "webauthn", as: "GoogleAssociationService")
    }
    func counted(_ kind: String) throws -> Int? {
      try client.send("GET", "\(target)/fetches?kind=\(kind)").json["current"]?["counts"]?[
        "google"]?
        .integerValue
    }
    #expect(try becomesTrue { try counted("webauthn") == 2 })
    #expect(try counted("apple-app-site-association") == 0)
  }

  @Test func stoppingWritesAllCountsAndTheNextServerContinues() throws {
    for round in 1...2 {
      let server = try start()
      let client = try client(of: server, "round \(round)")
      // Just after a write the next one is not near.
      try server.fetch("example.com", as: "curl/8")
      #expect(try becomesTrue { try count("other", client) == round })
      for _ in 0..<5 { try server.fetch("example.com", as: Self.apple) }
      #expect(try server.end() == .exited(0))
      let next = try start()
      let reader = next.client(token: client.token)
      #expect(try count("apple-cdn", reader) == round * 5)
    }
  }

  @Test func aKilledServerLosesOnlySecondsOfCounts() throws {
    let server = try start()
    let client = try client(of: server)
    for _ in 0..<3 { try server.fetch("example.com", as: Self.apple) }
    #expect(try becomesTrue { try count("apple-cdn", client) == 3 })
    for _ in 0..<4 { try server.fetch("example.com", as: Self.apple) }
    #expect(try server.end(SIGKILL) == .killed(bySignal: SIGKILL))
    let next = try start()
    let counted = try count("apple-cdn", next.client(token: client.token))
    #expect((3...7).contains(counted ?? 0))
    #expect(try next.file(of: "example.com").json == AssociationFile.routes(["/first"]))
    let connection = try SQLiteConnection(path: database, mode: .readOnly)
    #expect(try connection.faults() == ["ok"])
  }

  @Test func aLockedDatabaseIsReportedBlocksNoMetricsAndLosesNoCounts() throws {
    let server = try start()
    let client = try client(of: server)
    let connection = try SQLiteConnection(path: database, mode: .create)
    try connection.execute("BEGIN IMMEDIATE")
    try server.fetch("example.com", as: Self.apple)
    #expect(try client.send("GET", "/v1/domains").status == 200)
    let problems: JSON = [
      "Cannot write the database. Files are still served, but edits fail.",
      "Cannot write the fetch ledger. Fetches are still counted in memory.",
    ]
    // The ledger waits for the lock, gives up after some seconds, and says so.
    let isTold = try becomesTrue {
      let start = ContinuousClock.now
      let metrics = try Metrics(of: server)
      #expect(ContinuousClock.now - start < .seconds(3) && metrics["aasa_ready"] == 1)
      let answer = try client.send("GET", "/readyz")
      #expect(answer.status == 200)
      return try answer.json["status"] == "degraded" && answer.json["problems"] == problems
    }
    #expect(isTold)
    let metrics = try Metrics(of: server)
    #expect(metrics["aasa_ledger_write_failures_total"] ?? 0 > 0)
    #expect(metrics["aasa_database_up{operation=\"write\"}"] == 0)
    try server.fetch("example.com", as: Self.apple)
    try connection.execute("ROLLBACK")
    #expect(try becomesTrue { try count("apple-cdn", client) == 2 })
    let isOver = try becomesTrue {
      try client.send("GET", "/readyz").json == ["status": "ready"]
    }
    #expect(isOver)
    #expect(
      try becomesTrue { try Metrics(of: server)["aasa_database_up{operation=\"write\"}"] == 1 })
  }
}

extension TemporaryDirectory {
  /// Makes a domain of the database `aasa.db` serve routes with these paths.
  func adopt(_ paths: [String], for domain: String) throws {
    let result = try Program.aasa(
      "import", "--domain", domain, "--database", path("aasa.db"), "-",
      input: AssociationFile.routes(paths).serialized())
    #expect(result.status == 0)
  }
}

extension RunningServer {
  /// Fetches the file of a host, which must be there, and returns its entity tag.
  @discardableResult
  func fetch(
    _ host: String, _ file: String = "apple-app-site-association", as userAgent: String
  ) throws -> String {
    let answer = try RawConnection(port: publicPort).exchange(
      "GET /.well-known/\(file) HTTP/1.1\r\nHost: \(host)\r\n"
        + "User-Agent: \(userAgent)\r\n\r\n")
    #expect(answer.status == 200)
    return answer["ETag"] ?? ""
  }
}

extension Client {
  /// The secret that it sends.
  fileprivate var token: String {
    lines.compactMap { $0.split(separator: " ").last }.last.map(String.init) ?? ""
  }
}
