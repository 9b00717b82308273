import Association
import Foundation
import TestSupport
import Testing

/// `aasa render --follow` keeps a directory up to date, whatever happens to the server, the database and the disk.
@Suite struct RenderFollowTests {
  private let scratch: TemporaryDirectory
  private let port = FreePort.find()
  private var database: String { scratch.path("aasa.db") }
  private var site: RenderedSite { RenderedSite(path: scratch.path("site")) }
  private let path = "/.well-known/apple-app-site-association"

  init() throws { scratch = try TemporaryDirectory() }

  private func server() throws -> RunningServer {
    try RunningServer(database: database, arguments: ["--admin-address", "127.0.0.1:\(port)"])
  }

  private func rendering(_ token: String?, in directory: String? = nil) throws -> Rendering {
    let place = token == nil ? ["--database", database] : ["--server", "http://127.0.0.1:\(port)"]
    return try Rendering(
      directory ?? site.path, place, environment: token.map { ["AASA_TOKEN": $0] } ?? [:])
  }

  /// Whether a host comes to have a file with a text.
  private func has(
    _ text: String?, _ host: String, in site: RenderedSite? = nil
  ) throws -> Bool {
    let site = site ?? self.site
    return try becomesTrue {
      let file = try site.file(host, path).map { String(decoding: $0, as: UTF8.self) }
      return text.map { file?.contains($0) == true } ?? (file == nil)
    }
  }

  @Test(arguments: [false, true])
  func everyEditGetsIntoTheDirectory(throughServer: Bool) throws {
    let server = try server()
    let client = try server.client()
    try client.publish("a.example", "/first")
    let rendering = try rendering(throughServer ? server.firstToken() : nil)
    #expect(try has("/first", "a.example"))
    #expect(try client.change("a.example", "/second").status == 200)
    #expect(try has("/second", "a.example"))
    try client.publish("b.example", "/new")
    #expect(try has("/new", "b.example"))
    func patch(_ name: String, _ json: JSON) throws {
      let target = "/v1/domains/\(name)?accept=opens-nothing"
      #expect(try client.send("PATCH", target, json: json).status == 200)
    }
    try patch("a.example", ["aliases": ["www.example", "*.w.example"]])
    #expect(try has("/second", "www.example") && has("/second", "x.w.example"))
    // The alias moves to another domain, and never has no file on the way.
    try patch("a.example", ["aliases": []])
    try patch("b.example", ["aliases": ["www.example"]])
    #expect(try has("/new", "www.example") && has(nil, "x.w.example"))
    try patch("b.example", ["enabled": false])
    #expect(try has(nil, "b.example") && has(nil, "www.example"))
    let target = "/v1/domains/a.example?accept=opens-nothing"
    #expect(try client.send("DELETE", target).status == 200)
    #expect(try has(nil, "a.example"))
    let isEmpty = becomesTrue {
      do {
        return try site.files() == ["_passwords.conf", "_wildcards.conf"]
      } catch {
        // A directory has gone while it was listed.
        return false
      }
    }
    #expect(isEmpty)
    rendering.process.signal(SIGTERM)
    #expect(try rendering.process.waitForEnd() == .exited(0))
    #expect(try rendering.errors().isEmpty)
  }

  @Test func theDirectoryIsCurrentAgainAfterARestartOfTheServer() throws {
    let first = try server()
    let token = try first.firstToken()
    try first.client().publish("a.example", "/first")
    try first.client().publish("gone.example", "/first")
    let rendering = try rendering(token)
    #expect(try has("/first", "a.example"))
    _ = try first.end(SIGKILL)
    #expect(try becomesTrue { try rendering.errors().contains("Trying again every second.") })
    #expect(try has("/first", "a.example"), "what was there stays")
    let second = try server()
    let client = second.client(token: token)
    #expect(try client.change("a.example", "/second").status == 200)
    let target = "/v1/domains/gone.example?accept=opens-nothing"
    #expect(try client.send("DELETE", target).status == 200)
    #expect(try has("/second", "a.example") && has(nil, "gone.example"))
    #expect(try becomesTrue { try rendering.errors().contains("is up to date again.") })
    #expect(rendering.process.ending == nil)
  }

