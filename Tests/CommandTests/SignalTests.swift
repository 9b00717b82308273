import Glibc
import Association
import Store
import TestSupport
import Testing

@Suite struct SignalTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }

  init() throws { scratch = try TemporaryDirectory() }

  @Test(arguments: [SIGTERM, SIGINT])
  func aSignalToEndEndsWith0AndNoAcknowledgedEditIsLost(signal: Int32) throws {
    let server = try RunningServer(database: database)
    let token = try server.firstToken()
    let client = server.client(token: token)
    let editors = (1...3).map { EditingClient(domain: "d\($0).example") }
    let count = Counter()
    let threads = Threads(editors.map { editor in { editor.edit(client) { count.add() } } })
    #expect(becomesTrue { count.count >= 10 })
    #expect(try server.end(signal) == .exited(0))
    #expect(threads.end())

    // The log itself may stay while the check after the start is still under way.
    let log = (try? scratch.read("aasa.db-wal")) ?? []
    #expect(log.isEmpty, "who copies the file then has all of it")
    let faults = try Database { try SQLiteConnection(path: database, mode: .readOnly) }
      .withConnection { try $0.faults() }
    #expect(faults == ["ok"])
    let second = try RunningServer(database: database)
    for editor in editors {
      #expect(editor.complaint == nil)
      let file = try second.client(token: token).send("GET", "/v1/domains/\(editor.domain)/file")
      let paths = try AssociationFile.paths(of: file.json)
      #expect(paths == editor.acknowledged.paths || paths == editor.pending?.paths)
      #expect(try second.file(of: editor.domain).body == file.body)
    }
  }

  @Test func connectionsThatAreIdleOrHalfWayDoNotKeepItFromEnding() throws {
    let server = try RunningServer(database: database)
    let idle = try RawConnection(port: server.publicPort)
    #expect(try idle.exchange("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n").status == 404)
    let halfWay = try RawConnection(port: server.adminPort)
    try halfWay.send(
      "PUT /v1/domains/a.example/file HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
    // The server takes connections in turn: once it has answered this one, it has the others.
    #expect(
      try RawConnection(port: server.adminPort).exchange("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        .status == 200)
    server.process.signal(SIGTERM)
    // Both connections would be closed after 30 seconds without a byte.
    #expect(try server.process.waitForEnd(seconds: 25) == .exited(0))
  }

  @Test func clientsThatGoAwayWhileTheyAreAnsweredHarmNobody() throws {
    let server = try RunningServer(database: database)
    let client = try server.client()
    let file = AssociationFile.large("/a")
    #expect(try client.send("PUT", "/v1/domains/example.com/file", json: file).status == 201)
    let request =
      "GET /.well-known/apple-app-site-association HTTP/1.1\r\nHost: example.com\r\n\r\n"
    for port in [server.publicPort, server.adminPort] {
      for _ in 1...50 {
        let connection = try RawConnection(port: port)
        try connection.send(String(repeating: request, count: 20))
        connection.reset()
      }
    }
    #expect(try server.file(of: "example.com").json == file)
    #expect(try client.send("GET", "/v1/domains/example.com/file").json == file)
    #expect(server.process.ending == nil)
    #expect(try server.end() == .exited(0))
  }
}
