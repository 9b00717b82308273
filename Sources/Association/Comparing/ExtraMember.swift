import JSONValue

/// Something in a document that a device does not read.
struct ExtraMember {
  /// The key, or keys with slashes between them, from the object that is compared.
  let key: String
  let value: JSON
  let pointer: JSONPointer
  var what = DocumentChange.What.extra
}

extension ExtraMember {
  /// The members of an object that do not count.
  static func members(
    of object: JSON.Object, at pointer: JSONPointer, prefix: String = "",
    where isExtra: (JSON.Object.Member) -> Bool
  ) -> [ExtraMember] {
    object.members.filter(isExtra).map {
      ExtraMember(
        key: prefix + $0.key, value: $0.value, pointer: pointer.appending($0.key))
    }
  }

  /// The elements of an array that do not count, as one; none if all do.
  static func elements(
    of array: JSON?, key: String, at pointer: JSONPointer, where isExtra: (JSON) -> Bool
  ) -> [ExtraMember] {
    let elements = array?.arrayValue?.filter(isExtra) ?? []
    if elements.isEmpty { return [] }
    return [ExtraMember(key: key, value: .array(elements), pointer: pointer)]
  }

  /// What two lists of members say differently: equal ones at the start and the end of each key's
  /// belong together, the others in their order.
  static func changes(from: [ExtraMember], to: [ExtraMember]) -> [DocumentChange] {
    if from.isEmpty && to.isEmpty { return [] }
    let old = Dictionary(grouping: from) { Array($0.key.utf8) }
    let new = Dictionary(grouping: to) { Array($0.key.utf8) }
    let keys = Set(old.keys).union(new.keys)
    return keys.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { key in
      changes(of: old[key] ?? [], new[key] ?? [])
    }
  }

  private static func changes(of from: [ExtraMember], _ to: [ExtraMember]) -> [DocumentChange] {
    var old = from[...]
    var new = to[...]
    while let last = old.last, let other = new.last, last.value == other.value {
      old.removeLast()
      new.removeLast()
    }
    var changes: [DocumentChange] = []
    while !(old.isEmpty && new.isEmpty) {
      let (before, after) = (old.popFirst(), new.popFirst())
      if before?.value != after?.value { changes.append(change(from: before, to: after)) }
    }
    return changes
  }

  private static func change(from: ExtraMember?, to: ExtraMember?) -> DocumentChange {
    let kind: DocumentChange.Kind = from == nil ? .added : to == nil ? .removed : .changed
    let what = (to ?? from)?.what ?? .extra
    let name = Wording.quoted((to ?? from)?.key ?? "")
    let subject = what == .legacyPaths ? "\(name) for systems before iOS 13" : "unread \(name)"
    let detail = kind == .changed ? ": \(Wording.change(from?.value, to?.value))" : ""
    return DocumentChange(
      kind, what, from: from?.pointer, to: to?.pointer, before: from?.value, after: to?.value,
      effect: what == .legacyPaths ? .unknown : .none, "\(subject) \(kind.rawValue)\(detail)")
  }
}
