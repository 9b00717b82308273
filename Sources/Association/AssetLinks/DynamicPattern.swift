/// A pattern of a dynamic rule, in UTF-16.
///
/// `*` is any characters up to the first one that the pattern has next, without a second try; at the end it
/// is anything. `?` is any one unit. Neither can be escaped. A wildcard right behind a `*` loses its
/// meaning: what the `*` looks for is then a dot (Google's page "Configure website associations", the page
/// of `<data>`, and AOSP's DalComponentParser and PatternMatcher).
struct DynamicPattern: Sendable {
  static let star = UInt16(UInt8(ascii: "*"))
  static let one = UInt16(UInt8(ascii: "?"))
  static let dot = UInt16(UInt8(ascii: "."))
  static let slash = UInt16(UInt8(ascii: "/"))

  let units: [UInt16]
  /// What precedes the first wildcard.
  let literalCount: Int
  /// Whether there is no wildcard.
  let isLiteral: Bool
  /// Whether the only wildcard is a `*` at the end.
  let isPrefix: Bool

  init(_ text: String) { self.init(Array(text.utf16)) }

  init(_ units: [UInt16]) {
    self.units = units
    let wildcard = units.firstIndex { Self.isWildcard($0) }
    literalCount = wildcard ?? units.count
    isLiteral = wildcard == nil
    isPrefix = wildcard == units.count - 1 && units.last == Self.star
  }

  var text: String { String(decoding: units, as: UTF16.self) }

  /// Whether the text is part of the pattern.
  func has(_ part: String) -> Bool { units.contains(Array(part.utf16)) }

  static func isWildcard(_ unit: UInt16) -> Bool { unit == star || unit == one }

  /// Whether the pattern covers the whole text.
  ///
  /// - Parameter steps: Reduced by the work.
  func matches(_ text: [UInt16], _ steps: inout Int) -> Bool {
    steps -= 1 + min(units.count, text.count)
    if isLiteral { return text == units }
    if isPrefix { return text.starts(with: units.dropLast()) }
    var place = 0
    var index = 0
    while index < units.count {
      let unit = units[index]
      index += 1
      if unit == Self.star {
        guard index < units.count else { return true }
        let next = units[index]
        index += 1
        let sought = Self.isWildcard(next) ? Self.dot : next
        guard let found = text[place...].firstIndex(of: sought) else {
          steps -= text.count - place
          return false
        }
        steps -= found - place
        place = found + 1
        guard next == Self.star else { continue }
        guard place < text.count, text[place] == Self.star else { return false }
        place += 1
      } else {
        guard place < text.count, unit == Self.one || text[place] == unit else { return false }
        place += 1
      }
    }
    return place == text.count
  }

  /// Whether the pattern covers the whole text, for a few short texts.
  func matches(_ text: [UInt16]) -> Bool {
    var steps = 0
    return matches(text, &steps)
  }
}
