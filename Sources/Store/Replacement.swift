import SQLite

/// Replaces what a database holds by what a copy of a backup holds, in one transaction.
///
/// Clients remember numbers: revisions (`If-Match`), entries and routes. None of them comes to mean
/// something else: revisions go on from the higher number, and so do the keys of new rows.
struct Replacement {
  private let connection: Connection
  private let tables: [String]
  private let now: Int64

  private static let author = "aasa restore"

  /// Opens both.
  ///
  /// - Throws: `BackupError.newerSchema`, `.otherSchema`; `SQLiteError`.
  init(of database: String, by copy: String, now: Int64) throws {
    connection = try Connection(path: database, mode: .existing)
    self.now = now
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    do {
      try Migrator.migrate(connection, now: now)
    } catch StoreError.newerSchema(let found, let known) {
      throw BackupError.newerSchema(database, found: found, known: known)
    }
    let schema = try Schema.known(now)
    try schema.check(connection, database)
    // Its history of steps is the database's own.
    tables = schema.tables.filter { !["migration", "audit", "change"].contains($0) }
    // The copy was checked; rows of other tables come later.
    try connection.execute("PRAGMA foreign_keys = OFF")
    try connection.run("ATTACH DATABASE ? AS saved", [.text(copy)])
  }

  /// Replaces it. Others that want to write wait meanwhile; those that read do not.
  func perform(contents: DatabaseContents, schema: Int) throws -> Restored {
    try connection.transaction(.write) { connection in
      let revived = try connection.all(
        """
        SELECT name FROM saved.token WHERE hash NOT IN (SELECT hash FROM main.token) ORDER BY name
        """
      ) { $0.text(0) }
      try connection.execute(Self.rememberRevisions)
      for table in tables {
        try connection.execute(
          "DELETE FROM main.\(table); INSERT INTO main.\(table) SELECT * FROM saved.\(table)")
      }
      try connection.execute(Self.goOn)
      let republished = try republish()
      try connection.execute("DROP TABLE temp.before")
      return Restored(
        contents: contents, schema: schema, republished: republished, revivedTokens: revived)
    }
  }

  /// The revisions that were served until now, by name.
  private static let rememberRevisions = """
    CREATE TEMP TABLE before AS
      SELECT name, number, sha256, published_at FROM main.domain
      JOIN main.domain_name ON domain_name.domain_id = domain.id AND position = 0
      JOIN main.revision ON revision.domain_id = domain.id AND number = domain.revision
    """

  /// What was done since the backup stays in the record. The keys of new rows are higher than any
  /// that was given out. The one row of `change` is beyond the next one of every server, so that all of
  /// them read everything anew (`Store.changes`).
  private static let goOn = """
    DELETE FROM main.audit WHERE id <= (SELECT ifnull(max(id), 0) FROM saved.audit);
    INSERT INTO main.audit SELECT * FROM saved.audit;
    CREATE TEMP TABLE keys AS
      SELECT name, max(seq) AS seq FROM
        (SELECT * FROM main.sqlite_sequence UNION ALL SELECT * FROM saved.sqlite_sequence)
      GROUP BY name;
    DELETE FROM main.sqlite_sequence;
    INSERT INTO main.sqlite_sequence SELECT name, seq FROM temp.keys;
    DROP TABLE temp.keys;
    DELETE FROM main.change;
    INSERT INTO main.change (sequence, domain_id)
      SELECT ifnull(max(seq), 0) + 2, 0 FROM main.sqlite_sequence WHERE name = 'change';
    """

  /// Publishes the document of every domain again whose number would go back or would be that of
  /// another revision, and returns how many there were.
  private func republish() throws -> Int {
    try connection.run(
      """
      INSERT INTO main.revision (domain_id, number, document, sha256, published_at, author, reason,
        accepted_codes)
      SELECT domain.id, before.number + 1, document, restored.sha256, ?1, ?2, 'restore backup',
        accepted_codes
      FROM temp.before
      JOIN main.domain_name USING (name)
      JOIN main.domain ON domain.id = domain_name.domain_id AND position = 0
      JOIN main.revision AS restored ON restored.domain_id = domain.id
        AND restored.number = domain.revision
      WHERE before.number > restored.number OR before.number = restored.number
        AND (before.sha256, before.published_at) <> (restored.sha256, restored.published_at)
      """, [.integer(now), .text(Self.author)])
    let count = connection.changes
    try connection.run(
      """
      INSERT INTO main.audit (at, author, address, action, reason, domain, revision)
      SELECT ?1, ?2, '', 'restore backup', '', name, number FROM main.domain
      JOIN main.domain_name ON domain_name.domain_id = domain.id AND position = 0
      JOIN main.revision ON revision.domain_id = domain.id AND number > domain.revision
      """, [.integer(now), .text(Self.author)])
    try connection.run(
      """
      UPDATE main.domain SET updated_at = ?1, revision =
        (SELECT max(number) FROM main.revision WHERE domain_id = domain.id)
      WHERE EXISTS (SELECT 1 FROM main.revision WHERE domain_id = domain.id
        AND number > domain.revision)
      """, [.integer(now)])
    return count
  }
}
