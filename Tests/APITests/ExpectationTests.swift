import Association
import TestSupport
import Testing

/// An expectation keeps every kind of change from breaking a link.
@Suite struct ExpectationTests {
  private let running: RunningService
  private let target = "/v1/domains/example.com"
  private var admin: Client { running.admin }
  private var expectation: JSON {
    ["url": "https://example.com/buy/1", "app": .string(app), "resolution": "match"]
  }

  init() throws {
    running = try RunningService()
    try running.put(
      "example.com",
      ["entries": [["apps": [.string(app)], "routes": [["path": "/buy/*"], ["path": "/z"]]]]])
    let set = try admin.send(
      "PUT", "\(target)/expectations", json: ["expectations": [expectation]])
    #expect(set.status == 200, "\(set.text)")
  }

  @Test(arguments: [
    ("PATCH", "/v1/domains/example.com/entries/1/routes/1", #"{"path": "/sell/*"}"#),
    ("DELETE", "/v1/domains/example.com/entries/1/routes/1", ""),
    (
      "POST", "/v1/domains/example.com/entries/1/routes",
      #"{"path": "/buy/1", "exclude": true, "position": 0}"#
    ),
    ("DELETE", "/v1/domains/example.com/entries/1", ""),
    (
      "PUT", "/v1/domains/example.com/file",
      #"{"applinks": {"details": [{"appIDs": ["ABCDE12345.com.example.app"], "components": [{"/": "/q"}]}]}}"#
    ),
    ("PUT", "/v1/domains/example.com", #"{"entries": []}"#),
    (
      "POST", "/v1/apply?overwrite=true",
      #"{"domains": [{"domain": "example.com", "entries": [], "expectations": [{"url": "https://example.com/buy/1", "app": "ABCDE12345.com.example.app", "resolution": "match"}]}]}"#
    ),
  ])
  func aChangeThatBreaksAnExpectationIsRefused(method: String, path: String, body: String) throws {
    let served = try running.serve("example.com").body
    for query in ["", "dryRun=true"] {
      let target = path + (path.contains("?") ? "&" : "?") + query
      let precondition = method == "PUT" ? ["If-Match: *"] : []
      let client = Client(port: admin.port, lines: admin.lines + precondition)
      let response = try client.send(method, target, body: body.isEmpty ? nil : Array(body.utf8))
      #expect(response.status == 409, "\(response.text)")
      #expect(try response.code == "expectation-broken")
      let broken = try response.json["expectations"]?[0]
      #expect(broken?["url"] == "https://example.com/buy/1")
      #expect(broken?["expected"] == "match")
      #expect(broken?["resolution"] != "match")
      #expect(broken?["reason"]?.stringValue?.isEmpty == false)
    }
    #expect(try running.serve("example.com").body == served)
  }

  @Test func theRefusalNamesTheRouteThatBreaksTheExpectation() throws {
    let response = try admin.send(
      "POST", "\(target)/entries/1/routes",
      json: ["path": "/buy/1", "exclude": true, "position": 0])
    let broken = try response.json["expectations"]?[0]
    #expect(broken?["resolution"] == "blocked")
    #expect(broken?["pointer"] == "/applinks/details/0/components/0")
  }

  @Test func restoringARevisionThatBreaksAnExpectationIsRefused() throws {
    let empty = try admin.send("PUT", "\(target)/expectations", json: ["expectations": []])
    #expect(empty.status == 200)
    #expect(try admin.send("DELETE", "\(target)/entries/1/routes/1").status == 200)
    #expect(try admin.send("POST", "\(target)/revisions/1/restore").status == 200)
    let set = try admin.send(
      "PUT", "\(target)/expectations", json: ["expectations": [expectation]])
    #expect(set.status == 200)
    #expect(try admin.send("POST", "\(target)/revisions/4/restore").code == "expectation-broken")
  }

  @Test func anExpectationMustBeMetWhenItIsSet() throws {
    let wrong: JSON = [
      "url": "https://example.com/z", "app": .string(app), "resolution": "blocked",
    ]
    let response = try admin.send(
      "PUT", "\(target)/expectations", json: ["expectations": [wrong]])
    #expect(try response.status == 409 && response.code == "expectation-broken")
    #expect(
      try admin.send("GET", "\(target)/expectations").json["expectations"] == [expectation])
  }

  @Test func everyInvalidExpectationIsNamedWithItsPointer() throws {
    let response = try admin.send(
      "PUT", "\(target)/expectations",
      json: [
        "expectations": [
          ["url": "nowhere", "app": "x", "resolution": "maybe"],
          ["url": "https://other.example/", "app": .string(app), "resolution": "match"],
        ]
      ])
    #expect(response.status == 422)
    #expect(try response.faults.contains("/expectations/0/url: malformed-url"))
    #expect(try !response.faults.isEmpty)
  }

  @Test func anEditReportsWhichExpectationsResolveDifferently() throws {
    let patch: JSON = [
      "entries": [["apps": [.string(app)], "routes": [["path": "/z"]]]],
      "expectations": [
        ["url": "https://example.com/buy/1", "app": .string(app), "resolution": "no-match"]
      ],
    ]
    let response = try admin.send("PATCH", target, json: patch)
    #expect(response.status == 200, "\(response.text)")
    let changed = try response.json["changedResolutions"]
    #expect(changed?[0]?["before"] == "match")
    #expect(changed?[0]?["after"] == "no-match")
  }

  @Test func puttingADomainWithoutExpectationsKeepsThem() throws {
    let json: JSON = [
      "entries": [["apps": [.string(app)], "routes": [["path": "/buy/*"]]]]
    ]
    let domain = try running.put("example.com", json)
    #expect(domain["expectations"] == [expectation])
  }

  @Test func anAppWithoutAPlatformIsOfThePlatformThatItLooksLike() throws {
    let put = { (expectation: JSON) in
      try admin.send("PUT", "\(target)/expectations", json: ["expectations": [expectation]])
    }
    let android: JSON = [
      "url": "https://example.com/buy/1", "app": "com.example.shop", "resolution": "no-match",
    ]
    let stored = try put(android)
    #expect(stored.status == 200, "\(stored.text)")
    let list = { try admin.send("GET", "\(target)/expectations").json["expectations"]?[0] }
    #expect(try list()?["platform"] == "android")
    var apple = android.objectValue ?? [:]
    apple["platform"] = "ios"
    #expect(try put(.object(apple)).status == 200)
    #expect(try list() == .object(apple))
  }
}
