import Association
import Store
import TestSupport
import Testing

@Suite struct BadInputTests {
  let running: RunningService
  let before: RawResponse
  var admin: Client { running.admin }
  let target = "/v1/domains/example.com"

  init() throws {
    running = try RunningService(maxBodyBytes: 1_048_576)
    let entry: JSON = ["apps": [.string(app)], "routes": [["path": "/kept"]]]
    try running.put("example.com", ["entries": [entry]])
    before = try running.serve("example.com")
  }

  /// Expects that nothing served has changed, and that both listeners still answer.
  private func expectNothingChanged(_ what: String) throws {
    let after = try running.serve("example.com")
    #expect(after.status == 200 && after.body == before.body, "\(what)")
    #expect(after["ETag"] == before["ETag"], "\(what)")
    #expect(try admin.send("GET", target)["ETag"] == "\"1\"", "\(what)")
  }

  @Test(arguments: [
    "", " ", "{", "[1,]", #"{"a":1,}"#, "{'a':1}", "{a:1}", "// x\n{}", "{} {}", "nul", "01", "+1",
    "\"\\x\"", "\"\\ud800\"", "\"a\u{1}b\"", "\u{0}", "{}\u{0}", "NaN", "1e", "\"unterminated",
    "<html>", "\u{FEFF}\u{FEFF}{}",
  ])
  func invalidJSONIsRefusedWithLineAndColumn(text: String) throws {
    for (method, path) in [
      ("PUT", target + "/file"), ("PUT", target), ("PATCH", target), ("POST", target + "/entries"),
      ("PUT", "/v1/apps/\(app)"), ("POST", "/v1/match"), ("POST", target + "/match"),
    ] {
      let response = try admin.send(method, path, body: Array(text.utf8))
      #expect(try response.status == 400 && response.code == "not-json", "\(method) \(path)")
      #expect(try response.json["detail"]?.stringValue?.isEmpty == false)
    }
    let report = try admin.send("POST", "/v1/validate", body: Array(text.utf8))
    #expect(try report.status == 200 && report.json["valid"] == false)
    try expectNothingChanged(text)
  }

