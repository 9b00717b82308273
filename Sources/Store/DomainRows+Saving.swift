import Association

extension DomainRows {
  /// Adds the row of a domain that was never there, for `save` to write the rest.
  static func add(
    _ edit: DomainEdit, _ revision: Revision, _ connection: any Connection
  ) throws -> DomainRows {
    let entries = edit.domain.associationFile.entries.count
    let keys: [Value] = [
      .integer(revision.number), .integer(revision.publishedAt), .integer(revision.publishedAt),
      .integer(edit.lintedBy), .integer(entries),
    ]
    return DomainRows(id: try DomainTables.domain.add(edit.domain, keys, connection))
  }

  /// Gives a domain that was deleted its row back, so that its revisions go on, for `save` to write the rest.
  ///
  /// - Returns: `nil` if no domain with this name was deleted.
  static func revive(_ domain: Domain, _ connection: any Connection) throws -> DomainRows? {
    guard let deleted = try deleted(domain.name, connection) else { return nil }
    try DomainTables.domain.update(domain, is: .integer(deleted.id), connection)
    try connection.run(
      "UPDATE domain SET deleted_at = NULL, deleted_name = NULL WHERE id = ?",
      [.integer(deleted.id)])
    // Servers of versions up to schema 19 leave the labels of a domain that they delete.
    try DomainTables.label.delete(of: deleted.id, connection)
    return DomainRows(id: deleted.id)
  }

  /// Notes what a new revision changes in the row.
  func publish(
    _ revision: Revision, _ edit: DomainEdit, _ locked: LockedRows, _ connection: any Connection
  )
    throws
  {
    try connection.update(
      "UPDATE domain SET revision = ?, updated_at = ?, last_entry = ? WHERE id = ?",
      [
        .integer(revision.number), .integer(revision.publishedAt), .integer(locked.lastEntry),
        .integer(id),
      ])
    // SQLite rewrites the index of every column that an UPDATE names.
    try noteLinter(edit.lintedBy, connection)
  }

  /// Notes which linter made the findings.
  func noteLinter(_ version: Int, _ connection: any Connection) throws {
    try connection.update(
      "UPDATE domain SET linted_by = ?1 WHERE id = ?2 AND linted_by <> ?1",
      [.integer(version), .integer(id)])
  }

  /// Deletes everything except the row itself, the revisions, and the history of checks.
  func delete(_ name: DomainName, now: UnixTime, _ connection: any Connection) throws {
    try connection.run(
      """
      UPDATE domain SET deleted_at = ?, deleted_name = ?, updated_at = ?, template = NULL, template_use = NULL
      WHERE id = ?
      """,
      [.integer(now), .text(name.text), .integer(now), .integer(id)])
    for table in Self.tables + DomainTables.lists.map(\.table) {
      try connection.run("DELETE FROM \(table) WHERE domain_id = ?", [.integer(id)])
    }
  }

  /// The tables with rows that a deleted domain does not have. Rows that belong to these rows follow.
  private static let tables = [
    "domain_name", "applinks_app", "service", "substitution_variable", "entry", "defaults",
    "finding", "suppression", "check_schedule",
  ]

  /// Writes the differences between the rows, which are those of `old`, and `new`.
  ///
  /// Entries and routes keep their rows by their numbers; one without a number, or with one that the
  /// domain does not have, gets a new row and the next number.
  ///
  /// - Parameter locked: What is stored, also afterwards.
  /// - Returns: `new` with the numbers of its entries and routes.
  /// - Throws: `StoreError.nameTaken`, `SQLError`.
  func save(
    _ new: Domain, over old: Domain?, _ locked: inout LockedRows, _ connection: any Connection
  ) throws -> Domain {
    var new = new
    try saveNames(new, over: old, connection)
    if let old, DomainTables.domain.values(old) != DomainTables.domain.values(new) {
      try DomainTables.domain.update(new, is: .integer(id), connection)
    } else if old != nil, let use = new.template {
      try TemplateRows.noteCurrent(id, use, connection)
    }
    let before = old?.associationFile ?? AssociationFile()
    let document = new.associationFile
    try DomainTables.applinksApp.replace(
      before.apps ?? [], by: document.apps ?? [], of: id, connection)
    for list in DomainTables.lists { try list.save(old, new, id, connection) }
    if before.services != document.services {
      if !before.services.isEmpty { try DomainTables.service.delete(of: id, connection) }
      try addServices(document.services, connection)
    }
    if before.substitutionVariables != document.substitutionVariables {
      if !before.substitutionVariables.isEmpty {
        try DomainTables.variable.delete(of: id, connection)
      }
      try addVariables(document.substitutionVariables, connection)
    }
    if before.defaults != document.defaults {
      if !before.defaults.isEmpty { try DomainTables.defaults.delete(of: id, connection) }
      try insertDefaults(document.defaults, [.integer(id), .null], connection)
    }
    try saveEntries(&new.associationFile.entries, over: before.entries, &locked, connection)
    return new
  }

