import Service
import Association
import Store
import TestSupport
import Testing

/// No property of a domain is lost on any way that a domain goes. The properties come from the types
/// themselves, so a new one fails `theExamplesSetEveryProperty` until an example sets it, and then every
/// way that forgets it.
@Suite struct WholeDomainTests {
  private let running: RunningService
  private let other: RunningService
  private let admin: Client
  private let otherAdmin: Client
  private static let apps = ["com.example.shop", "org.example.other"].map(PackageName.init(stored:))

  private static let accepted = "accept=opens-nothing,no-service,query-value-not-string"

  init() throws {
    running = try RunningService()
    other = try RunningService()
    admin = try running.client(.admin, publishesProtected: true)
    otherAdmin = try other.client(.admin, publishesProtected: true)
    for (index, app) in Self.apps.enumerated() {
      let print = (0..<32).map { String(100 + ($0 * 37 + index * 11) % 100) }
        .map { $0.dropFirst() }.joined(separator: ":")
      let json: JSON = [
        "fingerprints": [["sha256": .string(print), "label": "play-signing"]]
      ]
      for client in [admin, otherAdmin] {
        try send("PUT", "/v1/android-apps/\(app)", json, client)
      }
    }
    for client in [admin, otherAdmin] {
      try send("PUT", "/v1/templates/shared", Self.template, client)
      try send("PUT", "/v1/templates/plain", ["cacheSeconds": 90], client)
    }
  }

  // MARK: Examples

  /// Together they set every property to something besides its default.
  static let examples = [
    example, legacyExample, mixedExample, templatedExample, sharedExample,
  ]

  private static let example: Domain = {
    let (apple, second) = (AppIdentifier(stored: app), AppIdentifier(stored: otherApp))
    let target = link("www", "{path}")
    var document = AssociationFile()
    document.apps = []
    document.defaults = Defaults(
      caseSensitive: false, percentEncoded: false, extra: ["exclude": false])
    document.substitutionVariables = [
      SubstitutionVariable(name: "food", values: ["pizza", "burrito"]),
      SubstitutionVariable(name: "drink", values: []),
    ]
    document.entries = [
      Entry(
        id: 1, keys: Entry.Keys(appID: true, appIDs: true, components: true, paths: true),
        apps: [apple, second], appID: apple,
        routes: [
          Route(
            id: 1, path: "/a/*",
            query: .items([
              Route.Query.Item(name: "q", value: "?*"), Route.Query.Item(name: "n", value: 1),
            ]), fragment: "top", exclude: true, caseSensitive: false, percentEncoded: false,
            comment: "old", extra: ["note": "kept"], fallback: target),
          Route(id: 2, query: .pattern("*")), Route(id: 3, path: "/$(food)"),
        ], paths: [LegacyPath("/x"), LegacyPath("NOT /y")],
        defaults: Defaults(caseSensitive: true, percentEncoded: true, extra: ["/": "/z"]),
        extra: ["note": "kept"], androidApps: apps),
      Entry(id: 2, routes: [Route(id: 1, path: "/only")], androidApps: [apps[1]]),
      Entry(
        id: 3, keys: Entry.Keys(appID: true, appIDs: true, components: true, paths: false),
        apps: [second], appID: second, routes: [Route(id: 1, path: "/b")]),
    ]
    document.services = [
      .webcredentials: AssociationFile.AppList(apps: [apple, second], extra: ["note": "kept"]),
      .appclips: AssociationFile.AppList(apps: [
        AppIdentifier(stored: "ABCDE12345.com.example.app.Clip")
      ]),
      .activitycontinuation: AssociationFile.AppList(apps: [apple]),
    ]
    document.extra = ["unknown": ["a": 1]]
    document.applinksExtra = ["note": "kept"]
    var domain = Domain(
      name: DomainName(stored: "example.com"),
      aliases: ["www.example.com", "*.go.example.com"].map(Alias.init(stored:)), isEnabled: false,
      cacheSeconds: 60, environment: .staging, isStrict: true, associationFile: document,
      expectations: [
        Association.Expectation(url: "https://example.com/none", app: apple, resolution: .noMatch),
        Association.Expectation(
          url: "https://www.example.com/no", app: .android(apps[0]), resolution: .noMatch),
      ],
      androidCredentials: apps, hasDynamicAppLinks: false,
      assetLinksExtra: [
        [
          "relation": ["delegate_permission/common.get_login_creds"],
          "target": ["namespace": "web", "site": "https://other.example"],
        ]
      ],
      webAuthnOrigins: ["https://other.example", "https://example.co.uk"]
        .map(WebOrigin.init(stored:)),
      webAuthnExtra: ["note": "kept"])
    domain.labels = ["brand-a", "summer"].map(Label.init(stored:))
    domain.managedBy = "git: links-repo"
    domain.isProtected = true
    domain.fallback = fallback("one", "/a{path}{query}")
    domain.passkeyEndpoints = ["enroll": "https://example.com/passkeys", "note": "kept"]
    domain.changePassword = SecureURL(stored: "https://example.com/password")
    domain.namedDocuments = [
      NamedDocument(
        stored: DocumentName(stored: "any.bin"), MediaType(stored: "application/cbor"),
        bytes: [0, 0xFF]),
      NamedDocument(
        stored: DocumentName(stored: "trust.txt"), MediaType(stored: "text/plain"),
        bytes: Array("kept\r\n".utf8)),
    ]
    return domain
  }()

