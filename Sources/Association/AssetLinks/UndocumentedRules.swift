/// The rules of matching behind an answer that none of Google's documents or published tests states: code
/// or nothing does.
///
/// A rule counts if it took part, or if the answer would be another one without it. What that would be is
/// tried out with a changed pattern or URL.
struct UndocumentedRules {
  /// A rule that no document states.
  enum Rule: String {
    case letterCase = "case matters"
    case slashes = "the slashes at both ends of a path matter"
    case wholeText = "a pattern without wildcards covers the whole text"
    case plus = "`+` is not a space"
    case decodedOnce = "a URL is decoded once"
    case brokenEscape = "a broken escape is decoded to U+FFFD"
    case utf16 = "`?` takes half of a character beyond U+FFFF"
    case emptyPath = "a URL without a path has an empty path, not `/`"
    case backslash = "`\\` is no escape"
    case doubleStar = "`**` looks for a dot and a star"
    case emptyStar = "an inner `*` may be empty"
    case missingEnd = "a `*` matches nothing if the character behind it is missing"
    case innerAndLastStar = "an inner and a last `*` share the text from the left"
    case dot = "a dot beside a wildcard is only a dot, unlike in the first version of Android 15"
    case starWithoutFragment = "`*` requires that there is a fragment"
    case queryCut = "how the decoded query is cut into parameters"
    case noEqualsSign = "a parameter without `=` does not count"
    case equalsSign = "a value may have `=`"
    case wholeName = "the whole name of a parameter is compared"
    case decodedName = "the name of a parameter is decoded"
    case wildcardInName = "a name may have wildcards"
    case noCondition = "a rule without a condition never holds"
    case unknownKey = "unknown keys of a rule are ignored"
    case portOrUser = "rules do not see port and user"
    case emptyField = "an empty rule and an empty value of a parameter count as empty fields"
  }

  private let url: DynamicURL
  private var found: [Rule] = []
  /// Other facts, as sentences.
  private var others: [String] = []
  /// What trying out may take at all, and may still take.
  private let budget: Int
  private var steps: Int

  /// The steps for one URL.
  private static let most = 1_000_000

  /// - Parameter steps: How many may be taken.
  init(_ url: DynamicURL, atMost steps: Int) {
    self.url = url
    budget = max(0, min(steps, Self.most))
    self.steps = budget
  }

  /// The steps that were taken.
  var spent: Int { budget - steps }

  mutating func add(_ rule: Rule) { if !found.contains(rule) { found.append(rule) } }

  /// The sentences for a reason, each with a space in front.
  var sentences: String {
    let rules =
      found.map(\.rawValue).joined(separator: "; ")
      + (steps > 0 ? "" : "\(found.isEmpty ? "" : "; ")others were not looked for")
    return others.reduce(rules.isEmpty ? "" : " Undocumented: \(rules).") { "\($0) \($1)" }
  }

  /// Looks for statements about an app that differ in their rules.
  mutating func compare(_ statements: [AssetLinks.Statement]) {
    guard let first = statements.first,
      let other = statements.dropFirst().first(where: { $0.rules.isDifferent(from: first.rules) })
    else { return }
    others.append(
      "\(other.pointer) states the app again with other rules; which apply is not documented.")
  }

  /// Inspects the rules of an app up to the one that decided.
  mutating func inspect(_ rules: [AssetLinks.Rule], decidedBy index: Int?) {
    let resolution = index.map { rules[$0].resolution } ?? .noMatch
    if url.hasBrokenEscape { add(.brokenEscape) }
    if url.hasPortOrUser { add(.portOrUser) }
    for rule in rules[..<(index ?? rules.count)] where rule.resolution != resolution {
      if steps <= 0 { return }
      if rule.conditions.isEmpty { add(.noCondition) }
      let failed = rule.conditions.filter { !$0.holds(for: url, &steps) }
      if let condition = failed.first, failed.count == 1 { inspect(failed: condition) }
    }
    guard steps > 0, let rule = index.map({ rules[$0] }) else { return }
    if rule.hasUnknownKey { add(.unknownKey) }
    for condition in rule.conditions { inspect(held: condition) }
  }

  // MARK: - Conditions that hold

  private mutating func inspect(held condition: AssetLinks.Condition) {
    let pattern = condition.pattern
    guard let text = condition.texts(of: url).first(where: { pattern.matches($0, &steps) }) else {
      return
    }
    inspect(pattern, text)
    if Self.hasEscape(text) { add(.decodedOnce) }
    inspectStars(of: pattern, text)
    switch condition {
    case .path: if text.isEmpty || text == Self.slash && pattern.units == text { add(.emptyPath) }
    case .fragment: break
    case .parameter(let name, _):
      inspectQuery()
      let name = Array(name.utf16)
      if name.contains(where: DynamicPattern.isWildcard) {
        add(.wildcardInName)
      } else if name.contains(where: { !Self.isPlain($0) }) {
        add(.decodedName)
      }
      if pattern.units.dropFirst(name.count + 1).contains(Self.equalsSign) { add(.equalsSign) }
    }
  }

  private mutating func inspectStars(of pattern: DynamicPattern, _ text: [UInt16]) {
    let units = pattern.units
    let star = DynamicPattern.star
    if pattern.has("**") { return add(.doubleStar) }
    guard let first = units.firstIndex(of: star), first < units.count - 1 else { return }
    if pattern.has("?*") {
      others.append("The first version of Android 15 finds nothing behind `?*` in a pattern.")
      return
    }
    if pattern.has("*?") { return }
    let isLast = units.last == star
    let inner = units.dropLast().flatMap { $0 == star ? [DynamicPattern.one, star] : [$0] }
    if !matches(inner + units.suffix(1), text) { add(.emptyStar) }
    guard isLast else { return }
    if units[units.count - 3] == star
      || !matches(units.dropLast() + [DynamicPattern.one, star], text)
    {
      add(.innerAndLastStar)
    }
  }

