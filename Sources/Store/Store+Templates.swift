package import Association

/// A template as it is stored, or as it was in one of its revisions.
package struct StoredTemplate: Sendable, Equatable {
  package var template: Template
  /// The number of the revision, from 1.
  package var revision: Int
  package var publishedAt: UnixTime
  /// Who published it.
  package var author: String
  /// Why, or what was done.
  package var reason: String
  /// Whether `apply` published it.
  package var isApplied = false
  /// How many domains use the template now, of those that the reader may see.
  package var domainCount: Int
}

extension Store {
  /// A template; `nil` if it does not exist.
  package func storedTemplate(_ name: TemplateName) throws -> StoredTemplate? {
    try read { try TemplateRows.find(name, $0) }
  }

  /// A template.
  ///
  /// - Parameter within: The domains that the reader is limited to.
  /// - Throws: `StoreError.notFound`.
  package func template(_ name: TemplateName, within: Scope = Scope()) throws -> StoredTemplate {
    try read { try TemplateRows.get(name, within: within, $0) }
  }

  /// A revision of a template.
  ///
  /// - Parameter within: The domains that the reader is limited to.
  /// - Throws: `StoreError.notFound`.
  package func template(
    _ name: TemplateName, revision: Int, within: Scope = Scope()
  ) throws -> StoredTemplate {
    try read { connection in
      _ = try TemplateRows.get(name, connection)
      let found = try TemplateRows.find(name, revision: revision, counting: within, connection)
      guard let found else {
        throw StoreError.notFound(.revision(revision))
      }
      return found
    }
  }

  /// A revision of a template; `nil` if there is none.
  package func earlierTemplate(_ name: TemplateName, revision: Int) throws -> StoredTemplate? {
    try read { try TemplateRows.find(name, revision: revision, $0) }
  }

  /// The last revision of a template that `apply` published after another one; `nil` if there is none.
  ///
  /// - Parameter author: The only author for whom it did; `nil` for any.
  package func lastAppliedTemplate(
    _ name: TemplateName, since revision: Int, by author: String? = nil
  ) throws -> StoredTemplate? {
    try read { connection in
      let number = try connection.number(
        """
        SELECT number FROM template_revision JOIN template ON template.id = template_id
        WHERE name = ? AND is_applied = 1 AND number > ? \(author == nil ? "" : "AND author = ?")
        ORDER BY number DESC LIMIT 1
        """, [.text(name.text), .integer(revision)] + [author].compactMap { $0.map(Value.text) })
      return try number.flatMap { try TemplateRows.find(name, revision: Int($0), connection) }
    }
  }

  /// A page of templates by name, after `last`.
  ///
  /// - Parameter within: The domains that the reader is limited to.
  package func templates(
    after last: String? = nil, within: Scope = Scope(), limit: Int = .max
  ) throws -> [StoredTemplate] {
    try read { try TemplateRows.page(after: last ?? "", within: within, limit: limit, $0) }
  }

  /// Revisions of a template before a number, the newest first.
  ///
  /// - Parameter within: The domains that the reader is limited to.
  /// - Throws: `StoreError.notFound`.
  package func revisions(
    of name: TemplateName, before number: Int? = nil, within: Scope = Scope(), limit: Int
  ) throws -> [StoredTemplate] {
    try read { connection in
      _ = try TemplateRows.get(name, connection)
      return try TemplateRows.revisions(
        of: name, before: number, within: within, limit: limit, connection)
    }
  }

  package func domains(using template: TemplateName) throws -> [DomainName] {
    try read { try TemplateRows.domains(of: template, $0) }
  }
}

extension Transaction {
  /// All templates, by name.
  package func templates() throws -> [StoredTemplate] {
    try TemplateRows.page(after: "", limit: .max, connection)
  }

  /// A template; `nil` if it does not exist.
  package func template(_ name: TemplateName) throws -> StoredTemplate? {
    try TemplateRows.find(name, connection)
  }

