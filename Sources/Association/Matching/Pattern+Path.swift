extension Pattern {
  /// The tokens that cover a whole path, with exactly one leading slash.
  ///
  /// The leading slash of a pattern is optional, and several are read as one (recorded: `abc` and
  /// `//abc` match `/abc`). A pattern that begins with `*` stays as it is, since the star can cover
  /// the slash: `*abc` matches `/xabc`, `*/abc` matches `/abc`.
  package var pathTokens: [Token] {
    // Nearly all patterns begin this way.
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
      return [.values(Variable(name: variable.name, values: values))] + rest.dropFirst()
    default:
      return Self.withLeadingSlash(rest)
    }
  }

  /// The tokens that cover a path without its trailing slashes, and for a pattern that ends in `/*`,
  /// those that cover its parent (recorded: `/buy/*` matches `/buy`, `/buy/` matches `/buy//`).
  ///
  /// For the matcher's fast paths; `TrailingSlashes` implements the general rule. The tokens must
  /// be `pathTokens` without variable values.
  static func withoutTrailingSlashes(_ tokens: [Token]) -> (path: [Token], parent: [Token]?) {
    let path = droppingTrailingSlashes(tokens)
    guard path.count > 1, case .anyRun? = path.last, case .literal(let text) = path[path.count - 2],
      text.last == "/"
    else { return (path, nil) }
    return (path, droppingTrailingSlashes(path.dropLast()))
  }

  /// Whether a slash in front of the value would change its meaning.
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

  /// The tokens without trailing slashes. If all of them are slashes, one remains.
  private static func droppingTrailingSlashes(_ tokens: [Token]) -> [Token] {
    guard case .literal(let text)? = tokens.last, text.last == "/" else { return tokens }
    let count = text.lastIndex { $0 != "/" }.map { $0 + 1 } ?? 0
    if count == 0, tokens.count > 1 { return tokens.dropLast() }
    var tokens = tokens
    tokens[tokens.count - 1] = .literal(count > 0 ? Array(text[..<count]) : ["/"])
    return tokens
  }
}
