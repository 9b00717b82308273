import Association
import Store
import TestSupport
import Testing

/// Suppressions of several domains hold for all that a glob covers or that have a label, whenever they are added.
@Suite struct SharedSuppressionTests {
  private let clock = SettableClock()
  private let running: RunningService
  private var admin: Client { running.admin }
  private let path = "/v1/suppressions"
  private let code = "lower-case-escape"

  init() throws {
    running = try RunningService(clock: clock)
    try put("a.brand.example", ["/x?y=1", "/x%c3"])
    try put("b.brand.example", ["/x%c3"])
    try put("c.example", ["/x%c3"], ["brand-c"])
  }

  private func put(_ domain: String, _ paths: [String], _ labels: [String] = []) throws {
    let entry: JSON = [
      "apps": [.string(app)], "routes": .array(paths.map { ["path": .string($0)] }),
    ]
    try running.put(
      domain,
      ["labels": .strings(labels), "aliases": [.string("www.\(domain)")], "entries": [entry]])
  }

  private func suppress(
    _ domains: JSON.Object, code: String = "lower-case-escape", pointer: String = "",
    until: String = "2100-01-01T00:00:00Z", _ query: String = ""
  ) throws -> RawResponse {
    var body: JSON.Object = [
      "code": .string(code), "pointer": .string(pointer), "reason": "An old campaign",
      "owner": "web team", "until": .string(until),
    ]
    for member in domains.members { body[member.key] = member.value }
    return try admin.send("POST", path + query, json: .object(body))
  }

  private func findings(_ query: String = "") throws -> JSON {
    let answer = try admin.send("GET", "/v1/findings\(query)")
    guard answer.status == 200 else { throw Unexpected(response: answer) }
    return try answer.json
  }

  private func domains(_ query: String) throws -> [String] {
    (try findings(query)["items"]?.arrayValue ?? []).compactMap { $0["domain"]?.stringValue }
  }

  /// The number of warnings in the list of domains.
  private func warnings(of domain: String) throws -> JSON? {
    try admin.send("GET", "/v1/domains?host=\(domain)").json["items"]?[0]?["findings"]?["warning"]
  }

  @Test func aGlobSuppressesFindingsOfItsDomainsAndOfLaterOnes() throws {
    let created = try suppress(["domain": "*.brand.example"])
    #expect(created.status == 201, "\(created.text)")
    let suppression = try created.json
    #expect(suppression["id"] == 1 && suppression["findings"] == 2 && suppression["domains"] == 2)
    #expect(suppression["active"] == true && suppression["author"] == "test")
    #expect(try domains("?suppressed=true") == ["a.brand.example", "b.brand.example"])
    let mark: JSON = [
      "id": 1, "reason": "An old campaign", "owner": "web team", "until": "2100-01-01T00:00:00Z",
      "domain": "*.brand.example",
    ]
    let list = try findings("?code=\(code)")
    #expect(list["items"]?[0]?["suppressed"] == mark && list["items"]?[2]?["suppressed"] == nil)
    #expect(list["counts"] == [code: 1] && list["suppressed"] == 2 && list["total"] == 3)
    #expect(try findings("?code=\(code)&suppressed=false")["total"] == 1)

    try put("d.brand.example", ["/x%c3"])
    #expect(try findings("?suppressed=true")["total"] == 3)
    #expect(try admin.send("GET", path).json["items"]?[0]?["findings"] == 3)
    #expect(try warnings(of: "d.brand.example") == 0)
    let edit = try admin.send("PATCH", "/v1/domains/d.brand.example", json: ["cacheSeconds": 5])
    #expect(try edit.json["findings"]?[0]?["suppressed"] == mark)
    let elsewhere = try admin.send("PATCH", "/v1/domains/c.example", json: ["cacheSeconds": 5])
    #expect(try elsewhere.json["findings"]?[0]?["suppressed"] == nil)
  }

