import Association
import Foundation
import TestSupport
import Testing

/// `aasa render` writes what the server answers.
@Suite struct RenderCommandTests {
  private let trial: StateTrial
  private let client: Client
  private let site: RenderedSite

  init() throws {
    trial = try StateTrial()
    client = try trial.server.client()
    site = RenderedSite(path: trial.scratch.path("site"))
  }

  private func render(at site: StateTrial.Site = .database, _ words: String...) throws
    -> Program.Result
  {
    try trial.run("render", at: site, words: words + [self.site.path])
  }

  private func change(_ name: String, _ json: JSON) throws {
    let answer = try client.send("PATCH", "/v1/domains/\(name)?accept=opens-nothing", json: json)
    try #require(answer.status == 200, "\(answer.text)")
  }

  // MARK: The same bytes

  @Test(arguments: zip(0..<8 as Range<UInt64>, [StateTrial.Site.database, .server] * 4))
  func everyHostHasWhatTheServerAnswers(seed: UInt64, at place: StateTrial.Site) throws {
    let state = RandomState(seed: seed)
    let path = "/v1/apply?accept=\(RandomState.accepted),opens-nothing"
    let applied = try client.send("POST", path, json: state.json)
    try #require(applied.status == 200, "\(applied.text)")
    let rendered = try render(at: place)
    #expect(rendered.status == 0 && rendered.errors.isEmpty, "\(rendered.errors)")
    let names = state.domains.compactMap { $0["domain"]?.stringValue } + ["a.example", "b.example"]
    let hosts = names.flatMap { name in
      [name, "www.\(name)", "go.\(name)", "x.go.\(name)", "y.x.go.\(name)", "xgo.\(name)"]
    }
    try site.expectEquals(trial.server, hosts + ["unknown.example", "example"])
  }

  @Test func theLongestWildcardDecidesAndADisabledNameBelowItHasNoFile() throws {
    try change("a.example", ["aliases": ["*.w.example", "shop.deep.w.example"]])
    try change("b.example", ["aliases": ["*.deep.w.example", "off.w.example"]])
    let hosts = [
      "w.example", "x.w.example", "shop.deep.w.example", "x.deep.w.example", "y.x.deep.w.example",
      "deep.w.example", "off.w.example", "a.example", "b.example",
    ]
    #expect(try render().status == 0)
    try site.expectEquals(trial.server, hosts)
    #expect(try site.file("x.w.example", "/.well-known/apple-app-site-association") != nil)
    try change("b.example", ["enabled": false, "expectations": []])
    #expect(try render().status == 0)
    try site.expectEquals(trial.server, hosts)
    #expect(try site.file("off.w.example", "/.well-known/apple-app-site-association") == nil)
    #expect(try site.file("x.deep.w.example", "/.well-known/apple-app-site-association") == nil)
  }

  @Test func aDomainWithMoreNamesThanAProcessMayHaveFilesIsRendered() throws {
    try change("a.example", ["aliases": .strings((0..<100).map { "n\($0).a.example" })])
    let result = try Program.run(
      "/bin/sh",
      [
        "-c", "ulimit -n 64; exec \"$0\" render --database \"$1\" \"$2\"", Program.aasa,
        trial.database,
        site.path,
      ])
    #expect(result.status == 0, "\(result.errors)")
    try site.expectEquals(trial.server, ["a.example", "n0.a.example", "n99.a.example"])
  }

  // MARK: Only what differs

