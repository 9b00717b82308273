import SQLite

/// Replaces what a database holds by what a copy of a backup holds, in one transaction.
///
/// Clients remember numbers: revisions (`If-Match`), entries and routes. None of them comes to mean
/// something else: revisions go on from the higher number, and so do the keys of new rows.
struct Replacement {
  private let connection: Connection
  private let tables: [String]
  private let now: Int64

  private static let context = WriteContext(author: "aasa restore")
  private static let action = "restore backup"

  /// Writes into the audit that a backup was restored.
  static func record(now: Int64, _ connection: Connection) throws {
    try AuditRows.add(action, nil, by: context, now: now, connection)
  }

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
      let isOther = try isOther()
      if !isOther { try connection.execute(Self.addAudit) }
      try connection.execute(Self.goOn)
      try Self.record(now: now, connection)
      let republished = try republish()
      try connection.execute("DROP TABLE temp.before")
      return Restored(
        contents: contents, schema: schema, republished: republished, revivedTokens: revived,
        isOfOtherDatabase: isOther)
    }
  }

  /// The revisions that were served until now, by name.
  private static let rememberRevisions = """
    CREATE TEMP TABLE before AS
      SELECT name, number, sha256, published_at FROM main.domain
      JOIN main.domain_name ON domain_name.domain_id = domain.id AND position = 0
      JOIN main.revision ON revision.domain_id = domain.id AND number = domain.revision
    """

  /// Whether the backup is of another database: rows of the audit never change, so those of the same
  /// number are equal in what was saved and in what it was saved from.
  private func isOther() throws -> Bool {
    let columns = [
      "at", "author", "address", "action", "reason", "domain", "app", "token", "revision",
    ]
    let own = columns.map { "own.\($0)" }.joined(separator: ", ")
    let old = columns.map { "old.\($0)" }.joined(separator: ", ")
    return try connection.first(
      """
      SELECT 1 FROM main.audit AS own JOIN saved.audit AS old USING (id)
      WHERE (\(own)) IS NOT (\(old)) LIMIT 1
      """
    ) { _ in true } ?? false
  }

  /// What was done stays in the record, and what was pruned stays away: only records beyond those that
  /// the database ever had are missing in it.
  private static let addAudit = """
    INSERT INTO main.audit SELECT * FROM saved.audit WHERE id >
      (SELECT ifnull(max(seq), 0) FROM main.sqlite_sequence WHERE name = 'audit')
    """

  /// The keys of new rows are higher than any
  /// that was given out. The one row of `change` is beyond the next one of every server, so that all of
  /// them read everything anew (`Store.changes`).
  private static let goOn = """
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
    let values: [Value] = [.integer(now), .text(Self.context.author), .text(Self.action)]
    try connection.run(
      """
      INSERT INTO main.revision (domain_id, number, document, sha256, published_at, author, reason,
        accepted_codes)
      SELECT domain.id, before.number + 1, document, restored.sha256, ?1, ?2, ?3,
        accepted_codes
      FROM temp.before
      JOIN main.domain_name USING (name)
      JOIN main.domain ON domain.id = domain_name.domain_id AND position = 0
      JOIN main.revision AS restored ON restored.domain_id = domain.id
        AND restored.number = domain.revision
      WHERE before.number > restored.number OR before.number = restored.number
        AND (before.sha256, before.published_at) <> (restored.sha256, restored.published_at)
      """, values)
    let count = connection.changes
    try connection.run(
      """
      INSERT INTO main.audit (at, author, address, action, reason, domain, revision)
      SELECT ?1, ?2, '', ?3, '', name, number FROM main.domain
      JOIN main.domain_name ON domain_name.domain_id = domain.id AND position = 0
      JOIN main.revision ON revision.domain_id = domain.id AND number > domain.revision
      """, values)
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
