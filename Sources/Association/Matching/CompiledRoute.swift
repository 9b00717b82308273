/// A route whose patterns are compiled.
struct CompiledRoute: Sendable {
  /// The condition on the query.
  enum Query: Sendable {
    /// There is none.
    case any
    /// The pattern covers the whole query.
    case whole(PatternTable.Compiled)
    /// The items of these names match; the range is one of `RouteTable.items`.
    case items(Range<Int32>)
  }

  /// The condition on the query items of one name.
  struct Item: Sendable {
    /// Where the name stands among the table's literals, folded if the route folds.
    let name: Range<Int32>
    let pattern: PatternTable.Compiled
    /// Whether the pattern matches the empty string, as which an absent item reads.
    let matchesEmpty: Bool
  }

  let isExclusion: Bool
  let form: ComparedForm
  /// The condition on the path; `nil` if there is none.
  let path: PatternTable.Compiled?
  let query: Query
  /// The condition on the fragment; `nil` if there is none.
  let fragment: PatternTable.Compiled?
}

/// How a URL's component is changed before it is compared.
struct ComparedForm: Sendable, Hashable {
  /// Whether the case is folded.
  let folds: Bool
  /// Whether the percent-encoding is decoded.
  let decodes: Bool
}
