import Association
import Foundation
import TestSupport
import Testing

/// Commands that publish, move and check documents that are published as bytes.
@Suite struct NamedDocumentCommandTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }

  init() throws { scratch = try TemporaryDirectory() }

  private func run(_ words: String..., input: [UInt8] = []) throws -> Program.Result {
    try Program.run(
      Program.aasa, [words[0], "--database", database] + words.dropFirst(), input: input,
      seconds: 60)
  }

  private func served(_ host: String, _ paths: String...) throws -> [RawResponse] {
    let server = try RunningServer(database: database)
    let client = Client(port: server.publicPort, lines: ["Host: \(host)"])
    return try paths.map { try client.send("GET", $0) }
  }

  @Test func putPublishesAFileAndSaysWhatChanged() throws {
    let bytes: [UInt8] = [0, 1, 2]
    try scratch.write(bytes, to: "x.bin")
    let first = try run("put", "example.com", "x.bin", scratch.path("x.bin"))
    #expect(first.status == 0, "\(first.errors)")
    let text = try run("put", "example.com", "gpc.json", "-", input: Array("{}".utf8))
    #expect(
      text.status == 0 && text.output.contains("gpc.json added: 2 bytes, application/json"),
      "\(text.output)")
    let again = try run("put", "example.com", "gpc.json", "-", input: Array("{}".utf8))
    #expect(again.output.contains("No changes: example.com already has this gpc.json."))
    let shown = try run("show", "--document", "--kind", "x.bin", "example.com")
    #expect(Array(shown.bytes) == bytes)
    let typed = try run(
      "put", "--type", "text/html", "example.com", "x.bin", scratch.path("x.bin"))
    #expect(typed.status == 64 && typed.errors.contains("text/html"), "\(typed.errors)")
    let named = try run("put", "example.com", "acme-challenge", scratch.path("x.bin"))
    #expect(named.status == 64 && named.errors.contains("is reserved"), "\(named.errors)")
    let answers = try served("example.com", "/.well-known/x.bin", "/.well-known/gpc.json")
    #expect(answers.map(\.body) == [bytes, Array("{}".utf8)])
    #expect(try run("put", "--remove", "example.com", "x.bin").status == 0)
    #expect(try served("example.com", "/.well-known/x.bin").map(\.status) == [404])
  }

  @Test func importTakesATreeAsItLiesOnAWebServerAndNamesEveryFault() throws {
    let apple = AssociationFile.routes(["/a"]).serialized()
    let files: [(String, [UInt8])] = [
      ("www/a.example/.well-known/apple-app-site-association", apple),
      ("www/a.example/.well-known/security.txt", Array("Contact: mailto:a@a.example\r\n".utf8)),
      ("www/a.example/.well-known/trust.txt", Array("x".utf8)),
      ("www/a.example/.well-known/acme-challenge/token", Array("proof".utf8)),
      ("www/a.example/index.html", Array("<html>".utf8)),
      ("www/b.example/.well-known/apple-developer-merchantid-domain-association", [0x37, 0x42]),
      ("www/b.example/.well-known/bad name", [0x61]),
      ("www/b.example/.well-known/empty.txt", []),
      (
        "www/c.example/windows-app-web-link",
        Array(#"[{"packageFamilyName": "Shop_1234567890abc", "paths": ["*"]}]"#.utf8)
      ),
    ]
    for (name, bytes) in files {
      let folder = (scratch.path(name) as NSString).deletingLastPathComponent
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try scratch.write(bytes, to: name)
    }
    // Neither what a link leads to, nor a pipe.
    let place = scratch.path("www/a.example/.well-known")
    try FileManager.default.createSymbolicLink(
      atPath: place + "/hosts.txt", withDestinationPath: "/etc/hosts")
    #expect(mkfifo(place + "/pipe", 0o600) == 0)
    let checked = try Program.aasa("validate", scratch.path("www"))
    #expect(checked.status == 1, "\(checked.output)\(checked.errors)")
    for text in ["missing-field", "malformed-document-name", "too-large"] {
      #expect(checked.output.contains(text), "\(checked.output)")
    }
    #expect(!checked.output.contains("not-json"), "\(checked.output)")
    let result = try run("import", "--accept", "opens-nothing,missing-field", scratch.path("www"))
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(result.errors.contains("bad name: malformed-document-name"), "\(result.errors)")
    #expect(result.errors.contains("empty.txt: document-size"), "\(result.errors)")
    for name in ["hosts.txt", "pipe"] { #expect(result.errors.contains("\(place)/\(name)")) }
    #expect(
      result.errors.contains("Files: 5 published, 0 unchanged, 2 refused."), "\(result.errors)")
    for (host, path, index) in [
      ("a.example", "/.well-known/apple-app-site-association", 0),
      ("a.example", "/.well-known/security.txt", 1), ("a.example", "/.well-known/trust.txt", 2),
      ("b.example", "/.well-known/apple-developer-merchantid-domain-association", 5),
      ("c.example", "/windows-app-web-link", 8),
      ("c.example", "/.well-known/windows-app-web-link", 8),
    ] {
      let answer = try served(host, path)[0]
      #expect(answer.status == 200 && answer.body == files[index].1, "\(host)\(path)")
    }
  }

  @Test func aTokenCanBeLimitedToADocument() throws {
    let created = try run(
      "token", "create")
    #expect(created.status == 64)
    let token = try Program.aasa(
      "token", "create", "--database", database, "--name", "payments", "--role", "editor",
      "--document", "gpc.json", "--document", "trust.txt")
    #expect(
      token.status == 0 && token.errors.contains("(only gpc.json,trust.txt)"), "\(token.errors)")
    #expect(
      try Program.aasa("token", "list", "--database", database).output.contains(
        "(only gpc.json,trust.txt)"))
  }

  @Test func renderWritesDocumentsTheirTypesAndTheRedirect() throws {
    try scratch.write([0, 1], to: "x")
    #expect(
      try run("put", "--type", "application/pkcs7-mime", "example.com", "x", scratch.path("x"))
        .status == 0)
    let link = #"[{"packageFamilyName": "Shop_1234567890abc", "paths": ["*"]}]"#
    #expect(
      try run("put", "example.com", "windows-app-web-link", "-", input: Array(link.utf8)).status
        == 0)
    let page = "https://example.com/password"
    try scratch.write(
      "{\"domain\": \"example.com\", \"changePassword\": \"\(page)\"}", to: "state.json")
    let applied = try run("apply", scratch.path("state.json"))
    #expect(applied.status == 0, "\(applied.errors)")
    let site = RenderedSite(path: scratch.path("site"))
    #expect(try run("render", site.path).status == 0)
    #expect(try site.file("example.com", "/.well-known/x") == [0, 1])
    #expect(
      try site.field("Content-Type", "example.com", "/.well-known/x") == "application/pkcs7-mime")
    for path in ["/windows-app-web-link", "/.well-known/windows-app-web-link"] {
      #expect(try site.file("example.com", path) == Array(link.utf8))
    }
    #expect(
      try site.file("example.com", "/_redirects")
        == Array("/.well-known/change-password \(page) 302\n".utf8))
    let map = try String(contentsOfFile: "\(site.path)/_passwords.conf", encoding: .utf8)
    #expect(map.hasSuffix("\nexample.com \"\(page)\";\n"))
    let dollar =
      "{\"domain\": \"example.com\", \"changePassword\": \"https://example.com/?a=$http_cookie\"}"
    try scratch.write(dollar, to: "state.json")
    #expect(try run("apply", scratch.path("state.json")).status == 0)
    #expect(try run("render", site.path).status == 0)
    let escaped = try String(contentsOfFile: "\(site.path)/_passwords.conf", encoding: .utf8)
    #expect(escaped.hasSuffix("\nexample.com \"https://example.com/?a=%24http_cookie\";\n"))
    #expect(try run("put", "--remove", "example.com", "x").status == 0)
    try scratch.write("{\"domain\": \"example.com\", \"changePassword\": null}", to: "state.json")
    #expect(try run("apply", scratch.path("state.json")).status == 0)
    #expect(try run("render", site.path).status == 0)
    #expect(try site.file("example.com", "/.well-known/x") == nil)
    #expect(try site.file("example.com", "/_redirects") == nil)
    // One that somebody else wrote stays.
    try scratch.write("/a /b 301\n", to: "site/example.com/_redirects")
    #expect(try run("put", "example.com", "gpc.json", "-", input: Array("{}".utf8)).status == 0)
    #expect(try run("render", site.path).status == 0)
    #expect(try site.file("example.com", "/_redirects") != nil)
  }

  @Test func aNameBelowAWildcardThatRedirectsDoesNotRedirectByItself() throws {
    let page = "https://a.example/password"
    let state: JSON = [
      "domains": [
        ["domain": "a.example", "aliases": ["*.go.example"], "changePassword": .string(page)],
        ["domain": "b.go.example"], ["domain": "off.go.example", "enabled": false],
        ["domain": "c.example"],
      ]
    ]
    let file = try scratch.write(state.text, to: "state.json")
    #expect(try run("apply", file).status == 0)
    let site = RenderedSite(path: scratch.path("site"))
    #expect(try run("render", site.path).status == 0)
    let map = try String(contentsOfFile: "\(site.path)/_passwords.conf", encoding: .utf8)
    #expect(
      map.split(separator: "\n").filter { !$0.hasPrefix("#") } == [
        "*.go.example \"\(page)\";", "a.example \"\(page)\";", "b.go.example \"\";",
        "off.go.example \"\";",
      ])
  }
}

