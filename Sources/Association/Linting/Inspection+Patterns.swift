/// The part of a URL that a pattern is compared with.
enum PatternRole: String {
  case path, query, fragment
  case queryValue = "query value"
}

extension Inspection {
  mutating func inspectPattern(
    _ pattern: Pattern, _ role: PatternRole, _ comparison: PatternComparison,
    at pointer: @autoclosure () -> JSONPointer
  ) {
    for flaw in pattern.flaws { add(flaw, at: pointer()) }
    let syntax = PatternSyntax(pattern.text)
    if role == .path, comparison.isPercentEncoded, let paths = syntax.severalPaths {
      // No other finding about its characters helps.
      return add(
        pattern.text.contains(" ") ? .spaceInPattern : .regularExpression, at: pointer(),
        "\(pattern.text.quoted) is \(paths.count) paths in one text. Devices compare it as one path, which hardly any URL"
          + " has.",
        help: "Write each as a string of its own.")
    }
    inspectCharacters(of: pattern, comparison, at: pointer())
    if let trace = syntax.regularExpression {
      add(
        .regularExpression, at: pointer(),
        "\(trace.quoted) looks like a regular expression, but only `*`, `?` and `$(name)` have a special"
          + " meaning.",
        help: "Write `*` for any characters, `?` for one, and a variable for alternatives.")
    }
    switch role {
    case .path: inspectPath(syntax, at: pointer())
    case .query where syntax.beginsWithQuery: addDelimiter("?", syntax.text, role, at: pointer())
    case .fragment where syntax.text.utf8.first == UInt8(ascii: "#"):
      addDelimiter("#", syntax.text, role, at: pointer())
    case .query, .fragment, .queryValue: break
    }
  }

  private mutating func add(_ flaw: Pattern.Flaw, at pointer: JSONPointer) {
    switch flaw {
    // Reported where the variable is defined.
    case .undefinedVariable(let name) where definedVariables.contains(Array(name.utf8)):
      explain(pointer)
    case .undefinedVariable(let name):
      let similar = variableNames[name.lowercased()]
      add(
        .undefinedVariable, at: pointer,
        "No variable is named \(name.quoted), so the route never matches.",
        help: similar.map { "Names are case-sensitive: write `$(\($0))`." }
          ?? "Define it in `applinks.substitutionVariables`, or use a predefined one: "
          + SubstitutionVariables.predefinedNames.joined(separator: ", ") + ".")
    // Reported where the variable is defined.
    case .emptyVariable: break
    case .unterminatedVariable:
      add(
        .unterminatedVariable, at: pointer,
        "`$(` without a name and `)` is literal text, which almost no URL contains.",
        help: "Close the variable: `$(name)`. A name cannot have `$`, `(` or `)`.")
    case .loneDollar:
      add(
        .unterminatedVariable, at: pointer,
        "A `$` without `(` after it is probably literal text: Apple documents no meaning.",
        help: "Write a variable as `$(name)`, or `?` in place of the `$`.")
    }
  }

  private mutating func add(
    _ host: PatternSyntax.Host, of pattern: String, at pointer: JSONPointer
  ) {
    add(
      .hostAsPath, severity: host.isCertain ? nil : .note, at: pointer,
      host.message(about: pattern), help: host.help)
  }

  private mutating func addDelimiter(
    _ delimiter: String, _ text: String, _ role: PatternRole, at pointer: JSONPointer
  ) {
    add(
      .leadingDelimiter, at: pointer,
      "The \(role.rawValue) is compared without its leading `\(delimiter)`, so \(text.quoted) does not"
        + " match what it seems to.",
      help: "Remove the `\(delimiter)`.")
  }

  // MARK: - Characters

  /// Looks for characters that never occur in a URL as the pattern is compared with it.
  private mutating func inspectCharacters(
    of pattern: Pattern, _ comparison: PatternComparison,
    at pointer: @autoclosure () -> JSONPointer
  ) {
    for token in pattern.tokens {
      switch token {
      // Most patterns have no such character.
      case .literal(let literal) where literal.contains(where: Self.isSpecial):
        inspectCharacters(of: String(literal), "The pattern", comparison, at: pointer())
      case .values(let variable):
        // Values are reported once, at the first use of the variable with this comparison.
        let key = InspectedVariable(name: Array(variable.name.utf8), comparison: comparison)
        guard inspectedVariables.insert(key).inserted else { continue }
        let texts = variable.values.flatMap(\.self).map { token in
          if case .literal(let literal) = token { String(literal) } else { "" }
        }
        inspectCharacters(
          of: texts.joined(separator: "*"), "A value of `$(\(variable.name.shown))`", comparison,
          at: pointer())
      default: break
      }
    }
  }

