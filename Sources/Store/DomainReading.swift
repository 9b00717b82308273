import Association

/// Reads whole domains: as many statements for a hundred as for one.
struct DomainReading {
  /// SQL after `domain_id`: a condition that it is one of `ids`, which are the first parameter.
  private let isRead: String
  private let ids: Value
  private let connection: any Connection

  /// - Parameter ids: The rows of the domains.
  init(_ ids: [Int64], _ connection: any Connection) {
    self.connection = connection
    (isRead, self.ids) = connection.isOne(of: ids)
  }

  /// The domains that exist, by row.
  func domains() throws -> [Int64: StoredDomain] {
    var domains = try list(DomainTables.name).compactMapValues { names in
      names.first.map { Domain(name: $0.name, aliases: Array(names.dropFirst())) }
    }
    if domains.isEmpty { return [:] }
    let apps = try list(DomainTables.applinksApp)
    // The column `has_apps` takes it away again.
    for id in domains.keys { domains[id]?.associationFile.apps = apps[id] ?? [] }
    for (id, variables) in try variables() {
      domains[id]?.associationFile.substitutionVariables = variables
    }
    for (id, services) in try services() { domains[id]?.associationFile.services = services }
    for (id, entries) in try entries() { domains[id]?.associationFile.entries = entries }
    try readDefaults(into: &domains)
    for list in DomainTables.lists { try list.load(&domains, self) }
    var stored: [Int64: StoredDomain] = [:]
    try connection.run(
      """
      SELECT id, revision, updated_at,
        (SELECT accepted_codes FROM revision WHERE domain_id = domain.id AND number = revision),
        \(DomainFilter.isBehind), \(DomainTables.domain.selection)
      FROM domain WHERE id \(isRead)
      """, [ids]
    ) { row in
      let id = row.integer(0)
      guard var domain = domains[id] else { return }
      try DomainTables.domain.read(row, from: 5, into: &domain)
      var found = StoredDomain(
        id: id, domain: domain, revision: row.int(1), updatedAt: row.time(2),
        acceptedCodes: try [String].read(row, 3))
      found.isBehind = row.bool(4)
      stored[id] = found
    }
    return stored
  }

  /// The bytes of all documents that the domains serve, by domain.
  func sizes() throws -> [Int64: Int] {
    let sizes = try connection.all(
      """
      SELECT domain.id, sum(length(content))
      FROM domain JOIN document ON domain_id = domain.id AND document.revision = domain.revision
      WHERE domain.id \(isRead) GROUP BY domain.id
      """, [ids]
    ) { ($0.integer(0), $0.int(1)) }
    return Dictionary(sizes) { $1 }
  }

  /// The bytes of all documents in their revisions with this number, by domain.
  func sizes(_ number: Int) throws -> [Int64: Int] {
    let sizes = try connection.all(
      """
      SELECT domain_id, sum(length(content)) FROM document
      WHERE domain_id \(isRead) AND revision = ?2 GROUP BY domain_id
      """, [ids, .integer(number)]
    ) { ($0.integer(0), $0.int(1)) }
    return Dictionary(sizes) { $1 }
  }

  /// Their revisions with this number, by domain.
  func revisions(_ number: Int) throws -> [Int64: PublishedRevision] {
    try RevisionRows.all(number, isRead, ids, connection)
  }

  /// The current revisions, by domain.
  func revisions() throws -> [Int64: PublishedRevision] {
    try RevisionRows.current(isRead, ids, connection)
  }

  /// The rows of a list that belong to each domain, in their order.
  func list<Element>(_ table: Table<Element>, by order: String = "position") throws
    -> [Int64: [Element]]
  {
    let rows = try table.all(
      "domain_id", "FROM \(table.name) WHERE domain_id \(isRead) ORDER BY \(order)", ids, connection
    )
    return rows.reduce(into: [:]) { $0[$1.key, default: []].append($1.value) }
  }

  /// Lists that belong to rows of `owner`, by row.
  private func lists<Element>(
    _ table: Table<Element>, of owner: String
  ) throws -> [Int64: [Element]] {
    let row = "\(owner).id"
    let join = owner == "route" ? "entry JOIN route ON entry_id = entry.id" : owner
    let rows = try table.all(
      row,
      """
      FROM \(join) JOIN \(table.name) ON \(table.owner) = \(row)
      WHERE domain_id \(isRead) ORDER BY \(row), \(table.name).position
      """, ids, connection)
    return rows.reduce(into: [:]) { $0[$1.key, default: []].append($1.value) }
  }

  /// The rows of a table with their domains and their own numbers.
  private func rows<Root>(
    _ table: Table<Root>, by order: String
  ) throws -> [(domain: Int64, row: Int64, value: Root)] {
    try connection.all(
      """
      SELECT domain_id, id, \(table.selection) FROM \(table.name)
      WHERE domain_id \(isRead) ORDER BY \(order)
      """, [ids]
    ) { ($0.integer(0), $0.integer(1), try table.read($0, from: 2)) }
  }

  private func variables() throws -> [Int64: [SubstitutionVariable]] {
    let rows = try rows(DomainTables.variable, by: "position, id")
    if rows.isEmpty { return [:] }
    let values = try lists(DomainTables.variableValue, of: "substitution_variable")
    return rows.reduce(into: [:]) {
      $0[$1.domain, default: []].append(
        SubstitutionVariable(name: $1.value, values: values[$1.row] ?? []))
    }
  }

