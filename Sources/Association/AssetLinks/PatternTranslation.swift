/// Rewrites Apple's patterns as patterns of dynamic rules.
///
/// One pattern of Apple's becomes several, of which one must match: a pattern per value of a variable, with
/// and without a slash at the end, and for each number of tries of a `*` inside. Whatever Android cannot
/// express is treated in the safe direction: for a route, the patterns together match at most what Apple's
/// does, and for an exclusion at least that. This holds for URLs that escape only what must be escaped.
struct PatternTranslation {
  /// The patterns for a path, one of which must match.
  struct PathPatterns {
    /// Patterns that match no more than Apple's.
    var exact: [String] = []
    /// Patterns of paths that must not match by `guarded`.
    var guards: [String] = []
    /// Patterns that match no more than Apple's without `guards`.
    var guarded: [String] = []
  }

  /// A part of a pattern of Android's.
  enum Atom: Hashable {
    case literal(Unicode.Scalar)
    case one
    case run
  }

  /// A part of a pattern of Apple's.
  private enum Element {
    case atom(Atom)
    /// One of these texts; `wildcard` matches all of them, and more.
    case choice([[Atom]], wildcard: Atom)
    /// A letter, whose case does not matter.
    case letter(Unicode.Scalar, lower: Unicode.Scalar, upper: Unicode.Scalar)
    case nothing
    /// Text that no pattern of Android's can express.
    case inexpressible
  }

  /// The number of texts that variables and classes may make of one pattern.
  private static let mostTexts = 1_000
  /// The number of texts that letters in both cases may make of a path.
  private static let mostSpellings = 32
  /// The number of patterns that one pattern of Apple's may become.
  static let mostPatterns = 2_000
  /// How many more tries of an inner `*` get a pattern of their own: few outside of paths, since the patterns
  /// of all components multiply.
  private static func mostTries(in component: URLComponent) -> Int { component == .path ? 3 : 1 }

  /// The number of characters and wildcards of all these texts.
  private static let mostAtoms = 200_000

  private let isWidening: Bool
  private var folds: Bool
  private let isWritten: Bool
  private let budget: SearchBudget

  init(for route: AppLinks.Route, _ budget: SearchBudget) {
    self.budget = budget
    isWidening = route.isExclusion
    folds = !route.isCaseSensitive
    isWritten = route.isPercentEncoded
  }

  // MARK: - Components

  /// The patterns for a path; `nil` if every path matches, empty if none does.
  func path(_ pattern: Pattern?) -> PathPatterns? {
    guard let pattern, !pattern.tokens.isStar else { return nil }
    let texts = texts(of: pattern.pathTokens, in: .path)
    let forms = texts.flatMap(Self.rooted).flatMap(Self.slashForms)
    let all = patterns(forms, .path, isFree: { $0 == [.run] || $0 == [.literal("/"), .run] })
    guard let all else { return nil }
    if isWidening { return PathPatterns(exact: all.map(Self.text)) }
    let guarded = all.map { (pattern: $0, taken: Self.takenSlash($0)) }
    return PathPatterns(
      exact: guarded.filter { $0.taken == nil }.map { Self.text($0.pattern) },
      guards: guarded.compactMap(\.taken).uniqued().map(Self.text),
      guarded: guarded.filter { $0.taken != nil }.map { Self.text($0.pattern) })
  }

  /// The patterns for a fragment; `nil` if every fragment matches, and also none.
  func fragment(_ pattern: Pattern?) -> [String]? {
    guard let pattern, !pattern.tokens.isStar else { return nil }
    return patterns(texts(of: pattern.tokens, in: .fragment), .fragment, isFree: { $0 == [.run] })?
      .map(Self.text)
  }

  /// The names and patterns for a query parameter; `nil` if every query matches.
  func parameter(_ item: AppLinks.Item) -> [(name: String, value: String)]? {
    guard !item.pattern.tokens.isStar else { return nil }
    let values = patterns(
      texts(of: item.pattern.tokens, in: .query), .query, isFree: { $0 == [.run] })
    guard let values else { return nil }
    var names: [String] = []
    let name = Array(item.name.unicodeScalars)
    for atoms in texts(of: name.isEmpty ? [] : [.literal(name)], in: .query) {
      let isName =
        !atoms.isEmpty
        && atoms.allSatisfy { if case .literal(let scalar) = $0 { scalar != "=" } else { false } }
      if isName { names.append(Self.text(atoms)) } else if isWidening { return nil }
    }
    return names.flatMap { name in values.map { (name, Self.text($0)) } }
  }

