import Glibc
import Association
import Store
import TestSupport
import Testing

/// Webhooks of a real server that is killed, and over TLS.
@Suite(CheckedWorld.needs) struct WebhookServerTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }

  init() throws { scratch = try TemporaryDirectory() }

  private func hook(_ client: Client, _ url: String) throws {
    let webhook: JSON = ["url": .string(url), "events": ["revision.published"]]
    let put = try client.send("PUT", "/v1/webhooks/hook", json: webhook)
    #expect([200, 201].contains(put.status), "\(put.text)")
  }

  private func publish(_ client: Client, _ path: String) throws {
    let put = try client.send(
      "PUT", "/v1/domains/example.com/file?accept=opens-nothing",
      json: AssociationFile.routes([path]))
    #expect([200, 201].contains(put.status), "\(put.text)")
  }

  @Test func whatAKilledServerWasSendingIsSentAgainInOrder() throws {
    let target = try Target { _ in .hang }
    let allowed = ["AASA_ALLOW_PRIVATE_ADDRESSES": "127.0.0.1"]
    let killed = try RunningServer(database: database, environment: allowed)
    let token = try killed.firstToken()
    let client = killed.client(token: token)
    try hook(client, target.url)
    try publish(client, "/1/*")
    try publish(client, "/2/*")
    #expect(becomesTrue { target.received.count == 1 })
    killed.process.signal(SIGKILL)
    #expect(try killed.process.waitForEnd() == .killed(bySignal: SIGKILL))
    target.answer { _ in .status(204) }
    let connection = try SQLiteConnection(path: database, mode: .existing)
    // Instead of the minute after which a server is taken to be lost.
    try connection.run("UPDATE event_delivery SET due_at = 0 WHERE due_at IS NOT NULL")
    let next = try RunningServer(database: database, environment: allowed)
    #expect(becomesTrue { target.received.count == 3 })
    let received = target.received
    #expect(try received.map { try $0.json["data"]?["revision"] } == [1, 1, 2])
    #expect(received[0].fields["webhook-id"] == received[1].fields["webhook-id"])
    let list = { () throws -> [JSON] in
      try next.client(token: token).send("GET", "/v1/webhooks/hook/deliveries").json["items"]?
        .arrayValue ?? []
    }
    #expect(try becomesTrue { try list().allSatisfy { $0["status"] == "delivered" } })
    #expect(try next.end() == .exited(0))
  }

  @Test func aRestoredBackupSendsWhatWasPendingInItAndTellsNothingElse() throws {
    let target = try Target { _ in .hang }
    let allowed = ["AASA_ALLOW_PRIVATE_ADDRESSES": "127.0.0.1"]
    let server = try RunningServer(database: database, environment: allowed)
    let client = try server.client()
    try hook(client, target.url)
    try publish(client, "/1/*")
    #expect(becomesTrue { target.received.count == 1 })
    let backup = scratch.path("backup.db")
    #expect(try Program.aasa("backup", "--database", database, backup).status == 0)
    target.answer { _ in .status(204) }
    #expect(try server.end() == .exited(0))
    #expect(try Program.aasa("restore", "--force", "--database", database, backup).status == 0)
    let connection = try SQLiteConnection(path: database, mode: .existing)
    try connection.run("UPDATE event_delivery SET due_at = 0 WHERE due_at IS NOT NULL")
    let next = try RunningServer(database: database, environment: allowed)
    #expect(becomesTrue { target.received.count == 2 })
    try publish(try next.client(token: server.firstToken()), "/2/*")
    #expect(becomesTrue { target.received.count == 3 })
    let received = target.received
    #expect(try received.map { try $0.json["data"]?["revision"] } == [1, 1, 2])
    #expect(received[0].fields["webhook-id"] == received[1].fields["webhook-id"])
  }

  @Test func aTargetOverHTTPSNeedsACertificateThatIsTrusted() throws {
    let outside = try StandIns()
    let answer: JSON = ["paths": ["/aasa": ["status": 204, "fields": ["Connection": "close"]]]]
    try outside.site("localhost", answer)
    let server = try RunningServer(database: database, environment: outside.settings)
    let client = try server.client()
    let last = { () throws -> JSON? in
      try client.send("GET", "/v1/webhooks/hook/deliveries").json["items"]?.arrayValue?.first
    }
    try hook(client, "https://localhost:\(outside.sitePort)/aasa")
    try publish(client, "/1/*")
    #expect(try becomesTrue { try last()?["status"] == "delivered" })
    var broken = answer.objectValue ?? [:]
    broken["certificate"] = "private-root"
    try outside.site("localhost", .object(broken))
    try publish(client, "/2/*")
    #expect(try becomesTrue { try last()?["attempts"] == 1 && last()?["error"] != nil })
    let error = try last()?["error"]?.stringValue ?? ""
    #expect(error.contains("certificate") && error.contains("private authority"), "\(error)")
    #expect(try last()?["status"] == "pending")
  }
}
