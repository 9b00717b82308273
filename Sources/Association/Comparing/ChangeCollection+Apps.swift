import JSONValue

extension ChangeCollection {
  /// The apps that came, went, were renamed, or are offered in another order.
  func appChanges() -> [DocumentChange] {
    pairs.removed.map { change(.removed, from: $0, to: nil) }
      + pairs.added.map { change(.added, from: nil, to: $0) }
      + pairs.renamed.map { change(.changed, from: $0.before, to: $0.after) } + moves()
  }

  /// The apps of other services than `applinks` that came, went or were renamed there, too.
  func serviceChanges() -> [DocumentChange] {
    zip(from.services, to.services).flatMap { before, after in
      var added = after.apps.filter { !before.names($0.name) }
      var changes: [DocumentChange] = []
      for app in before.apps where !after.names(app.name) {
        let newName = pairs.renamed.first { sameScalars($0.before.name, app.name) }?.after.name
        let index = newName.flatMap { name in added.firstIndex { sameScalars($0.name, name) } }
        let successor = index.map { added.remove(at: $0) }
        changes.append(serviceChange(before.name, from: app, to: successor))
      }
      return changes + added.map { serviceChange(before.name, from: nil, to: $0) }
    }
  }

  private func serviceChange(
    _ service: String, from before: (name: String, pointer: JSONPointer)?,
    to after: (name: String, pointer: JSONPointer)?
  ) -> DocumentChange {
    let kind: DocumentChange.Kind = before == nil ? .added : after == nil ? .removed : .changed
    let name = Wording.plain((before ?? after)?.name ?? "")
    let detail = kind == .changed ? " to \(Wording.plain(after?.name ?? ""))" : ""
    return DocumentChange(
      kind, .serviceApp, from: before?.pointer, to: after?.pointer,
      before: before.map { .string($0.name) }, after: after.map { .string($0.name) },
      apps: [(after ?? before)?.name].compactMap(\.self),
      "app \(name) of \(service) \(kind.rawValue)\(detail)")
  }

  private func change(
    _ kind: DocumentChange.Kind, from before: ComparedDocument.App?,
    to after: ComparedDocument.App?
  ) -> DocumentChange {
    let old = from.routes(of: before?.entries ?? [])
    let new = to.routes(of: after?.entries ?? [])
    let effect =
      if let before {
        effects.effect(ofAll: old, of: before.name, isAfter: false)
      } else {
        effects.effect(ofAll: new, of: after?.name ?? "", isAfter: true)
      }
    let routes = Wording.count(after == nil ? old.count : new.count, "route")
    let name = Wording.plain((before ?? after)?.name ?? "")
    let detail = kind == .changed ? " to \(Wording.plain(after?.name ?? ""))" : ""
    return DocumentChange(
      kind, .app, from: pointer(of: before, in: from), to: pointer(of: after, in: to),
      before: before.map { .string($0.name) }, after: after.map { .string($0.name) },
      apps: [(after ?? before)?.name].compactMap(\.self), effect: effect,
      "app \(name) \(kind.rawValue)\(detail), with \(routes)")
  }

  /// Where the first entry of an app stands.
  private func pointer(
    of app: ComparedDocument.App?, in document: ComparedDocument
  ) -> JSONPointer? {
    app?.entries.first.map { document.entries[$0].pointer }
  }

  /// The apps that are no longer offered in the same order, which is that of their first entries.
  /// Apps of one entry have no order between them.
  private func moves() -> [DocumentChange] {
    guard from.isOrdered, to.isOrdered else { return [] }
    let apps = (pairs.same + pairs.renamed).sorted { Self.order($0) < Self.order($1) }
    let ranks = apps.indices.map {
      PlacePair(from: $0, to: (apps[$0].after.entries.first ?? 0) * apps.count + $0)
    }
    let kept = Set(PlacePair.longestRising(ranks).map(\.from))
    return apps.indices.filter { !kept.contains($0) }.map { index in
      let app = apps[index]
      return DocumentChange(
        .moved, .app, from: pointer(of: app.before, in: from),
        to: pointer(of: app.after, in: to), apps: [app.after.name], effect: .unknown,
        "app \(Wording.plain(app.after.name)) moved among the apps")
    }
  }

  private static func order(_ pair: AppPairs.Pair) -> (Int, Int) {
    (pair.before.entries.first ?? 0, pair.after.entries.first ?? 0)
  }
}

extension ComparedDocument.Service {
  fileprivate func names(_ app: String) -> Bool { apps.contains { sameScalars($0.name, app) } }
}
