package import Association
import Glibc

/// The result of a restore.
package struct Restored: Sendable, Equatable {
  package let contents: DatabaseContents
  /// The version of the schema now.
  package let schema: Int
  /// The number of domains that were published again under a new number, because the database had a later
  /// revision than the backup.
  package let republished: Int
  /// The number of domains that the backup lacks. They are deleted ones now.
  package let deleted: Int
  /// The names of tokens that are valid again.
  package let revivedTokens: [String]
  /// The names of users that exist again, or have the rights of the backup again.
  package let revivedUsers: [String]
  /// The labels that protected their domains until now, and do not in the backup.
  package let unprotectedLabels: [String]
  /// Whether, judging by the audit logs, the backup is from another database than the one it
  /// replaced. If so, the database keeps its own audit log, and the backup's is not restored.
  package let isForeign: Bool
  /// Where the database was moved because it was damaged; `nil` if its contents were replaced.
  package let setAside: String?
}

extension Backup {
  /// Restores a database from a backup after checking both, completely or not at all, even if the program
  /// or the machine stops meanwhile.
  ///
  /// An existing database may be in use: it is changed in one transaction, and servers serve the restored
  /// documents like any change by another process. A damaged one is moved aside instead, and servers that
  /// have it open must be restarted.
  ///
  /// - Parameters:
  ///   - path: The backup. It is not changed.
  ///   - database: The database. One of a server must exist, but may be empty.
  ///   - replacing: Whether to replace the contents of an existing database.
  ///   - now: The time.
  /// - Throws: `BackupError`, `StoreError`. Nothing was changed.
  package static func restore(
    _ path: String, to database: DatabaseLocation, replacing: Bool, now: UnixTime,
    progress: BackupProgress = { _, _ in }
  ) throws -> Restored {
    switch database {
    case .file(let database):
      return try restore(path, toFile: database, replacing: replacing, now: now, progress)
    case .postgreSQL(let address):
      return try translatingErrors {
        try SharedDatabase.restore(path, to: address, replacing: replacing, now: now, progress)
      }
    }
  }

  /// - Parameter checked: The contents of the backup, if it is a copy that was checked, which is moved.
  static func restore(
    _ path: String, toFile database: String, replacing: Bool, now: UnixTime,
    checked: DatabaseContents? = nil, _ progress: BackupProgress
  ) throws -> Restored {
    if DatabaseFile.isPart(path, of: database) { throw BackupError.sameFile(path) }
    let exists = FileIdentity(database) != nil
    if exists && !replacing { throw BackupError.alreadyExists(database) }
    if let leftover = DatabaseFile.leftover(of: database) { throw BackupError.leftover(leftover) }
    let file = try AtomicFile(at: database)
    if checked != nil && rename(path, file.temporaryPath) != 0 {
      throw BackupError.file(path, code: errno)
    }
    let contents = try checked ?? checkedCopy(of: path, to: file.temporaryPath, progress)
    let schema = try BackupError.naming(path) {
      let connection = try SQLiteConnection(path: file.temporaryPath, mode: .existing)
      try Migrator.migrate(connection, now: now)
      return try Migrator.version(connection)
    }
    if exists { progress("Checking the database", nil) }
    let isDamaged = try exists && isDamaged(database)
    if exists && !isDamaged {
      return try BackupError.naming(database) {
        let replacement = try Replacement(of: database, by: file.temporaryPath, now: now)
        return try replacement.perform(contents: contents, schema: schema, progress)
      }
    }
    // An earlier version kept in backups what belongs to servers.
    try Backup.leaveOutServers(file.temporaryPath)
    try BackupError.naming(path) {
      try Replacement.record(now: now, SQLiteConnection(path: file.temporaryPath, mode: .existing))
    }
    let setAside = try isDamaged ? DatabaseFile.setAside(database, now: now) : nil
    try file.commit(replacing: false)
    return Restored(
      contents: contents, schema: schema, republished: 0, deleted: 0, revivedTokens: [],
      revivedUsers: [], unprotectedLabels: [], isForeign: false, setAside: setAside)
  }

  /// Copies a backup, and checks the copy.
  static func checkedCopy(
    of path: String, to copy: String, _ progress: BackupProgress
  ) throws -> DatabaseContents {
    if FileIdentity(path) == nil { throw BackupError.file(path, code: ENOENT) }
    try self.copy(path, to: copy, mayWrite: false, progress)
    progress("Checking the backup", nil)
    return try DatabaseContents(checking: copy, as: path)
  }

