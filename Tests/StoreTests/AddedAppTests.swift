import Association
import Publishing
import Store
import TestSupport
import Testing

/// Who added an Android app is kept, and compared when an edit is written.
@Suite struct AddedAppTests {
  private let temporary: TemporaryStore
  private let publisher: Publisher
  private let limited: WriteContext
  private let app: AndroidApp
  private var store: Store { temporary.store }

  init() throws {
    temporary = try TemporaryStore()
    publisher = Publisher(store: temporary.store)
    limited = WriteContext(author: "team-a", within: Scope(domains: [try Alias("*.a.example")]))
    app = try AndroidApp.example()
  }

  private var author: AndroidApp.LimitedAuthor {
    AndroidApp.LimitedAuthor(name: limited.author, scope: limited.within)
  }

  private func addedBy() throws -> AndroidApp.LimitedAuthor? {
    try store.app(app.package).app.addedBy
  }

  private func naming(_ name: String) throws -> Domain {
    var domain = try Domain.example(name)
    domain.associationFile.entries[0].androidApps = [app.package]
    return domain
  }

  /// As another process, deletes the app, and adds it as somebody limited to domains.
  private func replace() throws {
    let other = try temporary.open()
    let (package, app) = (app.package, app)
    try other.write(limited) {
      try $0.delete(package)
      _ = try $0.put(app, PackageName.self)
    }
  }

  @Test func onlyAnAppThatSomebodyLimitedAddsHasAnAuthor() throws {
    let app = app
    try store.putApp(app)
    #expect(try addedBy() == nil)
    try replace()
    #expect(try addedBy() == author)
    #expect(try store.putApp(app).app.addedBy == author)
    var labelled = app
    labelled.certificates = app.certificates.map { .init($0.fingerprint, label: .debug) }
    #expect(try store.putApp(labelled).app.addedBy == author)
    #expect(try store.putApp(.example(octets: ["CD", "AB"])).app.addedBy == author)
    #expect(try store.putApp(.example(octets: ["EF"])).app.addedBy == nil)
  }

  /// A state with one domain that names the app.
  private func state(_ name: String) throws -> DesiredState {
    let domain = try naming(name)
    return DesiredState(apps: [], domains: [domain.name]) { _, _ in
      (domain, nil)
    }
  }

  @Test func anAppThatIsReplacedWhileAStateIsPlannedIsAskedAbout() throws {
    try store.putApp(app)
    let plans = Counter()
    let options = ApplyOptions(accepted: [.placeholderValue])
    let error = #expect(throws: PublicationError.self) {
      try publisher.apply(state("brand.example"), options, by: WriteContext(author: "admin")) {
        _, _, _ in
        plans.add()
        if plans.count == 1 { try replace() }
      }
    }
    #expect(error?.codes.contains(.appAddedByLimitedToken) == true)
    #expect(plans.count == 1)
    #expect(try store.domains(limit: 1).total == 0)
  }

  @Test func whoAddedAnAppComesBackFromABackupAndCopiesBetweenEngines() throws {
    try store.putApp(app)
    try replace()
    let backup = temporary.directory.path("backup.db")
    _ = try Backup.save(temporary.location, to: backup, replacing: false, now: 0)
    let package = app.package
    try store.putApp(.example(octets: ["CD"]))
    #expect(try addedBy() == nil)
    _ = try Backup.restore(
      backup, to: temporary.location, replacing: true, now: TemporaryStore.time)
    #expect(try temporary.open().app(package).app.addedBy == author)
  }
}
