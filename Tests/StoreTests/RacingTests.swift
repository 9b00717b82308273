import Association
import Dispatch
import Publishing
import Synchronization
import TestSupport
import Testing

@testable import Store

/// Edits are planned before they have the lock. What changes in between is not overwritten.
@Suite(TemporaryDatabase.isFile) struct RacingTests {
  private let temporary: TemporaryStore
  private let publisher: Publisher
  private let name: DomainName
  private let app: AppIdentifier
  private let renamed: AppIdentifier
  private var store: Store { temporary.store }

  init() throws {
    temporary = try TemporaryStore()
    publisher = Publisher(store: temporary.store)
    name = try DomainName("example.com")
    app = try AppIdentifier("ABCDE12345.com.example.app")
    renamed = try AppIdentifier("ABCDE12345.com.example.renamed")
    try temporary.store.put(.example(paths: ["/first"]))
    try temporary.store.put(.example(paths: ["/a"]))
  }

  /// Adds a route; the context may be that of a client that waits.
  private func add(
    _ path: String, if precondition: Precondition = .none, by context: WriteContext
  ) throws -> Publication {
    try publisher.publish(name, if: precondition, action: "add", by: context) { old in
      var domain = try old?.domain ?? .example(paths: [])
      domain.associationFile.entries[0].routes.append(Route(path: path))
      return domain
    }
  }

  /// Runs `second` until it has been planned and waits for its turn; then `first` is written.
  private func race<Result: Sendable>(
    by author: WriteContext = WriteContext(author: "first"),
    _ first: (borrowing Transaction) throws -> Void,
    against second: @escaping @Sendable (WriteContext) throws -> Result
  ) throws -> Swift.Result<Result, any Error> {
    let waits = Counter()
    let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
    let context = WriteContext(author: "second") {
      waits.add()
      return false
    }
    var thread: Threads?
    try store.write(author) { transaction in
      thread = Threads([
        {
          let result = Swift.Result { try second(context) }
          outcome.withLock { $0 = result }
        }
      ])
      #expect(becomesTrue { waits.count > 0 })
      try first(transaction)
    }
    #expect(thread?.end() == true)
    return try #require(outcome.withLock { $0 })
  }

  private func edit(_ paths: [String]) throws -> DomainEdit {
    try store.edit(to: .example(paths: paths))
  }

  /// Each revision has a number and its document, and the last one is that of the rows.
  private func check(_ revisions: Int, paths: [String]) throws {
    let stored = try store.domain(name)
    #expect(stored.revision == revisions && stored.domain.paths == paths)
    let served = try #require(try store.served(stored.id))
    #expect(served.document == stored.domain.associationFile.json.serialized())
    let numbers = try store.revisions(of: name, before: nil, limit: 100).map(\.number)
    #expect(numbers == (1...revisions).reversed())
  }

  @Test func anEditOfWhatAnotherProcessHasChangedKeepsBoth() throws {
    let other = Publisher(store: try temporary.open())
    let calls = Counter()
    let publication = try publisher.publish(
      name, action: "add", by: WriteContext(author: "test")
    ) { old in
      calls.add()
      if calls.count == 1 {
        _ = try other.publish(name, action: "add", by: WriteContext(author: "other")) { _ in
          try .example(paths: ["/b"])
        }
      }
      var domain = try #require(old).domain
      domain.associationFile.entries[0].routes.append(Route(path: "/c"))
      return domain
    }
    #expect(try calls.count == 2 && publication.edited.stored == store.domain(name))
    try check(4, paths: ["/b", "/c"])
  }

