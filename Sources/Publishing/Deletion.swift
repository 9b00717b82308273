import Association
import Store

extension Publication {
  /// What deleting a domain changes. Checks expectations, and that it closes no app that is not accepted.
  ///
  /// - Parameters:
  ///   - taker: The publication of the domain that has the name, or an alias, from then on.
  ///   - shared: A cache shared with other domains.
  ///   - refuse: Takes what stops the deletion, as in `Review`.
  /// - Throws: `PublicationError`; `StoreError.notFound` if the domain does not exist.
  init(
    deleting name: DomainName, _ former: FormerDomain, toBeServedBy taker: Publication? = nil,
    accepting: Set<Finding.Code>, by context: WriteContext,
    sharing shared: SharedDocuments = SharedDocuments(),
    refuse: (PublicationError) throws -> Void = { throw $0 }
  ) throws {
    guard let stored = former.stored, let published = former.published else {
      throw StoreError.notFound(.domain(name))
    }
    let documents =
      shared.intact(published.documents)
      ?? ReadDocuments([.apple: stored.domain.associationFile.json])
    let heir = taker.flatMap { taker in
      let domain = taker.edited.stored.domain
      return domain.isEnabled ? (documents: taker.documents, names: domain.names) : nil
    }
    let after = heir.flatMap { $0.names.contains(Alias(name)) ? $0.documents : nil }
    var review = ServiceReview()
    do throws(PublicationError) {
      review = try ServiceReview(
        of: nil, after, since: stored.domain, { documents }, heir: heir, findings: [],
        accepting: accepting, sharing: shared)
    } catch {
      try refuse(error)
    }
    if context.needsApproval(of: former) { try refuse(.needsApproval(name)) }
    // What was accepted is about the deletion, not about its last revision.
    var revision = published.revision
    revision.acceptedCodes = review.findings.map(\.code.rawValue)
    self.init(
      edited: EditedDomain(stored, revision, over: former, now: 0), findings: review.findings,
      changedResolutions: review.changedResolutions, documents: documents, isDeletion: true)
  }
}
