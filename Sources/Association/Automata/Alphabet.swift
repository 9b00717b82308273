/// A component of a URL that patterns are compared with.
enum URLComponent: Int, CaseIterable {
  case path, query, fragment
}

/// All characters that URLs can contain, grouped so that no route distinguishes members of a group.
///
/// Each group is a *symbol*: every character that some pattern names is its own symbol, and all
/// other characters share one. So the alphabet is small, and a statement about all words over it
/// holds for all URLs.
final class Alphabet {
  /// What the words of the alphabet represent.
  enum Reading: Int, CaseIterable {
    /// URLs as written, for routes with `percentEncoded`.
    case written
    /// Percent-decoded URLs, for the other routes.
    case decoded
    /// URLs without percent-encoding, which both kinds of routes compare in the same way. These are
    /// not all URLs.
    case unescaped
    /// URLs without percent-encoding and without `;` in the query, which Apple's routes and Android's
    /// rules compare in the same way. Here a path may end in a slash, which Apple ignores.
    case common
    /// Percent-decoded URLs as Android's rules see them, with any slashes, without `;` in the query.
    case android
  }

  typealias Symbol = Int

  /// The end of a component. A word has exactly three of them.
  static let end: Symbol = 0

  let reading: Reading
  private(set) var slash: Symbol = 0
  /// A slash at the end of a path that has more than this slash; -1 if the reading leaves it out.
  private(set) var trailingSlash: Symbol = -1
  /// The separator of query items.
  private(set) var ampersand: Symbol = 0
  /// The separator of an item's name and value.
  private(set) var equalsSign: Symbol = 0

  /// The character of each symbol; `nil` for the end, and for the last symbol, which stands for all
  /// characters that no pattern names.
  private var characters: [Unicode.Scalar?] = [nil]
  private var written = Letters()
  private var folded = Letters()
  private var classes: [UInt16] = [0]
  /// The symbols that each component may contain, starting with those that make the most readable
  /// URLs.
  private var usable: [[Symbol]] = []
  /// For each component, a character for the last symbol, as written in a URL.
  private var otherTexts: [String?] = []

  /// The letters of symbols: the first symbol with the same character is the letter of all.
  private struct Letters {
    var characterLetters: [Unicode.Scalar: Automaton.Letter] = [:]
    var symbolLetters: [Automaton.Letter] = [0]
    var symbols: [[Symbol]] = [[]]

    mutating func append(_ character: Unicode.Scalar?) {
      let symbol = symbolLetters.count
      let letter = character.flatMap { characterLetters[$0] } ?? Automaton.Letter(symbol)
      if let character { characterLetters[character] = letter }
      symbolLetters.append(letter)
      symbols.append([])
      symbols[Int(letter)].append(symbol)
    }

    func letters(of text: [Unicode.Scalar]) -> [Automaton.Letter] {
      text.map { characterLetters[$0] ?? Automaton.noLetter }
    }
  }

  private(set) lazy var builder = AutomatonBuilder { [written, folded] in
    $1 ? folded.letters(of: $0.map(ComparedText.folded)) : written.letters(of: $0)
  }

  /// The smallest alphabet that distinguishes whatever the patterns of these routes distinguish.
  init(_ reading: Reading, _ routes: some Sequence<RouteConditions>) {
    self.reading = reading
    var vocabulary = Vocabulary()
    for route in routes { vocabulary.add(route) }
    let named = vocabulary.characters.union("/&=%".unicodeScalars).filter(canOccur)
    for character in named.sorted() { add(character) }
    slash = symbol(of: "/")
    ampersand = symbol(of: "&")
    equalsSign = symbol(of: "=")
    // In a decoded query, an escaped delimiter is a character like any other.
    if reading == .decoded { for delimiter in "&=".unicodeScalars { add(delimiter) } }
    if reading == .common {
      trailingSlash = characters.count
      add("/")
    }
    add(nil)
    otherTexts = URLComponent.allCases.map { component in
      Self.preferred.first { !named.contains($0) && canStand($0, in: component) }
        .map { text(of: $0) }
    }
    usable = URLComponent.allCases.map(usableSymbols)
  }