  @Test func anEditThatIsAlwaysTooLateIsRefused() throws {
    let other = try temporary.open()
    let calls = Counter()
    #expect(throws: StoreError.busy) {
      try publisher.publish(name, action: "add", by: WriteContext(author: "test")) { old in
        calls.add()
        try other.put(.example(paths: ["/\(calls.count)"]))
        return try .example()
      }
    }
    try check(calls.count + 2, paths: ["/\(calls.count)"])
  }

  @Test func anEditIfARevisionIsCurrentIsRefusedWhenItNoLongerIs() throws {
    let edit = try edit(["/b"])
    let result = try race(
      { _ = try $0.save(edit, action: "test") },
      against: {
        try add("/c", if: .revision([2]), by: $0)
      })
    #expect(throws: StoreError.staleRevision(current: 3)) { try result.get() }
    try check(3, paths: ["/b"])
  }

  @Test func anEditOfADeletedDomainCreatesItAgainOrIsRefused() throws {
    let created = try race(
      { try $0.delete(store.formerDomain(of: name)) }, against: { try add("/c", by: $0) })
    #expect(try created.get().edited.isNew)
    try check(3, paths: ["/c"])
    let refused = try race(
      { try $0.delete(store.formerDomain(of: name)) },
      against: { try add("/c", if: .exists, by: $0) })
    #expect(throws: StoreError.notFound(.domain(name))) { try refused.get() }
    #expect(try store.domains(limit: 1).total == 0)
  }

  @Test func aDeletionIfARevisionIsCurrentIsRefusedWhenItNoLongerIs() throws {
    let edit = try edit(["/b"])
    let result = try race(
      { _ = try $0.save(edit, action: "test") },
      against: {
        try publisher.delete(name, if: .revision([2]), accepting: [.opensNothing], by: $0)
      })
    #expect(throws: StoreError.staleRevision(current: 3)) { try result.get() }
    try check(3, paths: ["/b"])
  }

  @Test func aRestoredRevisionIsThatOfTheDomainThatExists() throws {
    let edit = try edit(["/b"])
    let restored = try race(
      { _ = try $0.save(edit, action: "test") },
      against: {
        try publisher.restore(1, of: name, by: $0)
      })
    #expect(try restored.get().edited.revision.number == 4)
    try check(4, paths: ["/first"])
    let late = try race(
      { try $0.delete(store.formerDomain(of: name)) },
      against: { try publisher.restore(1, of: name, by: $0) })
    #expect(throws: StoreError.notFound(.domain(name))) { try late.get() }
  }

  @Test func aRenamedAppIsRenamedInWhatWasEditedMeanwhile() throws {
    let edit = try edit(["/b"])
    let created = try store.edit(to: .example("new.example"))
    let result = try race(
      { transaction in
        _ = try transaction.save(edit, action: "test")
        _ = try transaction.save(created, action: "test")
      }, against: { try publisher.rename(app, to: renamed, by: $0) })
    #expect(try result.get().publications.map(\.edited.revision.number) == [4, 2])
    #expect(
      try result.get().publications.allSatisfy { try store.domain($0.name) == $0.edited.stored })
    #expect(try store.domain(name).domain.associationFile.appIdentifiers == [renamed])
    try check(4, paths: ["/b"])
    let deleted = try race(
      { try $0.delete(store.formerDomain(of: name)) },
      against: {
        try publisher.rename(renamed, to: app, by: $0)
      })
    #expect(try deleted.get().publications.map(\.name.text) == ["new.example"])
  }

  @Test func anEditKnowsTheNewNameOfAnApp() throws {
    let other = Publisher(store: try temporary.open())
    let calls = Counter()
    _ = try publisher.publish(name, action: "add", by: WriteContext(author: "test")) { old in
      calls.add()
      if calls.count == 1 {
        _ = try other.rename(app, to: renamed, by: WriteContext(author: "other"))
      }
      var domain = try #require(old).domain
      domain.associationFile.entries[0].routes.append(Route(path: "/c"))
      return domain
    }
    #expect(try store.domain(name).domain.associationFile.appIdentifiers == [renamed])
    try check(4, paths: ["/a", "/c"])
  }

  /// The reported steps of a plan.
  private final class Steps: Sendable {
    let all = Mutex<[DomainName: AppliedState.Action]>([:])
  }

  @Test func aStateIsAppliedOverWhatWasEditedMeanwhile() throws {
    let edit = try edit(["/b"])
    let domains = [
      try Domain.example(), try .example("new.example", aliases: ["b.example"]),
    ]
    let steps = Steps()
    @Sendable func apply(_ prune: Bool, _ context: WriteContext) throws -> AppliedState {
      let state = DesiredState(apps: [], domains: domains.map(\.name)) { index, _ in
        (domains[index], nil)
      }
      let options = ApplyOptions(prune: prune, overwrite: true, accepted: [.opensNothing])
      steps.all.withLock { $0 = [:] }
      return try publisher.apply(state, options, by: context) { name, action, _ in
        steps.all.withLock { $0[name] = action }
      }
    }
    let new = domains[1].name
    let result = try race(
      { _ = try $0.save(edit, action: "test") },
      against: {
        try apply(false, $0)
      })
    #expect(try result.get().deleted.isEmpty)
    #expect(steps.all.withLock(\.self) == [name: .update, new: .create])
    try check(4, paths: ["/a"])
    let created = try store.edit(to: .example("late.example"))
    let pruned = try race(
      { _ = try $0.save(created, action: "test") },
      against: {
        try apply(true, $0)
      })
    #expect(try pruned.get().deleted.map(\.text) == ["late.example"])
    #expect(steps.all.withLock { Set($0.values) } == [.delete])
    let deleted = try race(
      { try $0.delete(store.formerDomain(of: name)) },
      against: {
        try apply(true, $0)
      })
    #expect(try deleted.get().deleted.isEmpty)
    #expect(steps.all.withLock(\.self) == [name: .create])
    try check(5, paths: ["/a"])
  }

  @Test func aStateDoesNotUndoTheEditOfATemplateThatWasFasterThanIt() throws {
    let shop = try TemplateName("shop")
    @Sendable func template(_ seconds: Int) -> Template {
      Template(shop, parameters: [], members: ["cacheSeconds": .integer(seconds)])
    }
    try store.write(WriteContext(author: "test")) { _ = try $0.put(template(60)) }
    let result = try race(
      { _ = try $0.put(template(300)) },
      against: { context in
        var state = DesiredState(templates: [template(900)], domains: []) { _, _ in
          throw Outdated()
        }
        state.templateRevisions = [shop: 1]
        return try publisher.apply(state, by: context)
      })
    #expect(throws: PublicationError.self) { try result.get() }
    #expect(try store.template(shop).template.members["cacheSeconds"] == 300)
  }

  @Test func anAppsNewEnvironmentIsReviewed() throws {
    let result = try race(
      {
        _ = try $0.put(App(id: app, environment: .staging))
      },
      against: { context in
        try publisher.publish(name, action: "edit", by: context) { old in
          var domain = try #require(old).domain
          domain.isStrict = true
          return domain
        }
      })
    #expect(throws: PublicationError.self) { try result.get() }
    try check(2, paths: ["/a"])
  }

  @Test func anAndroidAppThatSomebodyLimitedAddsMeanwhileIsAskedAbout() throws {
    let shop = try AndroidApp.example()
    try store.putApp(shop)
    let result = try race(
      by: WriteContext(author: "team-a", within: Scope(domains: [Alias("*.a.example")])),
      {
        try $0.delete(shop.package)
        _ = try $0.put(shop, PackageName.self)
      },
      against: { context in
        try publisher.publish(
          name, action: "edit", accepting: [.placeholderValue], by: context
        ) { old in
          var domain = try #require(old).domain
          domain.androidCredentials = [shop.package]
          return domain
        }
      })
    let error = #expect(throws: PublicationError.self) { try result.get() }
    #expect(error?.codes.contains(.appAddedByLimitedToken) == true)
    try check(2, paths: ["/a"])
  }

  @Test func anAppThatIsDeletedMeanwhileIsNotAddedAgainWithoutADomainThatUsesIt() throws {
    let shop = try AndroidApp.example()
    try store.putApp(shop)
    let within = Scope(domains: [Alias(name)])
    let result = try race(
      { try $0.delete(shop.package) },
      against: { context in
        let desired = DesiredApp<PackageName>(id: shop.package, environment: nil) { _ in shop }
        let state = DesiredState(apps: [], androidApps: [desired], domains: []) { _, _ in
          throw Outdated()
        }
        return try publisher.apply(
          state,
          by: WriteContext(author: "team-a", within: within, isAbandoned: context.isAbandoned))
      })
    let error = #expect(throws: DesiredState.UnusedApps.self) { try result.get() }
    #expect(error?.apps == [.android(shop.package)])
    #expect(throws: StoreError.notFound(.app(.android(shop.package)))) {
      try store.app(shop.package)
    }
  }

  @Test func aNameThatAnotherDomainTakesMeanwhileIsRefused() throws {
    let other = try store.edit(to: .example("other.example", aliases: ["shared.example"]))
    let result = try race(
      { _ = try $0.save(other, action: "test") },
      against: { context in
        try publisher.publish(name, action: "edit", by: context) { _ in
          try .example(aliases: ["shared.example"])
        }
      })
    #expect(throws: StoreError.nameTaken("shared.example", by: other.domain.name)) {
      try result.get()
    }
    try check(2, paths: ["/a"])
  }

  @Test func aSlowEditDelaysEditsOfItsOwnDomainOnly() throws {
    let (plans, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let slow = Threads([
      {
        #expect(throws: Never.self) {
          try publisher.publish(name, action: "slow", by: WriteContext(author: "test")) { old in
            plans.signal()
            end.wait()
            return try #require(old).domain
          }
        }
      }
    ])
    plans.wait()
    let other = try publisher.publish(
      DomainName("other.example"), action: "quick", by: WriteContext(author: "test")
    ) { _ in try .example("other.example") }
    #expect(other.edited.isNew)
    store.setLockTimeout(milliseconds: 20)
    #expect(throws: StoreError.busy) { try add("/b", by: WriteContext(author: "test")) }
    end.signal()
    #expect(slow.end())
    try check(2, paths: ["/a"])
  }

  @Test func whatAnEditAnswersIsWhatIsStored() throws {
    for shape in Shape.all {
      let adopted = try? publisher.adopt(
        shape.file.serialized(), for: name, accepting: Set(Finding.Code.allCases),
        by: WriteContext(author: "test"))
      guard let adopted else { continue }
      #expect(try store.domain(name) == adopted.edited.stored, "\(shape)")
    }
  }
}

extension Publication {
  fileprivate var name: DomainName { edited.stored.domain.name }
}