  // MARK: - Conditions that fail

  /// Inspects the only condition that keeps a rule from holding.
  private mutating func inspect(failed condition: AssetLinks.Condition) {
    let pattern = condition.pattern
    switch condition {
    case .path:
      if url.path.isEmpty { add(.emptyPath) }
      inspectEnds(of: pattern)
    case .fragment:
      if url.fragment == nil && pattern.units == [DynamicPattern.star] {
        add(.starWithoutFragment)
      }
    case .parameter(let name, _):
      inspectQuery()
      let name = Array(name.utf16)
      for parameter in url.parameters.prefix(Self.mostParameters) {
        let written = parameter.prefix { $0 != Self.equalsSign }
        if parameter == name { add(.noEqualsSign) }
        if written.count > name.count && written.suffix(name.count) == name[...] {
          add(.wholeName)
        }
      }
    }
    for text in condition.texts(of: url).prefix(Self.mostParameters) {
      if case .fragment = condition {
      } else if pattern.isLiteral, text.starts(with: pattern.units) {
        add(.wholeText)
      }
      inspectNearMiss(of: pattern, text)
    }
  }

  private static let mostParameters = 50

  private mutating func inspectNearMiss(of pattern: DynamicPattern, _ text: [UInt16]) {
    // What follows goes through both several times.
    steps -= 8 * (pattern.units.count + text.count)
    if steps <= 0 { return }
    inspect(pattern, text)
    let units = pattern.units
    if matches(Self.lowercased(units), Self.lowercased(text)) { add(.letterCase) }
    let plus = UInt16(UInt8(ascii: "+"))
    let space = UInt16(UInt8(ascii: " "))
    if text.contains(plus), matches(units, text.map { $0 == plus ? space : $0 }) { add(.plus) }
    if pattern.isLiteral { return }
    if matches(Self.replacing(units, "/*/", "/"), text)
      || matches(Self.replacing(units, "/?*/", "/*/"), text)
    {
      add(.emptyStar)
    }
    if let star = units.firstIndex(of: DynamicPattern.star), star < units.count - 1,
      !DynamicPattern.isWildcard(units[star + 1]), units[star + 1] != DynamicPattern.slash,
      text.starts(with: units[..<star]),
      !text[star...].contains(units[star + 1])
    {
      add(.missingEnd)
    }
    let dot = DynamicPattern.dot
    if units.contains(dot), matches(units.map { $0 == dot ? DynamicPattern.one : $0 }, text) {
      add(.dot)
    }
  }

  private mutating func inspectEnds(of pattern: DynamicPattern) {
    if pattern.isPrefix { return }
    let (units, path) = (pattern.units, url.path)
    let isSlashed = path.last == DynamicPattern.slash
    let first = units.first ?? DynamicPattern.slash
    if matches(units, path + Self.slash) || isSlashed && matches(units, path.dropLast())
      || first != DynamicPattern.slash && !DynamicPattern.isWildcard(first)
        && matches(Self.slash + units, path)
    {
      add(.slashes)
    }
  }

  // MARK: - Both

  private mutating func inspect(_ pattern: DynamicPattern, _ text: [UInt16]) {
    if pattern.has("\\") { add(.backslash) }
    if pattern.units.contains(DynamicPattern.one), text.contains(where: UTF16.isSurrogate) {
      add(.utf16)
    }
  }

  private mutating func inspectQuery() {
    guard let query = url.query else { return }
    if query.isEmpty || query.last == UInt16(UInt8(ascii: "&")) || url.hasEscapedDelimiter
      || query.contains(UInt16(UInt8(ascii: ";")))
    {
      add(.queryCut)
    }
  }

  private static let slash = [DynamicPattern.slash]
  private static let equalsSign = UInt16(UInt8(ascii: "="))

  /// Whether a changed pattern covers a text.
  private mutating func matches(
    _ units: some Sequence<UInt16>, _ text: some Sequence<UInt16>
  ) -> Bool {
    DynamicPattern(Array(units)).matches(Array(text), &steps)
  }

  private static func replacing(_ text: [UInt16], _ part: String, _ other: String) -> [UInt16] {
    text.replacing(Array(part.utf16), with: Array(other.utf16))
  }

  private static func lowercased(_ text: [UInt16]) -> [UInt16] {
    text.map { $0 < 0x80 ? UInt16(UInt8($0).asciiLowercased) : $0 }
  }

  /// Whether the unit may stand in a URL as it is.
  private static func isPlain(_ unit: UInt16) -> Bool {
    unit < 0x80 && (UInt8(unit).isASCIILetterOrDigit || "-._~[]".utf8.contains(UInt8(unit)))
  }

  private static func hasEscape(_ text: [UInt16]) -> Bool {
    let digit = { (unit: UInt16) in unit < 0x80 && ComparedText.hexadecimal(UInt8(unit)) != nil }
    return text.indices.contains {
      text[$0] == UInt16(UInt8(ascii: "%")) && $0 + 2 < text.count && digit(text[$0 + 1])
        && digit(text[$0 + 2])
    }
  }
}

extension AssetLinks.Rules {
  /// Whether two statements with these rules may open different URLs.
  fileprivate func isDifferent(from other: Self) -> Bool {
    switch (self, other) {
    case (.list(let rules), .list(let others)):
      rules.count != others.count
        || zip(rules, others).contains {
          $0.isExclusion != $1.isExclusion || $0.words != $1.words
        }
    case (.list, _), (_, .list): true
    default: false
    }
  }
}
