import Association
import Publishing
import Store
import TestSupport
import Testing

/// An app that moves to another team has a second identifier for some time, so that links never stop opening it.
@Suite struct AccompanyTests {
  private let running: RunningService
  private var admin: Client { running.admin }
  private let path = "/v1/apps/\(app)"

  init() throws {
    running = try RunningService()
    try running.put(
      "a.example",
      [
        "entries": [
          ["apps": [.string(app), "ABCDE12345.other"], "routes": [["path": "/a/*"]]],
          ["apps": ["ABCDE12345.other"], "routes": [["path": "/b/*"]]],
        ],
        "webcredentials": [.string(app)],
        "expectations": [
          ["url": "https://a.example/a/1", "app": .string(app), "resolution": "match"],
          ["url": "https://a.example/c", "app": .string(app), "resolution": "no-match"],
        ],
      ])
    try running.put("b.example", ["appclips": [.string(app)]])
    try running.put(
      "c.example", ["entries": [["apps": ["ABCDE12345.other"], "routes": [["path": "/*"]]]]])
    let named = try admin.send("PUT", path, json: ["name": "Shop", "environment": "staging"])
    #expect(named.status == 200)
  }

  private func accompany(_ query: String = "") throws -> RawResponse {
    try admin.send("POST", "\(path)/accompany\(query)", json: ["app": .string(otherApp)])
  }

  private func get(_ domain: String) throws -> JSON {
    try admin.send("GET", "/v1/domains/\(domain)").json
  }

  private func resolution(_ url: String, _ app: String) throws -> JSON? {
    let question: JSON = ["urls": [.string(url)], "app": .string(app)]
    return try admin.send("POST", "/v1/match", json: question).json["results"]?[0]?["resolution"]
  }

