import Association
import TestSupport
import Testing

@Suite struct AppTests {
  let running: RunningService
  var admin: Client { running.admin }
  let target = "/v1/apps/\(app)"

  init() throws { running = try RunningService() }

  @Test func anAppIsAddedReadAndDeleted() throws {
    let json: JSON = ["name": "Shop", "environment": "staging"]
    let first = try admin.send("PUT", target, json: json)
    #expect(first.status == 201)
    let second = try admin.send("PUT", target, json: json)
    #expect(try second.status == 200 && second.json == first.json)
    let read = try admin.send("GET", target).json
    #expect(try read == first.json)
    #expect(read["name"] == "Shop" && read["environment"] == "staging" && read["domains"] == 0)
    #expect(try admin.send("PUT", target, json: read).json == read)
    #expect(try admin.send("DELETE", target).status == 204)
    #expect(try admin.send("GET", target).code == "app-not-found")
    #expect(try admin.send("DELETE", target).status == 404)
  }

  @Test func everyFaultOfAnAppIsNamed() throws {
    let json: JSON = ["app": .string(otherApp), "name": 5, "environment": "test", "colour": 1]
    let response = try admin.send("PUT", target, json: json)
    #expect(
      try Set(response.faults) == [
        "/app: app-differs", "/name: wrong-type", "/environment: unknown-value",
        "/colour: unknown-member",
      ])
  }

  @Test(
    arguments: [
      ["entries": [["apps": [.string(app)], "routes": [["path": "/a"]]]]],
      ["webcredentials": [.string(app)]], ["appclips": [.string(app)]],
      ["activitycontinuation": [.string(app)]],
      [
        "entries": [
          [
            "apps": [.string(otherApp)], "appID": .string(app),
            "keys": ["appID", "appIDs", "components"], "routes": [["path": "/a"]],
          ]
        ]
      ],
    ] as [JSON])
  func anAppThatADomainUsesCannotBeDeleted(domain: JSON) throws {
    try running.put("b.example", domain)
    try running.put("a.example", domain)
    #expect(try admin.send("GET", target).json["domains"] == 2)
    let response = try admin.send("DELETE", target)
    #expect(try response.status == 409 && response.code == "app-in-use")
    #expect(try response.json["domains"] == ["a.example", "b.example"])
    #expect(try response.json["count"] == 2)
    for name in ["a.example", "b.example"] {
      let deleted = try admin.send("DELETE", "/v1/domains/\(name)?accept=opens-nothing")
      #expect(deleted.status == 200)
    }
    #expect(try admin.send("DELETE", target).status == 204)
  }

  @Test func appsAreListedInPages() throws {
    let ids = (1...3).map { "ABCDE12345.com.example.app\($0)" }
    for id in ids { #expect(try admin.send("PUT", "/v1/apps/\(id)", json: [:]).status == 201) }
    let page = try admin.send("GET", "/v1/apps?limit=2").json
    #expect(page["items"]?.arrayValue?.map { $0["app"] } == ids.prefix(2).map { .string($0) })
    #expect(page["next"] == .string(ids[1]))
    let rest = try admin.send("GET", "/v1/apps?limit=2&cursor=\(ids[1])").json
    #expect(rest["items"]?.arrayValue?.map { $0["app"] } == [.string(ids[2])])
    #expect(rest["next"] == .null)
  }
}