  @Test func aLabelSuppressesFindingsOfDomainsWhileTheyHaveIt() throws {
    #expect(try suppress(["label": "brand-c"]).status == 201)
    #expect(try domains("?suppressed=true") == ["c.example"])
    #expect(try findings("?suppressed=true")["items"]?[0]?["suppressed"]?["label"] == "brand-c")
    let labelled = try admin.send(
      "PATCH", "/v1/domains/a.brand.example", json: ["labels": ["brand-c"]])
    #expect(try labelled.json["findings"]?[1]?["suppressed"]?["label"] == "brand-c")
    #expect(try domains("?suppressed=true") == ["a.brand.example", "c.example"])
    #expect(
      try admin.send("PATCH", "/v1/domains/c.example", json: ["labels": []]).status == 200)
    #expect(try domains("?suppressed=true") == ["a.brand.example"])
  }

  @Test func onlyFindingsAtThePlaceOrBelowItAreSuppressed() throws {
    try put("a.brand.example", (0...11).map { "/\($0)%c3" })
    let pointer = "/applinks/details/0/components/1"
    let created = try suppress(["domain": "a.brand.example"], pointer: pointer)
    #expect(try created.json["findings"] == 1, "/components/1 is not /components/10")
    #expect(try findings("?suppressed=true")["items"]?[0]?["pointer"] == .string(pointer + "/~1"))
    let edit = try admin.send("PATCH", "/v1/domains/a.brand.example", json: ["cacheSeconds": 5])
    let marked = (try edit.json["findings"]?.arrayValue ?? []).filter { $0["suppressed"] != nil }
    #expect(marked.map { $0["pointer"] } == [.string(pointer + "/~1")])
  }

  @Test func whenItEndsOrIsDeletedItsFindingsCountAgain() throws {
    let end = clock.now + 100
    #expect(try suppress(["domain": "*.brand.example"], until: end.text).status == 201)
    #expect(try suppress(["label": "brand-c"]).status == 201)
    #expect(try findings()["suppressed"] == 3)
    clock.wait(101)
    #expect(try domains("?suppressed=true") == ["c.example"])
    #expect(try warnings(of: "b.brand.example") == 1)
    let items = try admin.send("GET", path).json["items"]
    #expect(items?[0]?["active"] == false && items?[1]?["active"] == true)
    #expect(try admin.send("DELETE", path + "/2").status == 204)
    #expect(try findings()["suppressed"] == 0)
    let missing = try admin.send("DELETE", path + "/2")
    #expect(try missing.status == 404 && missing.code == "suppression-not-found")
    #expect(missing.text.contains("They are 1."))
    #expect(try suppress(["label": "brand-c"]).json["id"] == 3, "no number is given again")
    let audit = try admin.send("GET", "/v1/audit").json["items"]?.arrayValue ?? []
    #expect(
      audit.prefix(3).map { $0["action"] }
        == [
          "suppress \(code) in label brand-c (3)",
          "end suppression of \(code) in label brand-c (2)",
          "suppress \(code) in label brand-c (2)",
        ].map(JSON.string))
  }

  @Test func suppressionsOfOneDomainStayAsTheyAre() throws {
    #expect(try suppress(["domain": "*.brand.example"]).status == 201)
    let own = try admin.send(
      "POST", "/v1/domains/a.brand.example/suppressions",
      json: [
        "code": .string(code), "pointer": "", "reason": "own", "owner": "me",
        "until": "2050-01-01T00:00:00Z",
      ])
    #expect(own.status == 201, "\(own.text)")
    let shown = try findings("?suppressed=true&domain=a.brand.example")["items"]?[0]?["suppressed"]
    #expect(shown?["reason"] == "own" && shown?["domain"] == nil)
    let list = try admin.send("GET", "/v1/domains/a.brand.example/suppressions").json["items"]
    #expect(list?.arrayValue?.count == 1)
    #expect(try admin.send("DELETE", path + "/1").status == 204)
    #expect(try domains("?suppressed=true") == ["a.brand.example"])
  }

  @Test func errorsOfDocumentsAreNotSuppressed() throws {
    let file: JSON = ["applinks": ["details": [["appIDs": [], "components": [["/": "/a"]]]]]]
    let adopted = try admin.send(
      "PUT", "/v1/domains/c.example/file?accept=entry-without-app,opens-nothing", json: file)
    #expect(adopted.status == 200, "\(adopted.text)")
    for label in ["brand-c", "nobody"] {
      for query in ["", "?dryRun=true"] {
        let answer = try suppress(["label": .string(label)], code: "entry-without-app", query)
        #expect(try answer.status == 422 && answer.faults == ["/code: error-not-suppressed"])
      }
    }
    #expect(try admin.send("GET", path).json["items"] == [])
  }

  @Test func checksTreatThemAsThoseOfTheDomain() throws {
    func status() throws -> JSON? {
      let answer = try admin.send("POST", "/v1/check", json: ["domains": ["c.example"]])
      return try answer.json["items"]?[0]?["status"]
    }
    #expect(try status() == "failing")
    let errors = try findings("?source=check&severity=error&domain=c.example")
    let codes = Set((errors["items"]?.arrayValue ?? []).compactMap { $0["code"]?.stringValue })
    #expect(!codes.isEmpty)
    #expect(try due() > clock.now)
    for code in codes { #expect(try suppress(["label": "brand-c"], code: code).status == 201) }
    #expect(try due() <= clock.now, "only a check changes the status")
    let answer = try admin.send("POST", "/v1/check", json: ["domains": ["c.example"]])
    let check = try answer.json["items"]?[0]
    #expect(check?["status"] != "failing", "\(answer.text)")
    let marks = (check?["findings"]?.arrayValue ?? []).filter { $0["severity"] == "error" }
    #expect(!marks.isEmpty && marks.allSatisfy { $0["suppressed"]?["label"] == "brand-c" })
    #expect(try running.store.checkSummary().codes.keys.allSatisfy { !codes.contains($0) })
    #expect(try admin.send("GET", "/v1/domains?check=failing").json["total"] == 0)
    #expect(try admin.send("DELETE", path + "/1").status == 204)
    #expect(try status() == "failing")
  }

  private func due() throws -> UnixTime {
    let seconds = try running.connect().all(
      """
      SELECT due_at FROM check_schedule JOIN domain_name
        ON domain_name.domain_id = check_schedule.domain_id WHERE name = 'c.example'
      """, []
    ) { $0.integer(0) }
    return UnixTime(seconds.first ?? 0)
  }

  @Test func aDryRunChangesNothing() throws {
    let dry = try suppress(["domain": "*.brand.example"], "?dryRun=true")
    #expect(try dry.json["dryRun"] == true && dry.json["findings"] == 2 && dry.json["id"] == 1)
    #expect(try admin.send("GET", path).json["items"] == [])
    #expect(try findings()["suppressed"] == 0)
  }

  @Test func everyFaultIsNamed() throws {
    #expect(try suppress([:]).faults == [": choice-needed"])
    #expect(
      try suppress(["domain": "*.brand.example", "label": "a"]).faults == [": choice-needed"])
    #expect(try suppress(["domain": "a*.example"]).faults == ["/domain: domain-has-wildcard"])
    #expect(try suppress(["label": "A"]).faults == ["/label: malformed-label"])
    #expect(try suppress(["label": "a"], code: "nonsense").faults == ["/code: unknown-value"])
    #expect(
      try suppress(["label": "a"], until: "2020-01-01T00:00:00Z").faults == ["/until: time-passed"])
    #expect(try suppress(["label": "a"]).status == 201, "for domains that will have the label")
  }

  @Test func theirNumberIsLimited() throws {
    try running.connect().run(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(SharedSuppression.limit))
      INSERT INTO shared_suppression (code, kind, pointer, label, reason, owner, ends_at, created_at,
        author) SELECT 'x', 'apple-app-site-association', '', 'x', 'x', 'x', 1, 0, 'x' FROM n
      """)
    #expect(try suppress(["label": "a"]).faults == [": too-many"])
  }

  @Test func onlyTokensWithoutLimitsDecideForSeveralDomains() throws {
    #expect(try suppress(["domain": "*.brand.example"]).status == 201)
    let limited = try running.client(.editor, domains: ["*.brand.example"])
    for (method, target) in [("GET", path), ("POST", path), ("DELETE", path + "/1")] {
      let answer = try limited.send(method, target, json: [:])
      #expect(try answer.status == 403 && answer.code == "token-limited", "\(method)")
    }
    let seen = try limited.send("GET", "/v1/findings?suppressed=true").json
    #expect(seen["total"] == 2, "they hold for its domains")
    let viewer = try running.client(.viewer)
    #expect(try viewer.send("GET", path).status == 200)
    #expect(try viewer.send("POST", path, json: [:]).code == "role-too-low")
  }
}
