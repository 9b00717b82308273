import Association
import JSONValue
import Publishing
import Service
import Store
import TestSupport
import Testing

@Suite struct ServiceTests {
  let running: RunningService

  init() throws { running = try RunningService() }

  /// A publisher on the same file, like one in another process.
  private func otherProcess() throws -> Publisher {
    Publisher(store: try running.open(now: { 1_700_000_000 }))
  }

  private func edit(
    _ publisher: Publisher, _ name: String, aliases: [String], _ service: Document.Service
  ) throws {
    var domain = Domain(name: try DomainName(name))
    domain.aliases = try aliases.map { try Alias($0) }
    domain.document.services[service] = Document.AppList(apps: [try AppIdentifier(app)])
    let edited = domain
    _ = try publisher.publish(
      edited.name, action: "test", by: WriteContext(author: "test")
    ) { _ in edited }
  }

  @Test func followingServesTheChangesOfAnotherProcess() throws {
    let other = try otherProcess()
    running.service.follow()
    try edit(other, "a.example", aliases: ["x.example"], .webcredentials)
    running.service.follow()
    #expect(try running.served("x.example")["webcredentials"] != nil)
    try edit(other, "a.example", aliases: [], .webcredentials)
    try edit(other, "b.example", aliases: ["x.example"], .appclips)
    running.service.follow()
    #expect(try running.served("x.example")["appclips"] != nil)
    #expect(try running.served("a.example")["webcredentials"] != nil)
    try other.delete(DomainName("b.example"), by: WriteContext(author: "test"))
    running.service.follow()
    #expect(try running.serve("x.example").status == 404)
  }

  @Test func anEditAlsoServesEarlierChangesOfAnotherProcess() throws {
    let other = try otherProcess()
    try edit(other, "a.example", aliases: ["x.example"], .webcredentials)
    try running.put("c.example", [:])
    #expect(try running.served("x.example")["webcredentials"] != nil)
  }

  @Test func aServiceServesTheDatabaseFromStartup() throws {
    let running = try RunningService { store in
      for index in 0..<20 {
        let aliases = ["*.d\(index).example"]
        try edit(Publisher(store: store), "d\(index).example", aliases: aliases, .appclips)
      }
    }
    for index in 0..<20 {
      #expect(try running.served("d\(index).example")["appclips"] != nil)
      #expect(try running.served("x.d\(index).example")["appclips"] != nil)
    }
  }

  @Test func eightClientsThatAddRoutesAtOnceLoseNone() async throws {
    let entry: JSON = ["apps": [.string(app)], "routes": []]
    let stored = try running.put("example.com", ["entries": [entry]])
    let id = stored["entries"]?[0]?["id"]?.integerValue ?? 0
    let target = "/v1/domains/example.com/entries/\(id)/routes"
    let running = running
    try await withThrowingTaskGroup { group in
      for client in 0..<8 {
        group.addTask {
          for index in 0..<5 {
            let path = "/\(client)/\(index)"
            let response = try running.admin.send("POST", target, json: ["path": .string(path)])
            #expect(response.status == 201)
            // What is acknowledged is what is served.
            #expect(try running.serve("example.com").text.contains("\"\(path)\""))
          }
        }
      }
      try await group.waitForAll()
    }
    let details = try running.served("example.com")["applinks"]?["details"]?[0]
    #expect(details?["components"]?.arrayValue?.count == 40)
    #expect(try running.admin.send("GET", "/v1/domains/example.com")["ETag"] == "\"41\"")
  }
}