  /// Whether a database cannot be trusted with new contents.
  ///
  /// - Throws: `BackupError` if it is whole, but must not be replaced.
  private static func isDamaged(_ database: String) throws -> Bool {
    if DatabaseFile.size(database) == 0 { return true }
    do {
      _ = try DatabaseContents(checking: database, as: database)
      return false
    } catch BackupError.damaged, BackupError.otherSchema {
      return true
    }
  }
}

/// Replaces the contents of a database with those of a copy of a backup, in one transaction.
///
/// Clients remember the numbers of revisions (`If-Match`), entries and routes, so the number of what both have
/// means one thing: revisions continue from the higher number, and so do the keys of new rows.
private struct Replacement {
  private let connection: SQLiteConnection
  private let tables: [String]
  private let now: UnixTime

  private static let context = WriteContext(author: "aasa restore")
  private static let action = "restore backup"

  /// Adds the restore to the audit, and ends all sessions: somebody may have signed out since the backup.
  static func record(now: UnixTime, _ connection: SQLiteConnection) throws {
    try connection.execute("DELETE FROM main.session")
    try AuditRows.add(action, nil, by: context, now: now, connection)
  }

  /// Opens the database and attaches the copy as `saved`.
  ///
  /// - Throws: `BackupError.newerSchema`; `SQLError`.
  init(of database: String, by copy: String, now: UnixTime) throws {
    connection = try SQLiteConnection(path: database, mode: .existing)
    self.now = now
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    do {
      try Migrator.migrate(connection, now: now)
    } catch StoreError.newerSchema(let found, let known) {
      throw BackupError.newerSchema(database, found: found, known: known)
    }
    // The database keeps its own history of migrations, and the servers that run on it.
    let own = ["migration", "audit", "change", "replica", "lease"]
    tables = try Schema.known().tables.filter { !own.contains($0) }
    // Rows are copied table by table, so references are broken in between. The copy was checked.
    try connection.execute("PRAGMA foreign_keys = OFF")
    try connection.run("ATTACH DATABASE ? AS saved", [.text(copy)])
  }

  /// Replaces the contents. Writers in other processes wait meanwhile; readers do not.
  func perform(
    contents: DatabaseContents, schema: Int, _ progress: BackupProgress
  ) throws -> Restored {
    try connection.transaction(.write) { _ in
      let revived = try connection.all(
        """
        SELECT name FROM saved.token WHERE hash NOT IN (SELECT hash FROM main.token) ORDER BY name
        """
      ) { $0.text(0) }
      let users = try connection.all(
        """
        SELECT name FROM saved.named_user WHERE (name, role, updated_at) NOT IN
          (SELECT name, role, updated_at FROM main.named_user)
        UNION ALL SELECT 'group ' || name FROM saved.named_group WHERE (name, role, updated_at) NOT IN
          (SELECT name, role, updated_at FROM main.named_group) ORDER BY name
        """
      ) { $0.text(0) }
      let unprotected = try connection.all(
        """
        SELECT label FROM main.protected_label WHERE label NOT IN (SELECT label FROM saved.protected_label)
        ORDER BY label
        """
      ) { $0.text(0) }
      try connection.execute(Self.rememberRevisions)
      let deleted = try rememberLost()
      for (index, table) in tables.enumerated() {
        progress("Replacing the contents", index * 100 / tables.count)
        try connection.execute(
          "DELETE FROM main.\(table); INSERT INTO main.\(table) SELECT * FROM saved.\(table)")
      }
      let isOther = try isOther()
      if !isOther { try connection.execute(Self.addAudit) }
      try connection.execute(Self.continueKeys)
      try connection.execute(Self.continueNumbers)
      try connection.execute(Self.keepLost)
      try Self.record(now: now, connection)
      let republished = try republish()
      try republishTemplates()
      try connection.execute(
        """
        DROP TABLE temp.before; DROP TABLE temp.last_numbers; DROP TABLE temp.last_routes;
        DROP TABLE temp.last_templates; DROP TABLE temp.lost; DROP TABLE temp.lost_revision;
        DROP TABLE temp.lost_document
        """)
      return Restored(
        contents: contents, schema: schema, republished: republished, deleted: deleted,
        revivedTokens: revived, revivedUsers: users, unprotectedLabels: unprotected,
        isForeign: isOther, setAside: nil)
    }
  }

