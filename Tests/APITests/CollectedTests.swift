import Association
import Store
import TestSupport
import Testing

/// Which domains wait for Apple's CDN.
@Suite struct CollectedTests {
  private let running: RunningService
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    for name in ["fetched.example", "changed.example", "never.example"] {
      try running.put(name, ["entries": [["apps": [.string(app)], "routes": [["path": "/a"]]]]])
    }
    try running.put("off.example", ["enabled": false])
    for name in ["fetched.example", "changed.example"] { try fetch(name, 1) }
    try setPath("/b")
    for fetcher in [FetcherClass.device, .other] { try fetch("never.example", 1, by: fetcher) }
  }

  private func fetch(_ name: String, _ revision: Int, by fetcher: FetcherClass = .appleCDN) throws {
    let id = try running.store.domain(DomainName(name)).id
    try running.store.add([
      NewFetches(
        domain: id, revision: revision, fetcher: fetcher, count: 1, firstAt: 1_700_000_000,
        lastAt: 1_700_000_000)
    ])
  }

  private func setPath(_ path: String) throws {
    let response = try admin.send(
      "PATCH", "/v1/domains/changed.example/entries/1/routes/1", json: ["path": .string(path)])
    #expect(response.status == 200, "\(response.text)")
  }

  private func names(_ query: String, _ client: Client? = nil) throws -> [String] {
    let list = try (client ?? admin).send("GET", "/v1/domains?\(query)").json
    let names = list["items"]?.arrayValue?.compactMap { $0["domain"]?.stringValue } ?? []
    #expect(list["total"] == .integer(names.count))
    return names
  }

  @Test func domainsWhoseChangeAppleHasNotFetchedAreNamed() throws {
    #expect(try names("collected=false") == ["changed.example", "never.example"])
    #expect(try names("collected=true") == ["fetched.example"])
    try fetch("changed.example", 2)
    #expect(try names("collected=false") == ["never.example"])
    #expect(try names("collected=true&q=changed") == ["changed.example"])
    #expect(try admin.send("GET", "/v1/domains?collected=1").code == "unknown-value")
    let limited = try running.client(.viewer, domains: ["fetched.example"])
    #expect(try names("collected=false", limited) == [])
  }

  @Test func aRevisionWithTheSameBytesNeedNotBeFetchedAgain() throws {
    let patch = try admin.send("PATCH", "/v1/domains/fetched.example", json: ["cacheSeconds": 5])
    #expect(try patch.json["revision"] == 2)
    #expect(try names("collected=true") == ["fetched.example"])
  }

  @Test func bytesThatAppleHadBeforeOthersMustBeFetchedAgain() throws {
    try fetch("changed.example", 2)
    try setPath("/a")
    #expect(try names("collected=false") == ["changed.example", "never.example"])
  }
}
