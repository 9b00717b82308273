package import Association
package import JSONValue

/// A route in JSON.
package enum RouteResource {
  package static let members = [
    "id", "path", "query", "fragment", "exclude", "caseSensitive", "percentEncoded", "comment",
    "extra",
  ]

  package static func json(_ route: Route) -> JSON {
    var object = JSON.Object()
    object["id"] = route.id.map { .integer($0) }
    object["path"] = route.path.map(JSON.string)
    object["query"] = route.query?.json
    object["fragment"] = route.fragment.map(JSON.string)
    object["exclude"] = route.exclude.map(JSON.bool)
    object["caseSensitive"] = route.caseSensitive.map(JSON.bool)
    object["percentEncoded"] = route.percentEncoded.map(JSON.bool)
    object["comment"] = route.comment.map(JSON.string)
    if !route.extra.isEmpty { object["extra"] = .object(route.extra) }
    return .object(object)
  }

  /// Reads a route of an entry that is written with these keys.
  package static func read(_ input: Input, keys: Entry.Keys) -> Route? {
    guard let route = input.object(members).map(read) else { return nil }
    if keys.isLegacyOnly && route.legacyPath == nil {
      input.fault(
        "legacy-cannot-say",
        "This entry is written as “paths”, which can say a path and “exclude” and nothing else "
          + "(no query, fragment, settings or comment, and no path that begins with “NOT ”). Give "
          + "the entry “keys”: [\"appIDs\", \"components\"].")
    }
    return route
  }

  private static func read(_ object: InputObject) -> Route {
    Route(
      id: object["id"]?.integer(in: 1...Int.max).map(Int64.init), path: object["path"]?.string,
      query: object["query"].flatMap(readQuery), fragment: object["fragment"]?.string,
      exclude: object["exclude"]?.bool, caseSensitive: object["caseSensitive"]?.bool,
      percentEncoded: object["percentEncoded"]?.bool, comment: object["comment"]?.string,
      extra: object["extra"]?.extra(besides: keysOfComponents) ?? [:])
  }

  /// A pattern for the whole query, or an object of patterns for items.
  private static func readQuery(_ input: Input) -> Route.Query? {
    switch input.json {
    case .string(let pattern): return .pattern(pattern)
    case .object(let items): return Route.Query(items)
    default:
      input.fault(
        "wrong-type", "This must be a string or an object of strings; it is \(input.json.kind).")
      return nil
    }
  }

  /// What Apple's `components` knows; such a key cannot be in `extra` with a value that it may have.
  private static let keysOfComponents: [String: @Sendable (JSON) -> Bool] = [
    "/": { $0.stringValue != nil }, "?": { $0.stringValue != nil || $0.objectValue != nil },
    "#": { $0.stringValue != nil }, "exclude": { $0.boolValue != nil },
    "caseSensitive": { $0.boolValue != nil }, "percentEncoded": { $0.boolValue != nil },
    "comment": { $0.stringValue != nil },
  ]
}

extension Input {
  /// Members that are written into the file as they are. One that has a name of its own in this API
  /// must be given by that name.
  package func extra(besides known: [String: @Sendable (JSON) -> Bool]) -> JSON.Object? {
    guard let members else { return nil }
    for member in members.members where known[member.key]?(member.value) == true {
      faults.add(
        "reserved-member", at: pointer.appending(member.key),
        "“\(member.key)” has a member of its own in this API and cannot be in “extra”.")
    }
    return members
  }
}
