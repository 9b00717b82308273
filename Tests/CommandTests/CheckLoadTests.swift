import Association
import Synchronization
import TestSupport
import Testing

/// Checks keep nobody else waiting.
@Suite(CheckedWorld.needs) struct CheckLoadTests {
  /// As many as there are slots for heavy work on a machine with few processors, by two tokens. They take longer than
  /// an edit waits for a slot.
  @Test func editsAreAnsweredWhileChecksOfSlowSitesAreUnderWay() throws {
    let world = try CheckedWorld()
    let domains = (0..<3).map { "slow\($0).example" }
    for domain in domains {
      try world.publish(domain)
      try world.site(domain, ["delay": 4, "body": "{}"])
    }
    let token = try world.client.send(
      "POST", "/v1/tokens", json: ["name": "other", "role": "editor"]
    ).json["token"]?.stringValue
    let other = Client(
      port: world.client.port,
      lines: ["Host: admin", "Authorization: Bearer \(try #require(token))"])
    let ended = Atomic(0)
    let threads = Threads(
      domains.enumerated().map { number, domain in
        {
          let client = number == 0 ? other : world.client
          #expect(throws: Never.self) {
            let answer = try client.send(
              "POST", "/v1/check", json: ["domains": [.string(domain)]])
            #expect(answer.status == 200, "\(answer.text)")
          }
          ended.add(1, ordering: .relaxed)
        }
      })
    var edits = 0
    repeat {
      edits += 1
      let answer = try other.send(
        "PUT", "/v1/domains/edited.example",
        json: ["cacheSeconds": .integer(60 + edits)], "If-Match: *")
      #expect([200, 412].contains(answer.status), "\(answer.text)")
      if answer.status == 412 {
        #expect(try other.send("PUT", "/v1/domains/edited.example", json: [:]).status == 201)
      }
    } while ended.load(ordering: .relaxed) < domains.count
    #expect(threads.end())
    #expect(edits > 1)
  }
}
