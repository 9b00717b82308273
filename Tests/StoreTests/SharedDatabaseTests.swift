import Association
import Foundation
import Publishing
@testable import Store
import Synchronization
import TestSupport
import Testing

/// Several servers on one PostgreSQL database.
@Suite(TemporaryDatabase.isServer) struct SharedDatabaseTests {
  private let temporary: TemporaryStore
  private var store: Store { temporary.store }

  init() throws { temporary = try TemporaryStore() }

  private func name(_ number: Int) throws -> DomainName { try DomainName("d\(number).example") }

  @Test func statementsAreNotCompiledBecauseThatTakesLongerThanTheyDo() throws {
    #expect(try store.read { try $0.first("SHOW jit") { $0.text(0) } } == "off")
  }

  @Test func theFetchesOfADomainAreFoundByAnIndexThoughOnlyOneDomainWasFetched() throws {
    for number in 0..<50 { try store.put(.example("d\(number).example")) }
    let connection = try temporary.connect()
    try connection.run(
      """
      INSERT INTO "fetch" (domain_id, revision, kind, fetcher, count, first_at, last_at)
      SELECT ?, 1, 'kind' || number, 'other', 1, 0, 0 FROM generate_series(1, 2000) AS number
      """, [.integer(try store.domain(name(0)).id)])
    try connection.execute("ANALYZE")
    let plan = try connection.all("EXPLAIN SELECT \(FetchRows.collected) FROM domain") {
      $0.text(0)
    }
    #expect(plan.contains { $0.contains("new_fetch_pkey") }, "\(plan.joined(separator: "\n"))")
  }

  // MARK: The order of changes