  /// - Parameter isFree: Whether Apple's pattern matches whenever this one would, and also a component that
  ///   is missing.
  private func patterns(_ forms: [[Atom]], _ component: URLComponent, isFree: ([Atom]) -> Bool)
    -> [[Atom]]?
  {
    if forms.contains(where: isFree) { return nil }
    // A pattern cannot be empty.
    if isWidening && forms.contains([]) { return nil }
    let forms = forms.filter { !$0.isEmpty }
    let longest = forms.map(\.count).max() ?? 0
    for tries in (0...Self.mostTries(in: component)).reversed() {
      let count = forms.reduce(0) { $0 + Self.count(of: $1, tries: isWidening ? 0 : tries) }
      if tries > 0, count > Self.mostPatterns || count * longest > Self.mostAtoms { continue }
      let all = forms.flatMap { isWidening ? [Self.widened($0)] : Self.tried($0, upTo: tries) }
      spend(on: all)
      if all.contains(where: isFree) { return nil }
      return all.uniqued()
    }
    return nil
  }

  private static func text(_ atoms: [Atom]) -> String {
    String(
      atoms.map { atom -> Unicode.Scalar in
        switch atom {
        case .literal(let scalar): scalar
        case .one: "?"
        case .run: "*"
        }
      })
  }

  // MARK: - Texts

  /// The pattern with each choice, and its wildcards in the order that Android understands.
  private func texts(of tokens: [Pattern.Token], in component: URLComponent) -> [[Atom]] {
    var elements: [Element] = []
    scan: for token in tokens where !budget.isSpent {
      for element in self.elements(of: token, component, isFirst: elements.isEmpty) {
        switch element {
        case .nothing: return []
        case .inexpressible where !isWidening: return []
        case .inexpressible:
          elements.append(.atom(.run))
          break scan
        case .atom, .choice, .letter: elements.append(element)
        }
      }
    }
    if Self.isWithinLimits(elements, component) { return texts(of: elements) }
    guard isWidening else {
      // The case that the pattern is written in is part of what matches.
      var other = self
      other.folds = false
      return folds ? other.texts(of: tokens, in: component) : []
    }
    let widened = elements.prefix(Self.mostTexts).map { element in
      switch element {
      case .choice(_, let wildcard): Element.atom(wildcard)
      case .letter: Element.atom(.one)
      case .atom, .nothing, .inexpressible: element
      }
    }
    return texts(of: widened + (elements.count > widened.count ? [.atom(.run)] : []))
  }

  private func texts(of elements: [Element]) -> [[Atom]] {
    var texts: [[Atom]] = [[]]
    for element in elements {
      switch element {
      case .atom(let atom): for index in texts.indices { texts[index].append(atom) }
      case .letter(_, let lower, let upper):
        texts = texts.flatMap { [$0 + [.literal(lower)], $0 + [.literal(upper)]] }
      case .choice(let choices, _): texts = texts.flatMap { text in choices.map { text + $0 } }
      case .nothing, .inexpressible: return []
      }
    }
    spend(on: texts)
    return texts.map(Self.sorted)
  }

  /// Each text takes as long as some characters.
  private func spend(on texts: [[Atom]]) {
    budget.spend(texts.reduce(0) { $0 + 8 + $1.count })
  }

  private static func isWithinLimits(_ elements: [Element], _ component: URLComponent) -> Bool {
    var (count, spellings, length) = (1, 1, 0)
    for element in elements {
      switch element {
      case .choice(let choices, _):
        count *= choices.count
        length += choices.map(\.count).max() ?? 0
      case .letter:
        spellings *= 2
        length += 1
      case .atom, .nothing, .inexpressible: length += 1
      }
      // Rules for each spelling of a name and of a value would be too many.
      if spellings > (component == .path ? mostSpellings : 1) || count * spellings > mostTexts
        || count * spellings * length > mostAtoms
      {
        return false
      }
    }
    return true
  }

