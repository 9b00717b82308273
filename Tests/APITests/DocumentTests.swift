import Association
import HTTP
import Store
import Service
import TestSupport
import Testing

/// A domain publishes documents of several kinds.
@Suite struct DocumentTests {
  let running: RunningService
  var admin: Client { running.admin }
  private let fingerprint =
    "7E:5B:10:C4:93:D8:2F:A6:41:0C:EE:57:B2:19:8D:64:F3:0A:76:C9:35:DE:48:91:AB:22:6F:80:1D:E7:54:BC"
  private let domain = "/v1/domains/example.com"

  init() throws {
    running = try RunningService()
    let android: JSON = [
      "fingerprints": [["sha256": .string(fingerprint), "label": "play-signing"]]
    ]
    #expect(try admin.send("PUT", "/v1/android-apps/com.example.shop", json: android).status == 201)
  }

  private let statements: JSON = [
    ["include": "https://example.org/more.json"],
    [
      "relation": ["delegate_permission/common.handle_all_urls", "delegate_permission/x.y"],
      "target": [
        "namespace": "android_app", "package_name": "com.other.app",
        "sha256_cert_fingerprints": [
          "8E:5B:10:C4:93:D8:2F:A6:41:0C:EE:57:B2:19:8D:64:F3:0A:76:C9:35:DE:48:91:AB:22:6F:80:1D:E7:54:BC"
        ],
      ],
      "relation_extensions": [
        "delegate_permission/common.handle_all_urls": [
          "dynamic_app_link_components": [["/": "/a*"]]
        ]
      ],
    ],
    [
      "relation": ["delegate_permission/common.get_login_creds"],
      "target": ["namespace": "web", "site": "https://example.org"],
    ],
  ]

  private func routes(_ path: String = "/buy/*") -> JSON {
    [
      "entries": [
        [
          "apps": [.string(app)], "androidApps": ["com.example.shop"],
          "routes": [["path": .string(path)]],
        ],
        ["androidApps": ["com.example.shop"], "routes": [["path": "/only-android"]]],
      ]
    ]
  }

  private func get(_ file: String) throws -> RawResponse { try running.serve("example.com", file) }

  private func put(_ kind: String, _ file: JSON) throws -> RawResponse {
    try admin.send("PUT", "\(domain)/documents/\(kind)", body: Array(file.text.utf8))
  }

