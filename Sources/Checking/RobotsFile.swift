/// A `robots.txt` (RFC 9309), with the misspellings that Google's parser understands.
package struct RobotsFile: Sendable {
  /// A line that allows or disallows paths.
  package struct Rule: Sendable, Equatable {
    /// Whether it allows them.
    package let isAllowed: Bool
    /// The number of its line, from 1.
    package let line: Int
    /// Its line, as it is written.
    package let text: String
    /// The group that it is in: the agent, or `*`.
    package let group: String
    fileprivate let pattern: [UInt8]

    /// The line that outweighs it for a path, in the same group; `nil` if none can, because it is more specific.
    package func outweighing(_ path: String) -> String? {
      if pattern.count <= path.utf8.count { return "Allow: \(path)" }
      return pattern.count == path.utf8.count + 1 ? "Allow: \(path)$" : nil
    }
  }

  /// A longer file is read up to here (RFC 9309 section 2.5).
  package static let limit = 512_000

  /// The rules of the groups that name each agent; `nil` if none does.
  private var own: [[Rule]?]
  /// Those of the groups of `*`.
  private var general: [Rule] = []

  /// Reads what a file says to an agent of several names. Lines that are no rules have no effect.
  ///
  /// - Parameter agents: The names; the first one with groups of its own decides.
  package init(_ bytes: [UInt8], for agents: [String]) {
    own = agents.map { _ in nil }
    let tokens = agents.map { $0.lowercased() }
    var named: Set<Int> = []
    var (isGeneral, isInRules) = (false, false)
    for (number, line) in Self.lines(bytes).enumerated() {
      guard let (name, value) = Self.field(line) else { continue }
      switch name {
      case "user-agent", "useragent", "user agent":
        if isInRules { (named, isGeneral, isInRules) = ([], false, false) }
        let token = Self.agent(value)
        if token == "*" { isGeneral = true }
        if let place = tokens.firstIndex(where: { $0 == token }) {
          named.insert(place)
          own[place] = own[place] ?? []
        }
      case "allow", "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
        isInRules = true
        // An empty one allows everything, as no rule does.
        if value.isEmpty { continue }
        let rule = { (group: String) in
          Rule(
            isAllowed: name == "allow", line: number + 1,
            text: String(decoding: line, as: UTF8.self), group: group, pattern: Self.decoded(value))
        }
        for place in named { own[place]?.append(rule(agents[place])) }
        if isGeneral { general.append(rule("*")) }
      // Others, such as Sitemap, end no group.
      default: continue
      }
    }
  }

  /// The rule that keeps the agent from a path; `nil` if it may fetch it. The agent's own groups decide, and
  /// without any those of `*`: the rule with the longest pattern, and of two, the one that allows.
  package func rule(against path: String) -> Rule? {
    let path = Self.decoded(path.utf8)
    var decisive: Rule?
    for rule in own.lazy.compactMap(\.self).first ?? general where Self.matches(rule.pattern, path)
    {
      let isWeaker =
        decisive.map { other in
          rule.pattern.count < other.pattern.count
            || rule.pattern.count == other.pattern.count && !(rule.isAllowed && !other.isAllowed)
        } ?? false
      if !isWeaker { decisive = rule }
    }
    return decisive.flatMap { $0.isAllowed ? nil : $0 }
  }
}

extension RobotsFile {
  private typealias Bytes = ArraySlice<UInt8>

  /// The lines, which end with CR, LF or both.
  private static func lines(_ bytes: [UInt8]) -> [Bytes] {
    var rest = bytes.prefix(limit)
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    var lines: [Bytes] = []
    while !rest.isEmpty {
      let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
      lines.append(rest[rest.startIndex..<end])
      let isBoth = rest[end...].starts(with: [0x0D, 0x0A])
      rest = rest[end...].dropFirst(isBoth ? 2 : 1)
    }
    // The last line of a longer file may be a part of one.
    return bytes.count < limit ? lines : lines.dropLast()
  }

  /// The name of a field in lower case, and its value without comment. Google also reads a space in place of the
  /// colon.
  private static func field(_ line: Bytes) -> (name: String, value: Bytes)? {
    let line = trimmed(line.prefix { $0 != UInt8(ascii: "#") })
    let colon = line.firstIndex(of: UInt8(ascii: ":"))
    let words = line.split(whereSeparator: isSpace)
    guard let end = colon ?? (words.count == 2 ? words[0].endIndex : nil) else { return nil }
    let name = String(decoding: trimmed(line[..<end]), as: UTF8.self).lowercased()
    return (name, trimmed(line[end...].dropFirst()))
  }

  /// The product token of `Googlebot/2.1`, in lower case, or `*`.
  private static func agent(_ value: ArraySlice<UInt8>) -> String? {
    if value.first == UInt8(ascii: "*"), value.dropFirst().first.map(isSpace) ?? true { return "*" }
    let token = value.prefix {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || $0 == UInt8(ascii: "-")
        || $0 == UInt8(ascii: "_")
    }
    return token.isEmpty ? nil : String(decoding: token, as: UTF8.self).lowercased()
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || 0x09...0x0D ~= byte
  }

  private static func trimmed(_ bytes: Bytes) -> Bytes {
    let start = bytes.drop(while: isSpace)
    return start.dropLast(start.reversed().prefix(while: isSpace).count)
  }

  /// With `%2E` and the like in place of what they stand for, where that is unreserved (RFC 9309 section 2.2.2).
  private static func decoded(_ text: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    for byte in text {
      result.append(byte)
      guard result.count >= 3, result[result.count - 3] == UInt8(ascii: "%"),
        let code = UInt8(String(decoding: result.suffix(2), as: UTF8.self), radix: 16),
        (UInt8(ascii: "0")...UInt8(ascii: "9") ~= code
          || UInt8(ascii: "a")...UInt8(ascii: "z") ~= code | 0x20 || "-._~".utf8.contains(code))
      else { continue }
      result.removeLast(3)
      result.append(code)
    }
    return result
  }

  /// Whether a pattern with `*` and a final `$` matches the beginning of a path.
  private static func matches(_ pattern: [UInt8], _ path: [UInt8]) -> Bool {
    let isAnchored = pattern.last == UInt8(ascii: "$")
    // The places in the path up to which the pattern may have matched, in order: at most one more than it has
    // bytes, so a long pattern takes time in proportion to its length.
    var places = [0]
    for byte in isAnchored ? pattern.dropLast() : pattern[...] {
      if byte == UInt8(ascii: "*") {
        places = Array((places.first ?? 0)...path.count)
      } else {
        places = places.filter { $0 < path.count && path[$0] == byte }.map { $0 + 1 }
      }
      if places.isEmpty { return false }
    }
    return !isAnchored || places.last == path.count
  }
}
