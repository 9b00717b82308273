import Foundation
import Association
import Store
import TestSupport
import Testing

@testable import Service

/// The dashboard's files are in the program, and anybody may read them.
@Suite struct DashboardFileTests {
  let running: RunningService
  let client: Client
  /// Where the assets are: `/assets/` and a hash.
  let assets: String

  private static let folder = URL(filePath: #filePath)
    .appending(path: "../../../Sources/Dashboard/Web").standardized

  init() throws {
    running = try RunningService()
    client = try running.client()
    let page = try client.send("GET", "/").text
    assets = String(
      try #require(page.firstMatch(of: /\/assets\/[0-9a-f]{16}(?=\/app\.js")/)).output)
  }

  @Test func everyFileOfTheFolderIsEmbedded() throws {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path)
      .filter { FileManager.default.contents(atPath: "\(Self.folder.path)/\($0)") != nil }
    let embedded = DashboardEndpoints.files
    #expect(
      Set(embedded.keys) == Set(paths + ["example.json"]),
      "Sources/Dashboard/Dashboard.c lists the files to embed.")
    for (path, content) in embedded {
      let file = path == "example.json" ? "../../../Config/example/state.json" : path
      #expect(try Data(contentsOf: Self.folder.appending(path: file)) == Data(content), "\(path)")
    }
  }

  @Test func aQueryOfAFileMakesNobodyWait() throws {
    for query in ["wait=all", "wait=nonsense", "waitSeconds=0"] {
      let response = try client.send("GET", "/?\(query)")
      #expect(response.status == 200 && response["X-Aasa-Not-Served-By"] == nil, "\(query)")
    }
  }

  @Test func everyFileIsServedWithItsType() throws {
    let types = [
      "css": "text/css", "js": "text/javascript", "json": "application/json",
      "svg": "image/svg+xml",
    ]
    for (path, content) in DashboardEndpoints.files where path != "index.html" {
      let response = try client.send("GET", "\(assets)/\(path)")
      #expect(response.status == 200 && response.body == content, "\(path)")
      #expect(response["Cache-Control"] == "public, max-age=31536000, immutable")
      let type = types[URL(filePath: path).pathExtension]
      #expect(response["Content-Type"] == type.map { "\($0); charset=utf-8" }, "\(path)")
      try expectPolicies(response)
    }
  }

  @Test func thePageNamesTheAssets() throws {
    let response = try client.send("GET", "/?from=elsewhere")
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "text/html; charset=utf-8")
    #expect(response["Cache-Control"] == "no-cache")
    #expect(!response.text.contains("{{assets}}"))
    try expectPolicies(response)
    let head = try client.send("HEAD", "/")
    #expect(head.status == 200 && head["ETag"] == response["ETag"])
    #expect(head["Content-Length"] == "\(response.body.count)")
  }

  private func expectPolicies(_ response: RawResponse) throws {
    let expected = [
      "Content-Security-Policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'; trusted-types 'none'",
      "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
      "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    ]
    for (name, value) in expected {
      let values = response.fields.filter { $0.name == name }.map(\.value)
      #expect(values == [value], "\(name)")
    }
    #expect(response.fields.count { $0.name == "Cache-Control" } == 1)
    #expect(response["X-Request-Id"] != nil)
  }

  @Test(arguments: ["TAG", "W/TAG", "\"x\", TAG", "*"])
  func aPageThatIsKnownIsNotSentAgain(known: String) throws {
    let tag = try #require(client.send("GET", "/")["ETag"])
    let line = "If-None-Match: \(known.replacing("TAG", with: tag))"
    let connection = try RawConnection(port: client.port)
    // The second answer shows that the first has no body.
    for _ in 0..<2 {
      let head = "GET / HTTP/1.1\r\nHost: admin\r\n\(line)\r\n\r\n"
      try connection.send(head)
      let response = try connection.readResponse(hasBody: false)
      #expect(response.status == 304 && response["ETag"] == tag)
      #expect(response["Cache-Control"] == "no-cache")
    }
    #expect(try client.send("GET", "/", "If-None-Match: \"x\"").status == 200)
  }

  @Test func otherPathsAndMethodsAreRefused() throws {
    for path in [
      "/assets", "/assets/", assets, "\(assets)/", "\(assets)/index.html", "\(assets)/none.js",
      "\(assets)/pages", "\(assets)/pages/../app.js", "\(assets)/app.js/", "/assets/0/app.js",
      "/app.js",
    ] {
      let response = try client.send("GET", path)
      #expect(try response.status == 404 && response.code == "path-not-found", "\(path)")
      #expect(response["Cache-Control"] == "no-store")
      #expect(response["Cross-Origin-Resource-Policy"] == "same-origin")
    }
    for path in ["/", "\(assets)/app.js"] {
      let response = try client.send("POST", path, json: [:])
      #expect(response.status == 405 && response["Allow"] == "GET, HEAD", "\(path)")
    }
  }

  @Test func theFilesAreCountedAndNotDescribed() throws {
    _ = try client.send("GET", "\(assets)/app.js")
    let metrics = try client.send("GET", "/metrics").text
    for endpoint in ["/", "/assets/{hash}/{file...}"] {
      let labels = "{method=\"GET\",endpoint=\"\(endpoint)\",code=\"200\"} 1"
      #expect(metrics.contains("aasa_admin_requests_total" + labels), "\(endpoint)")
    }
    let description = Description(try client.send("GET", "/openapi.json").json)
    #expect(description.operations.allSatisfy { $0.path != "/" && !$0.path.contains("assets") })
  }
}
