import Association
import TestSupport
import Testing

/// `aasa template suggest` and `aasa template adopt`, of a server and of a database.
@Suite struct TemplateCommandTests {
  typealias Site = StateTrial.Site
  private let trial: StateTrial

  init() throws {
    trial = try StateTrial()
    let state: JSON = [
      "domains": [
        Self.domain("anna", "shop", [:]), Self.domain("bruno", "boutique", [:]),
        Self.domain("carla", "laden", ["cacheSeconds": 60]),
      ]
    ]
    let answer = try trial.server.client().send("POST", "/v1/apply", json: state)
    #expect(answer.status == 200, "\(answer.text)")
  }

  private static func domain(_ name: String, _ shop: String, _ more: JSON.Object) -> JSON {
    var json: JSON.Object = [
      "domain": .string("\(name).brand.example"),
      "entries": [
        [
          "apps": [.string("ABCDE12345.com.example.\(name)")],
          "routes": [
            ["path": .string("/\(shop)/cart"), "exclude": true], ["path": .string("/\(shop)/*")],
            ["path": "/help/*"],
          ],
        ]
      ],
      "passkeyEndpoints": ["enroll": .string("https://\(name).brand.example/keys")],
    ]
    for member in more.members { json[member.key] = member.value }
    return .object(json)
  }

  private func run(_ command: String, at site: Site, _ words: String...) throws -> Program.Result {
    try trial.run("template \(command)", at: site, words: words)
  }

