import JSONValue

/// The places of a route before and after.
struct RoutePlaces {
  let from: Int
  let to: Int
  /// The routes after.
  let list: [ComparedRoute]

  /// The move in words.
  fileprivate var words: String {
    let next = to + 1 < list.count ? "before \(list[to + 1].label)" : "to the end"
    return "moved from position \(from + 1) to \(to + 1), \(next)"
  }
}

extension DocumentChange {
  /// The change of a route of these apps. Without places, an equal route changed through a variable.
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
    case (.some, let new?): (.changed, "\(new.label) changed: one of its variables changed")
    case (nil, let new?): (.added, "\(new.label) added")
    case (let old, nil): (.removed, "\(old?.label ?? "route") removed")
    }
  }

  /// A comment that was added, removed or changed.
  static func comment(_ old: ComparedRoute, _ new: ComparedRoute) -> DocumentChange {
    let kind = Kind(old.comment, new.comment)
    return DocumentChange(
      kind, .comment, from: old.comment.map { _ in old.route.pointer.appending("comment") },
      to: new.comment.map { _ in new.route.pointer.appending("comment") }, before: old.comment,
      after: new.comment,
      "comment of \(new.label) \(kind.rawValue): \(Wording.change(old.comment, new.comment))")
  }
}

/// Keys of `defaults` that gave a changed route other values.
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
    let kind = DocumentChange.Kind(before, after)
    let scope = layer == 1 ? " of the entry" : ""
    return DocumentChange(
      kind, .default,
      from: before.flatMap { _ in old.layers[layer]?.pointer.appending(key) },
      to: after.flatMap { _ in new.layers[layer]?.pointer.appending(key) }, before: before,
      after: after,
      "default \(key.quoted)\(scope) \(kind.rawValue): \(Wording.change(before, after))")
  }
}

/// Phrases of summaries.
enum Wording {
  /// A value before and after: "from 1 to 2", or after "added: " and "removed: " just the value.
  static func change(_ before: JSON?, _ after: JSON?) -> String {
    guard let before, let after else { return (before ?? after ?? .null).shown }
    return "from \(before.shown) to \(after.shown)"
  }

  /// "a added", "a removed" or "a renamed to b".
  static func rename(_ before: String?, _ after: String?) -> String {
    guard let before, let after else {
      let kind = DocumentChange.Kind(before, after)
      return "\((before ?? after ?? "").harmless) \(kind.rawValue)"
    }
    return "\(before.harmless) renamed to \(after.harmless)"
  }
}

extension ComparedRoute {
  /// The route in words, such as `exclusion "/help/*" with fragment "top"`.
  fileprivate var label: String {
    var words = route.isExclusion ? "exclusion " : "route "
    words += JSON.string(route.path?.text ?? "*").shown
    if let query = meaning["?"] { words += " with query \(query.shown)" }
    if let fragment = meaning["#"] { words += " with fragment \(fragment.shown)" }
    return words
  }

  /// The differences from another route, in words.
  fileprivate func differences(from old: ComparedRoute) -> String {
    var words: [String] = []
    let compare = { (name: String, before: JSON?, after: JSON?) in
      if before != after { words.append("\(name) \(Wording.change(before ?? "*", after ?? "*"))") }
    }
    compare("path", .string(old.route.path?.text ?? "*"), .string(route.path?.text ?? "*"))
    compare("query", old.meaning["?"], meaning["?"])
    compare("fragment", old.meaning["#"], meaning["#"])
    if old.route.isExclusion != route.isExclusion {
      words.append(route.isExclusion ? "now an exclusion" : "no longer an exclusion")
    }
    if old.route.isCaseSensitive != route.isCaseSensitive {
      words.append(route.isCaseSensitive ? "now case-sensitive" : "no longer case-sensitive")
    }
    if old.route.isPercentEncoded != route.isPercentEncoded {
      words.append(
        route.isPercentEncoded
          ? "no longer compared with the decoded URL" : "now compared with the decoded URL")
    }
    if old.route.isLegacy != route.isLegacy {
      words.append(route.isLegacy ? "now in `paths`" : "now in `components`")
    }
    return words.joined(separator: "; ")
  }
}
