package import Association

/// A revision with everything that was published.
package struct PublishedRevision: Sendable, Equatable {
  package let documents: Documents
  /// Its number, and who published it when.
  package let revision: Revision
  /// The domain as JSON. Revisions of versions up to schema 17 have only its settings and its Android apps,
  /// and the first of them nothing.
  fileprivate let record: String?

  /// The domain as it was; `nil` if it was not recorded.
  ///
  /// - Throws: `StoreError.database` if the record is damaged.
  package func domain() throws -> Domain? {
    guard let record = try recorded() else { return nil }
    if record["domain"] == nil { return Domain(earlierRecord: record) }
    do throws(InvalidInput) {
      return addingBytes(to: try DomainResource.read(record: record))
    } catch {
      let fault = error.faults.first.map { "\($0.pointer): \($0.message)" } ?? ""
      throw StoreError.database(
        .damaged, detail: "revision \(revision.number) has an invalid domain; \(fault)")
    }
  }

  /// The record has no bytes: those of the revision's documents are its named documents.
  private func addingBytes(to domain: Domain) -> Domain {
    var domain = domain
    domain.namedDocuments = domain.namedDocuments.compactMap { document in
      documents[.named(document.name)].map {
        NamedDocument(stored: document.name, document.mediaType, bytes: $0)
      }
    }
    return domain
  }

  /// The domain as it was, if all of it was recorded.
  ///
  /// - Throws: Like `domain`.
  package func wholeDomain() throws -> Domain? {
    try record == nil || earlierRecord() != nil ? nil : domain()
  }

  /// What an earlier version of the program recorded, which is not the whole domain.
  package func earlierRecord() throws -> JSON? {
    try recorded().flatMap { $0["domain"] == nil ? $0 : nil }
  }

  private func recorded() throws -> JSON? {
    try record.map { try JSON.parse($0.utf8, limits: .trusted).value }
  }
}

extension Store {
  /// The current revision of a domain with its documents.
  ///
  /// - Throws: `StoreError.notFound`.
  package func currentRevision(of name: DomainName) throws -> PublishedRevision {
    try read { connection in
      guard let version = try DomainRows.version(of: name, connection) else {
        throw StoreError.notFound(.domain(name))
      }
      return try RevisionRows.get(nil, of: version, connection)
    }
  }

  /// A revision of a domain, which may be deleted; `nil` for the last one.
  ///
  /// - Throws: `StoreError.notFound`.
  package func revision(_ number: Int?, of name: DomainName) throws -> PublishedRevision {
    try read { try RevisionRows.get(number, of: DomainRows.history(of: name, $0), $0) }
  }

  /// The first of some revisions of domains, which may be deleted, in their order: as many as take little memory, and at
  /// least one.
  ///
  /// - Throws: `StoreError.notFound`.
  package func revisions(
    _ numbers: [(name: DomainName, number: Int)]
  ) throws -> [PublishedRevision] {
    try read { connection in
      let versions = try DomainRows.versions(of: numbers.map(\.name), connection)
      func all<Value>(
        _ numbers: some Sequence<(name: DomainName, number: Int)>,
        _ read: (DomainReading, Int) throws -> [Int64: Value]
      ) throws -> (DomainName, Int) -> Value? {
        let found = try Dictionary(grouping: numbers, by: \.number).map { number, group in
          let ids = group.compactMap { versions[$0.name]?.id }
          return (number, try read(DomainReading(ids, connection), number))
        }
        let values = Dictionary(found) { $1 }
        return { name, number in versions[name].flatMap { values[number]?[$0.id] } }
      }
      let size = try all(numbers) { try $0.sizes($1) }
      let numbers = numbers.fitting { size($0.name, $0.number) ?? 0 }
      let revision = try all(numbers) { try $0.revisions($1) }
      return try numbers.map { name, number in
        try revision(name, number)
          ?? RevisionRows.get(number, of: DomainRows.history(of: name, connection), connection)
      }
    }
  }

  /// A revision of a domain with its documents.
  ///
  /// - Throws: `StoreError.notFound`.
  package func revision(_ number: Int, of domain: StoredDomain) throws -> PublishedRevision {
    try read { try RevisionRows.get(number, of: domain.version, $0) }
  }

