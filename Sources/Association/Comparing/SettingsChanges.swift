extension Domain {
  /// The changes to other settings, without their effects on links.
  func changes(to new: Domain) -> [DocumentChange] {
    [
      .setting(.enabled, .bool(isEnabled), .bool(new.isEnabled)),
      .setting(.cacheSeconds, .integer(cacheSeconds), .integer(new.cacheSeconds)),
      .setting(
        .environment, .string(environment.rawValue), .string(new.environment.rawValue)),
      .setting(.strict, .bool(isStrict), .bool(new.isStrict)),
      .setting(.protected, .bool(isProtected), .bool(new.isProtected)),
    ].compactMap { $0 } + managementChanges(to: new.managedBy) + labelChanges(to: new.labels)
      + aliasChanges(to: new.aliases) + templateChanges(to: new.template)
      + passwordChanges(to: new.changePassword) + documentChanges(to: new.namedDocuments)
      + fallbackChanges(to: new)
      + expectationChanges(to: new.expectations)
  }

  private func managementChanges(to new: String?) -> [DocumentChange] {
    if managedBy == new { return [] }
    let (before, after) = (managedBy.map(JSON.string), new.map(JSON.string))
    return [.value(.managedBy, before, after, "managedBy")]
  }

  private func passwordChanges(to new: SecureURL?) -> [DocumentChange] {
    if changePassword == new { return [] }
    let (before, after) = (
      changePassword.map { JSON.string($0.text) }, new.map { JSON.string($0.text) }
    )
    return [.value(.changePassword, before, after, "changePassword")]
  }

  private func documentChanges(to new: [NamedDocument]) -> [DocumentChange] {
    let names = Set((namedDocuments + new).map(\.name)).sorted()
    return names.compactMap { name in
      .document(
        namedDocuments.first { $0.name == name }, new.first { $0.name == name })
    }
  }

  private func labelChanges(to new: [Label]) -> [DocumentChange] {
    labels.filter { !new.contains($0) }.map { .label($0, isAdded: false) }
      + new.filter { !labels.contains($0) }.map { .label($0, isAdded: true) }
  }

  /// Values are those of a template, and go with it.
  private func templateChanges(to new: TemplateUse?) -> [DocumentChange] {
    var changes: [DocumentChange] = []
    if template?.name != new?.name {
      let (before, after) = (template?.name.text, new?.name.text)
      changes.append(
        .value(.template, before.map(JSON.string), after.map(JSON.string), "template"))
    }
    guard let new else { return changes }
    let old = template?.parameters ?? [:]
    let names = old.keys + new.parameters.keys.filter { old[$0] == nil }
    return changes
      + names.filter { old[$0] != new.parameters[$0] }.map {
        .value(.parameter, old[$0], new.parameters[$0], "parameter \($0)")
      }
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

  /// What people without an app get, member by member, then the targets of routes.
  private func fallbackChanges(to new: Domain) -> [DocumentChange] {
    let (before, after) = (fallback?.members ?? [:], new.fallback?.members ?? [:])
    var changes = (before.keys + after.keys).uniqued().compactMap { key in
      DocumentChange.fallback(key, before[key], after[key])
    }
    let (old, routes) = (routeFallbacks, new.routeFallbacks)
    var added = routes.filter { !old.contains($0) }
    changes += old.filter { !routes.contains($0) }.compactMap { removed in
      let same = added.firstIndex { $0.route == removed.route }
      let target = same.map { added.remove(at: $0).target }
      return .fallback(of: removed.route, removed.target, target)
    }
    changes += added.compactMap { .fallback(of: $0.route, nil, $0.target) }
    if !changes.isEmpty || old == routes { return changes }
    return [DocumentChange(.moved, .fallback, "targets of routes reordered")]
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

  /// A value that both states may lack.
  fileprivate static func value(
    _ what: What, _ before: JSON?, _ after: JSON?, _ subject: String
  ) -> DocumentChange {
    let kind = Kind(before, after)
    return DocumentChange(
      kind, what, before: before, after: after,
      "\(subject) \(kind.rawValue): \(Wording.change(before, after))")
  }

  static func alias(_ alias: Alias, isAdded: Bool) -> DocumentChange {
    DocumentChange(
      .alias, isAdded: isAdded, value: .string(alias.description), "alias \(alias)")
  }

  fileprivate static func fallback(
    _ member: String, _ before: JSON?, _ after: JSON?
  ) -> DocumentChange? {
    if before == after { return nil }
    let kind = Kind(before, after)
    return DocumentChange(
      kind, .fallback, before: before, after: after,
      "people without the app, \(member) \(kind.rawValue): \(Wording.change(before, after))")
  }

  fileprivate static func fallback(
    of route: JSON, _ before: LinkTarget?, _ after: LinkTarget?
  ) -> DocumentChange? {
    let (old, new) = (before?.text, after?.text)
    if old == new { return nil }
    let kind = Kind(old, new)
    return DocumentChange(
      kind, .fallback, before: old.map(JSON.string), after: new.map(JSON.string),
      "people without the app, from \(route.shown) \(kind.rawValue): "
        + Wording.change(old.map(JSON.string), new.map(JSON.string)))
  }

  fileprivate static func label(_ label: Label, isAdded: Bool) -> DocumentChange {
    let value = JSON.string(label.text)
    return DocumentChange(
      isAdded ? .added : .removed, .label, before: isAdded ? nil : value,
      after: isAdded ? value : nil, "label \(label) \(isAdded ? "added" : "removed")")
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

extension Fallback {
  fileprivate var members: JSON.Object {
    FallbackResource.coding.write(self).objectValue ?? [:]
  }
}
