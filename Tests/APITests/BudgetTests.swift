import Checking
import Service
import Association
import HTTP
import Publishing
import Store
import Synchronization
import TestSupport
import Testing

/// Every request has limits. The refusal says which limit was exceeded, its value and what to do.
@Suite struct BudgetTests {
  let running: RunningService
  var admin: Client { running.admin }
  let target = "/v1/domains/example.com"

  init() throws {
    running = try RunningService()
    let entry: JSON = ["apps": [.string(app)], "routes": [["path": "/a"]]]
    try running.put("example.com", ["entries": [entry]])
  }

  private func error(_ response: RawResponse) throws -> String {
    let error = try response.json["errors"]?[0]
    return "\(error?["pointer"]?.stringValue ?? "") \(error?["message"]?.stringValue ?? "")"
  }

  // MARK: Bodies

  /// The body is never sent: a server that waited for it would not answer. (Without `Expect` it reads
  /// some of it, so that the client sees the answer.)
  @Test func aBodyOverTheLimitOfItsEndpointIsRefusedBeforeItIsSent() throws {
    for (method, path, limit) in [
      ("PUT", "/v1/apps/\(app)", 65_536), ("POST", target + "/entries/1/routes", 65_536),
      ("POST", "/v1/tokens", 65_536), ("DELETE", target, 65_536),
      ("PUT", target, 2_097_152), ("PUT", target + "/file", 2_097_152),
      ("POST", "/v1/validate", 2_097_152), ("POST", "/v1/match", 2_097_152),
      ("POST", "/v1/apply", 8_388_608),
    ] {
      let connection = try RawConnection(port: admin.port)
      let head = ["\(method) \(path) HTTP/1.1"] + admin.lines
      let body = ["Content-Length: \(limit + 1)", "Expect: 100-continue", "", ""]
      try connection.send((head + body).joined(separator: "\r\n"))
      let response = try connection.readResponse()
      #expect(try response.status == 413 && response.code == "body-too-large", "\(path)")
      #expect(response.text.contains("\(limit) bytes"), "\(response.text)")
    }
    #expect(try admin.send("GET", target)["ETag"] == "\"1\"")
  }

  @Test func aBodyOfExactlyTheLimitIsRead() throws {
    let text = #"{"name": "Example"}"#
    let path = "/v1/apps/\(app)"
    for (spaces, status) in [(65_536 - text.utf8.count, 200), (65_537 - text.utf8.count, 413)] {
      let body = Array(repeating: UInt8(ascii: " "), count: spaces) + Array(text.utf8)
      #expect(try admin.send("PUT", path, body: body).status == status)
    }
  }

  @Test func theDescriptionSaysTheLimitOfEveryBody() throws {
    let description = Description(try admin.send("GET", "/openapi.json").json)
    let bodies = description.operations.compactMap { $0.json["requestBody"] }
    #expect(bodies.count > 15)
    for body in bodies {
      let text = body["description"]?.stringValue ?? ""
      #expect(text.hasPrefix("At most ") && text.contains("maxBodyBytes"), "\(text)")
    }
  }

  // MARK: Faults

  @Test func aHundredFaultsAreNamedAndTheOthersCounted() throws {
    let wrong = JSON.array(Array(repeating: 5, count: 900))
    let response = try admin.send("PUT", target, json: ["aliases": wrong, "webcredentials": wrong])
    #expect(try response.status == 422 && response.faults.count == 100)
    #expect(try response.json["moreErrors"] == 1700)
    #expect(try response.json["detail"]?.stringValue?.contains("1800 invalid values") == true)
    let few = try admin.send("PUT", target, json: ["aliases": [5]])
    #expect(try few.json["moreErrors"] == nil)
  }

  @Test func anyNumberOfFaultsMakesAShortAnswer() throws {
    let wrong = "[" + Array(repeating: "1", count: 400_000).joined(separator: ",") + "]"
    for body in [
      #"{"substitutionVariables": {"x": \#(wrong)}}"#, #"{"entries": \#(wrong)}"#, wrong,
      "{" + (0..<50_000).map { "\"unknown\($0)\": 1" }.joined(separator: ",") + "}",
      "{" + Array(repeating: "\"same\": 1", count: 50_000).joined(separator: ",") + "}",
    ] {
      let response = try admin.send("PUT", target, body: Array(body.utf8))
      #expect((400...499).contains(response.status) && response.body.count < 65_536)
    }
  }

