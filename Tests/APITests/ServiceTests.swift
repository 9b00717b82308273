import Association
import Publishing
import Service
import Store
import TestSupport
import Testing

@Suite struct ServiceTests {
  @Test func anEditAlsoServesEarlierChangesOfAnotherProcess() throws {
    let running = try RunningService()
    let other = Publisher(store: try running.open(now: { 1_700_000_000 }))
    let name = try DomainName("a.example")
    _ = try other.publish(name, action: "test", by: WriteContext(author: "test")) { _ in
      var domain = Domain(name: name)
      domain.aliases = [try Alias("x.example")]
      domain.associationFile.services[.webcredentials] = .init(apps: [try AppIdentifier(app)])
      return domain
    }
    try running.put("c.example", [:])
    #expect(try running.served("x.example")["webcredentials"] != nil)
  }
}
