extension AssociationFile {
  /// This document with the row identifiers of another one in the entries and routes that both have, so
  /// that these keep their identifiers even if the caller did not know them.
  ///
  /// Identifiers that are repeated, or that the other document does not have (the domain was exported
  /// elsewhere), are ignored.
  package func keepingRows(of old: AssociationFile) -> AssociationFile {
    var document = self
    var unclaimed = Set(old.entries.compactMap(\.id))
    for index in document.entries.indices { document.entries[index].id.claim(from: &unclaimed) }
    // With one entry on each side, equal JSON implies equal apps, by which the next step finds it.
    if max(entries.count, old.entries.count) > 1 {
      document.keepRows(of: old.entries.filter { unclaimed.contains($0.id) }) {
        JSON.array($0.json).text
      }
      unclaimed.subtract(document.entries.compactMap(\.id))
    }
    document.keepRows(of: old.entries.filter { unclaimed.contains($0.id) }) {
      $0.apps.map(\.text).joined(separator: " ")
    }
    let places = Dictionary(grouping: old.entries.indices) { old.entries[$0].id }
    for index in document.entries.indices {
      guard let id = document.entries[index].id, let place = places[id]?.first else { continue }
      document.entries[index].keepRoutes(of: old.entries[place])
    }
    return document
  }

  /// Gives entries without a row the rows of old entries with the same `key`.
  private mutating func keepRows(of old: [Entry], by key: (Entry) -> String) {
    var remaining = Remaining(old, by: key)
    for index in entries.indices where entries[index].id == nil {
      entries[index].id = remaining.take(key(entries[index]))?.id
    }
  }
}

extension Entry {
  fileprivate mutating func keepRoutes(of old: Entry) {
    var unclaimed = Set(old.routes.compactMap(\.id))
    for index in routes.indices { routes[index].id.claim(from: &unclaimed) }
    // Compares the routes before the first change without rendering JSON.
    for (index, route) in zip(routes.indices, old.routes) {
      guard let id = route.id, unclaimed.contains(id), routes[index].id == nil,
        routes[index].isWritten(like: route)
      else { break }
      routes[index].id = id
      unclaimed.remove(id)
    }
    var rows = Remaining(old.routes.filter { unclaimed.contains($0.id) }) { $0.json.text }
    for index in routes.indices where routes[index].id == nil {
      routes[index].id = rows.take(routes[index].json.text)?.id
    }
  }
}

extension Int64? {
  /// Removes the identifier from the unclaimed ones; becomes `nil` if it is not among them.
  fileprivate mutating func claim(from unclaimed: inout Set<Int64>) {
    self = flatMap { unclaimed.remove($0) }
  }
}

extension Set<Int64> {
  fileprivate func contains(_ id: Int64?) -> Bool { id.map { contains($0) } ?? false }
}

/// Values to take by key. Those with the same key are taken in order.
private struct Remaining<Thing> {
  private var things: [[UInt8]: ArraySlice<Thing>]

  init(_ all: [Thing], by key: (Thing) -> String) {
    things = Dictionary(grouping: all) { Array(key($0).utf8) }.mapValues { $0[...] }
  }

  mutating func take(_ key: @autoclosure () -> String) -> Thing? {
    things.isEmpty ? nil : things[Array(key().utf8)]?.popFirst()
  }
}
