import Association
import Store
import TestSupport
import Testing

/// A change that leaves an app, or a domain, without any link that opens it must be accepted by its code.
@Suite struct OpensNothingTests {
  private let running: RunningService
  private let target = "/v1/domains/example.com"
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    try running.put("example.com", [:])
    try running.put(
      "example.com",
      [
        "entries": [
          ["apps": [.string(app)], "routes": [["path": "/a"]]],
          [
            "apps": [.string(otherApp)],
            "routes": [["path": "/x", "exclude": true], ["path": "/*"]],
          ],
        ]
      ])
  }

  private static let entries = "/v1/domains/example.com/entries"
  private static let one = #"{"apps": ["\#(otherApp)"], "routes": [{"path": "/*"}]}"#

  @Test(arguments: [
    ("PUT", "/v1/domains/example.com", #"{"entries": [\#(one)]}"#),
    ("PUT", "/v1/domains/example.com", "{}"),
    ("PATCH", "/v1/domains/example.com", #"{"entries": null}"#),
    ("PATCH", "/v1/domains/example.com", #"{"enabled": false}"#),
    (
      "PUT", "/v1/domains/example.com/file",
      #"{"applinks": {"details": [{"appIDs": ["\#(otherApp)"], "components": [{"/": "/*"}]}]}}"#
    ),
    ("DELETE", "\(entries)/1", ""), ("DELETE", "\(entries)/1/routes/1", ""),
    ("PUT", "\(entries)/1", #"{"apps": ["\#(app)"], "routes": []}"#),
    ("PUT", "\(entries)/1/routes", #"{"routes": [{"path": "/a", "exclude": true}]}"#),
    (
      "PUT", "\(entries)/1/routes",
      #"{"routes": [{"path": "/b/*", "exclude": true}, {"path": "/a*", "exclude": true}, {"path": "/a"}]}"#
    ),
    ("PATCH", "\(entries)/1/routes/1", #"{"exclude": true}"#),
    ("POST", "\(entries)/1/routes", #"{"path": "*", "exclude": true, "position": 0}"#),
    ("POST", "\(entries)/2/routes", #"{"path": "/*", "exclude": true, "position": 0}"#),
    (
      "POST", "/v1/apply?overwrite=true",
      #"{"domains": [{"domain": "example.com", "entries": [\#(one)]}]}"#
    ),
    ("POST", "/v1/apply?prune=true", #"{"domains": [{"domain": "b.example"}]}"#),
    ("POST", "/v1/domains/example.com/revisions/1/restore", ""),
    ("DELETE", "/v1/domains/example.com", ""),
  ])
  func itIsRefusedUnlessItIsAccepted(method: String, path: String, body: String) throws {
    let client = Client(
      port: admin.port,
      lines: admin.lines + (path.hasPrefix("/v1/domains/") ? ["If-Match: *"] : []))
    let send = { (query: String) in
      try client.send(
        method, path + (path.contains("?") ? "&" : "?") + query,
        body: body.isEmpty ? nil : Array(body.utf8))
    }
    let before = try admin.send("GET", target).body
    for query in ["", "dryRun=true", "accept=no-details"] {
      let answer = try send(query)
      #expect(try answer.status == 422 && answer.code == "opens-nothing", "\(answer.text)")
      #expect(try answer.json["domain"] == "example.com")
      let isOther = path.contains("/entries/2/")
      #expect(answer.text.contains(isOther ? otherApp : app), "\(answer.text)")
    }
    #expect(try admin.send("GET", target).body == before)
    let accepted = try send("accept=opens-nothing")
    #expect((200...201).contains(accepted.status), "\(accepted.text)")
    let answer = try accepted.json
    let published = answer["domains"]?[0] ?? answer
    #expect(published["diff"]?["affectsLinks"] == true, "\(accepted.text)")
    let errors = published["findings"]?.arrayValue?.filter { $0["severity"] == "error" } ?? []
    #expect(errors.map { $0["code"] } == ["opens-nothing"])
    #expect(errors.first?["message"]?.stringValue?.hasSuffix(".") == true)
  }

  @Test func itIsAcceptedForOneChangeOnly() throws {
    let accept = "?accept=opens-nothing"
    #expect(try admin.send("DELETE", "\(target)/entries/1\(accept)").status == 200)
    #expect(try admin.send("GET", "\(target)/revisions/3").json["accepted"] == ["opens-nothing"])
    #expect(try admin.send("PATCH", target, json: ["cacheSeconds": 5]).status == 200)
    #expect(try admin.send("DELETE", "\(target)/entries/2").code == "opens-nothing")
    #expect(try admin.send("POST", "\(target)/revisions/2/restore").status == 200)
    #expect(try admin.send("POST", "\(target)/revisions/3/restore").code == "opens-nothing")
  }

  @Test func aDomainWhoseNameAnotherOneTakesWithItsLinksMayGo() throws {
    let domain = { (name: String, aliases: JSON, path: String) -> JSON in
      let entries: JSON = [["apps": [.string(app)], "routes": [["path": .string(path)]]]]
      return ["domain": .string(name), "aliases": aliases, "entries": entries]
    }
    try running.put("old.example", ["entries": domain("", [], "/h/*")["entries"] ?? .null])
    let kept =
      try admin.send("GET", "/v1/export").json["domains"]?.arrayValue?
      .filter { $0["domain"] != "old.example" } ?? []
    let apply = { (path: String) in
      try self.admin.send(
        "POST", "/v1/apply?prune=true",
        json: ["domains": .array(kept + [domain("new.example", ["old.example"], path)])])
    }
    let lost = try apply("/other/*")
    #expect(lost.status == 200, "The app still opens links: \(lost.text)")
    try running.put("gone.example", ["entries": domain("", [], "/h/*")["entries"] ?? .null])
    let gone = try apply("/other/*")
    #expect(gone.status == 422 && gone.text.contains("opens-nothing"), "\(gone.text)")
  }

  @Test func whatOpenedNothingMayGo() throws {
    #expect(
      try admin.send("PATCH", target + "?accept=opens-nothing", json: ["enabled": false]).status
        == 200)
    #expect(try admin.send("DELETE", "\(target)/entries/1").status == 200)
    #expect(try admin.send("DELETE", target).status == 200)
    try running.put("b.example", ["entries": [["apps": [.string(app)], "routes": []]]])
    #expect(try admin.send("DELETE", "/v1/domains/b.example").status == 200)
  }

  @Test func aMovedRouteAnotherEntryAndARenamedAppOpenAsBefore() throws {
    let moved: JSON = [
      "entries": [
        [
          "apps": [.string(otherApp), .string(app)],
          "routes": [["path": "/b", "query": ["q": "?*"]]],
        ]
      ]
    ]
    #expect(try admin.send("PUT", target, json: moved, "If-Match: *").status == 200)
    let rename = try admin.send(
      "POST", "/v1/apps/\(app)/rename", json: ["to": "ABCDE12345.com.example.renamed"])
    #expect(rename.status == 200, "\(rename.text)")
  }
}
