import Association

/// A second reading of the patterns of manifests, as the format describes them, on the text itself.
struct SlowPatternMatcher {
  let pattern: String
  let kind: PatternMatcher.Kind

  func matches(_ text: String) -> Bool {
    switch kind {
    case .literal: text == pattern
    case .prefix: text.hasPrefix(pattern)
    case .suffix: text.hasSuffix(pattern)
    case .simpleGlob: Self.simple(Array(pattern)[...], Array(text)[...])
    case .advancedGlob: Self.advanced(Array(pattern)[...], Array(text)[...])
    }
  }

  private static func simple(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>)
    -> Bool
  {
    if pattern.isEmpty { return text.isEmpty }
    if text.isEmpty { return pattern.elementsEqual(".*") }
    var rest = pattern.dropFirst()
    var character = pattern.first
    let isEscaped = character == "\\"
    if isEscaped { character = rest.popFirst() }
    guard rest.first == "*" else {
      let fits = !isEscaped && character == "." || text.first == character
      return fits && simple(rest, text.dropFirst())
    }
    rest = rest.dropFirst()
    if isEscaped || character != "." { return simple(rest, text.drop { $0 == character }) }
    guard var sought = rest.popFirst() else { return true }
    if sought == "\\" { sought = rest.popFirst() ?? "\0" }
    let found = text.drop { $0 != sought }
    return !found.isEmpty && simple(rest, found.dropFirst())
  }

  private static func advanced(
    _ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>
  ) -> Bool {
    var pattern = pattern
    guard let first = pattern.popFirst() else { return text.isEmpty }
    var isMember: (Character) -> Bool = { $0 == first }
    switch first {
    case ".": isMember = { _ in true }
    case "\\":
      let literal = pattern.popFirst()
      isMember = { $0 == literal }
    case "[":
      let isNegated = pattern.first == "^"
      if isNegated { pattern.removeFirst() }
      var ranges: [ClosedRange<Character>] = []
      while let low = pattern.popFirst(), low != "]" {
        if pattern.first == "-", let high = pattern.dropFirst().first, high != "]" {
          pattern = pattern.dropFirst(2)
          ranges.append(low...high)
        } else {
          ranges.append(low...low)
        }
      }
      isMember = { character in ranges.contains { $0.contains(character) } != isNegated }
    default: break
    }
    var counts = 1...1
    switch pattern.first {
    case "*": counts = 0...Int.max
    case "+": counts = 1...Int.max
    case "{":
      let body = pattern.dropFirst().prefix { $0 != "}" }
      let numbers = String(body).split(separator: ",", omittingEmptySubsequences: false)
      let least = Int(numbers[0]) ?? 0
      counts = least...(numbers.count == 1 ? least : Int(numbers[1]) ?? Int.max)
      pattern = pattern.dropFirst(body.count + 1)
    default: pattern = [" "] + pattern
    }
    pattern = pattern.dropFirst()
    let taken = text.prefix { isMember($0) }.prefix(min(counts.upperBound, text.count))
    return taken.count >= counts.lowerBound && advanced(pattern, text.dropFirst(taken.count))
  }
}
