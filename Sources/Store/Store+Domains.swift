public import Association
import JSONValue
import SQLite

/// What a caller demands of the state that it changes (RFC 9110 section 13.1).
public enum Precondition: Sendable, Equatable {
  /// Nothing.
  case none
  /// The domain must be there.
  case exists
  /// The domain must not be there.
  case absent
  /// The domain must have one of these revisions.
  case revision([Int])
}

/// What a domain shall become, with the document that is published for it.
public struct DomainEdit: Sendable {
  /// The domain.
  public var domain: Domain
  /// The rendered document.
  public var document: [UInt8]
  /// The same document as it was read to be checked, if it was.
  public var read: ReadDocument?
  /// The codes of the errors that were accepted.
  public var acceptedCodes: [String]
  /// The codes of all findings.
  public var findingCodes: Set<String>

  /// An edit.
  public init(
    domain: Domain, document: [UInt8], read: ReadDocument? = nil, acceptedCodes: [String] = [],
    findingCodes: Set<String> = []
  ) {
    self.domain = domain
    self.document = document
    self.read = read
    self.acceptedCodes = acceptedCodes
    self.findingCodes = findingCodes
  }
}

/// A domain after an edit.
public struct EditedDomain: Sendable {
  /// The domain as it is stored now.
  public let stored: StoredDomain
  /// The revision that is served now.
  public let revision: Revision
  /// The document that was served before; `nil` where there was none.
  public let documentBefore: [UInt8]?
  /// The same as it was read when it was published; `nil` where it has to be read again.
  public let readBefore: ReadDocument?
  /// Whether the domain is new.
  public let isNew: Bool
  /// Whether anything changed. Where nothing did, no revision was published.
  public let isChanged: Bool

  init(
    _ now: RecentEdits.Domain, before: RecentEdits.Domain?, isNew: Bool, isChanged: Bool
  ) {
    stored = now.stored
    revision = now.revision
    documentBefore = before?.document
    readBefore = before?.read
    self.isNew = isNew
    self.isChanged = isChanged
  }
}

extension Store {
  /// One domain.
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

  /// Domains in the order of their names, from the one after `last`.
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

  /// How many domains there are.
  public func domainCount(_ filter: DomainFilter = DomainFilter()) throws -> Int {
    try read { connection in
      try connection.first("SELECT count(*) \(DomainFilter.sql)", filter.values) { $0.int(0) } ?? 0
    }
  }

  /// All apps and all domains, in one consistent state.
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

/// Which domains are asked for.
public struct DomainFilter: Sendable {
  /// Only domains with this text in their name or in that of an alias.
  public var text: String?
  /// Only domains that name this app.
  public var app: AppIdentifier?
  /// Only domains for this.
  public var environment: App.Environment?
  /// Only domains that are served, or that are not.
  public var isEnabled: Bool?
  /// Only domains whose document has a finding of this code.
  public var finding: String?
  /// Only these domains; empty for all.
  public var within: [Alias]

  /// All domains.
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

  /// The rows that a filter leaves, with its parameters 1 to 6.
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
  /// How entries are written that do not say it themselves.
  public let format: Domain.Format
  /// What the domain is for.
  public let environment: App.Environment
  /// The number of the revision that is served.
  public let revision: Int
  /// When it was last changed, in seconds since 1970.
  public let updatedAt: Int64
}
