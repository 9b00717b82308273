import Glibc
import Association
import TestSupport
import Testing

/// What a server writes to stderr, a line an event.
@Suite struct LogTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }

  init() throws { scratch = try TemporaryDirectory() }

  private func makeToken(_ name: String) throws -> String {
    let result = try Program.aasa(
      "token", "create", "--name", name, "--role", "admin", "--database", database)
    #expect(result.status == 0)
    return result.lines.first ?? ""
  }

  /// A server that writes JSON does not announce its ports in the lines that tests wait for.
  private func jsonServer() throws -> RunningServer {
    try scratch.write("", to: "aasa.toml")
    let server = try RunningServer(
      database: database, arguments: ["--config", scratch.path("aasa.toml")])
    try scratch.write("logFormat = 'json'", to: "aasa.toml")
    server.process.signal(SIGHUP)
    #expect(try becomesTrue { try server.errors().contains("Reloaded the configuration.") })
    return server
  }

  private func objects(_ server: RunningServer) throws -> [JSON] {
    // The last line may be half written.
    try server.errors().split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .filter { $0.hasPrefix("{") }
      .map { try JSON.parse(Array($0.utf8)).value }
  }

  @Test func aRequestOfTheAPIIsALineWithItsIdentifierAndWhoSentIt() throws {
    let token = try makeToken("release \"7\"")
    let server = try jsonServer()
    let answer = try server.client(token: token).send("GET", "/v1/domains?limit=1")
    #expect(
      try becomesTrue { try objects(server).contains { $0["message"]?.stringValue == "Request." } })
    let line = try objects(server).first { $0["message"]?.stringValue == "Request." }
    #expect(line?["requestId"]?.stringValue == answer["X-Request-Id"])
    #expect(line?["method"]?.stringValue == "GET")
    #expect(line?["path"]?.stringValue == "/v1/domains", "without the query")
    #expect(line?["status"]?.integerValue == 200)
    #expect(line?["token"]?.stringValue == "release \"7\"")
    #expect(line?["peer"]?.stringValue == "127.0.0.1")
    #expect(line?["level"]?.stringValue == "info")
    let time = line?["time"]?.stringValue ?? ""
    #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    guard case .number = line?["milliseconds"] else {
      Issue.record("no duration")
      return
    }
  }

  @Test func whatCommandsChangeIsLoggedByARunningServer() throws {
    let server = try jsonServer()
    let token = try makeToken("release")
    let imported = try Program.aasa(
      "import", "--domain", "example.com", "--reason", "first", "--database", database, "-",
      input: AssociationFile.routes(["/a"]).serialized())
    #expect(imported.status == 0)
    let own = try server.client(token: token).send(
      "PUT", "/v1/domains/api.example/file", json: AssociationFile.routes(["/a"]))
    #expect(own.status == 201)
    func changes() throws -> [JSON] {
      try objects(server).filter {
        $0["message"]?.stringValue == "A command changed the database."
      }
    }
    #expect(try becomesTrue { try changes().contains { $0["domain"] == "example.com" } })
    #expect(try server.end() == .exited(0))
    let lines = try changes()
    #expect(lines.contains { $0["author"] == "aasa token create" || $0["token"] == "release" })
    let domain = try #require(lines.first { $0["domain"] == "example.com" })
    #expect(domain["author"] == "aasa import" && domain["reason"] == "first")
    #expect(domain["revision"]?.integerValue == 1)
    #expect(!lines.contains { $0["domain"] == "api.example" }, "a request has its own line")
  }

  @Test func watchersThatAreToldThatAllIsWellAreNotLogged() throws {
    let server = try jsonServer()
    let client = Client(port: server.adminPort, lines: ["Host: x"])
    for path in ["/healthz", "/readyz", "/metrics"] {
      #expect(try client.send("GET", path).status == 200)
      #expect(try client.send("GET", path + "?x=1").status == 400)
    }
    _ = try client.send("GET", "/openapi.json")
    #expect(try server.end() == .exited(0))
    let requests = try objects(server).filter { $0["message"]?.stringValue == "Request." }
    let paths = requests.compactMap { $0["path"]?.stringValue }
    #expect(paths == ["/healthz", "/readyz", "/metrics", "/openapi.json"])
    #expect(requests.compactMap { $0["status"]?.integerValue } == [400, 400, 400, 200])
  }

  @Test func pagesForARenderedDirectoryAreNotLoggedUnlessTheyAreRefused() throws {
    let token = try makeToken("static")
    let server = try jsonServer()
    let client = server.client(token: token)
    #expect(try client.send("GET", "/v1/served").status == 200)
    #expect(try client.send("GET", "/v1/served?cursor=x").status == 400)
    #expect(try server.end() == .exited(0))
    let requests = try objects(server).filter { $0["message"]?.stringValue == "Request." }
    #expect(requests.compactMap { $0["status"]?.integerValue } == [400])
  }

  @Test func whatAProxyAsksForIsLogged() throws {
    let server = try jsonServer()
    let client = Client(port: server.adminPort, lines: ["Host: x"])
    #expect(try client.send("GET", "/tls/ask?domain=WWW.Example.com").status == 404)
    #expect(try client.send("GET", "/tls/ask?domain=no%20name").status == 400)
    #expect(try client.send("GET", "/v1/audit?domain=example.com").status == 401)
    #expect(try server.end() == .exited(0))
    let requests = try objects(server).filter { $0["message"]?.stringValue == "Request." }
    #expect(requests.map { $0["domain"] } == ["www.example.com", nil, nil])
  }

  @Test func asTextItIsALineThatPeopleRead() throws {
    let token = try makeToken("release 7")
    let server = try RunningServer(database: database)
    let client = Client(port: server.adminPort, lines: ["Authorization: Bearer \(token)"])
    _ = try client.send("GET", "/v1/domains/missing.example", "Host: x", "X-Request-Id: my-id.1")
    let line =
      /[0-9T:.-]+Z info Request\. requestId=my-id\.1 method=GET path=\/v1\/domains\/missing\.example status=404 milliseconds=[0-9.]+ code=domain-not-found token="release 7" peer=127\.0\.0\.1/
    #expect(
      try becomesTrue {
        try server.errors().split(separator: "\n").contains { $0.wholeMatch(of: line) != nil }
      })
  }

  @Test func neitherATokenNorABodyIsEverLogged() throws {
    let token = try makeToken("busy")
    let server = try jsonServer()
    let client = server.client(token: token)
    let secretBody = "confidential-\(UInt64.random(in: 0...UInt64.max))"
    let file = AssociationFile.routes(["/\(secretBody)/*"])
    for index in 0..<20 {
      _ = try client.send("PUT", "/v1/domains/d\(index).example/file?reason=\(token)", json: file)
      _ = try client.send("PUT", "/v1/domains/d\(index).example", json: ["no": .string(secretBody)])
      _ = try client.send("GET", "/v1/tokens/\(token)?token=\(token)", "X-Request-Id: \(token)")
      _ = try client.send("DELETE", "/v1/tokens/\(token)")
      _ = try client.send("POST", "/v1/validate", body: Array(secretBody.utf8))
      _ = try server.client(token: token + "x").send("GET", "/v1/apps")
      _ = try Client(port: server.adminPort, lines: ["Host: \(token)", "Cookie: \(token)"])
        .send("GET", "/%ZZ\(token)")
      _ = try server.client(token: token).send(token, "/healthz")
    }
    #expect(try server.end() == .exited(0))
    let log = try server.errors()
    #expect(log.split(separator: "\n").count > 150)
    let secret = token.dropFirst("aasa_".count)
    #expect(!log.contains(secret))
    #expect(!log.contains(secretBody))
    #expect(try server.output().isEmpty, "stdout is for results")
  }

  @Test func asJSONEveryLineIsAnObjectAndNoTokenIsMade() throws {
    let process = try ChildProcess(
      Program.aasa,
      [
        "serve", "--database", database, "--log-format", "json", "--public-address", "127.0.0.1:0",
        "--admin-address", "127.0.0.1:0",
      ], environment: Program.environment(), output: scratch.path("out"),
      errors: scratch.path("err"))
    #expect(
      try becomesTrue { try scratch.text("err").contains("No API token exists yet") })
    process.signal(SIGTERM)
    #expect(try process.waitForEnd() == .exited(0))
    for line in try scratch.text("err").split(separator: "\n") {
      let object = try JSON.parse(Array(line.utf8)).value
      #expect(object["time"] != nil && object["level"] != nil && object["message"] != nil)
    }
    #expect(try scratch.text("err").contains(#""message":"Serving.","publicAddress":"127.0.0.1:"#))
  }

  @Test func aClosedStderrHarmsNobody() throws {
    let port = FreePort.find()
    let process = try ChildProcess(
      "sh",
      [
        "-c", "exec \"$@\" 2>&-", "sh", Program.aasa, "serve", "--database", database,
        "--public-address", "127.0.0.1:0", "--admin-address", "127.0.0.1:\(port)",
      ], environment: Program.environment(), output: scratch.path("out"),
      errors: scratch.path("err"))
    #expect(becomesTrue { isReady(port) })
    for _ in 1...20 { #expect(isReady(port)) }
    process.signal(SIGTERM)
    #expect(try process.waitForEnd() == .exited(0))
  }

  @Test func aStderrThatNobodyReadsKeepsNobodyWaiting() throws {
    let port = FreePort.find()
    // `sleep` holds the reading end of the pipe and reads nothing, and `head` fills it: a pipe holds 64 KB.
    let process = try ChildProcess(
      "bash",
      [
        "-c", "exec 2> >(exec sleep 600); head -c 65536 /dev/zero >&2; exec \"$@\"", "sh",
        Program.aasa, "serve", "--database", database, "--public-address", "127.0.0.1:0",
        "--admin-address", "127.0.0.1:\(port)",
      ], environment: Program.environment(), output: scratch.path("out"),
      errors: scratch.path("err"))
    #expect(becomesTrue { isReady(port) })
    #expect(try Client(port: port, lines: ["Host: x"]).send("GET", "/missing").status == 404)
    process.signal(SIGTERM)
    #expect(try process.waitForEnd() == .exited(0))
  }

  private func isReady(_ port: UInt16) -> Bool {
    do {
      return try Client(port: port, lines: ["Host: x"]).send("GET", "/readyz").status == 200
    } catch {
      return false
    }
  }
}
