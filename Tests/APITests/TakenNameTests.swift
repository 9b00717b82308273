import Association
import Store
import TestSupport
import Testing

/// A domain that gets a name below a wildcard alias of another one serves that name from then on. What visitors of the
/// name lose is told and refused as in any other change.
@Suite struct TakenNameTests {
  private let running: RunningService
  private var admin: Client { running.admin }
  private let name = "/v1/domains/shop.zone.example"

  init() throws {
    running = try RunningService()
    try running.put(
      "zone.example",
      [
        "aliases": ["*.zone.example"], "entries": [Self.entry("/buy/*")],
        "expectations": [
          Self.expectation("https://shop.zone.example/buy/1"),
          Self.expectation("https://zone.example/buy/1"),
        ],
      ])
  }

  private static func entry(_ path: String, _ app: String = app) -> JSON {
    ["apps": [.string(app)], "routes": [["path": .string(path)]]]
  }

  private static func expectation(_ url: String) -> JSON {
    ["url": .string(url), "app": .string(app), "resolution": "match"]
  }

  private static func state(_ domains: (name: String, members: JSON.Object)...) -> JSON {
    [
      "domains": .array(
        domains.map { name, members in
          var members = members
          members["domain"] = .string(name)
          return .object(members)
        })
    ]
  }

  /// The ways in which a domain gets the name, with routes that have this path.
  private static func requests(_ path: String) -> [(String, String, JSON)] {
    let entries: JSON = [entry(path)]
    return [
      ("PUT", "/v1/domains/shop.zone.example", ["entries": entries]),
      ("POST", "/v1/apply", state(("shop.zone.example", ["entries": entries]))),
      (
        "PUT", "/v1/domains/other.example",
        ["entries": entries, "aliases": ["shop.zone.example"]]
      ),
      (
        "POST", "/v1/apply",
        state(("other.example", ["entries": entries, "aliases": ["*.shop.zone.example"]]))
      ),
    ]
  }

  @Test(arguments: 0...2) func anExpectationAboutTheNameMustHoldThere(way: Int) throws {
    let (method, path, wrong) = Self.requests("/sell/*")[way]
    let refused = try admin.send(method, path, json: wrong)
    #expect(try refused.status == 409 && refused.code == "expectation-broken", "\(refused.text)")
    let json = try refused.json
    #expect(json["domain"] == "zone.example")
    #expect(
      json["expectations"]?.arrayValue?.map { $0["url"] } == ["https://shop.zone.example/buy/1"])
    #expect(try running.served("shop.zone.example") == running.served("zone.example"))
    let (_, _, right) = Self.requests("/buy/*")[way]
    let published = try admin.send(method, path, json: right)
    #expect((200...201).contains(published.status), "\(published.text)")
  }

  @Test func aNameThatNoExpectationIsAboutIsFree() throws {
    let (method, path, json) = Self.requests("/sell/*")[3]
    #expect(try admin.send(method, path, json: json).status == 200)
  }

  @Test func aStateCanMoveTheExpectationToTheDomainThatTakesTheName() throws {
    let owner: JSON.Object = [
      "aliases": ["*.zone.example"], "entries": [Self.entry("/buy/*")],
      "expectations": [Self.expectation("https://zone.example/buy/1")],
    ]
    let shop: JSON.Object = ["entries": [Self.entry("/sell/*")]]
    let state = Self.state(("shop.zone.example", shop), ("zone.example", owner))
    let answer = try admin.send("POST", "/v1/apply?overwrite=true", json: state)
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test func linksThatCloseMustBeAccepted() throws {
    let entries: JSON = [Self.entry("/buy/*", otherApp)]
    let path = "/v1/domains/blog.zone.example"
    for json: JSON in [
      ["entries": entries], ["entries": []], ["entries": [Self.entry("/*")], "enabled": false],
    ] {
      let refused = try admin.send("PUT", path, json: json)
      #expect(try refused.status == 422 && refused.code == "opens-nothing", "\(refused.text)")
      #expect(
        refused.text.contains("After this change, no URL of blog.zone.example opens"),
        "\(refused.text)")
    }
    let state = Self.state(("blog.zone.example", ["entries": entries]))
    #expect(try admin.send("POST", "/v1/apply", json: state).code == "opens-nothing")
    let accepted = try admin.send(
      "PUT", path + "?accept=opens-nothing", json: ["entries": entries])
    #expect(accepted.status == 201, "\(accepted.text)")
  }

  @Test func theDiffShowsWhatVisitorsOfTheNameHad() throws {
    let answer = try admin.send(
      "PUT", "/v1/domains/blog.zone.example?dryRun=true",
      json: ["entries": [Self.entry("/blog/*")]])
    let changes = try answer.json["diff"]?["changes"]?.arrayValue ?? []
    #expect(
      changes.first?["summary"]
        == "domain blog.zone.example added; until now, zone.example has served the name")
    let examples = changes.map { $0["example"]?["url"]?.stringValue }
    #expect(examples.contains("https://blog.zone.example/buy"), "\(answer.text)")
    #expect(try answer.json["diff"]?["affectsLinks"] == true)
    try running.put("free.example", ["entries": [Self.entry("/blog/*")]])
    let alias = try admin.send(
      "PATCH", "/v1/domains/free.example?dryRun=true", json: ["aliases": ["blog.zone.example"]])
    let moved = try alias.json["diff"]?["changes"]?[0]?["summary"]
    #expect(moved == "alias blog.zone.example moved here from zone.example")
  }

  @Test func aProtectedDomainGivesNoNameAwayWithoutApproval() throws {
    try running.put(
      "zone.example",
      ["aliases": ["*.zone.example"], "entries": [Self.entry("/buy/*")], "protected": true])
    for (method, path, json) in Self.requests("/buy/*") {
      let refused = try admin.send(method, path, json: json)
      #expect(try refused.status == 403 && refused.code == "approval-required", "\(refused.text)")
      #expect(try refused.json["domain"] == "zone.example")
    }
    let anna = try running.client(.editor, named: "anna")
    let draft = try anna.send(
      "PUT", name + "?draft=true", json: ["entries": [Self.entry("/buy/*")]])
    #expect(draft.status == 202, "\(draft.text)")
    let id = try draft.json["draft"]?["id"]?.integerValue ?? draft.json["id"]?.integerValue ?? 0
    let approved = try admin.send("POST", "/v1/drafts/\(id)/approve")
    #expect(approved.status == 200, "\(approved.text)")
    #expect(try admin.send("GET", name).status == 200)
  }

  @Test func aDisabledDomainServesNothingThatCouldBeTaken() throws {
    let off: JSON = [
      "aliases": ["*.zone.example"], "entries": [Self.entry("/buy/*")], "enabled": false,
      "expectations": [],
    ]
    let disabled = try admin.send(
      "PUT", "/v1/domains/zone.example?accept=opens-nothing", json: off, "If-Match: *")
    #expect(disabled.status == 200, "\(disabled.text)")
    let (method, path, json) = Self.requests("/sell/*")[0]
    let answer = try admin.send(method, path, json: json)
    #expect(answer.status == 201, "\(answer.text)")
    #expect(try answer.json["diff"] == nil)
  }
}
