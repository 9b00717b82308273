import JSONValue
import TestSupport
import Testing

@Suite struct MatchTests {
  let running: RunningService
  var admin: Client { running.admin }
  let document: JSON = [
    "applinks": [
      "details": [
        [
          "appIDs": [.string(app)],
          "components": [["/": "/help/website/*", "exclude": true], ["/": "/help/*"]],
        ],
        ["appIDs": [.string(otherApp)], "components": [["/": "/shop/*"]]],
      ]
    ]
  ]

  init() throws {
    running = try RunningService()
    let file = document.serialized()
    _ = try running.admin.send("PUT", "/v1/domains/example.com/file", body: file)
    let aliases: JSON = ["aliases": ["www.example.com", "*.go.example.com"]]
    _ = try running.admin.send("PATCH", "/v1/domains/example.com", json: aliases)
  }

  /// "app resolution pointer" of each result.
  private func results(_ target: String, _ json: JSON) throws -> [String] {
    let response = try admin.send("POST", target, json: json)
    #expect(response.status == 200, "\(response.text)")
    return try (response.json["results"]?.arrayValue ?? []).map { result in
      #expect(result["reason"]?.stringValue?.isEmpty == false)
      let name = result["app"] == .string(app) ? "app" : "other"
      let pointer = result["pointer"]?.stringValue.map { " \($0)" } ?? ""
      return "\(name) \(result["resolution"]?.stringValue ?? "?")\(pointer)"
    }
  }

  @Test func everyURLAndAppHasAResultWithItsRoute() throws {
    let urls: JSON = ["https://example.com/help/a", "https://example.com/help/website/b"]
    let expected = [
      "app match /applinks/details/0/components/1", "other no-match",
      "app blocked /applinks/details/0/components/0", "other no-match",
    ]
    #expect(try results("/v1/match", ["document": document, "urls": urls]) == expected)
    #expect(try results("/v1/domains/example.com/match", ["urls": urls]) == expected)
  }

  @Test func aQuestionAboutOneAppHasOnlyItsResults() throws {
    let urls: JSON = ["https://example.com/shop/1"]
    let json: JSON = ["urls": urls, "app": .string(otherApp)]
    let target = "/v1/domains/example.com/match"
    #expect(try results(target, json) == ["other match /applinks/details/1/components/0"])
    #expect(
      try results(target, ["urls": urls, "app": "ABCDE12345.not.there"]) == ["other no-match"])
    #expect(try results(target, ["urls": []]) == [])
  }

  @Test(arguments: [
    ("https://example.com/help/a", true), ("https://www.example.com/help/a", true),
    ("https://EXAMPLE.com/help/a", true), ("https://a.go.example.com/help/a", true),
    ("https://a.b.go.example.com/help/a", true), ("https://go.example.com/help/a", false),
    ("https://other.example/help/a", false), ("https://notexample.com/help/a", false),
    ("ftp://example.com/help/a", false), ("nonsense", false), ("", false),
  ])
  func onlyURLsOfTheDomainsNamesMatch(url: String, matches: Bool) throws {
    let json: JSON = ["urls": [.string(url)], "app": .string(app)]
    let result = try results("/v1/domains/example.com/match", json)[0]
    #expect(result.hasPrefix("app match") == matches, "\(result)")
  }

  @Test func withoutADomainTheHostIsIgnored() throws {
    let json: JSON = [
      "document": document, "urls": ["https://any.example/help/a"], "app": .string(app),
    ]
    #expect(try results("/v1/match", json)[0].hasPrefix("app match"))
    let named = json.objectValue.map { object -> JSON in
      var object = object
      object["domain"] = "example.com"
      return .object(object)
    }
    #expect(try results("/v1/match", named ?? .null) == ["app no-match"])
  }

  /// The domain is that of the host: by name, by alias, or by the longest wildcard.
  @Test func withoutADocumentWhatIsPublishedForTheHostAnswers() throws {
    let other: JSON = [
      "aliases": ["*.b.go.example.com"],
      "entries": [["apps": ["ABCDE12345.com.example.other"], "routes": [["path": "/x"]]]],
    ]
    #expect(try admin.send("PUT", "/v1/domains/b.example", json: other).status == 201)
    let urls: [JSON] = [
      "https://nobody.example/x", "https://B.example/x", "https://www.example.com/help/a",
      "https://a.b.go.example.com/x", "https://b.go.example.com/x", "nonsense",
    ]
    let answer = try admin.send("POST", "/v1/match", json: ["urls": .array(urls)])
    #expect(answer.status == 200)
    let results = try answer.json["results"]?.arrayValue ?? []
    let resolutions = results.map { result in
      let app = result["app"]?.stringValue?.split(separator: ".").last ?? "-"
      return "\(result["url"]?.stringValue ?? "") \(app) \(result["resolution"]?.stringValue ?? "")"
    }
    #expect(
      resolutions == [
        "https://nobody.example/x - no-match", "https://B.example/x other match",
        "https://www.example.com/help/a app match", "https://www.example.com/help/a other no-match",
        "https://a.b.go.example.com/x other match", "https://b.go.example.com/x app no-match",
        "https://b.go.example.com/x other no-match", "nonsense - no-match",
      ])
  }

  @Test func everyFaultOfAQuestionIsNamed() throws {
    let json: JSON = ["urls": ["x", 5], "app": 5, "domain": "a_b", "further": 1, "document": [:]]
    #expect(
      try Set(admin.send("POST", "/v1/match", json: json).faults) == [
        "/urls/1: wrong-type", "/app: wrong-type", "/domain: domain-has-underscore",
        "/further: unknown-member",
      ])
    #expect(
      try Set(admin.send("POST", "/v1/match", json: [:]).faults.sorted())
        == [": missing-member"])
    let stored = try admin.send(
      "POST", "/v1/domains/example.com/match", json: ["urls": [], "document": [:]])
    #expect(try stored.faults == ["/document: unknown-member"])
    let many = JSON.array(Array(repeating: "https://example.com/", count: 10_001))
    let response = try admin.send("POST", "/v1/domains/example.com/match", json: ["urls": many])
    #expect(try response.faults == ["/urls: too-many"])
  }

  @Test func matchingStoresNothing() throws {
    let before = try admin.send("GET", "/v1/domains/example.com").body
    _ = try results("/v1/match", ["document": [:], "urls": ["https://example.com/"]])
    _ = try results("/v1/domains/example.com/match", ["urls": ["https://example.com/"]])
    #expect(try admin.send("GET", "/v1/domains/example.com").body == before)
    #expect(try admin.send("GET", "/v1/domains").json["total"] == 1)
  }

  @Test func validationNamesFindingsWithTheirPointers() throws {
    let good = try admin.send("POST", "/v1/validate", json: document)
    #expect(try good.status == 200 && good.json["valid"] == true)
    #expect(try good.json["bytes"] == .integer(document.serialized().count))
    let bad: JSON = ["applinks": ["details": [["appIDs": ["nodot"], "components": [["/": 5]]]]]]
    let report = try admin.send("POST", "/v1/validate", json: bad).json
    #expect(report["valid"] == false)
    let findings = report["findings"]?.arrayValue ?? []
    #expect(
      findings.contains {
        $0["pointer"] == "/applinks/details/0/appIDs/0" && $0["severity"] == "error"
          && $0["code"] == "malformed-app-identifier"
      })
    #expect(
      findings.allSatisfy {
        $0["message"]?.stringValue != nil && $0["help"]?.stringValue != nil
      })
  }
}
