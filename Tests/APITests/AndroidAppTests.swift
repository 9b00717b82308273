import Association
import HTTP
import Store
import Service
import TestSupport
import Testing

/// Android apps, and the domains that name them.
@Suite struct AndroidAppTests {
  let running: RunningService
  var admin: Client { running.admin }
  private let package = "com.example.shop"
  private var target: String { "/v1/android-apps/\(package)" }

  init() throws { running = try RunningService() }

  /// A fingerprint as the file has it, which begins with a digit and does not look invented.
  private func fingerprint(_ digit: String) -> String {
    let octets = (0..<32).map {
      String(256 + ($0 * $0 * 11 + $0 * 37) % 256, radix: 16, uppercase: true).suffix(2)
    }
    return ([digit + "0"] + octets.dropFirst().map(String.init)).joined(separator: ":")
  }

  private func input(_ digit: String = "A", label: JSON = "play-signing") -> JSON {
    ["fingerprints": [["sha256": .string(fingerprint(digit)), "label": label]]]
  }

  @discardableResult
  private func putApp(_ package: String? = nil, _ json: JSON? = nil) throws -> RawResponse {
    let target = "/v1/android-apps/\(package ?? self.package)"
    let response = try admin.send("PUT", target, json: json ?? input())
    guard (200...201).contains(response.status) else { throw Unexpected(response: response) }
    return response
  }

  private var entries: JSON {
    [["apps": [.string(app)], "androidApps": [.string(package)], "routes": [["path": "/a"]]]]
  }

  /// The public assetlinks.json of a host.
  private func served(_ host: String) throws -> JSON {
    try running.served(host, "assetlinks.json")
  }

  private func revision(_ domain: String) throws -> JSON? {
    try admin.send("GET", "/v1/domains/\(domain)").json["revision"]
  }

  @Test func anAppIsAddedReadListedAndDeleted() throws {
    let first = try putApp()
    #expect(first.status == 201)
    let second = try putApp()
    #expect(try second.status == 200 && second.json == first.json)
    let read = try admin.send("GET", target).json
    #expect(try read == first.json)
    #expect(read["package"] == .string(package) && read["environment"] == "production")
    #expect(try putApp(nil, read).json == read)
    try putApp("com.example.zoo")
    let page = try admin.send("GET", "/v1/android-apps?limit=1").json
    #expect(page["items"] == [read] && page["next"] == .string(package))
    #expect(try admin.send("DELETE", target).status == 204)
    #expect(try admin.send("GET", target).code == "app-not-found")
    #expect(try admin.send("GET", "/v1/android-apps/nodot").code == "malformed-package-name")
  }

  @Test(arguments: [
    fingerprintOfOctets, fingerprintOfOctets.lowercased(),
    fingerprintOfOctets.replacing(":", with: ""),
    fingerprintOfOctets.lowercased().replacing(":", with: ""),
  ])
  func aFingerprintIsTakenAsToolsPrintItAndWrittenAsTheFileNeedsIt(text: String) throws {
    let json: JSON = ["fingerprints": [["sha256": .string(text), "label": "play-signing"]]]
    let app = try putApp(nil, json).json
    #expect(app["fingerprints"]?[0]?["sha256"] == .string(Self.fingerprintOfOctets))
  }

  private static let fingerprintOfOctets = (0..<32).map { "A\($0 % 10)" }.joined(separator: ":")

  @Test(
    arguments: [
      (String(repeating: "ab:", count: 19) + "ab", "is a SHA-1 fingerprint"),
      (String(repeating: "ab:", count: 30) + "ab", "it has 31 octets, not 32"),
      ("SHA256: \(fingerprintOfOctets)", "is not a SHA-256 fingerprint"),
      ("", "is not a SHA-256 fingerprint"),
    ])
  func anotherTextThanAFingerprintIsRefusedWithWhatIsExpected(
    text: String, message: String
  ) throws {
    let json: JSON = ["fingerprints": [["sha256": .string(text), "label": "upload"]]]
    let response = try admin.send("PUT", target, json: json)
    #expect(try response.faults == ["/fingerprints/0/sha256: malformed-fingerprint"])
    let fault = try response.json["errors"]?[0]?["message"]?.stringValue ?? ""
    #expect(fault.contains(message) && fault.contains("32 pairs of hexadecimal digits"))
  }

