import Association
import TestSupport
import Testing

/// `aasa apps` and `aasa app`, of a server and of a database.
@Suite struct AppCommandTests {
  typealias Site = StateTrial.Site
  private let trial: StateTrial
  private let app = AssociationFile.app
  private let package = "com.example.shop"

  init() throws {
    trial = try StateTrial()
    let certificate = (0..<32).map { "\($0 * 7 % 90 + 10)" }.joined(separator: ":")
    let added = try trial.server.client().send(
      "PUT", "/v1/android-apps/\(package)",
      json: [
        "name": "Shop", "fingerprints": [["sha256": .string(certificate), "label": "upload"]],
      ])
    #expect(added.status == 201, "\(added.text)")
  }

  private func served() throws -> String {
    try ["a.example", "b.example"].map { try trial.server.file(of: $0).text }.joined()
  }

  private func apply(_ state: JSON) throws {
    let path = "/v1/apply?overwrite=true&accept=opens-nothing"
    let answer = try trial.server.client().send("POST", path, json: state)
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test(arguments: Site.allCases) func appsOfBothPlatformsAreListed(site: Site) throws {
    let list = try trial.run("apps", at: site)
    #expect(list.status == 0, "\(list.errors)")
    #expect(
      list.lines == ["\(app)\tExample\tproduction\t2", "\(package)\tShop\tproduction\t0"])
    #expect(try trial.run("apps", at: site, "shop").lines.count == 1)
    let none = try trial.run("apps", at: site, "nothing")
    #expect(none.status == 0 && none.output.isEmpty && none.errors == "No apps.\n")
    let json = try trial.run("apps", at: site, "--json").lines.map { try JSON.parse($0.utf8).value }
    #expect(json.map { $0["domains"] } == [2, 0] && json[1]["fingerprints"] != nil)
  }

  @Test(arguments: Site.allCases) func anAppIsRenamedInAllDomains(site: Site) throws {
    let (before, new) = (try served(), "ABCDE12345.com.example.phone")
    let dry = try trial.run("app rename", at: site, "--dry-run", app, new)
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(dry.output.hasPrefix("~ app \(new)\n~ a.example  revision 2, "), "\(dry.output)")
    #expect(dry.output.hasSuffix("Domains: 2 to update. Apps: 1 to update. Nothing was changed.\n"))
    #expect(try served() == before)
    let renamed = try trial.run("app rename", at: site, "--reason", "Release 12", app, new)
    #expect(renamed.output.hasSuffix("Domains: 2 updated. Apps: 1 updated.\n"), "\(renamed.output)")
    #expect(renamed.errors.contains("To undo it, run 'aasa undo "))
    #expect(try trial.run("apps", at: site).lines.first == "\(new)\tExample\tproduction\t2")
    let again = try trial.run("app rename", at: site, app, new)
    #expect(again.status == 1 && again.errors.contains("does not exist"), "\(again.errors)")
    let taken = try trial.run("app rename", at: site, "--json", package, "com.example.other")
    #expect(try JSON.parse(taken.output.utf8).value["package"] == "com.example.other")
  }