  private func saveNames(_ new: Domain, over old: Domain?, _ connection: any Connection) throws {
    if old?.names == new.names { return }
    do {
      try connection.attempt {
        try DomainTables.name.replace(old?.names ?? [], by: new.names, of: id, connection)
      }
    } catch let error as SQLError where error.kind == .unique && !connection.isPipelining {
      // Somebody has created the same domain meanwhile.
      if let owner = try Self.owner(of: Alias(new.name), connection), owner.id != id,
        owner.name == new.name
      {
        throw Outdated()
      }
      try refuseTakenNames(of: new, connection)
      throw error
    }
  }

  /// - Throws: `StoreError.nameTaken`.
  func refuseTakenNames(of domain: Domain, _ connection: any Connection) throws {
    for name in domain.names {
      if let owner = try Self.owner(of: name, connection), owner.id != id {
        throw StoreError.nameTaken(name.description, by: owner.name)
      }
    }
  }

  /// The domain that has a name, as its own or as an alias.
  static func owner(
    of name: Alias, _ connection: any Connection
  ) throws -> (id: Int64, name: DomainName)? {
    try connection.first(
      """
      SELECT own.domain_id, own.name FROM domain_name AS taken
      JOIN domain_name AS own ON own.domain_id = taken.domain_id AND own.position = 0
      WHERE taken.name = ?
      """, [.text(name.description)]
    ) { ($0.integer(0), DomainName(stored: $0.text(1))) }
  }

  private func addServices(
    _ services: [AssociationFile.Service: AssociationFile.AppList], _ connection: any Connection
  ) throws {
    for service in AssociationFile.Service.allCases {
      guard let list = services[service] else { continue }
      let row = try DomainTables.service.add(
        DomainTables.Service(name: service, extra: list.extra), [.integer(id)], connection)
      try DomainTables.serviceApp.replace([], by: list.apps, of: row, connection)
    }
  }

  private func addVariables(
    _ variables: [SubstitutionVariable], _ connection: any Connection
  ) throws {
    for (position, variable) in variables.enumerated() {
      let row = try DomainTables.variable.add(
        variable.name, [.integer(id), .integer(position)], connection)
      try DomainTables.variableValue.replace([], by: variable.values, of: row, connection)
    }
  }

  private func insertDefaults(
    _ defaults: Defaults, _ keys: [Value], _ connection: any Connection
  ) throws {
    if !defaults.isEmpty { try DomainTables.defaults.insert(defaults, keys, connection) }
  }

  private func saveEntries(
    _ new: inout [Entry], over old: [Entry], _ locked: inout LockedRows,
    _ connection: any Connection
  ) throws {
    let places = old.places(by: \.id)
    let rows = locked.entries.mapValues(\.id)
    try delete("entry", rows, keeping: new.compactMap(\.id), connection)
    for position in new.indices {
      let place = places[new[position].id]
      if let place, place == position, old[place] == new[position],
        old[place].isWritten(like: new[position])
      {
        continue
      }
      if place == nil {
        locked.lastEntry += 1
        new[position].id = locked.lastEntry
      }
      let entry = new[position]
      let row = try DomainTables.entry.save(
        entry, at: position, of: id, [.integer(entry.routes.count)],
        over: Self.stored(old, place, rows, \.id), connection)
      let before = place.map { old[$0] } ?? Entry()
      try DomainTables.entryApp.replace(before.apps, by: entry.apps, of: row, connection)
      try DomainTables.entryAndroidApp.replace(
        before.androidApps, by: entry.androidApps, of: row, connection)
      try DomainTables.legacyPath.replace(before.paths, by: entry.paths, of: row, connection)
      if before.defaults != entry.defaults {
        if !before.defaults.isEmpty {
          try connection.run("DELETE FROM defaults WHERE entry_id = ?", [.integer(row)])
        }
        try insertDefaults(entry.defaults, [.null, .integer(row)], connection)
      }
      let stored = place == nil ? nil : entry.id.flatMap { locked.entries[$0] }
      try saveRoutes(
        of: row, stored, &new[position].routes, over: before.routes, connection)
    }
  }