  /// A wildcard behind a `*` is none for Android, so each run of wildcards becomes its `?`, then one `*`.
  private static func sorted(_ atoms: [Atom]) -> [Atom] {
    var result: [Atom] = []
    var hasRun = false
    for atom in atoms {
      switch atom {
      case .run: hasRun = true
      case .one: result.append(.one)
      case .literal:
        if hasRun { result.append(.run) }
        hasRun = false
        result.append(atom)
      }
    }
    return hasRun ? result + [.run] : result
  }

  // MARK: - Elements

  private func elements(
    of token: Pattern.Token, _ component: URLComponent, isFirst: Bool
  ) -> [Element] {
    switch token {
    case .literal(let text): return literal(text, component, isFirst: isFirst)
    case .anyRun: return [.atom(.run)]
    case .one(.any): return [.atom(.one)]
    case .one(let characterClass):
      let members = (UInt8(0)..<128).map { Unicode.Scalar($0) }.filter {
        characterClass.contains($0, foldingCase: folds)
      }
      return [.choice(members.map { [.literal($0)] }, wildcard: .one)]
    case .values(let variable):
      let values = variable.values.flatMap { texts(of: $0, in: component) }
      return values.isEmpty ? [.nothing] : [.choice(values, wildcard: .run)]
    case .nothing: return [.nothing]
    case .runUntil: return [.inexpressible]
    }
  }

  private func literal(
    _ text: [Unicode.Scalar], _ component: URLComponent, isFirst: Bool
  ) -> [Element] {
    var elements: [Element] = []
    for part in isWritten ? WrittenText(text, component).parts : text.map({ WrittenText.Part($0) })
    {
      guard part.isUsual || isWidening, let scalar = part.scalar else {
        return elements + [.inexpressible]
      }
      let isSign = scalar == "#" && component == .fragment && isFirst && elements.isEmpty
      switch scalar {
      // Neither can a wildcard be literal, nor should a fragment begin with a `#`.
      case _ where isSign || scalar == "*" || scalar == "?":
        if !isWidening { return elements + [.inexpressible] }
        elements.append(.atom(.one))
      // Android decodes the query before it looks for them.
      case "&" where component == .query, ";" where component == .query:
        return elements + [.inexpressible]
      default:
        elements.append(
          (folds && !part.isEscape ? Self.letter(scalar) : nil) ?? .atom(.literal(scalar)))
      }
    }
    return elements
  }

  /// The character as a letter; `nil` without cases.
  private static func letter(_ scalar: Unicode.Scalar) -> Element? {
    let lower = ComparedText.folded(scalar)
    let upper = lower.properties.uppercaseMapping.unicodeScalars
    guard upper.count == 1, let upper = upper.first, upper != lower,
      ComparedText.folded(upper) == lower
    else { return nil }
    return .letter(scalar, lower: lower, upper: upper)
  }
}

// MARK: - Slashes and stars

extension PatternTranslation {
  /// The forms of a path pattern that begin with a slash, as every path does.
  private static func rooted(_ atoms: [Atom]) -> [[Atom]] {
    switch atoms.first {
    case .one: return [[.literal("/")] + atoms.dropFirst()]
    case .run:
      let rest = Array(atoms.dropFirst())
      return [[.literal("/")] + atoms] + (rest.first == .literal("/") ? [rest] : [])
    case .literal, nil: return [atoms]
    }
  }

  /// Apple ignores slashes at the end, and `/*` at the end matches nothing, too.
  private static func slashForms(_ atoms: [Atom]) -> [[Atom]] {
    let atoms = withoutTrailingSlashes(atoms)
    if atoms == [.literal("/")] { return [atoms] }
    guard atoms.last == .run else { return [atoms, atoms + [.literal("/")]] }
    guard atoms.count > 2, atoms[atoms.count - 2] == .literal("/") else { return [atoms] }
    let parent = withoutTrailingSlashes(Array(atoms.dropLast()))
    let isOneSlash = parent.count + 2 == atoms.count
    return [atoms, parent] + (isOneSlash ? [] : [parent + [.literal("/")]])
  }