  @Test func whoFollowsChangesMissesNoneHoweverCommitsOverlap() throws {
    let (writers, edits) = (8, 40)
    let stores = try (0..<2).map { _ in try temporary.open() }
    for number in 0..<writers { try store.put(.example("d\(number).example")) }
    let ids = try (0..<writers).map { try store.domain(name($0)).id }
    let isOver = Mutex(false)
    let seen = Mutex<[Int64: Int]>([:])
    let follower = Threads([
      {
        var sequence: Int64 = 0
        var isLast = false
        while !isLast {
          // One more look after the last commit.
          isLast = isOver.withLock { $0 }
          guard let changes = try? self.store.changes(after: sequence) else { continue }
          sequence = changes.sequence
          for change in changes.domains ?? [] {
            guard case .served(let served, _) = change.now else { continue }
            seen.withLock { $0[change.domain] = served.files.first?.revision ?? 0 }
          }
        }
      }
    ])
    let failures = Mutex<[String]>([])
    let threads = Threads(
      (0..<writers).map { writer in
        {
          for edit in 1...edits {
            do {
              try stores[edit % 2].put(.example("d\(writer).example", paths: ["/\(edit)"]))
              // Now and then, a number is taken and never used.
              if edit % 7 == 0 {
                try stores[0].write(WriteContext(author: "test")) { transaction -> Void in
                  try ChangeRows.add([ids[writer]], transaction.connection)
                  throw RolledBack()
                }
              }
            } catch is RolledBack {
            } catch {
              failures.withLock { $0.append("\(error)") }
            }
          }
        }
      })
    #expect(threads.end())
    isOver.withLock { $0 = true }
    #expect(follower.end() && failures.withLock { $0 } == [])
    for id in ids { #expect(seen.withLock { $0[id] } == edits + 1) }
  }

  @Test func aChangeWithALowerNumberIsNeverCommittedAfterOneWithAHigherNumber() throws {
    for number in 0..<2 { try store.put(.example("d\(number).example")) }
    let slow = try store.domain(name(0)).id
    let other = try temporary.open()
    let hasCommitted = Counter()
    var follower = try store.changes(after: 0).sequence
    var thread: Threads?
    try store.write(WriteContext(author: "test")) { transaction in
      try ChangeRows.add([slow], transaction.connection)
      thread = Threads([
        {
          if (try? other.put(.example("d1.example", paths: ["/b"]))) != nil { hasCommitted.add() }
        }
      ])
      // It must not; if it could, somebody would follow it here.
      _ = becomesTrue(within: 0.5) { hasCommitted.count > 0 }
      follower = try other.changes(after: follower).sequence
    }
    #expect(thread?.end() == true && hasCommitted.count == 1)
    #expect(try store.changes(after: follower).domains?.contains { $0.domain == slow } == true)
  }

  @Test func anEditDoesNotWaitForAnUnfinishedOneOfAnotherDomainButDoesForOneOfItsOwn() throws {
    for number in 0..<2 { try store.put(.example("d\(number).example")) }
    let connection = try temporary.connect()
    try connection.begin(.write)
    try connection.run(
      "UPDATE domain SET cache_seconds = 1 WHERE id = ?", [.integer(try store.domain(name(0)).id)])
    #expect(try store.put(.example("d1.example", paths: ["/b"])).revision.number == 2)
    store.setLockTimeout(milliseconds: 100)
    #expect(throws: StoreError.busy) { try store.put(.example("d0.example", paths: ["/b"])) }
    try connection.run("ROLLBACK")
    #expect(try store.put(.example("d0.example", paths: ["/b"])).revision.number == 2)
  }

  @Test func othersEditWhileManyDomainsAreWritten() throws {
    for number in 0..<9 { try store.put(.example("d\(number).example")) }
    let context = WriteContext(author: "test")
    try store.write(context) { transaction in
      for number in 0..<8 {
        let edit = try store.edit(to: .example("d\(number).example", paths: ["/b"]))
        _ = try transaction.save(edit, action: "test")
      }
      store.setLockTimeout(milliseconds: 5000)
      let revision = try? store.put(
        .example("d8.example", paths: ["/\(UInt32.random(in: 0 ... .max))"]))
      #expect(revision != nil)
    }
    for number in 0..<8 { #expect(try store.domain(name(number)).revision == 2) }
  }

  // MARK: Work that is done once

  @Test func workIsDoneByOneServerUntilItEnds() throws {
    let clock = Mutex(TemporaryStore.time)
    let store = try Store(temporary.location) { clock.withLock { $0 } }
    #expect(try store.take(.pruning, by: "a", for: 60))
    #expect(try !store.take(.pruning, by: "b", for: 60))
    #expect(try store.take(.findings, by: "b", for: 60))
    #expect(try store.take(.pruning, by: "a", for: 60))
    clock.withLock { $0 = $0 + 61 }
    #expect(try store.take(.pruning, by: "b", for: 60))
    #expect(try !store.take(.pruning, by: "a", for: 60))
    try store.leave("b")
    #expect(try store.take(.pruning, by: "a", for: 60))
  }

  @Test func ofManyServersThatWantWorkAtOnceOneGetsIt() throws {
    let stores = try (0..<6).map { _ in try temporary.open() }
    for round in 0..<10 {
      let taken = Counter()
      let threads = Threads(
        stores.enumerated().map { number, store in
          {
            if (try? store.take(.pruning, by: "\(round) \(number)", for: 60)) == true {
              taken.add()
            }
          }
        })
      #expect(threads.end() && taken.count == 1)
      for number in 0..<6 { try store.leave("\(round) \(number)") }
    }
  }

  @Test func everyDueCheckIsClaimedOnce() throws {
    for number in 0..<30 { try store.put(.example("d\(number).example")) }
    try temporary.connect().run("UPDATE check_schedule SET due_at = 0")
    let stores = try (0..<4).map { _ in try temporary.open() }
    let claimed = Mutex<[DomainName]>([])
    let threads = Threads(
      stores.map { store in
        {
          for _ in 0..<20 {
            guard let new = try? store.claimChecks(urgent: 3, others: 3, limit: 3, lease: 120)
            else {
              continue
            }
            claimed.withLock { $0 += new.urgent + new.others }
          }
        }
      })
    #expect(threads.end())
    let all = claimed.withLock { $0.map(\.text).sorted() }
    #expect(all == Set(all).sorted() && all.count == 30)
  }

  // MARK: Servers

  @Test func aServerIsListedUntilItEndsOrIsNotSeenForTooLong() throws {
    let clock = Mutex(TemporaryStore.time)
    let store = try Store(temporary.location) { clock.withLock { $0 } }
    let replica = Replica(
      id: "1", name: "web-1", version: "1", url: "http://web-1", startedAt: TemporaryStore.time,
      applied: 0)
    try store.put(.example())
    try store.report(replica, for: 15)
    #expect(try store.replicas().map(\.lag) == [1])
    #expect(try store.waitUntilServed(.zero, isAbandoned: { false }).map(\.name) == ["web-1"])
    #expect(try store.awaited(of: "1") == 1)
    clock.withLock { $0 = $0 + 16 }
    #expect(try store.replicas() == [])
    #expect(try store.waitUntilServed(.zero, isAbandoned: { false }).isEmpty)
    try store.report(replica, for: 15)
    #expect(try store.replicas().map(\.seenAt) == [TemporaryStore.time + 16])
    try store.leave("1")
    #expect(try store.replicas() == [] && store.awaited(of: "1") == nil)
  }

  @Test func noReadingFailsBecauseTheServerHasClosedIdleConnections() throws {
    try store.put(.example())
    // Several at the same time, so that several connections stay open.
    let arrived = Atomic(0)
    let readers = Threads(
      (0..<4).map { _ in
        {
          do {
            _ = try self.store.read { connection in
              arrived.add(1, ordering: .relaxed)
              while arrived.load(ordering: .relaxed) < 4 { sched_yield() }
              return try connection.number("SELECT count(*) FROM domain") ?? 0
            }
          } catch {
            Issue.record(error)
          }
        }
      })
    #expect(readers.end())
    let name = try #require(
      try temporary.connect().first("SELECT current_database()") { $0.text(0) })
    let ended = try TemporaryDatabase.administrator().number(
      "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE datname = ? AND state = 'idle'",
      [.text(name)])
    #expect(try #require(ended) >= 4)
    for _ in 0..<6 {
      #expect(try store.read { try $0.number("SELECT count(*) FROM domain") } == 1)
    }
  }

  // MARK: Databases that cannot be used

  /// The error when a database is opened, and how many tables there are then.
  private func refusal(
    of location: DatabaseLocation, isReadOnly: Bool = false
  ) -> StoreError? {
    do {
      _ = try Store(location, isReadOnly: isReadOnly, now: { 0 })
      return nil
    } catch {
      return error as? StoreError
    }
  }

  private func tables(_ location: DatabaseLocation) throws -> Int? {
    try location.connect().first(
      "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"
    ) { $0.int(0) }
  }

  @Test func aDatabaseOfAnotherProgramIsRefusedAndNotChanged() throws {
    let other = try TemporaryDatabase.createEmpty(in: temporary.directory)
    try other.connect().execute("CREATE TABLE orders (id INT)")
    #expect(refusal(of: other) == .foreign)
    #expect(try tables(other) == 1)
  }

  @Test func aNewerSchemaIsRefusedAndAnOlderOneIfNothingMayBeWritten() throws {
    let connection = try temporary.connect()
    try connection.run("INSERT INTO migration (version, name, applied_at) VALUES (1000, 'x', 0)")
    #expect(
      refusal(of: temporary.location) == .newerSchema(found: 1000, known: Migration.last))
    try connection.run("DELETE FROM migration WHERE version >= ?", [.integer(Migration.last)])
    #expect(
      refusal(of: temporary.location, isReadOnly: true)
        == .olderSchema(found: Migration.last - 1, known: Migration.last))
  }

  @Test func aDatabaseWithAnotherEncodingIsRefused() throws {
    let name = "latin_\(UInt32.random(in: 0 ... .max))"
    try TemporaryDatabase.administrator().execute(
      "CREATE DATABASE \(name) OWNER aasa ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    guard case .unsuitable(let reason) = refusal(of: .postgreSQL(try TemporaryDatabase.uri(name)))
    else {
      Issue.record("not refused")
      return
    }
    #expect(reason.contains("LATIN1"))
  }

  // MARK: Copies

  /// Something in nearly every table.
  private func fill(_ store: Store) throws {
    let publisher = Publisher(store: store)
    try store.putApp(.example())
    for number in 0..<3 {
      try store.put(.example("d\(number).example", aliases: ["a\(number).example"]))
      try store.put(.example("d\(number).example", paths: ["/\u{0}\u{E000}é", "/b"]))
    }
    try store.delete(name(2))
    let secret = try store.createToken(name: "x", role: .editor, domains: ["d0.example"])
    let token = try #require(try store.token(secret))
    try store.write(WriteContext(author: "test")) {
      _ = try $0.beginSession(of: token, secret)
      var user = User(name: "anna")
      user.domains = [try Alias("*.brand.example")]
      _ = try $0.put(user)
    }
    _ = try publisher.restore(1, of: name(1), by: WriteContext(author: "test"))
    try store.add([
      NewFetches(
        domain: try store.domain(name(0)).id, revision: 2, kind: .apple, fetcher: .appleCDN,
        count: 3,
        firstAt: 1, lastAt: 2)
    ])
  }

  @Test func aCopyToAFileAndBackHasEverythingAndGoesOnWithItsNumbers() throws {
    try fill(store)
    let last = try #require(try store.changes(ChangeFilter(), limit: 1).page.first).id
    try temporary.location.connect().execute(
      "UPDATE revision SET change_id = NULL; DELETE FROM changed_domain; DELETE FROM recorded_change"
    )
    let file = DatabaseLocation.file(temporary.directory.path("copy.db"))
    let there = try Backup.copy(from: temporary.location, to: file, now: TemporaryStore.time)
    let other = try TemporaryDatabase.createEmpty(in: temporary.directory)
    let back = try Backup.copy(from: file, to: other, now: TemporaryStore.time)
    #expect(there == back && there.rows["domain"] == 3 && there.rows["revision"] == 7)
    let copy = try TableCopy()
    let contents = { (location: DatabaseLocation) in
      try location.connect().transaction(.read) { try copy.contents(of: $0) { _, _ in } }
    }
    #expect(try contents(other) == contents(temporary.location))
    let stores = try [file, other].map { try Store($0, now: { TemporaryStore.time }) } + [store]
    for store in stores { try store.put(.example("new.example")) }
    // Also where all rows have been pruned.
    let changes = try stores.map {
      try $0.changes(ChangeFilter(domain: DomainName("new.example")), limit: 1).page.map(\.id)
    }
    #expect(Set(changes) == [[last + 1]])
    let ids = try stores.map { try $0.domain(DomainName("new.example")).id }
    #expect(Set(ids) == [4])
    #expect(Set(try stores.map { try $0.changes(after: 0).sequence }).count == 1)
  }

  @Test func aCopyIsRefusedWhileAServerRunsOrIfThereIsSomethingAlready() throws {
    try fill(store)
    let replica = Replica(
      id: "1", name: "web-1", version: "1", url: "http://web-1", startedAt: 0, applied: 0)
    let file = DatabaseLocation.file(temporary.directory.path("copy.db"))
    let other = try TemporaryDatabase.createEmpty(in: temporary.directory)
    try store.report(replica, for: 15)
    let now = TemporaryStore.time
    #expect(throws: BackupError.inUse(temporary.location.description, servers: ["http://web-1"])) {
      try Backup.copy(from: temporary.location, to: file, now: now)
    }
    try store.leave("1")
    _ = try Backup.copy(from: temporary.location, to: other, now: now)
    #expect(throws: BackupError.notEmpty(other.description)) {
      try Backup.copy(from: temporary.location, to: other, now: now)
    }
    #expect(try tables(other) ?? 0 > 20)
  }

  @Test func aBackupIsRestoredLikeThatOfAFile() throws {
    try fill(store)
    let path = temporary.directory.path("backup.db")
    let saved = try Backup.save(
      temporary.location, to: path, replacing: false, now: TemporaryStore.time)
    #expect(saved.domains == 2)
    let published = try store.domain(name(0)).revision
    let sequence = try store.changes(after: 0).sequence
    try store.put(.example("d0.example", paths: ["/later"]))
    try store.put(.example("later.example"))
    #expect(throws: BackupError.alreadyExists(temporary.location.description)) {
      try Backup.restore(path, to: temporary.location, replacing: false, now: TemporaryStore.time)
    }
    let restored = try Backup.restore(
      path, to: temporary.location, replacing: true, now: TemporaryStore.time)
    #expect(restored.republished == 1 && !restored.isForeign)
    // The number after the one that clients have seen.
    #expect(try store.domain(name(0)).revision == published + 2)
    #expect(try store.domain(name(0)).domain.paths == ["/\u{0}\u{E000}é", "/b"])
    #expect(try store.domains(limit: 10).total == 2)
    let deleted = try store.domains(DomainFilter(isDeleted: true), limit: 9).page
    #expect(deleted.map(\.name.text).contains("later.example"))
    #expect(try store.put(.example("later.example")).revision.number == 2)
    #expect(try store.changes(after: sequence).domains == nil)
    #expect(try store.faults {} == [])
    let other = try TemporaryDatabase.createEmpty(in: temporary.directory)
    #expect(
      try Backup.restore(path, to: other, replacing: false, now: 0).contents.domains == 2)
  }

  @Test func aDatabaseOfAnEarlierVersionIsNotUpgradedByARestoreThatIsRefused() throws {
    try fill(store)
    let path = temporary.directory.path("backup.db")
    _ = try Backup.save(temporary.location, to: path, replacing: false, now: TemporaryStore.time)
    let other = try TemporaryDatabase.createEmpty(in: temporary.directory)
    let connection = try other.connect()
    try Migrator.migrate(connection, upTo: Migration.last - 1, now: 0)
    try connection.run(
      "INSERT INTO audit (at, author, address, action, reason) VALUES (0, 'a', '', 'b', '')")
    #expect(throws: BackupError.alreadyExists(other.description)) {
      try Backup.restore(path, to: other, replacing: false, now: TemporaryStore.time)
    }
    #expect(try Migrator.version(connection) == Migration.last - 1)
    let restored = try Backup.restore(path, to: other, replacing: true, now: TemporaryStore.time)
    #expect(restored.contents.domains == 2 && restored.isForeign)
    #expect(try Migrator.version(connection) == Migration.last)
  }

  @Test func aChangedDocumentIsFound() throws {
    try store.put(.example())
    #expect(try store.faults {} == [])
    try temporary.connect().run("UPDATE document SET content = 'x'")
    #expect(try store.faults {}.count == 1)
  }
}

