import Foundation
import Association
import TestSupport
import Testing

/// Servers on a PostgreSQL database that goes away.
@Suite(PostgreSQLServer.needs) struct OutageTests {
  private let scratch: TemporaryDirectory
  private let database: PostgreSQLServer

  init() throws {
    scratch = try TemporaryDirectory()
    database = try PostgreSQLServer()
  }

  private func server(_ arguments: String...) throws -> RunningServer {
    try RunningServer(database: database.uri, arguments: arguments)
  }

  @Test func filesAreServedAndEditsAreRefusedWithATimeToComeBackWhileTheDatabaseIsGone() throws {
    let server = try server()
    let client = try server.client()
    try client.publish("example.com", "/a")
    try database.stop()
    let refused = try client.change("example.com", "/b")
    #expect(refused.status == 503 && refused["Retry-After"] == "5")
    #expect(try refused.json["code"] == "database-unavailable")
    #expect(try server.file(of: "example.com").text.contains("/a"))
    #expect(try becomesTrue { try client.send("GET", "/readyz").json["status"] == "degraded" })
    let readiness = try client.send("GET", "/readyz")
    #expect(readiness.status == 200)
    #expect(try client.send("GET", "/").status == 200)
    #expect(try readiness.json["since"]?.stringValue?.hasSuffix("Z") == true)
    let since = "aasa_problem_since_timestamp_seconds{problem=\"reading\"}"
    #expect(try becomesTrue { try Metrics(of: server)[since] ?? 0 > 1_700_000_000 })
    try database.start()
    #expect(try becomesTrue { try client.change("example.com", "/c").status == 200 })
    #expect(
      try becomesTrue { try client.send("GET", "/readyz").json["status"] == "ready" })
    #expect(try server.file(of: "example.com").text.contains("/c"))
    #expect(try Metrics(of: server)[since] == nil)
  }

  @Test func theLogOfAnOutageIsWrittenForPeople() throws {
    let server = try server("--snapshot", scratch.path("snapshot"))
    let client = try server.client()
    try client.publish("example.com", "/a")
    try database.stop()
    // Its count cannot be saved any more.
    _ = try server.file(of: "example.com")
    #expect(try client.change("example.com", "/b").status == 503)
    #expect(try becomesTrue { try client.send("GET", "/readyz").json["status"] == "degraded" })
    // Reading failed first; the next thing that the server writes by itself fails, too.
    let since = "aasa_problem_since_timestamp_seconds{problem=\"writing\"}"
    #expect(try becomesTrue { try Metrics(of: server)[since] != nil })
    _ = try server.end()
    let log = try server.errors()
    #expect(log.contains("fetch counts") && log.contains("Cannot write the database."), "\(log)")
    // How Swift shows a value of a type.
    for sign in ["Store.", "Error(", "Refusal", "detail:", "Optional("] {
      #expect(!log.contains(sign), "\(sign): \(log)")
    }
  }

  @Test func aServerStartsFromItsSnapshotAndGoesOnWithTheDatabase() throws {
    let snapshot = scratch.path("snapshot")
    let first = try server("--snapshot", snapshot)
    let token = try first.firstToken()
    try first.client(token: token).publish("example.com", "/a")
    try first.client(token: token).publish("gone.example", "/a")
    _ = try first.client(token: token).send(
      "DELETE", "/v1/domains/gone.example?accept=opens-nothing")
    _ = try first.end()
    try database.stop()
    let second = try server("--snapshot", snapshot)
    #expect(try second.file(of: "example.com").text.contains("/a"))
    #expect(try second.file(of: "gone.example").status == 404)
    let client = second.client(token: token)
    let readiness = try client.send("GET", "/readyz").json
    #expect(readiness["status"] == "degraded")
    #expect(
      readiness["problems"]?.arrayValue?.contains { $0.stringValue?.contains("snapshot") == true }
        == true)
    #expect(try Metrics(of: second)["aasa_snapshot_timestamp_seconds"] ?? 0 > 1_700_000_000)
    #expect(try second.errors().contains("seconds ago"))
    try database.start()
    #expect(
      try becomesTrue { try client.send("GET", "/readyz").json["status"] == "ready" })
    #expect(try client.change("example.com", "/b").status == 200)
    #expect(try second.file(of: "example.com").text.contains("/b"))
    #expect(try Metrics(of: second)["aasa_snapshot_timestamp_seconds"] == nil)
  }

  @Test func aServerWithoutASnapshotWaitsForItsDatabaseAndSaysSo() throws {
    try database.stop()
    let words = [
      "serve", "--database", database.uri, "--public-address", "127.0.0.1:0",
      "--admin-address", "127.0.0.1:0",
    ]
    let waiting = try ChildProcess(
      Program.aasa, words, environment: Program.environment(), output: scratch.path("out"),
      errors: scratch.path("err"))
    #expect(try becomesTrue { try scratch.text("err").contains("Waiting for the database.") })
    try database.start()
    _ = try scratch.announced(RunningServer.port("Admin API:"), by: waiting)
    #expect(try scratch.text("err").components(separatedBy: "Waiting for").count == 2)
    try database.stop()
    let other = try TemporaryDirectory()
    let stopped = try ChildProcess(
      Program.aasa, words, environment: Program.environment(), output: other.path("out"),
      errors: other.path("err"))
    #expect(try becomesTrue { try other.text("err").contains("Waiting for the database.") })
    stopped.signal(SIGTERM)
    #expect(try stopped.waitForEnd() == .exited(0))
  }

  @Test func aServerOnAHotStandbyServesWhatThePrimaryCommitsAndNamesWhereToEdit() throws {
    let primary = try server()
    let client = try primary.client()
    let standby = try PostgreSQLServer(standbyOf: database)
    let reader = try RunningServer(database: standby.uri, arguments: ["--read-only"])
    try client.publish("example.com", "/a")
    #expect(try becomesTrue { try reader.file(of: "example.com").text.contains("/a") })
    let token = try primary.firstToken()
    let refused = try reader.client(token: token).change("example.com", "/b")
    #expect(try refused.status == 409 && refused.json["code"] == "read-only-server")
    #expect(
      try refused.json["servers"] == .strings(["http://127.0.0.1:\(primary.adminPort)"]))
    for path in ["/v1/domains/example.com", "/v1/findings", "/v1/export", "/v1/replicas"] {
      #expect(try reader.client(token: token).send("GET", path).status == 200, "\(path)")
    }
    let checked = try reader.client(token: token).send(
      "POST", "/v1/check", json: ["domains": ["example.com"]])
    #expect(checked.status == 200, "\(checked.text)")
    #expect(try client.send("GET", "/v1/replicas").json["items"]?.arrayValue?.count == 1)
    let metrics = try Metrics(of: reader)
    #expect(metrics["aasa_problem_since_timestamp_seconds{problem=\"writing\"}"] == nil)
  }

  @Test func editsReachEveryServerThroughAPoolerThatGivesEachTransactionAConnection() throws {
    let pooler = try Pooler(to: database, in: scratch)
    let servers = try (0..<2).map { _ in try RunningServer(database: pooler.uri) }
    let client = try servers[0].client()
    for number in 1...5 {
      let path = "/\(number)"
      if number == 1 {
        try client.publish("example.com", path)
      } else {
        #expect(try client.change("example.com", path).status == 200)
      }
      #expect(
        try becomesTrue { try servers[1].file(of: "example.com").text.contains(path) })
    }
    let answer = try client.send(
      "PATCH", "/v1/domains/example.com?wait=all", json: ["cacheSeconds": 60])
    #expect(answer.status == 200 && answer["X-Aasa-Not-Served-By"] == nil)
  }

  @Test func aServerThatDoesNotServeAChangeInTimeIsNamed() throws {
    let servers = try (0..<2).map { _ in try server() }
    let client = try servers[0].client()
    try client.publish("example.com", "/a")
    #expect(
      try becomesTrue {
        try client.send("GET", "/v1/replicas").json["items"]?.arrayValue?.count == 2
      })
    let path = "/v1/domains/example.com?wait=all&waitSeconds=1"
    let all = try client.send("PATCH", path, json: ["cacheSeconds": 60])
    #expect(all.status == 200 && all["X-Aasa-Not-Served-By"] == nil)
    servers[1].process.stop()
    let late = try client.send("PATCH", path, json: ["cacheSeconds": 61])
    // A token that is limited to domains learns nothing of servers.
    let limited = try client.send(
      "POST", "/v1/tokens", json: ["name": "team", "role": "editor", "domains": ["example.com"]])
    let token = try limited.json["token"]?.stringValue ?? ""
    let counted = try servers[0].client(token: token).send(
      "PATCH", path, json: ["cacheSeconds": 62])
    #expect(counted.status == 200 && counted["X-Aasa-Not-Served-By"] == "1 server")
    servers[1].process.signal(SIGCONT)
    #expect(late.status == 200)
    #expect(
      late["X-Aasa-Not-Served-By"]?.hasSuffix("(http://127.0.0.1:\(servers[1].adminPort))")
        == true)
    _ = try servers[1].end()
    #expect(try client.send("GET", "/v1/replicas").json["items"]?.arrayValue?.count == 1)
    let wrong = try client.send("PATCH", "/v1/domains/example.com?wait=some", json: [:])
    #expect(try wrong.status == 400 && wrong.json["code"] == "unknown-value")
  }
}