  @Test func aRestoredDatabaseIsFollowed() throws {
    let first = try server()
    try first.client().publish("a.example", "/first")
    let backup = scratch.path("backup.db")
    #expect(try Program.aasa("backup", backup, "--database", database).status == 0)
    #expect(try first.client().change("a.example", "/second").status == 200)
    try first.client().publish("b.example", "/later")
    let rendering = try rendering(nil)
    #expect(try has("/second", "a.example"))
    _ = try first.end()
    let restored = try Program.aasa("restore", backup, "--database", database, "--force")
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try has("/first", "a.example") && has(nil, "b.example"))
    #expect(rendering.process.ending == nil)
  }

  @Test(.enabled(if: MountedDirectory.isPossible, "needs to be root, to mount a small disk"))
  func aFullDiskLeavesNoHalfFileAndTheDirectoryIsCurrentOnceThereIsRoom() throws {
    let disk = try MountedDirectory(kilobytes: 2048)
    let small = RenderedSite(path: disk.path("site"))
    let server = try server()
    let client = try server.client()
    func put(_ name: String, _ mark: String) throws {
      let file = AssociationFile.large("/\(mark)", bytes: 60_000)
      let answer = try client.send("PUT", "/v1/domains/\(name)/file", json: file)
      #expect([200, 201].contains(answer.status), "\(answer.text)")
    }
    let names = (1...3).map { "d\($0).example" }
    for name in names { try put(name, "before") }
    let rendering = try rendering(nil, in: small.path)
    #expect(try has("/before", names[2], in: small))
    let before = try small.file(names[0], path)
    disk.fill()
    for name in names { try put(name, "after") }
    #expect(try becomesTrue { try rendering.errors().contains("No space left on device.") })
    for name in names {
      let file = try small.file(name, path)
      #expect(file == before || file?.count == (before?.count ?? 0) - 1, "\(name)")
    }
    try disk.makeRoom()
    for name in names { #expect(try has("/after", name, in: small)) }
    try small.expectEquals(server, names)
    #expect(try becomesTrue { try rendering.errors().contains("is up to date again.") })
    #expect(
      try rendering.errors().split(separator: "\n").count == 2, "said once, and when it is over")
  }

  @Test(.enabled(if: MountedDirectory.isPossible, "needs to be root, to mount a small disk"))
  func aFileThatFindsNoRoomKeepsNoOtherFromBeingDeleted() throws {
    let disk = try MountedDirectory(kilobytes: 2048)
    let small = RenderedSite(path: disk.path("site"))
    let server = try server()
    let client = try server.client()
    func put(_ mark: String, bytes: Int) throws {
      let file = AssociationFile.large("/\(mark)", bytes: bytes)
      #expect(try client.send("PUT", "/v1/domains/a.example/file", json: file).status < 300)
    }
    try put("small", bytes: 1000)
    try client.publish("b.example", "/b")
    let rendering = try rendering(nil, in: small.path)
    #expect(try has("/b", "b.example", in: small))
    disk.fill()
    try put("large", bytes: 100_000)
    #expect(try becomesTrue { try rendering.errors().contains("No space left on device.") })
    let deleted = try client.send("DELETE", "/v1/domains/b.example?accept=opens-nothing")
    #expect(deleted.status == 200, "\(deleted.text)")
    #expect(try has(nil, "b.example", in: small))
    try disk.makeRoom()
    #expect(try has("/large", "a.example", in: small))
  }

  @Test(PostgreSQLServer.needs) func theRightToReadIsEnough() throws {
    let postgreSQL = try PostgreSQLServer()
    let server = try RunningServer(database: postgreSQL.uri)
    let client = try server.client()
    try client.publish("a.example", "/first")
    try postgreSQL.execute("CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader")
    let uri = postgreSQL.uri.replacing("aasa@", with: "reader@")
    let rendering = try Rendering(site.path, ["--database", uri])
    #expect(try has("/first", "a.example"))
    #expect(try client.change("a.example", "/second").status == 200)
    #expect(try has("/second", "a.example"))
    try postgreSQL.stop()
    #expect(try becomesTrue { try rendering.errors().contains("Trying again every second.") })
    try postgreSQL.start()
    #expect(try becomesTrue { try client.change("a.example", "/third").status == 200 })
    #expect(try has("/third", "a.example"))
  }
}
