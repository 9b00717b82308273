import Association
import JSONValue
import SQLite

extension DomainRows {
  /// Writes what differs between the rows, which are those of `old`, and `new`.
  ///
  /// Entries and routes keep their rows by their identifiers; one without an identifier, or with one
  /// that the domain does not have, gets a new row.
  ///
  /// - Throws: `StoreError.nameTaken`, `SQLiteError`.
  func save(
    _ new: Domain, over old: Domain?, now: Int64, _ connection: Connection
  ) throws {
    let named = new.document.appIdentifiers + new.expectations.map(\.app)
    let apps = try appRows(named, now: now, connection)
    if old?.name != new.name || old?.aliases != new.aliases {
      try saveNames(new, connection)
    }
    let before = old?.document ?? Document()
    let columns = Self.columns(of: new)
    if old.map(Self.columns) != columns { try saveColumns(columns, connection) }
    if JSON.strings(before.apps ?? []) != .strings(new.document.apps ?? []) {
      try replace("applinks_app", "domain_id", id, connection)
      for (position, value) in (new.document.apps ?? []).enumerated() {
        try connection.run(
          "INSERT INTO applinks_app (domain_id, position, value) VALUES (?, ?, ?)",
          [.integer(id), .integer(position), .text(value)])
      }
    }
    if before.services != new.document.services {
      try saveServices(new.document.services, apps, connection)
    }
    if before.substitutionVariables != new.document.substitutionVariables {
      try saveVariables(new.document.substitutionVariables, connection)
    }
    if before.defaults != new.document.defaults {
      try saveDefaults(new.document.defaults, "domain_id", of: id, connection)
    }
    if old?.expectations ?? [] != new.expectations {
      try saveExpectations(new.expectations, apps, connection)
    }
    try saveEntries(new.document.entries, over: before.entries, apps, connection)
  }

  private func saveNames(_ domain: Domain, _ connection: Connection) throws {
    try replace("domain_name", "domain_id", id, connection)
    for (position, name) in ([Alias(domain.name)] + domain.aliases).enumerated() {
      do {
        try connection.run(
          "INSERT INTO domain_name (name, domain_id, position) VALUES (?, ?, ?)",
          [.text(name.description), .integer(id), .integer(position)])
      } catch let error as SQLiteError where error.kind == .unique {
        let owner = try connection.first(
          """
          SELECT own.name FROM domain_name AS taken
          JOIN domain_name AS own ON own.domain_id = taken.domain_id AND own.position = 0
          WHERE taken.name = ?
          """, [.text(name.description)]
        ) { DomainName(stored: $0.text(0)) }
        throw StoreError.nameTaken(name.description, by: owner ?? domain.name)
      }
    }
  }

  private func saveColumns(_ columns: [Value], _ connection: Connection) throws {
    try connection.run(
      """
      UPDATE domain SET is_enabled = ?, format = ?, cache_seconds = ?, details_form = ?,
        has_apps = ?, applinks_extra = ?, extra = ?, environment = ?, is_strict = ?
      WHERE id = ?
      """, columns + [.integer(id)])
  }

  /// The columns that the statement above writes, in their order.
  private static func columns(of domain: Domain) -> [Value] {
    [
      .bool(domain.isEnabled), .text(domain.format.rawValue), .integer(domain.cacheSeconds),
      .text(domain.document.detailsForm.rawValue), .bool(domain.document.apps != nil),
      .members(domain.document.applinksExtra), .members(domain.document.extra),
      .text(domain.environment.rawValue), .bool(domain.isStrict),
    ]
  }

  private func saveServices(
    _ services: [Document.Service: Document.AppList], _ apps: [AppIdentifier: Int64],
    _ connection: Connection
  ) throws {
    try replace("service", "domain_id", id, connection)
    for service in Document.Service.allCases {
      guard let list = services[service] else { continue }
      try connection.run(
        "INSERT INTO service (domain_id, name, extra) VALUES (?, ?, ?)",
        [.integer(id), .text(service.rawValue), .members(list.extra)])
      let row = connection.lastInsertRowID
      for (position, app) in list.apps.enumerated() {
        try connection.run(
          "INSERT INTO service_app (service_id, position, app_id) VALUES (?, ?, ?)",
          [.integer(row), .integer(position), .optional(apps[app])])
      }
    }
  }

  private func saveExpectations(
    _ expectations: [Expectation], _ apps: [AppIdentifier: Int64], _ connection: Connection
  ) throws {
    try replace("expectation", "domain_id", id, connection)
    for (position, expectation) in expectations.enumerated() {
      try connection.run(
        """
        INSERT INTO expectation (domain_id, position, url, app_id, resolution)
        VALUES (?, ?, ?, ?, ?)
        """,
        [
          .integer(id), .integer(position), .text(expectation.url),
          .optional(apps[expectation.app]), .text(expectation.resolution.rawValue),
        ])
    }
  }

  private func saveVariables(
    _ variables: [SubstitutionVariable], _ connection: Connection
  ) throws {
    try replace("substitution_variable", "domain_id", id, connection)
    for (position, variable) in variables.enumerated() {
      try connection.run(
        "INSERT INTO substitution_variable (domain_id, position, name) VALUES (?, ?, ?)",
        [.integer(id), .integer(position), .text(variable.name)])
      let row = connection.lastInsertRowID
      for (position, value) in variable.values.enumerated() {
        try connection.run(
          "INSERT INTO substitution_value (variable_id, position, value) VALUES (?, ?, ?)",
          [.integer(row), .integer(position), .text(value)])
      }
    }
  }

  /// Writes what kinds of findings the document has.
  func saveFindings(_ codes: Set<String>, _ connection: Connection) throws {
    let stored = try connection.all(
      "SELECT code FROM domain_finding WHERE domain_id = ?", [.integer(id)]
    ) { $0.text(0) }
    if Set(stored) == codes { return }
    try replace("domain_finding", "domain_id", id, connection)
    for code in codes {
      try connection.run(
        "INSERT INTO domain_finding (domain_id, code) VALUES (?, ?)", [.integer(id), .text(code)])
    }
  }

  /// Writes `defaults` of a domain or of an entry, whichever `owner` is the column of.
  func saveDefaults(
    _ defaults: Defaults, _ owner: StaticString, of row: Int64, _ connection: Connection
  ) throws {
    try replace("defaults", owner, row, connection)
    if defaults.isEmpty { return }
    try connection.run(
      """
      INSERT INTO defaults (\(owner), case_sensitive, percent_encoded, extra)
      VALUES (?, ?, ?, ?)
      """,
      [
        .integer(row), .optional(defaults.caseSensitive), .optional(defaults.percentEncoded),
        .members(defaults.extra),
      ])
  }

  /// Deletes the rows of a table that belong to a row, before they are written anew.
  func replace(
    _ table: StaticString, _ owner: StaticString, _ row: Int64, _ connection: Connection
  ) throws {
    try connection.run("DELETE FROM \(table) WHERE \(owner) = ?", [.integer(row)])
  }

  /// The rows of apps; those that are not there yet are added.
  private func appRows(
    _ apps: [AppIdentifier], now: Int64, _ connection: Connection
  ) throws -> [AppIdentifier: Int64] {
    var rows: [AppIdentifier: Int64] = [:]
    for app in apps where rows[app] == nil {
      let row = try connection.first(
        "SELECT id FROM app WHERE identifier = ?", [.text(app.text)]
      ) { $0.integer(0) }
      rows[app] = try row ?? AppRows.insert(App(id: app), now: now, connection)
    }
    return rows
  }
}
