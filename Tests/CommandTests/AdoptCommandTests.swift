import Association
import TestSupport
import Testing

/// A team moves in with what its domains serve today.
@Suite(CheckedWorld.needs) struct AdoptCommandTests {
  private let scratch: TemporaryDirectory
  private let outside: StandIns

  private static let apple = AssociationFile.routes(["/a/*"])
  private static let root = "/apple-app-site-association"
  private static let assetLinks = "/.well-known/assetlinks.json"
  private static let webAuthn = "/.well-known/webauthn"
  private static let origins: JSON = ["origins": ["https://shop.example"]]
  private static let statements: JSON = [
    [
      "relation": ["delegate_permission/common.handle_all_urls"],
      "target": ["namespace": "web", "site": "https://shop.example"],
    ]
  ]

  init() throws {
    scratch = try TemporaryDirectory()
    outside = try StandIns()
  }

  /// Runs the command. Proxies are not taken from the environment: nobody listens on that port.
  private func adopt(_ arguments: [String], input: String = "") throws -> Program.Result {
    try Program.run(
      Program.aasa, ["adopt", "--database", scratch.path("aasa.db")] + arguments,
      input: Array(input.utf8),
      environment: outside.settings.merging(["https_proxy": "http://127.0.0.1:1"]) { $1 },
      seconds: 120)
  }

  /// What a site answers; everything else is 404.
  private func serve(_ domain: String, _ answers: [String: JSON]) throws {
    var paths = JSON.Object()
    for (path, answer) in answers { paths[path] = answer }
    try outside.site(domain, ["paths": .object(paths)])
  }

  private static func file(_ document: JSON) -> JSON { ["body": .string(document.text)] }

  /// The documents that a server on the database serves for a domain, by path.
  private func served(_ domain: String) throws -> [String: JSON] {
    let server = try RunningServer(database: scratch.path("aasa.db"))
    let client = Client(port: server.publicPort, lines: ["Host: \(domain)"])
    var documents: [String: JSON] = [:]
    for path in [CheckedWorld.path, Self.assetLinks, Self.webAuthn] {
      let answer = try client.send("GET", path)
      if answer.status == 200 { documents[path] = try answer.json }
    }
    return documents
  }

  @Test func allKindsOfADomainAreAdoptedUnchangedAndASecondTimeChangesNothing() throws {
    let files = [
      CheckedWorld.path: Self.apple, Self.assetLinks: Self.statements, Self.webAuthn: Self.origins,
    ]
    try serve("all.example", files.mapValues(Self.file))
    let first = try adopt(["all.example"])
    #expect(first.status == 0 && first.errors.contains("Files: 3 published"), "\(first.errors)")
    #expect(try served("all.example") == files)
    let second = try adopt(["all.example"])
    #expect(second.errors.contains("Files: 0 published, 3 unchanged, 0 refused."))
  }

