import JSONValue

/// What a pattern is compared with.
enum PatternRole {
  case path, query, queryValue, fragment

  var name: String {
    switch self {
    case .path: "path"
    case .query: "query"
    case .queryValue: "query value"
    case .fragment: "fragment"
    }
  }
}

extension Inspection {
  /// Examines the text of a pattern.
  mutating func inspectPattern(
    _ text: String, _ role: PatternRole, _ settings: PatternSettings, at pointer: JSONPointer
  ) {
    if role == .path, !settings.isLegacy, Self.beginsWithNot(text) {
      add(
        .misspelledNot, at: pointer,
        "`NOT ` has a meaning only in `paths`; here it is text, which no URL has.",
        help: "Write the path alone and add `\"exclude\": true`.")
      return
    }
    let pattern =
      settings.isLegacy
      ? Pattern(withoutVariables: text) : Pattern(text, variables: variables)
    for flaw in pattern.flaws { add(flaw, at: pointer) }
    inspectCharacters(of: pattern, settings, at: pointer)
    let syntax = PatternSyntax(text)
    if let trace = syntax.regularExpression { addRegularExpression(trace, at: pointer) }
    switch role {
    case .path: inspectPath(syntax, at: pointer)
    case .query: inspectDelimiter(text, "?", role, isLeading: syntax.beginsWithQuery, at: pointer)
    case .fragment:
      inspectDelimiter(
        text, "#", role, isLeading: text.utf8.first == UInt8(ascii: "#"), at: pointer)
    case .queryValue: break
    }
  }

  private mutating func add(_ flaw: Pattern.Flaw, at pointer: JSONPointer) {
    switch flaw {
    case .undefinedVariable(let name):
      let similar = variableNames[name.lowercased()]
      add(
        .undefinedVariable, at: pointer,
        "No variable is called `\(name)`, so the route never matches.",
        help: similar.map { "Names are case sensitive: write `$(\($0))`." }
          ?? "Define it in `applinks.substitutionVariables`, or use a predefined one: "
          + SubstitutionVariables.predefinedNames.joined(separator: ", ") + ".")
    // That is said where the variable is defined.
    case .emptyVariable: break
    case .unterminatedVariable:
      add(
        .unterminatedVariable, at: pointer,
        "A `$(` has no `)` after a name, so it is compared as text, which URLs hardly have.",
        help: "Close the variable: `$(name)`. A name cannot have `$`, `(` or `)`.")
    // A `$` is a usual character of URLs; at the end it may be of a regular expression.
    case .loneDollar: break
    }
  }

  // MARK: - Characters

  /// Looks for what never stands in a URL as the pattern is compared with it.
  private mutating func inspectCharacters(
    of pattern: Pattern, _ settings: PatternSettings, at pointer: JSONPointer
  ) {
    for token in pattern.tokens {
      switch token {
      // Nearly always there is nothing to look at.
      case .literal(let literal) where literal.contains(where: Self.isSpecial):
        inspectCharacters(of: String(literal), "The pattern", settings, at: pointer)
      case .values(let variable): inspectValues(of: variable, settings, at: pointer)
      default: break
      }
    }
  }

  /// Whether a character may be one that never stands in a URL, or part of an escape.
  private static func isSpecial(_ character: Unicode.Scalar) -> Bool {
    !("!"..."~").contains(character) || character == "%"
  }

  /// Looks at the values of a variable where it is first used in this way.
  private mutating func inspectValues(
    of variable: Pattern.Variable, _ settings: PatternSettings, at pointer: JSONPointer
  ) {
    let key = InspectedVariable(
      name: Array(variable.name.utf8), isPercentEncoded: settings.isPercentEncoded,
      isCaseSensitive: settings.isCaseSensitive)
    guard inspectedVariables.insert(key).inserted else { return }
    let texts = variable.values.flatMap(\.self).map { token in
      if case .literal(let literal) = token { String(literal) } else { "" }
    }
    inspectCharacters(
      of: texts.joined(separator: "*"), "A value of `$(\(variable.name))`", settings, at: pointer)
  }

