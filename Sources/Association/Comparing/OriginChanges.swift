extension DocumentChange {
  /// The changes of a `webauthn` file. They affect passkeys, not links.
  static func origins(from before: JSON?, to after: JSON?) -> [DocumentChange] {
    let (old, new) = (origins(of: before), origins(of: after))
    let oldTexts = Set(old.map(\.json.sorted.text))
    let newTexts = Set(new.map(\.json.sorted.text))
    let removed = old.filter { !newTexts.contains($0.json.sorted.text) }
    let added = new.filter { !oldTexts.contains($0.json.sorted.text) }
    let changes =
      removed.map { origin($0, isAdded: false) } + added.map { origin($0, isAdded: true) }
    if !changes.isEmpty || before?.sorted == after?.sorted { return changes }
    if before == nil || after == nil {
      return [DocumentChange(.extra, isAdded: before == nil, at: .root, "a file without origins")]
    }
    // Browsers skip origins behind those of five other names, so the order may count.
    return [
      DocumentChange(
        .changed, .extra, from: .root, to: .root,
        "the order of origins, or values that browsers ignore, changed")
    ]
  }

  private static func origins(of file: JSON?) -> [(json: JSON, pointer: JSONPointer)] {
    (file.flatMap { RelatedOrigins($0).elements } ?? []).enumerated().map {
      ($1, RelatedOrigins.pointer.appending($0))
    }
  }

  private static func origin(
    _ origin: (json: JSON, pointer: JSONPointer), isAdded: Bool
  ) -> DocumentChange {
    DocumentChange(
      .origin, isAdded: isAdded, at: origin.pointer, value: origin.json,
      "origin \(origin.json.shown)")
  }
}
