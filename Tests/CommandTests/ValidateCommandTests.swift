import FoundationEssentials
import Association
import Glibc
import TestSupport
import Testing

@Suite struct ValidateCommandTests {
  let scratch: TemporaryDirectory
  let good = AssociationFile.routes(["/a"]).serialized()

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.write(good, to: "good.json")
    try scratch.write("{\n\"applinks\"", to: "bad.json")
  }

  private func validate(_ words: [String], input: [UInt8] = []) throws -> Program.Result {
    try Program.run(Program.aasa, ["validate"] + words, input: input, in: scratch)
  }

  @Test func aValidFileEndsWith0() throws {
    let result = try validate(["good.json"])
    #expect(result.status == 0)
    #expect(result.lines.first == "good.json: valid, \(good.count) bytes")
    #expect(result.errors.isEmpty)
  }

  @Test func oneBadFileAmongGoodOnesEndsWith1AndAllAreExamined() throws {
    let result = try validate(["good.json", "bad.json", "missing.json", "good.json"])
    #expect(result.status == 1)
    let files = result.lines.filter { !$0.hasPrefix("  ") }.dropLast()
    #expect(
      files.map { $0.prefix { $0 != "," } } == [
        "good.json: valid", "bad.json: not valid", "good.json: valid",
      ])
    #expect(result.output.contains("error not-json (the whole file)"))
    #expect(result.lines.last == "Checked: 2 valid, 1 not valid, 1 unreadable. Found: 1 error.")
    #expect(result.errors == "Cannot read \"missing.json\": No such file or directory.\n")
  }

  @Test func aFileBesideDirectoriesOfDomainsHidesNone() throws {
    try scratch.write(good, to: "sites/apple-app-site-association")
    try scratch.write("{bad", to: "sites/a.example/apple-app-site-association")
    let result = try validate(["sites"])
    #expect(result.status == 1 && result.output.contains("sites/a.example"), "\(result.output)")
    #expect(result.output.contains("sites/apple-app-site-association: valid"))
    #expect(try validate(["sites/"]).output == result.output)
  }

  @Test func aFileOfRelatedOriginsIsKnownByItsName() throws {
    try scratch.write("[\"https://a.example\"]", to: "w/webauthn")
    let list = try validate(["w/webauthn"])
    #expect(list.status == 1 && !list.output.contains("statement"), "\(list.output)")
    try scratch.write("{\"origin\": [\"https://a.example\"]}", to: "w/webauthn")
    let member = try validate(["w/webauthn"])
    #expect(member.status == 1 && !member.output.contains("applinks"), "\(member.output)")
  }

  @Test(arguments: ["validate <(cat good.json)", "validate /dev/stdin < <(cat good.json)"])
  func aPipeIsReadOnce(words: String) throws {
    let result = try Program.run("bash", ["-c", "\(Program.aasa) \(words)"], in: scratch)
    #expect(result.status == 0 && result.output.contains("valid, \(good.count) bytes"))
  }

  @Test func aPipeInADirectoryIsNotWaitedFor() throws {
    try scratch.write(good, to: "sites/a.example.json")
    #expect(mkfifo(scratch.path("sites/b.example"), 0o600) == 0)
    let result = try validate(["sites"])
    #expect(result.status == 0)
    #expect(result.errors == "Skipped 1 other file: \"sites/b.example\".\n")
  }

  @Test func whatSeveralFilesHaveIsPrintedOnce() throws {
    for index in 1...7 {
      let domain = StateTrial.domain("d\(index).example", ["/a", "/a"])
      try scratch.write(domain.text, to: "state/d\(index).example.json")
    }
    try scratch.write(
      StateTrial.domain("e.example", ["/a", "/b*", "/b/c", "/b/d"]).text,
      to: "state/e.example.json")
    let result = try validate(["state"])
    #expect(result.status == 0)
    let repeated = result.lines.filter { $0.contains(" duplicate-route ") }
    #expect(repeated.count == 1, "\(result.output)")
    #expect(repeated[0].hasPrefix("  In 7 files (state/d1.example.json, "), "\(repeated)")
    #expect(repeated[0].contains(" and 2 more): note duplicate-route "))
    let json = try validate(["--json", "state"])
    let objects = try json.lines.map { try JSON.parse(Array($0.utf8)).value }
    let codes = objects.flatMap { $0["findings"]?.arrayValue ?? [] }.map { $0["code"] }
    #expect(codes.count { $0 == "duplicate-route" } == 7, "JSON has all of them")
  }

  @Test func onlyFindingsOfASeverityAndWorseOnesArePrinted() throws {
    try scratch.write(
      StateTrial.domain("d.example", ["/a", "/a"]).text, to: "state/d.example.json")
    let file = #"{"applinks":{"details":[{"appIDs":["x"],"components":[{"/":"/a"},{"/":"/a"}]}]}}"#
    try scratch.write(file, to: "mixed.json")
    let all = try validate(["mixed.json"])
    #expect(all.output.contains("  note ") && all.output.contains("  error "), "\(all.output)")
    let errors = try validate(["--severity", "error", "mixed.json"])
    #expect(errors.output.contains("  error ") && !errors.output.contains("  note "))
    #expect(!errors.output.contains("  warning ") && errors.status == all.status)
    let state = try validate(["--severity=warning", "--json", "state/d.example.json"])
    #expect(try JSON.parse(state.bytes).value["findings"] == [])
    #expect(try validate(["--severity", "bad", "mixed.json"]).status == 64)
  }

  @Test func withJSONEachFileIsAnObjectOnALine() throws {
    let result = try validate(["--json", "good.json", "bad.json"])
    #expect(result.status == 1)
    let objects = try result.lines.map { try JSON.parse(Array($0.utf8)).value }
    #expect(objects.map { $0["file"]?.stringValue } == ["good.json", "bad.json"])
    #expect(objects.map { $0["valid"]?.boolValue } == [true, false])
    #expect(objects[0]["bytes"] == .integer(good.count))
    #expect(objects[1]["findings"]?.arrayValue?.first?["code"] == "not-json")
  }

  @Test func anErrorThatIsAcceptedEndsWith0() throws {
    let file = Array(
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(x)"}]}]}}"#
        .utf8)
    #expect(try validate(["-"], input: file).status == 1)
    #expect(try validate(["--accept", "undefined-variable", "-"], input: file).status == 0)
    #expect(try validate(["--accept", "opens-nothing", "-"], input: file).status == 1)
  }

  @Test func anEmptyDirectoryHasNothingToCheck() throws {
    let empty = try TemporaryDirectory()
    let none = try Program.aasa("validate", empty.url.path)
    #expect(none.status == 1 && none.errors == "\"\(empty.url.path)\" has no association files.\n")
  }

  @Test(arguments: [false, true])
  func aDashIsStdinBeItAFileOrAPipe(isPipe: Bool) throws {
    guard isPipe else {
      #expect(try validate(["-"], input: good).output.hasPrefix("-: valid"))
      return
    }
    let process = try ChildProcess(
      Program.aasa, ["validate", "-"], environment: Program.environment(), input: .pipe,
      output: scratch.path("out"), errors: scratch.path("err"))
    try process.send(good)
    process.closeInput()
    #expect(try process.waitForEnd() == .exited(0))
    #expect(try scratch.text("out").hasPrefix("-: valid"))
  }

  @Test(
    arguments: [[0], [0xFF, 0xFE], [0x22, 0xC3, 0x28, 0x22], [0xEF, 0xBB, 0xBF]] as [[UInt8]])
  func bytesThatAreNoTextAreNotValidAndNothingWorse(bytes: [UInt8]) throws {
    let result = try validate(["-"], input: bytes)
    #expect(result.status == 1)
    #expect(result.output.contains("not-json"))
  }
}

