package import Association
package import JSONValue

/// An entry in JSON.
package enum EntryResource {
  package static let members = [
    "id", "keys", "apps", "appID", "routes", "paths", "defaults", "extra",
  ]

  /// Apple's keys, as `keys` names them.
  private enum Key: String, CaseIterable {
    case appID, appIDs, components, paths
  }

  package static func json(_ entry: Entry, format: Domain.Format) -> JSON {
    var object = JSON.Object()
    object["id"] = entry.id.map { .integer($0) }
    if entry.keys != format.keys { object["keys"] = keysJSON(entry.keys) }
    object["apps"] = .strings(entry.apps.map(\.text))
    object["appID"] = entry.appID.map { .string($0.text) }
    object["routes"] = .array(entry.routes.map(RouteResource.json))
    if !entry.paths.isEmpty { object["paths"] = .strings(entry.paths.map(\.text)) }
    if !entry.defaults.isEmpty { object["defaults"] = entry.defaults.json }
    if !entry.extra.isEmpty { object["extra"] = .object(entry.extra) }
    return .object(object)
  }

  private static func keysJSON(_ keys: Entry.Keys) -> JSON {
    let written = [
      (keys.appID, Key.appID), (keys.appIDs, .appIDs), (keys.components, .components),
      (keys.paths, .paths),
    ]
    return .strings(written.filter(\.0).map(\.1.rawValue))
  }

  /// Reads an entry. Without `keys` it gets those of the format.
  package static func read(_ input: Input, format: Domain.Format) -> Entry? {
    guard let object = input.object(members) else { return nil }
    let keys = object["keys"].flatMap(readKeys) ?? format.keys
    let entry = Entry(
      id: object["id"]?.integer(in: 1...Int.max).map(Int64.init), keys: keys,
      apps: object["apps"]?.list { $0.parse(AppIdentifier.init(_:)) } ?? [],
      appID: object["appID"]?.parse(AppIdentifier.init(_:)),
      routes: object["routes"]?.list { RouteResource.read($0, keys: keys) } ?? [],
      paths: object["paths"]?.list { $0.string.map { LegacyPath($0) } } ?? [],
      defaults: object["defaults"].flatMap(readDefaults) ?? Defaults(),
      extra: object["extra"]?.extra(besides: reserved) ?? [:])
    check(entry, input)
    return entry
  }

  private static let reserved: [String: @Sendable (JSON) -> Bool] = [
    "appID": { _ in true }, "appIDs": { _ in true }, "components": { _ in true },
    "paths": { _ in true }, "defaults": { $0 != [:] },
  ]

  private static func readKeys(_ input: Input) -> Entry.Keys? {
    guard let keys = input.list({ $0.word(Key.self) }) else { return nil }
    return Entry.Keys(
      appID: keys.contains(.appID), appIDs: keys.contains(.appIDs),
      components: keys.contains(.components), paths: keys.contains(.paths))
  }

  /// Reads `defaults` of a domain or of an entry.
  package static func readDefaults(_ input: Input) -> Defaults? {
    guard var members = input.members else { return nil }
    let object = InputObject(members: members, pointer: input.pointer, faults: input.faults)
    let caseSensitive = object["caseSensitive"]?.bool
    let percentEncoded = object["percentEncoded"]?.bool
    members["caseSensitive"] = nil
    members["percentEncoded"] = nil
    return Defaults(
      caseSensitive: caseSensitive, percentEncoded: percentEncoded, extra: members)
  }

  /// What the parts of an entry must be together, so that its keys can say them.
  package static func check(_ entry: Entry, _ input: Input) {
    let keys = entry.keys
    func require(_ isRight: Bool, _ message: String) {
      if !isRight { input.fault("entry-inconsistent", message) }
    }
    require(
      (entry.appID != nil) == (keys.appID && keys.appIDs),
      "“appID” goes with “keys” that name both appID and appIDs, and with no others.")
    require(
      entry.apps.isEmpty || keys.appID || keys.appIDs,
      "With “keys” that name neither appID nor appIDs there can be no “apps”.")
    require(
      !entry.apps.isEmpty || !keys.appID || keys.appIDs,
      "An entry that is written with appID needs an app in “apps”.")
    require(
      entry.paths.isEmpty || (keys.components && keys.paths),
      "“paths” goes with “keys” that name both components and paths; with paths alone, the paths "
        + "are “routes”.")
    require(
      entry.routes.isEmpty || keys.components || keys.paths,
      "With “keys” that name neither components nor paths there can be no “routes”.")
  }
}
