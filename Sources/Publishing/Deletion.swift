import Association
import JSONValue
import Store

/// A deletion that passed review. All that is left is to delete the rows.
struct Deletion {
  private let basis: DomainBasis
  /// What the deletion changes.
  var publication: Publication

  /// Checks expectations, and that the deletion closes no app that is not accepted.
  ///
  /// - Throws: `PublicationError`; `StoreError.notFound` if the domain does not exist.
  init(of name: DomainName, _ basis: DomainBasis, accepting accepted: Set<Finding.Code>) throws {
    guard let stored = basis.stored, let published = basis.published else {
      throw StoreError.notFound(.domain(name))
    }
    self.basis = basis
    let documents =
      ReadDocuments(intact: published.documents)
      ?? ReadDocuments([.apple: stored.domain.document.json])
    let review = try ServiceReview(
      of: nil, since: stored.domain, { documents }, findings: [], accepting: accepted)
    // What was accepted is about the deletion, not about its last revision.
    var revision = published.revision
    revision.acceptedCodes = review.findings.map(\.code.rawValue)
    publication = Publication(
      edited: EditedDomain(stored, revision, over: basis, now: 0), findings: review.findings,
      changedResolutions: review.changedResolutions, documents: documents, isDeletion: true)
  }

  /// Deletes the domain.
  ///
  /// - Throws: `Outdated`.
  func publish(in transaction: borrowing Transaction) throws -> Publication {
    try transaction.delete(basis)
    return publication
  }
}