  /// Looks for what never stands in a URL as this text is compared with it.
  mutating func inspectCharacters(
    of text: String, _ subject: String, _ settings: PatternSettings, at pointer: JSONPointer
  ) {
    let escape = Self.firstEscape(in: text)
    guard settings.isPercentEncoded else {
      if let escape { addEscapeInDecodedPattern(escape, subject, at: pointer) }
      return
    }
    if let character = text.unicodeScalars.first(where: { !$0.isASCII }) {
      add(
        .nonASCIIPattern, at: pointer,
        "\(subject) has `\(character)`, but it is compared with the encoded URL, which is ASCII: it"
          + " never matches there.",
        help: "Write it percent-encoded, or set `percentEncoded` to false (iOS 14 and later).")
    }
    if text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
      add(
        .spaceInPattern, at: pointer,
        "\(subject) has a space or a control character, but it is compared with the encoded URL, which"
          + " has none: it never matches there.",
        help: "Remove it, write %20, or set `percentEncoded` to false (iOS 14 and later).")
    }
    if settings.isCaseSensitive, let escape, escape != escape.uppercased() {
      add(
        .lowerCaseEscape, at: pointer,
        "\(subject) has `\(escape)`. The case of the digits counts, and most programs write"
          + " `\(escape.uppercased())`: such URLs do not match.",
        help: "Write `\(escape.uppercased())`, or set `caseSensitive` or `percentEncoded` to false."
      )
    }
  }

  private mutating func addEscapeInDecodedPattern(
    _ escape: String, _ subject: String, at pointer: JSONPointer
  ) {
    add(
      .escapeInDecodedPattern, at: pointer,
      "\(subject) has `\(escape)`, but with `percentEncoded` false only the URL is decoded: it matches"
        + " `%25\(escape.dropFirst())`, not `\(escape)`.",
      help: "Write the character itself, or set `percentEncoded` to true.")
  }

  /// The first escape, one with a small letter if there is one.
  private static func firstEscape(in text: String) -> String? {
    let scalars = Array(text.unicodeScalars)
    let escapes = scalars.indices.compactMap { index -> String? in
      guard scalars[index] == "%", index + 2 < scalars.count,
        scalars[index + 1...index + 2].allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit })
      else { return nil }
      return String(scalars[index...index + 2])
    }
    return escapes.first { $0 != $0.uppercased() } ?? escapes.first
  }

  // MARK: - Components

  private mutating func inspectDelimiter(
    _ text: String, _ delimiter: String, _ role: PatternRole, isLeading: Bool,
    at pointer: JSONPointer
  ) {
    guard isLeading else { return }
    add(
      .leadingDelimiter, at: pointer,
      "The \(role.name) is compared without the `\(delimiter)` before it, so `\(text)` does not match"
        + " what it seems to.",
      help: "Leave the `\(delimiter)` out.")
  }

  private mutating func inspectPath(
    _ syntax: PatternSyntax, at pointer: JSONPointer
  ) {
    let text = syntax.text
    if syntax.isURL {
      add(
        .urlAsPath, at: pointer,
        "`\(text)` is a URL, but only the path is compared, which has no scheme and no host.",
        help: "Leave the scheme and the host out; write a query in `?` and a fragment in `#`.")
      return
    }
    if let host = syntax.host {
      add(
        .hostAsPath, at: pointer,
        "`\(text)` begins with the host \(host), but the path is compared without the host.",
        help: "Begin with the slash after the host. Each domain has its own file.")
    }
    if let parameter = syntax.routeParameter {
      add(
        .routeParameter, at: pointer,
        "`\(parameter)` is text: only URLs that have exactly these characters match.",
        help: "Write `*` for any run of characters, or `?` for each character.")
    }
    inspectOtherComponents(syntax, at: pointer)
  }

  private mutating func inspectOtherComponents(_ syntax: PatternSyntax, at pointer: JSONPointer) {
    if let query = syntax.queryInPath {
      add(
        .queryInPath, at: pointer,
        "`\(query)` looks like a query, but only the path is compared, and `?` stands for any one"
          + " character there.",
        help: "Write the path alone, and the query in `?` of an element of `components`.")
    }
    if syntax.text.unicodeScalars.contains("#") {
      add(
        .fragmentInPath, at: pointer,
        "The path has a `#`, which begins the fragment of a URL and is never part of its path.",
        help: "Write the path alone, and the fragment in `#` of an element of `components`.")
    }
  }

  private mutating func addRegularExpression(_ trace: String, at pointer: JSONPointer) {
    add(
      .regularExpression, at: pointer,
      "`\(trace)` looks like a regular expression, but is compared as text: only `*`, `?` and `$(name)`"
        + " have a meaning.",
      help: "Write `*` for any run of characters, `?` for one, and a variable for alternatives.")
  }
}