  package func domains(using template: TemplateName) throws -> [DomainName] {
    try TemplateRows.domains(of: template, connection)
  }

  /// Creates a template, or publishes its next revision, unless nothing changes. The caller publishes its domains.
  ///
  /// - Parameters:
  ///   - isApplied: Whether `apply` does it.
  ///   - renamed: The new names of parameters, by their old ones.
  package func put(
    _ template: Template, isApplied: Bool = false, renaming renamed: [String: String] = [:]
  ) throws -> (stored: StoredTemplate, isNew: Bool) {
    let old = try TemplateRows.find(template.name, counting: Scope(), connection)
    if let old, old.template == template { return (old, false) }
    let last = max(
      old?.revision ?? 0,
      try TemplateRows.lastRevision(ofDeleted: template.name, isNew: old == nil, connection))
    let action = "put template"
    let new = StoredTemplate(
      template: template, revision: last + 1, publishedAt: now,
      author: context.author, reason: context.reason.isEmpty ? action : context.reason,
      isApplied: isApplied, domainCount: old?.domainCount ?? 0)
    if isDryRun {
      context.proposed?.note(template, over: old?.revision ?? 0)
      return (new, old == nil)
    }
    try TemplateRows.save(new, isNew: old == nil, connection)
    let changed = ChangedTemplate(
      name: template.name, before: old?.revision, after: new.revision, renamed: renamed)
    // A new template changes nothing that could be undone.
    if old != nil { _ = try currentChange(action) }
    addToChange(changed, action)
    return (new, old == nil)
  }

  /// Notes which of the template's domains were left behind when it was published. Each is noted until it is
  /// published again.
  package func noteBehind(_ name: TemplateName, _ domains: [DomainName]) throws {
    if isDryRun { return }
    try TemplateRows.noteBehind(name, domains, connection)
  }

  /// Deletes a template that no domain uses, with its revisions. A new one of this name continues from their numbers.
  ///
  /// - Throws: `StoreError.notFound`, `.templateInUse`.
  package func delete(_ name: TemplateName) throws {
    try lock([name], .change)
    let stored = try TemplateRows.get(name, connection)
    if stored.domainCount > 0 {
      throw StoreError.templateInUse(
        name, domains: Array(try TemplateRows.domains(of: name, connection).prefix(10)),
        count: stored.domainCount)
    }
    if isDryRun { return }
    try TemplateRows.note(deleted: name.text, stored.revision, connection)
    try connection.run("DELETE FROM template WHERE name = ?", [.text(name.text)])
    try TemplateRows.foldNumbers(connection)
    try record("delete template", .template(name))
  }
}

/// Reads and writes rows of `template` and `template_revision`.
enum TemplateRows {
  /// The columns are those of `read`.
  ///
  /// - Parameters:
  ///   - scope: What the domains are counted of; `nil` not to count them, which takes time in proportion to them.
  ///   - list: SQL for `Scope.list`.
  private static func select(counting scope: Scope?, _ list: String = "") -> String {
    let count =
      switch scope {
      case nil: "0"
      case .some(let scope) where scope.isEverything:
        "(SELECT count(*) FROM domain WHERE domain.template = template.name)"
      case .some:
        """
        (SELECT count(*) FROM domain JOIN domain_name AS own ON own.domain_id = domain.id AND own.position = 0
          WHERE domain.template = template.name AND \(DomainFilter.within(list)))
        """
      }
    return """
      SELECT content, number, published_at, author, reason, is_applied, \(count)
      FROM template JOIN template_revision ON template_id = template.id
      """
  }

  /// Those of `select` and its list, which comes last if it is used.
  private static func values(_ values: [Value], counting scope: Scope?) -> [Value] {
    scope.map { $0.isEverything ? values : values + [$0.list] } ?? values
  }

  private static func read(_ row: borrowing Row) throws -> StoredTemplate {
    let json = try row.json(0)
    let template: Template
    do throws(InvalidInput) {
      template = try TemplateResource.read(record: json)
    } catch {
      throw UnreadableColumn(text: row.text(0))
    }
    return StoredTemplate(
      template: template, revision: row.int(1), publishedAt: row.time(2), author: row.text(3),
      reason: row.text(4), isApplied: row.bool(5), domainCount: row.int(6))
  }

