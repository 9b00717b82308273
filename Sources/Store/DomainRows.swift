import Association

/// Reads the rows of one domain.
struct DomainRows {
  let id: Int64

  /// The row of the domain with this own name.
  static func id(of name: DomainName, _ connection: any Connection) throws -> Int64? {
    try connection.first(
      "SELECT domain_id FROM domain_name WHERE name = ? AND position = 0", [.text(name.text)]
    ) { $0.integer(0) }
  }

  /// The names of all domains, in order.
  static func names(_ connection: any Connection) throws -> [DomainName] {
    try connection.all("SELECT name FROM domain_name WHERE position = 0 ORDER BY name") {
      DomainName(stored: $0.text(0))
    }
  }

  /// What changes with every edit of the domain with this own name.
  static func version(
    of name: DomainName, _ connection: any Connection
  ) throws -> StoredDomain.Version? {
    try connection.first(
      """
      SELECT id, revision, updated_at FROM domain_name JOIN domain ON id = domain_id
      WHERE name = ? AND position = 0
      """, [.text(name.text)]
    ) { StoredDomain.Version(id: $0.integer(0), revision: $0.int(1), updatedAt: $0.time(2)) }
  }

  /// The last state of the deleted domain with this name.
  static func deleted(
    _ name: DomainName, _ connection: any Connection
  ) throws -> StoredDomain.Version? {
    try connection.first(
      "SELECT id, revision, updated_at FROM domain WHERE deleted_name = ?", [.text(name.text)]
    ) { StoredDomain.Version(id: $0.integer(0), revision: $0.int(1), updatedAt: $0.time(2)) }
  }

  /// The state of the domain with this own name, which may be deleted.
  ///
  /// - Throws: `StoreError.notFound`.
  static func history(
    of name: DomainName, _ connection: any Connection
  ) throws -> StoredDomain.Version {
    guard let version = try version(of: name, connection) ?? deleted(name, connection) else {
      throw StoreError.notFound(.domain(name))
    }
    return version
  }

  /// The domain with this own name.
  static func find(_ name: DomainName, _ connection: any Connection) throws -> StoredDomain? {
    guard let id = try id(of: name, connection) else { return nil }
    return try DomainRows(id: id).load(connection)
  }

  /// The domain; `nil` if it does not exist.
  func load(_ connection: any Connection) throws -> StoredDomain? {
    var names = try names(connection)
    guard !names.isEmpty else { return nil }
    var domain = Domain(name: names.removeFirst().name, aliases: names)
    domain.document.apps = try DomainTables.applinksApp.list(of: id, connection)
    domain.document.substitutionVariables = try variables(connection)
    domain.document.services = try services(connection)
    domain.document.entries = try entries(connection)
    try readDefaults(into: &domain.document, connection)
    for list in DomainTables.lists { try list.load(&domain, id, connection) }
    return try connection.first(
      """
      SELECT revision, updated_at,
        (SELECT accepted_codes FROM revision WHERE domain_id = domain.id AND number = revision),
        \(DomainTables.domain.selection)
      FROM domain WHERE id = ?
      """, [.integer(id)]
    ) { row in
      try DomainTables.domain.read(row, from: 3, into: &domain)
      return StoredDomain(
        id: id, domain: domain, revision: row.int(0), updatedAt: row.time(1),
        acceptedCodes: try [String].read(row, 2))
    }
  }

  /// Reads the domain's own name, then its aliases.
  func names(_ connection: any Connection) throws -> [Alias] {
    try DomainTables.name.list(of: id, connection)
  }

  /// Lists that belong to rows of `owner`, by row.
  private func lists<Element>(
    _ table: Table<Element>, of owner: String, _ connection: any Connection
  ) throws -> [Int64: [Element]] {
    let row = "\(owner).id"
    let join = owner == "route" ? "entry JOIN route ON entry_id = entry.id" : owner
    let rows = try table.all(
      row,
      """
      FROM \(join) JOIN \(table.name) ON \(table.owner) = \(row)
      WHERE domain_id = ? ORDER BY \(row), \(table.name).position
      """, id, connection)
    return rows.reduce(into: [:]) { $0[$1.key, default: []].append($1.value) }
  }

