public import Association
import JSONValue
import SQLite

/// A domain as it is stored.
public struct StoredDomain: Sendable, Equatable {
  /// The row. It stays the same as long as the domain exists.
  public let id: Int64
  /// What it is made of, with the identifiers of entries and routes.
  public let domain: Domain
  /// The number of the revision that is served.
  public let revision: Int
  /// When it was last changed, in seconds since 1970.
  public let updatedAt: Int64
  /// The codes of the errors that were accepted when that revision was published.
  public let acceptedCodes: [String]
}

/// Reads the rows of one domain.
struct DomainRows {
  let id: Int64

  /// The row of the domain that has this name as its own.
  static func id(of name: DomainName, _ connection: Connection) throws -> Int64? {
    try connection.first(
      "SELECT domain_id FROM domain_name WHERE name = ? AND position = 0", [.text(name.text)]
    ) { $0.integer(0) }
  }

  /// The domain that has this name as its own.
  static func find(_ name: DomainName, _ connection: Connection) throws -> StoredDomain? {
    guard let id = try id(of: name, connection) else { return nil }
    return try DomainRows(id: id).load(connection)
  }

  /// All rows of the domain as one value; `nil` if it is not there.
  func load(_ connection: Connection) throws -> StoredDomain? {
    var names = try names(connection)
    guard !names.isEmpty else { return nil }
    let own = names.removeFirst().name
    var document = Document()
    document.substitutionVariables = try variables(connection)
    document.services = try services(connection)
    document.entries = try entries(connection)
    let apps = try applinksApps(connection)
    try readDefaults(into: &document, connection)
    let expectations = try expectations(connection)
    return try connection.first(
      """
      SELECT is_enabled, format, cache_seconds, details_form, has_apps, applinks_extra, extra,
        revision, updated_at,
        environment, is_strict,
        (SELECT accepted_codes FROM revision WHERE domain_id = domain.id AND number = domain.revision)
      FROM domain WHERE id = ?
      """, [.integer(id)]
    ) { row in
      document.detailsForm = try row.enumeration(3)
      document.apps = row.bool(4) ? apps : nil
      document.applinksExtra = try row.members(5)
      document.extra = try row.members(6)
      let domain = Domain(
        name: own, aliases: names, isEnabled: row.bool(0), format: try row.enumeration(1),
        cacheSeconds: row.int(2), environment: try row.enumeration(9), isStrict: row.bool(10),
        document: document, expectations: expectations)
      return StoredDomain(
        id: id, domain: domain, revision: row.int(7), updatedAt: row.integer(8),
        acceptedCodes: try row.strings(11))
    }
  }

  /// The domain's own name, then its aliases.
  func names(_ connection: Connection) throws -> [Alias] {
    try connection.all(
      "SELECT name FROM domain_name WHERE domain_id = ? ORDER BY position", [.integer(id)]
    ) { Alias(stored: $0.text(0)) }
  }

  private func expectations(_ connection: Connection) throws -> [Expectation] {
    try connection.all(
      """
      SELECT url, app.identifier, resolution FROM expectation JOIN app ON app.id = app_id
      WHERE domain_id = ? ORDER BY position
      """, [.integer(id)]
    ) { Expectation(url: $0.text(0), app: $0.app(1), resolution: try $0.enumeration(2)) }
  }

  private func applinksApps(_ connection: Connection) throws -> [String] {
    try connection.all(
      "SELECT value FROM applinks_app WHERE domain_id = ? ORDER BY position", [.integer(id)]
    ) { $0.text(0) }
  }

  private func variables(_ connection: Connection) throws -> [SubstitutionVariable] {
    var variables: [SubstitutionVariable] = []
    var last: Int64?
    try connection.run(
      """
      SELECT variable.id, name, value
      FROM substitution_variable AS variable
      LEFT JOIN substitution_value AS value ON value.variable_id = variable.id
      WHERE domain_id = ? ORDER BY variable.position, variable.id, value.position
      """, [.integer(id)]
    ) { row in
      if row.integer(0) != last {
        variables.append(SubstitutionVariable(name: row.text(1), values: []))
        last = row.integer(0)
      }
      if let value = row.optionalText(2) { variables[variables.count - 1].values.append(value) }
    }
    return variables
  }

  private func services(
    _ connection: Connection
  ) throws -> [Document.Service: Document.AppList] {
    var services: [Document.Service: Document.AppList] = [:]
    try connection.run(
      """
      SELECT service.name, extra, app.identifier
      FROM service JOIN service_app ON service_id = service.id JOIN app ON app.id = app_id
      WHERE domain_id = ? ORDER BY service.id, service_app.position
      """, [.integer(id)]
    ) { row in
      let service: Document.Service = try row.enumeration(0)
      let extra = try row.members(1)
      services[service, default: Document.AppList(extra: extra)].apps.append(row.app(2))
    }
    return services
  }

  /// `defaults` of the domain and of its entries, which must have been read before.
  private func readDefaults(
    into document: inout Document, _ connection: Connection
  ) throws {
    let places = document.entries.places(by: \.id)
    try connection.run(
      """
      SELECT entry_id, case_sensitive, percent_encoded, extra FROM defaults WHERE domain_id = ?1
      UNION ALL
      SELECT entry_id, case_sensitive, percent_encoded, defaults.extra
      FROM entry JOIN defaults ON entry_id = entry.id WHERE entry.domain_id = ?1
      """, [.integer(id)]
    ) { row in
      let defaults = Defaults(
        caseSensitive: row.optionalBool(1), percentEncoded: row.optionalBool(2),
        extra: try row.members(3))
      if let entry = row.optionalInteger(0) {
        if let place = places[entry] { document.entries[place].defaults = defaults }
      } else {
        document.defaults = defaults
      }
    }
  }
}

extension Array {
  /// Where the element with each identifier is; elements without one are left out.
  func places(by id: (Element) -> Int64?) -> [Int64: Int] {
    var places: [Int64: Int] = [:]
    for (place, element) in enumerated() {
      if let id = id(element) { places[id] = place }
    }
    return places
  }
}
