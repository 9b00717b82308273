import Association
import JSONValue
import SQLite

extension DomainRows {
  func saveEntries(
    _ new: [Entry], over old: [Entry], _ apps: [AppIdentifier: Int64],
    _ connection: Connection
  ) throws {
    let places = old.places(by: \.id)
    for removed in Set(places.keys).subtracting(new.compactMap(\.id)) {
      try replace("entry", "id", removed, connection)
    }
    for (position, entry) in new.enumerated() {
      let before = entry.id.flatMap { places[$0] }
      let isUnchanged = before.map { $0 == position && old[$0] == entry } ?? false
      if isUnchanged { continue }
      let stored = before.map { old[$0] }
      let isInPlace =
        before == position && stored.map { Value.members($0.extra) } == .members(entry.extra)
      let row =
        if isInPlace, let id = stored?.id { id } else {
          try saveEntry(entry, at: position, over: stored, connection)
        }
      if stored?.apps != entry.apps {
        try saveApps(of: row, entry.apps, apps, connection)
      }
      if entry.appID != stored?.appID || entry.keys != stored?.keys {
        try saveKeys(of: row, entry, apps, connection)
      }
      if stored?.paths ?? [] != entry.paths { try savePaths(of: row, entry.paths, connection) }
      if stored?.defaults ?? Defaults() != entry.defaults {
        try saveDefaults(entry.defaults, "entry_id", of: row, connection)
      }
      try saveRoutes(of: row, entry.routes, over: stored?.routes ?? [], connection)
    }
  }

  /// Writes the entry's own row and returns it.
  private func saveEntry(
    _ entry: Entry, at position: Int, over old: Entry?, _ connection: Connection
  ) throws -> Int64 {
    if let id = old?.id {
      try connection.run(
        "UPDATE entry SET position = ?, extra = ? WHERE id = ?",
        [.integer(position), .members(entry.extra), .integer(id)])
      return id
    }
    // The keys follow with the apps that they need.
    try connection.run(
      """
      INSERT INTO entry (domain_id, position, has_app_id, has_app_ids, has_components, has_paths,
        extra)
      VALUES (?, ?, 0, 0, 0, 0, ?)
      """, [.integer(id), .integer(position), .members(entry.extra)])
    return connection.lastInsertRowID
  }

  private func saveKeys(
    of row: Int64, _ entry: Entry, _ apps: [AppIdentifier: Int64],
    _ connection: Connection
  ) throws {
    try connection.run(
      """
      UPDATE entry SET has_app_id = ?, has_app_ids = ?, has_components = ?, has_paths = ?,
        app_id = ?
      WHERE id = ?
      """,
      [
        .bool(entry.keys.appID), .bool(entry.keys.appIDs), .bool(entry.keys.components),
        .bool(entry.keys.paths), .optional(entry.appID.flatMap { apps[$0] }), .integer(row),
      ])
  }

  private func saveApps(
    of row: Int64, _ list: [AppIdentifier], _ apps: [AppIdentifier: Int64],
    _ connection: Connection
  ) throws {
    try replace("entry_app", "entry_id", row, connection)
    for (position, app) in list.enumerated() {
      try connection.run(
        "INSERT INTO entry_app (entry_id, position, app_id) VALUES (?, ?, ?)",
        [.integer(row), .integer(position), .optional(apps[app])])
    }
  }

  private func savePaths(
    of row: Int64, _ paths: [LegacyPath], _ connection: Connection
  ) throws {
    try replace("legacy_path", "entry_id", row, connection)
    for (position, path) in paths.enumerated() {
      try connection.run(
        "INSERT INTO legacy_path (entry_id, position, pattern, exclude) VALUES (?, ?, ?, ?)",
        [.integer(row), .integer(position), .text(path.pattern), .bool(path.exclude)])
    }
  }

  private func saveRoutes(
    of row: Int64, _ new: [Route], over old: [Route], _ connection: Connection
  ) throws {
    let places = old.places(by: \.id)
    for removed in Set(places.keys).subtracting(new.compactMap(\.id)) {
      try replace("route", "id", removed, connection)
    }
    for (position, route) in new.enumerated() {
      guard let id = route.id, let place = places[id] else {
        try insertRoute(route, at: position, of: row, connection)
        continue
      }
      if old[place] != route {
        let queryChanged = old[place].query != route.query
        try updateRoute(id, route, queryChanged: queryChanged, connection)
      }
      // SQLite writes the index of a column that is set, whether or not it is another value.
      if place != position {
        try connection.run(
          "UPDATE route SET position = ? WHERE id = ?", [.integer(position), .integer(id)])
      }
    }
  }

  private func insertRoute(
    _ route: Route, at position: Int, of entry: Int64, _ connection: Connection
  ) throws {
    try connection.run(
      """
      INSERT INTO route (path, query, has_query_items, fragment, exclude, case_sensitive,
        percent_encoded, comment, extra, position, entry_id)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, columns(route) + [.integer(position), .integer(entry)])
    try insertQueryItems(route.query, of: connection.lastInsertRowID, connection)
  }

  private func updateRoute(
    _ id: Int64, _ route: Route, queryChanged: Bool, _ connection: Connection
  ) throws {
    try connection.run(
      """
      UPDATE route SET path = ?, query = ?, has_query_items = ?, fragment = ?,
        exclude = ?, case_sensitive = ?, percent_encoded = ?, comment = ?, extra = ?
      WHERE id = ?
      """, columns(route) + [.integer(id)])
    guard queryChanged else { return }
    try replace("query_item", "route_id", id, connection)
    try insertQueryItems(route.query, of: id, connection)
  }

  /// The columns that both statements above write, in their order.
  private func columns(_ route: Route) -> [Value] {
    var pattern: String?
    var hasItems = false
    switch route.query {
    case .pattern(let text): pattern = text
    case .items: hasItems = true
    case nil: break
    }
    return [
      .optional(route.path), .optional(pattern), .bool(hasItems),
      .optional(route.fragment), .optional(route.exclude), .optional(route.caseSensitive),
      .optional(route.percentEncoded), .optional(route.comment), .members(route.extra),
    ]
  }

  private func insertQueryItems(
    _ query: Route.Query?, of route: Int64, _ connection: Connection
  ) throws {
    guard case .items(let items) = query else { return }
    for (position, item) in items.enumerated() {
      let pattern = item.value.stringValue
      try connection.run(
        "INSERT INTO query_item (route_id, position, name, pattern, other) VALUES (?, ?, ?, ?, ?)",
        [
          .integer(route), .integer(position), .text(item.name), .optional(pattern),
          .optional(pattern == nil ? item.value.text : nil),
        ])
    }
  }
}