  @Test func everyFaultOfAnAppIsNamed() throws {
    let text = JSON.string(fingerprint("A"))
    let json: JSON = [
      "package": "com.example.other", "name": 5,
      "fingerprints": [
        ["sha256": text, "label": "release"], ["sha256": text, "label": "debug"],
        ["sha256": text, "label": "upload"], ["label": "upload"],
      ],
    ]
    #expect(
      try Set(admin.send("PUT", target, json: json).faults) == [
        "/package: app-differs", "/name: wrong-type", "/fingerprints/0/label: unknown-value",
        "/fingerprints/2: repeated", "/fingerprints/3: missing-member",
      ])
    #expect(try admin.send("PUT", target, json: [:]).faults == [": missing-member"])
    #expect(
      try admin.send("PUT", target, json: ["fingerprints": []]).faults
        == ["/fingerprints: wrong-length"])
  }

  @Test func anAppForProductionWithoutTheKeyOfGooglePlayIsAWarningThatSaysWhereItIs() throws {
    func code(_ json: JSON) -> JSON? { json["findings"]?[0]?["code"] }
    let warned = try putApp(nil, input(label: "upload")).json
    #expect(code(warned) == "no-play-signing-fingerprint")
    let help = warned["findings"]?[0]?["help"]?.stringValue ?? ""
    #expect(help.contains("https://play.google.com/console/developers/app/keymanagement"))
    #expect(try code(admin.send("GET", target).json) == "no-play-signing-fingerprint")
    try running.put("a.example", ["entries": entries])
    let found = { try admin.send("GET", "/v1/findings?code=no-play-signing-fingerprint").json }
    #expect(try found()["items"]?.arrayValue?.map { $0["domain"] } == ["a.example"])
    #expect(try putApp().json["publications"] == nil)
    #expect(try code(admin.send("GET", target).json) == nil)
    #expect(becomesTrue { (try? found()["items"] == []) ?? false })
    let debug = try putApp("com.example.debug", input(label: "debug")).json
    #expect(
      debug["findings"]?.arrayValue?.map { $0["code"] } == [
        "debug-fingerprint", "no-play-signing-fingerprint",
      ])
    var staging = input(label: "debug").objectValue ?? [:]
    staging["environment"] = "staging"
    #expect(try code(putApp("com.example.staging", .object(staging)).json) == nil)
  }

  @Test(arguments: [true, false])
  func anAppThatADomainUsesIsNotDeleted(asCredential: Bool) throws {
    try putApp()
    let domain: JSON =
      asCredential ? ["androidCredentials": [.string(package)]] : ["entries": entries]
    try running.put("b.example", domain)
    try running.put("a.example", domain)
    #expect(try admin.send("GET", target).json["domains"] == 2)
    let response = try admin.send("DELETE", target)
    #expect(try response.status == 409 && response.code == "app-in-use")
    #expect(try response.json["domains"] == ["a.example", "b.example"])
    let list = try admin.send("GET", "/v1/domains?androidApp=\(package)").json
    #expect(list["items"]?.arrayValue?.map { $0["domain"] } == ["a.example", "b.example"])
    #expect(try admin.send("GET", "/v1/domains?androidApp=com.example.x").json["total"] == 0)
  }

  @Test func aDomainDoesNotNameAnAppWhoseFingerprintsAreUnknown() throws {
    for domain in [["entries": entries], ["androidCredentials": [.string(package)]]] as [JSON] {
      let response = try admin.send("PUT", "/v1/domains/a.example", json: domain)
      #expect(try response.status == 422 && response.code == "unknown-android-app")
      let detail = try response.json["detail"]?.stringValue ?? ""
      #expect(detail.contains(package) && detail.contains("PUT /v1/android-apps/{package}"))
    }
    #expect(try admin.send("GET", "/v1/domains/a.example").status == 404)
  }

  @Test func membersForAndroidAndPasskeysAreStoredPatchedAndReset() throws {
    try putApp()
    let members: JSON.Object = [
      "androidCredentials": [.string(package)], "dynamicAppLinks": false,
      "assetlinksExtra": [["include": "https://example.com/list.json"]],
      "webauthnOrigins": ["https://example.co.uk", "https://example.org:8443"],
      "webauthnExtra": ["note": "x"],
    ]
    var domain = members
    domain["entries"] = entries
    let stored = try running.put("a.example", .object(domain))
    for member in members.members { #expect(stored[member.key] == member.value) }
    #expect(stored["entries"]?[0]?["androidApps"] == [.string(package)])
    for key in members.keys.reversed() {
      let patched = try admin.send("PATCH", "/v1/domains/a.example", json: [key: .null])
      #expect(try patched.status == 200 && patched.json["domain"]?[key] == nil, "\(patched.text)")
    }
    let bad = try admin.send(
      "PATCH", "/v1/domains/a.example",
      json: [
        "webauthnOrigins": ["https://example.co.uk/"], "androidCredentials": ["shop"],
        "webauthnExtra": ["origins": []],
      ])
    #expect(
      try Set(bad.faults) == [
        "/webauthnOrigins/0: malformed-origin", "/androidCredentials/0: malformed-package-name",
        "/webauthnExtra/origins: reserved-member",
      ])
  }

  @Test func theExportOfADomainWithoutAndroidIsWhatItWas() throws {
    try running.put("a.example", ["entries": [["apps": [.string(app)], "routes": []]]])
    let export = try admin.send("GET", "/v1/export").json
    #expect(export.objectValue?.keys == ["apps", "domains"])
    #expect(
      export["domains"]?[0]?.objectValue?.keys == [
        "domain", "aliases", "enabled", "format", "cacheSeconds", "environment", "strict", "apps",
        "details", "defaults", "substitutionVariables", "entries", "webcredentials", "appclips",
        "activitycontinuation", "extra", "applinksExtra", "serviceExtra", "expectations",
        "revision",
      ])
    #expect(export["domains"]?[0]?["entries"]?[0]?.objectValue?.keys == ["apps", "routes"])
  }

  @Test func aRenamedAppIsPublishedForEveryDomainThatNamesIt() throws {
    try putApp()
    try putApp("com.example.taken")
    try running.put("a.example", ["entries": entries])
    try running.put("b.example", ["androidCredentials": [.string(package)]])
    try running.put("c.example", ["webcredentials": [.string(app)]])
    let rename = { (new: String, query: String) in
      try admin.send("POST", "\(target)/rename\(query)", json: ["to": .string(new)])
    }
    #expect(try rename("com.example.taken", "").code == "app-exists")
    #expect(try rename("nodot", "").faults == ["/to: malformed-package-name"])
    let plan = try rename("com.example.renamed", "?dryRun=true").json
    #expect(plan["dryRun"] == true && plan["package"] == "com.example.renamed")
    #expect(try revision("a.example") == 1)
    let renamed = try rename("com.example.renamed", "").json
    #expect(renamed["domains"]?.arrayValue?.map { $0["domain"] } == ["a.example", "b.example"])
    #expect(renamed["domains"]?.arrayValue?.map { $0["revision"] } == [2, 2])
    for host in ["a.example", "b.example"] {
      #expect(try served(host)[0]?["target"]?["package_name"] == "com.example.renamed")
    }
    #expect(try revision("c.example") == 1)
    #expect(try admin.send("GET", target).status == 404)
    let app = try admin.send("GET", "/v1/android-apps/com.example.renamed").json
    #expect(app["domains"] == 2 && app["fingerprints"] == input()["fingerprints"])
    let record = try admin.send("GET", "/v1/audit").json["items"]?.arrayValue?
      .first { $0["androidApp"] != nil }
    #expect(record?["androidApp"] == .string(package))
  }

  @Test func newFingerprintsArePublishedForEveryDomainThatNamesTheApp() throws {
    let fingerprints = { (host: String) in
      try served(host)[0]?["target"]?["sha256_cert_fingerprints"]
    }
    try putApp()
    try running.put("a.example", ["entries": entries])
    try running.put("b.example", ["androidCredentials": [.string(package)]])
    #expect(try fingerprints("a.example") == [.string(fingerprint("A"))])
    var named = input().objectValue ?? [:]
    named["name"] = "Shop"
    #expect(try putApp(nil, .object(named)).json["publications"] == nil)
    #expect(try revision("a.example") == 1)
    let plan = try admin.send("PUT", "\(target)?dryRun=true", json: input("C")).json
    #expect(plan["dryRun"] == true)
    let domains = plan["publications"]?.arrayValue
    #expect(domains?.map { $0["domain"] } == ["a.example", "b.example"])
    #expect(try fingerprints("a.example") == [.string(fingerprint("A"))])
    let changed = try putApp(nil, input("C")).json
    #expect(changed["publications"]?.arrayValue?.map { $0["revision"] } == [2, 2])
    for host in ["a.example", "b.example"] {
      #expect(try fingerprints(host) == [.string(fingerprint("C"))])
    }
    // Rolling back a domain takes no new key away from its apps, and later ones reach it.
    let restored = try admin.send("POST", "/v1/domains/a.example/revisions/1/restore")
    #expect(restored.status == 200, "\(restored.text)")
    #expect(try fingerprints("a.example") == [.string(fingerprint("C"))])
    let domain = try admin.send("GET", "/v1/domains/a.example").json
    #expect(domain["entries"]?[0]?["androidApps"] == [.string(package)], "\(domain.text)")
    let next = try putApp(nil, input("D")).json
    #expect(next["publications"]?.arrayValue?.map { $0["domain"] } == ["a.example", "b.example"])
  }

  /// Adopts a statement about the app that no row can render.
  private func adopt(_ domain: String, _ digit: String) throws {
    let statement = AssociationFile.statement(package, [fingerprint(digit)], ["note": "kept"])
    let adopted = try admin.send(
      "PUT", "/v1/domains/\(domain)/documents/assetlinks.json", json: [statement])
    #expect(adopted.status == 201, "\(adopted.text)")
  }

  private func target(servedBy host: String) throws -> JSON? { try served(host)[0]?["target"] }

  @Test func newFingerprintsAndNamesReachAdoptedStatements() throws {
    try putApp()
    try adopt("same.example", "A")
    try adopt("other.example", "D")
    #expect(try admin.send("GET", target).json["domains"] == 2)
    let list = try admin.send("GET", "/v1/domains?androidApp=\(package)").json
    #expect(list["total"] == 2)
    let deleted = try admin.send("DELETE", target)
    #expect(try deleted.json["domains"] == ["other.example", "same.example"])
    let plan = try admin.send("PUT", "\(target)?dryRun=true", json: input("C")).json
    #expect(plan["publications"]?.arrayValue?.map { $0["domain"] } == ["same.example"])
    let put = try putApp(nil, input("C")).json
    #expect(put["publications"]?.arrayValue?.map { $0["domain"] } == ["same.example"])
    let fingerprints = { (host: String) in try target(servedBy: host)?["sha256_cert_fingerprints"] }
    #expect(try fingerprints("same.example") == [.string(fingerprint("C"))])
    #expect(try fingerprints("other.example") == [.string(fingerprint("D"))])
    let renamed = try admin.send(
      "POST", "\(target)/rename", json: ["to": "com.example.renamed"])
    #expect(renamed.status == 200, "\(renamed.text)")
    for host in ["same.example", "other.example"] {
      #expect(try target(servedBy: host)?["package_name"] == "com.example.renamed")
      #expect(try served(host)[0]?["note"] == "kept")
    }
    let app = try admin.send("GET", "/v1/android-apps/com.example.renamed").json
    #expect(app["domains"] == 2)
    for host in ["same.example", "other.example"] {
      let deleted = try admin.send("DELETE", "/v1/domains/\(host)?accept=opens-nothing")
      #expect(deleted.status == 200)
    }
    #expect(try admin.send("DELETE", "/v1/android-apps/com.example.renamed").status == 204)
  }

  @Test func anAdoptedStatementWithOtherFingerprintsThanTheStoredAppIsAWarning() throws {
    try adopt("a.example", "A")
    let found = {
      try admin.send("GET", "/v1/findings?code=kept-statement-differs").json["items"]?.arrayValue?
        .map { $0["domain"] }
    }
    #expect(try found() == [])
    try putApp(nil, input("C"))
    #expect(becomesTrue { (try? found() == ["a.example"]) ?? false })
    try putApp(nil, input("A"))
    #expect(becomesTrue { (try? found() == []) ?? false })
  }

  @Test func newFingerprintsInAStateReachAdoptedStatements() throws {
    try putApp()
    try adopt("a.example", "A")
    var desired = input("C").objectValue ?? [:]
    desired["package"] = .string(package)
    let applied = try admin.send("POST", "/v1/apply", json: ["androidApps": [.object(desired)]])
    #expect(try applied.json["domains"]?[0]?["action"] == "update", "\(applied.text)")
    #expect(
      try target(servedBy: "a.example")?["sha256_cert_fingerprints"] == [.string(fingerprint("C"))])
  }

  @Test func anExportBringsAndroidAppsToAnotherServer() throws {
    try putApp(nil, input(label: "upload"))
    try running.put("a.example", ["entries": entries, "androidCredentials": [.string(package)]])
    let export = try admin.send("GET", "/v1/export")
    let exported = try #require(try export.json["androidApps"]?[0]?.objectValue)
    #expect(exported.keys == ["package", "name", "environment", "fingerprints", "base"])
    let other = try RunningService()
    let applied = try other.admin.send("POST", "/v1/apply", body: export.body)
    #expect(applied.status == 200, "\(applied.text)")
    #expect(
      try applied.json["androidApps"] == [["package": .string(package), "action": "create"]])
    #expect(try other.admin.send("GET", "/v1/export").body == export.body)
    let again = try other.admin.send("POST", "/v1/apply?prune=true", body: export.body).json
    #expect(again["androidApps"]?[0]?["action"] == "unchanged")
    #expect(again["domains"]?[0]?["action"] == "unchanged")
  }

  @Test(arguments: [true, false])
  func newFingerprintsInAStateArePublishedForDomainsThatItDoesNotListToo(asLines: Bool) throws {
    try putApp()
    for name in ["a.example", "b.example"] { try running.put(name, ["entries": entries]) }
    var desired = input("C").objectValue ?? [:]
    desired["package"] = .string(package)
    let domain: JSON = ["domain": "a.example", "revision": 1, "cacheSeconds": 60]
    func apply(_ query: String) throws -> RawResponse {
      if !asLines {
        return try admin.send(
          "POST", "/v1/apply\(query)",
          json: ["androidApps": [.object(desired)], "domains": [domain]])
      }
      let body = Array("\(JSON.object(desired).text)\n\(domain.text)\n".utf8)
      return try admin.send(
        "POST", "/v1/apply\(query)", body: body, "Content-Type: application/x-ndjson")
    }
    let plan = try apply("?dryRun=true").json
    #expect(try revision("b.example") == 1)
    let applied = try apply("").json
    for answer in [plan, applied] {
      #expect(answer["androidApps"]?[0]?["action"] == "update")
      let steps = answer["domains"]?.arrayValue?.map { "\($0["domain"]?.stringValue ?? "")" }
      #expect(steps.map(Set.init) == ["a.example", "b.example"])
      #expect(answer["domains"]?.arrayValue?.allSatisfy { $0["action"] == "update" } == true)
    }
    for host in ["a.example", "b.example"] {
      let fingerprints = try served(host)[0]?["target"]?["sha256_cert_fingerprints"]
      #expect(fingerprints == [.string(fingerprint("C"))], "\(host)")
    }
  }

  @Test func aStateAddsKeepsAndPrunesAndroidApps() throws {
    let apply = { (query: String, apps: JSON, domains: JSON) in
      try admin.send(
        "POST", "/v1/apply\(query)", json: ["androidApps": apps, "domains": domains])
    }
    let unknown = try apply("", [["package": .string(package)]], [])
    #expect(try unknown.code == "unknown-android-app", "\(unknown.text)")
    let named = try apply("", [], [["domain": "a.example", "entries": entries]])
    #expect(try named.code == "unknown-android-app", "\(named.text)")
    try putApp()
    try putApp("com.example.unused")
    let kept = try apply(
      "?prune=true", [["package": .string(package), "name": "Shop"]],
      [["domain": "a.example", "entries": entries]])
    #expect(kept.status == 200, "\(kept.text)")
    #expect(
      try kept.json["androidApps"] == [
        ["package": .string(package), "action": "update"],
        ["package": "com.example.unused", "action": "delete"],
      ])
    let app = try admin.send("GET", target).json
    #expect(app["name"] == "Shop" && app["fingerprints"] == input()["fingerprints"])
    let faults = try apply("", [["package": "x"], ["name": "y"]], []).faults
    #expect(
      faults == [
        "/androidApps/0/package: malformed-package-name", "/androidApps/1: missing-member",
      ]
    )
  }

  @Test func aTokenThatIsLimitedToDomainsAddsButDoesNotChangeAppsInAState() throws {
    try putApp()
    let limited = try running.client(.editor, domains: ["a.example"])
    var desired = input("C").objectValue ?? [:]
    desired["package"] = .string(package)
    let change = try limited.send("POST", "/v1/apply", json: ["androidApps": [.object(desired)]])
    #expect(try change.code == "token-limited")
    desired["package"] = "com.example.new"
    let domain: JSON = ["domain": "a.example", "androidCredentials": ["com.example.new"]]
    let add = try limited.send(
      "POST", "/v1/apply", json: ["androidApps": [.object(desired)], "domains": [domain]])
    #expect(add.status == 200, "\(add.text)")
    let exported = try limited.send("GET", "/v1/export").json["androidApps"]?.arrayValue
    #expect(exported?.map { $0["package"] } == ["com.example.new"])
  }

  // MARK: - Passkeys

  private let credentials = "delegate_permission/common.get_login_creds"
  private let links = "delegate_permission/common.handle_all_urls"

  @Test func anAppForPasskeysIsPublishedWithBothRelationsAndNoLinkOpensIt() throws {
    try putApp()
    let put = try admin.send(
      "PUT", "/v1/domains/a.example", json: ["androidCredentials": [.string(package)]])
    #expect(try put.json["findings"]?.arrayValue?.map { $0["code"] } == ["older-android-opens-all"])
    #expect(try served("a.example")[0]?["relation"] == [.string(links), .string(credentials)])
    let match: JSON = ["urls": ["https://a.example/", "https://a.example/login?a=b"]]
    let results = try admin.send("POST", "/v1/domains/a.example/match", json: match).json["results"]
    #expect(results?.arrayValue?.map { $0["resolution"] } == ["blocked", "blocked"])
    let snippets = try admin.send("GET", "/v1/domains/a.example/snippets").json
    #expect(snippets["intentFilter"] == .null)
    // It opened no link before, so its end is no end of links.
    let removed = try admin.send(
      "PATCH", "/v1/domains/a.example", json: ["androidCredentials": []])
    #expect(removed.status == 200, "\(removed.text)")
  }

  @Test func leavingTheEntriesForPasskeysAloneIsTheEndOfLinks() throws {
    try putApp()
    try running.put("a.example", ["entries": entries])
    let change: JSON = ["entries": [], "androidCredentials": [.string(package)]]
    let refused = try admin.send("PATCH", "/v1/domains/a.example", json: change)
    #expect(refused.status == 422 && refused.text.contains("opens-nothing"), "\(refused.text)")
  }

  /// Earlier versions published one relation. An upgrade changes no served file, and says what to do.
  @Test func whatAnEarlierVersionPublishedIsServedUntilTheDomainIsPublishedAgain() throws {
    try putApp()
    try running.put("a.example", ["androidCredentials": [.string(package)]])
    var statement = try #require(served("a.example")[0]?.objectValue)
    statement["relation"] = [.string(credentials)]
    statement["relation_extensions"] = nil
    let old: JSON = [.object(statement)]
    let former = try running.store.formerDomain(of: DomainName("a.example"))
    let stored = try #require(former.stored)
    var domain = stored.domain
    domain.cacheSeconds = 60
    let edit = DomainEdit(domain, over: former, documents: [.assetLinks: old.serialized()])
    _ = try running.store.write(WriteContext(author: "test")) { try $0.save(edit, action: "test") }
    try running.connect().execute("UPDATE domain SET linted_by = 0")
    func published() throws -> JSON {
      try admin.send("GET", "/v1/domains/a.example/documents/assetlinks.json").json
    }
    #expect(try published() == old)
    let list = try admin.send("GET", "/v1/findings?code=credentials-without-links").json
    #expect(list["total"] == 1 && list["items"]?[0]?["domain"] == "a.example")
    #expect(list["items"]?[0]?["help"]?.stringValue?.contains("Publish the domain again") == true)

    let dryRun = try admin.send("PATCH", "/v1/domains/a.example?dryRun=true", json: [:])
    let summaries = (try dryRun.json["diff"]?["changes"]?.arrayValue ?? []).compactMap {
      $0["summary"]?.stringValue
    }
    #expect(summaries == ["relation \(links) of \(package) added"])
    #expect(try published() == old)
    let patch = try admin.send("PATCH", "/v1/domains/a.example", json: [:])
    #expect(patch.status == 200, "\(patch.text)")
    #expect(try served("a.example")[0]?["relation"]?.arrayValue?.count == 2)
    #expect(
      try admin.send("GET", "/v1/findings?code=credentials-without-links").json["total"] == 0)

    let back = try admin.send("POST", "/v1/domains/a.example/revisions/2/restore")
    #expect(back.status == 200, "\(back.text)")
    #expect(try served("a.example") == old)
  }

  @Test func newFingerprintsNameTheDomainsWhoseOwnStatementsDoNotGetThem() throws {
    try putApp()
    for (name, digits) in [
      ("same", ["A"]), ("more", ["A", "B"]), ("other", ["C"]), ("new", ["D"]),
    ] {
      let file: JSON = [AssociationFile.statement(package, digits.map(fingerprint))]
      let target = "/v1/domains/\(name).example/documents/assetlinks.json"
      let put = try admin.send("PUT", target, body: Array(file.text.utf8))
      #expect(put.status == 201, "\(put.text)")
    }
    try running.put("rows.example", ["entries": entries])
    let own = AssociationFile.statement(package, [fingerprint("C")])
    try running.put("both.example", ["entries": entries, "assetlinksExtra": [own]])
    for query in ["?dryRun=true", ""] {
      let answer = try admin.send(
        "PUT", "/v1/android-apps/\(package)\(query)", json: input("D")
      ).json
      let published = answer["publications"]?.arrayValue?.map { $0["domain"] }
      #expect(published == ["both.example", "rows.example", "same.example"])
      #expect(answer["deviatingDomains"] == ["both.example", "more.example", "other.example"])
    }
    let again = try admin.send("PUT", "/v1/android-apps/\(package)", json: input("D")).json
    #expect(again["deviatingDomains"] == nil)
    let labelled = try admin.send(
      "PUT", "/v1/android-apps/\(package)", json: input("D", label: "unknown")
    ).json
    #expect(labelled["deviatingDomains"] == nil)
  }

  @Test func anAdoptedCertificateThatTheStoredAppKnowsIsNotAskedAbout() throws {
    let file: JSON = [
      AssociationFile.statement(package, [fingerprint("A")], ["note": "kept"])
    ]
    func codes() throws -> [String] {
      let answer = try admin.send(
        "PUT", "/v1/domains/a.example/documents/assetlinks.json", body: Array(file.text.utf8))
      return (try answer.json["findings"]?.arrayValue ?? []).compactMap { $0["code"]?.stringValue }
    }
    #expect(try codes().contains("single-fingerprint"))
    try putApp()
    let change = try admin.send("PATCH", "/v1/domains/a.example", json: ["cacheSeconds": 61])
    let known = (try change.json["findings"]?.arrayValue ?? []).compactMap {
      $0["code"]?.stringValue
    }
    #expect(change.status == 200 && !known.contains("single-fingerprint"), "\(known)")
    try putApp(nil, input("A", label: "upload"))
    let upload = try admin.send("PATCH", "/v1/domains/a.example", json: ["cacheSeconds": 62])
    #expect(try upload.json.text.contains("single-fingerprint"))
  }
}
