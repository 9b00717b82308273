import Association
import Store
import TestSupport
import Testing

/// Edits of more domains than are read, reviewed or written together.
@Suite struct ManyDomainsTests {
  private let running: RunningService
  private var admin: Client { running.admin }
  private static let count = 300

  private static func template(_ paths: [String]) -> JSON {
    [
      "parameters": [["name": "app", "type": "app"]],
      "entries": [
        ["apps": ["{app}"], "routes": .array(paths.map { ["path": .string($0)] })]
      ],
    ]
  }

  private static let paths = (1...40).map { "/a/path/of/many/\($0)/*" }

  private static func name(_ index: Int) -> String { "shop\(index).example" }

  private static func app(_ index: Int) -> String { "ABCDE12345.com.example.shop\(index)" }

  private static func domains(_ indices: some Sequence<Int>, _ more: JSON.Object = [:]) -> JSON {
    .array(
      indices.map { index in
        var domain: JSON.Object = [
          "domain": .string(name(index)), "template": "shops",
          "parameters": ["app": .string(app(index))],
        ]
        for member in more.members { domain[member.key] = member.value }
        return .object(domain)
      })
  }

  init() throws {
    running = try RunningService()
    let template = try admin.send("PUT", "/v1/templates/shops", json: Self.template(Self.paths))
    #expect(template.status == 201, "\(template.text)")
    try apply(Self.domains(0..<Self.count))
  }

  private func apply(_ domains: JSON) throws {
    let applied = try admin.send("POST", "/v1/apply", json: ["domains": domains])
    #expect(applied.status == 200, "\(applied.text)")
  }

  /// Whether each domain serves a file for its own app with these paths.
  private func expectPaths(_ paths: [String], _ comment: Comment) throws {
    let different = try (0..<Self.count).filter { index in
      let detail = try running.serve(Self.name(index)).json["applinks"]?["details"]?.arrayValue?
        .first
      return detail?["appIDs"] != [.string(Self.app(index))]
        || detail?["components"] != .array(paths.map { ["/": .string($0)] })
    }
    #expect(different.isEmpty, comment)
  }

  @Test func anEditOfATemplateAndItsUndoReachEachDomain() throws {
    // So that the undo goes back to different numbers.
    try apply(Self.domains(stride(from: 0, to: Self.count, by: 3), ["cacheSeconds": 60]))
    let paths = ["/first/*"] + Self.paths
    let edited = try admin.send(
      "PUT", "/v1/templates/shops", body: Self.template(paths).serialized(), "If-Match: *")
    #expect(edited.status == 200, "\(edited.text)")
    try expectPaths(paths, "after the edit")
    let change = try #require(try edited.json["change"]?.integerValue)
    let undone = try admin.send("POST", "/v1/changes/\(change)/revert", body: [])
    #expect(undone.status == 200, "\(undone.text)")
    try expectPaths(Self.paths, "after the undo")
    for index in 0..<6 {
      let domain = try admin.send("GET", "/v1/domains/\(Self.name(index))").json
      #expect(domain["cacheSeconds"] == (index % 3 == 0 ? 60 : nil), "\(index)")
      #expect(domain["revision"] == .integer(index % 3 == 0 ? 4 : 3), "\(index)")
    }
  }

  @Test func theFirstHundredFaultsOfAStateAreNamedInItsOrder() throws {
    let state: JSON = ["domains": Self.domains(0..<Self.count, ["cacheSeconds": -1])]
    let refused = try admin.send("POST", "/v1/apply", json: state)
    #expect(refused.status == 422, "\(refused.text)")
    let problem = try refused.json
    let named = problem["errors"]?.arrayValue?.map { $0["domain"] }
    #expect(named == (0..<100).map { .string(Self.name($0)) }, "\(refused.text)")
    #expect(problem["moreErrors"] == .integer(Self.count - 100))
  }

  @Test func domainsThatPublishTheSameFileAreToldApart() throws {
    // Two apps, so that neighbours publish different files, and every third domain stays as it is.
    let domains = { (path: String?) -> JSON in
      .array(
        (0..<60).map { index in
          let path = index % 3 == 0 ? "/old/*" : path
          let entry: JSON = [
            "apps": [.string(Self.app(index % 2))],
            "routes": path.map { [["path": .string($0)]] } ?? [],
          ]
          // Of eleven, one is not served, so its file changes no link.
          return [
            "domain": .string("same\(index).example"), "entries": [entry],
            "enabled": .bool(index % 11 != 1),
          ]
        })
    }
    try apply(domains("/old/*"))
    let plan = try admin.send(
      "POST", "/v1/apply?dryRun=true", json: ["domains": domains("/new/*")])
    let planned = try #require(try plan.json["domains"]?.arrayValue, "\(plan.text)")
    #expect(planned.count == 60)
    for (index, domain) in planned.enumerated() {
      let examples = (domain["diff"]?["changes"]?.arrayValue ?? []).compactMap { $0["example"] }
      #expect(examples.isEmpty == (index % 3 == 0 || index % 11 == 1), "\(index)")
      for example in examples {
        #expect(example["url"]?.stringValue?.hasPrefix("https://same\(index).example/") == true)
        #expect(example["app"] == .string(Self.app(index % 2)))
      }
    }
    let refused = try admin.send("POST", "/v1/apply", json: ["domains": domains(nil)])
    #expect(refused.status == 422, "\(refused.text)")
    for index in 0..<60 {
      let sentence =
        "After this change, no URL of same\(index).example opens any app; currently, they open \(Self.app(index % 2))."
      #expect(refused.text.contains(sentence) == (index % 3 != 0 && index % 11 != 1), "\(index)")
    }
  }

  @Test(TemporaryDatabase.isServer)
  func aLargeEditHasPostgreSQLCountTheRowsOfTablesThatGrew() throws {
    // Without that, it reads whole tables until it counts them by itself. -1 means that nobody has.
    let rows = try running.connect().first(
      "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE relname = 'route'"
    ) {
      $0.integer(0)
    }
    #expect(rows == Int64(Self.count * Self.paths.count))
  }
}
