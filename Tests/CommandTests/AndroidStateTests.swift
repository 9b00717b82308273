import Association
import TestSupport
import Testing

/// Android apps in the files of `aasa export`, `diff` and `apply`.
@Suite struct AndroidStateTests {
  private let trial: StateTrial
  private static let play =
    "D9:55:96:F6:BD:58:9D:EF:D9:C3:CC:2E:FE:25:DD:D0:63:2D:9D:0F:56:47:E4:9E:CF:9F:9D:76:9F:4E:B6:6F"

  init() throws {
    trial = try StateTrial()
    let client = try trial.server.client()
    let app: JSON = [
      "name": "Shop", "fingerprints": [["sha256": .string(Self.play), "label": "play-signing"]],
    ]
    let added = try client.send("PUT", "/v1/android-apps/com.example.shop", json: app)
    let named = try client.send(
      "PATCH", "/v1/domains/a.example", json: ["androidCredentials": ["com.example.shop"]])
    guard added.status == 201, named.status == 200 else {
      throw StateTrial.NotSetUp(problem: String(decoding: named.body, as: UTF8.self))
    }
  }

  @Test(arguments: StateTrial.Site.allCases)
  func appsOfBothPlatformsAreInTheFileOfTheAppsAndAreAppliedFromIt(
    site: StateTrial.Site
  ) throws {
    _ = try trial.exportDirectory(at: site)
    let apps = try JSON.parse(trial.scratch.read("state/apps.json")).value
    #expect(apps.objectValue?.keys == ["apps", "androidApps"])
    #expect(apps["androidApps"]?.arrayValue?.map { $0["package"] } == ["com.example.shop"])
    let unchanged = try trial.run("diff", at: site, trial.directory)
    #expect(unchanged.status == 0, "\(unchanged.errors)")
    #expect(unchanged.output == "No changes: 2 domains and 2 apps are up to date.\n")
    let whole = try trial.run("export", at: site)
    #expect(try trial.run("diff", at: site, "-", input: whole.bytes).status == 0)

    try trial.replace(Self.play, with: "D8" + Self.play.dropFirst(2), in: "apps.json")
    let changed = try trial.run("diff", at: site, trial.directory)
    #expect(changed.status == 2, "\(changed.errors)")
    #expect(changed.lines.contains("~ Android app com.example.shop"))
    #expect(changed.lines.contains { $0.hasPrefix("~ a.example  revision 3, ") })
    let applied = try trial.run("apply", at: site, "--json", trial.directory)
    #expect(applied.status == 0, "\(applied.errors)")
    let plan = try JSON.parse(applied.bytes).value
    #expect(plan.objectValue?.keys == ["apps", "androidApps", "domains", "change"])
    #expect(plan["androidApps"]?.arrayValue?.first?["action"] == "update")
    #expect(try trial.run("diff", at: site, trial.directory).status == 0)
  }
}