  /// The number of symbols, including the end.
  var count: Int { characters.count }

  /// The letters of a text; with `folds`, of the text with its case folded.
  func letters(of text: [Unicode.Scalar], folds: Bool) -> [Automaton.Letter] {
    folds ? folded.letters(of: text.map(ComparedText.folded)) : written.letters(of: text)
  }

  /// The letter that stands for a symbol in automata; with `folds`, for it in either case.
  func letter(of symbol: Symbol, folds: Bool) -> Automaton.Letter {
    folds ? folded.symbolLetters[symbol] : written.symbolLetters[symbol]
  }

  func symbols(of letter: Automaton.Letter, folds: Bool) -> [Symbol] {
    if letter == Automaton.noLetter { return [] }
    return folds ? folded.symbols[Int(letter)] : written.symbols[Int(letter)]
  }

  /// The character classes of a symbol, one bit per class.
  func classes(of symbol: Symbol) -> UInt16 { classes[symbol] }

  /// The symbols that a character class, given by the number of its bit, tells from the others: its
  /// members, or for a class with the unnamed characters, the symbols that are none.
  func exits(ofClass bit: Int) -> SymbolAutomaton.Exits { classExits[bit] }

  private lazy var classExits: [SymbolAutomaton.Exits] = (0..<UInt16.bitWidth).map { bit in
    let isMember = { (symbol: Symbol) in self.classes[symbol] >> UInt16(bit) & 1 != 0 }
    let isOpen = isMember(count - 1)
    let symbols = (1..<count).filter { isMember($0) != isOpen }
    return SymbolAutomaton.Exits(symbols: symbols, isOpen: isOpen)
  }

  /// The symbols that a component may contain, except the end.
  func symbols(in component: URLComponent) -> [Symbol] { usable[component.rawValue] }

  /// The URL that a word stands for.
  func url(_ word: [Symbol], domain: String) -> String {
    var url = "https://\(domain)"
    var (component, isFirst) = (URLComponent.path, false)
    for symbol in word {
      if symbol == Self.end {
        (component, isFirst) = (URLComponent(rawValue: component.rawValue + 1) ?? .fragment, true)
      } else {
        if isFirst { url += component == .query ? "?" : "#" }
        isFirst = false
        url += text(of: symbol, in: component)
      }
    }
    return url
  }

  // MARK: - Building

  private func add(_ character: Unicode.Scalar?) {
    written.append(character)
    folded.append(character.map(ComparedText.folded))
    classes.append(character.map(CharacterClass.bits) ?? CharacterClass.otherBits)
    characters.append(character)
  }

  private func symbol(of character: Unicode.Scalar) -> Symbol {
    Int(written.characterLetters[character] ?? 0)
  }

  /// Whether URLs can contain the character at all.
  private func canOccur(_ character: Unicode.Scalar) -> Bool {
    switch reading {
    case .decoded, .android: true
    case .written: ("!"..."~").contains(character)
    case .unescaped, .common: ("!"..."~").contains(character) && character != "%"
    }
  }

  private func canStand(_ character: Unicode.Scalar, in component: URLComponent) -> Bool {
    if reading == .decoded { return true }
    if reading == .android { return component != .query || character != ";" }
    return switch component {
    case .path: character != "?" && character != "#"
    case .query: character != "#" && (reading != .common || character != ";")
    case .fragment: true
    }
  }

  private func usableSymbols(in component: URLComponent) -> [Symbol] {
    let other = count - 1
    let named = (1..<other).filter { symbol in
      guard let character = characters[symbol] else { return false }
      if symbol == trailingSlash { return false }
      // Outside the query, an escaped delimiter is the same as a raw one.
      return canStand(character, in: component)
        && (component == .query || !isEscapedDelimiter(symbol))
    }
    let isPlain = { (symbol: Symbol) in
      self.characters[symbol].map { Self.unreserved.contains($0) } ?? false
    }
    let others = otherTexts[component.rawValue] == nil ? [] : [other]
    return others + named.filter(isPlain) + named.filter { !isPlain($0) }
  }

