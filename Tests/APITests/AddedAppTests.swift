import HTTP
import Association
import Service
import Store
import TestSupport
import Testing

/// An app that somebody limited to domains adds decides nothing for the domains of others, unless these agree.
@Suite struct AddedAppTests {
  let running: RunningService
  var admin: Client { running.admin }
  let teamA: Client
  private let package = "com.example.shop"
  private let code: JSON = "app-added-by-limited-token"
  private let accept = "accept=app-added-by-limited-token"

  init() throws {
    running = try RunningService()
    teamA = try running.client(.editor, named: "team-a", domains: ["*.a.example"])
  }

  private func fingerprint(_ digit: String = "7") -> String {
    digit
      + "E:5B:10:C4:93:D8:2F:A6:41:0C:EE:57:B2:19:8D:64:F3:0A:76:C9:35:DE:48:91:AB:22:6F:80:1D:E7:54:BC"
  }

  private func input(_ digit: String = "7") -> JSON {
    ["fingerprints": [["sha256": .string(fingerprint(digit)), "label": "play-signing"]]]
  }

  private func androidApp(_ package: String? = nil, _ digit: String = "7") -> JSON {
    var app = input(digit).objectValue ?? [:]
    app["package"] = .string(package ?? self.package)
    return .object(app)
  }

  private func naming(_ packages: [String]) -> JSON {
    ["entries": [["androidApps": .strings(packages), "routes": [["path": "/a"]]]]]
  }

  private var naming: JSON { naming([package]) }

  private func domain(_ name: String, _ content: JSON? = nil) -> JSON {
    var domain = (content ?? naming).objectValue ?? [:]
    domain["domain"] = .string(name)
    return .object(domain)
  }

  private func apply(
    _ client: Client, _ query: String = "", apps: [JSON] = [], androidApps: [JSON] = [],
    _ domains: [JSON]
  ) throws -> RawResponse {
    try client.send(
      "POST", "/v1/apply?\(query)",
      json: ["apps": .array(apps), "androidApps": .array(androidApps), "domains": .array(domains)])
  }

  /// Adds the app as team A, with a domain of that team.
  private func add(_ package: String? = nil, _ host: String = "www.a.example") throws {
    let package = package ?? self.package
    let added = try apply(
      teamA, androidApps: [androidApp(package)], [domain(host, naming([package]))])
    guard added.status == 200 else { throw Unexpected(response: added) }
  }

  private func put(
    _ client: Client, _ host: String, _ query: String = "", _ content: JSON? = nil
  ) throws -> RawResponse {
    try client.send("PUT", "/v1/domains/\(host)?\(query)", json: content ?? naming)
  }

  private func isAsked(_ response: RawResponse) throws -> Bool {
    try response.status == 422 && response.code == code.stringValue
  }

  /// What the public listener serves as assetlinks.json.
  private func served(_ host: String) throws -> String {
    try running.serve(host, "assetlinks.json").text
  }

  private func addedBy(_ package: String? = nil) throws -> JSON? {
    try admin.send("GET", "/v1/android-apps/\(package ?? self.package)").json["addedBy"]
  }

  // MARK: - Drafts

  @Test func approvingADraftGivesItsAuthorNoMoreThanApplyingIt() throws {
    let state: JSON = [
      "androidApps": [androidApp()], "domains": [domain("www.a.example")],
    ]
    let draft = try teamA.send("POST", "/v1/drafts", json: state)
    let id = try #require(try draft.json["id"]?.integerValue, "\(draft.text)")
    let approved = try admin.send("POST", "/v1/drafts/\(id)/approve")
    #expect(approved.status == 200, "\(approved.text)")
    #expect(try addedBy()?["name"] == "team-a")
    #expect(try isAsked(put(admin, "www.bank.example")))

    // Nor does it speak for others: what team B accepts, it accepts for its own domains.
    let teamB = try running.client(.editor, named: "team-b", domains: ["*.b.example"])
    let second = try teamB.send(
      "POST", "/v1/drafts?\(accept)", json: ["domains": [domain("www.b.example")]])
    let next = try #require(try second.json["id"]?.integerValue, "\(second.text)")
    #expect(try admin.send("POST", "/v1/drafts/\(next)/approve").status == 200)
    #expect(try addedBy()?["name"] == "team-a")
    #expect(try isAsked(put(admin, "www.bank.example")))
  }

