import Association

/// A second reading of the rules of dynamic matching, as the format describes them step by step, without
/// any care for speed.
struct SlowAndroidMatcher {
  /// Well-formed rules.
  let rules: [JSON]

  /// The resolution, and the index of the rule that decides.
  func resolve(_ url: String) -> (resolution: String, rule: Int?) {
    let parts = SlowURL(Array(url.utf16))
    for (index, rule) in rules.enumerated() where Self.holds(rule, parts) {
      return (rule["exclude"]?.boolValue == true ? "blocked" : "match", index)
    }
    return ("no-match", nil)
  }

  private static func holds(_ rule: JSON, _ url: SlowURL) -> Bool {
    var conditions: [Bool] = []
    if let path = rule["/"]?.stringValue { conditions.append(covers(path, url.path)) }
    if let fragment = rule["#"]?.stringValue {
      conditions.append(url.fragment.map { covers(fragment, $0) } ?? false)
    }
    for member in rule["?"]?.objectValue?.members ?? [] {
      let pattern = "\(member.key)=\(member.value.stringValue ?? "")"
      conditions.append(url.parameters.contains { covers(pattern, $0) })
    }
    return !conditions.isEmpty && !conditions.contains(false)
  }

  private enum Token {
    case text(UInt16), any, run
  }

  private static func covers(_ pattern: String, _ text: [UInt16]) -> Bool {
    let (star, one) = (Array("*".utf16)[0], Array("?".utf16)[0])
    var tokens: [Token] = []
    var units = Array(pattern.utf16)[...]
    while let unit = units.popFirst() {
      switch unit {
      case one: tokens.append(.any)
      case star:
        tokens.append(.run)
        if units.first == one || units.first == star {
          tokens.append(.text(Array(".".utf16)[0]))
          if units.popFirst() == star { tokens.append(.text(star)) }
        }
      default: tokens.append(.text(unit))
      }
    }
    return walk(tokens[...], text[...])
  }

  private static func walk(_ tokens: ArraySlice<Token>, _ text: ArraySlice<UInt16>) -> Bool {
    guard let token = tokens.first else { return text.isEmpty }
    let rest = tokens.dropFirst()
    switch token {
    case .any: return !text.isEmpty && walk(rest, text.dropFirst())
    case .text(let unit): return text.first == unit && walk(rest, text.dropFirst())
    case .run:
      guard case .text(let sought)? = rest.first else { return rest.isEmpty }
      return walk(rest, text.drop { $0 != sought })
    }
  }
}

/// A URL in parts, decoded.
private struct SlowURL {
  let path: [UInt16]
  let parameters: [[UInt16]]
  let fragment: [UInt16]?

  init(_ url: [UInt16]) {
    let unit = { (text: String) in Array(text.utf16)[0] }
    var rest = url[...]
    let hash = rest.firstIndex(of: unit("#"))
    fragment = hash.map { Self.decoded(rest[($0 + 1)...]) }
    rest = rest[..<(hash ?? rest.endIndex)]
    let mark = rest.firstIndex(of: unit("?"))
    parameters = mark.map { Self.parameters(Self.decoded(rest[($0 + 1)...])) } ?? []
    rest = rest[..<(mark ?? rest.endIndex)]
    let authority = rest.drop { $0 != unit("/") }.dropFirst(2)
    path = Self.decoded(authority.drop { $0 != unit("/") && $0 != unit("\\") })
  }

  private static func parameters(_ query: [UInt16]) -> [[UInt16]] {
    let first = pieces(query, "&")
    return first.count == 1 ? pieces(query, ";") : first
  }

  private static func pieces(_ text: [UInt16], _ separator: String) -> [[UInt16]] {
    let separator = Array(separator.utf16)[0]
    var pieces: [[UInt16]] = [[]]
    for unit in text {
      if unit == separator {
        pieces.append([])
      } else {
        pieces[pieces.count - 1].append(unit)
      }
    }
    if pieces.count == 1 { return pieces }
    while pieces.last == [] { pieces.removeLast() }
    return pieces
  }

  /// As AOSP's UriCodec: octets wait until a unit that is no escape.
  private static func decoded(_ text: ArraySlice<UInt16>) -> [UInt16] {
    var (result, octets): ([UInt16], [UInt8]) = ([], [])
    func flush() {
      result += String(decoding: octets, as: UTF8.self).utf16
      octets = []
    }
    var rest = text
    while let unit = rest.popFirst() {
      guard unit == 0x25 else {
        flush()
        result.append(unit)
        continue
      }
      var octet = 0
      for _ in 0..<2 {
        guard let digit = rest.popFirst() else {
          flush()
          return result + [0xFFFD]
        }
        guard let scalar = Unicode.Scalar(digit), scalar.isASCII,
          let value = Character(scalar).hexDigitValue
        else {
          flush()
          result.append(0xFFFD)
          break
        }
        octet = octet * 16 + value
      }
      octets.append(UInt8(octet))
    }
    flush()
    return result
  }
}
