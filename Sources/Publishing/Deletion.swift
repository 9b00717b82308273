import Association
import JSONValue
import Store

/// A deletion that passed review. All that is left is to delete the rows.
struct Deletion {
  let basis: DomainBasis
  private let stored: StoredDomain
  private let published: PublishedRevision
  private let review: ServiceReview
  private let documents: ReadDocuments

  /// Checks expectations, and that the deletion closes no app that is not accepted.
  ///
  /// - Throws: `PublicationError`; `StoreError.notFound` if the domain does not exist.
  init(of name: DomainName, _ basis: DomainBasis, accepting accepted: Set<Finding.Code>) throws {
    guard let stored = basis.stored, let published = basis.published else {
      throw StoreError.notFound(.domain(name))
    }
    (self.basis, self.stored, self.published) = (basis, stored, published)
    let documents =
      ReadDocuments(intact: published.documents)
      ?? ReadDocuments([.apple: stored.domain.document.json])
    self.documents = documents
    review = try ServiceReview(
      of: nil, since: stored.domain, { documents }, findings: [], accepting: accepted)
  }

  var name: DomainName { stored.domain.name }

  /// Deletes the domain.
  ///
  /// - Throws: `Outdated`.
  func publish(in transaction: borrowing Transaction) throws -> Publication {
    try transaction.delete(basis)
    return publication
  }

  /// What the deletion changes.
  var publication: Publication {
    // What was accepted is about the deletion, not about its last revision.
    var revision = published.revision
    revision.acceptedCodes = review.findings.map(\.code.rawValue)
    let edited = EditedDomain(
      stored: stored, revision: revision, documentsBefore: published.documents,
      domainBefore: stored.domain, isNew: false, isChanged: true)
    return Publication(
      edited: edited, findings: review.findings, changedResolutions: review.changedResolutions,
      documents: documents, isDeletion: true)
  }
}
