import Association
import Store
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

  /// A pipeline that expects no-match would pass with the text of a file in place of the file.
  @Test(arguments: [.string("{}"), 5, true] as [JSON])
  func aDocumentThatIsNoFileIsRefused(document: JSON) throws {
    let answer = try admin.send(
      "POST", "/v1/match", json: ["document": document, "urls": ["https://example.com/help/1"]])
    #expect(answer.status == 422)
    #expect(try answer.faults == ["/document: malformed-value"], "\(answer.text)")
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

  /// The same domain answers that serves the host.
  @Test(arguments: [
    ("example.com", "example.com"), ("WWW.example.com", "example.com"),
    ("a.c.go.example.com", "example.com"), ("x.b.go.example.com", "b.example"),
    ("go.example.com", nil), ("other.example", nil),
  ])
  func theListFindsTheDomainOfAHost(host: String, domain: String?) throws {
    let other: JSON = ["aliases": ["*.b.go.example.com"]]
    #expect(try admin.send("PUT", "/v1/domains/b.example", json: other).status == 201)
    let answer = try admin.send("GET", "/v1/domains?host=\(host)")
    let names = try (answer.json["items"]?.arrayValue ?? []).compactMap {
      $0["domain"]?.stringValue
    }
    #expect(names == [domain].compactMap(\.self))
    #expect(try answer.json["total"] == .integer(names.count))
    let limited = try running.client(.viewer, domains: ["b.example"])
    let seen = try limited.send("GET", "/v1/domains?host=\(host)").json["total"]
    #expect(seen == (domain == "b.example" ? 1 : 0))
  }

  @Test func aLimitedTokenDoesNotLearnWhichDomainServesAHost() throws {
    let secret: JSON = ["aliases": ["www.other.example"]]
    #expect(try admin.send("PUT", "/v1/domains/secret.example", json: secret).status == 201)
    let own: JSON = ["entries": [["apps": [.string(app)], "routes": [["path": "/a"]]]]]
    #expect(try admin.send("PUT", "/v1/domains/own.other.example", json: own).status == 201)
    let labels = try admin.send(
      "PATCH", "/v1/domains/own.other.example", json: ["labels": ["brand"]])
    #expect(labels.status == 200)
    let urls = [
      "https://www.other.example/a", "https://nobody.example/a", "https://own.other.example/a",
    ]
    for limited in [
      try running.client(.viewer, domains: ["*.other.example"]),
      try running.client(.viewer, labels: ["brand"]),
    ] {
      let response = try limited.send("POST", "/v1/match", json: ["urls": .strings(urls)])
      let results = try response.json["results"]?.arrayValue ?? []
      #expect(results.map { $0["reason"] }[0] == results.map { $0["reason"] }[1])
      #expect(results.map { $0["resolution"] } == ["no-match", "no-match", "match"])
      #expect(!response.text.contains("secret"), "\(response.text)")
    }
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

  @Test func aDomainThatPublishesOnlyOriginsOpensNoURL() throws {
    let origins: JSON = ["origins": ["https://login.example"]]
    #expect(
      try admin.send("PUT", "/v1/domains/passkeys.example/documents/webauthn", json: origins).status
        == 201)
    let urls: JSON = ["urls": ["https://passkeys.example/a"]]
    for path in ["/v1/match", "/v1/domains/passkeys.example/match"] {
      let response = try admin.send("POST", path, json: urls)
      #expect(response.status == 200, "\(response.text)")
      let result = try response.json["results"]?[0]
      #expect(result?["resolution"] == "no-match")
      #expect(
        result?["reason"] == "The domain publishes only a webauthn file, which opens no URLs.")
    }
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

  @Test(arguments: [
    (#"{"applinks": {"details": []}}"#, "", "apple-app-site-association"),
    ("not JSON", "", "apple-app-site-association"), ("[]", "", "assetlinks.json"),
    (#"{"origins": []}"#, "", "webauthn"),
    (#"{"origins": []}"#, "?kind=apple-app-site-association", "apple-app-site-association"),
    ("{}", "?kind=webauthn", "webauthn"),
  ])
  func validationSeesTheKindOrIsToldIt(file: String, query: String, kind: String) throws {
    let report = try admin.send("POST", "/v1/validate\(query)", body: Array(file.utf8))
    #expect(try report.status == 200 && report.json["kind"] == .string(kind))
    let code = try report.json["findings"]?[0]?["code"]
    let expected = [
      "": "not-json", "apple-app-site-association": file.contains("origins") ? "no-service" : nil,
      "assetlinks.json": "empty-list",
      "webauthn": file == "{}" ? "missing-origins" : "empty-origins",
    ]
    if let word = expected[kind] ?? nil { #expect(code == .string(word)) }
  }

  @Test func anUnknownKindIsRefused() throws {
    let answer = try admin.send("POST", "/v1/validate?kind=a%2Fb", body: Array("{}".utf8))
    #expect(try answer.status == 400 && answer.code == "unknown-value")
  }

  private func statements(_ rules: JSON) -> JSON {
    let fingerprint = (0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined(separator: ":").uppercased()
    return [AssociationFile.statement("com.example.shop", [fingerprint], rules: rules)]
  }

  @Test func everyResultHasThePlatformOfItsDocument() throws {
    let urls: JSON = ["https://example.com/help/1"]
    let apple = try admin.send("POST", "/v1/match", json: ["document": document, "urls": urls])
    #expect(try apple.json["results"]?[0]?["platform"] == "ios")
    let stored = try admin.send("POST", "/v1/domains/example.com/match", json: ["urls": urls])
    #expect(try stored.json["results"]?[0]?["platform"] == "ios")
    let question: JSON = ["document": statements([["/": "/help/*"]]), "urls": urls]
    let android = try admin.send("POST", "/v1/match", json: question).json["results"]?[0]
    #expect(android?["platform"] == "android" && android?["app"] == "com.example.shop")
    #expect(android?["resolution"] == "match")
    let place = "/0/relation_extensions/delegate_permission~1common.handle_all_urls"
    #expect(android?["pointer"] == .string("\(place)/dynamic_app_link_components/0"))
  }

  @Test func aPackageCanBeAskedAbout() throws {
    let urls: JSON = ["https://example.com/help/1"]
    let document = statements([["/": "/help/*"]])
    for (package, resolution) in [("com.example.shop", "match"), ("com.example.no", "no-match")] {
      let question: JSON = ["document": document, "urls": urls, "app": .string(package)]
      let results = try admin.send("POST", "/v1/match", json: question).json["results"]
      #expect(results?.arrayValue?.count == 1)
      #expect(results?[0]?["app"] == .string(package) && results?[0]?["platform"] == "android")
      #expect(results?[0]?["resolution"] == .string(resolution))
    }
  }

  /// Nobody reads a document there, so only the app says which platform is meant.
  @Test func withoutAPublishedDocumentTheAppSaysThePlatform() throws {
    let apps: [JSON] = [.string(app), "com.example.shop", .null]
    let platforms = try apps.map { app in
      let question: JSON = ["urls": ["https://nobody.example/"], "app": app]
      return try admin.send("POST", "/v1/match", json: question).json["results"]?[0]?["platform"]
    }
    #expect(platforms == ["ios", "android", .null])
  }

  @Test func aWebAuthnDocumentIsRefused() throws {
    let question: JSON = ["document": ["origins": []], "urls": ["https://example.com/"]]
    let answer = try admin.send("POST", "/v1/match", json: question)
    #expect(try answer.status == 422 && answer.faults == ["/document: unknown-value"])
  }
}