  // MARK: Lengths and counts

  private func names(_ count: Int) -> JSON {
    .array((0..<count).map { .string("a\($0).example") })
  }

  private func expectation(_ url: String) -> JSON {
    ["url": .string(url), "app": .string(app), "resolution": "match"]
  }

  @Test func aDomainHasAtMostAThousandAliasesAndExpectations() throws {
    let expectations = JSON.array(
      Array(repeating: expectation("https://example.com/a"), count: 1001))
    for (json, pointer) in [
      (["aliases": names(1001)] as JSON, "/aliases"),
      (["expectations": expectations], "/expectations"),
    ] {
      let response = try admin.send("PATCH", target, json: json)
      #expect(try response.status == 422 && response.faults == ["\(pointer): too-many"])
      #expect(try error(response).hasSuffix("has 1001 elements; the limit is 1000. Shorten it."))
    }
    #expect(try admin.send("PATCH", target, json: ["aliases": names(1000)]).status == 200)
    #expect(try running.serve("a999.example").status == 200)
    let routes = JSON.array(Array(repeating: ["path": "/"], count: 43_692))
    let entries: JSON = ["entries": [["apps": [.string(app)], "routes": routes]]]
    #expect(
      try admin.send("PATCH", target, json: entries).faults == ["/entries/0/routes: too-many"])
    let direct = try admin.send(
      "PUT", target + "/expectations", json: ["expectations": expectations])
    #expect(try direct.faults == ["/expectations: too-many"])
  }

  @Test func longTextsAreRefusedWithTheirLimit() throws {
    let long = String(repeating: "x", count: 10_000)
    let url = "https://example.com/\(long)"
    for (method, path, json, limit) in [
      ("PUT", "/v1/apps/\(app)", ["name": .string(long)] as JSON, 200),
      ("PATCH", target, ["expectations": [expectation(url)]], 8192),
      ("POST", target + "/match", ["urls": [.string(url)]], 8192),
      ("POST", target + "/match", ["urls": [], "app": .string(long)], 255),
    ] {
      let response = try admin.send(method, path, json: json)
      #expect(response.status == 422, "\(path)")
      #expect(try error(response).contains("the limit is \(limit)."), "\(response.text)")
    }
    for (query, limit) in [("reason", 1000), ("accept", 4000)] {
      let response = try admin.send("PATCH", "\(target)?\(query)=\(long)", json: [:])
      #expect(try response.status == 400 && response.code == "parameter-too-long")
      #expect(response.text.contains("the limit is \(limit)."))
    }
    for query in ["q", "cursor", "app"] {
      #expect(try admin.send("GET", "/v1/domains?\(query)=\(long)").code == "parameter-too-long")
    }
    let tokens: JSON = ["name": "t", "role": "viewer", "domains": names(101)]
    #expect(try admin.send("POST", "/v1/tokens", json: tokens).faults == ["/domains: too-many"])
  }

  @Test func aBodyWithTooManyValuesIsToldTheLimit() throws {
    let many = "[" + Array(repeating: "1", count: 600_000).joined(separator: ",") + "]"
    let response = try admin.send("PUT", target, body: Array(#"{"aliases": \#(many)}"#.utf8))
    #expect(try response.status == 413 && response.code == "body-too-complex")
    #expect(response.text.contains("there are more than 500000 values"), "\(response.text)")
  }

  @Test func aStateMayHaveMoreValuesThanAnyOtherBody() throws {
    let element = #"{"x": [\#(Array(repeating: "1", count: 30).joined(separator: ","))]}"#
    let many = Array(repeating: element, count: 20_000).joined(separator: ",")
    let response = try admin.send(
      "POST", "/v1/apply", body: Array(#"{"domains": [\#(many)]}"#.utf8))
    #expect(try response.status == 422 && response.faults.last == "/domains/49: missing-member")
    #expect(try response.json["moreErrors"] == 39_900)
    let twice: JSON = [
      "domains": [["domain": "a b"], ["domain": "c.example"], ["domain": "c.example"]]
    ]
    let repeated = try admin.send("POST", "/v1/apply", json: twice)
    #expect(
      try repeated.faults == ["/domains/0/domain: domain-malformed", "/domains/2: repeated"])
    for text in [#"{"domains": 5}"#, "[]", #"{"domains": [], "more": [1]}"#] {
      #expect(try admin.send("POST", "/v1/apply", body: Array(text.utf8)).status == 422, "\(text)")
    }
  }

  // MARK: Answers

  @Test func exportsAndPlansAreStreamed() throws {
    let export = try admin.send("GET", "/v1/export")
    #expect(export["Transfer-Encoding"] == "chunked" && export["Content-Length"] == nil)
    let plan = try admin.send("POST", "/v1/apply?dryRun=true", body: export.body)
    #expect(plan["Transfer-Encoding"] == "chunked")
    #expect(
      try plan.json == [
        "apps": [["app": .string(app), "action": "unchanged"]],
        "domains": [["domain": "example.com", "action": "unchanged"]], "dryRun": true,
      ])
    #expect(try admin.send("HEAD", "/v1/export").status == 200)
  }

  @Test func anAnswerToAMatchIsBounded() throws {
    let apps = JSON.array((0..<400).map { .string("ABCDE12345.com.example.app\($0)") })
    let document: JSON = [
      "applinks": ["details": [["appIDs": apps, "components": [["/": "/a"]]]]]
    ]
    let long = String(repeating: "x", count: 1000)
    let urls = (0..<200).map { JSON.string("https://example.com/\(long)\($0)") }
    let response = try admin.send(
      "POST", "/v1/match", json: ["document": document, "urls": .array(urls)])
    #expect(try response.faults == ["/urls: too-many"])
    #expect(try error(response).contains("bytes; the limit is 8388608."), "\(response.text)")
    let fewer = try admin.send(
      "POST", "/v1/match", json: ["document": document, "urls": .array(Array(urls.prefix(10)))])
    #expect(try fewer.json["results"]?.arrayValue?.count == 4000)
  }

  // MARK: What others may learn

  @Test func aLimitedTokenLearnsNothingOfTheOwnerOfATakenName() throws {
    try running.put("secret.example", ["aliases": ["taken.brand.example"]])
    let limited = try running.client(.editor, domains: ["*.brand.example"])
    let taken: JSON = ["aliases": ["taken.brand.example"]]
    let refused = try limited.send("PUT", "/v1/domains/a.brand.example", json: taken)
    #expect(try refused.status == 409 && refused.code == "name-taken")
    #expect(!refused.text.contains("secret"), "\(refused.text)")
    let told = try admin.send(
      "PUT", target + "?accept=opens-nothing", json: taken, "If-Match: *")
    #expect(try told.json["domain"] == "secret.example")
  }

  @Test func aRefusedRequestIsLoggedWithItsCodeAndToken() throws {
    let lines = Mutex<[AnsweredRequest]>([])
    let api = AdminAPI(
      publisher: Publisher(store: running.store),
      checker: { Checker(Fetcher(), now: { 0 }) }, readiness: { Readiness() },
      serves: { _ in false },
      counts: AdminCounts(), metrics: { [] },
      log: { event in
        if case .answered(let request) = event { lines.withLock { $0.append(request) } }
      })
    let secret = try running.createToken(name: "reader", role: .viewer).text
    let call = { (method: Method, path: String) in
      let target = try RequestTarget(path.utf8)
      let fields: Fields = [HeaderField("Authorization", "Bearer \(secret)")]
      _ = api.answer(Request(method: method, target: target, fields: fields))
    }
    try call(.delete, target)
    try call(.get, "/v1/domains/none.example")
    try call(.get, target)
    #expect(
      lines.withLock { $0 }.map { [$0.token, $0.code] } == [
        ["reader", "role-too-low"], ["reader", "domain-not-found"], ["reader", nil],
      ])
  }
}
