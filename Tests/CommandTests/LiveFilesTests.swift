import FoundationEssentials
import Association
import TestSupport
import Testing

/// `POST /v1/live-files`.
@Suite(CheckedWorld.needs) struct LiveFilesTests {
  private let world: CheckedWorld

  init() throws { world = try CheckedWorld() }

  @Test func whatDomainsServeIsFetchedAndCanBePublishedUnchanged() throws {
    let file = #"{"applinks": {"details": [{"appID": "A.b", "paths": ["/x"]}]}, "note": 1}"#
    try world.site("live.example", ["body": .string(file)])
    try world.site("down.example", ["close": true])
    let answer = try world.client.send(
      "POST", "/v1/live-files", json: ["domains": ["live.example", "down.example", "live.example"]])
    #expect(answer.status == 200, "\(answer.text)")
    let items = try answer.json["items"]?.arrayValue ?? []
    #expect(items.map { $0["domain"] } == ["live.example", "down.example"])
    let found: JSON = try #require(items.first?["files"]?.arrayValue?.first)
    #expect(found["url"] == .string("https://live.example\(CheckedWorld.path)"))
    let bytes = try #require(Data(base64Encoded: found["content"]?.stringValue ?? ""))
    #expect(String(decoding: bytes, as: UTF8.self) == file)
    #expect(items.last?["files"] == [])
    #expect(items.last?["failures"]?.arrayValue?.first?["code"] == "connection-failed")

    let target = "/v1/domains/live.example/documents/apple-app-site-association"
    let put = try world.client.send(
      "PUT", "\(target)?accept=malformed-app-identifier", body: Array(bytes))
    #expect(put.status == 201, "\(put.text)")
    #expect(try world.client.send("GET", target).json == JSON.parse(Array(bytes)).value)
  }

  @Test func aLimitedTokenFetchesOnlyItsDomainsAndAViewerNone() throws {
    for (role, status) in [("editor", 403), ("viewer", 403)] {
      let created = try world.client.send(
        "POST", "/v1/tokens",
        json: ["name": .string(role), "role": .string(role), "domains": ["*.brand.example"]])
      let token = try #require(try created.json["token"]?.stringValue)
      let client = Client(
        port: world.client.port, lines: ["Host: admin", "Authorization: Bearer \(token)"])
      let answer = try client.send("POST", "/v1/live-files", json: ["domains": ["other.example"]])
      #expect(answer.status == status, "\(answer.text)")
    }
  }
}
