package struct StoredDomain: Sendable, Equatable {
  /// The row, which never changes.
  package let id: Int64
  /// The domain, with the numbers of its entries and routes.
  package var domain: Domain
  /// The number of the current revision.
  package var revision: Int
  package var updatedAt: UnixTime
  /// The codes of the errors that were accepted for this revision.
  package let acceptedCodes: [String]
  /// Whether the last edit of its template was not published for it.
  package var isBehind = false

  package init(
    id: Int64, domain: Domain, revision: Int, updatedAt: UnixTime, acceptedCodes: [String]
  ) {
    (self.id, self.domain, self.revision) = (id, domain, revision)
    (self.updatedAt, self.acceptedCodes) = (updatedAt, acceptedCodes)
  }

  /// What changes with every edit of a domain.
  package struct Version: Equatable, Sendable {
    package let id: Int64
    package let revision: Int
    package let updatedAt: UnixTime

    package init(id: Int64, revision: Int, updatedAt: UnixTime) {
      (self.id, self.revision, self.updatedAt) = (id, revision, updatedAt)
    }
  }

  package var version: Version { Version(id: id, revision: revision, updatedAt: updatedAt) }
}

extension StoredDomain {
  /// A domain without a row, to be written as JSON or read from it.
  package init(_ domain: Domain, revision: Int = 0, updatedAt: UnixTime = 0) {
    self.init(id: 0, domain: domain, revision: revision, updatedAt: updatedAt, acceptedCodes: [])
  }
}