  // MARK: - Writing

  /// RFC 3986, section 2.3.
  private static let unreserved = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".unicodeScalars)

  /// Characters for an example, the plainest first. `%` is not among them, since it would need two
  /// digits after it.
  private static let preferred =
    Array("xyzabcdefghijklmnopqrstuvw0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_~.".unicodeScalars)
    + Array("!$'()*+,;:@?|[]{}^`\"<>\\#\u{e9}\u{e8}\u{3b1}\u{4e00}\u{4e01}".unicodeScalars)

  /// How a symbol is written in a URL.
  private func text(of symbol: Symbol, in component: URLComponent) -> String {
    guard let character = characters[symbol] else { return otherTexts[component.rawValue] ?? "" }
    return isEscapedDelimiter(symbol) && symbol != trailingSlash
      ? Self.escape(character) : text(of: character)
  }

  private func isEscapedDelimiter(_ symbol: Symbol) -> Bool {
    written.symbolLetters[symbol] != symbol
  }

  private func text(of character: Unicode.Scalar) -> String {
    guard reading == .decoded || reading == .android else { return String(character) }
    let isPlain =
      Self.unreserved.contains(character) || "/!$'()*+,;:@&=".unicodeScalars.contains(character)
    return isPlain ? String(character) : Self.escape(character)
  }

  private static func escape(_ character: Unicode.Scalar) -> String {
    String(character).utf8.map(\.percentEscaped).joined()
  }
}

/// The characters that routes name.
private struct Vocabulary {
  private var named: Set<Unicode.Scalar> = []
  /// The characters that are compared without regard to case.
  private var folded: Set<Unicode.Scalar> = []
  /// The variables whose values were added.
  private var variables: [Bool: Set<Pattern.Variable>] = [:]

  /// All characters, with those that differ from a folded one only in case.
  var characters: Set<Unicode.Scalar> {
    named.union(folded).union(folded.flatMap(Self.sameFolded))
  }

  mutating func add(_ route: RouteConditions) {
    for tokens in route.patterns { add(tokens, route.folds) }
    for pattern in route.filters.patterns { named.formUnion(pattern.steps.flatMap(\.characters)) }
    switch route.query {
    case .items(let items): for item in items { add(item.name, route.folds) }
    case .irregular(let names): for name in names { add(name, true) }
    case .whole, .parameters: break
    }
  }

  private mutating func add(_ tokens: [Pattern.Token], _ folds: Bool) {
    for token in tokens {
      switch token {
      case .literal(let literal): add(literal, folds)
      case .runUntil(let end): add([end], folds)
      case .one(let one) where !one.isOpen: add(Self.alphanumeric, folds)
      case .values(let variable):
        guard variables[folds, default: []].insert(variable).inserted else { continue }
        for value in variable.values { add(value, folds) }
      case .one, .anyRun, .nothing: break
      }
    }
  }

  private mutating func add(_ characters: [Unicode.Scalar], _ folds: Bool) {
    if folds { folded.formUnion(characters) } else { named.formUnion(characters) }
  }

  private static let alphanumeric = (UInt8(0)..<128).map { Unicode.Scalar($0) }.filter {
    CharacterClass.alnum.contains($0, foldingCase: false)
  }

  /// Capital letters that differ from the upper-case form of their lower-case letter.
  private static let looseCapitals = Array(
    "\u{212A}\u{212B}\u{2126}\u{1E9E}\u{3F4}\u{1C5}\u{1C8}\u{1CB}\u{1F2}".unicodeScalars)

  /// The characters that folding maps to the same character as this one.
  private static func sameFolded(_ character: Unicode.Scalar) -> [Unicode.Scalar] {
    let folded = ComparedText.folded(character)
    let properties = folded.properties
    let mappings = [properties.uppercaseMapping, properties.titlecaseMapping].flatMap {
      $0.unicodeScalars.count == 1 ? Array($0.unicodeScalars) : []
    }
    return [folded] + (mappings + looseCapitals).filter { ComparedText.folded($0) == folded }
  }
}