  private func variables(_ connection: any Connection) throws -> [SubstitutionVariable] {
    let values = try lists(DomainTables.variableValue, of: "substitution_variable", connection)
    return try DomainTables.variable.all(
      "id", "FROM substitution_variable WHERE domain_id = ? ORDER BY position, id", id, connection
    ).map { SubstitutionVariable(name: $0.value, values: values[$0.key] ?? []) }
  }

  private func services(
    _ connection: any Connection
  ) throws -> [Document.Service: Document.AppList] {
    let apps = try lists(DomainTables.serviceApp, of: "service", connection)
    return try DomainTables.service.all(
      "id", "FROM service WHERE domain_id = ?", id, connection
    ).reduce(into: [:]) {
      $0[$1.value.name] = Document.AppList(apps: apps[$1.key] ?? [], extra: $1.value.extra)
    }
  }

  private func entries(_ connection: any Connection) throws -> [Entry] {
    let apps = try lists(DomainTables.entryApp, of: "entry", connection)
    let androidApps = try lists(DomainTables.entryAndroidApp, of: "entry", connection)
    let paths = try lists(DomainTables.legacyPath, of: "entry", connection)
    let routes = try routes(connection)
    return try DomainTables.entry.all(
      "id", "FROM entry WHERE domain_id = ? ORDER BY position, id", id, connection
    ).map { row, entry in
      var entry = entry
      entry.apps = apps[row] ?? []
      entry.androidApps = androidApps[row] ?? []
      entry.paths = paths[row] ?? []
      entry.routes = routes[row] ?? []
      return entry
    }
  }

  /// The routes of all entries, by entry.
  private func routes(_ connection: any Connection) throws -> [Int64: [Route]] {
    let items = try lists(DomainTables.queryItem, of: "route", connection)
    var routes: [Int64: [Route]] = [:]
    try connection.run(
      """
      SELECT entry_id, route.id, \(DomainTables.route.selection)
      FROM entry JOIN route ON entry_id = entry.id
      WHERE domain_id = ? ORDER BY entry_id, route.position, route.id
      """, [.integer(id)]
    ) { row in
      var route = try DomainTables.route.read(row, from: 2)
      if case .items = route.query { route.query = .items(items[row.integer(1)] ?? []) }
      routes[row.integer(0), default: []].append(route)
    }
    return routes
  }

  /// `defaults` of the domain and of its entries, which must have been read before.
  private func readDefaults(
    into document: inout Document, _ connection: any Connection
  ) throws {
    let places = document.entries.places(by: \.id)
    try connection.run(
      """
      SELECT NULL, \(DomainTables.defaults.selection) FROM defaults WHERE domain_id = ?1
      UNION ALL SELECT entry.number, \(DomainTables.defaults.selection)
      FROM entry JOIN defaults ON entry_id = entry.id WHERE entry.domain_id = ?1
      """, [.integer(id)]
    ) { row in
      let defaults = try DomainTables.defaults.read(row, from: 1)
      if let entry = row.optionalInteger(0) {
        if let place = places[entry] { document.entries[place].defaults = defaults }
      } else {
        document.defaults = defaults
      }
    }
  }
}

extension [Int64: Int] {
  /// The index of the element with a number; `nil` without a number.
  subscript(number: Int64?) -> Int? { number.flatMap { self[$0] } }
}

extension Array {
  /// The index of the element with each number; elements without one are left out.
  func places(by id: (Element) -> Int64?) -> [Int64: Int] {
    var places: [Int64: Int] = [:]
    for (place, element) in enumerated() {
      if let id = id(element) { places[id] = place }
    }
    return places
  }
}
