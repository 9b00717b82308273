import Association
import Store

// What a plan tells of names that move between domains.
extension StatePlanning {
  /// Reports the domains between which names move once more, now that both sides are known.
  mutating func reportMoves() throws {
    var givers: Set<Alias> = []
    for edit in plan.edits { givers.formUnion(edit.released.map(\.alias)) }
    for deletion in plan.deletions {
      givers.insert(Alias(deletion.name))
      givers.formUnion(try store.formerDomain(of: deletion.name).stored?.domain.aliases ?? [])
    }
    if givers.isEmpty { return }
    let moved = Set(plan.edits.flatMap(\.taken).filter(givers.contains))
    if moved.isEmpty { return }
    var publications: [Publication] = []
    var takers = Takers(plan.edits)
    for deletion in plan.deletions {
      let former = try store.formerDomain(of: deletion.name)
      let names = former.stored?.domain.names ?? []
      guard publications.count < Self.mostNamed, names.contains(where: moved.contains) else {
        continue
      }
      let taker = try takers.publication(of: names, publication(of:))
      publications.append(
        try Publication(
          deleting: deletion.name, former, toBeServedBy: taker, accepting: options.accepted,
          by: context
        ) {
          // It is listed already.
          if !goesOn { throw $0 }
        })
    }
    for edit in plan.edits where publications.count < Self.mostNamed {
      guard (edit.taken + edit.released.map(\.alias)).contains(where: moved.contains) else {
        continue
      }
      publications.append(try publication(of: edit))
    }
    for publication in publications.comparingMoves() {
      try report(publication.edited.stored.domain.name, publication.action, publication)
    }
  }

  /// Reviews an edit of the plan once more.
  func publication(of edit: StatePlan.Edit) throws -> Publication {
    let former = try store.formerDomain(of: edit.name)
    guard let index = edit.index else { throw Outdated() }
    let desired = try state.domain(index, former.stored)
    let candidate = Candidate(
      index: index, name: edit.name, former: former,
      proposal: Proposal(
        domain: desired.domain,
        accepted: options.accepted.union(state.accepted(edit.name, former.stored?.domain))))
    return try reviewer.review(candidate, goesOn: goesOn, compares: false).review.publication
  }
}
