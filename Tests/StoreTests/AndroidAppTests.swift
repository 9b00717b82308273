import Association
import Store
import TestSupport
import Testing

/// Android apps and their certificates.
@Suite struct AndroidAppTests {
  let temporary: TemporaryStore
  var store: Store { temporary.store }

  init() throws { temporary = try TemporaryStore() }

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

  @Test(TemporaryDatabase.isFile) func aBackupBringsAndroidAppsBack() throws {
    let app = try AndroidApp.example()
    try store.putApp(app)
    var domain = try Domain.example()
    domain.androidCredentials = [app.package]
    try store.put(domain)
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
