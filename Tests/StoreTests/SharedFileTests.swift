import Association
import Publishing
import Store
import Synchronization
import TestSupport
import Testing

/// Several stores, or several threads, on one file.
@Suite struct SharedFileTests {
  let temporary: TemporaryStore
  var store: Store { temporary.store }

  init() throws { temporary = try TemporaryStore() }

  @Test func changesOfAnotherStoreAreVisible() throws {
    let other = try temporary.open()
    let edited = try other.put(.example())
    let changes = try store.changes(after: 0)
    #expect(changes.domains?.map(\.domain) == [edited.stored.id] && changes.sequence == 1)
    #expect(try store.domain(edited.stored.domain.name) == edited.stored)
    let after = try store.changes(after: changes.sequence)
    #expect(after.domains?.map(\.domain) == [] && after.sequence == 1)
    try other.delete(edited.stored.domain.name)
    #expect(try store.changes(after: 1).domains?.map(\.domain) == [edited.stored.id])
    #expect(try store.served(edited.stored.id) == nil)
  }

  @Test func aServerThatIsFarBehindReadsEverything() throws {
    let edited = try store.put(.example())
    let connection = try temporary.connect()
    try connection.run(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10098)
      INSERT INTO change (domain_id) SELECT \(edited.stored.id) FROM n
      """)
    #expect(try store.changes(after: 0).domains?.map(\.domain) == [edited.stored.id])
    try store.put(.example(paths: ["/b"]))
    #expect(try temporary.count("change") == 10_000)
    let behind = try store.changes(after: 0)
    #expect(behind.domains?.map(\.domain) == nil && behind.sequence == 10_100)
    #expect(try store.changes(after: 99).domains?.map(\.domain) == nil)
    #expect(try store.changes(after: 100).domains?.map(\.domain) == [edited.stored.id])
    let sequence = try store.readServed { _ in }
    #expect(sequence == behind.sequence)
    #expect(try store.served(edited.stored.id)?.names == ["example.com"])
  }

  @Test func aServerReadsEverythingIfTheDatabaseWentBack() throws {
    try store.put(.example())
    let changes = try store.changes(after: 1_000)
    #expect(changes.domains?.map(\.domain) == nil && changes.sequence == 1)
  }

  @Test func concurrentEditsOfOneDomainAreAllKeptWithOwnRevisions() async throws {
    let first = Publisher(store: store)
    let second = Publisher(store: try temporary.open())
    let name = try DomainName("example.com")
    try store.put(.example(paths: []))
    let numbers = Collected<Int>()
    try await withThrowingTaskGroup { group in
      for thread in 0..<8 {
        group.addTask {
          let publisher = thread.isMultiple(of: 2) ? first : second
          for index in 0..<10 {
            let context = WriteContext(author: "\(thread)")
            var number: Int?
            // On a machine with much else to do, an edit may be told to come again: it did nothing.
            while number == nil {
              do {
                let publication = try publisher.publish(name, action: "add", by: context) { old in
                  var domain = try #require(old).domain
                  domain.associationFile.entries[0].routes.append(
                    Route(path: "/\(thread)/\(index)"))
                  return domain
                }
                number = publication.edited.revision.number
              } catch StoreError.busy {}
            }
            numbers.append(try #require(number))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(numbers.all.sorted() == Array(2...81))
    let stored = try store.domain(name)
    let expected = (0..<8).flatMap { thread in (0..<10).map { "/\(thread)/\($0)" } }
    #expect(stored.domain.paths.sorted() == expected.sorted() && stored.revision == 81)
    for thread in 0..<8 {
      let own = stored.domain.paths.filter { $0.hasPrefix("/\(thread)/") }
      #expect(own == (0..<10).map { "/\(thread)/\($0)" })
    }
  }

  @Test func onlyOneOfManyConcurrentCreationsSucceeds() async throws {
    let publisher = Publisher(store: store)
    let outcomes = Collected<Bool>()
    try await withThrowingTaskGroup { group in
      for thread in 0..<8 {
        group.addTask {
          let domain = try Domain.example(paths: ["/\(thread)"])
          do {
            _ = try publisher.publish(
              domain.name, if: .absent, action: "add", by: WriteContext(author: "\(thread)")
            ) { _ in domain }
            outcomes.append(true)
          } catch StoreError.alreadyExists(current: 1) {
            outcomes.append(false)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(outcomes.all.count == 8 && outcomes.all.count { $0 } == 1)
  }

  @Test func uncommittedEditsAreInvisibleAndBlockNoReader() throws {
    let name = try DomainName("example.com")
    try store.put(.example())
    let other = try temporary.open()
    let edit = try store.edit(to: .example(paths: ["/b"]))
    try store.write(WriteContext(author: "test")) { transaction in
      _ = try transaction.save(edit, action: "test")
      #expect(try other.domain(name).domain.paths == ["/a"])
      #expect(try store.domain(name).revision == 1)
    }
    #expect(try other.domain(name).domain.paths == ["/b"])
  }
}

/// What several threads have found.
private final class Collected<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }

  func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