  /// Every domain by its name, or by the name that it had when it was deleted.
  private static let named = """
    (SELECT domain.*, ifnull(name, deleted_name) AS own_name FROM main.domain
      LEFT JOIN main.domain_name ON domain_name.domain_id = domain.id AND position = 0)
    """

  /// The current revisions before the restore, and the last numbers that were given, by name.
  private static let rememberRevisions = """
    CREATE TEMP TABLE last_numbers AS
      SELECT own_name, last_entry, last_suppression FROM \(named) AS domain;
    CREATE TEMP TABLE last_routes AS
      SELECT own_name, number, last_route FROM main.entry
      JOIN \(named) AS domain ON domain.id = domain_id;
    CREATE TEMP TABLE last_templates AS
      SELECT name, max(number, ifnull(deleted_template.revision, 0)) AS number, content, published_at
      FROM main.template
      JOIN main.template_revision ON template_id = template.id AND number = template.revision
      LEFT JOIN main.deleted_template USING (name)
      UNION ALL SELECT name, revision, NULL, NULL FROM main.deleted_template
      WHERE name NOT IN (SELECT name FROM main.template)
      UNION ALL SELECT template.name, forgotten.revision, NULL, NULL FROM saved.template
      JOIN main.deleted_template AS forgotten ON forgotten.name = ''
      WHERE template.name NOT IN (SELECT name FROM main.template)
        AND template.name NOT IN (SELECT name FROM main.deleted_template);
    CREATE TEMP TABLE before AS
      SELECT own_name, number, \(digests) AS digests, published_at FROM \(named) AS domain
      JOIN main.revision ON revision.domain_id = domain.id AND number = domain.revision
    """

  /// The domains that the backup lacks, as deleted ones with their last revisions, so that new domains of their names do
  /// not give a number again.
  ///
  /// - Returns: How many of them were no deleted ones before.
  private func rememberLost() throws -> Int {
    try connection.execute(
      """
      CREATE TEMP TABLE lost AS SELECT * FROM main.domain WHERE id IN (
        SELECT id FROM \(Self.named) WHERE own_name NOT IN (
          SELECT ifnull(name, deleted_name) FROM saved.domain
          LEFT JOIN saved.domain_name ON domain_name.domain_id = domain.id AND position = 0));
      CREATE TEMP TABLE lost_revision AS SELECT revision.* FROM main.revision
        JOIN temp.lost ON lost.id = domain_id AND lost.revision = number;
      CREATE TEMP TABLE lost_document AS SELECT document.* FROM main.document
        JOIN temp.lost ON lost.id = domain_id AND lost.revision = document.revision;
      """)
    let count = try connection.count("SELECT count(*) FROM temp.lost WHERE deleted_name IS NULL")
    try connection.run(
      """
      UPDATE temp.lost SET deleted_at = ?1, updated_at = ?1, template = NULL, template_use = NULL, deleted_name =
        (SELECT name FROM main.domain_name WHERE domain_id = lost.id AND position = 0)
      WHERE deleted_name IS NULL
      """, [.integer(now)])
    return count
  }

  /// Adds them, with new keys and without the changes that they came from, which the backup lacks, too.
  private static let keepLost = """
    CREATE TEMP TABLE lost_name (id INTEGER PRIMARY KEY, deleted_name TEXT NOT NULL);
    INSERT INTO temp.lost_name SELECT id, deleted_name FROM temp.lost;
    UPDATE temp.lost SET id = NULL;
    INSERT INTO main.domain SELECT * FROM temp.lost;
    UPDATE temp.lost_revision SET id = NULL, change_id = NULL, domain_id = (SELECT domain.id FROM temp.lost_name
      JOIN main.domain USING (deleted_name) WHERE lost_name.id = domain_id);
    INSERT INTO main.revision SELECT * FROM temp.lost_revision;
    UPDATE temp.lost_document SET id = NULL, domain_id = (SELECT domain.id FROM temp.lost_name
      JOIN main.domain USING (deleted_name) WHERE lost_name.id = domain_id);
    INSERT INTO main.document SELECT * FROM temp.lost_document;
    DROP TABLE temp.lost_name;
    """

  /// SQL for the kinds and SHA-256 of a revision's documents.
  private static let digests = """
    (SELECT group_concat(kind || sha256) FROM (SELECT kind, sha256 FROM main.document
      WHERE document.domain_id = domain.id AND document.revision = domain.revision ORDER BY kind))
    """

