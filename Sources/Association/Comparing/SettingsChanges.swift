extension Domain {
  /// The changes to other settings, without their effects on links.
  func changes(to new: Domain) -> [DocumentChange] {
    [
      .setting(.enabled, .bool(isEnabled), .bool(new.isEnabled)),
      .setting(.cacheSeconds, .integer(cacheSeconds), .integer(new.cacheSeconds)),
      .setting(
        .environment, .string(environment.rawValue), .string(new.environment.rawValue)),
      .setting(.strict, .bool(isStrict), .bool(new.isStrict)),
    ].compactMap { $0 } + aliasChanges(to: new.aliases)
      + expectationChanges(to: new.expectations)
  }

  private func aliasChanges(to new: [Alias]) -> [DocumentChange] {
    let (before, after) = (Set(aliases), Set(new))
    let changes =
      aliases.filter { !after.contains($0) }.map { DocumentChange.alias($0, isAdded: false) }
      + new.filter { !before.contains($0) }.map { DocumentChange.alias($0, isAdded: true) }
    if !changes.isEmpty || aliases == new { return changes }
    return [
      DocumentChange(
        .moved, .alias, before: .strings(aliases.map(\.description)),
        after: .strings(new.map(\.description)), "aliases reordered")
    ]
  }

  private func expectationChanges(to new: [Expectation]) -> [DocumentChange] {
    let (before, after) = (Set(expectations), Set(new))
    var added = new.filter { !before.contains($0) }
    var changes = expectations.filter { !after.contains($0) }.map { old in
      let same = added.firstIndex { sameScalars($0.url, old.url) && $0.app == old.app }
      return DocumentChange.expectation(old, same.map { added.remove(at: $0) })
    }
    changes += added.map { DocumentChange.expectation(nil, $0) }
    if !changes.isEmpty || expectations == new { return changes }
    return [DocumentChange(.moved, .expectation, "expectations reordered")]
  }

  /// The number of changes that `words` lists.
  private static let mostWords = 20

  /// The changes to other settings in words, for the audit; empty without any.
  package func words(changingTo new: Domain) -> [String] {
    let changes = changes(to: new).map(\.summary)
    let rest = changes.count - Self.mostWords
    return changes.prefix(Self.mostWords) + (rest > 0 ? ["\(rest) more"] : [])
  }
}

extension DocumentChange {
  /// A changed setting; `nil` if both values are equal.
  fileprivate static func setting(
    _ what: What, _ before: JSON, _ after: JSON
  ) -> DocumentChange? {
    if before == after { return nil }
    return DocumentChange(
      .changed, what, before: before, after: after,
      "\(what.rawValue) changed: \(Wording.change(before, after))")
  }

  static func alias(_ alias: Alias, isAdded: Bool) -> DocumentChange {
    let value = JSON.string(alias.description)
    return DocumentChange(
      isAdded ? .added : .removed, .alias, before: isAdded ? nil : value,
      after: isAdded ? value : nil, "alias \(alias) \(isAdded ? "added" : "removed")")
  }

  fileprivate static func expectation(
    _ before: Expectation?, _ after: Expectation?
  ) -> DocumentChange {
    let kind = Kind(before, after)
    let subject = (after ?? before).map { "expectation \($0.url.quoted) for \($0.app)" } ?? ""
    let detail = Wording.change(
      before.map { .string($0.resolution.rawValue) }, after.map { .string($0.resolution.rawValue) })
    return DocumentChange(
      kind, .expectation, before: before.map(ExpectationResource.json),
      after: after.map(ExpectationResource.json),
      "\(subject) \(kind.rawValue): \(detail)")
  }
}