/// Checks and adoption of documents that are published as bytes.
@Suite(CheckedWorld.needs) struct NamedDocumentCheckTests {
  private let world: CheckedWorld

  init() throws { world = try CheckedWorld() }

  private func put(_ domain: String, _ name: String, _ text: String) throws {
    let answer = try world.client.send(
      "PUT", "/v1/domains/\(domain)/documents/\(name)?accept=document-expired",
      body: Array(text.utf8))
    #expect([200, 201].contains(answer.status), "\(answer.text)")
  }

  /// What a site does instead of passing requests for a path on.
  private func site(_ domain: String, _ answers: [String: JSON]) throws {
    var paths = JSON.Object()
    for (path, answer) in answers { paths[path] = answer }
    try world.outside.site(
      domain, ["upstream": .integer(world.server.publicPort), "paths": .object(paths)])
  }

  private func findings(_ domain: String) throws -> [String] {
    CheckedWorld.findings(try world.check(domain)).filter { !$0.hasPrefix("cdn-") }
  }

  @Test func aDocumentThatReachesTheWorldAsItIsHasNoFinding() throws {
    try world.publish("good.example")
    try put("good.example", "gpc.json", #"{"gpc": true}"#)
    try put("good.example", "trust.txt", "member=a")
    #expect(try findings("good.example") == [])
  }

  @Test(
    arguments: [
      (["status": 404], ["http-status error"]),
      (
        ["status": 301, "fields": ["Location": "https://www.bad.example/x"]],
        ["redirect-same-site error"]
      ),
      (["fields": ["Content-Type": "text/plain"], "body": "member=b"], ["body-not-ours error"]),
      (["fields": ["Content-Type": "text/plain"], "body": "member=a\n"], ["body-not-ours error"]),
      (["fields": ["Content-Type": "text/html"], "body": "<html>"], ["html-answer error"]),
      (
        ["fields": ["Content-Type": "application/json"], "body": "member=a"],
        ["content-type warning"]
      ),
    ] as [(JSON, [String])])
  func whatTheWorldGetsInsteadIsFound(answer: JSON, findings: [String]) throws {
    try world.publish("bad.example")
    try put("bad.example", "trust.txt", "member=a")
    try site("bad.example", ["/.well-known/trust.txt": answer])
    #expect(try self.findings("bad.example") == findings)
  }

  @Test func aSecurityTextThatEndsIsFoundAsTimePasses() throws {
    try world.publish("old.example")
    try put(
      "old.example", "security.txt", "Contact: mailto:a@b.example\nExpires: 2020-01-01T00:00:00Z\n")
    #expect(try findings("old.example") == ["document-expired error"])
    let metrics = try world.client.send("GET", "/metrics").text
    #expect(metrics.contains(#"aasa_documents_expiring{state="expired"} 1"#))
    #expect(metrics.contains(#"aasa_documents_expiring{state="soon"} 0"#))
    // What only time has made wrong keeps nobody from editing the rest.
    let edit = try world.client.send("PATCH", "/v1/domains/old.example", json: ["cacheSeconds": 60])
    #expect(edit.status == 200, "\(edit.text)")
  }

  @Test func thePageForPasswordsIsCheckedWithItsProbe() throws {
    try world.publish("p.example")
    let page = "https://p.example/password"
    #expect(
      try world.client.send(
        "PATCH", "/v1/domains/p.example", json: ["changePassword": .string(page)]
      ).status == 200)
    #expect(try findings("p.example") == [])
    // Without a path, in which libcurl writes `/`.
    for url in ["https://accounts.example", page] {
      let edit = try world.client.send(
        "PATCH", "/v1/domains/p.example", json: ["changePassword": .string(url)])
      #expect(try edit.status == 200 && findings("p.example") == [], "\(edit.text)")
    }
    let probe = "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"
    let target = "/.well-known/change-password"
    try site("p.example", [probe: CheckedWorld.page])
    #expect(try findings("p.example") == ["password-probe warning"])
    try site("p.example", [target: ["status": 404]])
    #expect(try findings("p.example") == ["password-page error"])
    try site("p.example", [target: ["status": 301, "fields": ["Location": .string(page)]]])
    #expect(try findings("p.example") == ["password-page warning"])
    let other = "https://p.example/other"
    try site("p.example", [target: ["status": 301, "fields": ["Location": .string(other)]]])
    #expect(try findings("p.example") == ["password-page error"])
    #expect(
      try world.check("p.example").text.contains(
        "redirects with 301 to \(other), not to \(page), which browsers remember."))
  }

  @Test func adoptBringsKnownDocumentsAlongAndNoPages() throws {
    let name = "/.well-known/apple-developer-merchantid-domain-association"
    try world.outside.site(
      "live.example",
      [
        "paths": [
          "/.well-known/apple-app-site-association": [
            "body": .string(AssociationFile.routes(["/a"]).text)
          ],
          "/.well-known/apple-developer-merchantid-domain-association": [
            "fields": ["Content-Type": "application/octet-stream"], "body": "7B22",
          ],
          "/.well-known/security.txt": [
            "status": 302, "fields": ["Location": "https://live.example/other"],
          ],
          "/.well-known/trust.txt": CheckedWorld.page,
          "/.well-known/gpc.json": ["fields": ["Content-Type": "application/json"], "body": "<x>"],
        ]
      ])
    let scratch = try TemporaryDirectory()
    let result = try Program.run(
      Program.aasa,
      [
        "adopt", "--database", scratch.path("aasa.db"), "--accept", "opens-nothing", "live.example",
      ],
      environment: world.outside.settings, seconds: 120)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("security.txt redirects to"), "\(result.errors)")
    let server = try RunningServer(database: scratch.path("aasa.db"))
    let client = Client(port: server.publicPort, lines: ["Host: live.example"])
    let served = try client.send("GET", name)
    #expect(served.text == "7B22" && served["Content-Type"] == "application/octet-stream")
    for other in ["security.txt", "trust.txt", "gpc.json"] {
      #expect(try client.send("GET", "/.well-known/\(other)").status == 404, "\(other)")
    }
  }
}
