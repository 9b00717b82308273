import Association
import HTTP
import Store
import TestSupport
import Testing

@testable import Service

/// A dry run gives the answer of the real call, and changes nothing.
@Suite struct DryRunTests {
  private let running: RunningService
  private let target = "/v1/domains/example.com"
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    for (method, path, body) in Self.stored {
      let response = try running.admin.send(method, path, body: Array(body.utf8))
      guard (200...204).contains(response.status) else { throw Unexpected(response: response) }
    }
  }

  private static let fingerprint =
    "76:92:C3:AD:35:40:BB:80:3C:02:0B:3A:EE:66:CD:88:87:12:32:34:EA:0C:6E:71:43:C0:AD:D7:3F:F4:31:ED"
  private static let otherFingerprint =
    "3F:C4:CC:FE:74:58:70:E2:C0:D9:9F:71:F3:0F:F0:65:6C:8D:ED:D4:1C:C1:D7:D3:D3:76:B0:DB:E6:85:E2:F3"
  private static let example = """
    {"aliases": ["www.example.com"], "entries": [
      {"apps": ["ABCDE12345.com.example.app"], "androidApps": ["com.example.shop"],
        "routes": [{"path": "/a"}, {"path": "/b"}]}
    ]}
    """

  private typealias Edit = (method: String, path: String, body: String)

  private static let stored: [Edit] = [
    ("PUT", "/v1/apps/ABCDE12345.unused", "{}"),
    (
      "PUT", "/v1/android-apps/com.example.shop",
      #"{"fingerprints": [{"sha256": "\#(fingerprint)", "label": "play-signing"}]}"#
    ),
    ("PUT", "/v1/domains/example.com", example),
    ("POST", "/v1/domains/example.com/entries/1/routes", #"{"path": "/gone"}"#),
    ("DELETE", "/v1/domains/example.com/entries/1/routes/3", ""),
    (
      "PUT", "/v1/domains/other.example",
      #"{"aliases": ["alias.example"], "entries": [{"apps": ["ABCDE12345.other"], "routes": [{"path": "/*"}]}]}"#
    ),
    ("PUT", "/v1/domains/gone.example", #"{"webcredentials": ["ABCDE12345.com.example.app"]}"#),
    ("DELETE", "/v1/domains/gone.example", ""),
    ("PUT", "/v1/webhooks/hook", #"{"url": "https://127.0.0.1:1/"}"#),
    ("PUT", "/v1/users/known", #"{"role": "viewer"}"#),
    ("POST", "/v1/drafts", #"{"domains": [{"domain": "draft.example"}]}"#),
  ]

  private static let accepted: [Edit] = [
    ("POST", "/v1/changes/3/revert", ""),
    (
      "POST", "/v1/apps/ABCDE12345.com.example.app/accompany",
      #"{"app": "FGHIJ67890.com.example.app"}"#
    ),
    ("DELETE", "/v1/apps/ABCDE12345.com.example.app?everywhere=true&accept=opens-nothing", ""),
    ("DELETE", "/v1/android-apps/com.example.shop?everywhere=true&accept=opens-nothing", ""),
    ("POST", "/v1/changes/4/revert?accept=opens-nothing", ""),
    ("POST", "/v1/changes/6/revert", ""),
    ("PUT", "/v1/domains/example.com?accept=opens-nothing", #"{"aliases": ["new.example.com"]}"#),
    ("PUT", "/v1/domains/new.example", "{}"),
    ("PATCH", "/v1/domains/example.com?accept=opens-nothing", #"{"enabled": false}"#),
    ("PATCH", "/v1/domains/example.com", "{}"),
    (
      "PUT", "/v1/domains/example.com/file?accept=opens-nothing",
      #"{"webcredentials": {"apps": ["ABCDE12345.x"]}}"#
    ),
    (
      "POST", "/v1/domains/example.com/entries",
      #"{"apps": ["ABCDE12345.new"], "routes": [{"path": "/x"}, {"path": "/y"}]}"#
    ),
    (
      "PUT", "/v1/domains/example.com/entries/1?accept=opens-nothing",
      #"{"apps": ["ABCDE12345.new"]}"#
    ),
    ("DELETE", "/v1/domains/example.com/entries/1?accept=opens-nothing", ""),
    ("POST", "/v1/domains/example.com/entries/1/routes", #"{"path": "/c"}"#),
    ("PUT", "/v1/domains/example.com/entries/1/routes", #"{"routes": [2, 1]}"#),
    ("PATCH", "/v1/domains/example.com/entries/1/routes/1", #"{"path": "/c"}"#),
    ("DELETE", "/v1/domains/example.com/entries/1/routes/1", ""),
    (
      "PUT", "/v1/domains/example.com/expectations",
      #"{"expectations": [{"url": "https://example.com/a", "app": "ABCDE12345.com.example.app", "resolution": "match"}]}"#
    ),
    (
      "POST", "/v1/domains/other.example/suppressions",
      #"{"code": "www-sibling-missing", "document": "apple-app-site-association", "pointer": "", "reason": "r", "owner": "o", "until": "2036-01-31T00:00:00Z"}"#
    ),
    ("POST", "/v1/domains/example.com/revisions/1/restore", ""),
    ("POST", "/v1/domains/gone.example/restore", ""),
    ("POST", "/v1/apps/ABCDE12345.com.example.app/rename", #"{"to": "ABCDE12345.renamed"}"#),
    ("PUT", "/v1/apps/ABCDE12345.new", #"{"name": "New"}"#),
    ("PUT", "/v1/apps/ABCDE12345.other", #"{"environment": "staging"}"#),
    ("DELETE", "/v1/apps/ABCDE12345.unused", ""),
    ("POST", "/v1/android-apps/com.example.shop/rename", #"{"to": "com.example.renamed"}"#),
    (
      "PUT", "/v1/android-apps/com.example.new",
      #"{"fingerprints": [{"sha256": "\#(fingerprint)", "label": "play-signing"}]}"#
    ),
    (
      "PUT", "/v1/android-apps/com.example.shop",
      #"{"fingerprints": [{"sha256": "\#(otherFingerprint)", "label": "play-signing"}]}"#
    ),
    ("POST", "/v1/apply", #"{"apps": [], "domains": [{"domain": "applied.example"}]}"#),
    (
      "POST", "/v1/apply?prune=true&overwrite=true&accept=opens-nothing",
      #"{"apps": [{"app": "ABCDE12345.listed"}], "domains": [{"domain": "alias.example"}, {"domain": "example.com", "aliases": []}, {"domain": "taker.example", "aliases": ["www.example.com"]}]}"#
    ),
    (
      "POST", "/v1/apply?overwrite=true",
      #"{"androidApps": [{"package": "com.example.shop", "fingerprints": [{"sha256": "\#(otherFingerprint)", "label": "play-signing"}]}], "domains": [{"domain": "gone.example"}]}"#
    ),
    ("DELETE", "/v1/domains/example.com?accept=opens-nothing", ""),
    (
      "PUT", "/v1/domains/gone.example", #"{"entries": [{"apps": ["ABCDE12345.a"], "routes": []}]}"#
    ),
    ("PUT", "/v1/webhooks/new", #"{"url": "https://127.0.0.1:1/new"}"#),
    ("PUT", "/v1/webhooks/hook", #"{"url": "https://127.0.0.1:1/", "format": "slack"}"#),
    ("POST", "/v1/webhooks/hook/test", ""),
    ("DELETE", "/v1/webhooks/hook", ""),
    ("POST", "/v1/tokens", #"{"name": "new", "role": "viewer"}"#),
    ("DELETE", "/v1/tokens/test", ""),
    ("PUT", "/v1/users/anna", #"{"role": "editor", "domains": ["*.brand.example"]}"#),
    ("PUT", "/v1/users/known", #"{"role": "editor"}"#),
    ("DELETE", "/v1/users/known", ""),
    (
      "POST", "/v1/drafts?reason=r", #"{"domains": [{"domain": "example.com", "cacheSeconds": 5}]}"#
    ),
    ("POST", "/v1/drafts/1/comments", #"{"text": "t"}"#), ("DELETE", "/v1/drafts/1", ""),
    ("PUT", "/v1/protected-labels/production", ""),
  ]

  /// Edits that only the rows of others refuse.
  private static let refused: [Edit] = [
    ("PATCH", "/v1/domains/example.com", #"{"aliases": ["www.example.com", "alias.example"]}"#),
    ("PUT", "/v1/domains/www.example.com", "{}"),
    (
      "POST", "/v1/apply",
      #"{"domains": [{"domain": "a.example", "aliases": ["new.example"]}, {"domain": "b.example", "aliases": ["new.example"]}]}"#
    ),
    ("POST", "/v1/apply", #"{"domains": [{"domain": "a.example", "aliases": ["alias.example"]}]}"#),
    ("POST", "/v1/apply", #"{"domains": [{"domain": "www.example.com"}]}"#),
    ("POST", "/v1/apps/ABCDE12345.com.example.app/rename", #"{"to": "ABCDE12345.other"}"#),
    ("POST", "/v1/apps/ABCDE12345.nobody/rename", #"{"to": "ABCDE12345.new"}"#),
    ("DELETE", "/v1/apps/ABCDE12345.other", ""),
    ("DELETE", "/v1/android-apps/com.example.shop", ""),
    ("DELETE", "/v1/android-apps/com.example.nobody", ""),
    ("POST", "/v1/tokens", #"{"name": "test", "role": "viewer"}"#),
    ("POST", "/v1/tokens", #"{"name": "known", "role": "viewer"}"#),
    ("DELETE", "/v1/tokens/nobody", ""),
    ("PUT", "/v1/users/test", #"{"role": "viewer"}"#),
    ("DELETE", "/v1/users/nobody", ""),
    ("DELETE", "/v1/webhooks/nothing", ""),
    ("POST", "/v1/webhooks/nothing/test", ""),
    ("DELETE", "/v1/domains/example.com/suppressions/7", ""),
  ]

  /// Everything that an edit could change.
  private func state() throws -> JSON {
    .array(
      try [
        "/v1/export", "/v1/audit", "/v1/tokens", "/v1/users", "/v1/drafts", "/v1/domains",
        "\(target)/revisions",
        target,
      ].map { try admin.send("GET", $0).json })
  }

  private func send(_ edit: Edit, isDryRun: Bool = false) throws -> RawResponse {
    let path = edit.path + (isDryRun ? (edit.path.contains("?") ? "&" : "?") + "dryRun=true" : "")
    let isReplacement = edit.method == "PUT" && edit.path.hasPrefix("\(target)?")
    let client = Client(
      port: admin.port, lines: admin.lines + (isReplacement ? ["If-Match: *"] : []))
    return try client.send(
      edit.method, path, body: edit.body.isEmpty ? nil : Array(edit.body.utf8))
  }

  @Test(arguments: accepted) func aDryRunAnswersLikeTheRealCallAndChangesNothing(
    method: String, path: String, body: String
  ) throws {
    let before = try state()
    let served = try running.serve("example.com").body
    let dry = try send((method, path, body), isDryRun: true)
    #expect((200...204).contains(dry.status), "\(dry.text)")
    #expect(try state() == before)
    #expect(try running.serve("example.com").body == served)
    let real = try send((method, path, body))
    #expect(real.status == dry.status)
    #expect(real["ETag"] == dry["ETag"])
    if dry.status != 204 {
      #expect(try comparable(dry.json) == comparable(real.json), "\(dry.text)\n\(real.text)")
    }
  }

  @Test(arguments: refused) func aDryRunIsRefusedLikeTheRealCall(
    method: String, path: String, body: String
  ) throws {
    let dry = try send((method, path, body), isDryRun: true)
    let real = try send((method, path, body))
    #expect((404...422).contains(real.status), "\(real.text)")
    #expect(dry.status == real.status)
    #expect(try comparable(dry.json) == comparable(real.json))
  }

  @Test func noDryRunWaitsForSomebodyWhoWrites() throws {
    running.store.setLockTimeout(milliseconds: 20)
    let writer = try running.connect()
    try writer.transaction(.write) { connection in
      if connection.dialect == .postgreSQL {
        // All that writers would wait for: each table, and the turn to write a change.
        let tables = try connection.all(
          "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        ) { "\"\($0.text(0))\"" }
        try connection.execute("LOCK TABLE \(tables.joined(separator: ", ")) IN EXCLUSIVE MODE")
        try connection.run("SELECT pg_advisory_xact_lock(1633776482)")
      }
      for edit in Self.accepted {
        let dry = try send(edit, isDryRun: true)
        #expect((200...204).contains(dry.status), "\(edit.method) \(edit.path): \(dry.text)")
      }
      #expect(try send(("PUT", "/v1/domains/late.example", "{}")).status == 503)
    }
  }

  /// An answer without what only a dry run has, and what it cannot know: a secret, and when the real call comes.
  private func comparable(_ json: JSON) -> JSON {
    switch json {
    case .object(var object):
      let keys = [
        "dryRun", "account", "contents", "token", "secret", "message", "at", "nextAt",
        "createdAt", "updatedAt", "publishedAt", "requestId", "change",
      ]
      for key in keys where key != "message" || object["event"] != nil { object[key] = nil }
      var result = JSON.Object()
      for member in object.members { result[member.key] = comparable(member.value) }
      return .object(result)
    case .array(let elements): return .array(elements.map(comparable))
    default: return json
    }
  }

  @Test func aDryRunThatWouldBeRefusedIsRefused() throws {
    let response = try admin.send(
      "POST", "\(target)/entries/1/routes?dryRun=true", json: ["path": "/$(nowhere)"])
    #expect(response.status == 422)
    #expect(try response.code == "undefined-variable")
    #expect(try admin.send("PUT", "\(target)?dryRun=maybe", json: [:]).status == 400)
  }

  @Test func aDryRunHasTheDocumentsAndWhatTakesTheBytesOfApplesFile() throws {
    let other = "FGHIJ67890.com.example.other"
    let body: JSON = ["apps": [.string(other)], "routes": [["path": "/a/long/path/for/one/app"]]]
    let dry = try admin.send("POST", "\(target)/entries?dryRun=true", json: body).json
    let account = dry["account"]
    #expect(account?["bytes"] == dry["bytes"] && account?["limit"] == 131_072)
    let apps = account?["apps"]?.arrayValue ?? []
    #expect(apps.map { $0["app"] } == [.string(other), "ABCDE12345.com.example.app"])
    #expect(apps.allSatisfy { $0["bytes"]?.integerValue ?? 0 > 20 })
    #expect(account?["routes"]?[0]?["pointer"] == "/applinks/details/1/components/0")
    let contents = try #require(dry["contents"]?["apple-app-site-association"])
    let tried = try admin.send(
      "POST", "/v1/match",
      json: ["document": contents, "urls": ["https://example.com/a/long/path/for/one/app"]]
    ).json["results"]?.arrayValue
    #expect(tried?.first { $0["app"] == .string(other) }?["resolution"] == "match")
    let published = try admin.send("POST", "\(target)/entries", json: body).json
    #expect(published["account"] == nil && published["contents"] == nil)
    let android = try admin.send(
      "PUT", "/v1/domains/android.example?dryRun=true&accept=opens-nothing",
      json: ["webauthnOrigins": ["https://example.co.uk"]])
    #expect(try android.json["dryRun"] == true && android.json["account"] == nil, "\(android.text)")
  }

  @Test func anEditReportsItsChangesByMeaning() throws {
    let response = try admin.send(
      "PATCH", "\(target)/entries/1/routes/1?dryRun=true", json: ["path": "/z"])
    let change = try response.json["diff"]?["changes"]?[0]
    #expect(change?["kind"] == "changed")
    #expect(change?["what"] == "route")
    #expect(change?["example"]?["url"] != nil)
  }
}