  private func services() throws -> [Int64: [AssociationFile.Service: AssociationFile.AppList]] {
    let rows = try rows(DomainTables.service, by: "id")
    if rows.isEmpty { return [:] }
    let apps = try lists(DomainTables.serviceApp, of: "service")
    return rows.reduce(into: [:]) {
      $0[$1.domain, default: [:]][$1.value.name] = AssociationFile.AppList(
        apps: apps[$1.row] ?? [], extra: $1.value.extra)
    }
  }

  private func entries() throws -> [Int64: [Entry]] {
    let rows = try rows(DomainTables.entry, by: "position, id")
    if rows.isEmpty { return [:] }
    let apps = try lists(DomainTables.entryApp, of: "entry")
    let androidApps = try lists(DomainTables.entryAndroidApp, of: "entry")
    let paths = try lists(DomainTables.legacyPath, of: "entry")
    let routes = try routes()
    return rows.reduce(into: [:]) { entries, found in
      var entry = found.value
      entry.apps = apps[found.row] ?? []
      entry.androidApps = androidApps[found.row] ?? []
      entry.paths = paths[found.row] ?? []
      entry.routes = routes[found.row] ?? []
      entries[found.domain, default: []].append(entry)
    }
  }

  /// The routes of all entries, by entry.
  private func routes() throws -> [Int64: [Route]] {
    var routes: [Int64: [Route]] = [:]
    var rowsWithItems: [Int64: (entry: Int64, place: Int)] = [:]
    try connection.run(
      """
      SELECT entry_id, route.id, \(DomainTables.route.selection)
      FROM entry JOIN route ON entry_id = entry.id
      WHERE domain_id \(isRead) ORDER BY entry_id, route.position, route.id
      """, [ids]
    ) { row in
      let route = try DomainTables.route.read(row, from: 2)
      let entry = row.integer(0)
      routes[entry, default: []].append(route)
      if case .items = route.query {
        rowsWithItems[row.integer(1)] = (entry, (routes[entry]?.count ?? 1) - 1)
      }
    }
    if rowsWithItems.isEmpty { return routes }
    for (row, items) in try lists(DomainTables.queryItem, of: "route") {
      if let (entry, place) = rowsWithItems[row] { routes[entry]?[place].query = .items(items) }
    }
    return routes
  }

  /// `defaults` of the domains and of their entries, which must have been read before.
  private func readDefaults(into domains: inout [Int64: Domain]) throws {
    try connection.run(
      """
      SELECT domain_id, NULL, \(DomainTables.defaults.selection)
      FROM defaults WHERE domain_id \(isRead)
      UNION ALL SELECT entry.domain_id, entry.number, \(DomainTables.defaults.selection)
      FROM entry JOIN defaults ON entry_id = entry.id WHERE entry.domain_id \(isRead)
      """, [ids]
    ) { row in
      let (id, defaults) = (row.integer(0), try DomainTables.defaults.read(row, from: 2))
      if let entry = row.optionalInteger(1) {
        let place = domains[id]?.associationFile.entries.firstIndex { $0.id == entry }
        if let place { domains[id]?.associationFile.entries[place].defaults = defaults }
      } else {
        domains[id]?.associationFile.defaults = defaults
      }
    }
  }

  /// What is stored of the domains besides themselves, by row.
  func locked() throws -> [Int64: LockedRows] {
    var locked: [Int64: LockedRows] = [:]
    try connection.run("SELECT id, last_entry FROM domain WHERE id \(isRead)", [ids]) {
      locked[$0.integer(0)] = LockedRows(lastEntry: $0.integer(1))
    }
    try connection.run(
      "SELECT domain_id, number, id, last_route FROM entry WHERE domain_id \(isRead)", [ids]
    ) { row in
      locked[row.integer(0)]?.entries[row.integer(1)] = LockedRows.EntryRow(
        id: row.integer(2), lastRoute: row.integer(3))
    }
    try connection.run(
      """
      SELECT domain_id, entry.number, route.number, route.id
      FROM entry JOIN route ON entry_id = entry.id WHERE domain_id \(isRead)
      """, [ids]
    ) { locked[$0.integer(0)]?.entries[$0.integer(1)]?.routes[$0.integer(2)] = $0.integer(3) }
    for (id, findings) in try list(FindingRows.table) { locked[id]?.findings = findings }
    for (id, own) in try SuppressionRows.all(self) { locked[id]?.suppressions = own }
    return locked
  }
}

/// The rows of a domain that an edit must know besides the domain itself. They stay as they are until the transaction
/// ends. A new domain has none.
struct LockedRows {
  var findings: [ReportedFinding] = []
  var suppressions: [Suppression] = []
  /// The number that an entry got last.
  var lastEntry: Int64 = 0
  /// The rows of entries, by their numbers.
  var entries: [Int64: EntryRow] = [:]

  struct EntryRow {
    let id: Int64
    /// The number that a route got last.
    var lastRoute: Int64 = 0
    /// The rows of routes, by their numbers.
    var routes: [Int64: Int64] = [:]
  }
}
