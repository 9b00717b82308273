import Association
import HTTP
import JSONValue
import TestSupport
import Testing

@testable import API

/// A dry run gives the answer of the real call, and changes nothing.
@Suite struct DryRunTests {
  private let running: RunningService
  private let target = "/v1/domains/example.com"
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    try running.put(
      "example.com",
      [
        "entries": [
          ["apps": ["ABCDE12345.com.example.app"], "routes": [["path": "/a"], ["path": "/b"]]]
        ]
      ])
  }

  /// Everything that an edit could change.
  private func state() throws -> JSON {
    .array(
      try [
        "/v1/export", "/v1/audit", "/v1/tokens", "/v1/users", "/v1/domains", "\(target)/revisions",
        target,
      ].map { try admin.send("GET", $0).json })
  }

  @Test(arguments: [
    ("PUT", "/v1/domains/example.com?accept=opens-nothing", #"{"aliases": ["www.example.com"]}"#),
    ("PUT", "/v1/domains/new.example", "{}"),
    ("PATCH", "/v1/domains/example.com?accept=opens-nothing", #"{"enabled": false}"#),
    (
      "PUT", "/v1/domains/example.com/file?accept=opens-nothing",
      #"{"webcredentials": {"apps": ["ABCDE12345.x"]}}"#
    ),
    ("POST", "/v1/domains/example.com/entries", #"{"apps": ["ABCDE12345.new"], "routes": []}"#),
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
    ("POST", "/v1/apps/ABCDE12345.com.example.app/rename", #"{"to": "ABCDE12345.renamed"}"#),
    ("PUT", "/v1/apps/ABCDE12345.other", #"{"name": "Other"}"#),
    ("POST", "/v1/apply", #"{"apps": [], "domains": [{"domain": "applied.example"}]}"#),
    ("DELETE", "/v1/domains/example.com?accept=opens-nothing", ""),
    ("POST", "/v1/tokens", #"{"name": "new", "role": "viewer"}"#),
    ("DELETE", "/v1/tokens/test", ""),
    ("PUT", "/v1/users/anna", #"{"role": "editor", "domains": ["*.brand.example"]}"#),
  ])
  func aDryRunAnswersLikeTheRealCallAndChangesNothing(
    method: String, path: String, body: String
  ) throws {
    let before = try state()
    let served = try running.serve("example.com").body
    let bytes = body.isEmpty ? nil : Array(body.utf8)
    let isReplacement = method == "PUT" && path.hasPrefix("\(target)?")
    let admin = Client(
      port: admin.port, lines: admin.lines + (isReplacement ? ["If-Match: *"] : []))
    let dry = try admin.send(
      method, path + (path.contains("?") ? "&" : "?") + "dryRun=true", body: bytes)
    #expect((200...204).contains(dry.status), "\(dry.text)")
    #expect(try state() == before)
    #expect(try running.serve("example.com").body == served)
    let real = try admin.send(method, path, body: bytes)
    #expect(real.status == dry.status)
    #expect(real["ETag"] == dry["ETag"])
    if dry.status != 204 {
      #expect(try comparable(dry.json) == comparable(real.json))
    }
  }

  /// An answer without what a dry run cannot know: the IDs of new rows and the secret.
  private func comparable(_ json: JSON) -> JSON {
    switch json {
    case .object(var object):
      for key in ["dryRun", "account", "contents", "token", "id", "createdAt", "updatedAt"] {
        object[key] = nil
      }
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