  private static let legacyExample: Domain = {
    var document = AssociationFile()
    document.apps = []
    document.detailsForm = .dictionary
    document.entries = [
      Entry(
        id: 1, keys: .legacy, apps: [AppIdentifier(stored: otherApp)],
        routes: [Route(id: 1, path: "/a"), Route(id: 2, path: "/b", exclude: true)])
    ]
    var domain = Domain(
      name: DomainName(stored: "legacy.example.org"), format: .legacy, associationFile: document,
      expectations: [
        Association.Expectation(
          url: "https://legacy.example.org/b", app: AppIdentifier(stored: otherApp),
          resolution: .blocked)
      ])
    domain.fallback = fallback("two", "?to={path}{query}")
    domain.associationFile.entries[0].routes[1].fallback = link("other", "/?{query}")
    domain.changePassword = SecureURL(stored: "https://example.org/account")
    return domain
  }()

  private static func link(_ host: String, _ rest: String) -> LinkTarget? {
    try? LinkTarget("https://\(host).example.com\(rest)")
  }

  /// With other values for each word.
  private static func fallback(_ word: String, _ rest: String) -> Fallback? {
    let text = { (part: String) in
      FallbackText(
        word == "one"
          ? [.init("en", "\(part) one"), .init("de", "\(part) eins")] : [.init("", part)])
    }
    return link(word, rest).map { web in
      Fallback(
        web: web, apple: link("apple-\(word)", rest), android: link("android-\(word)", rest),
        page: FallbackPage(title: text("title"), text: text("text"), button: text("button")))
    }
  }

  /// Its file does not tell its format, nor which of its elements are one entry.
  private static let mixedExample: Domain = {
    let (apple, second) = (AppIdentifier(stored: app), AppIdentifier(stored: otherApp))
    var document = AssociationFile()
    document.apps = []
    document.entries = [
      Entry(id: 1, keys: .legacy, apps: [apple, second], routes: [Route(id: 1, path: "/a")]),
      Entry(id: 2, apps: [apple], routes: [Route(id: 1, path: "/b")]),
    ]
    var domain = Domain(
      name: DomainName(stored: "mixed.example.net"), format: .legacy, associationFile: document)
    domain.fallback = link("three", "").map { Fallback(web: $0) }
    return domain
  }()

  private static let template: JSON = [
    "template": "shared",
    "parameters": [["name": "slug", "type": "path"]],
    "cacheSeconds": 90,
    "entries": [["apps": [.string(app)], "routes": [["path": "/{slug}/*"]]]],
    "expectations": [
      ["url": "https://{domain}/{slug}/no", "app": .string(otherApp), "resolution": "no-match"]
    ],
  ]

  /// Some of it is its own, the rest is its template's.
  private static let templatedExample: Domain = {
    let (apple, second) = (AppIdentifier(stored: app), AppIdentifier(stored: otherApp))
    var document = AssociationFile()
    document.entries = [
      Entry(id: 1, apps: [second], routes: [Route(id: 1, path: "/own")]),
      Entry(id: 2, apps: [apple], routes: [Route(id: 1, path: "/gift/*")]),
    ]
    return Domain(
      name: DomainName(stored: "templated.example"), cacheSeconds: 60, isStrict: true,
      associationFile: document,
      expectations: [
        Association.Expectation(
          url: "https://templated.example/mine", app: second, resolution: .noMatch),
        Association.Expectation(
          url: "https://templated.example/gift/no", app: second, resolution: .noMatch),
      ],
      template: TemplateUse(
        TemplateName(stored: "shared"), parameters: ["slug": "gift"],
        ownMembers: ["cacheSeconds", "strict"],
        ownEntries: 1, ownExpectations: 1))
  }()

  /// All of it but its name is its template's.
  private static let sharedExample = Domain(
    name: DomainName(stored: "shared.example"), cacheSeconds: 70,
    template: TemplateUse(TemplateName(stored: "plain"), ownMembers: ["cacheSeconds"]))

  // MARK: The examples are whole

