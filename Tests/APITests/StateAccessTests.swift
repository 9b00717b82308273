import Association
import Store
import TestSupport
import Testing

/// Pipelines with little power.
@Suite struct StateAccessTests {
  private let running: RunningService
  private let other = "ABCDE12345.com.example.other"

  init() throws {
    running = try RunningService()
    try running.put("a.brand.example", domain(app))
    try running.put("b.example", domain(other))
  }

  private func domain(_ app: String, path: String = "/a") -> JSON {
    ["entries": [["apps": [.string(app)], "routes": [["path": .string(path)]]]]]
  }

  private func state(_ name: String, _ app: String, path: String) -> JSON {
    var domain = domain(app, path: path).objectValue ?? [:]
    domain["domain"] = .string(name)
    return ["domains": [.object(domain)]]
  }

  private func limited(_ role: Role = .editor) throws -> Client {
    try running.client(role, domains: ["*.brand.example"])
  }

  @Test func aViewerComparesAndCannotApply() throws {
    let viewer = try running.client(.viewer)
    let json = state("new.example", app, path: "/new")
    let dry = try viewer.send("POST", "/v1/apply?dryRun=true", json: json)
    #expect(dry.status == 200, "\(dry.text)")
    #expect(try dry.json["domains"]?[0]?["action"] == "create")
    for query in ["", "?dryRun=false", "?dryRun=true&dryRun=false", "?prune=true"] {
      let refused = try viewer.send("POST", "/v1/apply\(query)", json: json)
      #expect(try refused.status == 403 && refused.code == "role-too-low", "\(query)")
    }
    #expect(try running.serve("new.example").status == 404)
  }

  @Test func aDryRunOfOtherEditsStillNeedsAnEditor() throws {
    let viewer = try running.client(.viewer)
    let path = "/v1/domains/b.example?dryRun=true"
    #expect(try viewer.send("PATCH", path, json: ["cacheSeconds": 1]).status == 403)
  }

  @Test func aLimitedTokenExportsItsDomainsAndTheirApps() throws {
    let state = try limited(.viewer).send("GET", "/v1/export").json
    #expect(state["domains"]?.arrayValue?.map { $0["domain"] } == ["a.brand.example"])
    #expect(state["apps"]?.arrayValue?.map { $0["app"] } == [.string(app)])
    let hashes = try limited(.viewer).send("GET", "/v1/export/hashes").json
    #expect(hashes["domains"]?.arrayValue?.map { $0["domain"] } == ["a.brand.example"])
  }

  @Test func aLimitedTokenAppliesWhatItExports() throws {
    let client = try limited()
    let exported = try client.send("GET", "/v1/export")
    let unchanged = try client.send("POST", "/v1/apply", body: exported.body)
    #expect(try unchanged.json["domains"]?[0]?["action"] == "unchanged", "\(unchanged.text)")
    let new = state("new.brand.example", "ABCDE12345.com.example.new", path: "/new")
    let created = try client.send("POST", "/v1/apply", json: new)
    #expect(created.status == 200, "\(created.text)")
    #expect(try running.serve("new.brand.example").status == 200)
  }

  @Test func whatALimitedTokenDoesNotCoverIsRefusedByName() throws {
    let client = try limited()
    let before = try running.admin.send("GET", "/v1/export").body
    let foreign = try client.send(
      "POST", "/v1/apply", json: state("b.example", app, path: "/taken"))
    #expect(try foreign.status == 403 && foreign.code == "token-limited")
    #expect(foreign.text.contains(#"\"b.example\""#))
    let renamed: JSON = ["apps": [["app": .string(other), "name": "Mine"]]]
    let app = try client.send("POST", "/v1/apply", json: renamed)
    #expect(try app.status == 403 && app.code == "token-limited" && app.text.contains(other))
    let alias: JSON = [
      "domains": [["domain": "a.brand.example", "aliases": ["www.other.example"]]]
    ]
    #expect(try client.send("POST", "/v1/apply", json: alias).code == "token-limited")
    #expect(try running.admin.send("GET", "/v1/export").body == before)
  }

  @Test func pruningWithALimitedTokenLeavesOtherDomainsAndApps() throws {
    let new = state("new.brand.example", app, path: "/new")
    let answer = try limited().send(
      "POST", "/v1/apply?prune=true&accept=opens-nothing", json: new)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try running.serve("a.brand.example").status == 404)
    #expect(try running.serve("b.example").status == 200)
    #expect(try running.admin.send("GET", "/v1/apps/\(other)").status == 200)
  }

  @Test func aFaultOfAStateNamesTheDomain() throws {
    let answer = try running.admin.send(
      "POST", "/v1/apply",
      json: [
        "apps": [["app": .string(app), "environment": "moon"]],
        "domains": [["domain": "b.example", "cacheSeconds": -1]],
      ])
    let errors = try answer.json["errors"]?.arrayValue ?? []
    #expect(errors.map { $0["app"] ?? $0["domain"] } == [.string(app), "b.example"])
    #expect(errors.map { $0["pointer"] } == ["/apps/0/environment", "/domains/0/cacheSeconds"])
  }

  @Test func twoDomainsThatClaimOneNameAreBothNamed() throws {
    let domain = { (name: JSON) -> JSON in ["domain": name, "aliases": ["www.shared.example"]] }
    let answer = try running.admin.send(
      "POST", "/v1/apply", json: ["domains": [domain("x.example"), domain("y.example")]])
    #expect(try answer.status == 409 && answer.code == "name-taken")
    let json = try answer.json
    #expect(json["domain"] == "x.example" && json["claimant"] == "y.example")
    #expect(json["name"] == "www.shared.example")
  }
}
