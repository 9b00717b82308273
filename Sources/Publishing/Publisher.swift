public import Association
public import Store

/// Who changes something, and why.
public struct Attribution: Sendable {
  /// Who: the name of a token, or of a command.
  public let author: String
  /// What is done.
  public let reason: String

  /// An attribution.
  public init(author: String, reason: String) {
    self.author = author
    self.reason = reason
  }
}

/// What an edit came to.
public struct Publication: Sendable {
  /// The domain, its revision, and whether anything changed.
  public let edited: EditedDomain
  /// What is noteworthy about the document.
  public let findings: [Finding]
}

/// Why a document is not published.
public enum PublicationError: Error, Sendable {
  /// The document has errors that the request does not accept; all findings, and the byte account of
  /// a document that is too large.
  case refused([Finding], account: ByteAccount?)
}

/// Publishes: renders, lints and stores a revision in one transaction, and returns when it is what
/// is served. Every way to change a domain goes through here.
public struct Publisher: Sendable {
  /// The store.
  public let store: Store
  /// Called after each commit; returns when what was committed is what is served.
  private let didCommit: @Sendable () throws -> Void

  /// A publisher for a store.
  ///
  /// - Parameter didCommit: Called after each commit; returns when what was committed is served.
  public init(store: Store, didCommit: @escaping @Sendable () throws -> Void = {}) {
    self.store = store
    self.didCommit = didCommit
  }

  /// Changes, or adds, a domain.
  ///
  /// - Parameters:
  ///   - accepted: Codes of errors in spite of which the document is published. Those that the domain's
  ///     revision was published in spite of are accepted as well, so that it can still be edited.
  ///   - change: Given the domain as it is, or `nil` where there is none, returns what it shall be.
  /// - Throws: `PublicationError`, `StoreError`, and what `change` throws. Nothing is changed then.
  public func edit(
    _ name: DomainName, if precondition: Precondition = .none, by attribution: Attribution,
    accepting accepted: Set<Finding.Code> = [], _ change: (StoredDomain?) throws -> Domain
  ) throws -> Publication {
    var findings: [Finding] = []
    let edited = try store.edit(
      name, if: precondition, author: attribution.author, reason: attribution.reason
    ) { old in
      var domain = try change(old)
      domain.document = domain.document.keepingRows(of: old?.domain.document ?? Document())
      let draft = Draft(domain)
      let before = old?.acceptedCodes.compactMap(Finding.Code.init) ?? []
      findings = try draft.review(accepting: accepted.union(before))
      let codes = Set(findings.filter { $0.severity == .error }.map(\.code.rawValue))
      return DomainEdit(
        domain: domain, document: draft.bytes, acceptedCodes: codes.sorted())
    }
    try didCommit()
    return Publication(edited: edited, findings: findings)
  }

  /// Makes a domain serve an association file as it is, adding the domain if there is none.
  ///
  /// - Parameter file: The bytes of the file.
  /// - Throws: as `edit`; `PublicationError` names everything that is wrong with the file.
  public func adopt(
    _ file: [UInt8], for name: DomainName, if precondition: Precondition = .none,
    by attribution: Attribution, accepting accepted: Set<Finding.Code> = []
  ) throws -> Publication {
    let document = try AdoptedFile(file).document(accepting: accepted)
    return try edit(name, if: precondition, by: attribution, accepting: accepted) { old in
      var domain = old?.domain ?? Domain(name: name)
      domain.format = Domain.Format(of: document)
      domain.document = document
      return domain
    }
  }

  /// Removes a domain with its revisions.
  ///
  /// - Throws: `StoreError`.
  public func delete(_ name: DomainName, if precondition: Precondition = .none) throws {
    try store.delete(name, if: precondition)
    try didCommit()
  }
}