/// pgbouncer in transaction mode, in front of a PostgreSQL server.
private final class Pooler: Sendable {
  let uri: String
  private let process: ChildProcess
  private let folder: TemporaryDirectory

  init(to database: PostgreSQLServer, in scratch: TemporaryDirectory) throws {
    folder = try TemporaryDirectory()
    let path = folder.url.path
    chmod(path, 0o777)
    let users = try folder.write("\"aasa\" \"\"\n", to: "users.txt")
    let settings = try folder.write(
      """
      [databases]
      aasa = host=\(database.folder) user=aasa
      [pgbouncer]
      pool_mode = transaction
      listen_addr =
      unix_socket_dir = \(path)
      auth_type = trust
      auth_file = \(users)
      default_pool_size = 10
      max_client_conn = 500
      ignore_startup_parameters = extra_float_digits
      """, to: "pgbouncer.ini")
    chmod(settings, 0o644)
    chmod(users, 0o644)
    uri = "postgresql://aasa@/aasa?host=\(path)&port=6432"
    let words = ["/usr/sbin/pgbouncer", settings]
    let all = (getuid() == 0 ? ["/usr/sbin/runuser", "-u", "postgres", "--"] : []) + words
    process = try ChildProcess(
      all[0], Array(all.dropFirst()), environment: Program.environment(),
      output: folder.path("out"), errors: folder.path("err"))
    let socket = path + "/.s.PGSQL.6432"
    let isThere = becomesTrue { access(socket, F_OK) == 0 }
    try #require(isThere, "pgbouncer did not start")
  }
}

extension Client {
  /// Publishes a new domain with one route.
  func publish(_ domain: String, _ path: String) throws {
    let response = try put(domain, path)
    try #require(response.status == 201, "\(response.text)")
  }

  /// Replaces the route of a domain.
  func change(_ domain: String, _ path: String) throws -> RawResponse {
    try put(domain, path, "If-Match: *")
  }

  private func put(
    _ domain: String, _ path: String, _ condition: String = "If-None-Match: *"
  ) throws -> RawResponse {
    let entry: JSON = [
      "apps": ["ABCDE12345.com.example.app"], "routes": [["path": .string(path)]],
    ]
    return try send("PUT", "/v1/domains/\(domain)", json: ["entries": [entry]], condition)
  }
}