/// `aasa validate` of what `aasa export` writes, before `aasa apply`.
@Suite struct ValidateStateTests {
  private let trial: StateTrial

  init() throws { trial = try StateTrial(isExported: true) }

  private func validate(_ words: String...) throws -> Program.Result {
    try Program.run(Program.aasa, ["validate"] + words)
  }

  @Test func anExportIsValid() throws {
    let result = try validate(trial.directory)
    #expect(result.status == 0 && result.errors.isEmpty)
    let files = result.lines.filter { !$0.hasPrefix("  ") }
    #expect(files.count == 4)
    #expect(files[0].hasSuffix("/a.example.json: valid, 94 bytes"), "\(files[0])")
    #expect(files[1].hasSuffix("/apps.json: valid"))
    #expect(files[3].hasPrefix("Checked: 3 valid. Found: "))
    let whole = try trial.scratch.write(trial.run("export", at: .database).bytes, to: "all.json")
    let one = try validate(whole)
    #expect(
      one.lines.filter { !$0.hasPrefix("  ") }.map { $0.hasPrefix("\(whole) ") } == [true, true])
  }

  @Test func domainsThatClaimOneNameAreBothNamed() throws {
    for name in ["a.example.json", "b.example.json"] {
      try trial.replace(#""aliases": []"#, with: #""aliases": ["www.example"]"#, in: name)
    }
    let result = try validate(trial.directory)
    #expect(result.status == 1)
    #expect(
      result.output.contains(
        """
          error name-taken /aliases/0: "www.example" is a name of a.example, too, in \
        "\(trial.directory)/a.example.json". Remove it from one of them.
        """), "\(result.output)")
    let twice = try trial.scratch.write(
      #"{"domains": [{"domain": "a.example"}, {"domain": "a.example"}]}"#, to: "twice.json")
    let repeated = try validate(twice)
    #expect(repeated.status == 1)
    #expect(repeated.output.contains(#"error repeated /domain: "a.example" is listed twice."#))
  }

  @Test func theDocumentAndTheExpectationsOfEachDomainAreChecked() throws {
    try trial.replace("/a", with: "/$(food)", in: "a.example.json")
    try trial.replace("\"/c/*\"", with: "\"/d/*\"", in: "b.example.json")
    let result = try validate(trial.directory)
    #expect(result.status == 1)
    #expect(
      result.output.contains("\n  error undefined-variable /applinks/details/0/components/0/~1: "))
    #expect(
      result.output.contains(
        "\n  error expectation-broken /expectations: https://b.example/c/1 for \(AssociationFile.app): "
          + "expected match, would be no-match."))
    #expect(result.lines.last?.hasPrefix("Checked: 1 valid, 2 not valid. Found: 2 errors") == true)
  }

  @Test func aFileThatApplyWouldRefuseIsNotValid() throws {
    try trial.replace("cacheSeconds", with: "cacheSecond", in: "a.example.json")
    try trial.scratch.write(StateTrial.domain("c.example", ["/"]).text, to: "state/d.example.json")
    try trial.replace("\"name\"", with: "\"label\"", in: "apps.json")
    let result = try validate(trial.directory)
    #expect(result.status == 1)
    #expect(result.output.contains("\n  error unknown-member /cacheSecond: "))
    #expect(result.output.contains("\n  error unknown-member /apps/0/label: "))
    #expect(result.output.contains("Rename the file to \"c.example.json\"."))
  }

  /// An app of the state's own apps.json is not one for a production domain.
  @Test func theEnvironmentsOfTheStateCount() throws {
    try trial.replace("production", with: "development", in: "apps.json")
    #expect(try validate(trial.directory).output.contains("warning environment-mismatch "))
  }

  @Test(arguments: [
    #"{"android_apps":[]}"#, "{}", "[]", #"{"apps":[],"more":[]}"#, #"{"apps":{}}"#, "{",
    #"{"apps":[],"apps":[]}"#,
  ])
  func appsThatApplyRefusesAreNotValid(apps: String) throws {
    let path = try trial.scratch.write(apps, to: "state/apps.json")
    for operand in [trial.directory, path] {
      let result = try validate(operand)
      #expect(result.status == 1 && result.errors.isEmpty, "\(result.errors)")
      let lines = result.lines.drop { !$0.contains("/apps.json") }
      #expect(lines.first?.hasSuffix("/apps.json: not valid") == true, "\(result.output)")
      #expect(lines.dropFirst().first?.hasPrefix("  error ") == true)
    }
    #expect(try trial.run("diff", at: .database, trial.directory).status != 0)
  }

  @Test func anAndroidAppWithoutFingerprintsIsReported() throws {
    try trial.scratch.write(
      #"{"androidApps":[{"package":"com.example.z"}]}"#, to: "state/apps.json")
    let result = try validate(trial.directory)
    #expect(
      result.lines.contains {
        $0.hasPrefix("  warning no-fingerprints /androidApps/0: The fingerprints of com.example.z ")
      }, "\(result.output)")
  }

  /// Nothing is said of fingerprints that the files do not list.
  @Test func fingerprintsThatAreNotListedAreNotCompared() throws {
    let statement: JSON = [
      "relation": ["delegate_permission/common.get_login_creds"],
      "target": [
        "namespace": "android_app", "package_name": "com.example.z",
        "sha256_cert_fingerprints": [
          "2E:02:9E:F9:BC:CD:EE:BC:62:B4:A7:E8:54:0E:95:BC:34:97:A6:6B:64:5E:2C:41:46:BB:09:FA:99:06:DE:DF"
        ],
      ],
    ]
    let domain: JSON = [
      "domain": "z.example", "androidCredentials": ["com.example.z"],
      "assetlinksExtra": [statement],
    ]
    let alone = try TemporaryDirectory()
    let path = try alone.write(domain.text, to: "z.example.json")
    let result = try validate(path)
    #expect(result.status == 0 && result.output.contains("note app-not-listed"))
    for code in ["credentials-without-links", "kept-statement-differs"] {
      #expect(!result.output.contains(code), "\(result.output)")
    }
    // With the fingerprints, they are compared.
    let certificate =
      "A1:B2:C3:D4:E5:F6:07:18:29:3A:4B:5C:6D:7E:8F:90:11:22:33:44:55:66:77:88:99:AB:BC:CD:DE:EF:F1:02"
    let app: JSON = [
      "package": "com.example.z",
      "fingerprints": [["label": "play-signing", "sha256": .string(certificate)]],
    ]
    try alone.write(JSON.object(["androidApps": [app]]).text, to: "apps.json")
    let listed = try validate(path)
    for code in ["credentials-without-links", "kept-statement-differs"] {
      #expect(listed.output.contains(code), "\(listed.output)")
    }
  }

  @Test func whatIsWrongWithAFingerprintIsSaidInWholeSentences() throws {
    try trial.scratch.write(
      #"{"androidApps":[{"package":"com.example.z","fingerprints":[{"sha256":"AA","label":"upload"}]}]}"#,
      to: "state/apps.json")
    let lines = try validate(trial.directory).lines.filter { $0.contains("it has 1 octet, not 32") }
    #expect(lines.count == 1 && lines[0].hasSuffix("with colons or without."), "\(lines)")
  }

  @Test func jsonNamesTheFile() throws {
    let result = try validate("--json", trial.directory)
    let lines = try result.lines.map { try JSON.parse($0.utf8).value }
    #expect(lines.count == 3 && lines.allSatisfy { $0["valid"] == true })
    #expect(lines[0]["file"]?.stringValue?.hasSuffix("/a.example.json") == true)
  }

  @Test func filesOfADirectoryAreCheckedForTheirDomains() throws {
    let file = AssociationFile.routes(["/a"])
    try trial.scratch.write(file.text, to: "state/none.json")
    let sites = try TemporaryDirectory()
    try sites.write(file.text, to: "shop.example")
    let result = try validate(sites.url.path)
    #expect(result.status == 0)
    #expect(result.output.contains("www.shop.example"), "\(result.output)")
  }
}