  private func number(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: "\(site.path)/\(name)")[.systemFileNumber]
      as? Int
  }

  @Test func onlyFilesThatDifferAreWritten() throws {
    #expect(try render().output == "8 files written, 0 removed, 0 unchanged\n")
    #expect(try render().output == "0 files written, 0 removed, 8 unchanged\n")
    let file = "a.example/.well-known/apple-app-site-association"
    let before = try (a: number(file), headers: number("a.example/_headers"))
    let answer = try client.send(
      "PUT", "/v1/domains/a.example", json: StateTrial.domain("a.example", ["/new"]), "If-Match: *")
    #expect(answer.status == 200)
    #expect(try render().output == "2 files written, 0 removed, 6 unchanged\n")
    #expect(try number(file) != before.a && number("a.example/_headers") == before.headers)
    // As somebody has edited it, with the same size.
    try trial.scratch.write(String(repeating: "x", count: 10), to: "site/b.example/_headers")
    try trial.scratch.write(
      [UInt8](repeating: 0x20, count: try site.file("a.example", "/_headers")?.count ?? 0),
      to: "site/a.example/_headers")
    #expect(
      try render(at: .database, "--json").output == #"{"written":2,"removed":0,"unchanged":6}"#
        + "\n")
    try site.expectEquals(trial.server, ["a.example", "b.example"])
  }

  @Test func whatIsNoLongerServedIsDeletedAndOtherFilesStay() throws {
    try change("a.example", ["aliases": ["www.a.example"], "passkeyEndpoints": [:]])
    #expect(try render().status == 0)
    #expect(try site.files().contains("www.a.example/.well-known/passkey-endpoints"))
    try trial.scratch.write("mine", to: "site/b.example/index.html")
    try trial.scratch.write("mine", to: "site/b.example/.well-known/acme-challenge/token")
    try trial.scratch.write("old", to: "site/old.example/.well-known/assetlinks.json")
    try trial.scratch.write("mine", to: "site/README.md")
    try change("a.example", ["aliases": [], "passkeyEndpoints": .null])
    let path = "/v1/domains/b.example?accept=opens-nothing"
    try change("b.example", ["expectations": []])
    #expect(try client.send("DELETE", path).status == 200)
    #expect(try render().status == 0)
    #expect(
      try site.files() == [
        "README.md", "_passwords.conf", "_wildcards.conf",
        "a.example/.well-known/apple-app-site-association",
        "a.example/_headers", "a.example/apple-app-site-association",
        "b.example/.well-known/acme-challenge/token", "b.example/index.html",
      ])
    #expect(!FileManager.default.fileExists(atPath: site.path + "/www.a.example"))
  }

  @Test func nothingIsDeletedWhileADomainCannotBeRead() throws {
    #expect(try render().status == 0)
    try change("a.example", ["enabled": false])
    try trial.database.damage("b.example")
    try trial.scratch.write("old", to: "site/old.example/_headers")
    let result = try render()
    #expect(result.status == 1)
    #expect(result.errors.contains("Damaged: ") && result.errors.contains("Deleted nothing"))
    #expect(try site.file("b.example", "/.well-known/apple-app-site-association") != nil)
    #expect(try site.file("old.example", "/_headers") != nil)
    #expect(try site.file("a.example", "/.well-known/apple-app-site-association") == nil)
  }

  // MARK: The directory

  @Test func aDirectoryWithOtherFilesIsRefusedAndNotTouched() throws {
    try trial.scratch.write("mine", to: "site/index.html")
    let refused = try render()
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains("has files that 'aasa render' did not write, such as \"index.html\".")
    )
    #expect(try site.files() == ["index.html"])
    let command = try #require(
      refused.errors.split(separator: "run: ").last?.split(separator: "\n").first)
    #expect(try Program.run("/bin/sh", ["-c", String(command)]).status == 0)
    #expect(try render().status == 0)
    #expect(try site.files().contains("index.html"))
  }

  @Test func theRootOfAFileSystemIsTakenAsEmpty() throws {
    try FileManager.default.createDirectory(
      atPath: site.path + "/lost+found", withIntermediateDirectories: true)
    #expect(try render().status == 0)
    #expect(FileManager.default.fileExists(atPath: site.path + "/lost+found"))
  }

  @Test func twoCommandsNeverWorkOnOneDirectory() throws {
    let following = try Rendering(site.path, ["--database", trial.database])
    let refused = try render()
    #expect(refused.status == 1)
    #expect(refused.errors.contains("Another 'aasa render' works on"), "\(refused.errors)")
    following.process.signal(SIGTERM)
    #expect(try following.process.waitForEnd() == .exited(0))
    #expect(try render().status == 0)
  }

  @Test func aKilledCommandLeavesNoDrafts() throws {
    #expect(try render().status == 0)
    try trial.scratch.write("half", to: "site/.aasa-render/7")
    #expect(try render().status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: site.path + "/.aasa-render")
    #expect(names == ["lock"])
  }

  @Test func aMissingDatabaseIsNotCreated() throws {
    let path = trial.scratch.path("other.db")
    let result = try Program.aasa("render", site.path, "--database", path)
    #expect(result.status == 1)
    #expect(result.errors.contains("No database at \"\(path)\""))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func theDatabaseIsOnlyRead() throws {
    let copy = trial.scratch.path("copy.db")
    #expect(
      try Program.aasa("backup", copy, "--database", trial.database).status == 0)
    let before = try trial.scratch.read("copy.db")
    #expect(try Program.aasa("render", site.path, "--database", copy).status == 0)
    #expect(try trial.scratch.read("copy.db") == before)
    try site.expectEquals(trial.server, ["a.example", "b.example"])
    // Any other command would migrate it.
    let fixture = URL(filePath: #filePath)
      .appending(path: "../../Fixtures/Databases/before-1.0.0/aasa.db").standardized
    let earlier = Array(try Data(contentsOf: fixture))
    let path = try trial.scratch.write(earlier, to: "earlier.db")
    let refused = try Program.aasa("render", site.path, "--database", path)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("whatever only reads must not change it."), "\(refused.errors)")
    #expect(try trial.scratch.read("earlier.db") == earlier)
  }
}

extension Array {
  fileprivate static func * (elements: [Element], count: Int) -> [Element] {
    (0..<count).flatMap { _ in elements }
  }
}

extension String {
  /// Damages the only revision of a domain of the database at this path.
  fileprivate func damage(_ domain: String) throws {
    let result = try Program.run(
      "python3",
      [
        "-c",
        """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1])
        database.execute("UPDATE document SET content = x'7B7D' WHERE domain_id = "
            "(SELECT domain_id FROM domain_name WHERE name = ?)", [sys.argv[2]])
        database.commit()
        """, self, domain,
      ])
    try #require(result.status == 0, "\(result.errors)")
  }
}
