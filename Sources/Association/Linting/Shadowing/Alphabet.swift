/// The characters of all URLs that can exist, in classes that no route tells apart.
///
/// A class is a *symbol*: every character that some pattern names is one, all the others together
/// are one. So there are few symbols, and what holds for all words over them holds for all URLs.
struct Alphabet {
  /// What the words of the alphabet are.
  enum Reading: Hashable {
    /// URLs as they are written, as routes with `percentEncoded` compare them.
    case written
    /// URLs after decoding, as the other routes compare them.
    case decoded
    /// URLs without any escape, on which both kinds of routes agree. They are not all URLs.
    case unescaped
  }

  /// A component of a URL. Each is followed by `Alphabet.end` in a word.
  enum Component: Int, Hashable {
    case path, query, fragment
  }

  typealias Symbol = Int

  /// The end of a component, of which a word has exactly three.
  static let end: Symbol = 0

  let reading: Reading
  /// The trees of variables that were built over this alphabet.
  let trees = VariableTrees()
  /// The slash, the ampersand that parts query items, and the sign that parts name from value.
  private(set) var slash: Symbol = 0
  private(set) var ampersand: Symbol = 0
  private(set) var equalsSign: Symbol = 0

  /// What a symbol stands for: one character, or for the last symbol all that have none.
  private var characters: [Unicode.Scalar?] = [nil]
  private var symbolsOfCharacter: [Unicode.Scalar: [Symbol]] = [:]
  private var symbolsOfFolded: [Unicode.Scalar: [Symbol]] = [:]
  /// The symbols that may stand in each component, those that make the nicest URLs first.
  private var usable: [[Symbol]] = [[], [], []]
  private var other: Symbol = 0
  private var otherText: [String?] = [nil, nil, nil]

  /// The alphabet that tells apart what the patterns of these routes do.
  init(_ reading: Reading, routes: some Sequence<AppLinks.Route>) {
    self.reading = reading
    var vocabulary = Vocabulary()
    for route in routes { vocabulary.add(route) }
    let named = vocabulary.characters.union("/&=%".unicodeScalars).filter(canOccur)
    for character in named.sorted() { add(character) }
    slash = symbol(of: "/")
    ampersand = symbol(of: "&")
    equalsSign = symbol(of: "=")
    if reading == .decoded { addEscapedDelimiters() }
    other = characters.count
    characters.append(nil)
    for component in [Component.path, .query, .fragment] {
      otherText[component.rawValue] = Self.preferred.first {
        !named.contains($0) && canStand($0, in: component)
      }.map { escaped($0, in: component) }
      usable[component.rawValue] = usableSymbols(in: component)
    }
  }

  /// How many symbols there are, the end included.
  var count: Int { characters.count }

  /// The symbols of a character; with `foldingCase`, in either case. None if it cannot occur.
  func symbols(of character: Unicode.Scalar, foldingCase: Bool) -> [Symbol] {
    foldingCase
      ? symbolsOfFolded[ComparedText.folded(character)] ?? []
      : symbolsOfCharacter[character] ?? []
  }

  /// The symbols of the characters in a class.
  func symbols(of characterClass: CharacterClass, foldingCase: Bool) -> [Symbol] {
    characters.indices.filter { symbol in
      guard let character = characters[symbol] else { return false }
      let compared = foldingCase ? ComparedText.folded(character) : character
      return characterClass.contains(compared, foldingCase: foldingCase)
    }
  }

  /// The symbols that may stand in a component, besides the end.
  func symbols(in component: Component) -> [Symbol] { usable[component.rawValue] }

  /// How the symbol is written in a URL.
  func text(of symbol: Symbol, in component: Component) -> String {
    guard let character = characters[symbol] else { return otherText[component.rawValue] ?? "" }
    let isEscapedDelimiter =
      component == .query && reading == .decoded && (character == "&" || character == "=")
      && symbol != ampersand && symbol != equalsSign
    return isEscapedDelimiter ? Self.escape(character) : escaped(character, in: component)
  }

  // MARK: - Building

  private mutating func add(_ character: Unicode.Scalar) {
    symbolsOfCharacter[character, default: []].append(characters.count)
    symbolsOfFolded[ComparedText.folded(character), default: []].append(characters.count)
    characters.append(character)
  }

  /// In a decoded query, an escaped delimiter is a character like any other.
  private mutating func addEscapedDelimiters() {
    add("&")
    add("=")
  }

  private func symbol(of character: Unicode.Scalar) -> Symbol {
    symbolsOfCharacter[character]?.first ?? 0
  }

  /// Whether the character can be part of a component at all.
  private func canOccur(_ character: Unicode.Scalar) -> Bool {
    switch reading {
    case .decoded: true
    case .written: ("!"..."~").contains(character)
    case .unescaped: ("!"..."~").contains(character) && character != "%"
    }
  }