  /// - Parameters:
  ///   - revision: The number of a revision; `nil` for the current one.
  ///   - scope: What the domains are counted of; `nil` not to count them.
  static func find(
    _ name: TemplateName, revision: Int? = nil, counting scope: Scope? = nil,
    _ connection: any Connection
  ) throws -> StoredTemplate? {
    try connection.first(
      """
      \(select(counting: scope, "?3")) WHERE name = ?1 AND number = coalesce(?2, template.revision)
      """,
      values([.text(name.text), .optional(revision.map(Int64.init))], counting: scope), row: read)
  }

  static func get(
    _ name: TemplateName, within: Scope = Scope(), _ connection: any Connection
  ) throws -> StoredTemplate {
    guard let found = try find(name, counting: within, connection) else {
      throw StoreError.notFound(.template(name))
    }
    return found
  }

  static func page(
    after name: String, within: Scope = Scope(), limit: Int, _ connection: any Connection
  ) throws -> [StoredTemplate] {
    try connection.all(
      """
      \(select(counting: within, "?3")) WHERE number = template.revision AND name > ?1
      ORDER BY name LIMIT ?2
      """, values([.text(name), .integer(limit)], counting: within), row: read)
  }

  /// The templates that some domains use; without limits, all.
  static func used(
    within: Scope, label: Label?, _ connection: any Connection
  ) throws -> [StoredTemplate] {
    if within.isEverything && label == nil { return try page(after: "", limit: .max, connection) }
    return try connection.all(
      """
      \(select(counting: nil)) WHERE number = template.revision AND EXISTS (
        SELECT 1 FROM domain JOIN domain_name AS own ON own.domain_id = domain.id AND own.position = 0
        WHERE domain.template = template.name
          AND \(DomainFilter.within("?1")) AND \(DomainFilter.labelled("?2")))
      ORDER BY name
      """, [within.list, .optional(label?.text)], row: read)
  }

  static func revisions(
    of name: TemplateName, before number: Int?, within: Scope, limit: Int,
    _ connection: any Connection
  ) throws -> [StoredTemplate] {
    try connection.all(
      """
      \(select(counting: within, "?4")) WHERE name = ?1 AND number < ?2
      ORDER BY number DESC LIMIT ?3
      """,
      values(
        [.text(name.text), .integer(number ?? Int.max), .integer(limit)], counting: within),
      row: read)
  }

  /// The number of the current revision; `nil` if the template does not exist.
  static func revision(of name: TemplateName, _ connection: any Connection) throws -> Int? {
    try connection.first("SELECT revision FROM template WHERE name = ?", [.text(name.text)]) {
      $0.int(0)
    }
  }

  /// The number from which a template of the name continues, as far as deleted ones decide; 0 if none was deleted.
  static func lastRevision(
    ofDeleted name: TemplateName, isNew: Bool, _ connection: any Connection
  ) throws -> Int {
    try connection.first(
      "SELECT coalesce(max(revision), 0) FROM deleted_template WHERE name IN (?, ?)",
      [.text(name.text), .text(isNew ? forgotten : name.text)]
    ) { $0.int(0) } ?? 0
  }

  /// The number of deleted templates whose numbers are kept one by one.
  static let mostDeleted = 1000
  /// In place of a name, for all other deleted templates: the highest of their numbers.
  private static let forgotten = ""