  /// Gives new entries and routes the numbers that `save` would give them.
  func number(
    _ entries: inout [Entry], over old: [Entry], _ connection: any Connection
  ) throws {
    let places = old.places(by: \.id)
    let last = try connection.number("SELECT last_entry FROM domain WHERE id = ?", [.integer(id)])
    var lastRoutes: [Int64: Int64] = [:]
    try connection.run("SELECT number, last_route FROM entry WHERE domain_id = ?", [.integer(id)]) {
      lastRoutes[$0.integer(0)] = $0.integer(1)
    }
    var next = (last ?? 0) + 1
    for position in entries.indices {
      let place = places[entries[position].id]
      let routes = place.map { old[$0].routes.places(by: \.id) } ?? [:]
      var nextRoute = (place.flatMap { old[$0].id }.flatMap { lastRoutes[$0] } ?? 0) + 1
      if place == nil {
        entries[position].id = next
        next += 1
      }
      for index in entries[position].routes.indices
      where routes[entries[position].routes[index].id] == nil {
        entries[position].routes[index].id = nextRoute
        nextRoute += 1
      }
    }
  }

  /// - Parameter stored: What is stored of the entry; `nil` for a new one.
  private func saveRoutes(
    of row: Int64, _ stored: LockedRows.EntryRow?, _ new: inout [Route], over old: [Route],
    _ connection: any Connection
  ) throws {
    let places = old.places(by: \.id)
    let rows = stored?.routes ?? [:]
    try delete("route", rows, keeping: new.compactMap(\.id), connection)
    var last = stored?.lastRoute ?? 0
    for position in new.indices {
      let place = places[new[position].id]
      if let place, place == position, old[place] == new[position],
        old[place].isWritten(like: new[position])
      {
        continue
      }
      if place == nil {
        last += 1
        new[position].id = last
      }
      let route = new[position]
      let saved = try DomainTables.route.save(
        route, at: position, of: row, over: Self.stored(old, place, rows, \.id), connection)
      try DomainTables.queryItem.replace(
        place.map { old[$0].queryItems } ?? [], by: route.queryItems, of: saved, connection)
    }
    if let stored, last != stored.lastRoute {
      try connection.update(
        "UPDATE entry SET last_route = ? WHERE id = ?", [.integer(last), .integer(row)])
    }
  }

  private static func stored<Element>(
    _ old: [Element], _ place: Int?, _ rows: [Int64: Int64], _ number: (Element) -> Int64?
  ) -> (row: Int64, position: Int, value: Element)? {
    guard let place, let row = number(old[place]).flatMap({ rows[$0] }) else { return nil }
    return (row, place, old[place])
  }

  /// The next number of a kind that a domain has never given before.
  static func number(
    _ column: StaticString, of domain: Int64, _ connection: any Connection
  ) throws -> Int64 {
    try connection.number(
      "UPDATE domain SET \(column) = \(column) + 1 WHERE id = ? RETURNING \(column)",
      [.integer(domain)]) ?? 0
  }

  private func delete(
    _ table: StaticString, _ rows: [Int64: Int64], keeping numbers: [Int64],
    _ connection: any Connection
  ) throws {
    let kept = Set(numbers)
    let deleted = rows.filter { !kept.contains($0.key) }.map(\.value)
    if deleted.isEmpty { return }
    let (isDeleted, ids) = connection.isOne(of: deleted)
    try connection.run("DELETE FROM \(table) WHERE id \(isDeleted)", [ids])
  }
}

extension Route {
  fileprivate var queryItems: [Query.Item] {
    if case .items(let items) = query { items } else { [] }
  }
}
