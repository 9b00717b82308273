import JSONValue

extension JSON {
  /// The value after a merge patch (RFC 7396 section 2): members of the patch replace those here,
  /// `null` removes them, objects are merged in turn.
  func merging(_ patch: JSON) -> JSON {
    guard case .object(let changes) = patch else { return patch }
    var members: [(key: String, value: JSON)] = []
    var places: [[UInt8]: Int] = [:]
    for member in objectValue?.members ?? [] {
      places[Array(member.key.utf8)] = members.count
      members.append((member.key, member.value))
    }
    var removed: Set<Int> = []
    for change in changes.members {
      let place = places[Array(change.key.utf8)]
      if change.value == .null {
        if let place { removed.insert(place) }
      } else if let place {
        members[place].value = members[place].value.merging(change.value)
      } else {
        members.append((change.key, JSON.null.merging(change.value)))
      }
    }
    var merged = JSON.Object()
    for (index, member) in members.enumerated() where !removed.contains(index) {
      merged.appendNew(member.key, member.value)
    }
    return .object(merged)
  }
}
