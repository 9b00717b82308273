import Foundation
import Association
import Store
import TestSupport
import Testing

@Suite struct SnippetTests {
  let running: RunningService

  init() throws {
    running = try RunningService()
    let domain: JSON = [
      "aliases": ["www.example.com"], "webcredentials": [.string(app)],
      "entries": [["apps": [.string(app)], "routes": [["path": "/a"]]]],
    ]
    try running.put("example.com", domain)
  }

  @Test func aViewerGetsWhatAppsPaste() throws {
    let answer = try running.client(.viewer).send("GET", "/v1/domains/example.com/snippets")
    #expect(answer.status == 200, "\(answer.text)")
    let entitlement = try answer.json["entitlements"]?[0]
    #expect(entitlement?["app"] == .string(app))
    #expect(
      entitlement?["associatedDomains"] == [
        "applinks:example.com", "applinks:www.example.com",
        "webcredentials:example.com", "webcredentials:www.example.com",
      ])
    #expect(try answer.json["intentFilter"] == .null)
    let profile = try #require(try answer.json["mobileconfig"]?.stringValue)
    let plist = try PropertyListSerialization.propertyList(from: Data(profile.utf8), format: nil)
    #expect((plist as? NSDictionary)?["PayloadType"] as? String == "Configuration")
  }

  @Test func anAppGetsOneListForAllItsDomains() throws {
    let entries: JSON = [["apps": [.string(app)], "routes": [["path": "/b"]]]]
    try running.put("b.example", ["entries": entries])
    try running.put("off.example", ["entries": entries, "enabled": false])
    try running.put("other.example", ["entries": []])
    let path = "/v1/apps/\(app)/snippets"
    let answer = try running.client(.viewer).send("GET", path)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(
      try answer.json["associatedDomains"] == [
        "applinks:b.example", "applinks:example.com", "applinks:www.example.com",
        "webcredentials:example.com", "webcredentials:www.example.com",
      ], "\(answer.text)")
    #expect(try answer.json["domains"] == 2 && answer.json["moreDomains"] == nil)
    #expect(try answer.json["plist"]?.text.contains("webcredentials:www.example.com") == true)
    let limited = try running.client(.viewer, domains: ["b.example"]).send("GET", path)
    #expect(limited.status == 200, "\(limited.text)")
    #expect(try limited.json["associatedDomains"] == ["applinks:b.example"])
    // Whether others have an app is not told.
    for target in [path, "/v1/apps/ABCDE12345.com.example.none/snippets"] {
      let other = try running.client(.viewer, domains: ["c.example"]).send("GET", target)
      #expect(other.status == 404, "\(other.text)")
    }
    #expect(try running.admin.send("GET", "/v1/apps/ABCDE12345.none/snippets").status == 404)
  }

  @Test func aTokenSeesOnlyItsDomains() throws {
    let client = try running.client(.viewer, domains: ["example.org"])
    #expect(try client.send("GET", "/v1/domains/example.com/snippets").status == 403)
    #expect(try running.admin.send("GET", "/v1/domains/b.example/snippets").status == 404)
  }
}