  @Test func aDraftOfALimitedAuthorWhoseTemplateHasChangedIsOutdated() throws {
    func template(_ path: String) -> JSON {
      [
        "template": "shops",
        "entries": [["apps": [.string(app)], "routes": [["path": .string(path)]]]],
      ]
    }
    #expect(try admin.send("PUT", "/v1/templates/shops", json: template("/a")).status == 201)
    for host in ["www.a.example", "www.b.example"] {
      #expect(try put(admin, host, "", ["template": "shops"]).status == 201)
    }
    let draft = try teamA.send(
      "POST", "/v1/drafts",
      json: [
        "templates": [template("/a")],
        "domains": [["domain": "www.a.example", "cacheSeconds": 60, "revision": 1]],
      ])
    let id = try #require(try draft.json["id"]?.integerValue, "\(draft.text)")
    let edited = try admin.send("PUT", "/v1/templates/shops", json: template("/b"))
    #expect(edited.status == 200, "\(edited.text)")
    // Not that its author may not change www.b.example.
    let approved = try admin.send("POST", "/v1/drafts/\(id)/approve")
    #expect(try approved.status == 409 && approved.code == "draft-outdated", "\(approved.text)")
    let plan = try admin.send("GET", "/v1/drafts/\(id)/plan")
    #expect(
      try plan.json["refused"]?.arrayValue?.contains { $0["code"] == "draft-outdated" } == true,
      "\(plan.text)")
  }

  // MARK: - Adding

  @Test(arguments: ["", "dryRun=true"])
  func aLimitedTokenAddsAnAppOnlyWithADomainOfItsOwnThatUsesIt(query: String) throws {
    let apple: JSON = ["app": .string(app), "name": "Example"]
    for domains in [[], [domain("www.a.example", ["cacheSeconds": 60])]] {
      let refused = try apply(
        teamA, query, apps: [apple], androidApps: [androidApp()], domains)
      #expect(try refused.status == 403 && refused.code == "token-limited")
      #expect(
        refused.text.contains(#"No domain uses \"\#(app)\", \"\#(package)\"."#), "\(refused.text)")
    }
    #expect(try put(teamA, "www.a.example").code == "unknown-android-app")
    let paths = ["/v1/apps/\(app)", "/v1/android-apps/\(package)"]
    for (path, json) in zip(paths, [[:], input()] as [JSON]) {
      #expect(try teamA.send("PUT", path, json: json).code == "token-limited")
      #expect(try admin.send("GET", path).status == 404)
    }
    let both: JSON = [
      "entries": [
        ["apps": [.string(app)], "androidApps": [.string(package)], "routes": [["path": "/a"]]]
      ]
    ]
    let added = try apply(
      teamA, query, apps: [apple], androidApps: [androidApp()], [domain("www.a.example", both)])
    #expect(added.status == 200, "\(added.text)")
    for path in paths {
      #expect(try admin.send("GET", path).status == (query.isEmpty ? 200 : 404))
    }
  }

  @Test func aLimitedTokenAddsAnAppThatADomainUsesThroughItsTemplate() throws {
    let template: JSON = [
      "parameters": [["name": "app", "type": "app"]],
      "entries": [["apps": ["{app}"], "routes": [["path": "/a"]]]],
    ]
    #expect(try admin.send("PUT", "/v1/templates/shop", json: template).status == 201)
    let domains: [JSON] = ["www.a.example", "shop.a.example"].map { host in
      [
        "domain": .string(host), "template": "shop", "parameters": ["app": .string(app)],
        "expectations": [
          [
            "url": .string("https://\(host)/b"), "app": "ABCDE12345.com.example.b",
            "resolution": "match",
          ]
        ],
      ]
    }
    let apple: JSON = ["app": .string(app), "name": "Example"]
    // The answer says what is wrong, not that no domain uses the app.
    #expect(try apply(teamA, apps: [apple], domains).code == "several-refused")
    let added = try apply(
      teamA, apps: [apple],
      domains.map {
        var domain = $0.objectValue ?? [:]
        domain["expectations"] = []
        return .object(domain)
      })
    #expect(added.status == 200, "\(added.text)")
  }

  @Test func aLimitedTokenAppliesAppsThatAreStoredWithoutADomain() throws {
    try add()
    let apps = try teamA.send("GET", "/v1/export").json["androidApps"]?.arrayValue ?? []
    let again = try apply(teamA, androidApps: apps, [])
    #expect(again.status == 200, "\(again.text)")
    #expect(try again.json["androidApps"]?[0]?["action"] == "unchanged")
  }

  @Test func aLimitedTokenDoesNotChangeTheAppThatItAdded() throws {
    try add()
    let change = try apply(
      teamA, androidApps: [androidApp(nil, "8")], [domain("www.a.example")])
    #expect(try change.code == "token-limited")
    #expect(try served("www.a.example").contains(fingerprint()))
  }

  @Test func anAppShowsWhichLimitedTokenAddedIt() throws {
    try add()
    let author: JSON = ["name": "team-a", "domains": ["*.a.example"]]
    #expect(try addedBy() == author)
    #expect(try admin.send("GET", "/v1/android-apps").json["items"]?[0]?["addedBy"] == author)
    #expect(try !admin.send("GET", "/v1/export").text.contains("addedBy"))
  }

  @Test func anAppOfAnAdoptedFileIsOneThatALimitedTokenAdded() throws {
    let adopted = try teamA.send(
      "PUT", "/v1/domains/www.a.example/documents/assetlinks.json?androidApps=create",
      json: [AssociationFile.statement(package, [fingerprint()])])
    #expect(adopted.status == 201, "\(adopted.text)")
    #expect(try addedBy()?["name"] == "team-a")
    #expect(try isAsked(put(admin, "brand.example")))
  }

  // MARK: - Asking

  @Test(arguments: [false, true])
  func aDomainOutsideIsAskedOnceAndToldWhoAddedTheApp(asCredential: Bool) throws {
    try add()
    let content: JSON = asCredential ? ["androidCredentials": [.string(package)]] : naming
    for query in ["", "dryRun=true", "accept=opens-nothing"] {
      let refused = try put(admin, "brand.example", query, content)
      #expect(try isAsked(refused))
      let found = try refused.json["findings"]?.arrayValue?.first { $0["code"] == code }
      #expect(
        found?["message"]?.stringValue
          == #""team-a", which is limited to other domains, added the Android app \#(package). "#
          + "brand.example would publish its fingerprint \(fingerprint()).")
      #expect(try refused.json["acceptable"] == [code])
    }
    #expect(try !served("brand.example").contains(fingerprint()))
    let dry = try put(admin, "brand.example", "\(accept)&dryRun=true", content)
    #expect(dry.status == 201, "\(dry.text)")
    #expect(try addedBy() != nil)
    let accepted = try put(admin, "brand.example", accept, content)
    #expect(try accepted.status == 201 && accepted.json["accepted"] == [code])
    #expect(try served("brand.example").contains(fingerprint()))
    #expect(try admin.send("GET", "/v1/audit").text.contains("confirm Android app"))
    #expect(try addedBy() == nil)
    let edit = try admin.send("PATCH", "/v1/domains/brand.example", json: ["cacheSeconds": 60])
    #expect(try edit.status == 200 && edit.json["accepted"] == nil)
    #expect(try put(admin, "other.example", "", content).status == 201)
    let open = try admin.send("GET", "/v1/findings?code=app-added-by-limited-token").json
    #expect(open["items"] == [])
  }

  @Test func everyWayToNameTheAppAsks() throws {
    try add()
    try running.put("brand.example", ["entries": [["apps": [.string(app)], "routes": []]]])
    let path = "/v1/domains/brand.example"
    let entry: JSON = ["androidApps": [.string(package)], "routes": [["path": "/a"]]]
    let calls: [(String, String, JSON)] = [
      ("PATCH", path, naming), ("PATCH", path, ["androidCredentials": [.string(package)]]),
      ("POST", "\(path)/entries", entry),
      ("PUT", "\(path)/entries/1", entry),
      ("POST", "/v1/apply?overwrite=true", ["domains": [domain("brand.example")]]),
    ]
    for (method, path, json) in calls {
      let refused = try admin.send(method, path, json: json)
      #expect(try isAsked(refused), "\(method) \(path): \(refused.text)")
    }
  }

  @Test func whoeverAddedTheAppUsesItInAllItsDomainsAndSoDoesAnAdminThere() throws {
    try add()
    let names: JSON = [
      "entries": naming["entries"] ?? .null, "aliases": ["*.go.a.example"],
    ]
    #expect(try put(teamA, "shop.a.example", "", names).status == 201)
    #expect(try put(admin, "other.a.example").status == 201)
    #expect(try addedBy() != nil)
    // Its own name decides, not an alias.
    let outside: JSON = ["entries": naming["entries"] ?? .null, "aliases": ["x.a.example"]]
    #expect(try isAsked(put(admin, "brand.example", "", outside)))
    #expect(try isAsked(put(admin, "a.example")))
  }

  @Test func allDomainsOfAStateAreAskedTogether() throws {
    try add()
    let names = (1...3).map { "brand\($0).example" }
    let state = ["www.a.example"] + names
    let refused = try apply(admin, "", state.map { domain($0) })
    #expect(try refused.status == 422 && refused.code == "several-refused", "\(refused.text)")
    let problems = try refused.json["problems"]?.arrayValue ?? []
    #expect(problems.map { $0["domain"] } == names.map { .string($0) })
    #expect(problems.allSatisfy { $0["code"] == code && $0["acceptable"] == [code] })
    // The same fingerprints in the state confirm nothing: they may come from an export.
    let listed = try apply(
      admin, "dryRun=true", androidApps: [androidApp()], state.map { domain($0) })
    #expect(try listed.code == "several-refused")
    let accepted = try apply(admin, accept, state.map { domain($0) })
    #expect(accepted.status == 200, "\(accepted.text)")
    for name in names { #expect(try served(name).contains(fingerprint())) }
    #expect(try addedBy() == nil)
    #expect(try apply(admin, "", [domain("brand4.example")]).status == 200)
  }

  @Test func whatOneLimitedTokenAcceptsIsAskedAboutInTheDomainsOfOthers() throws {
    try add()
    let inside = try running.client(.editor, domains: ["x.a.example"])
    #expect(try put(inside, "x.a.example").status == 201)
    let teamB = try running.client(.editor, named: "team-b", domains: ["b.example"])
    let refused = try put(teamB, "b.example")
    #expect(try isAsked(refused))
    #expect(refused.text.contains("team-a") && !refused.text.contains("a.example"))
    #expect(try put(teamB, "b.example", accept).status == 201)
    let path = "/v1/domains/b.example"
    #expect(try teamB.send("PATCH", path, json: ["cacheSeconds": 60]).status == 200)
    #expect(try admin.send("PATCH", path, json: ["cacheSeconds": 61]).status == 200)
    #expect(try addedBy()?["name"] == "team-a")
    #expect(try isAsked(put(admin, "brand.example")))
    // An acceptance is one for a change, not for every change back.
    let without: JSON = ["entries": [["apps": [.string(app)], "routes": [["path": "/a"]]]]]
    let patched = try teamB.send("PATCH", "\(path)?accept=opens-nothing", json: without)
    #expect(patched.status == 200, "\(patched.text)")
    let back = try teamB.send("POST", "\(path)/revisions/1/restore?accept=opens-nothing")
    #expect(try isAsked(back), "\(back.text)")
    #expect(
      try teamB.send("POST", "\(path)/revisions/1/restore?\(accept),opens-nothing").status == 200)
  }

  @Test func acceptingOneAppAcceptsNoOther() throws {
    try add()
    try add("com.example.other", "other.a.example")
    #expect(try put(admin, "brand.example", accept).status == 201)
    for packages in [[package, "com.example.other"], ["com.example.other"]] {
      let refused = try admin.send(
        "PATCH", "/v1/domains/brand.example?accept=opens-nothing", json: naming(packages))
      #expect(try isAsked(refused), "\(refused.text)")
    }
  }

  // MARK: - Confirming

  @Test func anAdminConfirmsAnAppWithOtherFingerprintsAndNotWithAnotherName() throws {
    try add()
    var named = input().objectValue ?? [:]
    named["name"] = "Shop"
    let path = "/v1/android-apps/\(package)"
    let put = try admin.send("PUT", path, json: .object(named))
    #expect(try put.status == 200 && put.json["addedBy"]?["name"] == "team-a", "\(put.text)")
    #expect(try isAsked(self.put(admin, "brand.example")))
    #expect(try admin.send("PUT", path, json: input("8")).status == 200)
    #expect(try addedBy() == nil)
    #expect(try self.put(admin, "brand.example").status == 201)
  }

  @Test func aStateConfirmsAnAppOnlyWithOtherFingerprints() throws {
    try add()
    let named: JSON = ["package": .string(package), "name": "Shop"]
    let refused = try apply(admin, androidApps: [named], [domain("brand.example")])
    #expect(try isAsked(refused))
    #expect(try apply(admin, androidApps: [named], []).status == 200)
    #expect(try addedBy()?["name"] == "team-a")
    let changed = try apply(
      admin, androidApps: [androidApp(nil, "8")], [domain("brand.example")])
    #expect(changed.status == 200, "\(changed.text)")
    #expect(try addedBy() == nil)
    #expect(try served("brand.example").contains(fingerprint("8")))
  }

  // MARK: - Other paths

  @Test func aRenamedAppIsStillAskedAbout() throws {
    try add()
    let renamed = try admin.send(
      "POST", "/v1/android-apps/\(package)/rename", json: ["to": "com.example.renamed"])
    #expect(renamed.status == 200, "\(renamed.text)")
    #expect(try addedBy("com.example.renamed")?["name"] == "team-a")
    let content = naming(["com.example.renamed"])
    #expect(try isAsked(put(admin, "brand.example", "", content)))
  }

  /// The admin's app is deleted, and somebody else adds one with its package.
  private func replaceTheApp(_ digit: String) throws {
    #expect(try admin.send("DELETE", "/v1/android-apps/\(package)").status == 204)
    let added = try apply(
      teamA, androidApps: [androidApp(nil, digit)], [domain("www.a.example")])
    #expect(added.status == 200, "\(added.text)")
  }

  /// Restores what the admin published. If the app has the same fingerprints, the domain would name the new one, so it
  /// is asked. Otherwise the statement comes back as it was, and the domain names no app.
  private func restore(_ path: String, _ digit: String) throws {
    let restored = try admin.send("POST", "\(path)?accept=opens-nothing")
    if digit == "7" {
      #expect(try isAsked(restored), "\(restored.text)")
      let accepted = try admin.send("POST", "\(path)?\(accept),opens-nothing")
      #expect((200...201).contains(accepted.status), "\(accepted.text)")
    } else {
      #expect((200...201).contains(restored.status), "\(restored.text)")
    }
    let text = try served("brand.example")
    #expect(text.contains(fingerprint("7")) && !text.contains(fingerprint("8")))
  }

  @Test(arguments: ["7", "8"])
  func aRestoredDomainDoesNotServeAnAppThatOthersAddedMeanwhile(digit: String) throws {
    #expect(try admin.send("PUT", "/v1/android-apps/\(package)", json: input("7")).status == 201)
    #expect(try put(admin, "brand.example").status == 201)
    let path = "/v1/domains/brand.example"
    #expect(try admin.send("DELETE", "\(path)?accept=opens-nothing").status == 200)
    try replaceTheApp(digit)
    try restore("\(path)/restore", digit)
  }

  @Test(arguments: ["7", "8"])
  func anEarlierRevisionDoesNotServeAnAppThatOthersAddedMeanwhile(digit: String) throws {
    #expect(try admin.send("PUT", "/v1/android-apps/\(package)", json: input("7")).status == 201)
    #expect(try put(admin, "brand.example").status == 201)
    let path = "/v1/domains/brand.example"
    let without: JSON = ["entries": [["apps": [.string(app)], "routes": [["path": "/a"]]]]]
    #expect(try admin.send("PATCH", "\(path)?accept=opens-nothing", json: without).status == 200)
    try replaceTheApp(digit)
    try restore("\(path)/revisions/1/restore", digit)
  }

  @Test func anAppThatAnAdminAddsAfterItsDeletionIsNotAskedAbout() throws {
    try add()
    let path = "/v1/domains/www.a.example"
    #expect(try teamA.send("DELETE", "\(path)?accept=opens-nothing").status == 200)
    #expect(try isAsked(put(admin, "brand.example")))
    #expect(try admin.send("DELETE", "/v1/android-apps/\(package)").status == 204)
    #expect(try admin.send("PUT", "/v1/android-apps/\(package)", json: input()).status == 201)
    #expect(try put(admin, "brand.example").status == 201)
  }
}
