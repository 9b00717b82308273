extension Domain {
  /// The changes to other settings, without their effects on links.
  func changes(to new: Domain) -> [DocumentChange] {
    let settings: [DocumentChange?] = [
      .value(.enabled, .bool(isEnabled), .bool(new.isEnabled)),
      .value(.cacheSeconds, .integer(cacheSeconds), .integer(new.cacheSeconds)),
      .value(.environment, .string(environment.rawValue), .string(new.environment.rawValue)),
      .value(.strict, .bool(isStrict), .bool(new.isStrict)),
      .value(.protected, .bool(isProtected), .bool(new.isProtected)),
      .text(.managedBy, managedBy, new.managedBy),
    ]
    let password = DocumentChange.text(
      .changePassword, changePassword?.text, new.changePassword?.text)
    return settings.compactMap(\.self) + labelChanges(to: new.labels)
      + aliasChanges(to: new.aliases) + templateChanges(to: new.template)
      + [password].compactMap(\.self)
      + documentChanges(to: new.namedDocuments) + fallbackChanges(to: new)
      + expectationChanges(to: new.expectations)
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
    let change = DocumentChange.text(.template, template?.name.text, new?.name.text)
    let changes = change.map { [$0] } ?? []
    guard let new else { return changes }
    let old = template?.parameters ?? [:]
    let names = old.keys + new.parameters.keys.filter { old[$0] == nil }
    return changes
      + names.compactMap {
        DocumentChange.value(.parameter, old[$0], new.parameters[$0], "parameter \($0)")
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
      DocumentChange.value(
        .fallback, before[key], after[key], "people without the app, \(key)")
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
  /// A value that both states may lack; `nil` if it has not changed.
  ///
  /// - Parameter subject: What the summary calls it, if not like `what`.
  fileprivate static func value(
    _ what: What, _ before: JSON?, _ after: JSON?, _ subject: String? = nil
  ) -> DocumentChange? {
    if before == after { return nil }
    let kind = Kind(before, after)
    return DocumentChange(
      kind, what, before: before, after: after,
      "\(subject ?? what.rawValue) \(kind.rawValue): \(Wording.change(before, after))")
  }

  /// A text in the same way.
  fileprivate static func text(
    _ what: What, _ before: String?, _ after: String?, _ subject: String? = nil
  ) -> DocumentChange? {
    before.isExactly(after)
      ? nil : value(what, before.map(JSON.string), after.map(JSON.string), subject)
  }

  static func alias(_ alias: Alias, isAdded: Bool) -> DocumentChange {
    DocumentChange(
      .alias, isAdded: isAdded, value: .string(alias.description), "alias \(alias)")
  }

  fileprivate static func fallback(
    of route: JSON, _ before: LinkTarget?, _ after: LinkTarget?
  ) -> DocumentChange? {
    text(.fallback, before?.text, after?.text, "people without the app, from \(route.shown)")
  }

  fileprivate static func label(_ label: Label, isAdded: Bool) -> DocumentChange {
    DocumentChange(.label, isAdded: isAdded, value: .string(label.text), "label \(label)")
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
