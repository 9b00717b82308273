import Association

/// Places of findings that do not change when entries and routes move: JSON pointers in which the
/// numbers of entries and routes stand for their positions, `/applinks/details/#2/routes/#5/~1`.
extension AssociationFile {
  func place(of finding: ReportedFinding) -> String {
    place(at: finding.pointer, in: DocumentKind(rawValue: finding.kind))
  }

  /// The place that a JSON pointer leads to. Only Apple's file has entries and routes in their order.
  func place(at pointer: String, in kind: DocumentKind?) -> String {
    if kind != .apple { return pointer }
    var keys = pointer.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard keys.starts(with: Self.details), keys.count > 3,
      let entry = entry(keys[3]), let number = entry.id
    else { return pointer }
    keys[3] = "#\(number)"
    if keys.count > 4, keys[4] == entry.routesKey {
      keys[4] = "routes"
      if keys.count > 5, let index = Int(keys[5]), entry.routes.indices.contains(index),
        let number = entry.routes[index].id
      {
        keys[5] = "#\(number)"
      }
    }
    return keys.joined(separator: "/")
  }

  /// The JSON pointer that leads to a place; `nil` if its entry or route no longer exists.
  func pointer(of place: String, in kind: DocumentKind) -> String? {
    if kind != .apple { return place }
    var keys = place.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard keys.starts(with: Self.details), keys.count > 3, keys[3].hasPrefix("#") else {
      return place
    }
    guard let (key, entry) = elements.first(where: { "#\($1.id ?? 0)" == keys[3] }) else {
      return nil
    }
    keys[3] = key
    if keys.count > 4, keys[4] == "routes" {
      keys[4] = entry.routesKey
      if keys.count > 5, keys[5].hasPrefix("#") {
        guard let index = entry.routes.firstIndex(where: { "#\($0.id ?? 0)" == keys[5] }) else {
          return nil
        }
        keys[5] = "\(index)"
      }
    }
    return keys.joined(separator: "/")
  }

  private static let details = ["", "applinks", "details"]

  private func entry(_ key: String) -> Entry? { elements.first { $0.key == key }?.entry }

  /// The elements of `details` by their keys or indices, each with its entry. With `appID` alone, an
  /// entry has one for each app.
  private var elements: [(key: String, entry: Entry)] {
    if detailsForm == .dictionary {
      return entries.filter(\.isForApple).flatMap { entry in entry.apps.map { ($0.text, entry) } }
    }
    let entries = entries.filter(\.isForApple).flatMap { entry in
      Array(
        repeating: entry, count: entry.keys.appID && !entry.keys.appIDs ? entry.apps.count : 1)
    }
    return entries.enumerated().map { ("\($0.offset)", $0.element) }
  }
}

extension Entry {
  /// Apple's key for the list of its routes.
  fileprivate var routesKey: String { keys.isLegacyOnly ? "paths" : "components" }
}
