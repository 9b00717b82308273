import Association
@testable import Store
import TestSupport
import Testing

/// The numbers of entries and routes.
@Suite struct NumberTests {
  @Test func anUpgradeNumbersTheEntriesOfEachDomainInTheirOrder() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("aasa.db")
    do {
      let connection = try SQLiteConnection(path: path, mode: .create)
      try Migrator.migrate(connection, upTo: 6, now: 0)
      for domain in 1...2 {
        try connection.execute(
          """
          INSERT INTO domain (id, is_enabled, format, cache_seconds, details_form, has_apps,
            applinks_extra, extra, revision, created_at, updated_at)
          VALUES (\(domain), 1, 'modern', 0, 'array', 0, '{}', '{}', 1, 0, 0);
          INSERT INTO domain_name VALUES ('d\(domain).example', \(domain), 0);
          INSERT INTO revision (domain_id, number, document, sha256, published_at, author, reason,
            accepted_codes) VALUES (\(domain), 1, x'7B7D', '\(String(repeating: "0", count: 64))', 0,
            '', '', '[]');
          """)
      }
      // The entries and routes of both domains were created in turns, and moved.
      for (id, domain, position) in [(1, 1, 1), (2, 2, 0), (3, 1, 0), (4, 2, 1)] {
        try connection.execute(
          """
          INSERT INTO entry (id, domain_id, position, has_app_id, has_app_ids, has_components,
            has_paths, extra) VALUES (\(id), \(domain), \(position), 0, 1, 1, 0, '{}');
          INSERT INTO route (entry_id, position, path, has_query_items, extra)
          VALUES (\(id), 1, '/second of \(id)', 0, '{}'), (\(id), 0, '/first of \(id)', 0, '{}');
          """)
      }
    }
    let store = try Store(.file(path), now: { 0 })
    for (name, rows) in [("d1.example", [3, 1]), ("d2.example", [2, 4])] {
      let entries = try store.domain(DomainName(name)).domain.associationFile.entries
      #expect(entries.map(\.id) == [1, 2])
      #expect(
        entries.map { $0.routes.map(\.path) }
          == rows.map { ["/first of \($0)", "/second of \($0)"] })
      #expect(entries.allSatisfy { $0.routes.map(\.id) == [1, 2] })
    }
    var domain = try store.domain(DomainName("d2.example")).domain
    domain.associationFile.entries.removeLast()
    domain.associationFile.entries.append(Entry(routes: [Route(path: "/new")]))
    domain.associationFile.entries[0].routes.append(Route(path: "/third"))
    let saved = try store.put(domain).stored.domain
    #expect(saved.associationFile.entries.map(\.id) == [1, 3])
    #expect(saved.associationFile.entries.map { $0.routes.map(\.id) } == [[1, 2, 3], [1]])
    #expect(try store.domain(domain.name).domain == saved)
  }
}
