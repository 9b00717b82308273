public import Association
import CSodium
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
  /// The codes of the errors that were accepted.
  public var acceptedCodes: [String]

  /// An edit.
  public init(domain: Domain, document: [UInt8], acceptedCodes: [String] = []) {
    self.domain = domain
    self.document = document
    self.acceptedCodes = acceptedCodes
  }
}

/// A domain after an edit.
public struct EditedDomain: Sendable {
  /// The domain as it is stored now.
  public let stored: StoredDomain
  /// The revision that is served now.
  public let revision: Revision
  /// Whether the domain is new.
  public let isNew: Bool
  /// Whether anything changed. Where nothing did, no revision was published.
  public let isChanged: Bool
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

  /// The names of domains in order, from the one after `last`.
  public func domains(after last: String?, limit: Int) throws -> [DomainSummary] {
    try read { connection in
      try connection.all(
        """
        SELECT name, is_enabled, format, revision, updated_at
        FROM domain_name JOIN domain ON domain.id = domain_id
        WHERE domain_name.position = 0 AND name > ? ORDER BY name LIMIT ?
        """, [.text(last ?? ""), .integer(limit)]
      ) { row in
        DomainSummary(
          name: DomainName(stored: row.text(0)), isEnabled: row.bool(1),
          format: try row.enumeration(2), revision: row.int(3), updatedAt: row.integer(4))
      }
    }
  }

  /// How many domains there are.
  public func domainCount() throws -> Int {
    try read { try $0.first("SELECT count(*) FROM domain") { $0.int(0) } ?? 0 }
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
  /// The number of the revision that is served.
  public let revision: Int
  /// When it was last changed, in seconds since 1970.
  public let updatedAt: Int64
}