  @Test func theSecondAppIsNamedWhereverTheFirstOneIs() throws {
    let before = try ["a.example", "b.example"].map { try running.served($0) }
    let dry = try accompany("?dryRun=true")
    #expect(dry.status == 200, "\(dry.text)")
    #expect(try ["a.example", "b.example"].map { try running.served($0) } == before)
    #expect(try admin.send("GET", "/v1/apps/\(otherApp)").status == 404)
    let answer = try accompany("?reason=transfer").json
    #expect(
      answer["domains"]?.arrayValue?.map { $0["domain"] } == ["a.example", "b.example"])
    let domain = try get("a.example")
    #expect(
      domain["entries"]?[0]?["apps"] == [.string(app), .string(otherApp), "ABCDE12345.other"])
    #expect(domain["entries"]?[1]?["apps"] == ["ABCDE12345.other"])
    #expect(domain["webcredentials"] == [.string(app), .string(otherApp)])
    #expect(try get("b.example")["appclips"] == [.string(app), .string(otherApp)])
    #expect(domain["expectations"]?.arrayValue?.count == 4)
    #expect(try resolution("https://a.example/a/1", otherApp) == "match")
    let second = try admin.send("GET", "/v1/apps/\(otherApp)").json
    #expect(second["name"] == "Shop" && second["environment"] == "staging")
    let again = try accompany().json
    #expect(again["domains"]?.arrayValue?.allSatisfy { $0["action"] == "unchanged" } == true)
    let change = try #require(answer["change"]?.integerValue)
    #expect(try admin.send("GET", "/v1/changes/\(change)").json["domainCount"] == 2)
    // Links would stop opening the second app.
    let path = "/v1/changes/\(change)/revert"
    #expect(try admin.send("POST", path).json["code"] == "opens-nothing")
    #expect(try admin.send("POST", "\(path)?accept=opens-nothing").status == 200)
    #expect(try ["a.example", "b.example"].map { try running.served($0) } == before)
  }

  @Test func theFirstAppEndsWithoutAGap() throws {
    #expect(try admin.send("DELETE", path).status == 409)
    // Nothing else opens the links of a.example that it opens, and its expectation would break.
    let early = try admin.send("DELETE", "\(path)?everywhere=true")
    #expect(early.status == 409, "\(early.text)")
    #expect(try accompany().status == 200)
    let served = try running.served("a.example")
    let dry = try admin.send("DELETE", "\(path)?everywhere=true&dryRun=true")
    #expect(dry.status == 200, "\(dry.text)")
    #expect(try running.served("a.example") == served)
    let ended = try admin.send("DELETE", "\(path)?everywhere=true")
    #expect(ended.status == 200, "\(ended.text)")
    #expect(try ended.json["apps"] == [["app": .string(app), "action": "delete"]])
    #expect(try admin.send("GET", path).status == 404)
    #expect(!(try running.serve("a.example").text.contains(app)))
    #expect(try resolution("https://a.example/a/1", otherApp) == "match")
    let expectations = try get("a.example")["expectations"]?.arrayValue
    #expect(expectations?.map { $0["app"] } == [.string(otherApp), .string(otherApp)])
    let change = try #require(try ended.json["change"]?.integerValue)
    let undone = try admin.send("POST", "/v1/changes/\(change)/revert")
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try running.served("a.example") == served)
    #expect(try admin.send("GET", path).json["name"] == "Shop")
  }

  @Test func withoutASecondAppEndingTheFirstNeedsAYes() throws {
    let patch = try admin.send("PATCH", "/v1/domains/a.example", json: ["expectations": []])
    #expect(patch.status == 200)
    try running.put(
      "d.example", ["entries": [["apps": [.string(app)], "routes": [["path": "/*"]]]]])
    let refused = try admin.send("DELETE", "\(path)?everywhere=true")
    #expect(try refused.json["code"] == "opens-nothing")
    let ended = try admin.send("DELETE", "\(path)?everywhere=true&accept=opens-nothing")
    #expect(ended.status == 200, "\(ended.text)")
    #expect(try get("d.example")["entries"] == [])
    #expect(try get("b.example")["appclips"] == [])
  }

  @Test func anExpectationIsKeptForOnePlatformWhateverTheOtherHas() throws {
    let certificate = (0..<32).map { "\($0 * 7 % 90 + 10)" }.joined(separator: ":")
    let android = try admin.send(
      "PUT", "/v1/android-apps/com.example.shop",
      json: ["fingerprints": [["sha256": .string(certificate), "label": "play-signing"]]])
    #expect(android.status == 201)
    let url: JSON = "https://p.example/a"
    let expectation = { (app: String) -> JSON in
      ["url": url, "app": .string(app), "resolution": "match"]
    }
    try running.put(
      "p.example",
      [
        "entries": [
          [
            "apps": [.string(otherApp)], "androidApps": ["com.example.shop"],
            "routes": [["path": "/*"]],
          ]
        ], "expectations": [expectation(otherApp), expectation("com.example.shop")],
      ])
    let refused = try admin.send(
      "DELETE", "/v1/apps/\(otherApp)?everywhere=true&accept=opens-nothing")
    #expect(try refused.code == "expectation-broken", "\(refused.text)")
  }

  /// Somebody may name the app only in a statement that is kept as it is.
  @Test func endingAnAppOfAKeptStatementNeedsAYes() throws {
    let certificate = JSON.string((0..<32).map { "\($0 * 7 % 90 + 10)" }.joined(separator: ":"))
    let android = try admin.send(
      "PUT", "/v1/android-apps/com.example.kept",
      json: ["fingerprints": [["sha256": certificate, "label": "play-signing"]]])
    #expect(android.status == 201)
    try running.put(
      "k.example",
      [
        "assetlinksExtra": [
          [
            "relation": ["delegate_permission/common.handle_all_urls"],
            "target": [
              "namespace": "android_app", "package_name": "com.example.kept",
              "sha256_cert_fingerprints": [certificate],
            ],
          ]
        ]
      ])
    let path = "/v1/android-apps/com.example.kept?everywhere=true"
    let refused = try admin.send("DELETE", path)
    #expect(try refused.code == "opens-nothing", "\(refused.text)")
    #expect(try running.serve("k.example", "assetlinks.json").status == 200)
    #expect(try admin.send("DELETE", path + "&accept=opens-nothing").status == 200)
  }

  @Test func aDraftOfEndingTheFirstAppAcceptsWhatTheRequestAccepts() throws {
    #expect(try accompany().status == 200)
    let asked = try admin.send("DELETE", "\(path)?everywhere=true&draft=true")
    #expect(asked.status == 202, "\(asked.text)")
  }

  @Test func anUndoneRenamingWhoseAnswerHasNoRoomIsNone() throws {
    let renamed = try admin.send("POST", "\(path)/rename", json: ["to": "ABCDE12345.com.new"])
    let change = try #require(try renamed.json["change"]?.integerValue, "\(renamed.text)")
    let served = try running.served("a.example")
    struct NoRoom: Error {}
    #expect(throws: NoRoom.self) {
      try Publisher(store: running.store).revert(
        Int64(change), by: WriteContext(author: "test"), report: { _, _, _ in throw NoRoom() })
    }
    #expect(try running.served("a.example") == served)
    #expect(try admin.send("GET", "/v1/apps/ABCDE12345.com.new").status == 200)
  }

  @Test func anAndroidAppIsAccompaniedByOneThatExists() throws {
    let fingerprint = { (first: Int) in
      (0..<32).map { String(first * 16 + $0 * 73 % 199, radix: 16).uppercased() }
        .map { "0\($0)".suffix(2) }.joined(separator: ":")
    }
    let put = { (package: String, first: Int) in
      try admin.send(
        "PUT", "/v1/android-apps/\(package)",
        json: [
          "fingerprints": [["sha256": .string(fingerprint(first)), "label": "play-signing"]]
        ])
    }
    #expect(try put("com.example.old", 1).status == 201)
    try running.put(
      "e.example",
      [
        "entries": [["androidApps": ["com.example.old"], "routes": [["path": "/*"]]]],
        "androidCredentials": ["com.example.old"],
      ])
    let accompany = {
      try admin.send(
        "POST", "/v1/android-apps/com.example.old/accompany", json: ["app": "com.example.new"])
    }
    #expect(try accompany().json["code"] == "unknown-android-app")
    #expect(try put("com.example.new", 2).status == 201)
    #expect(try accompany().status == 200)
    let domain = try get("e.example")
    #expect(domain["entries"]?[0]?["androidApps"] == ["com.example.old", "com.example.new"])
    #expect(domain["androidCredentials"] == ["com.example.old", "com.example.new"])
    let ended = try admin.send("DELETE", "/v1/android-apps/com.example.old?everywhere=true")
    #expect(ended.status == 200, "\(ended.text)")
    let file = try running.serve("e.example", "assetlinks.json").text
    #expect(file.contains("com.example.new") && !file.contains("com.example.old"))
    let change = try #require(try ended.json["change"]?.integerValue)
    #expect(try admin.send("POST", "/v1/changes/\(change)/revert").status == 200)
    #expect(try running.serve("e.example", "assetlinks.json").text.contains("com.example.old"))
  }

  @Test func badRequestsAreRefused() throws {
    for body: JSON in [
      ["app": .string(app)], ["app": "x"], [:], ["app": .string(otherApp), "x": 1],
    ] {
      #expect(try admin.send("POST", "\(path)/accompany", json: body).status == 422)
    }
    let missing = try admin.send(
      "POST", "/v1/apps/ABCDE12345.none/accompany", json: ["app": .string(otherApp)])
    #expect(try missing.json["code"] == "app-not-found")
    #expect(try admin.send("DELETE", "/v1/apps/ABCDE12345.none?everywhere=true").status == 404)
    let limited = try running.client(.editor, domains: ["a.example"])
    #expect(
      try limited.send("POST", "\(path)/accompany", json: ["app": .string(otherApp)]).status == 403)
  }
}
