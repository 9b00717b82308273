import Association
@testable import Store
import TestSupport
import Testing

/// Before documents had kinds, a revision had one document.
@Suite(TemporaryDatabase.isFile) struct DocumentUpgradeTests {
  @Test func anUpgradeKeepsDocumentsFetchesAndExpectations() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("aasa.db")
    let file = Array(#"{"applinks":{"details":[]}}"#.utf8)
    do {
      let connection = try SQLiteConnection(path: path, mode: .create)
      try Migrator.migrate(connection, upTo: 8, now: 0)
      try connection.execute(
        """
        INSERT INTO domain (id, is_enabled, format, cache_seconds, details_form, has_apps,
          applinks_extra, extra, revision, created_at, updated_at)
        VALUES (1, 1, 'modern', 60, 'array', 0, '{}', '{}', 2, 0, 0);
        INSERT INTO domain_name VALUES ('example.com', 1, 0);
        INSERT INTO app VALUES (1, 'ABCDE12345.com.example.app', '', 'production', 0);
        INSERT INTO expectation VALUES (1, 0, 'https://example.com/a', 1, 'no-match');
        """)
      for number in 1...2 {
        try connection.run(
          """
          INSERT INTO revision (domain_id, number, document, sha256, published_at, author, reason,
            accepted_codes) VALUES (1, ?, ?, ?, 0, 'me', 'why', '[]')
          """, [.integer(number), .blob(file), .text(SHA256.hexadecimal(of: file))])
      }
      try connection.execute("INSERT INTO fetch VALUES (1, 2, 'apple-cdn', 5, 1, 2)")
    }
    let store = try Store(.file(path), now: { 0 })
    let name = try DomainName("example.com")
    for number in 1...2 {
      let revision = try store.revision(number, of: name)
      #expect(revision.documents == [.apple: file])
      #expect(revision.revision.documents.map(\.sha256) == [SHA256.hexadecimal(of: file)])
    }
    let fetches = try store.fetches(of: name, before: nil, limit: 10)
    #expect(fetches.totals[.appleCDN]?.count == 5 && fetches.current.collectedAt == 1)
    let expectation = try #require(try store.domain(name).domain.expectations.first)
    #expect(expectation.app == .ios(try AppIdentifier("ABCDE12345.com.example.app")))
    var files: [ServedFile] = []
    _ = try store.readServed { change in
      if case .served(let served, nil) = change.now { files += served.files }
    }
    #expect(files.map(\.document) == [file] && files.map(\.kind) == [.apple])
  }
}
