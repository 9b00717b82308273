import Association
import JSONValue
import Store
import TestSupport
import Testing

/// Android apps, and what domains have besides Apple's document.
@Suite struct AndroidAppTests {
  let temporary: TemporaryStore
  var store: Store { temporary.store }

  init() throws { temporary = try TemporaryStore() }

  private func write<Result: Sendable>(
    _ body: (borrowing Transaction) throws -> Result
  ) throws -> Result {
    try store.write(WriteContext(author: "test"), body)
  }

  /// A domain that names the app as an entry, or for its credentials.
  private func domain(_ name: String, naming app: AndroidApp, asCredential: Bool) throws -> Domain {
    var domain = try Domain.example(name)
    if asCredential {
      domain.androidCredentials = [app.package]
    } else {
      domain.document.entries[0].androidApps = [app.package]
    }
    return domain
  }

  @Test func anAppKeepsItsCertificatesInTheirOrder() throws {
    var app = try AndroidApp.example(octets: ["CD", "AB"])
    app.certificates[1].label = .debug
    #expect(try store.putApp(app).app == app)
    app.certificates.swapAt(0, 1)
    app.environment = .staging
    #expect(try store.putApp(app).app == app)
    #expect(try store.app(app.package).app == app)
    var empty = app
    empty.certificates.removeAll()
    #expect(throws: StoreError.unknownApps([.android(app.package)])) { try store.putApp(empty) }
    #expect(try store.app(app.package).app == app)
  }

  @Test func appsAreListedInPagesWithTheNumberOfTheirDomains() throws {
    let apps = try ["a.one", "b.two", "c.three"].map { try AndroidApp.example($0) }
    for app in apps { try store.putApp(app) }
    for (name, isCredential) in [("a.example", true), ("b.example", false)] {
      try store.put(domain(name, naming: apps[1], asCredential: isCredential))
    }
    let page = try store.apps(PackageName.self, after: nil, limit: 2)
    #expect(page.map(\.app) == Array(apps.prefix(2)) && page.map(\.domainCount) == [0, 2])
    let rest = try store.apps(PackageName.self, after: "b.two", limit: 2)
    #expect(rest.map(\.app) == [apps[2]])
    let names = try store.domains(using: apps[1].package).map(\.text)
    #expect(names == ["a.example", "b.example"])
    let filtered = try store.domains(DomainFilter(androidApp: apps[1].package), limit: 9)
    #expect(filtered.page.map(\.name.text) == names)
    let covered = try store.export(within: [Alias("a.example")]).androidApps
    #expect(covered.map(\.app) == [apps[1]])
    #expect(try store.export().androidApps.count == 3)
  }

  @Test func anAppInUseIsNotDeleted() throws {
    let app = try AndroidApp.example()
    try store.putApp(app)
    let name = try DomainName("example.com")
    for isCredential in [true, false] {
      try store.put(domain("example.com", naming: app, asCredential: isCredential))
      #expect(throws: StoreError.appInUse(.android(app.package), domains: [name], count: 1)) {
        try write { try $0.delete(app.package) }
      }
    }
    try store.delete(name)
    try write { try $0.delete(app.package) }
    #expect(try temporary.count("android_certificate") == 0)
    #expect(throws: StoreError.notFound(.app(.android(app.package)))) {
      try store.app(app.package)
    }
  }

  @Test func aRenamedAppKeepsItsCertificatesAndDomains() throws {
    let (app, other) = (try AndroidApp.example(), try AndroidApp.example("com.example.other"))
    try store.putApp(app)
    try store.putApp(other)
    try store.put(domain("example.com", naming: app, asCredential: true))
    #expect(throws: StoreError.appExists(.android(other.package))) {
      try write { try $0.rename(app.package, to: other.package) }
    }
    let new = try #require(PackageName("com.example.renamed"))
    #expect(try write { try $0.rename(app.package, to: new) }.map(\.text) == ["example.com"])
    #expect(try store.app(new).app.certificates == app.certificates)
    #expect(try store.domain(DomainName("example.com")).domain.androidCredentials == [new])
    let record = try #require(try store.audit(AuditFilter(), limit: 1).first)
    #expect(record.action == "rename Android app to \(new)" && record.androidApp == app.package)
  }

  @Test func anAppWithoutFingerprintsIsNotInventedForADomain() throws {
    let app = try AndroidApp.example()
    for isCredential in [true, false] {
      #expect(throws: StoreError.unknownApps([.android(app.package)])) {
        try store.put(domain("example.com", naming: app, asCredential: isCredential))
      }
    }
    #expect(try store.domains(limit: 1).total == 0)
  }

  @Test func membersForAndroidAndPasskeysComeBackAndEndWithTheDomain() throws {
    let (app, other) = (try AndroidApp.example(), try AndroidApp.example("com.example.other"))
    try store.putApp(app)
    try store.putApp(other)
    var domain = try Domain.example()
    domain.document.entries[0].androidApps = [other.package, app.package]
    domain.androidCredentials = [app.package, other.package]
    domain.hasDynamicAppLinks = false
    domain.assetLinksExtra = [["include": "https://example.com/x.json"], 5]
    domain.webAuthnOrigins = try ["https://b.example", "https://a.example:8443"].map {
      try #require(WebOrigin($0))
    }
    domain.webAuthnExtra = ["note": ["a": 1]]
    let saved = try store.put(domain).stored
    #expect(try store.domain(domain.name) == saved)
    domain.document = saved.domain.document
    #expect(saved.domain == domain)
    domain.androidCredentials.removeFirst()
    domain.document.entries[0].androidApps.removeLast()
    domain.webAuthnOrigins.swapAt(0, 1)
    #expect(try store.put(domain).stored.domain == domain)
    #expect(try store.domain(domain.name).domain == domain)
    try store.delete(domain.name)
    for table in ["android_credential", "webauthn_origin", "entry_android_app"] {
      #expect(try temporary.count(table) == 0, "\(table)")
    }
    let again = try store.put(.example()).stored.domain
    #expect(again.hasDynamicAppLinks && again.assetLinksExtra.isEmpty)
    #expect(try store.domain(domain.name).domain == again)
  }

  @Test(TemporaryDatabase.isFile) func aBackupBringsAndroidAppsBack() throws {
    let app = try AndroidApp.example()
    try store.putApp(app)
    try store.put(domain("example.com", naming: app, asCredential: true))
    let backup = temporary.directory.path("backup.db")
    _ = try Backup.save(.file(temporary.path), to: backup, replacing: false, now: 0)
    var changed = app
    changed.certificates = try AndroidApp.example(octets: ["01"]).certificates
    try store.putApp(changed)
    try store.delete(DomainName("example.com"))
    _ = try Backup.restore(
      backup, to: .file(temporary.path), replacing: true, now: TemporaryStore.time)
    let stored = try store.app(app.package)
    #expect(stored.app == app && stored.domainCount == 1)
  }
}
