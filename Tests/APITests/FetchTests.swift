import Association
import Store
import TestSupport
import Testing

/// Whether Apple has collected a change, by the JSON API.
@Suite struct FetchTests {
  let running: RunningService

  init() throws {
    running = try RunningService()
    try running.put("example.com", [:])
  }

  private func fetches(_ query: String = "") throws -> JSON {
    try running.admin.send("GET", "/v1/domains/example.com/fetches\(query)").json
  }

  @Test func aChangeIsCollectedOnceAppleHasFetchedIt() throws {
    #expect(try fetches()["current"]?["collected"] == false)
    #expect(try fetches()["current"]?["devicesExpectedBy"] == .null)
    try running.noteFetch(at: 1_700_000_000)
    let answer = try fetches()
    #expect(answer["domain"] == "example.com")
    #expect(
      answer["current"]?["collected"] == true
        && answer["current"]?["firstFetchedByAppleAt"] == "2023-11-14T22:13:20Z"
        && answer["current"]?["devicesExpectedBy"] == "2023-11-21T22:13:20Z"
        && answer["current"]?["counts"] == ["apple-cdn": 1, "device": 0, "google": 0, "other": 0])
    #expect(
      answer["fetchers"]?[0] == [
        "fetcher": "apple-cdn", "count": 1, "firstAt": "2023-11-14T22:13:20Z",
        "lastAt": "2023-11-14T22:13:20Z", "lastRevision": 1,
      ])
    try running.put("example.com", ["appclips": [.string(app)]])
    let current = try fetches()["current"]
    #expect(current?["revision"] == 2 && current?["collected"] == false)
    #expect(try fetches()["items"]?[1]?["collected"] == true)
  }

  @Test func aRevisionWithTheSameDocumentIsCollectedAlready() throws {
    let items = { try fetches()["items"]?.arrayValue?.map { $0["collected"] == true } }
    try running.noteFetch()
    try running.put("example.com", ["cacheSeconds": 60])
    try running.put("example.com", ["cacheSeconds": 60, "aliases": ["www.example.com"]])
    #expect(try items() == [true, true, true])
    #expect(try fetches()["current"]?["firstFetchedByAppleAt"] == "2023-11-14T22:13:20Z")
    #expect(try fetches()["current"]?["counts"]?["apple-cdn"] == 0)
    try running.put("example.com", ["appclips": [.string(app)]])
    #expect(try items() == [false, true, true, true])
    // Apple never fetched revision 4, so it still has the document that is restored.
    let restore = "/v1/domains/example.com/revisions/3/restore"
    #expect(try running.admin.send("POST", restore).status == 200)
    #expect(try items() == [true, false, true, true, true])
    try running.noteFetch(of: 4)
    #expect(try items() == [false, true, true, true, true])
    try running.noteFetch(at: 1_700_000_500, of: 5)
    #expect(try fetches()["current"]?["firstFetchedByAppleAt"] == "2023-11-14T22:21:40Z")
  }

  @Test func fetchesByDevicesAndOthersDoNotMeanThatAppleHasIt() throws {
    try running.noteFetch(by: .device)
    try running.noteFetch(by: .other)
    let current = try fetches()["current"]
    #expect(current?["collected"] == false && current?["firstFetchedByAppleAt"] == .null)
    #expect(current?["counts"] == ["apple-cdn": 0, "device": 1, "google": 0, "other": 1])
  }

  @Test func everyPageOfRevisionsHasTheCurrentOne() throws {
    for seconds in 1...3 { try running.put("example.com", ["cacheSeconds": .integer(seconds)]) }
    let first = try fetches("?limit=3")
    #expect(first["items"]?.arrayValue?.map { $0["revision"]?.integerValue } == [4, 3, 2])
    let next = try #require(first["next"]?.stringValue)
    let second = try fetches("?limit=3&cursor=\(next)")
    #expect(second["items"]?.arrayValue?.map { $0["revision"]?.integerValue } == [1])
    #expect(second["next"] == .null && second["current"]?["revision"] == 4)
  }

  @Test func aTokenSeesOnlyTheFetchesOfItsOwnDomains() throws {
    let path = "/v1/domains/example.com/fetches"
    #expect(try running.client(.viewer).send("GET", path).status == 200)
    let brand = try running.client(.viewer, domains: ["*.brand.example"])
    let refused = try brand.send("GET", path)
    #expect(try refused.status == 403 && refused.code == "token-limited")
    let missing = try running.admin.send("GET", "/v1/domains/other.example/fetches")
    #expect(try missing.status == 404 && missing.code == "domain-not-found")
  }
}

extension RunningService {
  /// Adds a fetch of a revision of the first domain to the ledger.
  func noteFetch(
    by fetcher: FetcherClass = .appleCDN, at time: UnixTime = 1_700_000_000, of revision: Int = 1
  ) throws {
    try store.add([
      NewFetches(
        domain: 1, revision: revision, fetcher: fetcher, count: 1, firstAt: time, lastAt: time)
    ])
  }
}
