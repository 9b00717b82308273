import Association
import Store
import TestSupport
import Testing

/// Domains whose files use `paths` are edited without surprises, and can be written as `components`.
@Suite struct LegacyFormTests {
  private let running: RunningService
  private let target = "/v1/domains/example.com"
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    try adopt(["NOT /help/website/*", "/help/*"])
  }

  private func adopt(_ paths: [String], defaults: JSON? = nil) throws {
    var applinks: JSON.Object = [
      "apps": [], "details": [["appID": .string(app), "paths": .strings(paths)]],
    ]
    applinks["defaults"] = defaults
    let response = try admin.send(
      "PUT", "\(target)/file", json: ["applinks": .object(applinks)])
    #expect((200...201).contains(response.status), "\(response.text)")
  }

  private var details: JSON? {
    get throws { try running.served("example.com")["applinks"]?["details"]?[0] }
  }

  private func resolution(_ url: String) throws -> JSON? {
    try admin.send("POST", "\(target)/match", json: ["urls": [.string(url)]])
      .json["results"]?[0]?["resolution"]
  }

  @Test func aNewRouteOfALegacyEntryIsAnElementOfPaths() throws {
    let added = try admin.send(
      "POST", "\(target)/entries/1/routes", json: ["path": "/buy/*", "position": 0])
    #expect(added.status == 201, "\(added.text)")
    let excluded = try admin.send(
      "POST", "\(target)/entries/1/routes", json: ["path": "/old/*", "exclude": true])
    #expect(excluded.status == 201, "\(excluded.text)")
    #expect(
      try details?["paths"] == ["/buy/*", "NOT /help/website/*", "/help/*", "NOT /old/*"])
  }

  @Test(
    arguments: [
      (["path": "/a", "comment": "why"], #"which cannot hold "comment""#),
      (["path": "/a", "query": "x", "fragment": "y"], #"which cannot hold "query" or "fragment""#),
      (["exclude": true], #"where every route needs a "path""#),
      (["path": "NOT /a"], #"where a path that begins with "NOT " is an exclusion of the rest"#),
    ] as [(JSON, String)])
  func whatPathsCannotSayIsRefusedWithTheRequestThatConverts(
    route: JSON, reason: String
  ) throws {
    let before = try running.serve("example.com").body
    for (method, path, body) in [
      ("POST", "routes", route), ("PUT", "routes", ["routes": [1, route]]),
    ] as [(String, String, JSON)] {
      let response = try admin.send(method, "\(target)/entries/1/\(path)", json: body)
      let faults = try response.faults
      #expect(response.status == 422 && faults.count == 1)
      #expect(faults.first?.hasSuffix(": legacy-cannot-say") == true)
      #expect(
        try response.json["errors"]?[0]?["message"]
          == .string(
            "This entry is written as \"paths\", \(reason). POST /v1/domains/example.com/convert "
              + "writes it as \"components\", which can; with ?dryRun=true it only shows what would "
              + "change."))
    }
    #expect(try running.serve("example.com").body == before)
    #expect(try admin.send("POST", "\(target)/convert").status == 200)
    let added = try admin.send("POST", "\(target)/entries/1/routes", json: route)
    #expect(added.status == 201, "\(added.text)")
  }

  @Test func anEntryForAndroidAloneMaySayWhatPathsCannot() throws {
    let print =
      "7E:5B:10:C4:93:D8:2F:A6:41:0C:EE:57:B2:19:8D:64:F3:0A:76:C9:35:DE:48:91:AB:22:6F:80:1D:E7:54:BC"
    let put = try admin.send(
      "PUT", "/v1/android-apps/com.example.shop",
      json: ["fingerprints": [["sha256": .string(print), "label": "play-signing"]]])
    #expect(put.status == 201)
    let entry: JSON = [
      "androidApps": ["com.example.shop"], "routes": [["path": "/a", "query": ["b": "c"]]],
    ]
    let added = try admin.send("POST", "\(target)/entries", json: entry)
    #expect(added.status == 201, "\(added.text)")
    let domain = try admin.send("GET", target).json
    #expect(domain["format"] == "legacy" && domain["entries"]?[1]?["keys"] == nil)
    let route = try admin.send(
      "POST", "\(target)/entries/2/routes", json: ["path": "/d", "fragment": "e"])
    #expect(route.status == 201, "\(route.text)")
    let answer = try admin.send(
      "POST", "\(target)/match",
      json: ["urls": ["https://example.com/a?b=c"], "app": "com.example.shop"])
    #expect(try answer.json["results"]?[0]?["resolution"] == "match", "\(answer.text)")
    var both = entry.objectValue ?? [:]
    both["apps"] = [.string(app)]
    let shared = try admin.send("PUT", "\(target)/entries/2", json: .object(both))
    #expect(try shared.faults.allSatisfy { $0.hasSuffix(": legacy-cannot-say") }, "\(shared.text)")
    #expect(shared.status == 422)
  }

  @Test func aConversionShowsInADryRunThatNoURLChangesAndKeepsNumbers() throws {
    let before = try running.serve("example.com").body
    let path = "\(target)/convert"
    let tried = try admin.send("POST", "\(path)?dryRun=true", json: ["format": "modern"])
    #expect(tried.status == 200, "\(tried.text)")
    #expect(try tried.json["dryRun"] == true && tried.json["diff"]?["affectsLinks"] == false)
    #expect(try running.serve("example.com").body == before)

    let converted = try admin.send("POST", path)
    #expect(try converted.status == 200 && converted.json["remarks"] == [])
    let modern: JSON = [
      "appIDs": [.string(app)],
      "components": [["/": "/help/website/*", "exclude": true], ["/": "/help/*"]],
    ]
    #expect(try details == modern)
    #expect(try running.served("example.com")["applinks"]?["apps"] == nil)
    let domain = try converted.json["domain"]
    #expect(domain?["format"] == "modern" && domain?["entries"]?[0]?["id"] == 1)
    #expect(domain?["entries"]?[0]?["routes"]?[1] == ["id": 2, "path": "/help/*"])
    #expect(try resolution("https://example.com/help/website/x") == "blocked")
    #expect(try resolution("https://example.com/help/x") == "match")
    #expect(try admin.send("POST", path).json["changed"] == false)
  }

  @Test func aConversionThatChangesURLsSaysWhich() throws {
    try adopt(["/a/$(lang)/*"])
    let tried = try admin.send("POST", "\(target)/convert?dryRun=true")
    #expect(tried.status == 200, "\(tried.text)")
    #expect(try tried.json["diff"]?["affectsLinks"] == true, "\(tried.text)")
    #expect(try tried.json["remarks"]?[0]?["pointer"] == "/applinks/details/0/paths/0")
    let example = try tried.json["diff"]?["changes"]?.arrayValue?.compactMap { $0["example"] }.first
    #expect(example?["before"] != example?["after"])
  }

  @Test func onlyTheModernFormCanBeConvertedTo() throws {
    for (body, fault) in [
      (["format": "legacy"], "/format: unknown-value"),
      (["form": "modern"], "/form: unknown-member"),
      (["format": 5], "/format: wrong-type"),
    ] as [(JSON, String)] {
      #expect(try admin.send("POST", "\(target)/convert", json: body).faults == [fault])
    }
    #expect(try admin.send("POST", "/v1/domains/no.example/convert").code == "domain-not-found")
    let viewer = try running.client(.viewer).send("POST", "\(target)/convert")
    #expect(try viewer.code == "role-too-low")
  }
}
