struct ChangedVariables {
  private struct Change {
    let before: ComparedDocument.Variable?
    let after: ComparedDocument.Variable?
    /// The effect on links, according to the routes examined so far.
    var effect: DocumentChange.Effect?
  }

  private var changes: [[UInt8]: Change] = [:]
  private var order: [[UInt8]] = []

  /// Compares values as sets: order and repetition do not matter.
  init(_ from: [ComparedDocument.Variable], _ to: [ComparedDocument.Variable]) {
    let key = { (variable: ComparedDocument.Variable) in Array(variable.name.utf8) }
    let old = Dictionary(from.map { (key($0), $0) }, uniquingKeysWith: { first, _ in first })
    let new = Dictionary(to.map { (key($0), $0) }, uniquingKeysWith: { first, _ in first })
    for name in from.map(key) + to.map(key).filter({ old[$0] == nil }) {
      let (before, after) = (old[name], new[name])
      if before?.set == after?.set { continue }
      changes[name] = Change(before: before, after: after)
      order.append(name)
    }
    names = Set(order)
  }

  private(set) var names: Set<[UInt8]> = []

  /// Notes the effect of a changed route, which is also an effect of the variables that it uses.
  mutating func note(_ effect: DocumentChange.Effect, of route: ComparedRoute) {
    for name in route.variables where changes[name] != nil {
      let known = changes[name]?.effect
      changes[name]?.effect = known?.joined(with: effect) ?? effect
    }
  }

  /// The changes, given all routes of both documents.
  func changes(_ routes: [ComparedRoute]) -> [DocumentChange] {
    if order.isEmpty { return [] }
    let named = routes.reduce(into: Set<[UInt8]>()) { $0.formUnion($1.variables) }
    return order.compactMap { name in
      changes[name].map { Self.change($0, named.contains(name) ? $0.effect ?? .unknown : .none) }
    }
  }

  private static func change(_ change: Change, _ effect: DocumentChange.Effect) -> DocumentChange {
    let (before, after) = (change.before, change.after)
    let kind = DocumentChange.Kind(before, after)
    let name = ((after ?? before)?.name ?? "").quoted
    let gained = (after?.values ?? []).filter { !(before?.set.contains(Array($0.utf8)) ?? false) }
    let lost = (before?.values ?? []).filter { !(after?.set.contains(Array($0.utf8)) ?? false) }
    let detail = [
      gained.isEmpty ? nil : "added \(JSON.strings(gained).shown)",
      lost.isEmpty ? nil : "removed \(JSON.strings(lost).shown)",
    ].compactMap(\.self).joined(separator: ", ")
    return DocumentChange(
      kind, .variable, from: before?.pointer, to: after?.pointer,
      before: before.map { .strings($0.values) }, after: after.map { .strings($0.values) },
      effect: effect,
      "variable \(name) \(kind.rawValue)" + (kind == .changed ? ": \(detail)" : ""))
  }
}

extension ComparedDocument.Variable {
  fileprivate var set: Set<[UInt8]> { Set(values.map { Array($0.utf8) }) }
}