  @Test func theExamplesSetEveryProperty() {
    var values: [String: Set<String>] = [:]
    for domain in Self.examples + [Domain(name: DomainName(stored: "blank.example"))] {
      for (path, value) in Self.properties(of: domain) {
        let property = path.split(separator: "/").filter { !$0.hasPrefix("#") }.joined(
          separator: "/")
        values[property, default: []].insert(value)
      }
    }
    let unset = values.filter { $0.value.count < 2 }.keys.sorted()
    #expect(unset == [], "no example sets them: \(unset)")
  }

  /// Every stored property by its path, however deep, as Swift itself lists them.
  private static func properties(of domain: Domain) -> [String: String] {
    var found: [String: String] = [:]
    add("", domain, to: &found)
    return found
  }

  private static func add(_ path: String, _ value: Any, to found: inout [String: String]) {
    if let json = value as? JSON { return found[path] = json.text }
    if let members = value as? JSON.Object { return found[path] = JSON.object(members).text }
    let mirror = Mirror(reflecting: value)
    let children = Array(mirror.children)
    switch mirror.displayStyle {
    case .optional:
      guard let child = children.first else { return found[path] = "nil" }
      found[path] = "some"
      add(path, child.value, to: &found)
    case .collection:
      found[path] = "\(children.count) elements"
      for (index, child) in children.enumerated() {
        add("\(path)/#\(index)", child.value, to: &found)
      }
    case .dictionary:
      found[path] = "\(children.count) elements"
      for child in children {
        let pair = Array(Mirror(reflecting: child.value).children)
        add("\(path)/#\(pair[0].value)", pair[1].value, to: &found)
      }
    case .set: found[path] = children.map { "\($0.value)" }.sorted().joined(separator: " ")
    case .enum where !children.isEmpty:
      found[path] = children[0].label ?? ""
      add("\(path)/#\(children[0].label ?? "")", children[0].value, to: &found)
    case .struct where !children.isEmpty && !(value is String):
      for child in children { add("\(path)/\(child.label ?? "")", child.value, to: &found) }
    default: found[path] = "\(value)"
    }
  }

  // MARK: The ways

  @Test(arguments: examples.indices) func aPutDomainIsReadWhole(_ example: Int) throws {
    let domain = Self.examples[example]
    try put(domain)
    expectSame(try stored(domain), domain)
    try send("PATCH", target(domain), ["cacheSeconds": 61])
    try send("PATCH", target(domain), ["cacheSeconds": .integer(domain.cacheSeconds)])
    expectSame(try stored(domain), domain)
    // A client may send back what it got.
    try send("PUT", target(domain), admin.send("GET", target(domain)).json, otherAdmin)
    expectSame(try stored(domain, other), domain)
  }

  @Test(arguments: examples.indices) func aDeletedDomainIsRestoredWhole(_ example: Int) throws {
    var domain = Self.examples[example]
    // A domain whose URLs must open something cannot be deleted.
    domain.expectations.removeAll { $0.resolution != .noMatch }
    try put(domain)
    try send("DELETE", target(domain) + "", nil)
    try send("POST", target(domain) + "/restore", nil)
    expectSame(try stored(domain), domain, besidesNumbers: true)
  }

  @Test(arguments: examples.indices) func aRollBackBringsEverythingBackBesidesTheRulesForChanges(
    _ example: Int
  ) throws {
    let domain = Self.examples[example]
    try put(domain)
    var blank = Domain(name: domain.name)
    if domain.name == Self.example.name { blank.expectations = domain.expectations }
    try put(blank)
    try send("POST", target(domain) + "/revisions/1/restore", nil)
    var expected = domain
    (expected.environment, expected.isStrict) = (blank.environment, blank.isStrict)
    (expected.labels, expected.managedBy) = (blank.labels, blank.managedBy)
    expected.isProtected = blank.isProtected
    expected.takeExpectations(of: blank)
    expected.expectations += domain.expectations.dropFirst(
      domain.template?.ownExpectations ?? .max)
    expectSame(try stored(domain), expected, besidesNumbers: true)
  }

  @Test(arguments: examples.indices) func anExportIsAppliedWhole(_ example: Int) throws {
    let domain = Self.examples[example]
    try put(domain)
    let export = try admin.send("GET", "/v1/export").json
    try send("POST", "/v1/apply?overwrite=true", export, otherAdmin)
    expectSame(try stored(domain, other), domain)
    var blank = Domain(name: domain.name)
    blank.associationFile.extra = ["left": true]
    try put(blank, other)
    try send("POST", "/v1/apply?overwrite=true", export, otherAdmin)
    expectSame(try stored(domain, other), domain, besidesNumbers: true)
  }

