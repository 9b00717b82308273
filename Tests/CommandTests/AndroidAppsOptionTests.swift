import Foundation
import Association
import TestSupport
import Testing

/// `--android-apps` of `aasa import`, and what is said without it.
@Suite struct AndroidAppsOptionTests {
  private let trial: StateTrial
  private var scratch: TemporaryDirectory { trial.scratch }
  private static let apple: JSON = [
    "applinks": [
      "details": [["appIDs": [.string(AssociationFile.app)], "components": routes]]
    ]
  ]
  private static let routes: JSON = [["/": "/buy/private/*", "exclude": true], ["/": "/buy/*"]]
  /// What these routes are for Android, which compares slashes at the end.
  private static let rules: JSON = [
    ["/": "/buy/private/*", "exclude": true], ["/": "/buy/private", "exclude": true],
    ["/": "/buy/*"], ["/": "/buy"],
  ]

  init() throws { trial = try StateTrial() }

  private static func file(_ package: String, _ octet: String = "D9", rules: JSON?) -> JSON {
    let fingerprint =
      octet
      + ":55:96:F6:BD:58:9D:EF:D9:C3:CC:2E:FE:25:DD:D0:63:2D:9D:0F:56:47:E4:9E:CF:9F:9D:76:9F:4E:B6:6F"
    return [AssociationFile.statement(package, [fingerprint], rules: rules)]
  }

  private func write(_ file: JSON, to path: String) throws {
    try scratch.write(file.prettyPrinted(), to: "sites/\(path)")
  }

  private func served(_ host: String) throws -> JSON {
    try trial.server.client().send("GET", "/v1/domains/\(host)/documents/assetlinks.json").json
  }

  private func domain(_ host: String) throws -> JSON {
    try trial.server.client().send("GET", "/v1/domains/\(host)").json
  }

  @Test(arguments: StateTrial.Site.allCases)
  func bothFilesOfADomainBecomeOneListOfRoutes(site: StateTrial.Site) throws {
    let android = Self.file("com.example.shop", rules: Self.rules)
    // Named in the wrong order.
    try write(android, to: "one.example/assetlinks.json")
    try write(Self.apple, to: "one.example/apple-app-site-association")
    let files = ["assetlinks.json", "apple-app-site-association"].map {
      scratch.path("sites/one.example/\($0)")
    }
    let offered = try trial.run("import", at: site, words: ["--dry-run"] + files)
    #expect(
      offered.errors.contains(
        "The files name 1 Android app that is not stored: com.example.shop. Their statements are kept as they "
          + "are. To create the apps with their fingerprints, repeat with --android-apps."),
      "\(offered.errors)")
    let result = try trial.run("import", at: site, words: ["--android-apps"] + files)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.lines.contains(
        "  Android app com.example.shop: Created with 1 fingerprint. Compare with the Play Console whose key it is, and set the label. Named in entry 1."
      ),
      "\(result.output)")
    #expect(!result.errors.contains("--android-apps"))
    #expect(try becomesTrue { try served("one.example") == android })
    let stored = try domain("one.example")
    #expect(stored["entries"]?.arrayValue?.count == 1 && stored["assetlinksExtra"] == nil)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func anAtomicImportCreatesTheAppsWithTheDomains(site: StateTrial.Site) throws {
    let files = ["one.example": "D9", "two.example": "D9", "three.example": "D8"]
    for (host, octet) in files {
      try write(Self.file("com.example.shop", octet, rules: nil), to: "\(host)/assetlinks.json")
    }
    let result = try trial.run(
      "import", at: site, "--atomic", "--android-apps", scratch.path("sites"))
    #expect(result.status == 0, "\(result.errors)")
    for (host, octet) in files {
      let file = Self.file("com.example.shop", octet, rules: nil)
      #expect(try becomesTrue { try served(host) == file })
    }
    let kept = try files.keys.filter { try domain($0)["assetlinksExtra"] != nil }
    let created =
      "  Android app com.example.shop: Created with 1 fingerprint. Compare with the Play Console whose key it is, and set the label. Named in an entry of its own."
    #expect(result.lines.contains(created), "\(result.output)")
    #expect(
      result.output.contains("Not created: another file of this import has other fingerprints"),
      "\(result.output)")
    #expect(!result.errors.contains("--android-apps"), "\(result.errors)")
    // "one" and "three" come before "two"; an app has one set of fingerprints.
    #expect(kept == ["three.example"], "\(result.output)")
    let apps = try trial.server.client().send("GET", "/v1/android-apps").json["items"]
    #expect(apps?.arrayValue?.count == 1)
  }
}