  @Test(arguments: Site.allCases) func aSuggestedTemplateTakesItsDomains(site: Site) throws {
    let names = ["anna", "bruno", "carla"].map { "\($0).brand.example" }
    let before = try names.map { try trial.server.file(of: $0).body }
    let suggested = try run("suggest", at: site, "--name", "white-label", "*.brand.example")
    #expect(suggested.status == 0, "\(suggested.errors)")
    let template = try JSON.parse(Array(suggested.output.utf8)).value
    #expect(
      template["parameters"] == [
        ["name": "app", "type": "app"], ["name": "path", "type": "path"],
      ], "\(template.text)")
    #expect(
      template["entries"]?.arrayValue?.first?["routes"]?.arrayValue?.map { $0["path"] } == [
        "/{path}/cart", "/{path}/*", "/help/*",
      ])
    #expect(template["passkeyEndpoints"] == ["enroll": "https://{domain}/keys"])
    #expect(
      suggested.errors.contains(
        "carla.brand.example  app=ABCDE12345.com.example.carla, path=laden; its own: cacheSeconds"),
      "\(suggested.errors)")

    try trial.scratch.write(suggested.output, to: "rules.json")
    let values = try run("suggest", at: site, "--values", "*.brand.example")
    #expect(
      values.output.hasPrefix(
        "domain,app,path\nanna.brand.example,ABCDE12345.com.example.anna,shop\n"))
    #expect(try trial.run("apply", at: site, trial.scratch.path("rules.json")).status == 0)
    let tried = try run("adopt", at: site, "--dry-run", "white-label", "*.brand.example")
    #expect(
      tried.status == 0 && tried.output.contains("Domains: 3 to update. Nothing was changed."))
    let adopted = try run("adopt", at: site, "white-label", "*.brand.example")
    #expect(adopted.status == 0, "\(adopted.errors)")
    #expect(
      adopted.output.contains(
        "~ bruno.brand.example  app=ABCDE12345.com.example.bruno, path=boutique"))
    #expect(adopted.errors.contains("aasa undo "), "\(adopted.errors)")
    #expect(try names.map { try trial.server.file(of: $0).body } == before)
    let domain = try trial.server.client().send("GET", "/v1/domains/bruno.brand.example").json
    #expect(domain["template"] == "white-label" && domain["entries"] == nil)
  }

  @Test func valuesComeFromATableAndRefusalsAreNamed() throws {
    try trial.scratch.write(
      #"""
      {"template": "white-label",
       "parameters": [{"name": "app", "type": "app"}, {"name": "shop", "type": "path"}],
       "entries": [{"apps": ["{app}"], "routes": [{"path": "/{shop}/*"}, {"path": "/help/*"}]}]}
      """#, to: "rules.json")
    #expect(try trial.run("apply", at: .server, trial.scratch.path("rules.json")).status == 0)
    try trial.scratch.write("domain,shop\nanna.brand.example,shop\n", to: "values.csv")
    let file = trial.scratch.path("values.csv")
    let refused = try run("adopt", at: .server, "white-label", "--from", file)
    #expect(refused.status == 0, "\(refused.errors)")
    #expect(refused.output.contains("its own: entries"), "the exclusion stays: \(refused.output)")
    try trial.scratch.write("domain,shop\nbruno.brand.example,other\n", to: "values.csv")
    let other = try run("adopt", at: .server, "white-label", "--from", file)
    #expect(other.status == 1)
    #expect(
      other.errors.contains("https://bruno.brand.example/other ")
        && other.errors.contains("no-match → match"), "\(other.errors)")
    try trial.scratch.write("domain,none\nbruno.brand.example,other\n", to: "values.csv")
    let faulty = try run("adopt", at: .server, "white-label", "--from", file)
    #expect(faulty.status == 1 && faulty.errors.contains(#"line 1, column "none""#))
    let unlike = try run("suggest", at: .server, "anna.brand.example", "bruno.brand.example")
    #expect(unlike.status == 1 && unlike.errors.contains("uses the template"), "\(unlike.errors)")
  }

  @Test(arguments: Site.allCases)
  func domainsAreListedByTemplateAndByWhatEditsOfItLeftBehind(site: Site) throws {
    let client = try trial.server.client()
    func rules(_ path: String) -> JSON {
      ["entries": [["apps": ["ABCDE12345.com.example.a"], "routes": [["path": .string(path)]]]]]
    }
    func put(_ path: String, _ json: JSON) throws {
      let answer = try client.send("PUT", path, json: json)
      #expect([200, 201].contains(answer.status), "\(answer.text)")
    }
    try put("/v1/templates/shops", rules("/a/*"))
    let expectations: JSON = [
      [
        "url": "https://one.example/a/1", "app": "ABCDE12345.com.example.a", "resolution": "match",
      ]
    ]
    try put("/v1/domains/one.example", ["template": "shops", "expectations": expectations])
    try put(
      "/v1/domains/two.example",
      ["template": "shops", "environment": "staging", "enabled": false])
    try put("/v1/templates/shops?skip=refused", rules("/b/*"))
    func names(_ options: String...) throws -> [String] {
      let result = try trial.run("domains", at: site, words: options)
      #expect(result.status == 0, "\(result.errors)")
      return result.lines.map { $0.prefix { $0 != "\t" }.description }
    }
    #expect(try names("--template", "shops") == ["one.example", "two.example"])
    #expect(try names("--behind-template") == ["one.example"])
    #expect(try names("--environment", "staging") == ["two.example"])
    #expect(try names("--disabled") == ["two.example"])
    let cut = try trial.run("domains", at: site, "--template", "shops", "--limit", "1")
    #expect(cut.errors.contains("There is more than 1 domain."), "\(cut.errors)")
  }

  @Test func whyDomainsAreSkippedIsSaid() throws {
    try trial.scratch.write(
      #"""
      {"template": "white-label",
       "parameters": [{"name": "app", "type": "app"}, {"name": "shop", "type": "path"}],
       "entries": [{"apps": ["{app}"], "routes": [{"path": "/{shop}/*"}, {"path": "/help/*"}]}]}
      """#, to: "rules.json")
    #expect(try trial.run("apply", at: .server, trial.scratch.path("rules.json")).status == 0)
    try trial.scratch.write("domain,shop\nbruno.brand.example,other\n", to: "values.csv")
    let adopted = try run(
      "adopt", at: .server, "white-label", "*.brand.example", "--skip", "refused", "--from",
      trial.scratch.path("values.csv"))
    #expect(adopted.status == 0, "\(adopted.errors)")
    #expect(
      adopted.errors.contains(
        "Left as they are: bruno.brand.example.\n  bruno.brand.example was not taken under the template"
      ),
      "\(adopted.errors)")
    #expect(adopted.errors.contains("no-match → match"))
  }

  @Test(arguments: Site.allCases)
  func aDomainLeavesItsTemplateByCommand(site: Site) throws {
    let template = { (path: String) in
      #"{"template": "white-label", "entries": [{"apps": ["ABCDE12345.a"], "routes": [{"path": "\#(path)"}]}]}"#
    }
    let apply = { (text: String) in
      try trial.scratch.write(text, to: "state.json")
      return try trial.run("apply", at: site, trial.scratch.path("state.json"))
    }
    #expect(try apply(template("/old/*")).status == 0)
    for name in ["x.example", "y.example"] {
      let applied = try apply(#"{"domain": "\#(name)", "template": "white-label"}"#)
      #expect(applied.status == 0, "\(applied.errors)")
    }
    #expect(try apply(template("/new/*")).status == 0)
    let refused = try trial.run("rollback", at: site, "x.example", "1")
    #expect(
      refused.status == 1 && refused.errors.contains("repeat with --detach"), "\(refused.errors)")
    let back = try trial.run("rollback", at: site, "x.example", "1", "--detach")
    #expect(
      back.status == 0 && back.output.contains("template removed"), "\(back.output)\(back.errors)")
    #expect(try trial.isServed(["/old/*"], for: "x.example"))
    let detached = try run("detach", at: site, "y.example")
    #expect(detached.status == 0, "\(detached.errors)")
    let domain = try trial.server.client().send("GET", "/v1/domains/y.example").json
    #expect(domain["template"] == nil && domain["entries"]?.arrayValue?.count == 1)
    #expect(try trial.isServed(["/new/*"], for: "y.example"))
  }

  @Test(arguments: [
    ["template", "adopt"], ["template", "adopt", "white-label"], ["template", "suggest"],
    ["template", "suggest", "--json", "--values", "a.example"],
    ["template", "adopt", "A B", "x.example"],
  ])
  func wrongUsageIsRefused(words: [String]) throws {
    #expect(try Program.run(Program.aasa, words + ["--database", trial.database]).status == 64)
  }
}
