import Foundation
import Association
import TestSupport
import Testing

/// A new user brings the files of many domains.
@Suite struct ImportManyTests {
  private let trial: StateTrial
  private var scratch: TemporaryDirectory { trial.scratch }

  /// Files as they are found: legacy, with unknown keys, in the forms of names that web servers have.
  private static let files: [(path: String, file: JSON)] = [
    ("one.example", AssociationFile.routes(["/1"])),
    ("two.example.json", AssociationFile.routes(["/2", "/2/*"])),
    (
      "three.example/apple-app-site-association",
      [
        "applinks": [
          "apps": [],
          "details": [["appID": .string(AssociationFile.app), "paths": ["NOT /x", "/3"]]],
        ]
      ]
    ),
    (
      "four.example/.well-known/apple-app-site-association",
      [
        "webcredentials": ["apps": [.string(AssociationFile.app)]],
        "x-own": ["kept": .number("1.5")],
      ]
    ),
  ]

  init() throws {
    trial = try StateTrial()
    for (path, file) in Self.files {
      try scratch.write(file.prettyPrinted(), to: "sites/\(path)")
    }
  }

  private func expectServed(_ isServed: Bool) throws {
    for (path, file) in Self.files {
      let parts = path.split(separator: "/")[0].split(separator: ".")
      let host = parts.prefix(2).joined(separator: ".")
      let isRight = try becomesTrue {
        let answer = try trial.server.file(of: host)
        return isServed ? try answer.status == 200 && answer.json == file : answer.status == 404
      }
      #expect(isRight, "\(path)")
    }
  }

  /// What else is in a folder of files, besides hidden files.
  private static let others = [
    "LICENSE", "Makefile", "README.rst", "docs/index.html", "logo.svg", "package.json", "run.sh",
  ]

  private func writeOthers(to directory: String) throws {
    for name in Self.others + [".DS_Store", ".git/config"] {
      let contents = ["json": #"{"name": "site"}"#, "svg": "<svg/>"]
      let suffix = name.split(separator: ".").last.map(String.init) ?? ""
      try scratch.write(contents[suffix] ?? "\u{1}# Files", to: "\(directory)/\(name)")
    }
  }

  @Test(arguments: ["import", "validate"])
  func otherFilesInADirectoryAreSkippedInOneLine(command: String) throws {
    try writeOthers(to: "sites")
    let site = scratch.path("sites")
    let result = try trial.run(command, at: .database, words: command == "import" ? [site] : [])
    let checked = try command == "import" ? result : Program.aasa("validate", site)
    #expect(checked.status == 0, "\(checked.errors)")
    let skipped = checked.errors.split(separator: "\n").filter { $0.hasPrefix("Skipped") }
    let first = ["LICENSE", "Makefile", "README.rst", "docs", "logo.svg"]
      .map { "\"\(site)/\($0)\"" }.joined(separator: ", ")
    #expect(skipped == ["Skipped 7 other files: \(first) and 2 more."])
    #expect(!checked.errors.contains("DS_Store") && !checked.output.contains("README"))
  }

  @Test func aFileOfADomainThatIsBrokenIsNoOtherFile() throws {
    try scratch.write("{\"applinks\": ", to: "sites/five.example.json")
    try scratch.write("", to: "sites/six.example")
    // What `curl > sites/$domain` writes for a domain that answers 404.
    try scratch.write("<!doctype html><title>Not Found</title>", to: "sites/seven.example")
    try scratch.write("404 page not found", to: "sites/eight.example.md")
    try scratch.write("404 page not found", to: "sites/eight.example")
    let result = try trial.run("import", at: .database, words: [scratch.path("sites")])
    #expect(result.status == 1)
    #expect(result.errors.contains("five.example.json: not-json"), "\(result.errors)")
    for name in ["six.example", "seven.example", "eight.example"] {
      #expect(result.errors.contains("\(name): not-json"), "\(result.errors)")
    }
    #expect(!result.errors.contains("eight.example.md: not-json"))
  }

  @Test(arguments: ["import", "validate"])
  func copiesBesideFilesAreSkippedAndCapitalsInNamesDoNotMatter(command: String) throws {
    let file = String(decoding: AssociationFile.routes(["/a"]).serialized(), as: UTF8.self)
    let copies = ["A.EXAMPLE.json.bak", "a.example.orig", "a.example.json~"]
    for name in ["A.EXAMPLE.JSON"] + copies { try scratch.write(file, to: "copies/\(name)") }
    let place = scratch.path("copies")
    let result =
      try command == "import"
      ? trial.run("import", at: .database, words: ["--dry-run", place])
      : Program.aasa("validate", place)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("Skipped 3 other files: "), "\(result.errors)")
    #expect(result.output.contains("a.example" + (command == "import" ? ": " : "")))
    #expect(!result.output.contains(".json: ") && !result.output.contains("bak"))
  }

