import Association
import TestSupport
import Testing

/// A protected domain with an Android app, one with a template, and requests that change one of them, in every way.
struct ProtectedWorld {
  static let domain = "shop.example"
  private static let path = "/v1/domains/shop.example"
  private static let package = "com.example.shop"
  private static let fingerprints = [
    "76:92:C3:AD:35:40:BB:80:3C:02:0B:3A:EE:66:CD:88:87:12:32:34:EA:0C:6E:71:43:C0:AD:D7:3F:F4:31:ED",
    "3F:C4:CC:FE:74:58:70:E2:C0:D9:9F:71:F3:0F:F0:65:6C:8D:ED:D4:1C:C1:D7:D3:D3:76:B0:DB:E6:85:E2:F3",
  ].map { (text: String) -> JSON in [["sha256": .string(text), "label": "play-signing"]] }

  typealias Request = (method: String, target: String, body: JSON?)

  let requests: [Request]

  /// - Parameter client: Protects the domain.
  init(_ running: RunningService, _ client: Client) throws {
    let (domain, path, package) = (Self.domain, Self.path, Self.package)
    let admin = running.admin
    _ = try admin.send(
      "PUT", "/v1/android-apps/\(package)", json: ["fingerprints": Self.fingerprints[0]])
    let template: JSON = [
      "entries": [["apps": ["ABCDE12345.com.example.t"], "routes": [["path": "/a/*"]]]]
    ]
    _ = try admin.send("PUT", "/v1/templates/white-label", json: template)
    _ = try admin.send(
      "PUT", "/v1/templates/shared",
      json: ["cacheSeconds": 60, "webcredentials": [.string(otherApp)], "strict": true])
    try running.put("t.example", ["template": "white-label", "protected": true])
    try running.put(
      domain,
      [
        "labels": ["production"], "cacheSeconds": 30,
        "entries": [
          [
            "apps": [.string(app)], "androidApps": [.string(package)],
            "routes": [["path": "/shop/*"]],
          ]
        ],
      ])
    _ = try client.send("PATCH", path, json: ["cacheSeconds": 31])
    let edit = try client.send("PATCH", path, json: ["protected": true])
    let change = try #require(try edit.json["change"]?.integerValue)
    let revision = try admin.send("GET", path).json["revision"] ?? .null
    requests = Self.requests(change, revision)
  }

  /// - Parameters:
  ///   - change: The one that protected the domain.
  ///   - revision: That of the domain.
  static func requests(_ change: Int = 0, _ revision: JSON = 0) -> [Request] {
    let state: JSON = [
      "domains": [
        ["domain": .string(domain), "cacheSeconds": 60, "strict": false, "revision": revision]
      ]
    ]
    let changed: JSON = [
      "entries": [["apps": ["ABCDE12345.com.example.t"], "routes": [["path": "/b/*"]]]]
    ]
    return [
      ("PUT", path + "?accept=opens-nothing", ["entries": []]),
      ("PATCH", path, ["cacheSeconds": 5]),
      ("PATCH", path, ["protected": false]), ("PATCH", path, ["labels": []]),
      ("PATCH", path + "?accept=opens-nothing", ["enabled": false]),
      ("PATCH", path, ["aliases": ["www.shop.example"]]),
      ("DELETE", path + "?accept=opens-nothing", nil),
      ("DELETE", path + "?accept=opens-nothing&dryRun=true", nil),
      ("POST", path + "/entries", ["apps": [.string(otherApp)], "routes": []]),
      ("POST", path + "/entries/1/routes", ["path": "/new"]),
      ("PATCH", path + "/entries/1/routes/1?accept=opens-nothing", ["path": "/new"]),
      ("DELETE", path + "/entries/1?accept=opens-nothing", nil),
      (
        "PUT", path + "/expectations",
        [
          "expectations": [
            ["url": "https://shop.example/x", "app": .string(app), "resolution": "no-match"]
          ]
        ]
      ),
      ("PUT", path + "/documents/trust.txt", ["member": "a"]),
      (
        "PUT", path + "/file?accept=opens-nothing,android-differs",
        ["applinks": ["details": [["appIDs": [.string(app)], "components": [["/": "/more"]]]]]]
      ),
      ("PUT", path + "/entries/1/routes", ["routes": [["path": "/new"], 1]]),
      (
        "PUT", path + "/entries/1",
        [
          "apps": [.string(app)], "androidApps": [.string(package)],
          "routes": [["path": "/shop/*"], ["path": "/new"]],
        ]
      ),
      ("POST", "/v1/android-apps/\(package)/rename", ["to": "com.example.shop2"]),
      ("DELETE", "/v1/android-apps/\(package)?everywhere=true&accept=opens-nothing", nil),
      ("POST", path + "/revisions/1/restore?accept=opens-nothing", nil),
      ("POST", "/v1/changes/\(change)/revert", nil),
      ("POST", "/v1/apply", state), ("POST", "/v1/apply?dryRun=true", state),
      ("POST", "/v1/apply?accept=opens-nothing", ["delete": [.string(domain)]]),
      ("POST", "/v1/apply?prune=true&accept=opens-nothing", ["keep": ["t.example"], "apps": []]),
      (
        "POST", "/v1/routes",
        ["domains": [.string(domain)], "edits": [["add": ["path": "/gift/*"]]]]
      ),
      ("PUT", "/v1/templates/white-label?accept=opens-nothing", changed),
      ("POST", "/v1/domains/t.example/detach", nil),
      ("POST", "/v1/templates/shared/adopt", ["domains": [.string(domain)]]),
      ("PATCH", path, ["template": "shared"]),
      ("PATCH", path, ["template": "shared", "cacheSeconds": 3600]),
      ("PATCH", "/v1/domains/t.example?accept=opens-nothing", ["template": "shared"]),
      ("POST", "/v1/apps/\(app)/rename", ["to": "FGHIJ67890.com.example.renamed"]),
      ("POST", "/v1/apps/\(app)/accompany", ["app": .string(otherApp)]),
      ("DELETE", "/v1/apps/\(app)?everywhere=true&accept=opens-nothing", nil),
      (
        "PUT", "/v1/android-apps/\(package)", ["fingerprints": Self.fingerprints[1]]
      ),
    ]
  }

  /// Sends a request, with the precondition that it may need.
  static func send(
    _ request: Request, by client: Client, _ query: String = ""
  ) throws -> RawResponse {
    let separator = request.target.contains("?") ? "&" : "?"
    let target = request.target + (query.isEmpty ? "" : separator + query)
    func send(_ field: String) throws -> RawResponse {
      try request.body.map { try client.send(request.method, target, json: $0, field) }
        ?? client.send(request.method, target, field)
    }
    let answer = try send("If-Match: *")
    return answer.status == 412 ? try send("Accept: */*") : answer
  }
}
