public import Association
import JSONValue
public import Store

/// What an edit came to.
public struct Publication: Sendable {
  /// The domain, its revision, and whether anything changed.
  public let edited: EditedDomain
  /// What is noteworthy about the document.
  public let findings: [Finding]
  /// The URLs of expectations, before or after, of which the resolution is another one now.
  public let changedResolutions: [ChangedResolution]
  /// The document now.
  public let document: ReadDocument

  /// What the document says differently now, worked out when it is asked for; `nil` where there was
  /// none before.
  ///
  /// - Throws: `JSON.SyntaxError` for a stored document that is damaged.
  public func comparison() throws -> DocumentComparison? {
    try edited.documentBefore.map {
      let before = try edited.readBefore ?? ReadDocument(JSON.parse($0).value)
      return DocumentComparison(
        from: before, to: document, domain: edited.stored.domain.name.text)
    }
  }
}

/// A URL of which the resolution for an app is another one after an edit.
public struct ChangedResolution: Sendable, Equatable {
  /// The URL.
  public let url: String
  /// The app.
  public let app: AppIdentifier
  /// What the document said before.
  public let before: Resolution
  /// What it says now.
  public let after: Resolution
}

/// An expectation that a document does not meet.
public struct BrokenExpectation: Sendable {
  /// The expectation.
  public let expectation: Expectation
  /// What the document says of the URL, and why.
  public let explanation: Explanation
}

/// Why a document is not published.
public enum PublicationError: Error, Sendable {
  /// The document has errors that are not accepted; all findings, and the byte account of a document
  /// that is too large.
  case refused(DomainName?, [Finding], account: ByteAccount?)
  /// The document breaks expectations of the domain.
  case expectationsBroken(DomainName, [BrokenExpectation])
  /// The documents of several domains are not published.
  indirect case several([PublicationError])
}

extension Transaction {
  /// Changes, or adds, a domain: renders, lints, checks and stores a revision. Every way to change a
  /// domain goes through here.
  ///
  /// - Parameters:
  ///   - action: What is done.
  ///   - findings: What was found before in what is published; the linter's own follow.
  ///   - accepted: Codes of errors in spite of which the document is published. Errors that the domain
  ///     was published in spite of before are accepted as well as long as they do not become more, so
  ///     that it can still be edited.
  ///   - change: Given the domain as it is, or `nil` where there is none, returns what it shall be.
  /// - Throws: `PublicationError`, `StoreError`, and what `change` throws.
  public func publish(
    _ name: DomainName, if precondition: Precondition = .none, action: String,
    findings: [Finding] = [], accepting accepted: Set<Finding.Code> = [],
    _ change: (StoredDomain?) throws -> Domain
  ) throws -> Publication {
    var review: Review?
    let edited = try edit(name, if: precondition, action: action) { old in
      var domain = try change(old)
      domain.document = domain.document.keepingRows(of: old?.domain.document ?? Document())
      let draft = try draft(of: domain)
      if draft.bytes.count > Draft.longWorkBytes { try prepareForLongWork() }
      let passed = try Review(
        draft, over: try old.map { try known($0) }, after: findings, accepting: accepted)
      review = passed
      return DomainEdit(
        domain: domain, document: draft.bytes, read: draft.document,
        acceptedCodes: passed.acceptedCodes,
        findingCodes: Set(passed.findings.map(\.code.rawValue)))
    }
    // `edit` has called its body, or it has thrown.
    guard let review else { throw StoreError.notFound(.domain(name)) }
    return Publication(
      edited: edited, findings: review.findings, changedResolutions: review.changedResolutions,
      document: review.document)
  }

  private func draft(of domain: Domain) throws -> Draft {
    Draft(domain, environments: try environments(of: domain.document.appIdentifiers))
  }

  /// A domain as it is, with how often it has each error that was accepted.
  private func known(_ stored: StoredDomain) throws -> Review.Known {
    let codes = Set(stored.acceptedCodes.compactMap(Finding.Code.init))
    if codes.isEmpty { return Review.Known(domain: stored.domain, errors: [:]) }
    let findings = try draft(of: stored.domain).findings().filter {
      $0.severity == .error && codes.contains($0.code)
    }
    return Review.Known(
      domain: stored.domain, errors: Dictionary(grouping: findings, by: \.code).mapValues(\.count))
  }

  /// Makes a domain serve an association file as it is, adding the domain if there is none.
  ///
  /// - Parameter file: The bytes of the file.
  /// - Throws: as `publish`; `PublicationError` names everything that is wrong with the file.
  public func adopt(
    _ file: [UInt8], for name: DomainName, if precondition: Precondition = .none,
    action: String = "adopt file", accepting accepted: Set<Finding.Code> = []
  ) throws -> Publication {
    let file = try AdoptedFile(file, accepting: accepted)
    return try publish(
      name, if: precondition, action: action, findings: file.findings, accepting: accepted
    ) { old in
      var domain = old?.domain ?? Domain(name: name)
      domain.format = Domain.Format(of: file.document)
      domain.document = file.document
      return domain
    }
  }

  /// Makes a domain serve the document of an earlier revision again, as a new revision. What is no
  /// part of the document, such as aliases and expectations, stays.
  ///
  /// - Throws: as `publish`, `StoreError.notFound`.
  public func restore(
    _ number: Int, of name: DomainName, if precondition: Precondition = .none,
    accepting accepted: Set<Finding.Code> = []
  ) throws -> Publication {
    guard let stored = try domain(name) else { throw StoreError.notFound(.domain(name)) }
    let (file, revision) = try self.revision(number, of: stored)
    // What was published once in spite of errors may be published so again.
    let before = revision.acceptedCodes.compactMap(Finding.Code.init)
    return try adopt(
      file, for: name, if: precondition, action: "restore revision \(number)",
      accepting: accepted.union(before))
  }

  /// Gives an app another identifier in all domains that name it, and publishes each of them.
  ///
  /// - Throws: as `publish`, with the errors of every domain; `StoreError.appExists`.
  public func renameAndPublish(
    _ old: AppIdentifier, to new: AppIdentifier, accepting accepted: Set<Finding.Code> = []
  ) throws -> [Publication] {
    try prepareForLongWork()
    return try publishEach(try rename(old, to: new)) { name in
      try publish(name, action: "rename app \(old) to \(new)", accepting: accepted) { stored in
        guard let stored else { throw StoreError.notFound(.domain(name)) }
        return stored.domain
      }
    }
  }

  /// Publishes one after another, and goes on where a document is refused, so that the error names
  /// every one.
  ///
  /// - Throws: the only `PublicationError` of `publish`, or `.several`; what else it throws at once.
  func publishEach<Item, Result>(
    _ items: [Item], _ publish: (Item) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    var errors: [PublicationError] = []
    for item in items {
      do {
        results.append(try publish(item))
      } catch let error as PublicationError {
        errors.append(error)
      }
    }
    if errors.count == 1, let error = errors.first { throw error }
    if !errors.isEmpty { throw PublicationError.several(errors) }
    return results
  }
}