  @Test func aFileIsRelatedByItsContentOrByAKnownNameWhereItsNameIsNoDomain() throws {
    try scratch.write(#"{"domains": [{"domain": "a.example"}]}"#, to: "mixed/all.json")
    try scratch.write("{", to: "mixed/apple-app-site-association-old")
    try scratch.write("{", to: "mixed/notes")
    let result = try Program.aasa("validate", scratch.path("mixed"))
    #expect(result.status == 1 && result.lines.last?.hasPrefix("Checked: 1 valid, 1 not") == true)
    #expect(result.output.contains("all.json a.example: valid, "))
    #expect(result.output.contains("apple-app-site-association-old: not valid, "))
    #expect(result.errors == "Skipped 1 other file: \"\(scratch.path("mixed/notes"))\".\n")
  }

  @Test func otherFilesBesideAStateAreSkippedInOneLine() throws {
    _ = try trial.run("import", at: .database, words: [scratch.path("sites")])
    let state = scratch.path("state")
    #expect(try trial.run("export", at: .database, words: [state]).status == 0)
    try writeOthers(to: "state")
    let result = try trial.run("apply", at: .database, words: ["--prune", state])
    #expect(result.status == 0, "\(result.errors)")
    let listed = Self.others.filter { $0 != "package.json" }
      .map { "\"\(state)/\($0 == "docs/index.html" ? "docs" : $0)\"" }
    #expect(
      result.errors.hasPrefix(
        "Skipped 7 other files: \(listed.prefix(5).joined(separator: ", ")) and 2 more.\n"),
      "\(result.errors)")
    // What has no domain at all must not delete all of them.
    try scratch.write(#"{"name": "site"}"#, to: "project/package.json")
    let pruned = try trial.run("apply", at: .database, words: ["--prune", scratch.path("project")])
    #expect(pruned.status == 1 && pruned.errors.contains("contains no file of a state"))
    let files = try trial.run("apply", at: .database, words: [scratch.path("sites")])
    let word = "is an association file. Publish it with 'aasa import'."
    #expect(files.errors.contains(word))
    try scratch.write(AssociationFile.routes(["/n"]).text, to: "project/file.json")
    let file = try trial.run("apply", at: .database, words: [scratch.path("project")])
    #expect(file.status == 1 && file.errors.contains(word), "\(file.errors)")
    // What `apply` skips, `validate` does, too.
    try scratch.write("{", to: "state/old.example")
    let checked = try Program.aasa("validate", state)
    #expect(checked.status == 0 && checked.errors.hasPrefix("Skipped 8 other files: "))
  }

  @Test(arguments: StateTrial.Site.allCases, [[], ["--atomic"]])
  func aDirectoryIsPublishedAndServedUnchanged(site: StateTrial.Site, options: [String]) throws {
    func adopt() throws -> Program.Result {
      try trial.run("import", at: site, words: options + [scratch.path("sites")])
    }
    let result = try adopt()
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.count == 4)
    #expect(result.lines.allSatisfy { $0.contains(".example: revision 1, ") })
    #expect(result.errors == "Files: 4 published, 0 unchanged, 0 refused.\n")
    try expectServed(true)
    let again = try adopt()
    #expect(again.status == 0 && again.errors == "Files: 0 published, 4 unchanged, 0 refused.\n")
    #expect(again.lines.allSatisfy { $0.contains("(unchanged") })
  }

