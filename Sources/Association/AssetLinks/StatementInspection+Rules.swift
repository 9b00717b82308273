extension StatementInspection {
  // MARK: - Faults that drop the rules

  /// Reports a value that drops the dynamic rules of a statement.
  mutating func addRuleFault(_ unread: UnreadValue) {
    let (pointer, value) = (unread.pointer, unread.value)
    let dropped =
      "Android then drops all rules of the statement, and the app's manifest alone decides."
    switch (unread.part, unread.key, unread.reason) {
    case (.ruleList, _, .noEffect):
      add(
        .emptyRules, at: pointer, "The list of rules is empty. \(dropped)",
        help:
          "To keep every link out of the app, write one rule: `{\"/\": \"*\", \"exclude\": true}`.")
    case (.rule, "", _):
      add(
        .ruleWithoutCondition, at: pointer,
        "The rule is empty, so it never holds; Android may also drop all rules of the statement.",
        help: "To match every URL, write `\"/\": \"*\"`.")
    case (.rule, "?", .wrongType) where value.stringValue != nil && !unread.isElement:
      add(
        .queryAsString, at: pointer,
        "`?` is a string, as Apple allows, but must be an object for Android. \(dropped) AOSP drops only the"
          + " condition, so that the rule gets wider.",
        help: "Write an object with a pattern for each parameter.")
    case (.rule, "?", .malformed):
      add(
        .emptyPattern, at: pointer,
        "The pattern for the parameter is empty. Android may then drop all rules of the statement.",
        help: "Write `*` for any value. A rule cannot require that the parameter is missing.")
    case (.rule, _, .malformed):
      add(
        .emptyPattern, at: pointer, "The pattern is empty. \(dropped)",
        help: "Remove `\(unread.key)`, or write a pattern.")
    default:
      let expected =
        if case .wrongType(let type) = unread.reason { type } else { "another value" }
      add(
        .rulesDiscarded, at: pointer,
        "This is \(value.kind) but must be \(expected). \(dropped)"
          + (value.isAccepted ? "" : " AOSP's verifier refuses the whole file."),
        help: unread.key == "relation_extensions" && unread.isElement && value.arrayValue != nil
          ? "Write `{\"\(AssetLinks.Rules.key)\": […]}` around the list." : "Write \(expected).")
    }
  }

  // MARK: - Rules

  /// Inspects the rules that are in force, or would be with the relation and an app.
  mutating func inspectRules() {
    var first: JSONPointer?
    var isForPasskeys = true
    for statement in links.statements {
      guard case .list(let rules) = statement.rules else { continue }
      first = first ?? rules.first?.pointer
      isForPasskeys = isForPasskeys && statement.keepsLinksOut
      inspect(rules, of: statement)
    }
    if let first {
      add(
        .olderAndroidOpensAll, at: first,
        "Android 14 and lower ignore dynamic rules: there, the app's manifest alone decides.",
        help: isForPasskeys
          ? "Let the manifest name no link of this site, if none should open the app there."
          : "Let the manifest name only paths that the app should open on Android 14, too.")
    }
  }

  private mutating func inspect(_ rules: [AssetLinks.Rule], of statement: AssetLinks.Statement) {
    let conditions = rules.reduce(0) { $0 + $1.conditions.count }
    for (index, rule) in rules.enumerated() {
      if rule.conditions.isEmpty {
        let misread = links.json.value(at: rule.pointer)?.objectValue?.keyOfCondition
        add(
          .ruleWithoutCondition, at: rule.pointer,
          "The rule has no path, query or fragment, so it never holds.",
          help: misread.map {
            "Correct \($0.quoted). To match every URL, write `\"/\": \"*\"`."
          } ?? "To match every URL, write `\"/\": \"*\"`.")
      }
      for condition in rule.conditions { inspect(condition, of: rule) }
      inspectSlashForm(of: rule, at: index, rules)
      if conditions <= Self.mostCompared,
        let earlier = rules[..<index].first(where: { $0.covers(rule) })
      {
        add(
          .ruleShadowed, severity: earlier.isExclusion == rule.isExclusion ? .note : nil,
          at: rule.pointer,
          "\(earlier.pointer) decides every URL for which this rule would hold.",
          help: earlier.isExclusion == rule.isExclusion
            ? "Remove the rule." : "Move the rule before \(earlier.pointer), or remove it.")
      }
    }
    guard let last = rules.last else { return }
    if statement.keepsLinksOut { return }
    if rules.allSatisfy(\.isExclusion) {
      add(
        .exclusionsOnly, at: last.pointer,
        "All rules are exclusions. A URL that no rule names stays in the browser, so no URL opens the app.",
        help: "Add `{\"/\": \"*\"}` at the end to let all other URLs in.")
    } else if !rules.contains(where: \.isForEveryURL) {
      add(
        .noFinalRule, at: last.pointer, "URLs that no rule names stay in the browser.",
        help: "Add `{\"/\": \"*\"}` at the end if they should open the app.")
    }
  }

  /// The number of rules, and of their conditions, up to which each is compared with those before it.
  private static let mostCompared = 1_000

  private mutating func inspectSlashForm(
    of rule: AssetLinks.Rule, at index: Int, _ rules: [AssetLinks.Rule]
  ) {
    guard rules.count <= Self.mostCompared, rule.conditions.count == 1,
      case .path(let pattern) = rule.conditions[0], pattern.isPrefix,
      pattern.units.count > 2, pattern.units[pattern.units.count - 2] == DynamicPattern.slash
    else { return }
    let path = Array(pattern.units.dropLast(2))
    let decider = rules.firstIndex {
      $0.conditions.count == 1 && $0.conditions[0].isPath && $0.conditions[0].pattern.matches(path)
    }
    // An earlier rule, and one for this path alone, is there for a reason.
    if let decider,
      decider < index || rules[decider].isExclusion == rule.isExclusion
        || rules[decider].conditions[0].pattern.isLiteral
    {
      return
    }
    let text = String(decoding: path, as: UTF16.self)
    add(
      .missingSlashForm, at: rule.pointer.appending("/"),
      "Unlike for Apple, \(pattern.text.quoted) does not match \(text.quoted).",
      help: "Add a rule for \(text.quoted) after this one if it should do the same.")
  }

  // MARK: - Patterns

  private mutating func inspect(_ condition: AssetLinks.Condition, of rule: AssetLinks.Rule) {
    let pattern = condition.pattern
    let pointer = condition.pointer(in: rule.pointer)
    let text = pattern.text
    inspectStars(of: pattern, of: rule, at: pointer)
    if pattern.has("$(") {
      add(
        .appleOnlyKey, at: pointer,
        "`$(name)` has a meaning for Apple only. Android compares it as text.",
        help: "Write a rule for each value.")
    }
    if let escape = PercentEscape.first(in: text) {
      add(
        .percentInPattern, at: pointer,
        "The pattern has `\(escape)` but is compared with the decoded URL.",
        help: "Write the character itself.")
    }
    if let trace = PatternSyntax(condition.comparedText).regularExpression {
      add(
        .regularExpression, at: pointer,
        "\(trace.quoted) looks like a regular expression, but only `*` and `?` have a special meaning.",
        help: "Write `*` for any characters, `?` for one, and a rule for each alternative.")
    }
    switch condition {
    case .path:
      inspectStart(of: pattern, at: pointer)
      inspectParts(of: PatternSyntax(text), at: pointer)
    case .fragment:
      if pattern.units.first == UInt16(UInt8(ascii: "#")) {
        add(
          .fragmentSignInPattern, at: pointer,
          "The fragment is compared without its `#`, so \(text.quoted) does not match what it seems to.",
          help: "Remove the `#`.")
      } else if text == "*" {
        addPresence("a fragment", at: pointer)
      }
    case .parameter(let name, _):
      if pattern.has("&") {
        add(
          .ampersandInValue, at: pointer,
          "The query is cut at `&` after it is decoded, so no parameter has one and the rule never holds.",
          help: "Compare only what precedes the `&`, with `*` behind it.")
      } else if text == "\(name)=*" {
        addPresence("the parameter", at: pointer)
      }
    }
  }

  /// Looks for a path that does not begin as paths do.
  private mutating func inspectStart(of pattern: DynamicPattern, at pointer: JSONPointer) {
    let syntax = PatternSyntax(pattern.text)
    let host = syntax.host(of: names)
    let first = pattern.units.first ?? DynamicPattern.slash
    if first == DynamicPattern.slash || DynamicPattern.isWildcard(first) {
      guard let host else { return }
      return add(
        .hostAsPath, severity: host.isCertain ? nil : .note, at: pointer,
        host.message(about: pattern.text), help: host.help)
    }
    let advice =
      if syntax.beginsWithNot {
        "Write only the path, and add `\"exclude\": true`: `NOT ` has a meaning only in `paths` of Apple's file."
      } else if syntax.isURL {
        "Write only the path: \(syntax.urlPath.quoted)."
      } else if let host {
        "Write only the path, without the host: \(host.path.quoted)."
      } else {
        "Write \("/\(pattern.text)".quoted)."
      }
    add(
      .pathWithoutSlash, at: pointer,
      "\(pattern.text.quoted) does not begin with a slash, as every path does, so the rule never holds.",
      help: advice)
  }

  /// Looks for what only routers know, and for what a path never has.
  private mutating func inspectParts(of path: PatternSyntax, at pointer: JSONPointer) {
    if path.isURL { return }
    if let parameter = path.routeParameter {
      add(
        .routeParameter, at: pointer,
        "\(parameter.quoted) is literal text: only URLs with exactly these characters match.",
        help: "Write `*` for any characters, or `?` for each single one.")
    }
    if let query = path.queryInPath {
      add(
        .queryInPath, at: pointer,
        "\(query.quoted) looks like a query, but only the path is compared, and `?` matches any one character there.",
        help: "Write only the path here, and the query in `?` of the rule.")
    }
    if path.text.utf8.contains(UInt8(ascii: "#")) {
      add(
        .fragmentInPath, severity: .note, at: pointer,
        "The path has a `#`, which starts the fragment of a URL. Only URLs with `%23` there match.",
        help:
          "Unless you mean `%23`, write only the path here, and the fragment in `#` of the rule.")
    }
  }

  private mutating func addPresence(_ part: String, at pointer: JSONPointer) {
    add(
      .starDemandsPresence, at: pointer, "Unlike Apple's, this `*` requires that \(part) is there.",
      help: "Leave the condition out if it should not.")
  }

  private mutating func inspectStars(
    of pattern: DynamicPattern, of rule: AssetLinks.Rule, at pointer: JSONPointer
  ) {
    let text = pattern.text
    if pattern.has("**") {
      return add(
        .doubleStar, at: pointer,
        "`**` in \(text.quoted) looks for a dot and a star. The second star is no wildcard.",
        help: "Write `*`.")
    }
    if pattern.has("*?") {
      return add(
        .wildcardAfterStar, at: pointer,
        "`*?` in \(text.quoted) looks for a dot. The `?` is no wildcard behind a star.",
        help: "Write `?*` for one character or more.")
    }
    if pattern.isLiteral { return }
    if pattern.has(".") {
      add(
        .dotBesideWildcard, at: pointer,
        "The first version of Android 15 lets a dot beside a wildcard be any character.",
        help: "Nothing, unless another URL must not match.")
    }
    if pattern.isPrefix { return }
    if let missed = pattern.missedText {
      add(
        rule.isExclusion ? .innerStarInExclusion : .innerStar, at: pointer,
        "The `*` inside \(text.quoted) ends at the first character that follows it in the pattern, and is not"
          + " tried again. \(missed.quoted) does not match"
          + (rule.isExclusion ? ", so it may open the app." : "."),
        help: "Write a rule for each number of parts, or end the pattern with the `*`.")
    }
    let star = pattern.units.firstIndex(of: DynamicPattern.star) ?? pattern.units.count
    if pattern.has("?*"), star < pattern.units.count - 1 {
      add(
        .patternAfterOneOrMore, at: pointer,
        "The first version of Android 15 finds nothing behind the first `*` of a pattern with `?*`.",
        help: "Use `?*` only at the end.")
    }
  }
}