  /// The revision of a domain that was current at a time; `nil` if nothing was published by then.
  ///
  /// - Throws: `StoreError.notFound` if it was pruned.
  package func revision(of domain: StoredDomain, at time: UnixTime) throws -> PublishedRevision? {
    try read { connection in
      let sql = """
        SELECT number FROM revision WHERE domain_id = ?1 AND published_at <= ?2
        ORDER BY number DESC LIMIT 1
        """
      let found = try connection.first(sql, [.integer(domain.id), .integer(time)]) { $0.int(0) }
      if let found { return try RevisionRows.get(found, of: domain.version, connection) }
      // Without the first revision, nobody knows what was published before the oldest one that is kept.
      return try RevisionRows.find(1, of: domain.id, connection) == nil
        ? RevisionRows.get(1, of: domain.version, connection) : nil
    }
  }

  /// A page of the revisions of a domain, which may be deleted: the newest first, before `number`.
  ///
  /// - Throws: `StoreError.notFound`.
  package func revisions(
    of name: DomainName, before number: Int?, limit: Int
  ) throws -> [Revision] {
    try read { connection in
      let id = try DomainRows.history(of: name, connection).id
      return try RevisionRows.page(of: id, before: number, limit: limit, connection)
    }
  }
}

/// Reads and writes rows of `revision` and `document`.
enum RevisionRows {
  private static let table = Table(
    "revision", keys: ["domain_id", "settings"],
    blank: Revision(number: 0, publishedAt: 0, author: "", reason: "", acceptedCodes: []),
    columns: [
      Column("number", \.number),
      Column("published_at", \.publishedAt),
      Column("author", \.author),
      Column("reason", \.reason),
      Column("accepted_codes", \.acceptedCodes),
      Column("is_applied", \.isApplied),
      Column("change_id", \.change),
    ])

  /// The columns of the table; the first parameter is the domain.
  private static let select = select(table.selection)

  private static func select(_ columns: String) -> String {
    "SELECT \(columns) FROM revision WHERE domain_id = ?"
  }

  /// A revision of a domain with its documents.
  static func find(
    _ number: Int, of domain: Int64, _ connection: any Connection
  ) throws -> PublishedRevision? {
    try all(
      "revision WHERE domain_id = ?1 AND number = ?2",
      "document WHERE domain_id = ?1 AND revision = ?2",
      [.integer(domain), .integer(number)], connection)[domain]
  }

  /// The current revisions of some domains with their documents, by domain.
  ///
  /// - Parameters:
  ///   - isRead: SQL that follows the row of a domain, with a parameter for the domains.
  ///   - domains: That parameter.
  static func current(
    _ isRead: String, _ domains: Value, _ connection: any Connection
  ) throws -> [Int64: PublishedRevision] {
    try all(
      "domain JOIN revision ON domain_id = domain.id AND number = domain.revision WHERE domain.id \(isRead)",
      """
      domain JOIN document ON domain_id = domain.id AND document.revision = domain.revision
      WHERE domain.id \(isRead)
      """, [domains], connection)
  }

  /// The revisions of some domains with this number; see `current`.
  static func all(
    _ number: Int, _ isRead: String, _ domains: Value, _ connection: any Connection
  ) throws -> [Int64: PublishedRevision] {
    try all(
      "revision WHERE domain_id \(isRead) AND number = ?2",
      "document WHERE domain_id \(isRead) AND revision = ?2", [domains, .integer(number)],
      connection)
  }

  /// A revision of each of some domains, by domain.
  ///
  /// - Parameters:
  ///   - revisions: SQL after FROM for their rows.
  ///   - documents: The same for those of their documents.
  private static func all(
    _ revisions: String, _ documents: String, _ values: [Value], _ connection: any Connection
  ) throws -> [Int64: PublishedRevision] {
    var found: [Int64: (revision: Revision, record: String?, documents: Documents)] = [:]
    try connection.run("SELECT domain_id, settings, \(table.selection) FROM \(revisions)", values) {
      found[$0.integer(0)] = (try table.read($0, from: 2), $0.optionalText(1), [:])
    }
    if found.isEmpty { return [:] }
    try connection.run(
      "SELECT domain_id, kind, content, sha256, media_type FROM \(documents)", values
    ) { row in
      let (kind, content): (DocumentKind, [UInt8]) = (try row.enumeration(1), row.blob(2))
      let domain = row.integer(0)
      found[domain]?.documents[kind] = content
      found[domain]?.revision.documents.append(
        Revision.Document(
          kind, size: content.count, sha256: row.text(3), mediaType: try MediaType?.read(row, 4)))
    }
    return found.mapValues { found in
      var revision = found.revision
      revision.documents.sort { $0.kind < $1.kind }
      return PublishedRevision(
        documents: found.documents, revision: revision, record: found.record)
    }
  }

