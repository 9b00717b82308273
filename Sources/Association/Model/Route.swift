/// One element of `components`: conditions on path, query and fragment, all of which must hold.
/// A missing condition comes from the defaults, or matches everything.
package struct Route: Sendable, Equatable {
  package enum Query: Sendable, Equatable {
    /// A pattern for the whole query.
    case pattern(String)
    /// A pattern for each of some items, in file order; no name occurs twice.
    case items([Item])

    /// The conditions on items in an object.
    package init(_ items: JSON.Object) {
      self = .items(items.members.map { Item(name: $0.key, value: $0.value) })
    }

    /// Compares as JSON, scalar by scalar.
    package static func == (left: Query, right: Query) -> Bool { left.json == right.json }

    /// A query item's name and the pattern for its value.
    package struct Item: Sendable {
      package var name: String
      /// The pattern. A value that is not a string makes devices ignore the whole query condition, but
      /// adopted files may have one, so any JSON is kept.
      package var value: JSON

      package init(name: String, value: JSON) {
        self.name = name
        self.value = value
      }
    }
  }

  /// The number in the entry, from 1; `nil` until the route is stored.
  package var id: Int64?
  /// `/`: a pattern for the path.
  package var path: String?
  /// `?`: a condition on the query.
  package var query: Query?
  /// `#`: a pattern for the fragment.
  package var fragment: String?
  /// Whether the app does not open matching URLs.
  package var exclude: Bool?
  /// Whether case matters; Apple's default is true.
  package var caseSensitive: Bool?
  /// Whether the patterns are percent-encoded; Apple's default is true.
  package var percentEncoded: Bool?
  /// A comment, which is published with the file.
  package var comment: String?
  /// Where people without an app are sent from matching URLs. It is not in the file.
  package var fallback: LinkTarget?
  /// Members that no other property holds.
  package var extra: JSON.Object

  package init(
    id: Int64? = nil, path: String? = nil, query: Query? = nil, fragment: String? = nil,
    exclude: Bool? = nil, caseSensitive: Bool? = nil, percentEncoded: Bool? = nil,
    comment: String? = nil, extra: JSON.Object = [:], fallback: LinkTarget? = nil
  ) {
    self.id = id
    self.fallback = fallback
    self.path = path
    self.query = query
    self.fragment = fragment
    self.exclude = exclude
    self.caseSensitive = caseSensitive
    self.percentEncoded = percentEncoded
    self.comment = comment
    self.extra = extra
  }

  /// Whether two routes have the same number and the same content, scalar by scalar.
  package static func == (left: Route, right: Route) -> Bool {
    left.id == right.id && left.fallback == right.fallback
      && (left.hasSameParts(as: right) || left.json == right.json)
  }

  /// Whether both are the same bytes in a file. Two that are equal may have members in another order.
  package func isWritten(like other: Route) -> Bool {
    if hasMembersInOrder || other.hasMembersInOrder {
      return json.serialized() == other.json.serialized()
    }
    return hasSameParts(as: other)
  }

  private var hasMembersInOrder: Bool {
    if case .items = query { true } else { !extra.isEmpty }
  }

  /// A quick test for equal content, without rendering JSON.
  private func hasSameParts(as other: Route) -> Bool {
    exclude == other.exclude && caseSensitive == other.caseSensitive
      && percentEncoded == other.percentEncoded && query == other.query && extra == other.extra
      && path.isExactly(other.path) && fragment.isExactly(other.fragment)
      && comment.isExactly(other.comment)
  }

  /// A route from an element of `paths`.
  package init(_ path: LegacyPath) {
    self.init(path: path.pattern, exclude: path.exclude ? true : nil)
  }

  /// The route as an element of `paths`; `nil` if it has more than `paths` can express.
  package var legacyPath: LegacyPath? {
    guard let path, query == nil, fragment == nil, caseSensitive == nil, percentEncoded == nil,
      comment == nil, extra.isEmpty
    else { return nil }
    return LegacyPath(pattern: path, exclude: exclude ?? false)
  }
}

/// Values for the conditions and settings that routes do not set (Apple: "applinks.Defaults").
package struct Defaults: Sendable, Equatable {
  package var caseSensitive: Bool?
  package var percentEncoded: Bool?
  /// Other members: `/`, `?`, `#`, `exclude`, and unknown ones.
  package var extra: JSON.Object

  package init(
    caseSensitive: Bool? = nil, percentEncoded: Bool? = nil, extra: JSON.Object = [:]
  ) {
    self.caseSensitive = caseSensitive
    self.percentEncoded = percentEncoded
    self.extra = extra
  }

  package var isEmpty: Bool { caseSensitive == nil && percentEncoded == nil && extra.isEmpty }
}
