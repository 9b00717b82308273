import Association

/// The domains of a plan that take names from others.
struct Takers {
  private let edits: [Alias: StatePlan.Edit]
  private var publications: [DomainName: Publication] = [:]

  init(_ edits: [StatePlan.Edit]) {
    self.edits = Dictionary(
      edits.lazy.filter { $0.index != nil }.flatMap { edit in edit.taken.map { ($0, edit) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The publication of the domain that takes the name of a deleted one or, if none does, one of its aliases; `nil` if
  /// none does. Each is reviewed once.
  mutating func publication(
    of names: [Alias], _ review: (StatePlan.Edit) throws -> Publication
  ) throws -> Publication? {
    guard let taken = names.first(where: { edits[$0] != nil }), let edit = edits[taken] else {
      return nil
    }
    if let known = publications[edit.name] { return known }
    let publication = try review(edit)
    publications[edit.name] = publication
    return publication
  }
}
