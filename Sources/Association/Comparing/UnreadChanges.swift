extension DocumentChange {
  /// An unread value with its keys, separated by slashes, from the object that is compared.
  typealias Extra = (path: String, unread: UnreadValue)

  /// The changes of unread values. For each path, equal values at the end are paired, and the
  /// others in order.
  static func changes(from: [Extra], to: [Extra]) -> [DocumentChange] {
    if from.isEmpty && to.isEmpty { return [] }
    let old = Dictionary(grouping: from) { Array($0.path.utf8) }
    let new = Dictionary(grouping: to) { Array($0.path.utf8) }
    let paths = Set(old.keys).union(new.keys)
    return paths.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { path in
      changes(of: old[path] ?? [], new[path] ?? [])
    }
  }

  private static func changes(of from: [Extra], _ to: [Extra]) -> [DocumentChange] {
    var old = from[...]
    var new = to[...]
    while let last = old.last, let other = new.last, last.unread.value == other.unread.value {
      old.removeLast()
      new.removeLast()
    }
    var pairs: [(before: Extra?, after: Extra?)] = []
    while !(old.isEmpty && new.isEmpty) {
      let (before, after) = (old.popFirst(), new.popFirst())
      if before?.unread.value != after?.unread.value { pairs.append((before, after)) }
    }
    return pairs.prefix(mostAtPath).enumerated().map { index, pair in
      change(pair.before, pair.after, more: index + 1 == mostAtPath ? pairs.count - mostAtPath : 0)
    }
  }

  /// The number of changes of values with the same path that are listed.
  private static let mostAtPath = 100

  /// - Parameter more: The number of changes at this path that are not listed.
  private static func change(_ before: Extra?, _ after: Extra?, more: Int) -> DocumentChange {
    let (from, to) = (before?.unread, after?.unread)
    let kind = Kind(from, to)
    let isLegacyPaths = (to ?? from)?.isLegacyPaths ?? false
    let name = ((after ?? before)?.path ?? "").quoted
    let subject = isLegacyPaths ? "\(name) for systems before iOS 13" : "ignored value \(name)"
    let detail = kind == .changed ? ": \(Wording.change(from?.value, to?.value))" : ""
    let rest = more > 0 ? ", and \(more.counted("other value")) there" : ""
    return DocumentChange(
      kind, isLegacyPaths ? .legacyPaths : .extra, from: from?.pointer, to: to?.pointer,
      before: from?.value, after: to?.value, effect: isLegacyPaths ? .unknown : .none,
      "\(subject) \(kind.rawValue)\(detail)\(rest)")
  }
}

extension UnreadValue {
  /// Whether this is the `paths` of an entry that has `components`, which older systems read.
  fileprivate var isLegacyPaths: Bool {
    guard case .noEffect = reason else { return false }
    return key == "paths"
  }
}

extension [UnreadValue] {
  fileprivate func extras(_ prefix: String = "") -> [DocumentChange.Extra] {
    map { (prefix + $0.key, $0) }
  }
}

extension ReadDocument {
  /// The unread values outside of entries.
  var extras: [DocumentChange.Extra] {
    unread.extras() + services.flatMap { $0.unread.extras("\($0.name)/") }
      + links.unread.extras("applinks/")
      + (links.defaults?.unread.extras("applinks/defaults/") ?? [])
  }
}

extension AppLinks.Entry {
  /// The unread values outside of routes.
  var extras: [DocumentChange.Extra] {
    unread.extras() + (defaults?.unread.extras("defaults/") ?? [])
  }
}

extension ComparedRoute {
  /// The unread values except the comment.
  var extras: [DocumentChange.Extra] {
    route.members?.unread.filter { $0.key != "comment" }.extras() ?? []
  }
}
