package import Association
package import JSONValue

/// A route in JSON.
package enum RouteResource {
  private static let fields: [Field<Route>] = [
    Field("id", .row, \.id, rowDocumentation("route"), .local),
    Field("path", .string, \.path, "Apple: `/`. A pattern for the path."),
    Field(
      "query", .query, \.query,
      "Apple: `?`. A pattern for the whole query, or an object with a pattern for each query item "
        + "by its name."),
    Field("fragment", .string, \.fragment, "Apple: `#`. A pattern for the fragment."),
    Field("exclude", .bool, \.exclude, "Whether matching URLs stay in the browser."),
    Field(
      "caseSensitive", .bool, \.caseSensitive, "Whether patterns match case. Apple's default: true."
    ),
    Field(
      "percentEncoded", .bool, \.percentEncoded,
      "Whether patterns match the percent-encoded URL. Apple's default: true."),
    Field("comment", .string, \.comment, "A remark. It is published with the file."),
    Field(
      "extra", .extra(besides: keysOfComponents), \.extra,
      "Other members of the element, published unchanged.", unless: \.isEmpty),
  ]

  static func rowDocumentation(_ noun: String) -> String {
    "Identifies the \(noun) as long as it exists. Edits ignore unknown values."
  }

  /// The position of a new entry or route.
  static let position = Member(
    "position", .json(["type": "integer", "minimum": 0]),
    "The index of the new element, from 0. Default: the end.")

  static let schemas: JSON.Object = [
    "Route": fields.members().schema(documentation),
    "ExportedRoute": fields.members().schema(for: .export),
    "RouteInput": fields.members().schema(
      "A route. `null` is the same as leaving a member out.", for: .request),
    "NewRoute": ([position] + fields.members()).schema(for: .request),
    "RoutePatch": fields.members().schema(
      "A merge patch (RFC 7396): members replace those of the route, `null` removes them.",
      for: .patch),
  ]

  private static let documentation = """
    An element of `components`. A condition that is left out comes from the defaults, or matches \
    everything.
    """

  package static func json(_ route: Route) -> JSON { .object(fields.json(of: route)) }

  /// Reads a route of an entry that is written with these keys.
  package static func read(_ body: BodyValue, keys: Entry.Keys) -> Route? {
    var route = Route()
    guard body.read(fields, into: &route) else { return nil }
    if keys.isLegacyOnly && route.legacyPath == nil {
      body.fault(
        .legacyCannotSay,
        "This entry is written as \"paths\", which hold a path and \"exclude\" only: no query, fragment, "
          + "settings or comment, and no path that begins with \"NOT \". Set the entry's \"keys\" to "
          + "[\"appIDs\", \"components\"].")
    }
    return route
  }

  /// The keys of Apple's `components`, with the values that this API has fields for.
  private static let keysOfComponents: [String: @Sendable (JSON) -> Bool] = [
    "/": { $0.stringValue != nil }, "?": { $0.stringValue != nil || $0.objectValue != nil },
    "#": { $0.stringValue != nil }, "exclude": { $0.boolValue != nil },
    "caseSensitive": { $0.boolValue != nil }, "percentEncoded": { $0.boolValue != nil },
    "comment": { $0.stringValue != nil },
  ]
}

extension Coding<Route.Query> {
  fileprivate static var query: Coding {
    Coding(.json(["type": ["string", "object"]])) { body in
      switch body.json {
      case .string(let pattern): return .pattern(pattern)
      case .object(let items): return Route.Query(items)
      default:
        body.fault(
          .wrongType, "Expected a string or an object of strings, found \(body.json.kind).")
        return nil
      }
    } write: {
      $0.json
    }
  }
}
