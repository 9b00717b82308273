extension DocumentChange {
  /// What became of a route of these apps.
  ///
  /// - Parameter list: The routes after.
  static func route(
    _ old: ComparedRoute?, _ new: ComparedRoute?, _ step: RouteAlignment.Step,
    in list: [ComparedRoute], _ effect: Effect, _ apps: [String]
  ) -> DocumentChange {
    let summary =
      switch (old, new) {
      case (let old?, let new?) where step.kind == .changed:
        "\(old.label) changed: \(new.differences(from: old))"
      case (_, let new?) where step.kind == .moved:
        "\(new.label) \(step.positions), "
          + (list.dropFirst((step.to ?? 0) + 1).first.map { "before \($0.label)" } ?? "to the end")
      case (.some, let new?): "\(new.label) changed: one of its variables changed"
      default: "\((new ?? old)?.label ?? "route") \((step.kind ?? .changed).rawValue)"
      }
    return DocumentChange(
      step.kind ?? .changed, .route, from: old?.route.pointer, to: new?.route.pointer,
      before: old?.meaning, after: new?.meaning, apps: apps, effect: effect, summary)
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
