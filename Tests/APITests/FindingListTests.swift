import Association
import Store
import TestSupport
import Testing

/// All findings of all domains, and those that a team has suppressed.
@Suite struct FindingListTests {
  private let running: RunningService
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    try put("a.example", ["/x?y=1", "/x%c3"])
    try put("b.example", ["/x%c3"])
    try put("c.brand.example", ["/ok"])
  }

  private func put(_ domain: String, _ paths: [String]) throws {
    let entry: JSON = [
      "apps": [.string(app)], "routes": .array(paths.map { ["path": .string($0)] }),
    ]
    try running.put(domain, ["aliases": [.string("www.\(domain)")], "entries": [entry]])
  }

  private func findings(_ query: String = "", _ client: Client? = nil) throws -> JSON {
    try (client ?? admin).send("GET", "/v1/findings\(query)").json
  }

  private func places(_ list: JSON) -> [String] {
    (list["items"]?.arrayValue ?? []).map {
      "\($0["domain"]?.stringValue ?? "") \($0["code"]?.stringValue ?? "")"
    }
  }

  private let suppressions = "/v1/domains/a.example/suppressions"

  private func suppress(
    _ code: String = "lower-case-escape", _ pointer: String = "/applinks/details/0/components/1",
    until: String = "2100-01-01T00:00:00Z", dryRun: Bool = false
  ) throws -> RawResponse {
    try admin.send(
      "POST", suppressions + (dryRun ? "?dryRun=true" : ""),
      json: [
        "code": .string(code), "pointer": .string(pointer), "reason": "An old campaign",
        "owner": "web team", "until": .string(until),
      ])
  }

  @Test func findingsOfASeverityAndWorseOnesAreListed() throws {
    try put("d.example", ["/a", "/a"])
    let notes = try findings("?minSeverity=note")
    #expect(notes["counts"] == ["duplicate-route": 1, "lower-case-escape": 2, "query-in-path": 1])
    let warnings = try findings("?minSeverity=warning")
    #expect(warnings["counts"] == ["lower-case-escape": 2, "query-in-path": 1])
    #expect(places(warnings).count == 3 && warnings["total"] == 3)
    #expect(try places(findings("?minSeverity=error")).isEmpty)
    #expect(try places(findings("?minSeverity=warning&domain=b.example")).count == 1)
    #expect(try admin.send("GET", "/v1/findings?minSeverity=bad").status == 400)
  }

  @Test func findingsOfAllDomainsAreListedWithTheirCounts() throws {
    let list = try findings()
    #expect(
      places(list) == [
        "a.example query-in-path", "a.example lower-case-escape", "b.example lower-case-escape",
      ])
    #expect(list["counts"] == ["lower-case-escape": 2, "query-in-path": 1])
    #expect(list["total"] == 3 && list["suppressed"] == 0 && list["pending"] == 0)
    let first = list["items"]?[0]
    #expect(first?["severity"] == "warning" && first?["suppressed"] == nil)
    #expect(first?["pointer"] == "/applinks/details/0/components/0/~1")
    #expect(first?["message"]?.stringValue?.isEmpty == false && first?["help"] != nil)
  }

  @Test func findingsAreFilteredByDomainCodeSeverityAndSource() throws {
    for (query, expected) in [
      ("?domain=b.example", ["b.example lower-case-escape"]),
      ("?code=query-in-path", ["a.example query-in-path"]),
      ("?code=lower-case-escape&domain=a.example&source=lint", ["a.example lower-case-escape"]),
      ("?severity=error", []), ("?severity=note", []), ("?domain=none.example", []),
    ] {
      let list = try findings(query)
      #expect(places(list) == expected, "\(query)")
      #expect(list["total"] == .integer(expected.count), "\(query)")
    }
    for query in ["?code=x", "?severity=x", "?source=x", "?suppressed=x"] {
      #expect(try findings(query)["code"] == "unknown-value", "\(query)")
    }
  }

  @Test func findingsAreListedInPagesThatCanSplitADomain() throws {
    var seen: [String] = []
    var query = "?limit=1"
    while true {
      let page = try findings(query)
      #expect(page["total"] == 3 && page["items"]?.arrayValue?.count == 1)
      seen += places(page)
      guard let next = page["next"]?.stringValue else { break }
      query = "?limit=1&cursor=\(next.replacing(" ", with: "%20"))"
    }
    #expect(try seen == places(findings()))
    for cursor in ["x", "1", "x%20a.example"] {
      #expect(try findings("?cursor=\(cursor)")["code"] == "malformed-cursor")
    }
  }

  @Test func aTokenSeesOnlyTheFindingsOfItsOwnDomains() throws {
    try put("c.brand.example", ["/x%c3"])
    let brand = try running.client(.viewer, domains: ["*.brand.example"])
    let list = try findings("", brand)
    #expect(places(list) == ["c.brand.example lower-case-escape"])
    #expect(list["total"] == 1 && list["counts"] == ["lower-case-escape": 1])
    #expect(try findings("?domain=a.example", brand)["total"] == 0)
  }

  @Test func suppressionsEndWithTheirDomain() throws {
    #expect(try suppress().status == 201)
    #expect(try findings()["suppressed"] == 1)
    let deleted = try admin.send("DELETE", "/v1/domains/a.example?accept=opens-nothing")
    #expect(deleted.status == 200, "\(deleted.text)")
    try put("a.example", ["/x?y=1", "/x%c3"])
    #expect(try findings()["suppressed"] == 0)
  }

  @Test func findingsFollowEditsAndDeletions() throws {
    try put("a.example", ["/ok"])
    let deleted = try admin.send("DELETE", "/v1/domains/b.example?accept=opens-nothing")
    #expect(deleted.status == 200, "\(deleted.text)")
    #expect(try findings()["total"] == 0)
    try put("b.example", ["/x%c3", "/ok"])
    #expect(try places(findings()) == ["b.example lower-case-escape"])
    let dryRun = try admin.send(
      "POST", "/v1/domains/b.example/entries/2/routes?dryRun=true", json: ["path": "/y%c3"])
    #expect(dryRun.status == 201, "\(dryRun.text)")
    #expect(try findings()["total"] == 1)
  }

  @Test func findingsFollowTheEnvironmentOfAnApp() throws {
    let put = try admin.send("PUT", "/v1/apps/\(app)", json: ["environment": "staging"])
    #expect(put.status == 200)
    let list = try findings("?code=environment-mismatch")
    #expect(list["total"] == 3 && list["pending"] == 0)
    let domains = try admin.send("GET", "/v1/domains?finding=environment-mismatch").json
    #expect(domains["total"] == 3)
    #expect(try admin.send("GET", "/v1/domains/a.example").json["revision"] == 1)
  }

  @Test func findingsOfAnEarlierLinterAreMadeAgain() throws {
    let before = try findings()
    let connection = try running.connect()
    try connection.execute(
      "UPDATE domain SET linted_by = 0; UPDATE finding SET message = 'old'; "
        + "DELETE FROM finding WHERE code = 'query-in-path'")
    #expect(try findings() == before)
  }

  @Test func aDamagedDomainKeepsNoOtherFromGettingNewFindings() throws {
    let more = (1...25).map { "damaged\($0).example" }
    for name in more { try put(name, ["/ok"]) }
    let before = try findings()
    try running.connect().execute(
      "UPDATE domain SET linted_by = 0; UPDATE finding SET message = 'old'; "
        + "UPDATE domain SET fallback = '{}' WHERE id IN "
        + "(SELECT domain_id FROM domain_name WHERE name LIKE 'damaged%')")
    let after = try findings()
    #expect(after["items"] == before["items"] && after["pending"] == 0)
  }

  // MARK: Suppressions

  @Test func aSuppressedFindingIsListedAsSuchUntilTheSuppressionEnds() throws {
    let response = try suppress()
    #expect(response.status == 201, "\(response.text)")
    let suppression = try response.json
    #expect(suppression["id"] == 1 && suppression["findings"] == 1)
    #expect(suppression["active"] == true && suppression["author"] == "test")
    let mark: JSON = [
      "id": 1, "reason": "An old campaign", "owner": "web team", "until": "2100-01-01T00:00:00Z",
    ]
    let list = try findings()
    #expect(list["items"]?[1]?["suppressed"] == mark && list["items"]?[2]?["suppressed"] == nil)
    #expect(list["counts"] == ["lower-case-escape": 1, "query-in-path": 1])
    #expect(list["total"] == 3 && list["suppressed"] == 1)
    #expect(try places(findings("?suppressed=true")) == ["a.example lower-case-escape"])
    #expect(try findings("?suppressed=false")["total"] == 2)

    let edit = try admin.send("PATCH", "/v1/domains/a.example", json: ["cacheSeconds": 5])
    #expect(try edit.json["findings"]?[1]?["suppressed"] == mark)

    let later = try running.open(now: { 4_102_444_800 })
    #expect(try later.findings(FindingFilter(), limit: 9).suppressed == 0)
    #expect(try later.suppressions(of: DomainName("a.example")).map(\.isActive) == [false])

    let audit = try admin.send("GET", "/v1/audit?domain=a.example").json["items"]?[1]
    #expect(audit?["action"] == "suppress lower-case-escape (1)")
  }

  @Test func aSuppressionFollowsItsRoute() throws {
    #expect(try suppress().status == 201)
    let added = try admin.send(
      "POST", "/v1/domains/a.example/entries/1/routes", json: ["path": "/y%c3", "position": 0])
    #expect(added.status == 201)
    let marked = try added.json["findings"]?.arrayValue?
      .filter { $0["suppressed"] != nil }.compactMap { $0["pointer"]?.stringValue }
    #expect(marked == ["/applinks/details/0/components/2/~1"])
    #expect(
      try findings("?suppressed=true")["items"]?[0]?["pointer"]
        == "/applinks/details/0/components/2/~1")
    let list = try admin.send("GET", suppressions).json["items"]
    #expect(list?[0]?["pointer"] == "/applinks/details/0/components/2")

    #expect(try admin.send("DELETE", "/v1/domains/a.example/entries/1/routes/2").status == 200)
    #expect(try findings("?domain=a.example")["suppressed"] == 0)
    let gone = try admin.send("GET", suppressions).json["items"]?[0]
    #expect(gone?["pointer"] == .null && gone?["findings"] == 0)
  }

  @Test func aSuppressionOfAPlaceCoversWhatIsBelowIt() throws {
    try put("a.example", ["/x%c3", "/y%c3"])
    #expect(try suppress("lower-case-escape", "").json["findings"] == 2)
    #expect(try findings()["suppressed"] == 2)
    try put("a.example", (0...11).map { "/\($0)%c3" })
    #expect(try admin.send("DELETE", "\(suppressions)/1").status == 204)
    #expect(try suppress().json["findings"] == 1, "/components/1 is not /components/10")
  }

  @Test func aDeletedSuppressionCountsAgainAndItsNumberIsNotGivenAgain() throws {
    #expect(try suppress(dryRun: true).json["dryRun"] == true)
    #expect(try admin.send("GET", suppressions).json["items"] == [])
    #expect(try suppress().status == 201)
    #expect(try admin.send("DELETE", "\(suppressions)/1").status == 204)
    #expect(try findings()["suppressed"] == 0)
    #expect(try suppress().json["id"] == 2)
    let missing = try admin.send("DELETE", "\(suppressions)/1").json
    #expect(missing["code"] == "suppression-not-found")
    #expect(missing["detail"] == "This domain has no suppression 1. It only has 2.")
  }

  @Test func errorsAreNotSuppressedButAccepted() throws {
    let file: JSON = ["applinks": ["details": [["appIDs": [], "components": [["/": "/a"]]]]]]
    let adopted = try admin.send(
      "PUT", "/v1/domains/a.example/file?accept=entry-without-app,opens-nothing", json: file)
    #expect(adopted.status == 200, "\(adopted.text)")
    let response = try suppress("entry-without-app", "/applinks/details/0")
    #expect(try response.status == 422 && response.faults == ["/code: error-not-suppressed"])
    #expect(
      try response.json["errors"]?[0]?["message"]
        == .string(
          "\"entry-without-app\" is an error. Errors cannot be suppressed, only accepted: publish with "
            + "?accept=entry-without-app."))
    #expect(try admin.send("GET", suppressions).json["items"] == [])
  }

  @Test func everyFaultOfASuppressionIsNamed() throws {
    #expect(
      try suppress("lower-case-escape", "/applinks/details/0/components/0").faults
        == ["/pointer: finding-not-found"])
    #expect(try suppress(until: "2020-01-01T00:00:00Z").faults == ["/until: time-passed"])
    for time in [
      "tomorrow", "2036-02-30T00:00:00Z", "2035-02-29T00:00:00Z", "10000-01-01T00:00:00Z",
      "2036-01-01T25:00:00Z", "2036-01-01T23:60:00Z",
    ] {
      #expect(try suppress(until: time).faults == ["/until: malformed-time"], "\(time)")
    }
    #expect(UnixTime("2036-02-29T00:00:00Z")?.text == "2036-02-29T00:00:00Z")
    #expect(UnixTime("9999-12-31T23:59:59-01:00") == nil)
    #expect(try suppress("nonsense").faults == ["/code: unknown-value"])
    let empty = try admin.send("POST", suppressions, json: ["reason": "", "owner": 5])
    #expect(
      try Set(empty.faults) == [
        ": missing-member", "/reason: wrong-length", "/owner: wrong-type",
      ])
    #expect(
      try admin.send("POST", "/v1/domains/no.example/suppressions", json: [:]).status == 422)
    let viewer = try running.client(.viewer)
    #expect(try viewer.send("POST", suppressions, json: [:]).code == "role-too-low")
    #expect(try viewer.send("GET", suppressions).status == 200)
  }

  @Test func suppressionsOfADomainAreLimited() throws {
    let connection = try running.connect()
    try connection.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Suppression.limit))
      INSERT INTO suppression (domain_id, number, code, place, reason, owner, ends_at, created_at,
        author) SELECT domain_id, i, 'x', '', 'x', 'x', 1, 0, 'x'
      FROM domain_name, n WHERE name = 'a.example';
      UPDATE domain SET last_suppression = \(Suppression.limit)
      """)
    #expect(try suppress().faults == [": too-many"])
    #expect(try admin.send("DELETE", "\(suppressions)/7").status == 204)
    #expect(try suppress().json["id"] == .integer(Suppression.limit + 1))
  }
}
