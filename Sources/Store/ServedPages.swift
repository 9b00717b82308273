package import Association

/// A part of everything that is served, for a copy of it elsewhere: the domains a few at a time, then those that have
/// changed since.
package struct ServedPage: Sendable {
  /// Where a copy goes on.
  package struct Position: Sendable, Equatable {
    /// The last change that the copy has or, while the domains are listed, the last one before that began.
    package var sequence: Int64
    /// The row of the last listed domain; `nil` after the last one.
    package var listed: Int64?

    package init(sequence: Int64, listed: Int64? = nil) {
      (self.sequence, self.listed) = (sequence, listed)
    }
  }

  /// Whether the list of all domains begins here. When a later page is the first current one, whatever is on none of
  /// the pages in between is not served.
  package let isFirst: Bool
  /// The domains as they are now. A domain may be on several pages; the last one counts.
  package let domains: [Changes.Change]
  package let next: Position
  /// Whether nothing has changed after this page.
  package let isCurrent: Bool
}

extension Store {
  /// The number of domains on a page, or of changes.
  private static let pageSize: Int64 = 64

  /// The next page of what is served. If the changes after a position are no longer known, the list of all domains
  /// begins again.
  ///
  /// - Parameters:
  ///   - position: The `next` of the page before; `nil` to begin.
  ///   - scope: Only these domains. A domain that leaves the scope is reported as deleted.
  /// - Throws: `StoreError`.
  package func served(
    after position: ServedPage.Position?, within scope: Scope = Scope()
  ) throws -> ServedPage {
    try read { connection in
      let known = try ChangeRows.known(connection)
      if let position, position.listed == nil,
        position.sequence == known.upperBound || known.contains(position.sequence + 1)
      {
        return try Self.changes(after: position.sequence, upTo: known.upperBound, scope, connection)
      }
      let started = position.flatMap { position in position.listed.map { (position.sequence, $0) } }
      let (sequence, listed) = started ?? (known.upperBound, 0)
      let first = try connection.first(
        "SELECT min(id) FROM domain WHERE id > ? AND deleted_at IS NULL", [.integer(listed)]
      ) { $0.optionalInteger(0) }
      guard let first = first ?? nil else {
        return ServedPage(
          isFirst: started == nil, domains: [], next: .init(sequence: sequence),
          isCurrent: sequence == known.upperBound)
      }
      let block = first...first + Self.pageSize - 1
      let covered = try Self.covered(block, by: scope, connection)
      return ServedPage(
        isFirst: started == nil,
        domains: try ServedRows.read(block, connection).filter {
          covered?.contains($0.domain) != false
        },
        next: .init(sequence: sequence, listed: block.upperBound), isCurrent: false)
    }
  }

  private static func changes(
    after sequence: Int64, upTo newest: Int64, _ scope: Scope, _ connection: any Connection
  ) throws -> ServedPage {
    let changes = try connection.all(
      "SELECT sequence, domain_id FROM change WHERE sequence > ? ORDER BY sequence LIMIT ?",
      [.integer(sequence), .integer(pageSize)]
    ) { (sequence: $0.integer(0), domain: $0.integer(1)) }
    let last = changes.last?.sequence ?? sequence
    let domains = try Set(changes.map(\.domain)).sorted().compactMap { domain -> Changes.Change? in
      let isCovered = try covered(domain...domain, by: scope, connection)?.isEmpty != true
      let now = isCovered ? try ServedRows.read(domain...domain, connection).first : nil
      // Edits of others are nothing that a token which is limited to some domains may learn.
      if !isCovered,
        let name = try connection.first(
          "SELECT name FROM domain_name WHERE domain_id = ? AND position = 0", [.integer(domain)],
          row: { Alias(stored: $0.text(0)) }), !scope.mayHaveHad(name)
      {
        return nil
      }
      return now ?? Changes.Change(domain: domain, now: .deleted)
    }
    return ServedPage(
      isFirst: false, domains: domains, next: .init(sequence: last), isCurrent: last == newest)
  }

  /// Those of some domains that a scope has; `nil` for all.
  private static func covered(
    _ domains: ClosedRange<Int64>, by scope: Scope, _ connection: any Connection
  ) throws -> Set<Int64>? {
    if scope.isEverything { return nil }
    return Set(
      try connection.all(
        """
        SELECT own.domain_id FROM domain_name AS own WHERE own.position = 0
          AND own.domain_id BETWEEN ?1 AND ?2 AND \(DomainFilter.within("?3"))
        """, [.integer(domains.lowerBound), .integer(domains.upperBound), scope.list]
      ) { $0.integer(0) })
  }
}
