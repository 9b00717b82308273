import Store
import TestSupport
import Testing

@testable import Service

/// What a service knows of itself, in parts that no running process can be brought to.
@Suite struct MeasuringTests {
  @Test func theNumberOfUncollectedDomainsIsKeptWhileTheDatabaseFails() throws {
    let scratch = try TemporaryDirectory()
    let collection = AppleCollection(try Store(path: scratch.path("aasa.db")), every: .zero)
    let unknown = collection.families
    try collection.refresh()
    let known = collection.families
    #expect(known != unknown)
    try Database { try SQLiteConnection(path: scratch.path("aasa.db"), mode: .existing) }
      .withConnection {
        try $0.execute("ALTER TABLE domain RENAME TO hidden")
      }
    #expect(throws: StoreError.self) { try collection.refresh() }
    #expect(collection.families == known)
  }

  @Test(arguments: [(0, 10, true), (1, 0, true), (0, 9, false)])
  func aListenerThatAnswersOrIsFullIsAlive(
    answered: UInt64, openConnections: Int, isAlive: Bool
  ) {
    var liveness = PublicLiveness()
    #expect(
      liveness.isAlive(
        answered: answered, openConnections: openConnections, limit: 10, reacts: { false })
        == isAlive)
    // The same number again is no further answer.
    let isFull = openConnections == 10
    #expect(
      liveness.isAlive(
        answered: answered, openConnections: openConnections, limit: 10, reacts: { false })
        == isFull)
  }
}