  @Test func aDomainThatIsAsDeepAsAFileMayBeIsRestored() throws {
    let deep = String(repeating: "[", count: 99) + String(repeating: "]", count: 99)
    let file = #"{"applinks": {"details": []}, "x": \#(deep)}"#
    let path = "/v1/domains/deep.example"
    let put = try admin.send("PUT", path + "/file", body: Array(file.utf8))
    #expect(put.status == 201, "\(put.text)")
    for _ in 0..<2 {
      try send("DELETE", path, nil)
      try send("POST", path + "/restore", nil)
    }
    #expect(
      try running.store.domain(DomainName("deep.example")).domain.associationFile.extra["x"] != nil)
  }

  @Test func aRevisionWhoseRecordIsDamagedIsNotRestored() throws {
    let domain = Self.example
    try put(domain)
    var record = DomainResource.json(StoredDomain(domain)).objectValue ?? [:]
    record["aliases"] = [5]
    try running.connect().run("UPDATE revision SET settings = ?", [.text(JSON.object(record).text)])
    try put(Domain(name: domain.name, expectations: domain.expectations))
    let answer = try admin.send(
      "POST", target(domain) + "/revisions/1/restore?" + Self.accepted, "If-Match: *")
    #expect(answer.status >= 500, "\(answer.text)")
    #expect(try stored(domain).aliases.isEmpty)
  }

  @Test func aRevisionOfAnEarlierVersionIsRestoredWhole() throws {
    // Those versions knew neither labels nor fallbacks nor documents by name nor protection.
    var domain = Self.example
    domain.isProtected = false
    (domain.labels, domain.managedBy, domain.fallback) = ([], nil, nil)
    (domain.namedDocuments, domain.changePassword) = ([], nil)
    domain.associationFile.entries[0].routes[0].fallback = nil
    try put(domain)
    try recordAsEarlier(domain)
    var blank = Domain(name: domain.name)
    blank.expectations = domain.expectations
    try put(blank)
    try send("POST", target(domain) + "/revisions/1/restore", nil)
    var expected = domain
    (expected.environment, expected.isStrict) = (blank.environment, blank.isStrict)
    expectSame(try stored(domain), expected, besidesNumbers: true)
    try send("PUT", target(domain), DomainResource.json(StoredDomain(domain)))
    try recordAsEarlier(domain)
    try send("DELETE", target(domain), nil)
    try send("POST", target(domain) + "/restore", nil)
    expectSame(try stored(domain), domain, besidesNumbers: true)
  }

  /// Makes all revisions of a domain what the version with schema 17 wrote.
  private func recordAsEarlier(_ domain: Domain) throws {
    var record = DomainResource.json(StoredDomain(domain)).objectValue ?? [:]
    let settings = ["aliases", "enabled", "cacheSeconds", "environment", "strict", "expectations"]
    for key in record.keys where !settings.contains(key) { record[key] = nil }
    let entries: [JSON] = domain.associationFile.entries.enumerated().compactMap { index, entry in
      if entry.androidApps.isEmpty { return nil }
      var object: JSON.Object = [
        "index": .integer(index), "apps": .strings(entry.androidApps.map(\.text)),
      ]
      if entry.apps.isEmpty { object["content"] = ["components": [["/": "/only"]]] }
      return .object(object)
    }
    record["android"] = [
      "entries": .array(entries), "credentials": .strings(domain.androidCredentials.map(\.text)),
      "dynamicAppLinks": .bool(domain.hasDynamicAppLinks),
    ]
    try running.connect().run("UPDATE revision SET settings = ?", [.text(JSON.object(record).text)])
  }

  private func target(_ domain: Domain) -> String { "/v1/domains/\(domain.name)" }

  private func stored(_ domain: Domain, _ service: RunningService? = nil) throws -> Domain {
    try (service ?? running).store.domain(domain.name).domain
  }

  private func put(_ domain: Domain, _ service: RunningService? = nil) throws {
    try send(
      "PUT", target(domain) + "", DomainResource.json(StoredDomain(domain)),
      service == nil ? admin : otherAdmin)
  }

  private func send(
    _ method: String, _ target: String, _ json: JSON?, _ client: Client? = nil
  ) throws {
    let client = client ?? admin
    let body = json?.serialized()
    let target = target + (target.contains("?") ? "&" : "?") + Self.accepted
    var answer = try client.send(method, target, body: body)
    if answer.status == 428 { answer = try client.send(method, target, body: body, "If-Match: *") }
    guard (200...201).contains(answer.status) else { throw Unexpected(response: answer) }
  }

  private func expectSame(_ found: Domain, _ domain: Domain, besidesNumbers: Bool = false) {
    var (found, domain) = (Self.properties(of: found), Self.properties(of: domain))
    if besidesNumbers {
      found = found.filter { !$0.key.hasSuffix("/id") }
      domain = domain.filter { !$0.key.hasSuffix("/id") }
    }
    for path in Set(found.keys).union(domain.keys).sorted() where found[path] != domain[path] {
      Issue.record("\(path) is \(found[path] ?? "missing"), not \(domain[path] ?? "missing")")
    }
  }
}