/// The schemas of both engines mean the same.
@Suite(TemporaryDatabase.isServer) struct SchemaComparisonTests {
  /// What a table promises, in words.
  private struct Schema: Equatable {
    var columns: [String] = []
    var keys: Set<String> = []
    var references: Set<String> = []
    var indexes: Set<String> = []
  }

  private func ofSQLite() throws -> [String: Schema] {
    let directory = try TemporaryDirectory()
    let location = DatabaseLocation.file(directory.path("aasa.db"))
    _ = try Store(location, now: { 0 })
    let connection = try location.connect()
    var schemas: [String: Schema] = [:]
    let tables = try connection.all(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ) { $0.text(0) }
    for table in tables {
      var schema = Schema()
      let columns = try connection.all(
        "SELECT name, type, \"notnull\" OR pk > 0, pk FROM pragma_table_info(?) ORDER BY name",
        [.text(table)]
      ) { ($0.text(0), $0.text(1), $0.bool(2), $0.int(3)) }
      schema.columns = columns.map { "\($0.0) \($0.1)\($0.2 ? " NOT NULL" : "")" }
      let key = columns.filter { $0.3 > 0 }.sorted { $0.3 < $1.3 }.map(\.0)
      if !key.isEmpty { schema.keys.insert(key.joined(separator: ",")) }
      let references = try connection.all(
        """
        SELECT id, "table", "from", on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq
        """, [.text(table)]
      ) { ($0.int(0), $0.text(1), $0.text(2), $0.text(3)) }
      for (_, parts) in Dictionary(grouping: references, by: \.0) {
        schema.references.insert(
          "\(parts.map(\.2).sorted().joined(separator: ",")) → \(parts[0].1) \(parts[0].3)")
      }
      let indexes = try connection.all(
        "SELECT name, \"unique\", partial FROM pragma_index_list(?)", [.text(table)]
      ) { ($0.text(0), $0.bool(1), $0.bool(2)) }
      for (name, isUnique, isPartial) in indexes {
        let columns = try connection.all(
          "SELECT coalesce(name, '?') FROM pragma_index_info(?) ORDER BY seqno", [.text(name)]
        ) { $0.text(0) }.joined(separator: ",")
        if isUnique && !isPartial {
          schema.keys.insert(columns)
        } else {
          schema.indexes.insert("\(name)\(isUnique ? " UNIQUE" : "")\(isPartial ? " WHERE" : "")")
        }
      }
      schemas[table] = schema
    }
    return schemas
  }

