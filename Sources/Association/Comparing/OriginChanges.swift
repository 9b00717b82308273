extension DocumentChange {
  /// The changes of a `webauthn` file. They affect passkeys, not links.
  static func origins(from before: JSON?, to after: JSON?) -> [DocumentChange] {
    if before == nil && after == nil { return [] }
    let (old, new) = (origins(of: before), origins(of: after))
    let oldTexts = Set(old.map(\.json.sorted.text))
    let newTexts = Set(new.map(\.json.sorted.text))
    var changes = old.filter { !newTexts.contains($0.json.sorted.text) }.map {
      change(of: $0, .removed)
    }
    changes += new.filter { !oldTexts.contains($0.json.sorted.text) }.map { change(of: $0, .added) }
    if changes.isEmpty, before == nil || after == nil {
      let isAdded = before == nil
      changes.append(
        DocumentChange(
          isAdded ? .added : .removed, .extra, from: isAdded ? nil : .root,
          to: isAdded ? .root : nil, "a file without origins \(isAdded ? "added" : "removed")"))
    } else if changes.isEmpty, before?.sorted != after?.sorted {
      // Browsers skip origins behind those of five other names, so the order may count.
      changes.append(
        DocumentChange(
          .changed, .extra, from: .root, to: .root,
          "the order of origins, or values that browsers ignore, changed"))
    }
    return changes.map { change in
      var change = change
      change.document = .webAuthn
      return change
    }
  }

  private static func origins(of file: JSON?) -> [(json: JSON, pointer: JSONPointer)] {
    (file.flatMap { RelatedOrigins($0).elements } ?? []).enumerated().map {
      ($1, RelatedOrigins.pointer.appending($0))
    }
  }

  private static func change(
    of origin: (json: JSON, pointer: JSONPointer), _ kind: Kind
  ) -> DocumentChange {
    let isAdded = kind == .added
    return DocumentChange(
      kind, .origin, from: isAdded ? nil : origin.pointer, to: isAdded ? origin.pointer : nil,
      before: isAdded ? nil : origin.json, after: isAdded ? origin.json : nil,
      "origin \(origin.json.shown) \(kind.rawValue)")
  }
}
