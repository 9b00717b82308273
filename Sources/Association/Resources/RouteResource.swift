package enum RouteResource {
  private static let fields: [Field<Route>] = [
    Field("id", .row, \.id, rowDocumentation("route", in: "entry"), .local),
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
    Field("comment", .string, \.comment, "A comment. It is public, because the file is."),
    Field(
      "fallback", .target, \.fallback,
      "Where people without the app are sent from matching URLs, instead of the domain's `fallback`. It is not in the "
        + "file."),
    Field(
      "extra", .extra(besides: componentKeys), \.extra,
      "Other members of the element, published unchanged.", unless: \.isEmpty),
  ]

  static func rowDocumentation(_ noun: String, in owner: String) -> String {
    "The number of the \(noun) in its \(owner), from 1. The \(noun) keeps it when it moves, and no other "
      + "\(noun) of the \(owner) ever gets it. Edits ignore unknown values."
  }

  /// The position of a new entry or route.
  package static let position = Member(
    "position", .json(["type": "integer", "minimum": 0]),
    "The index of the new element, from 0. Default: the end.")

  package static let schemas: JSON.Object = [
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
  ///
  /// - Parameter advice: How to write the entry in a form that can say more than `paths`.
  package static func read(
    _ body: BodyValue, keys: Entry.Keys,
    advice: @autoclosure () -> String = #"Set "keys" of the entry to ["appIDs", "components"]."#
  ) -> Route? {
    var route = Route()
    guard body.read(fields, into: &route) else { return nil }
    if keys.isLegacyOnly && route.legacyPath == nil {
      body.fault(
        .legacyCannotSay, "This entry is written as \"paths\", \(obstacle(in: route)). \(advice())")
    }
    return route
  }

  /// Why `paths` cannot express a route.
  private static func obstacle(in route: Route) -> String {
    let others: [(name: String, isSet: Bool)] = [
      ("query", route.query != nil), ("fragment", route.fragment != nil),
      ("caseSensitive", route.caseSensitive != nil),
      ("percentEncoded", route.percentEncoded != nil), ("comment", route.comment != nil),
      ("extra", !route.extra.isEmpty),
    ]
    let names = others.filter(\.isSet).map { "\"\($0.name)\"" }
    if !names.isEmpty { return "which cannot hold \(names.joined(separator: " or "))" }
    return route.path == nil
      ? "where every route needs a \"path\""
      : "where a path that begins with \"NOT \" is an exclusion of the rest"
  }

  /// The keys of Apple's `components`, with the values that this API has fields for.
  private static let componentKeys: [String: @Sendable (JSON) -> Bool] = [
    "/": { $0.stringValue != nil }, "?": { $0.stringValue != nil || $0.objectValue != nil },
    "#": { $0.stringValue != nil }, "exclude": { $0.boolValue != nil },
    "caseSensitive": { $0.boolValue != nil }, "percentEncoded": { $0.boolValue != nil },
    "comment": { $0.stringValue != nil },
  ]
}

extension Coding<Route.Query> {
  fileprivate static var query: Coding {
    Coding(.named("QueryPattern", .json(["oneOf": [["type": "string"], Schema.object.json]]))) {
      body in
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
