extension Pattern {
  /// The tokens for a whole path, of which the leading slash is there and is one.
  ///
  /// The leading slash of a pattern is optional and a run of them is one (recorded: `abc` and
  /// `//abc` match `/abc`). A pattern that begins with `*` stays as it is, since the star can take
  /// the slash: `*abc` matches `/xabc`, `*/abc` matches `/abc`.
  package var pathTokens: [Token] {
    // Nearly all are so already.
    if case .literal(let text)? = tokens.first, text.count > 1, text[0] == "/", text[1] != "/" {
      return tokens
    }
    let (hasSlash, rest) = Self.droppingLeadingSlashes(tokens)
    switch rest.first {
    case .anyRun where !hasSlash:
      return rest
    case .values(let variable) where variable.values.contains(where: Self.startsOtherwise):
      let values = variable.values.map { value in
        if !hasSlash, case .anyRun? = value.first { return value }
        return Self.withLeadingSlash(Self.droppingLeadingSlashes(value).rest)
      }
      let start = Variable(name: variable.name, values: values, beginsPath: true)
      return [.values(start)] + rest.dropFirst()
    default:
      return Self.withLeadingSlash(rest)
    }
  }

  /// Characters with which every path begins that the pattern covers.
  var pathPrefix: [Unicode.Scalar] {
    guard case .literal(let text)? = pathTokens.first else { return [] }
    // Slashes at the end may belong to what a path may lack.
    if text.last != "/" { return text }
    return Array(text[..<(text.lastIndex { $0 != "/" }.map { $0 + 1 } ?? 0)])
  }

  /// What covers a path without its trailing slashes, given that these do not count in a pattern
  /// either; beside it what covers the parent, for a pattern that ends in `/*` (recorded: `/buy/*`
  /// matches `/buy`, `/buy/` matches `/buy//`).
  ///
  /// For tokens of `pathTokens` without variables that have values.
  static func withoutTrailingSlashes(_ tokens: [Token]) -> (path: [Token], parent: [Token]?) {
    let path = droppingTrailingSlashes(tokens)
    guard path.count > 1, case .anyRun? = path.last, case .literal(let text) = path[path.count - 2],
      text.last == "/"
    else { return (path, nil) }
    return (path, droppingTrailingSlashes(path.dropLast()))
  }

  /// Whether a value begins with what a slash in front of it would change the meaning of.
  private static func startsOtherwise(_ value: [Token]) -> Bool {
    switch value.first {
    case .literal(let text): text.first == "/"
    case .anyRun: true
    default: false
    }
  }

  private static func droppingLeadingSlashes(_ tokens: [Token]) -> (hasSlash: Bool, rest: [Token]) {
    guard case .literal(let text)? = tokens.first, text.first == "/" else { return (false, tokens) }
    let rest = text.drop { $0 == "/" }
    return (true, (rest.isEmpty ? [] : [.literal(Array(rest))]) + tokens.dropFirst())
  }

  private static func withLeadingSlash(_ tokens: [Token]) -> [Token] {
    guard case .literal(let text)? = tokens.first else { return [.literal(["/"])] + tokens }
    return [.literal(["/"] + text)] + tokens.dropFirst()
  }

  /// The tokens without slashes at the end; where nothing else is there, the root.
  private static func droppingTrailingSlashes(_ tokens: [Token]) -> [Token] {
    guard case .literal(let text)? = tokens.last, text.last == "/" else { return tokens }
    let count = text.lastIndex { $0 != "/" }.map { $0 + 1 } ?? 0
    if count == 0, tokens.count > 1 { return tokens.dropLast() }
    var tokens = tokens
    tokens[tokens.count - 1] = .literal(count > 0 ? Array(text[..<count]) : ["/"])
    return tokens
  }
}