  /// Whether a character may be missing from all URLs, or be part of an escape.
  private static func isSpecial(_ character: Unicode.Scalar) -> Bool {
    !("!"..."~").contains(character) || character == "%"
  }

  /// Looks for characters that never occur in a URL as the text is compared with it.
  mutating func inspectCharacters(
    of text: String, _ subject: String, _ comparison: PatternComparison,
    at pointer: @autoclosure () -> JSONPointer
  ) {
    let escape = PercentEscape.first(in: text)
    guard comparison.isPercentEncoded else {
      if let escape {
        add(
          .escapeInDecodedPattern, at: pointer(),
          "\(subject) has `\(escape)`. With `percentEncoded` false, only the URL is decoded, so it"
            + " matches `%25\(escape.dropFirst())`, not `\(escape)`.",
          help: "Write the decoded character, or set `percentEncoded` to true.")
      }
      return
    }
    if let character = text.unicodeScalars.first(where: { !$0.isASCII }) {
      add(
        .nonASCIIPattern, at: pointer(),
        "\(subject) has \(String(character).quoted) but is compared with the percent-encoded URL, which"
          + " is ASCII. It never matches.",
        help: "Percent-encode it, or set `percentEncoded` to false (iOS 14 and later).")
    }
    if text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
      add(
        .spaceInPattern, at: pointer(),
        "\(subject) has a space or a control character but is compared with the percent-encoded URL,"
          + " which has none. It never matches.",
        help: "Remove it, write %20, or set `percentEncoded` to false (iOS 14 and later).")
    }
    if comparison.isCaseSensitive, let escape, escape != escape.uppercased() {
      add(
        .lowerCaseEscape, at: pointer(),
        "\(subject) has `\(escape)`. Case matters here, and most programs write"
          + " `\(escape.uppercased())`, which does not match.",
        help: "Write `\(escape.uppercased())`, or set `caseSensitive` or `percentEncoded` to false."
      )
    }
  }

  // MARK: - Paths

  private mutating func inspectPath(
    _ syntax: PatternSyntax, at pointer: @autoclosure () -> JSONPointer
  ) {
    if syntax.isURL {
      return add(
        .urlAsPath, at: pointer(),
        "\(syntax.text.quoted) is a URL, but only the path is compared, without scheme and host.",
        help: "Remove the scheme and the host. Write a query in `?` and a fragment in `#`.")
    }
    if let host = syntax.host(of: names) { add(host, of: syntax.text, at: pointer()) }
    if let parameter = syntax.routeParameter {
      add(
        .routeParameter, at: pointer(),
        "\(parameter.quoted) is literal text: only URLs with exactly these characters match.",
        help: "Write `*` for any characters, or `?` for each single one.")
    }
    if let query = syntax.queryInPath {
      add(
        .queryInPath, at: pointer(),
        "\(query.quoted) looks like a query, but only the path is compared, and `?` matches any one"
          + " character there.",
        help: "Write only the path here, and the query in `?` of an element of `components`.")
    }
    if syntax.text.utf8.contains(UInt8(ascii: "#")) {
      add(
        .fragmentInPath, at: pointer(),
        "The path has a `#`, which starts the fragment of a URL and is never part of its path.",
        help: "Write only the path here, and the fragment in `#` of an element of `components`.")
    }
  }
}

extension PatternSyntax.Host {
  /// What is wrong with a path that begins with the host.
  func message(about pattern: String) -> String {
    isCertain
      ? "\(pattern.quoted) starts with the host \(text.shown), but the path is compared without the host."
      : "\(pattern.quoted) starts like a host. The path is compared without the host, so only URLs that repeat it"
        + " behind the host match."
  }

  var help: String {
    isCertain
      ? "Write \(path.quoted), the path behind the host. Each domain has its own file."
      : "Nothing, if the path of these pages does start with \(text.quoted). If it is their host, write"
        + " \(path.quoted)."
  }
}