  @Test func aFileThatIsOnlyAtTheRootIsAdoptedAndThisIsSaid() throws {
    try serve("root.example", [Self.root: Self.file(Self.apple)])
    let result = try adopt(["root.example"])
    #expect(result.status == 0)
    #expect(
      result.errors.contains(
        "https://root.example/apple-app-site-association is adopted: "
          + "https://root.example/.well-known/apple-app-site-association has no file."),
      "\(result.errors)")
    #expect(try served("root.example") == [CheckedWorld.path: Self.apple])
  }

  @Test func theFileUnderWellKnownWinsOverAnotherAtTheRoot() throws {
    try serve(
      "two.example",
      [
        CheckedWorld.path: Self.file(Self.apple),
        Self.root: Self.file(AssociationFile.routes(["/b/*"])),
      ])
    let result = try adopt(["two.example"])
    #expect(result.status == 0 && result.errors.contains("differ"), "\(result.errors)")
    #expect(try served("two.example") == [CheckedWorld.path: Self.apple])
  }

  @Test(
    arguments: [
      ["hang": true], ["status": 503], ["status": 403],
      ["status": 301, "fields": ["Location": "https://elsewhere.test/file"]],
      ["status": 301, "fields": ["Location": "http://known.example/file"]],
    ] as [JSON])
  func aFileAtTheRootIsNotTakenInsteadOfOneThatCannotBeHadNow(answer: JSON) throws {
    try serve(
      "known.example",
      [CheckedWorld.path: answer, Self.root: Self.file(AssociationFile.routes(["/old/*"]))])
    try serve("elsewhere.test", ["/file": Self.file(Self.apple)])
    let result = try adopt(["known.example"])
    #expect(result.status == 1 && result.output.isEmpty, "\(result.output)")
    #expect(result.errors.contains("https://known.example\(CheckedWorld.path): "))
  }

  @Test func aSiteThatForbidsWhatItDoesNotHaveIsAdopted() throws {
    let forbidden: JSON = ["status": 403]
    try serve(
      "store.example",
      [
        CheckedWorld.path: Self.file(Self.apple), Self.assetLinks: forbidden,
        Self.webAuthn: forbidden,
      ])
    let result = try adopt(["store.example"])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func aFileBehindARedirectIsAdoptedAndThisIsSaid() throws {
    let place = "https://www.moved.example\(CheckedWorld.path)"
    try serve(
      "moved.example", [CheckedWorld.path: ["status": 301, "fields": ["Location": .string(place)]]])
    try serve("www.moved.example", [CheckedWorld.path: Self.file(Self.apple)])
    let result = try adopt(["moved.example"])
    #expect(result.status == 0 && result.errors.contains("redirects to \(place)"))
    #expect(try served("moved.example") == [CheckedWorld.path: Self.apple])
  }

  @Test func failuresAreNamedWithTheirCodesAndKeepNothingElseFromBeingPublished() throws {
    let long = "{" + String(repeating: " ", count: 140_000) + "}"
    try serve("page.example", [CheckedWorld.path: CheckedWorld.page])
    try serve("down.example", [CheckedWorld.path: ["status": 503]])
    try serve("long.example", [CheckedWorld.path: ["body": .string(long)]])
    try serve("broken.example", [CheckedWorld.path: ["body": "{"]])
    try outside.site("old.example", ["certificate": "expired"])
    try serve("good.example", [CheckedWorld.path: Self.file(Self.apple)])
    let list = """
      # moved in 2026
      page.example
      empty.example

      down.example
      long.example
      broken.example
      old.example
      two words.example
      GOOD.example   # the shop
      good.example
      """
    let result = try adopt(["--from", "-"], input: list)
    #expect(result.status == 1)
    let summary = result.errors.split(separator: "\n").suffix(8).joined(separator: "\n")
    let file = CheckedWorld.path
    #expect(
      summary == """
        Files: 1 published, 0 unchanged, 7 refused.
          -, line 9: domain-malformed
          https://page.example\(file): no-file
          https://empty.example\(file): no-file
          https://down.example\(file): http-status
          https://long.example\(file): too-large
          https://old.example\(file): tls-error
          https://broken.example\(file): not-json
        """, "\(result.errors)")
    #expect(try served("good.example") == [CheckedWorld.path: Self.apple])
  }

  @Test func aProxyIsUsedIfAskedFor() throws {
    try serve("good.example", [CheckedWorld.path: Self.file(Self.apple)])
    let proxy = "http://127.0.0.1:\(outside.proxyPort)"
    #expect(try adopt(["--check-proxy", proxy, "good.example"]).status == 0)
    #expect(try outside.agents(of: "proxy").contains("127.0.0.1:\(outside.sitePort)"))
  }

  @Test func aDryRunPublishesNothing() throws {
    try serve("dry.example", [CheckedWorld.path: Self.file(Self.apple)])
    let result = try adopt(["--dry-run", "dry.example"])
    #expect(result.status == 0 && result.output.contains("dry run"), "\(result.output)")
    #expect(FileContents(scratch.path("aasa.db")) == nil)
  }

  @Test func aListIsFetchedFromSeveralDomainsAtATime() throws {
    let names = (1...8).map { "site\($0).example" }
    let answer: JSON = ["together": 4, "body": .string(Self.apple.text)]
    try outside.site("*", ["paths": .object([CheckedWorld.path: answer])])
    let result = try adopt([
      "--from", try scratch.write(names.joined(separator: "\n"), to: "names"),
    ])
    #expect(
      result.status == 0 && result.lines.count { $0.contains("revision 1") } == 8,
      "\(result.errors)")
    #expect(result.errors.contains("Files: 8 published, 0 unchanged, 0 refused."))
  }
}
