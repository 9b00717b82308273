package enum EntryResource {
  /// An entry of a domain in this format.
  private struct Formatted {
    var entry: Entry
    let format: Domain.Format
    /// The keys of an entry that does not set its own. Routes that are not in Apple's file need not be what
    /// the legacy form can say.
    var defaultKeys: Entry.Keys { entry.isForApple ? format.keys : .modern }
  }

  private static let fields: [Field<Formatted>] = [
    Field(
      "id", .row, \.entry.id, RouteResource.rowDocumentation("entry", in: "domain"), .local),
    Field(
      "keys", keys.schema, "Apple's keys for this entry, if they differ from those of `format`.",
      .optional,
      write: { $0.entry.keys == $0.defaultKeys ? nil : keys.write($0.entry.keys) },
      read: { body, root in root.entry.keys = keys.read(body) ?? root.entry.keys }),
    // No real document of 128 KB has more.
    Field("apps", .list(of: .app, limit: 10_000), \.entry.apps, "The apps, in order."),
    Field(
      "androidApps", .list(of: .packageName, limit: 10_000), \.entry.androidApps,
      "The Android apps that the routes are for, in order.", unless: \.isEmpty),
    Field("appID", .app, \.entry.appID, "Apple: `appID` of an entry that also has `appIDs`."),
    Field(
      "routes",
      .list(of: .shared("Route", export: "ExportedRoute", request: "RouteInput")),
      "The routes, in order. The first match decides.",
      write: { .array($0.entry.routes.map(RouteResource.json)) },
      read: { body, root in
        let keys = root.entry.keys
        root.entry.routes = body.list { RouteResource.read($0, keys: keys) } ?? []
      }),
    Field(
      "paths", .list(of: .legacyPath), \.entry.paths,
      "Apple: `paths` of an entry that also has `components`.", unless: \.isEmpty),
    Field(
      "defaults", .defaults, \.entry.defaults, "The defaults for the routes of this entry.",
      unless: \.isEmpty),
    Field(
      "extra", .extra(besides: reserved), \.entry.extra,
      "Other members of the entry, published unchanged. `appIDs` here has the strings of an adopted list "
        + "that are not app identifiers, by their index.", unless: \.isEmpty),
  ]

  package static let schemas: JSON.Object = [
    "Defaults": defaultsFields.members().schema(defaultsDocumentation, isOpen: true),
    "DefaultsInput": defaultsFields.members().schema(
      defaultsDocumentation, for: .request, isOpen: true),
    "Entry": fields.members().schema("An element of `details`: routes for a set of apps."),
    "ExportedEntry": fields.members().schema(for: .export),
    "EntryInput": fields.members().schema(
      "An entry. `null` is the same as leaving a member out.", for: .request),
    "EntryPatch": fields.members().schema(
      "A merge patch (RFC 7396): members replace those of the entry, `null` removes them.",
      for: .patch),
    "NewEntry": ([RouteResource.position] + fields.members()).schema(for: .request),
  ]

  private static let defaultsDocumentation = """
    Values for members that routes leave out (Apple: applinks.Defaults). Other members are \
    published unchanged.
    """

  package static let defaultsFields: [Field<Defaults>] = [
    Field("caseSensitive", .bool, \.caseSensitive, "Whether patterns match case."),
    Field(
      "percentEncoded", .bool, \.percentEncoded,
      "Whether patterns match the percent-encoded URL."),
  ]

  package static func json(_ entry: Entry, format: Domain.Format) -> JSON {
    .object(fields.json(of: Formatted(entry: entry, format: format)))
  }

  /// Reads an entry. Without `keys` it gets those of the format.
  package static func read(_ body: BodyValue, format: Domain.Format) -> Entry? {
    var root = Formatted(entry: Entry(), format: format)
    // The default keys depend on these, and routes are read with the keys.
    func isEmpty(_ list: String) -> Bool { body.json[list]?.arrayValue?.isEmpty ?? true }
    if !isEmpty("apps") || isEmpty("androidApps") { root.entry.keys = format.keys }
    guard body.read(fields, into: &root) else { return nil }
    check(root.entry, body)
    return root.entry
  }

  /// Checks that the keys of an entry can express its parts.
  package static func check(_ entry: Entry, _ body: BodyValue) {
    let keys = entry.keys
    func require(_ holds: Bool, _ message: String) {
      if !holds { body.fault(.entryInconsistent, message) }
    }
    require(
      (entry.appID != nil) == (keys.appID && keys.appIDs),
      "\"appID\" must be set if \"keys\" has both appID and appIDs, and only then.")
    require(
      entry.apps.isEmpty || keys.appID || keys.appIDs,
      "\"apps\" must be empty: \"keys\" has neither appID nor appIDs.")
    require(
      entry.extra["appIDs"] == nil || keys.appIDs,
      "\"extra\" must not have \"appIDs\": \"keys\" does not.")
    require(
      entry.extra["appID"] == nil || !keys.appID,
      "\"extra\" must not have \"appID\": \"keys\" has it.")
    require(
      !entry.apps.isEmpty || !entry.androidApps.isEmpty || !keys.appID || keys.appIDs,
      "\"apps\" must not be empty: \"keys\" has appID alone.")
    require(
      entry.paths.isEmpty || (keys.components && keys.paths),
      "\"paths\" must be empty unless \"keys\" has both components and paths. With paths alone, use "
        + "\"routes\".")
    require(
      entry.routes.isEmpty || keys.components || keys.paths,
      "\"routes\" must be empty: \"keys\" has neither components nor paths.")
  }

  private static let reserved: [String: @Sendable (JSON) -> Bool] = [
    "appID": { $0.stringValue.map(AppIdentifier.isOther) != true },
    "appIDs": { !AppIdentifier.areOthers($0) }, "components": { _ in true },
    "paths": { _ in true }, "defaults": { $0 != [:] },
  ]

  /// Apple's keys, as `keys` names them.
  private enum Key: String, CaseIterable {
    case appID, appIDs, components, paths
  }

  private static let keys = Coding<Entry.Keys>(.list(of: .words(Key.self, "EntryKey"))) { body in
    body.list { $0.word(Key.self) }.map { keys in
      Entry.Keys(
        appID: keys.contains(.appID), appIDs: keys.contains(.appIDs),
        components: keys.contains(.components), paths: keys.contains(.paths))
    }
  } write: { keys in
    let written: [(Bool, Key)] = [
      (keys.appID, .appID), (keys.appIDs, .appIDs), (keys.components, .components),
      (keys.paths, .paths),
    ]
    return .strings(written.filter(\.0).map(\.1.rawValue))
  }
}

extension Coding<Defaults> {
  /// `defaults` of a domain or of an entry.
  package static var defaults: Coding {
    Coding(.shared("Defaults", request: "DefaultsInput")) { body in
      let fields = EntryResource.defaultsFields
      var defaults = Defaults(extra: body.json.objectValue ?? [:])
      for name in fields.members().map(\.name) { defaults.extra[name] = nil }
      return body.read(fields, into: &defaults, isOpen: true) ? defaults : nil
    } write: {
      $0.json
    }
  }
}

extension Coding<LegacyPath> {
  fileprivate static var legacyPath: Coding {
    Coding(.string) {
      $0.string.map { LegacyPath($0) }
    } write: {
      .string($0.text)
    }
  }
}