  @Test func everyDocumentIsServedWithItsOwnTagAndByTheAPIByteForByte() throws {
    var json = routes().objectValue ?? [:]
    json["webauthnOrigins"] = ["https://example.co.uk"]
    try running.put("example.com", .object(json))
    let listed = try admin.send("GET", "\(domain)/documents").json["documents"]?.arrayValue ?? []
    #expect(
      listed.map { $0["kind"] } == [
        "apple-app-site-association", "assetlinks.json", "webauthn",
      ])
    for document in listed {
      let kind = document["kind"]?.stringValue ?? ""
      let served = try get(kind)
      #expect(served.status == 200 && served["Content-Type"] == "application/json")
      #expect(document["bytes"] == .integer(served.body.count))
      #expect(served["ETag"] == "\"\(document["sha256"]?.stringValue ?? "")\"")
      for path in ["\(domain)/documents/\(kind)", "\(domain)/revisions/1/documents/\(kind)"] {
        #expect(try admin.send("GET", path).body == served.body)
      }
      let connection = try RawConnection(port: running.service.publicAddress.port)
      let again = try connection.exchange(
        "GET /.well-known/\(kind) HTTP/1.1\r\nHost: example.com\r\n"
          + "If-None-Match: \(served["ETag"] ?? "")\r\n\r\n")
      #expect(again.status == 304)
    }
    #expect(try get("webauthn").json == ["origins": ["https://example.co.uk"]])
    let filtered = try admin.send("GET", "/v1/domains?kind=webauthn").json
    #expect(filtered["total"] == 1)
  }

  @Test func aKindThatTheDomainDoesNotHaveIsNotFound() throws {
    try running.put("example.com", ["appclips": [.string(app)]])
    let response = try get("assetlinks.json")
    #expect(response.status == 404)
    #expect(try response.json["code"] == "no-document")
    let read = try admin.send("GET", "\(domain)/documents/assetlinks.json")
    #expect(read.status == 404)
    #expect(try read.code == "document-not-found")
    #expect(try admin.send("GET", "\(domain)/documents/x").code == "document-not-found")
    #expect(try admin.send("GET", "/v1/domains?kind=webauthn").json["total"] == 0)
  }

  @Test func anAdoptedFileForAndroidIsServedJSONEqualAndTheOtherDocumentsStay() throws {
    try running.put("example.com", ["webcredentials": [.string(app)]])
    let apple = try get("apple-app-site-association").body
    let adopted = try put("assetlinks.json", statements)
    #expect(adopted.status == 200, "\(adopted.text)")
    #expect(try get("assetlinks.json").json == statements)
    #expect(try get("apple-app-site-association").body == apple)
    #expect(try adopted.json["domain"]?["assetlinksExtra"] == statements)
    #expect(try put("assetlinks.json", statements).json["changed"] == false)
  }

  @Test func aDomainWithOnlyAndroidsFileHasNoFileForApple() throws {
    #expect(try put("assetlinks.json", statements).status == 201)
    #expect(try get("assetlinks.json").status == 200)
    #expect(try get("apple-app-site-association").status == 404)
    #expect(try admin.send("GET", "\(domain)/file").code == "document-not-found")
  }

  @Test func anAdoptedFileThatSaysWhatStoredAppsSayBecomesTheseApps() throws {
    let file: JSON = [AssociationFile.statement("com.example.shop", [fingerprint])]
    let adopted = try put("assetlinks.json", file)
    #expect(try adopted.json["domain"]?["entries"]?[0]?["androidApps"] == ["com.example.shop"])
    #expect(try adopted.json["domain"]?["dynamicAppLinks"] == false)
    #expect(try get("assetlinks.json").json == file)
  }

  @Test func anAdoptedFileForAppleKeepsTheAndroidAppsOfItsEntries() throws {
    try running.put("example.com", routes())
    let before = try get("assetlinks.json").body
    let file = try get("apple-app-site-association").body
    #expect(
      try admin.send("PUT", "\(domain)/file", body: file).json["changed"] == false)
    let edited = String(decoding: file, as: UTF8.self).replacing("/buy/*", with: "/sell/*")
    let answer = try admin.send("PUT", "\(domain)/file", body: Array(edited.utf8))
    #expect(answer.status == 200, "\(answer.text)")
    let after = try get("assetlinks.json")
    #expect(after.text.contains("/sell/") && after.text.contains("/only-android"))
    #expect(after.body != before)
  }

  @Test func originsThatAreTooLargeAreRefusedWithTheLimitOfTheirFile() throws {
    let name = Array(repeating: String(repeating: "a", count: 60), count: 3).joined(separator: ".")
    let origins = (0..<1400).map { "https://\(name).x\($0).example.com" }
    let refused = try put("webauthn", ["origins": .strings(origins)])
    #expect(try refused.status == 413 && refused.code == "too-large", "\(refused.text.prefix(300))")
    #expect(try refused.json["account"]?["limit"] == 262_144)
  }

  @Test func anEmptyListIsRefusedAndADocumentIsRemoved() throws {
    let refused = try put("assetlinks.json", [])
    #expect(try refused.status == 422 && refused.code == "wrong-type", "\(refused.text)")
    #expect(try admin.send("GET", domain).status == 404)
    try running.put("example.com", ["webcredentials": [.string(app)]])
    let apple = try get("apple-app-site-association").body
    #expect(try put("assetlinks.json", statements).status == 200)
    #expect(try put("assetlinks.json", []).status == 422)
    #expect(try get("assetlinks.json").json == statements)
    let plan = try admin.send("DELETE", "\(domain)/documents/assetlinks.json?dryRun=true")
    #expect(plan.status == 422, "opens-nothing is not accepted: \(plan.text)")
    let only = try admin.send("PATCH", domain, json: ["webcredentials": .null])
    #expect(only.status == 200)
    let last = try admin.send("DELETE", "\(domain)/documents/assetlinks.json")
    let error = try last.json["findings"]?.arrayValue?.first { $0["code"] == "opens-nothing" }
    #expect(error?["document"] == "assetlinks.json", "\(last.text)")
    try #require(
      try admin.send("PATCH", domain, json: ["webcredentials": [.string(app)]]).status == 200)
    let removed = try admin.send(
      "DELETE", "\(domain)/documents/assetlinks.json?accept=opens-nothing")
    #expect(removed.status == 200, "\(removed.text)")
    #expect(try removed.json["domain"]?["assetlinksExtra"] == nil)
    #expect(try get("assetlinks.json").status == 404)
    #expect(try get("apple-app-site-association").body == apple)
    let again = try admin.send("DELETE", "\(domain)/documents/assetlinks.json")
    #expect(try again.status == 404 && again.code == "document-not-found", "\(again.text)")
    let webAuthn = try admin.send("DELETE", "\(domain)/documents/webauthn?dryRun=true")
    #expect(try webAuthn.status == 404 && webAuthn.code == "document-not-found")
    // It is served without apps if there is no other document.
    for _ in 1...2 {
      let empty = try admin.send(
        "DELETE", "\(domain)/documents/apple-app-site-association?accept=opens-nothing")
      #expect(empty.status == 200, "\(empty.text)")
    }
    #expect(try admin.send("DELETE", "\(domain)/documents/x").code == "document-not-found")
  }

  /// The notes of an answer about removed rows.
  private func removedRows(_ answer: RawResponse) throws -> [String] {
    #expect(answer.status == 200, "\(answer.text)")
    return try (answer.json["findings"]?.arrayValue ?? [])
      .filter { $0["code"] == "android-rows-removed" }.compactMap { $0["message"]?.stringValue }
  }

  @Test func rowsOfAndroidAppsThatAnAdoptedFileRemovesAreNamed() throws {
    try running.put("example.com", routes())
    let file = try #require(try get("assetlinks.json").json.arrayValue)
    #expect(try removedRows(put("assetlinks.json", .array(file))) == [])
    let behind = try put("assetlinks.json", .array(file + [["include": "https://a.example/"]]))
    #expect(try removedRows(behind) == [])
    let before = try put("assetlinks.json", .array([["include": "https://a.example/"]] + file))
    #expect(
      try removedRows(before) == [
        "The file does not say what these rows render, so they are removed: com.example.shop in entry 1; "
          + "entry 2 with 1 route (com.example.shop)."
      ])
  }

  @Test func anEntryThatAnAdoptedFileForAppleReplacesIsNamedWithItsAndroidApps() throws {
    try running.put("example.com", routes())
    let file = String(decoding: try get("apple-app-site-association").body, as: UTF8.self)
    let edited = file.replacing("/buy/*", with: "/sell/*")
      .replacing(app, with: "ABCDE12345.com.example.new")
    let answer = try admin.send(
      "PUT", "\(domain)/file?accept=opens-nothing", body: Array(edited.utf8))
    #expect(
      try removedRows(answer) == [
        "The file does not say what these rows render, so they are removed: entry 1 with 1 route "
          + "(com.example.shop)."
      ])
  }

  @Test func aFileForAndroidThatIsTooLargeIsRefusedWithWhatUsesItsBytes() throws {
    let prints = (0..<5500).map { index in
      let bytes = [String(16 + index % 200, radix: 16), String(16 + index / 200, radix: 16)]
      return (bytes.map { $0.uppercased() } + [String(fingerprint.dropFirst(6))])
        .joined(separator: ":")
    }
    let file = ["com.other.one", "com.other.two"].map { AssociationFile.statement($0, prints) }
    let refused = try put("assetlinks.json", .array(file))
    #expect(refused.status == 413)
    let account = try refused.json["account"]
    #expect(account?["bytes"]?.integerValue ?? 0 > 1_048_576, "\(refused.text.prefix(300))")
    let apps = account?["apps"]?.arrayValue?.compactMap { $0["app"]?.stringValue } ?? []
    #expect(apps.sorted() == ["com.other.one", "com.other.two"])
    #expect(try get("assetlinks.json").status == 404)
  }

  @Test func aRestoredRevisionBringsBackWhichEntriesNameAndroidApps() throws {
    let first = try running.put("example.com", routes())
    let before = try (get("assetlinks.json").body, get("apple-app-site-association").body)
    let bare = try admin.send(
      "PUT", "\(domain)?accept=opens-nothing", json: ["appclips": [.string(app)]], "If-Match: *")
    #expect(bare.status == 200, "\(bare.text)")
    #expect(try get("assetlinks.json").status == 404)
    #expect(try put("assetlinks.json", statements).status == 200)
    let restored = try admin.send(
      "POST", "\(domain)/revisions/1/restore?accept=opens-nothing")
    #expect(restored.status == 200, "\(restored.text)")
    #expect(try get("assetlinks.json").body == before.0)
    #expect(try get("apple-app-site-association").body == before.1)
    let packages = { (domain: JSON?) in
      domain?["entries"]?.arrayValue?.map { $0["androidApps"] }
    }
    #expect(try packages(restored.json["domain"]) == packages(first))
  }

  @Test func aRestoredRevisionWithoutAndroidAppsHasNoTraceOfThem() throws {
    try running.put(
      "example.com", ["entries": [["apps": [.string(app)], "routes": [["path": "/a"]]]]])
    let before = try get("apple-app-site-association").body
    let android = try admin.send(
      "PATCH", "\(domain)?accept=opens-nothing", json: .object(routes().objectValue ?? [:]))
    #expect(android.status == 200, "\(android.text)")
    #expect(try get("assetlinks.json").status == 200)
    let restored = try admin.send("POST", "\(domain)/revisions/1/restore?accept=opens-nothing")
    #expect(restored.status == 200, "\(restored.text)")
    #expect(try get("apple-app-site-association").body == before)
    #expect(try get("assetlinks.json").status == 404)
    #expect(try restored.json["domain"]?["entries"]?.arrayValue?.count == 1)
  }

  @Test func aChangeThatBreaksAnExpectationOfAnAndroidAppIsRefused() throws {
    try running.put("example.com", routes())
    let expectation: JSON = [
      "url": "https://example.com/buy/1", "platform": "android", "app": "com.example.shop",
      "resolution": "match",
    ]
    let set = try admin.send(
      "PUT", "\(domain)/expectations", json: ["expectations": [expectation]])
    #expect(set.status == 200, "\(set.text)")
    #expect(
      try admin.send("GET", "\(domain)/expectations").json["expectations"]?[0] == expectation)
    let refused = try admin.send(
      "PATCH", domain, json: .object(routes("/sell/*").objectValue ?? [:]))
    #expect(try refused.code == "expectation-broken", "\(refused.text)")
    let results = try admin.send(
      "POST", "\(domain)/match", json: ["urls": ["https://example.com/buy/1"]]
    ).json["results"]?.arrayValue
    #expect(results?.map { $0["platform"] } == ["ios", "android"])
    #expect(results?.allSatisfy { $0["resolution"] == "match" } == true)
  }

  @Test func whatOnlyAndroidWouldOpenIsAFindingWithAnExample() throws {
    try running.put("example.com", routes("/*/c"))
    let found = try admin.send("GET", "/v1/findings?code=android-differs").json["items"]
    let finding = try #require(found?.arrayValue?.first)
    #expect(finding["document"] == "assetlinks.json")
    #expect(finding["message"]?.stringValue?.contains("https://example.com/") == true)
  }

  private func findings(_ code: String) throws -> [JSON] {
    try admin.send("GET", "/v1/findings?code=\(code)").json["items"]?.arrayValue ?? []
  }

  @Test func aRouteThatAndroidCannotHaveIsNotCalledAnExclusion() throws {
    let entry: JSON = [
      "androidApps": ["com.example.shop"], "routes": [["path": "/b%2Fc"]],
    ]
    try running.put("example.com", ["entries": [entry]])
    #expect(try findings("exclusions-only").isEmpty)
    let message = try findings("android-differs").first?["message"]?.stringValue ?? ""
    #expect(message.contains("https://example.com/b%2Fc"), "\(message)")
    let exclusion: JSON = [
      "androidApps": ["com.example.shop"], "routes": [["path": "/b", "exclude": true]],
    ]
    try running.put("example.com", ["entries": [exclusion]])
    #expect(try findings("exclusions-only").count == 1)
  }

  @Test func aDotInARouteHasANote() throws {
    try running.put("example.com", routes("/v1.0/*"))
    #expect(try findings("dot-beside-wildcard").count == 1)
  }

  @Test func tooManyRulesForAndroidAreRefusedWithTheLimit() throws {
    let values = JSON.strings((0..<900).map { "v\($0)" })
    let apps = (0..<12).map { "com.many.a\($0)" }
    for app in apps {
      let fingerprints: JSON = [["sha256": .string(fingerprint), "label": "play-signing"]]
      let answer = try admin.send(
        "PUT", "/v1/android-apps/\(app)", json: ["fingerprints": fingerprints])
      #expect(answer.status == 201, "\(answer.text)")
    }
    let answer = try admin.send(
      "PUT", "/v1/domains/many.example",
      json: [
        "entries": [["androidApps": .strings(apps), "routes": [["path": "/$(v)"]]]],
        "substitutionVariables": ["v": values],
      ])
    #expect(answer.status == 422, "\(answer.text)")
    let finding = try answer.json["findings"]?.arrayValue?.first { $0["code"] == "too-complex" }
    #expect(
      finding?["message"]?.stringValue?.contains("20000 dynamic rules") == true, "\(answer.text)")
  }

  /// Rendering can be slow, so it is for edits only.
  @Test func matchingReadsTheStoredDocuments() throws {
    try running.put("example.com", routes("/buy/*"))
    let connection = try running.connect()
    let stored = try connection.all("SELECT id, content FROM document") {
      ($0.integer(0), $0.text(1))
    }
    for (row, content) in stored {
      let changed = Array(content.replacing("/buy/*", with: "/new/*").utf8)
      try connection.run(
        "UPDATE document SET content = ? WHERE id = ?", [.blob(changed), .integer(row)])
    }
    let results = try admin.send(
      "POST", "\(domain)/match", json: ["urls": ["https://example.com/new/1"]]
    ).json["results"]?.arrayValue
    #expect(results?.map { $0["resolution"] } == ["match", "match"])
  }
}