  @Test(arguments: Site.allCases) func aTemplateThatNamesTheAppIsListed(site: Site) throws {
    let entries: JSON = [["apps": [.string(app)], "routes": [["path": "/t"]]]]
    try apply([
      "templates": [["template": "shops", "parameters": [], "entries": entries]],
      "domains": [["domain": "t.example", "template": "shops"]],
    ])
    let renamed = try trial.run("app rename", at: site, app, "ABCDE12345.com.example.phone")
    #expect(
      renamed.status == 0 && renamed.output.contains("~ template shops\n"), "\(renamed.errors)")
    #expect(
      renamed.output.hasSuffix("Domains: 3 updated. Templates: 1 updated. Apps: 1 updated.\n"))
  }

  @Test(arguments: Site.allCases) func anAppMovesToAnotherTeam(site: Site) throws {
    let new = "FGHIJ67890.com.example.app"
    let early = try trial.run("app delete", at: site, app)
    #expect(early.status == 1)
    #expect(
      early.errors.hasSuffix(
        "\"\(app)\" is in use by 2 domains. Remove it there first, or repeat with --everywhere.\n"),
      "\(early.errors)")
    let drafted = try trial.run("app accompany", at: site, "--draft", app, new)
    #expect(drafted.status == 0 && drafted.errors.contains("Draft "), "\(drafted.errors)")
    let moved = try trial.run("app accompany", at: site, app, new)
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(moved.output.hasSuffix("Domains: 2 updated. Apps: 1 created.\n"), "\(moved.output)")
    let ended = try trial.run("app delete", at: site, "--everywhere", app)
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.output.hasPrefix("- app \(app)\n"), "\(ended.output)")
    #expect(try becomesTrue { try !served().contains(app) && served().contains(new) })
  }

  @Test(arguments: Site.allCases) func allAppsOfATeamMove(site: Site) throws {
    let second = "ABCDE12345.com.example.second"
    try apply([
      "apps": [["app": .string(second)]],
      "domains": [
        [
          "domain": "c.example",
          "entries": [["apps": [.string(second)], "routes": [["path": "/*"]]]],
        ]
      ],
    ])
    let before = try served()
    let dry = try trial.run("app accompany", at: site, "--dry-run", "ABCDE12345", "FGHIJ67890")
    #expect(dry.status == 0 && dry.output.contains("+ app FGHIJ67890.com.example.second"))
    #expect(try served() == before)
    let moved = try trial.run("app accompany", at: site, "ABCDE12345", "FGHIJ67890")
    #expect(moved.status == 0, "\(moved.errors)")
    // All or none: the dry run of the second app is refused before anything is deleted.
    try apply([
      "domains": [
        [
          "domain": "c.example",
          "entries": [["apps": [.string(second)], "routes": [["path": "/*"]]]],
        ]
      ]
    ])
    let both = try served()
    let refused = try trial.run("app delete", at: site, "--everywhere", "ABCDE12345")
    #expect(refused.status == 1 && refused.errors.contains("opens-nothing"), "\(refused.errors)")
    #expect(try served() == both && both != before)
    let ended = try trial.run(
      "app delete", at: site, "--everywhere", "--accept", "opens-nothing", "ABCDE12345")
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(try trial.run("apps", at: site, "ABCDE12345.").output.isEmpty)
    let gone = try trial.run("app delete", at: site, "--everywhere", "ABCDE12345")
    #expect(gone.status == 1 && gone.errors.contains("No app has the prefix \"ABCDE12345\"."))
  }

  @Test(arguments: Site.allCases) func anUnusedAppIsDeleted(site: Site) throws {
    let dry = try trial.run("app delete", at: site, "--dry-run", package)
    #expect(
      dry.output
        == "- Android app \(package)\nApps: 1 to delete. Nothing was changed.\n", "\(dry.errors)")
    #expect(try trial.run("apps", at: site).lines.count == 2)
    let deleted = try trial.run("app delete", at: site, package)
    #expect(deleted.output == "- Android app \(package)\nApps: 1 deleted.\n", "\(deleted.errors)")
    #expect(try trial.run("apps", at: site).lines.count == 1)
  }

  @Test(arguments: [
    ["rename", "ABCDE12345.com.example.app", "com.example.app"], ["rename", "a.b"],
    ["accompany", "ABCDE12345", "FGHIJ67890.com.example.app"], ["delete", "ABCDE12345"],
    ["accompany", "ABCDE12345", "FGHIJ67890", "--draft"], ["delete", "com.example.app", "--draft"],
    ["delete", "com..app"],
  ])
  func wrongUsageIsRefused(words: [String]) throws {
    let result = try Program.run(
      Program.aasa, ["app"] + words + ["--database", trial.database])
    #expect(result.status == 64, "\(result.errors)")
  }
}
