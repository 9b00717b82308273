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

  @Test func appsAreFoundByAPartOfTheirNameOrIdentifierInAnyCase() throws {
    let names = ["one": "Über Shop", "two": "", "three": "100%_sure"]
    for (id, name) in names {
      let json: JSON = ["name": .string(name)]
      _ = try admin.send("PUT", "/v1/apps/ABCDE12345.com.example.\(id)", json: json)
      let fingerprint = String(repeating: "0A", count: 32)
      let android: JSON = [
        "name": .string(name),
        "fingerprints": [["sha256": .string(fingerprint), "label": "upload"]],
      ]
      _ = try admin.send("PUT", "/v1/android-apps/com.example.\(id)", json: android)
    }
    func found(_ query: String) throws -> [[String]] {
      try [("apps", "app"), ("android-apps", "package")].map { list, key in
        let answer = try admin.send("GET", "/v1/\(list)?\(query)").json
        return (answer["items"]?.arrayValue ?? []).compactMap {
          $0[key]?.stringValue?.split(separator: ".").last.map(String.init)
        }
      }
    }
    for (query, expected) in [
      ("q=%C3%BCBER", ["one"]), ("q=EXAMPLE.T", ["three", "two"]), ("q=0%25_", ["three"]),
      ("q=%25", ["three"]), ("q=none", []), ("q=", ["one", "three", "two"]),
    ] {
      #expect(try found(query) == [expected, expected], "\(query)")
    }
    let first = try admin.send("GET", "/v1/apps?q=example.t&limit=1").json
    #expect(first["next"] == "ABCDE12345.com.example.three")
    let rest = try admin.send(
      "GET", "/v1/apps?q=example.t&limit=1&cursor=\(first["next"]?.stringValue ?? "")"
    ).json
    #expect(rest["items"]?[0]?["app"] == "ABCDE12345.com.example.two" && rest["next"] == .null)
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