  /// Whether the backup is from another database. Audit records never change, so a backup and its
  /// database have equal records with equal numbers.
  private func isOther() throws -> Bool {
    let columns = [
      "at", "author", "address", "action", "reason", "domain", "app", "token", "revision",
      "webhook", "named_user", "named_group",
    ]
    let own = columns.map { "own.\($0)" }.joined(separator: ", ")
    let old = columns.map { "old.\($0)" }.joined(separator: ", ")
    return try connection.has(
      """
      SELECT 1 FROM main.audit AS own JOIN saved.audit AS old USING (id)
      WHERE (\(own)) IS NOT (\(old)) LIMIT 1
      """)
  }

  /// Adds only audit records with numbers that the database never had. Its own records are kept,
  /// and pruned ones do not return.
  private static let addAudit = """
    INSERT INTO main.audit SELECT * FROM saved.audit WHERE id >
      (SELECT ifnull(max(seq), 0) FROM main.sqlite_sequence WHERE name = 'audit')
    """

  /// Makes the keys of new rows higher than any old key. The only row of `change` skips a place, so that
  /// all servers read everything again (`Store.changes`).
  private static let continueKeys = """
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

  /// Keeps numbers of entries, routes and suppressions from being given again.
  private static let continueNumbers = """
    UPDATE main.domain SET
      last_entry = max(domain.last_entry, before.last_entry),
      last_suppression = max(domain.last_suppression, before.last_suppression)
      FROM temp.last_numbers AS before JOIN \(named) AS now USING (own_name)
      WHERE now.id = domain.id;
    UPDATE main.entry SET last_route = max(entry.last_route, before.last_route)
      FROM temp.last_routes AS before JOIN \(named) AS now USING (own_name)
      WHERE now.id = entry.domain_id AND before.number = entry.number;
    """

  /// Saves a template again under a new number if its number would go back or would belong to another revision, and
  /// keeps the numbers of those that the backup does not have.
  private func republishTemplates() throws {
    try connection.run(
      """
      INSERT INTO main.template_revision (template_id, number, content, published_at, author, reason, is_applied)
      SELECT template.id, before.number + 1, restored.content, ?1, ?2, ?3, 0
      FROM temp.last_templates AS before
      JOIN main.template USING (name)
      JOIN main.template_revision AS restored ON restored.template_id = template.id
        AND restored.number = template.revision
      WHERE before.number > restored.number OR before.number = restored.number
        AND (before.content, before.published_at) IS NOT (restored.content, restored.published_at)
      """, [.integer(now), .text(Self.context.author), .text(Self.action)])
    try connection.execute(
      """
      UPDATE main.template SET revision =
        (SELECT max(number) FROM main.template_revision WHERE template_id = template.id);
      INSERT INTO main.deleted_template (name, revision)
        SELECT name, number FROM temp.last_templates
        WHERE NOT EXISTS (SELECT 1 FROM main.template WHERE template.name = last_templates.name)
        ON CONFLICT (name) DO UPDATE SET revision = max(revision, excluded.revision);
      """)
  }

  /// Publishes the document again under a new number for each domain whose revision number would go back
  /// or would belong to another revision. Returns the number of these domains.
  private func republish() throws -> Int {
    let values: [Value] = [.integer(now), .text(Self.context.author), .text(Self.action)]
    try connection.run(
      """
      INSERT INTO main.revision (domain_id, number, published_at, author, reason,
        accepted_codes, settings)
      SELECT domain.id, before.number + 1, ?1, ?2, ?3, accepted_codes, settings
      FROM temp.before
      JOIN \(Self.named) AS domain USING (own_name)
      JOIN main.revision AS restored ON restored.domain_id = domain.id
        AND restored.number = domain.revision
      WHERE before.number > restored.number OR before.number = restored.number
        AND (before.digests, before.published_at)
          IS NOT (\(Self.digests), restored.published_at)
      """, values)
    let count = connection.changes
    try connection.run(
      """
      INSERT INTO main.document (domain_id, revision, kind, content, sha256, media_type)
      SELECT document.domain_id, number, kind, content, sha256, media_type
      FROM main.domain
      JOIN main.revision ON revision.domain_id = domain.id AND number > domain.revision
      JOIN main.document ON document.domain_id = domain.id
        AND document.revision = domain.revision
      """, [])
    try connection.run(
      """
      INSERT INTO main.audit (at, author, address, action, reason, domain, revision)
      SELECT ?1, ?2, '', ?3, '', own_name, number FROM \(Self.named) AS domain
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
