import Association
import Store
import TestSupport
import Testing

/// Every published document can be read, compared and served again.
@Suite struct RevisionTests {
  private let running: RunningService
  private let target = "/v1/domains/example.com"
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    for paths in [["/a"], ["/a", "/b"], ["/b", "/a"]] {
      try adopt(["details": [["appIDs": [.string(app)], "components": routes(paths)]]])
    }
  }

  private func routes(_ paths: [String]) -> JSON { .array(paths.map { ["/": .string($0)] }) }

  @discardableResult
  private func adopt(_ applinks: JSON) throws -> RawResponse {
    let response = try admin.send("PUT", "\(target)/file", json: ["applinks": applinks])
    #expect((200...201).contains(response.status), "\(response.text)")
    return response
  }

  @Test func revisionsAreListedInPagesNewestFirst() throws {
    let first = try admin.send("GET", "\(target)/revisions?limit=2").json
    #expect(first["items"]?.arrayValue?.compactMap { $0["revision"] } == [3, 2])
    let next = first["next"]?.stringValue ?? ""
    let second = try admin.send("GET", "\(target)/revisions?limit=2&cursor=\(next)").json
    #expect(second["items"]?[0]?["revision"] == 1)
    #expect(second["items"]?[0]?["author"] == "test")
    #expect(second["items"]?[0]?["reason"] == "adopt file")
    #expect(second["next"] == .null)
  }

  @Test func aRevisionHasTheBytesThatWereServed() throws {
    let current = try running.serve("example.com")
    let file = try admin.send("GET", "\(target)/revisions/3/file")
    #expect(file.body == current.body)
    #expect(
      current["ETag"]
        == "\"\(try admin.send("GET", "\(target)/revisions/3").json["sha256"]?.stringValue ?? "")\""
    )
    #expect(try admin.send("GET", "\(target)/revisions/4").status == 404)
    #expect(try admin.send("GET", "\(target)/revisions/x").status == 400)
  }

  @Test func aRevisionIsRestoredAsANewOneWithItsRows() throws {
    let old = try admin.send("GET", "\(target)/revisions/1/file").body
    let response = try admin.send("POST", "\(target)/revisions/1/restore")
    #expect(response.status == 200)
    #expect(try response.json["revision"] == 4)
    #expect(try running.serve("example.com").body == old)
    #expect(try response.json["domain"]?["entries"]?[0]?["routes"]?[0]?["path"] == "/a")
    #expect(try admin.send("POST", "\(target)/revisions/9/restore").status == 404)
  }

  @Test func aPrunedRevisionDiffersFromOneThatNeverExisted() throws {
    let later = try running.open(now: { 1_099_511_627_776 })
    let retention = Retention(revisions: 2, revisionDays: 1)
    #expect(try Pruning(later).step(retention).revisions == 1)
    for (method, path) in [
      ("GET", "revisions/1"), ("GET", "revisions/1/file"), ("POST", "revisions/1/restore"),
      ("GET", "diff?from=1"), ("GET", "diff?to=1"),
    ] {
      let response = try admin.send(method, "\(target)/\(path)")
      #expect(try response.status == 404 && response.code == "revision-pruned", "\(path)")
    }
    #expect(try admin.send("GET", "\(target)/revisions/4").code == "revision-not-found")
    let list = try admin.send("GET", "\(target)/revisions").json
    #expect(list["items"]?.arrayValue?.compactMap { $0["revision"] } == [3, 2])
    #expect(list["next"] == .null)
    let oldest = try admin.send("GET", "\(target)/diff?to=2").json
    #expect(oldest["from"] == 2 && oldest["changes"] == [])
    #expect(try running.serve("example.com").status == 200)
  }

  @Test func revisionsAreComparedByMeaning() throws {
    let moved = try admin.send("GET", "\(target)/diff?from=2&to=3").json
    #expect(moved["changes"]?.arrayValue?.map { $0["kind"] ?? .null } == ["moved"])
    let added = try admin.send("GET", "\(target)/diff?from=1&to=2").json
    #expect(added["changes"]?[0]?["kind"] == "added")
    #expect(added["changes"]?[0]?["example"]?["after"] == "match")
    #expect(try admin.send("GET", "\(target)/diff?from=1&to=1").json["changes"] == [])
    #expect(try admin.send("GET", "\(target)/diff").json["from"] == 2)
    #expect(try admin.send("GET", "\(target)/diff?from=7").status == 404)
    #expect(try admin.send("GET", "\(target)/diff?from=x").status == 400)
  }

  @Test func movingASettingIntoDefaultsIsNoChange() throws {
    let spread: JSON = [
      "applinks": [
        "details": [
          [
            "appIDs": [.string(app)],
            "components": [
              ["/": "/b", "caseSensitive": true], ["/": "/a", "caseSensitive": true],
            ],
          ]
        ]
      ]
    ]
    let response = try admin.send("POST", "\(target)/diff", json: spread)
    #expect(try response.json["changes"] == [])
    #expect(try response.json["from"] == 3)
  }
}
