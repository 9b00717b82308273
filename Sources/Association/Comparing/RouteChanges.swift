import JSONValue

/// Where a route stands before and after.
struct RoutePlaces {
  let from: Int
  let to: Int
  /// The routes after.
  let list: [ComparedRoute]

  /// The move in words.
  fileprivate var words: String {
    let next = to + 1 < list.count ? "before \(list[to + 1].label)" : "to the end"
    return "moved from place \(from + 1) to \(to + 1), \(next)"
  }
}

extension DocumentChange {
  /// What became of a route of these apps. Without places, a route that says the same was changed by
  /// a variable.
  static func route(
    _ old: ComparedRoute?, _ new: ComparedRoute?, _ places: RoutePlaces?, _ effect: Effect,
    _ apps: [String]
  ) -> DocumentChange {
    let (kind, summary) = words(old, new, places)
    return DocumentChange(
      kind, .route, from: old?.route.pointer, to: new?.route.pointer, before: old?.meaning,
      after: new?.meaning, apps: apps, effect: effect, summary)
  }

  private static func words(
    _ old: ComparedRoute?, _ new: ComparedRoute?, _ places: RoutePlaces?
  ) -> (Kind, String) {
    switch (old, new) {
    case (let old?, let new?) where old.meaningNumber != new.meaningNumber:
      (.changed, "\(old.label) changed: \(new.differences(from: old))")
    case (_, let new?) where places != nil:
      (.moved, "\(new.label) \(places?.words ?? "")")
    case (.some, let new?): (.changed, "\(new.label) changed: a variable has other values")
    case (nil, let new?): (.added, "\(new.label) added")
    case (let old, nil): (.removed, "\(old?.label ?? "route") removed")
    }
  }

  /// A comment that was added, removed or changed.
  static func comment(_ old: ComparedRoute, _ new: ComparedRoute) -> DocumentChange {
    let kind: Kind = old.comment == nil ? .added : new.comment == nil ? .removed : .changed
    let detail = Wording.change(old.comment, new.comment)
    return DocumentChange(
      kind, .comment, from: old.comment.map { _ in old.route.pointer.appending("comment") },
      to: new.comment.map { _ in new.route.pointer.appending("comment") }, before: old.comment,
      after: new.comment, "comment of \(new.label) \(kind.rawValue): \(detail)")
  }
}

/// Keys of `defaults` that a changed route has other values from.
enum DefaultChanges {
  /// The layers of a route that are `defaults`: of the entry and of the domain.
  private static let layers = [1, 2]

  static func changes(_ old: ComparedRoute, _ new: ComparedRoute) -> [DocumentChange] {
    guard case .object(let before) = old.meaning, case .object(let after) = new.meaning else {
      return []
    }
    return ComparedRoute.keys.filter { before[$0] != after[$0] }.flatMap { key in
      layers.compactMap { change(of: key, inLayer: $0, old, new) }
    }
  }

  private static func change(
    of key: String, inLayer layer: Int, _ old: ComparedRoute, _ new: ComparedRoute
  ) -> DocumentChange? {
    let before = old.value(of: key, inLayer: layer)
    let after = new.value(of: key, inLayer: layer)
    guard before != after, old.layer(giving: key) == layer || new.layer(giving: key) == layer else {
      return nil
    }
    let kind: DocumentChange.Kind = before == nil ? .added : after == nil ? .removed : .changed
    let scope = layer == 1 ? " of the entry" : ""
    return DocumentChange(
      kind, .default,
      from: before.map { _ in old.layers[layer].pointer.appending(key) },
      to: after.map { _ in new.layers[layer].pointer.appending(key) }, before: before,
      after: after,
      "default \(Wording.quoted(key))\(scope) \(kind.rawValue): \(Wording.change(before, after))")
  }
}
