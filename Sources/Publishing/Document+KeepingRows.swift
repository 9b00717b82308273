public import Association
import JSONValue

extension Document {
  /// This document with the rows of an older one for the entries and routes that both have, so that
  /// what stays the same keeps its identifier. Identifiers that the older one does not have, or that
  /// come twice, are dropped.
  public func keepingRows(of old: Document) -> Document {
    var document = self
    document.entries.dropUnknownIDs(of: old.entries)
    for index in document.entries.indices {
      let twin = old.entries.first { $0.id != nil && $0.id == document.entries[index].id }
      if let twin { document.entries[index].keepRoutes(of: twin) }
    }
    document.keepEntries(of: old) { JSON.array($0.json).text }
    document.keepEntries(of: old) { $0.apps.map(\.text).joined(separator: " ") }
    return document
  }

  /// Gives entries that have no row yet the rows of old ones of which `key` says the same.
  private mutating func keepEntries(of old: Document, by key: (Entry) -> String) {
    let kept = Set(entries.compactMap(\.id))
    var remaining = Remaining(old.entries.filter { !$0.isKept(in: kept) }, by: key)
    for index in entries.indices where entries[index].id == nil {
      guard let twin = remaining.take(key(entries[index])) else { continue }
      entries[index].id = twin.id
      entries[index].keepRoutes(of: twin)
    }
  }
}

extension Entry: HasRow {
  fileprivate mutating func keepRoutes(of old: Entry) {
    routes.dropUnknownIDs(of: old.routes)
    let kept = Set(routes.compactMap(\.id))
    var remaining = Remaining(old.routes.filter { !$0.isKept(in: kept) }, by: \.json.text)
    for index in routes.indices where routes[index].id == nil {
      routes[index].id = remaining.take(routes[index].json.text)?.id
    }
  }
}

extension Route: HasRow {}

/// What has a row of its own.
private protocol HasRow {
  var id: Int64? { get set }
}

extension HasRow {
  fileprivate func isKept(in rows: Set<Int64>) -> Bool { id.map(rows.contains) ?? false }
}

extension Array where Element: HasRow {
  fileprivate mutating func dropUnknownIDs(of old: [Element]) {
    var known = Set(old.compactMap(\.id))
    for index in indices {
      if let id = self[index].id, known.remove(id) == nil { self[index].id = nil }
    }
  }
}

/// Things that are taken away by what they say, the first of several first.
private struct Remaining<Thing> {
  private var things: [[UInt8]: ArraySlice<Thing>]

  init(_ all: [Thing], by key: (Thing) -> String) {
    things = Dictionary(grouping: all) { Array(key($0).utf8) }.mapValues { $0[...] }
  }

  mutating func take(_ key: String) -> Thing? { things[Array(key.utf8)]?.popFirst() }
}