  /// A page of the revisions of a domain, the newest first, before `number`.
  static func page(
    of domain: Int64, before number: Int?, limit: Int, _ connection: any Connection
  ) throws -> [Revision] {
    let revisions = try connection.all(
      select + " AND number < ? ORDER BY number DESC LIMIT ?",
      [.integer(domain), .integer(number ?? Int.max), .integer(limit)]
    ) { try table.read($0) }
    return try addingDocuments(to: revisions, of: domain, connection)
  }

  /// Reads which documents revisions of a domain have.
  private static func addingDocuments(
    to revisions: [Revision], of domain: Int64, _ connection: any Connection
  ) throws -> [Revision] {
    guard let first = revisions.map(\.number).min(), let last = revisions.map(\.number).max() else {
      return []
    }
    var documents: [Int: [Revision.Document]] = [:]
    try connection.run(
      """
      SELECT revision, kind, length(content), sha256, media_type FROM document
      WHERE domain_id = ? AND revision BETWEEN ? AND ?
      """, [.integer(domain), .integer(first), .integer(last)]
    ) { row in
      documents[row.int(0), default: []].append(
        Revision.Document(
          try row.enumeration(1), size: row.int(2), sha256: row.text(3),
          mediaType: try MediaType?.read(row, 4)))
    }
    return revisions.map { revision in
      var revision = revision
      revision.documents = (documents[revision.number] ?? []).sorted { $0.kind < $1.kind }
      return revision
    }
  }

  static func current(of domain: Int64, _ connection: any Connection) throws -> Revision? {
    let current = try connection.all(
      select + " AND number = (SELECT revision FROM domain WHERE id = domain_id)",
      [.integer(domain)]
    ) { try table.read($0) }
    return try addingDocuments(to: current, of: domain, connection).first
  }

  /// A revision of a domain with its documents; `nil` for the last one. Edits skip no numbers, so a missing
  /// revision below the last one was pruned.
  ///
  /// - Throws: `StoreError.notFound`.
  static func get(
    _ number: Int?, of domain: StoredDomain.Version, _ connection: any Connection
  ) throws -> PublishedRevision {
    let number = number ?? domain.revision
    if let found = try find(number, of: domain.id, connection) { return found }
    let wasPruned = (1..<max(1, domain.revision)).contains(number)
    throw StoreError.notFound(wasPruned ? .prunedRevision(number) : .revision(number))
  }

  /// Adds a revision and makes it the current one.
  ///
  /// - Parameter whole: The domain with all its numbers.
  static func publish(
    _ revision: Revision, _ documents: Documents, _ whole: Domain, of domain: Int64,
    _ connection: any Connection
  ) throws {
    let record = DomainResource.record(whole).text
    try table.insert(revision, [.integer(domain), .text(record)], connection)
    for document in revision.documents {
      try connection.insert(
        insertion,
        [
          .integer(domain), .integer(revision.number), .text(document.kind.rawValue),
          .blob(documents[document.kind] ?? []), .text(document.sha256),
          document.mediaType.stored,
        ])
    }
  }

  private static let insertion = Insertion(
    into: "document", depth: 2,
    ["domain_id", "revision", "kind", "content", "sha256", "media_type"])
}

extension Revision {
  /// The revision that an edit publishes.
  init(
    of edit: DomainEdit, number: Int, action: String, by context: WriteContext, now: UnixTime
  ) {
    self.init(
      number: number,
      documents: edit.documents.sorted { $0.key < $1.key }.map { kind, content in
        Revision.Document(
          kind, size: content.count, sha256: SHA256.hexadecimal(of: content),
          mediaType: edit.domain.namedDocuments.first { .named($0.name) == kind }?.mediaType)
      }, publishedAt: now, author: context.author,
      reason: context.reason.isEmpty ? action : context.reason, acceptedCodes: edit.acceptedCodes,
      isApplied: action == Self.applying)
  }
}