  /// The paths that Android matches although Apple does not: the last `?` takes the slash at their ends, which
  /// Apple drops. `nil` if there are none.
  private static func takenSlash(_ atoms: [Atom]) -> [Atom]? {
    let start = atoms.last == .run ? atoms.dropLast() : atoms[...]
    guard start.last == .one, start.count > 2 else { return nil }
    return start.dropLast() + [.literal("/")]
  }

  private static func withoutTrailingSlashes(_ atoms: [Atom]) -> [Atom] {
    var atoms = atoms
    while atoms.count > 1, atoms.last == .literal("/") { atoms.removeLast() }
    return atoms
  }

  /// The places of stars that Android does not try again where Apple would. A `*` before one last character
  /// and a `*` needs no second try.
  private static func innerStars(_ atoms: [Atom]) -> [Int] {
    atoms.indices.filter { index in
      atoms[index] == .run && index + 1 < atoms.count
        && !(index + 3 == atoms.count && atoms.last == .run)
    }
  }

  private static func count(of atoms: [Atom], tries: Int) -> Int {
    innerStars(atoms).reduce(1) { count, _ in min(count * (tries + 1), mostPatterns + 1) }
  }

  /// The pattern with each inner star replaced by up to so many more tries: `*c`, `*c*c`, `*c*c*c` for `*c`.
  private static func tried(_ atoms: [Atom], upTo tries: Int) -> [[Atom]] {
    let stars = Set(innerStars(atoms))
    var results: [[Atom]] = [[]]
    for (index, atom) in atoms.enumerated() {
      guard stars.contains(index) else {
        for number in results.indices { results[number].append(atom) }
        continue
      }
      results = results.flatMap { result in
        (0...tries).map { count in
          result + (0..<count).flatMap { _ in [.run, atoms[index + 1]] } + [.run]
        }
      }
    }
    return results
  }

  /// A pattern that matches all that this one does, and more, but has no inner star to try again.
  private static func widened(_ atoms: [Atom]) -> [Atom] {
    guard let star = innerStars(atoms).first else { return atoms }
    return atoms[...(star + 1)] + [.run]
  }
}

/// The text of a pattern that is compared with the URL as it is written, decoded.
struct WrittenText {
  struct Part {
    /// The character; `nil` for an escape that cannot be decoded.
    let scalar: Unicode.Scalar?
    let isEscape: Bool
    /// Whether URLs usually have the character written in this way.
    let isUsual: Bool

    init(_ scalar: Unicode.Scalar?, isEscape: Bool = false, isUsual: Bool = true) {
      (self.scalar, self.isEscape, self.isUsual) = (scalar, isEscape, isUsual)
    }
  }

  private(set) var parts: [Part] = []

  init(_ text: [Unicode.Scalar], _ component: URLComponent) {
    var index = 0
    while index < text.count {
      guard text[index] == "%" else {
        let scalar = text[index]
        parts.append(Part(scalar, isUsual: Self.isRaw(scalar, in: component)))
        index += 1
        continue
      }
      var end = index
      while end < text.count, text[end] == "%" { end = min(end + 3, text.count) }
      let written = Array(String(text[index..<end]).utf8)
      let decoded = String(
        decoding: ComparedText.decoded(written.span, written.indices), as: UTF8.self)
      // Escapes with small letters, or of what needs none, are not usual.
      let encoded = decoded.utf8.map(\.percentEscaped).joined()
      let isDecoded = encoded.utf8.map(\.asciiLowercased) == written.map(\.asciiLowercased)
      for scalar in (isDecoded ? decoded : "%").unicodeScalars {
        parts.append(
          Part(
            isDecoded ? scalar : nil, isEscape: true,
            isUsual: isDecoded && encoded.utf8.elementsEqual(written)
              && !Self.isRaw(scalar, in: component)))
      }
      index = end
    }
  }

  /// Whether URLs have the character without an escape (RFC 3986, section 3.3 to 3.5; browsers also leave
  /// brackets and `|`).
  static func isRaw(
    _ scalar: Unicode.Scalar, in component: URLComponent
  ) -> Bool {
    guard scalar.isASCII else { return false }
    let marks = component == .path ? "-._~!$&'()*+,;=:@/[]|" : "-._~!$&'()*+,;=:@/[]|?"
    return UInt8(scalar.value).isASCIILetterOrDigit || marks.unicodeScalars.contains(scalar)
  }
}
