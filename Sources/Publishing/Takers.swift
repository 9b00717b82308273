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

  /// The publication of the domain that takes the name of a deleted one; `nil` if none does. Each is reviewed once.
  mutating func publication(
    of name: DomainName, _ review: (StatePlan.Edit) throws -> Publication
  ) throws -> Publication? {
    guard let edit = edits[Alias(name)] else { return nil }
    if let known = publications[edit.name] { return known }
    let publication = try review(edit)
    publications[edit.name] = publication
    return publication
  }
}