extension DynamicPattern {
  /// The number of stars that are tried.
  private static let mostTried = 100

  /// A text that the pattern would cover if one of its inner `*` were tried again, and does not; `nil`
  /// without one.
  fileprivate var missedText: String? {
    let filler = UInt16(UInt8(ascii: "x"))
    let stars = units.indices.dropLast().lazy.filter { units[$0] == Self.star }
    for star in stars.prefix(Self.mostTried) {
      let text = units.enumerated().flatMap { index, unit in
        index == star
          ? [filler, units[star + 1], filler] : Self.isWildcard(unit) ? [filler] : [unit]
      }
      if !matches(text) { return String(decoding: text, as: UTF16.self) }
    }
    return nil
  }

  /// Whether this covers every text that the other pattern covers. False if that is not obvious.
  fileprivate func covers(_ other: DynamicPattern) -> Bool {
    if units == other.units { return true }
    return isPrefix && other.units[..<other.literalCount].starts(with: units.dropLast())
  }
}

extension AssetLinks.Rule {
  /// Whether this holds wherever a later rule does. False if that is not obvious.
  fileprivate func covers(_ later: AssetLinks.Rule) -> Bool {
    !conditions.isEmpty && !later.conditions.isEmpty
      && conditions.allSatisfy { condition in
        condition.isPath && condition.pattern.units == [DynamicPattern.star]
          || later.conditions.contains { condition.covers($0) }
      }
  }
}

extension AssetLinks.Condition {
  /// The pattern without the name of a parameter.
  fileprivate var comparedText: String {
    guard case .parameter(let name, let pattern) = self else { return pattern.text }
    return String(pattern.text.dropFirst(name.count + 1))
  }

  fileprivate var isPath: Bool { if case .path = self { true } else { false } }

  fileprivate func covers(_ other: Self) -> Bool {
    switch (self, other) {
    case (.path(let pattern), .path(let later)), (.fragment(let pattern), .fragment(let later)),
      (.parameter(_, let pattern), .parameter(_, let later)):
      pattern.covers(later)
    default: false
    }
  }
}

extension JSON {
  /// Whether AOSP's parser takes the value without giving the file up.
  var isAccepted: Bool {
    switch self {
    case .number, .null: false
    case .bool, .string, .array, .object: true
    }
  }
}