  private func ofPostgreSQL() throws -> [String: Schema] {
    let temporary = try TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    let connection = try temporary.connect()
    var schemas: [String: Schema] = [:]
    try connection.run(
      """
      SELECT table_name::text, column_name::text, data_type::text, is_nullable::text
      FROM information_schema.columns WHERE table_schema = 'public' ORDER BY column_name COLLATE "C"
      """
    ) { row in
      let types = ["bigint": "INTEGER", "text": "TEXT", "bytea": "BLOB"]
      let type = types[row.text(2)] ?? row.text(2)
      schemas[row.text(0), default: Schema()].columns.append(
        "\(row.text(1)) \(type)\(row.text(3) == "NO" ? " NOT NULL" : "")")
    }
    let columns = """
      (SELECT string_agg(a.attname::text, ',' ORDER BY k.n) FROM unnest(i.indkey::int2[])
        WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum)
      """
    try connection.run(
      """
      SELECT t.relname::text, c.relname::text, i.indisunique, i.indpred IS NOT NULL, \(columns)
      FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
      JOIN pg_class AS t ON t.oid = i.indrelid
      JOIN pg_namespace AS s ON s.oid = t.relnamespace AND s.nspname = 'public'
      """
    ) { row in
      let (isUnique, isPartial) = (row.bool(2), row.bool(3))
      if isUnique && !isPartial {
        schemas[row.text(0)]?.keys.insert(row.text(4))
      } else {
        schemas[row.text(0)]?.indexes.insert(
          "\(row.text(1))\(isUnique ? " UNIQUE" : "")\(isPartial ? " WHERE" : "")")
      }
    }
    let actions = ["a": "NO ACTION", "c": "CASCADE", "n": "SET NULL", "r": "RESTRICT"]
    try connection.run(
      """
      SELECT conrelid::regclass::text, confrelid::regclass::text, confdeltype::text,
        (SELECT string_agg(attname::text, ',' ORDER BY attname::text COLLATE "C") FROM pg_attribute
          WHERE attrelid = conrelid AND attnum = ANY (conkey))
      FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
      """
    ) { row in
      let (table, other) = (
        row.text(0).filter { $0 != "\"" }, row.text(1).filter { $0 != "\"" }
      )
      schemas[table]?.references.insert(
        "\(row.text(3)) → \(other) \(actions[row.text(2)] ?? "?")")
    }
    return schemas
  }

  @Test func bothHaveTheSameTablesColumnsKeysReferencesAndIndexes() throws {
    let (sqlite, postgreSQL) = (try ofSQLite(), try ofPostgreSQL())
    #expect(sqlite.keys.sorted() == postgreSQL.keys.sorted())
    for (table, schema) in sqlite.sorted(by: { $0.key < $1.key }) {
      let other = try #require(postgreSQL[table])
      #expect(schema.columns == other.columns, "\(table)")
      #expect(schema.keys == other.keys, "\(table)")
      #expect(schema.references == other.references, "\(table)")
      #expect(schema.indexes == other.indexes, "\(table)")
    }
  }
}

private struct RolledBack: Error {}