  private func canStand(_ character: Unicode.Scalar, in component: Component) -> Bool {
    if reading == .decoded { return true }
    return switch component {
    case .path: character != "?" && character != "#"
    case .query: character != "#"
    case .fragment: true
    }
  }

  private func usableSymbols(in component: Component) -> [Symbol] {
    let isDelimiter = { (symbol: Symbol) in symbol == ampersand || symbol == equalsSign }
    let named = (1..<other).filter { symbol in
      guard let character = characters[symbol] else { return false }
      let isDouble = reading == .decoded && component != .query && isDelimiter(symbol)
      return canStand(character, in: component) && !isDouble
    }
    let isPlain = { (symbol: Symbol) in
      characters[symbol].map { Self.unreserved.contains($0) } ?? false
    }
    let others = otherText[component.rawValue] == nil ? [] : [other]
    return others + named.filter(isPlain) + named.filter { !isPlain($0) }
  }

  // MARK: - Writing

  /// RFC 3986, section 2.3.
  private static let unreserved = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".unicodeScalars)

  /// Characters for an example, the plainest first. The escape is none: its digits would follow.
  private static let preferred =
    Array("xyzabcdefghijklmnopqrstuvw0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_~.".unicodeScalars)
    + Array("!$'()*+,;:@?|[]{}^`\"<>\\#\u{e9}\u{e8}\u{3b1}\u{4e00}\u{4e01}".unicodeScalars)

  private func escaped(_ character: Unicode.Scalar, in component: Component) -> String {
    guard reading == .decoded else { return String(character) }
    let isPlain =
      Self.unreserved.contains(character) || "/!$'()*+,;:@&=".unicodeScalars.contains(character)
    return isPlain ? String(character) : Self.escape(character)
  }

  private static func escape(_ character: Unicode.Scalar) -> String {
    let digits = Array("0123456789ABCDEF")
    return String(character).utf8.reduce(into: "") { text, byte in
      text += "%"
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
  }
}

/// The characters that routes name.
private struct Vocabulary {
  private var named: Set<Unicode.Scalar> = []
  /// Those that are compared without case.
  private var folded: Set<Unicode.Scalar> = []
  /// The variables whose values were added.
  private var variables: [Bool: Set<[UInt8]>] = [:]

  /// All characters, those that differ from others only in case included.
  var characters: Set<Unicode.Scalar> {
    named.union(folded).union(folded.flatMap(Self.sameFolded))
  }

  mutating func add(_ route: AppLinks.Route) {
    let foldingCase = !route.isCaseSensitive
    for pattern in route.patterns { add(pattern.tokens, foldingCase) }
    if case .items(let items) = route.query {
      for item in items { add(item.name.unicodeScalars, foldingCase) }
    }
  }

  private mutating func add(_ tokens: [Pattern.Token], _ foldingCase: Bool) {
    for token in tokens {
      switch token {
      case .literal(let literal): add(literal, foldingCase)
      case .one: add(Self.letters, foldingCase)
      case .values(let variable):
        let name = Array(variable.name.utf8)
        guard variables[foldingCase, default: []].insert(name).inserted else { continue }
        for value in variable.values { add(value, foldingCase) }
      case .anyOne, .anyRun, .nothing: break
      }
    }
  }

  private mutating func add(_ characters: some Sequence<Unicode.Scalar>, _ foldingCase: Bool) {
    if foldingCase { folded.formUnion(characters) } else { named.formUnion(characters) }
  }

  private static let letters = (UInt8(0)..<128).map { Unicode.Scalar($0) }.filter {
    CharacterClass.alnum.contains($0, foldingCase: false)
  }

  /// Capitals that are not the upper case of the small letter that they fold to.
  private static let looseCapitals = Array(
    "\u{212A}\u{212B}\u{2126}\u{1E9E}\u{3F4}\u{1C5}\u{1C8}\u{1CB}\u{1F2}".unicodeScalars)

  /// The characters that a comparison without case takes for this one.
  private static func sameFolded(_ character: Unicode.Scalar) -> [Unicode.Scalar] {
    let folded = ComparedText.folded(character)
    let properties = folded.properties
    let mappings = [properties.uppercaseMapping, properties.titlecaseMapping].flatMap {
      $0.unicodeScalars.count == 1 ? Array($0.unicodeScalars) : []
    }
    return [folded] + (mappings + looseCapitals).filter { ComparedText.folded($0) == folded }
  }
}

extension AppLinks.Route {
  /// All patterns of the route.
  var patterns: [Pattern] {
    let ofQuery: [Pattern] =
      switch query {
      case .any, .ignored: []
      case .whole(let pattern): [pattern]
      case .items(let items): items.map(\.pattern)
      }
    return [path, fragment].compactMap(\.self) + ofQuery
  }
}