  @Test func aFileBesideThoseOfADomainThatIsNotReadIsNamed() throws {
    let paths = ["webauthn.json", "apple-app-site-association"].map { "sites/four.example/\($0)" }
    for path in paths { try scratch.write("{}", to: path) }
    try scratch.write("{}", to: "sites/four.example/index.html")
    let result = try trial.run("import", at: .database, words: [scratch.path("sites")])
    #expect(result.status == 0 && result.lines.count == 4)
    let checked = try Program.aasa("validate", scratch.path("sites"))
    let own = scratch.path("sites/four.example/.well-known/apple-app-site-association")
    for errors in [result.errors, checked.errors] {
      #expect(
        errors.split(separator: "\n").filter { $0.hasPrefix("Skipped ") } == [
          "Skipped \"\(scratch.path(paths[1]))\", because \"\(own)\" takes precedence.",
          "Skipped \"\(scratch.path(paths[0]))\", which is not where servers have the file.",
        ], "\(errors)")
    }
  }

  /// As web servers have them: both platforms' files side by side.
  @Test(arguments: StateTrial.Site.allCases)
  func aTreeWithFilesOfBothPlatformsIsPublishedAtomicallyKindByKind(site: StateTrial.Site) throws {
    let statements: JSON = [
      [
        "relation": ["delegate_permission/common.handle_all_urls"],
        "target": [
          "namespace": "android_app", "package_name": "com.example.shop",
          "sha256_cert_fingerprints": [
            .string((0..<32).map { "\($0 * 7 % 90 + 10)" }.joined(separator: ":"))
          ],
        ],
      ]
    ]
    try scratch.write(statements.text, to: "sites/three.example/assetlinks.json")
    try scratch.write(statements.text, to: "sites/nine.example.json")
    let sites = scratch.path("sites")
    let both = try trial.run("import", at: site, "--atomic", sites)
    #expect(both.status == 64 && both.errors.contains("--kind "), "\(both.errors)")
    let apples = try trial.run(
      "import", at: site, "--atomic", "--kind", "apple-app-site-association", sites)
    #expect(apples.status == 0, "\(apples.errors)")
    #expect(apples.errors == "Files: 4 published, 0 unchanged, 0 refused.\n")
    try expectServed(true)
    let androids = try trial.run("import", at: site, "--atomic", "--kind", "assetlinks.json", sites)
    #expect(androids.status == 0, "\(androids.errors)")
    #expect(androids.errors.hasSuffix("Files: 2 published, 0 unchanged, 0 refused.\n"))
    #expect(
      try becomesTrue {
        try trial.server.file("assetlinks.json", of: "three.example").json == statements
      })
    try expectServed(true)
    let none = try trial.run("import", at: site, "--kind", "webauthn", sites)
    #expect(none.status == 1 && none.errors.contains("No file is of the kind webauthn."))
  }

  @Test(arguments: StateTrial.Site.allCases, [[], ["--atomic"]])
  func filesOfDomainsWithATemplateThatAreServedAlreadyAreLeftAlone(
    site: StateTrial.Site, options: [String]
  ) throws {
    let client = try trial.server.client()
    let template: JSON = [
      "entries": [["apps": [.string(AssociationFile.app)], "routes": [["path": "/t"]]]]
    ]
    let state: JSON = [
      "templates": [["template": "shops", "parameters": [], "entries": template["entries"] ?? []]],
      "domains": [["domain": "five.example", "template": "shops"]],
    ]
    let applied = try client.send("POST", "/v1/apply", json: state)
    #expect(applied.status == 200, "\(applied.text)")
    let file = try trial.server.file(of: "five.example")
    try scratch.write(file.body, to: "sites/five.example.json")
    func adopt() throws -> Program.Result {
      try trial.run("import", at: site, words: options + [scratch.path("sites")])
    }
    let result = try adopt()
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors == "Files: 4 published, 1 unchanged, 0 refused.\n")
    #expect(
      result.output.contains("five.example: revision 1, \(file.body.count) bytes (unchanged)"))
    try scratch.write(
      JSON.parse(file.body).value.prettyPrinted(), to: "sites/five.example.json")
    #expect(try adopt().errors == "Files: 0 published, 5 unchanged, 0 refused.\n")
    try scratch.write(AssociationFile.routes(["/other"]).text, to: "sites/five.example.json")
    let refused = try adopt()
    #expect(refused.status == 1 && refused.errors.contains("uses-template"), "\(refused.errors)")
  }

  @Test(arguments: StateTrial.Site.allCases)
  func whatIsRefusedIsListedWithItsReasonAndTheRestIsPublished(site: StateTrial.Site) throws {
    try scratch.write("{", to: "sites/broken.example")
    try scratch.write(AssociationFile.routes(["/$(food)"]).text, to: "sites/variable.example.json")
    try scratch.write(AssociationFile.routes(["/n"]).text, to: "sites/notes")
    let result = try trial.run("import", at: site, scratch.path("sites"))
    #expect(result.status == 1)
    #expect(result.lines.count == 4)
    let directory = scratch.path("sites")
    let summary = """
      Files: 4 published, 0 unchanged, 3 refused.
        \(directory)/broken.example: not-json
        \(directory)/notes: no-domain
        \(directory)/variable.example.json: undefined-variable

      """
    #expect(result.errors.hasSuffix(summary), "\(result.errors)")
    #expect(result.errors.contains("To publish anyway, repeat with --accept undefined-variable."))
    try expectServed(true)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func atomicPublishesNothingIfOneFileIsRefused(site: StateTrial.Site) throws {
    try scratch.write("{", to: "sites/zzz.example")
    let result = try trial.run("import", at: site, "--atomic", scratch.path("sites"))
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(
      result.errors.hasSuffix(
        "Nothing was published: 1 of 5 files are refused.\n  \(scratch.path("sites"))/zzz.example: not-json\n"
      ))
    try expectServed(false)
    #expect(try trial.run("domains", at: site).lines.count == 2)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func atomicAcceptsErrorsAndKeepsAFileAsItIs(site: StateTrial.Site) throws {
    try scratch.write(AssociationFile.routes(["/$(food)"]).text, to: "sites/one.example")
    let result = try trial.run(
      "import", at: site, "--atomic", "--accept", "undefined-variable", "--reason", "moving",
      scratch.path("sites"))
    #expect(result.status == 0, "\(result.errors)")
    let revisions = try trial.run("revisions", at: site, "one.example").lines
    #expect(revisions.count == 1 && revisions[0].hasSuffix("\tmoving"))
  }

  @Test(arguments: StateTrial.Site.allCases)
  func aDryRunPublishesNothing(site: StateTrial.Site) throws {
    let result = try trial.run("import", at: site, "--dry-run", scratch.path("sites"))
    #expect(result.status == 0)
    #expect(result.lines.allSatisfy { $0.contains("dry run") })
    #expect(result.errors == "Files: 4 to publish, 0 unchanged, 0 refused.\n")
    try expectServed(false)
  }

  @Test func jsonIsALineForEachFile() throws {
    try scratch.write("{", to: "sites/broken.example")
    let result = try trial.run("import", at: .server, "--json", scratch.path("sites"))
    #expect(result.status == 1)
    let lines = try result.lines.map { try JSON.parse($0.utf8).value }
    #expect(lines.count == 5)
    #expect(lines.count { $0["published"]?["revision"] == 1 } == 4)
    #expect(lines.compactMap { $0["problem"]?["code"] } == ["not-json"])
  }

  @Test func twoFilesOfOneDomainAreBothNamedAndNothingIsSent() throws {
    try scratch.write("{}", to: "sites/two.example")
    let result = try trial.run("import", at: .server, scratch.path("sites"))
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.contains("/two.example\" and "))
    #expect(
      result.errors.hasSuffix("/two.example.json\" are both for two.example. Keep one of them.\n"))
    try expectServed(false)
  }

  @Test func theSecondFileOfAKindIsFoundByItsContent() throws {
    let name = "sites/two.example/apple-app-site-association"
    try scratch.write(AssociationFile.routes(["/other/*"]).text, to: name)
    let result = try trial.run("import", at: .server, scratch.path("sites"))
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.contains("are both for two.example. Keep one of them."))
    try expectServed(false)
    // An assetlinks.json beside it is another document.
    try scratch.write("[]", to: "sites/two.example/assetlinks.json")
    try FileManager.default.removeItem(atPath: scratch.path(name))
    #expect(
      try !trial.run("import", at: .server, scratch.path("sites")).errors.contains("are both for"))
  }

  @Test func anExportIsNotTakenForAssociationFiles() throws {
    #expect(try trial.exportDirectory().status == 0)
    let result = try trial.run("import", at: .server, trial.directory)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.contains("is a file of 'aasa export'. Publish it with 'aasa apply'."))
  }

  @Test func anImportThatIsCutShortSaysHowFarItCame() throws {
    let port = trial.server.adminPort
    #expect(try trial.server.end() == .exited(0))
    let result = try trial.run("import", at: .server, scratch.path("sites"))
    #expect(result.status == 69)
    #expect(
      result.errors.hasPrefix(
        "Files: 0 published, 0 unchanged, 0 refused, 4 not imported.\nhttp://127.0.0.1:\(port) does not"
      ))
  }

  @Test func aSiteWithoutAnAssociationFileIsSkipped() throws {
    try scratch.write("<html>", to: "sites/five.example/index.html")
    let result = try trial.run("import", at: .server, "--atomic", scratch.path("sites"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("Skipped 1 other file: \"\(scratch.path("sites/five.example"))\"."))
    try expectServed(true)
    // A name that is almost right is a mistake.
    try scratch.write("{}", to: "sites/five.example/apple-app-site-association.bak")
    #expect(try trial.run("import", at: .server, scratch.path("sites")).status == 1)
  }

  @Test func aDomainIsForOneFile() throws {
    let result = try trial.run(
      "import", at: .server, "--domain", "a.example", scratch.path("sites"))
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("--domain is for one file, and there are 4."))
  }
}
