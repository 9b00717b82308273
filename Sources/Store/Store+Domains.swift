public import Association
import JSONValue
import SQLite

extension Store {
  /// A domain.
  ///
  /// - Throws: `StoreError.notFound`.
  public func domain(_ name: DomainName) throws -> StoredDomain {
    try read { connection in
      guard let stored = try DomainRows.find(name, connection) else {
        throw StoreError.notFound(.domain(name))
      }
      return stored
    }
  }

  /// Domains by name, starting after `last`.
  public func domains(
    _ filter: DomainFilter = DomainFilter(), after last: String?, limit: Int
  ) throws -> [DomainSummary] {
    try read { connection in
      try connection.all(
        """
        SELECT own.name, is_enabled, format, environment, revision, updated_at
        \(DomainFilter.sql) AND own.name > ?7 ORDER BY own.name LIMIT ?8
        """, filter.values + [.text(last ?? ""), .integer(limit)]
      ) { row in
        DomainSummary(
          name: DomainName(stored: row.text(0)), isEnabled: row.bool(1),
          format: try row.enumeration(2), environment: try row.enumeration(3),
          revision: row.int(4), updatedAt: row.integer(5))
      }
    }
  }

  /// The number of domains.
  public func domainCount(_ filter: DomainFilter = DomainFilter()) throws -> Int {
    try read { connection in
      try connection.first("SELECT count(*) \(DomainFilter.sql)", filter.values) { $0.int(0) } ?? 0
    }
  }

  /// All apps and domains, in one consistent state.
  public func everything() throws -> (apps: [StoredApp], domains: [StoredDomain]) {
    try readLong { connection in
      let apps = try connection.all(
        AppRows.select + " ORDER BY identifier", row: AppRows.read)
      let ids = try connection.all(
        "SELECT domain_id FROM domain_name WHERE position = 0 ORDER BY name"
      ) { $0.integer(0) }
      return (apps, try ids.compactMap { try DomainRows(id: $0).load(connection) })
    }
  }
}

/// Conditions on domains in a list.
public struct DomainFilter: Sendable {
  /// A text in the name or in an alias.
  public var text: String?
  /// An app that the domain uses.
  public var app: AppIdentifier?
  /// The environment of the domain.
  public var environment: App.Environment?
  /// Whether the domain is served.
  public var isEnabled: Bool?
  /// The code of a finding in the document.
  public var finding: String?
  /// The domains that a token is limited to; empty for all.
  public var within: [Alias]

  /// Conditions; none of them by default.
  public init(
    text: String? = nil, app: AppIdentifier? = nil, environment: App.Environment? = nil,
    isEnabled: Bool? = nil, finding: String? = nil, within: [Alias] = []
  ) {
    self.text = text
    self.app = app
    self.environment = environment
    self.isEnabled = isEnabled
    self.finding = finding
    self.within = within
  }

  /// The rows that meet the conditions, which are the parameters 1 to 6.
  fileprivate static let sql = """
    FROM domain_name AS own JOIN domain ON domain.id = own.domain_id
    WHERE own.position = 0
      AND (?1 IS NULL OR EXISTS (
        SELECT 1 FROM domain_name AS any WHERE any.domain_id = domain.id AND instr(any.name, ?1)))
      AND (?2 IS NULL OR domain.id IN (\(AppRows.uses(of: "(SELECT id FROM app WHERE identifier = ?2)"))))
      AND (?3 IS NULL OR environment = ?3)
      AND (?4 IS NULL OR is_enabled = ?4)
      AND (?5 IS NULL OR EXISTS (
        SELECT 1 FROM domain_finding WHERE domain_id = domain.id AND code = ?5))
      AND (json_array_length(?6) = 0 OR EXISTS (
        SELECT 1 FROM json_each(?6) WHERE value = own.name
          OR (value GLOB '[*]*' AND own.name GLOB '*' || substr(value, 2))))
    """

  fileprivate var values: [Value] {
    [
      .optional(text?.lowercased()), .optional(app?.text), .optional(environment?.rawValue),
      .optional(isEnabled), .optional(finding),
      .text(JSON.strings(within.map(\.description)).text),
    ]
  }
}

/// A domain in a list.
public struct DomainSummary: Sendable, Equatable {
  /// The name.
  public let name: DomainName
  /// Whether the file is served.
  public let isEnabled: Bool
  /// The format of entries that do not set their own.
  public let format: Domain.Format
  /// The environment.
  public let environment: App.Environment
  /// The current revision.
  public let revision: Int
  /// The time of the last change, in seconds since 1970.
  public let updatedAt: Int64
}