  /// Keeps one number for those deleted templates that are too many to keep each, which have the lowest: new templates
  /// continue from it.
  static func foldNumbers(_ connection: any Connection) throws {
    let count = try connection.count(
      "SELECT count(*) FROM deleted_template WHERE name <> ?", [.text(forgotten)])
    if count <= mostDeleted { return }
    let lowest = try connection.all(
      "SELECT name, revision FROM deleted_template WHERE name <> ? ORDER BY revision, name LIMIT ?",
      [.text(forgotten), .integer(count - mostDeleted)]
    ) { (name: $0.text(0), revision: $0.int(1)) }
    for template in lowest {
      try connection.run(
        "DELETE FROM deleted_template WHERE name = ?", [.text(template.name)])
    }
    try note(deleted: forgotten, lowest.last?.revision ?? 1, connection)
  }

  /// Notes the number from which a deleted template continues, unless a higher one is noted: a server of an earlier
  /// version may have left a row.
  static func note(deleted name: String, _ revision: Int, _ connection: any Connection) throws {
    try connection.run(
      """
      INSERT INTO deleted_template (name, revision) VALUES (?, ?) ON CONFLICT (name) DO UPDATE
      SET revision = CASE WHEN excluded.revision > deleted_template.revision
        THEN excluded.revision ELSE deleted_template.revision END
      """, [.text(name), .integer(revision)])
  }

  static func domains(
    of name: TemplateName, _ connection: any Connection
  ) throws -> [DomainName] {
    try connection.all(
      """
      SELECT own.name FROM domain JOIN domain_name AS own ON own.domain_id = domain.id AND position = 0
      WHERE template = ? ORDER BY own.name
      """, [.text(name.text)]
    ) { DomainName(stored: $0.text(0)) }
  }

  /// The column has it after what `Domain` reads, so that any later edit of the domain removes it.
  static func noteBehind(
    _ name: TemplateName, _ domains: [DomainName], _ connection: any Connection
  ) throws {
    let behind = Set(domains)
    let rows = try connection.all(
      """
      SELECT domain.id, own.name, template_use FROM domain
      JOIN domain_name AS own ON own.domain_id = domain.id AND position = 0
      WHERE template = ?1 AND (template_use LIKE '\(behindPattern)' OR own.name IN (
        SELECT each.value FROM json_each(?2) AS each))
      \(connection.lock(.change, of: "domain"))
      """, [.text(name.text), .text(JSON.strings(domains.map(\.text)).text)]
    ) { (id: $0.integer(0), name: DomainName(stored: $0.text(1)), use: try $0.json(2)) }
    for row in rows {
      var use = row.use.objectValue ?? [:]
      use["behind"] = behind.contains(row.name) ? true : nil
      try connection.run(
        "UPDATE domain SET template_use = ? WHERE id = ?",
        [.text(JSON.object(use).text), .integer(row.id)])
    }
  }

  /// Removes the note from a domain that is published with its template as it is now.
  static func noteCurrent(_ id: Int64, _ use: TemplateUse, _ connection: any Connection) throws {
    try connection.update(
      "UPDATE domain SET template_use = ? WHERE id = ? AND template_use LIKE '\(behindPattern)'",
      [.text(JSON.object(DomainResource.record(use)).text), .integer(id)])
  }

  /// A pattern of SQL for `template_use` of a domain that is behind. No other member can have it, because quotes in
  /// strings are escaped.
  static let behindPattern = "%\"behind\":true%"

  static func save(
    _ new: StoredTemplate, isNew: Bool, _ connection: any Connection
  ) throws {
    let name = Value.text(new.template.name.text)
    if isNew {
      try connection.run(
        "INSERT INTO template (name, revision) VALUES (?, ?)", [name, .integer(new.revision)])
      try connection.run("DELETE FROM deleted_template WHERE name = ?", [name])
    } else {
      try connection.run(
        "UPDATE template SET revision = ? WHERE name = ?", [.integer(new.revision), name])
    }
    try connection.run(
      """
      INSERT INTO template_revision
        (template_id, number, content, published_at, author, reason, is_applied)
      SELECT id, revision, ?, ?, ?, ?, ? FROM template WHERE name = ?
      """,
      [
        .text(JSON.object(TemplateResource.json(new.template)).text), .integer(new.publishedAt),
        .text(new.author), .text(new.reason), .bool(new.isApplied), name,
      ])
  }
}
