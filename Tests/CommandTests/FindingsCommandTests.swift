import JSONValue
import TestSupport
import Testing

/// `aasa findings` and `aasa convert`: what is to be improved in adopted files.
@Suite struct FindingsCommandTests {
  private let trial: StateTrial

  init() throws {
    trial = try StateTrial()
    // As most files are that are adopted: legacy, and with a mistake that refuses nothing.
    let file: JSON = [
      "applinks": [
        "apps": [],
        "details": [
          [
            "appID": .string(AssociationFile.app),
            "paths": ["NOT /buy/x", "/buy/*", "https://shop.example/help"],
          ]
        ],
      ]
    ]
    let path = try trial.scratch.write(file.text, to: "file.json")
    let result = try trial.run("import", at: .server, "--domain", "shop.example", path)
    guard result.status == 0 else { throw StateTrial.NotSetUp(problem: result.errors) }
  }

  @Test(arguments: StateTrial.Site.allCases)
  func findingsOfAllDomainsAreListedAndFiltered(site: StateTrial.Site) throws {
    let all = try trial.run("findings", at: site)
    #expect(all.status == 0)
    let rows = all.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    #expect(Set(rows.map { String($0[2]) }).isSuperset(of: ["a.example", "shop.example"]))
    #expect(all.errors.contains(" www-sibling-missing"), "counts: \(all.errors)")
    let code = try trial.run("findings", at: site, "--code", "url-as-path")
    #expect(code.lines.count == 1)
    #expect(
      code.lines[0].hasPrefix("warning\turl-as-path\tshop.example\t/applinks/details/0/paths/2\t"))
    let one = try trial.run("findings", at: site, "--domain", "a.example", "--severity", "error")
    #expect(one.status == 0 && one.output.isEmpty && one.errors == "No findings.\n")
    let json = try trial.run("findings", at: site, "--json", "--code", "url-as-path")
    #expect(try JSON.parse(json.bytes).value["help"]?.stringValue?.isEmpty == false)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func aLegacyDomainIsConvertedIfNoURLChanges(site: StateTrial.Site) throws {
    let before = try trial.server.file(of: "shop.example").body
    let plan = try trial.run("convert", at: site, "--dry-run", "shop.example")
    #expect(plan.status == 0, "\(plan)")
    #expect(plan.lines.last == "Nothing was changed.")
    #expect(try trial.server.file(of: "shop.example").body == before)
    let done = try trial.run("convert", at: site, "shop.example")
    #expect(done.status == 0)
    #expect(done.errors.hasSuffix("No URL resolves differently.\n"))
    let isModern = try becomesTrue(within: 1) {
      let entry = try trial.server.file(of: "shop.example").json["applinks"]?["details"]?
        .arrayValue?.first
      return entry?["components"] != nil && entry?["paths"] == nil
    }
    #expect(isModern)
    #expect(try trial.run("match", at: site, "shop.example/buy/1").status == 0)
    #expect(try trial.run("match", at: site, "shop.example/buy/x").status == 1)
    let again = try trial.run("convert", at: site, "shop.example")
    #expect(again.status == 0 && again.output == "No changes: shop.example has no paths.\n")
  }
}
