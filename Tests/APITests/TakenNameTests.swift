import Association
import Store
import TestSupport
import Testing

/// A domain that gets a name below a wildcard alias of another one serves that name from then on. The other one's
/// expectations about the name must hold then, and if it is protected, somebody must approve.
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

  @Test func aStateThatLeavesTheOtherDomainToOthersIsHeldToTheirExpectations() throws {
    let path = "/v1/domains/zone.example/expectations"
    let exported = try admin.send("GET", "/v1/export").json
    let bob = try running.client(.editor, named: "bob")
    let more: JSON = [
      "expectations": [
        Self.expectation("https://shop.zone.example/buy/1"),
        Self.expectation("https://blog.zone.example/buy/1"),
      ]
    ]
    let edited = try bob.send("PUT", path, json: more, "If-Match: *")
    #expect(edited.status == 200, "\(edited.text)")
    var state = exported.objectValue ?? [:]
    let blog: JSON = ["domain": "blog.zone.example", "entries": [Self.entry("/sell/*")]]
    state["domains"] = .array((state["domains"]?.arrayValue ?? []) + [blog])
    let refused = try admin.send("POST", "/v1/apply", json: .object(state))
    #expect(try refused.status == 409 && refused.code == "expectation-broken", "\(refused.text)")
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
    let id = try #require(try draft.json["id"]?.integerValue)
    let limited = try running.client(.editor, named: "carl", domains: ["shop.zone.example"])
    let beyond = try limited.send("POST", "/v1/drafts/\(id)/approve")
    #expect(beyond.status == 403, "\(beyond.text)")
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
