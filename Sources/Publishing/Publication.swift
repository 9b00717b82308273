public import Association
import JSONValue
public import Store

/// The result of an edit.
public struct Publication: Sendable {
  /// The domain and its revision.
  public let edited: EditedDomain
  /// The findings about the document.
  public let findings: [Finding]
  /// The URLs of old and new expectations that resolve differently now.
  public let changedResolutions: [ChangedResolution]
  let document: ReadDocument

  /// Compares the document with the previous one; `nil` if there is none, or if it is too complex,
  /// as only documents of earlier versions can be. This can be slow, so call it after the transaction.
  ///
  /// - Throws: `JSON.SyntaxError` if the stored document is damaged.
  public func comparison() throws -> DocumentComparison? {
    try edited.documentBefore.flatMap { before in
      let from = ReadDocument(try JSON.parse(before, limits: .trusted).value)
      do throws(TooComplex) {
        return try DocumentComparison(
          from: from, to: document, domain: edited.stored.domain.name.text)
      } catch {
        // Only the old document can be: the new one passed the linter.
        return nil
      }
    }
  }
}

/// A URL that an app resolves differently after an edit.
public struct ChangedResolution: Sendable, Equatable {
  /// The URL.
  public let url: String
  /// The app.
  public let app: AppIdentifier
  /// The resolution before the edit.
  public let before: Resolution
  /// The resolution after the edit.
  public let after: Resolution
}

/// An expectation that a document does not meet.
public struct BrokenExpectation: Sendable {
  /// The expectation.
  public let expectation: Expectation
  /// How the document resolves the URL, and why.
  public let explanation: Explanation
}

/// Why a document is not published.
public enum PublicationError: Error, Sendable {
  /// The document has errors that are not accepted. Has all findings except accepted errors and,
  /// for a document that is too large, its byte account.
  case refused(DomainName?, [Finding], account: ByteAccount?)
  /// The document breaks expectations of the domain.
  case expectationsBroken(DomainName, [BrokenExpectation])
  /// Several domains are not published.
  indirect case several([PublicationError])
}

extension Transaction {
  /// Creates or changes a domain: renders, lints, checks and stores a revision. All edits of domains go
  /// through here.
  ///
  /// - Parameters:
  ///   - action: The action for the audit.
  ///   - findings: Findings from reading the file; the linter's own follow.
  ///   - accepted: Codes of errors with which the document is published anyway. Errors that were accepted
  ///     for the stored document stay accepted unless there are more of them, so that the domain can
  ///     still be edited.
  ///   - change: Returns the new state of the domain, given the stored one or `nil`.
  /// - Throws: `PublicationError`, `StoreError`, and what `change` throws.
  public func publish(
    _ name: DomainName, if precondition: Precondition = .none, action: String,
    findings: [Finding] = [], accepting accepted: Set<Finding.Code> = [],
    _ change: (StoredDomain?) throws -> Domain
  ) throws -> Publication {
    let old = try domain(name, if: precondition)
    var domain = try change(old)
    domain.document = domain.document.keepingRows(of: old?.domain.document ?? Document())
    let draft = try draft(of: domain)
    let review = try Review(
      draft, over: try old.map { try known($0) }, after: findings, accepting: accepted)
    let edit = DomainEdit(
      domain: domain, document: draft.bytes, acceptedCodes: review.acceptedCodes,
      findingCodes: Set(review.findings.map(\.code.rawValue)))
    return Publication(
      edited: try save(edit, over: old, action: action), findings: review.findings,
      changedResolutions: review.changedResolutions, document: draft.document)
  }

  private func draft(of domain: Domain) throws -> Draft {
    Draft(domain, environments: try environments(of: domain.document.appIdentifiers))
  }

  /// A stored domain, with the number of each accepted error.
  private func known(_ stored: StoredDomain) throws -> Review.Known {
    let codes = Set(stored.acceptedCodes.compactMap(Finding.Code.init))
    if codes.isEmpty { return Review.Known(domain: stored.domain, errors: [:]) }
    let findings = try draft(of: stored.domain).findings().filter {
      $0.severity == .error && codes.contains($0.code)
    }
    return Review.Known(
      domain: stored.domain, errors: Dictionary(grouping: findings, by: \.code).mapValues(\.count))
  }

  /// Makes a domain serve an association file unchanged; creates the domain if it does not exist.
  ///
  /// - Parameter file: The bytes of the file.
  /// - Throws: Like `publish`; `PublicationError` has all errors of the file.
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

  /// Publishes the document of an earlier revision again, as a new revision. The rest of the
  /// domain, such as aliases and expectations, does not change.
  ///
  /// - Throws: like `publish`, `StoreError.notFound`.
  public func restore(
    _ number: Int, of name: DomainName, if precondition: Precondition = .none,
    accepting accepted: Set<Finding.Code> = []
  ) throws -> Publication {
    guard let stored = try domain(name) else { throw StoreError.notFound(.domain(name)) }
    let (file, revision) = try self.revision(number, of: stored)
    // Errors that were accepted once are accepted again.
    let before = revision.acceptedCodes.compactMap(Finding.Code.init)
    return try adopt(
      file, for: name, if: precondition, action: "restore revision \(number)",
      accepting: accepted.union(before))
  }

  /// Changes an app identifier in all domains that use it, and publishes each of them.
  ///
  /// - Throws: like `publish`, with the errors of every domain; `StoreError.appExists`.
  public func renameAndPublish(
    _ old: AppIdentifier, to new: AppIdentifier, accepting accepted: Set<Finding.Code> = []
  ) throws -> [Publication] {
    try publishEach(try rename(old, to: new)) { name in
      try publish(name, action: "rename app \(old) to \(new)", accepting: accepted) { stored in
        guard let stored else { throw StoreError.notFound(.domain(name)) }
        return stored.domain
      }
    }
  }

  /// Publishes several domains. Goes on after a `PublicationError`, so that the error names every domain
  /// that is refused.
  ///
  /// - Throws: the only `PublicationError`, or `.several`. Any other error is thrown immediately.
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
