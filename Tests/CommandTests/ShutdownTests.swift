import Foundation
import Glibc
import Association
import Store
import TestSupport
import Testing

/// How a server ends: ready says no first, then no connection is taken, then what has begun is
/// finished, within a time.
@Suite struct ShutdownTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }

  init() throws { scratch = try TemporaryDirectory() }

  private func ready(_ server: RunningServer) throws -> RawResponse {
    try Client(port: server.adminPort, lines: ["Host: x"]).send("GET", "/readyz")
  }

  /// A request for a file of which the last line is missing.
  private func begunRequest(_ server: RunningServer) throws -> RawConnection {
    let connection = try RawConnection(port: server.publicPort)
    try connection.send(
      "GET /.well-known/apple-app-site-association HTTP/1.1\r\nHost: a.example\r\n")
    // The server takes connections in turn: once it has answered this one, it has the other.
    #expect(try server.file(of: "a.example").status == 404)
    return connection
  }

  private func isRefused(_ server: RunningServer) -> Bool {
    do throws(RawConnection.Failure) {
      _ = try RawConnection(port: server.publicPort)
      return false
    } catch {
      return error == .system(call: "connect", code: ECONNREFUSED)
    }
  }

  @Test func readySaysNoForAWhileBeforeConnectionsAreRefused() throws {
    let server = try RunningServer(
      database: database, arguments: ["--ready-delay-seconds", "2"])
    #expect(try ready(server).status == 200)
    let start = ContinuousClock.now
    server.process.signal(SIGTERM)
    #expect(try becomesTrue { try ready(server).status == 503 })
    #expect(try ready(server).text.contains("The service is shutting down."))
    #expect(try server.file(of: "a.example").status == 404, "it serves as before")
    #expect(try server.process.waitForEnd() == .exited(0))
    #expect(ContinuousClock.now - start >= .seconds(2))
  }

  @Test func whatHasBegunIsFinishedWhileNothingNewIsTakenAndTheAPITellsSo() throws {
    let server = try RunningServer(database: database, arguments: ["--drain-seconds", "600"])
    let begun = try begunRequest(server)
    server.process.signal(SIGTERM)
    #expect(becomesTrue { isRefused(server) })
    #expect(try ready(server).status == 503)
    #expect(server.process.ending == nil)
    try begun.send("\r\n")
    #expect(try begun.readResponse().status == 404)
    #expect(try server.process.waitForEnd() == .exited(0))
  }

  @Test func whatDoesNotEndIsCutOffWhenTheTimeIsOver() throws {
    let server = try RunningServer(database: database, arguments: ["--drain-seconds", "1"])
    let begun = try begunRequest(server)
    let start = ContinuousClock.now
    server.process.signal(SIGTERM)
    #expect(try server.process.waitForEnd() == .exited(0))
    // Without an end of the time, the connection would be closed after 30 seconds without a byte.
    #expect(ContinuousClock.now - start < .seconds(25), "a second, and more on a busy machine")
    withExtendedLifetime(begun) {}
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func aSecondSignalEndsAtOnce(signal: Int32) throws {
    let server = try RunningServer(
      database: database, arguments: ["--drain-seconds", "600", "--ready-delay-seconds", "600"])
    server.process.signal(SIGTERM)
    #expect(try becomesTrue { try ready(server).status == 503 })
    server.process.signal(signal)
    #expect(try server.process.waitForEnd() == .exited(128 + signal))
    #expect(try server.errors().contains("A second signal ended the shutdown early."))
  }

  /// A server with a fetch that it waits to write, and the connection that keeps it waiting.
  private func lockedServer(_ arguments: [String]) throws -> (RunningServer, SQLiteConnection) {
    try scratch.adopt(["/first"], for: "b.example")
    let server = try RunningServer(database: database, arguments: arguments)
    _ = try server.firstToken()  // which is written before it begins to serve
    let connection = try SQLiteConnection(path: database, mode: .create)
    try connection.execute("BEGIN IMMEDIATE")
    try server.fetch("b.example", as: "curl/8")
    let isNoticed = try becomesTrue {
      try ready(server).text.contains("Cannot write the fetch ledger")
    }
    #expect(isNoticed)
    return (server, connection)
  }

  @Test func aDatabaseThatIsLockedAtTheStartIsServedAllTheSame() throws {
    try scratch.adopt(["/first"], for: "b.example")
    let connection = try SQLiteConnection(path: database, mode: .create)
    try connection.execute("BEGIN IMMEDIATE")
    let server = try RunningServer(database: database)
    #expect(
      try becomesTrue { try server.errors().contains("so no first token could be created") })
    #expect(try server.file(of: "b.example").status == 200)
    try connection.execute("ROLLBACK")
    #expect(try server.end() == .exited(0))
  }

  @Test func aLockedDatabaseDelaysNoEnd() throws {
    let (server, connection) = try lockedServer(["--drain-seconds", "2"])
    let start = ContinuousClock.now
    #expect(try server.end() == .exited(0))
    // drainSeconds, the graces, a second for the log, and more on a busy machine.
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(
      try server.errors().contains("Could not save the fetch counts of the last few seconds."))
    #expect(try server.errors().contains("Stopped."))
    try connection.execute("ROLLBACK")
  }

  @Test func aSecondSignalEndsAtOnceAlsoWhileTheDatabaseIsLocked() throws {
    let (server, connection) = try lockedServer(["--drain-seconds", "600"])
    let begun = try begunRequest(server)
    let start = ContinuousClock.now
    server.process.signal(SIGTERM)
    #expect(try becomesTrue { try ready(server).status == 503 })
    server.process.signal(SIGTERM)
    #expect(try server.process.waitForEnd() == .exited(128 + SIGTERM))
    #expect(ContinuousClock.now - start < .seconds(60))
    try connection.execute("ROLLBACK")
    withExtendedLifetime(begun) {}
  }

  @Test func whatAnotherProcessChangesIsServedWhileReadySaysNo() throws {
    let server = try RunningServer(database: database, arguments: ["--ready-delay-seconds", "600"])
    server.process.signal(SIGTERM)
    #expect(try becomesTrue { try ready(server).status == 503 })
    try scratch.adopt(["/late"], for: "late.example")
    #expect(try becomesTrue { try server.file(of: "late.example").status == 200 })
  }

  @Test func theWALIsEmptyAlsoWhereAnotherProgramHasTheDatabaseOpen() throws {
    let server = try RunningServer(database: database)
    let client = try server.client()
    for index in 1...5 {
      let file = AssociationFile.routes(["/\(index)"])
      #expect(
        try client.send("PUT", "/v1/domains/a\(index).example/file", json: file).status == 201)
    }
    let other = try Database { try SQLiteConnection(path: database, mode: .readOnly) }
    _ = try other.withConnection { try $0.all("SELECT 1 FROM domain") { $0.int(0) } }
    #expect(try server.end() == .exited(0))
    let wal = try FileManager.default.attributesOfItem(atPath: database + "-wal")
    #expect(wal[.size] as? Int == 0)
  }
}