  @Test(arguments: [
    ("PUT", "", "dryRun=true&dryRun=false", "dryRun"),
    ("PUT", "", "dryRun=true&dryRun=true", "dryRun"),
    ("PUT", "", "reason=a&dryRun=true&reas%6Fn=b", "reason"),
    ("PUT", "/file", "accept=near-size-limit&accept=no-routes", "accept"),
    ("DELETE", "", "dryRun=false&dryRun", "dryRun"),
  ])
  func aRepeatedParameterIsRefused(
    method: String, path: String, query: String, name: String
  ) throws {
    let response = try admin.send(method, target + path + "?" + query, json: [:])
    #expect(try response.status == 400 && response.code == "repeated-parameter")
    #expect(
      try response.json["detail"]?.stringValue?.contains("\"\(name)\" appears 2 times") == true)
    try expectNothingChanged(query)
  }

  @Test(arguments: [
    ("PUT", "", "dryrun=true", "dryrun"), ("PUT", "", "dry-run", "dry-run"),
    ("DELETE", "", "dryRun=true&dry-run=1", "dry-run"), ("PUT", "/file", "=x", ""),
    ("PATCH", "", "limit=1", "limit"), ("GET", "", "fields=domain", "fields"),
  ])
  func anUnknownParameterIsRefusedByName(
    method: String, path: String, query: String, name: String
  ) throws {
    let response = try admin.send(method, target + path + "?" + query, json: [:])
    #expect(try response.status == 400 && response.code == "unknown-parameter")
    let detail = try response.json["detail"]?.stringValue ?? ""
    #expect(detail.contains("\"\(name)\""), "\(detail)")
    #expect(
      detail.contains("dryRun") == (method != "GET"), "it names those that there are: \(detail)")
    try expectNothingChanged(query)
  }

  @Test(arguments: [
    [0xFF], Array("\"".utf8) + [0xC3] + Array("\"".utf8), Array("{\"a".utf8) + [0xED, 0xA0, 0x80],
    Array("{\"webcredentials\":{\"apps\":[]},\"x\":\"".utf8) + [0xC0, 0x80] + Array("\"}".utf8),
    [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00],
  ])
  func bytesThatAreNotUTF8AreRefused(bytes: [UInt8]) throws {
    for path in ["", "/file"] {
      let response = try admin.send("PUT", target + path, body: bytes)
      #expect(try response.status == 400 && response.code == "not-json")
    }
    try expectNothingChanged("\(bytes)")
  }

  @Test(arguments: [99, 100, 101, 10_000, 400_000])
  func onlyDeepNestingIsRefused(depth: Int) throws {
    let body =
      Array(repeating: UInt8(ascii: "["), count: depth)
      + Array(repeating: UInt8(ascii: "]"), count: depth)
    let file = Array(#"{"webcredentials":{"apps":["\#(app)"]},"x":"#.utf8) + body + [0x7D]
    let response = try admin.send("PUT", "/v1/domains/deep.example/file", body: file)
    if depth < 100 {
      #expect(response.status == 201, "\(response.text.prefix(500))")
      #expect(try JSON.parse(running.serve("deep.example").body).value == JSON.parse(file).value)
    } else {
      #expect(try response.status == 422 && response.code == "too-complex")
    }
    for (method, path) in [("PUT", target), ("POST", "/v1/match"), ("PATCH", target)] {
      let response = try admin.send(method, path, body: body)
      let code = depth > 100 ? "body-too-complex" : "invalid-input"
      #expect(try response.code == code, "\(method) \(path)")
    }
    #expect(try admin.send("POST", "/v1/validate", body: body).status == 200)
    try expectNothingChanged("\(depth)")
  }

  @Test func aByteOrderMarkIsAnErrorThatCanBeAccepted() throws {
    let file: JSON = ["webcredentials": ["apps": [.string(app)]]]
    let bytes = [0xEF, 0xBB, 0xBF] + file.serialized()
    let response = try admin.send("PUT", target + "/file", body: bytes)
    #expect(try response.status == 422 && response.faults == [": byte-order-mark"])
    try expectNothingChanged("a byte order mark")
    let accepted = try admin.send(
      "PUT", "/v1/domains/bom.example/file?accept=byte-order-mark", body: bytes)
    #expect(accepted.status == 201)
    #expect(try running.serve("bom.example").body == file.serialized())
  }

  @Test func everyRepeatedKeyIsNamed() throws {
    let file =
      ##"{"applinks":{"details":[{"appIDs":["A.b"],"appIDs":["A.c"],"components":"##
      + ##"[{"/":"1","#":"a","/":"2"}]}],"details":[]}}"##
    let response = try admin.send("PUT", target + "/file", body: Array(file.utf8))
    #expect(response.status == 422)
    #expect(
      try Set(response.faults) == [
        "/applinks/details: duplicate-key", "/applinks/details/0/appIDs: duplicate-key",
        "/applinks/details/0/components/0/~1: duplicate-key",
      ])
    let json = #"{"cacheSeconds":1,"entries":[{"apps":[],"apps":[]}],"cacheSeconds":2}"#
    let put = try admin.send("PUT", target, body: Array(json.utf8))
    #expect(put.status == 422)
    #expect(
      try put.faults == ["/entries/0/apps: duplicate-key", "/cacheSeconds: duplicate-key"])
    try expectNothingChanged("duplicate keys")
  }

  @Test func everyWrongTypeInADomainIsNamed() throws {
    let json: JSON = [
      "domain": 1, "aliases": ["ok.example", 5, "bad_name.example", "ok.example", "*"],
      "enabled": "yes", "format": "modernish", "cacheSeconds": -1, "defaults": [],
      "substitutionVariables": ["a": "x", "b": [1]], "webcredentials": ["nodot", 5],
      "appclips": "x", "extra": [], "colour": "red",
      "entries": [
        5,
        [
          "id": 0, "apps": ["a b.c", "A..b", "A.", ".b"], "keys": ["path"], "paths": [1],
          "routes": [
            "x", ["path": 1, "query": 2, "fragment": 3, "exclude": 4, "comment": 5, "id": "x"],
            ["/": "/x"], ["extra": ["/": "/x", "future": 1]],
          ],
        ],
      ],
    ]
    let response = try admin.send("PUT", target, json: json)
    #expect(try response.status == 422 && response.code == "invalid-input")
    let expected = [
      "/aliases/1: wrong-type", "/aliases/2: domain-has-underscore",
      "/aliases/3: duplicate-alias", "/aliases/4: domain-has-wildcard", "/appclips: wrong-type",
      "/cacheSeconds: out-of-range", "/colour: unknown-member", "/defaults: wrong-type",
      "/domain: wrong-type", "/enabled: wrong-type", "/entries/0: wrong-type",
      "/entries/1/apps/0: malformed-app-identifier", "/entries/1/apps/1: malformed-app-identifier",
      "/entries/1/apps/2: malformed-app-identifier", "/entries/1/apps/3: malformed-app-identifier",
      "/entries/1/id: out-of-range", "/entries/1/keys/0: unknown-value",
      "/entries/1/paths/0: wrong-type", "/entries/1/routes/0: wrong-type",
      "/entries/1/routes/1/comment: wrong-type", "/entries/1/routes/1/exclude: wrong-type",
      "/entries/1/routes/1/fragment: wrong-type", "/entries/1/routes/1/id: wrong-type",
      "/entries/1/routes/1/path: wrong-type", "/entries/1/routes/1/query: wrong-type",
      "/entries/1/routes/2/~1: unknown-member", "/entries/1/routes/3/extra/~1: reserved-member",
      "/extra: wrong-type", "/format: unknown-value", "/substitutionVariables/a: wrong-type",
      "/substitutionVariables/b/0: wrong-type", "/webcredentials/0: malformed-app-identifier",
      "/webcredentials/1: wrong-type",
    ]
    let faults = try Set(response.faults)
    #expect(faults.isSuperset(of: expected), "missing: \(Set(expected).subtracting(faults))")
    let further = faults.subtracting(expected)
    #expect(further.allSatisfy { $0 == "/entries/1: entry-inconsistent" }, "\(further)")
    try expectNothingChanged("wrong types")
  }

  @Test(arguments: ["205856905947734507520", "-1e30", "4", "-1"])
  func aWholeNumberOutsideItsRangeIsNoWrongType(number: String) throws {
    let json = #"{"path": "/a", "position": \#(number)}"#
    let entry = try admin.send("GET", target).json["entries"]?[0]?["id"]?.integerValue ?? 0
    let response = try admin.send(
      "POST", target + "/entries/\(entry)/routes", body: Array(json.utf8))
    #expect(try response.faults == ["/position: out-of-range"])
    try expectNothingChanged(number)
  }

  @Test(arguments: ["0", "61", "ten", ""])
  func aWrongNumberOfSecondsToWaitIsRefusedWithAndWithoutAWait(seconds: String) throws {
    for wait in ["", "wait=all&"] {
      let response = try admin.send(
        "PATCH", target + "?\(wait)waitSeconds=\(seconds)", json: ["cacheSeconds": 60])
      #expect(try response.status == 400 && response.code == "unknown-value", "\(response.text)")
    }
    try expectNothingChanged("waitSeconds=\(seconds)")
  }

  @Test func aChangeThatWasMadeIsNeverAnsweredAsAnErrorOfWaitingForServers() throws {
    let connection = try running.connect()
    try connection.execute("ALTER TABLE replica RENAME TO replica_away")
    let answer = try admin.send("PATCH", target + "?wait=all", json: ["cacheSeconds": 77])
    try connection.execute("ALTER TABLE replica_away RENAME TO replica")
    #expect(answer.status == 200 && answer["X-Aasa-Not-Served-By"] == "unknown", "\(answer.text)")
    #expect(try admin.send("GET", target).json["cacheSeconds"] == 77)
  }

  @Test func pointersAreCorrectAfterAnInvalidElement() throws {
    let json: JSON = [
      "format": "legacy",
      "entries": [1, ["apps": [.string(app)], "routes": [1, ["path": "/a"], ["query": "x"]]]],
    ]
    let faults = try admin.send("PUT", target, json: json).faults
    #expect(
      faults == [
        "/entries/0: wrong-type", "/entries/1/routes/0: wrong-type",
        "/entries/1/routes/2: legacy-cannot-say",
      ])
    let dictionary: JSON = [
      "details": "dictionary",
      "entries": [
        1, ["apps": [.string(app)], "keys": ["appID", "paths"]], ["apps": [.string(otherApp)]],
      ],
    ]
    #expect(
      try admin.send("PUT", target, json: dictionary).faults
        == ["/entries/0: wrong-type", "/entries/2: dictionary-cannot-say"])
  }

  @Test func everyWrongTypeInAFileIsNamed() throws {
    let file: JSON = [
      "applinks": [
        "apps": "x",
        "details": [5, ["appIDs": "x", "components": 5], ["appID": 5, "paths": [5]]],
        "defaults": [], "substitutionVariables": ["a": "b", "c": [5]],
      ],
      "webcredentials": ["apps": "x"], "appclips": 5, "activitycontinuation": ["apps": [5]],
    ]
    let response = try admin.send("PUT", target + "/file", json: file)
    #expect(response.status == 422)
    let places = try Set(response.faults.map { $0.split(separator: ":")[0] })
    for place in [
      "/applinks/apps", "/applinks/details/0", "/applinks/details/1/appIDs",
      "/applinks/details/1/components", "/applinks/details/2/appID",
      "/applinks/details/2/paths/0", "/applinks/defaults", "/applinks/substitutionVariables/a",
      "/applinks/substitutionVariables/c/0", "/webcredentials/apps", "/appclips",
      "/activitycontinuation/apps/0",
    ] {
      #expect(places.contains { $0 == place }, "\(place) is missing in \(places)")
    }
    try expectNothingChanged("wrong types in a file")
  }

  @Test(arguments: ["[]", "5", "null", "\"x\"", "true"])
  func aBodyThatIsNotAnObjectIsRefused(text: String) throws {
    for (method, path) in [
      ("PUT", target + "/file"), ("PUT", target), ("PATCH", target), ("POST", target + "/entries"),
      ("PUT", "/v1/apps/\(app)"), ("POST", "/v1/match"), ("POST", target + "/match"),
    ] {
      let response = try admin.send(method, path, body: Array(text.utf8))
      #expect(response.status == 422, "\(method) \(path): \(response.text)")
      #expect(try response.json["errors"]?[0]?["pointer"] == "")
    }
    try expectNothingChanged(text)
  }

  @Test(arguments: [
    "nodot", "a%20b.c", ".b", "a.", "a..b", "a.b%2Fc", "%C3%A9.b", "a.b%0A",
    String(repeating: "a", count: 250) + ".bundle",
  ])
  func aMalformedAppIdentifierInAPathIsRefused(text: String) throws {
    for method in ["GET", "PUT", "DELETE"] {
      let response = try admin.send(method, "/v1/apps/\(text)", json: [:])
      #expect(try response.status == 400 && response.code == "malformed-app-identifier")
    }
  }

  @Test(arguments: [
    ("https:%2F%2Fexample.com", "domain-has-scheme"), ("example.com:443", "domain-has-port"),
    ("example.com%2Fpath", "domain-has-path"), ("a_b.example", "domain-has-underscore"),
    ("127.0.0.1", "domain-is-address"), ("::1", "domain-is-address"),
    ("%5B::1%5D", "domain-is-address"), ("*", "domain-has-wildcard"),
    ("*.example.com", "domain-has-wildcard"), ("a.*.example", "domain-has-wildcard"),
    ("a..example", "domain-malformed"), ("-a.example", "domain-malformed"),
    ("a%20b.example", "domain-malformed"), ("1.2.3.4.5", "domain-is-address"),
    (String(repeating: "a", count: 64) + ".example", "domain-too-long"),
    (
      Array(repeating: String(repeating: "a", count: 49), count: 5).joined(separator: ".")
        + ".abcd",
      "domain-too-long"
    ),
  ])
  func aMalformedDomainIsRefusedInAPathAndAsAnAlias(text: String, code: String) throws {
    for (method, path) in [("GET", ""), ("PUT", ""), ("PUT", "/file"), ("DELETE", "")] {
      let file: JSON = ["webcredentials": ["apps": [.string(app)]]]
      let response = try admin.send(method, "/v1/domains/\(text)\(path)", json: file)
      #expect(try response.status == 400 && response.code == code, "\(response.text)")
    }
    if text == "*.example.com" { return }
    let alias = text.replacing("%2F", with: "/").replacing("%5B", with: "[")
      .replacing("%5D", with: "]").replacing("%20", with: " ")
    let response = try admin.send("PUT", target, json: ["aliases": [.string(alias)]])
    #expect(try response.status == 422 && response.faults == ["/aliases/0: \(code)"])
    try expectNothingChanged(text)
  }

  @Test func aDomainOf253CharactersIsNotTooLong() throws {
    let name = Array(repeating: String(repeating: "a", count: 49), count: 5).joined(separator: ".")
    let domain = name + ".abc"
    #expect(domain.utf8.count == 253)
    try running.put(domain, [:])
    #expect(try running.serve(domain).status == 200)
  }

  @Test(arguments: ["%00", "a%00b.example", "%FF", "%C3", "%", "%4", "%zz", "a%ED%A0%80"])
  func nulAndBrokenEncodingInATargetAreRefused(text: String) throws {
    for target in ["/v1/domains/\(text)", "/v1/domains?cursor=\(text)", "/\(text)"] {
      let response = try admin.send("GET", target)
      #expect(try response.status == 400 && response.code == "malformed-target", "\(target)")
    }
    try expectNothingChanged(text)
  }

  @Test func nulIsKeptInFreeTextAndRefusedElsewhere() throws {
    let entry: JSON = [
      "apps": [.string(app)], "routes": [["path": "/a\u{0}b", "comment": "c\u{0}d"]],
    ]
    try running.put("nul.example", ["entries": [entry]])
    let component = try running.served("nul.example")["applinks"]?["details"]?[0]?["components"]?[0]
    #expect(component == ["/": "/a\u{0}b", "comment": "c\u{0}d"])
    let named = try admin.send("PUT", "/v1/apps/\(app)", json: ["name": "a\u{0}b"])
    #expect(try named.json["name"] == "a\u{0}b")
    for json: JSON in [
      ["aliases": ["a\u{0}.example"]], ["webcredentials": ["A\u{0}.b"]], ["domain": "a\u{0}"],
    ] {
      #expect(try admin.send("PUT", target, json: json).status == 422)
    }
    try expectNothingChanged("NUL")
  }

  @Test func unknownPathsAndResourcesAre404AndUnknownMethodsAre405() throws {
    for path in [
      "//", "/v1", "/v1/", "/v1/nothing", "/v1/domains/", "/v1/domains/example.com/", "/v2/domains",
      "//v1/domains", "/v1//domains", "/v1/domains/../domains", "/V1/domains", "/v1%2Fdomains",
    ] {
      let response = try admin.send("GET", path)
      #expect(response.status == 404, "\(path)")
    }
    let entry = target + "/entries/999"
    for (method, path, code) in [
      ("GET", "/v1/domains/no.example", "domain-not-found"),
      ("PATCH", "/v1/domains/no.example", "domain-not-found"),
      ("DELETE", "/v1/domains/no.example", "domain-not-found"),
      ("GET", "/v1/domains/no.example/file", "domain-not-found"),
      ("POST", "/v1/domains/no.example/entries", "domain-not-found"),
      ("GET", entry, "entry-not-found"), ("PUT", entry, "entry-not-found"),
      ("GET", entry + "/routes", "entry-not-found"), ("POST", entry + "/routes", "entry-not-found"),
      ("GET", "/v1/apps/A.b", "app-not-found"), ("DELETE", "/v1/apps/A.b", "app-not-found"),
    ] {
      let response = try admin.send(method, path, json: [:])
      #expect(try response.status == 404 && response.code == code, "\(method) \(path)")
    }
    #expect(try admin.send("GET", target + "/entries/x").status == 400)
    for (method, path, allow) in [
      ("POST", target, "GET, HEAD, PUT, PATCH, DELETE"), ("PUT", "/v1/domains", "GET, HEAD"),
      ("GET", "/v1/validate", "POST"), ("OPTIONS", "/v1/domains", "GET, HEAD"),
      ("BREW", "/healthz", "GET, HEAD"), ("get", "/healthz", "GET, HEAD"),
    ] {
      let response = try admin.send(method, path)
      #expect(response.status == 405 && response["Allow"] == allow, "\(method) \(path)")
    }
    try expectNothingChanged("unknown things")
  }

  @Test func headAnswersLikeGetWithoutABody() throws {
    for path in [target, target + "/file", "/v1/domains", "/healthz"] {
      let get = try admin.send("GET", path)
      let head = try admin.send("HEAD", path)
      #expect(head.status == 200)
      #expect(head["Content-Length"] == String(get.body.count), "\(path)")
      #expect(head["ETag"] == get["ETag"])
    }
    #expect(try admin.send("HEAD", "/v1/domains/no.example").status == 404)
  }

  @Test func aCompressedBodyIsRefusedAndNeverReadAsItIs() throws {
    let paths = [
      ("PATCH", target), ("PUT", target + "/documents/security.txt"), ("POST", "/v1/apply"),
    ]
    for (method, path) in paths {
      for type in ["application/json", "application/x-ndjson"] {
        let response = try admin.send(
          method, path, body: [0x1F, 0x8B, 8, 0], "Content-Encoding: gzip", "Content-Type: \(type)")
        #expect(try response.status == 415 && response.code == "unknown-content-coding", "\(path)")
        #expect(response["Accept-Encoding"] == "identity")
        #expect(response.text.contains("\\\"gzip\\\". Send it uncompressed"), "\(response.text)")
      }
    }
    let plain = try admin.send(
      "PATCH", target, body: Array("{}".utf8), "Content-Encoding: identity",
      "Content-Type: application/json")
    #expect(plain.status == 200)
    #expect(try admin.send("GET", target, body: [], "Content-Encoding: gzip").status == 200)
  }

  @Test func anotherMediaTypeIsRefusedWhereJSONIsRequired() throws {
    let response = try admin.send(
      "PUT", target, body: [], "Content-Type: application/x-www-form-urlencoded")
    #expect(try response.status == 415 && response.code == "not-json-type")
    for type in [
      "application/json; charset=utf-8", "Application/JSON", "application/merge-patch+json",
    ] {
      let response = try admin.send(
        "PATCH", target, body: Array("{}".utf8), "Content-Type: \(type)")
      #expect(response.status == 200, "\(type)")
    }
    let file: JSON = ["webcredentials": ["apps": [.string(app)]]]
    let adopted = try admin.send(
      "PUT", "/v1/domains/typed.example/file", json: file, "Content-Type: text/plain")
    #expect(adopted.status == 201)
  }

  @Test func everyProblemHasTheRequestID() throws {
    let named = try admin.send("GET", "/v1/domains/no.example", "X-Request-Id: my-request.1")
    #expect(
      try named.json["requestId"] == "my-request.1" && named["X-Request-Id"] == "my-request.1")
    for odd in ["a b", "\"", String(repeating: "x", count: 65), ""] {
      let response = try admin.send("GET", "/v1/domains/no.example", "X-Request-Id: \(odd)")
      let id = try response.json["requestId"]?.stringValue
      #expect(id != odd && id == response["X-Request-Id"] && id?.isEmpty == false)
    }
    let problem = try admin.send("GET", "/v1/domains/no.example").json
    #expect(problem["status"] == 404 && problem["title"] == "Not Found")
    #expect(problem["type"] == "about:blank" && problem["detail"]?.stringValue != nil)
  }
}
