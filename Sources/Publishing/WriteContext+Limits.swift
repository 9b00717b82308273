import Association
import Store

extension WriteContext {
  /// Refuses an edit of a domain outside the author's limits. Endpoints check that, too, but labels may change between
  /// their check and the edit.
  ///
  /// - Throws: `PublicationError.outsideLimits`.
  func refuse(from old: Domain?, to new: Domain?) throws(PublicationError) {
    try refuseOthers(than: documents, from: old, to: new)
    for scope in [within, approvedWithin] { try refuse(outside: scope, from: old, to: new) }
  }

  private func refuse(
    outside within: Scope, from old: Domain?, to new: Domain?
  ) throws(PublicationError) {
    guard !within.isEverything, let name = (old ?? new)?.name else { return }
    // Who may give a domain this name may do anything with it.
    if within.covers(Alias(name)) { return }
    guard let old, within.covers(Alias(name), labels: old.labels) else {
      throw .outsideLimits(name, .domain)
    }
    if let new, new.labels != old.labels { throw .outsideLimits(name, .labels(old.labels)) }
  }

  /// Whether a second person must approve the author's change of a domain. The domain before the change decides, so
  /// that nobody can end its protection alone.
  func needsApproval(of former: FormerDomain) -> Bool {
    guard former.isProtected, let domain = former.stored?.domain else { return false }
    return unapproved?.covers(Alias(domain.name), labels: domain.labels) != true
  }

  /// Refuses whatever an author who is limited to documents changes besides these.
  private func refuseOthers(
    than documents: [DocumentName], from old: Domain?, to new: Domain?
  ) throws(PublicationError) {
    if documents.isEmpty { return }
    guard var allowed = old, let new else {
      guard let name = (old ?? new)?.name else { return }
      throw .outsideLimits(name, .documents(documents))
    }
    for name in documents {
      allowed.namedDocuments.removeAll { $0.name == name }
      if let document = new.namedDocuments.first(where: { $0.name == name }) {
        allowed.put(document)
      }
    }
    if allowed != new { throw .outsideLimits(new.name, .documents(documents)) }
  }
}
