/// The rules for patterns once more, as directly and slowly as they can be written: every variable
/// is replaced by each of its values, every star tries every length.
struct NaivePattern {
  private let texts: [[Character]]

  /// - Parameter variables: for each name one to many values, which may hold wildcards.
  init(_ text: String, variables: [String: [String]] = [:]) {
    var texts = [text]
    for (name, values) in variables {
      texts = texts.flatMap { text in Self.replacing("$(\(name))", in: text, with: values) }
    }
    self.texts = texts.map(Array.init)
  }

  private static func replacing(_ name: String, in text: String, with values: [String]) -> [String]
  {
    let parts = text.split(separator: name, omittingEmptySubsequences: false).map(String.init)
    return parts.dropFirst().reduce([parts[0]]) { beginnings, part in
      beginnings.flatMap { beginning in values.map { beginning + $0 + part } }
    }
  }

  /// Whether the pattern covers the text.
  func matches(_ text: String) -> Bool {
    texts.contains { Self.matches($0[...], Array(text)[...]) }
  }

  /// Whether the pattern covers the path, where slashes at the end do not count, the one in front is
  /// optional and `/*` at the end covers the parent.
  func matchesPath(_ path: String) -> Bool {
    let path = Self.withoutTrailingSlashes(Array(path))
    return texts.contains { text in
      let pattern = Self.withoutTrailingSlashes(Self.withLeadingSlash(Self.withSingleStars(text)))
      if Self.matches(pattern[...], path[...]) { return true }
      guard pattern.suffix(2) == ["/", "*"] else { return false }
      return Self.matches(Self.withoutTrailingSlashes(pattern.dropLast(2))[...], path[...])
    }
  }

  private static func matches(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>)
    -> Bool
  {
    guard let first = pattern.first else { return text.isEmpty }
    if first == "*" {
      return matches(pattern.dropFirst(), text)
        || !text.isEmpty && matches(pattern, text.dropFirst())
    }
    guard let character = text.first, first == "?" || first == character else { return false }
    return matches(pattern.dropFirst(), text.dropFirst())
  }

  private static func withSingleStars(_ text: [Character]) -> [Character] {
    text.reduce(into: []) { result, character in
      if character != "*" || result.last != "*" { result.append(character) }
    }
  }

  private static func withLeadingSlash(_ text: [Character]) -> [Character] {
    text.first == "*" ? text : ["/"] + text.drop { $0 == "/" }
  }

  private static func withoutTrailingSlashes(_ text: some Collection<Character>) -> [Character] {
    let kept = Array(Array(text).reversed().drop { $0 == "/" }.reversed())
    return kept.isEmpty ? ["/"] : kept
  }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// A text of at most so many of these pieces.
  mutating func text(of pieces: [String], upTo count: Int) -> String {
    (0..<Int.random(in: 0...count, using: &self)).reduce("") { text, _ in
      text + pieces[Int.random(in: 0..<pieces.count, using: &self)]
    }
  }
}

/// Every text of at most so many of these characters.
func everyText(of characters: [String], upTo count: Int) -> [String] {
  var texts = [""]
  var longest = [""]
  for _ in 0..<count {
    longest = longest.flatMap { text in characters.map { text + $0 } }
    texts += longest
  }
  return texts
}
