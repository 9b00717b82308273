import JSONValue

/// Changes in the order in which they are found, each once, with all the apps that it concerns.
struct MergedChanges {
  private(set) var changes: [DocumentChange] = []
  private var places: [Identity: Int] = [:]

  private struct Identity: Hashable {
    let kind: DocumentChange.Kind
    let what: DocumentChange.What
    let from: JSONPointer?
    let to: JSONPointer?
  }

  mutating func add(_ change: DocumentChange) {
    let identity = Identity(
      kind: change.kind, what: change.what, from: change.from, to: change.to)
    guard let place = places[identity] else {
      places[identity] = changes.count
      return changes.append(change)
    }
    changes[place].apps += change.apps
    changes[place].effect = changes[place].effect.joined(with: change.effect)
  }
}
