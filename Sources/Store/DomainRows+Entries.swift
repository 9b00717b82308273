import Association
import JSONValue
import SQLite

extension DomainRows {
  /// The entries with their routes.
  func entries(_ connection: Connection) throws -> [Entry] {
    var entries = try connection.all(
      """
      SELECT entry.id, has_app_id, has_app_ids, has_components, has_paths, app.identifier, extra
      FROM entry LEFT JOIN app ON app.id = app_id
      WHERE domain_id = ? ORDER BY position, entry.id
      """, [.integer(id)]
    ) { row in
      Entry(
        id: row.integer(0),
        keys: Entry.Keys(
          appID: row.bool(1), appIDs: row.bool(2), components: row.bool(3), paths: row.bool(4)),
        appID: row.optionalText(5).map { AppIdentifier(stored: $0) }, extra: try row.members(6))
    }
    let places = entries.places(by: \.id)
    try connection.run(
      """
      SELECT entry.id, app.identifier
      FROM entry JOIN entry_app ON entry_id = entry.id JOIN app ON app.id = entry_app.app_id
      WHERE domain_id = ? ORDER BY entry.id, entry_app.position
      """, [.integer(id)]
    ) { row in
      if let place = places[row.integer(0)] { entries[place].apps.append(row.app(1)) }
    }
    try connection.run(
      """
      SELECT entry.id, pattern, exclude
      FROM entry JOIN legacy_path ON entry_id = entry.id
      WHERE domain_id = ? ORDER BY entry.id, legacy_path.position
      """, [.integer(id)]
    ) { row in
      guard let place = places[row.integer(0)],
        let path = LegacyPath(pattern: row.text(1), exclude: row.bool(2))
      else { return }
      entries[place].paths.append(path)
    }
    try readRoutes(into: &entries, places: places, connection)
    return entries
  }

  private func readRoutes(
    into entries: inout [Entry], places: [Int64: Int], _ connection: Connection
  ) throws {
    var items = try queryItems(connection)
    try connection.run(
      """
      SELECT entry_id, route.id, path, query, has_query_items, fragment, exclude, case_sensitive,
        percent_encoded, comment, route.extra
      FROM entry JOIN route ON entry_id = entry.id
      WHERE domain_id = ? ORDER BY entry.id, route.position, route.id
      """, [.integer(id)]
    ) { row in
      guard let place = places[row.integer(0)] else { return }
      let id = row.integer(1)
      let pattern = row.optionalText(3).map { Route.Query.pattern($0) }
      entries[place].routes.append(
        Route(
          id: id, path: row.optionalText(2),
          query: row.bool(4) ? .items(items.removeValue(forKey: id) ?? []) : pattern,
          fragment: row.optionalText(5), exclude: row.optionalBool(6),
          caseSensitive: row.optionalBool(7), percentEncoded: row.optionalBool(8),
          comment: row.optionalText(9), extra: try row.members(10)))
    }
  }

  /// The query items of all routes, by route.
  private func queryItems(
    _ connection: Connection
  ) throws -> [Int64: [Route.Query.Item]] {
    var items: [Int64: [Route.Query.Item]] = [:]
    try connection.run(
      """
      SELECT route_id, query_item.name, pattern, other
      FROM entry JOIN route ON entry_id = entry.id JOIN query_item ON route_id = route.id
      WHERE domain_id = ? ORDER BY route_id, query_item.position
      """, [.integer(id)]
    ) { row in
      let value = try row.optionalText(2).map { JSON.string($0) } ?? row.json(3)
      items[row.integer(0), default: []].append(Route.Query.Item(name: row.text(1), value: value))
    }
    return items
  }
}
