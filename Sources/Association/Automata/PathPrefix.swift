/// The first bytes of a path, with ASCII letters in lower case; zeros follow a shorter path.
struct PathHead: Sendable {
  static let size = 16

  fileprivate let low: UInt64
  fileprivate let high: UInt64

  /// The first bytes of a range of a text.
  @inline(__always)
  init(_ text: Span<UInt8>, _ range: Range<Int>) {
    let middle = min(range.lowerBound + 8, range.upperBound)
    let end = min(range.lowerBound + Self.size, range.upperBound)
    low = Word(text, range.lowerBound..<middle).asciiLowercased.bits
    high = Word(text, middle..<end).asciiLowercased.bits
  }
}

/// The literal text that all paths of a route begin with: enough to see that a path does not match,
/// or that two routes have no URL in common, before any automaton is built.
struct PathPrefix: Sendable {
  /// The part that two words can hold: cheap to compare, and right however URLs are compared.
  struct Filter: Sendable {
    private let head: PathHead
    private let mask: PathHead

    /// - Parameters:
    ///   - text: What paths begin with. Compared up to the first `%`, which other routes may find
    ///     decoded, or the first character that is not ASCII, which folding may change.
    ///   - isWhole: Whether nothing follows.
    fileprivate init(_ text: [Unicode.Scalar], isWhole: Bool) {
      let ascii = text.prefix(PathHead.size).prefix { $0.isASCII && $0 != "%" }
        .map { UInt8($0.value) }
      let hasEnd = isWhole && ascii.count == text.count
      let ones = Array(repeating: UInt8.max, count: ascii.count + (hasEnd ? 1 : 0))
      head = PathHead(ascii.span, ascii.indices)
      mask = PathHead(ones.span, ones.indices)
    }

    /// Whether a path may begin with the prefix.
    @inline(__always)
    func allows(_ path: PathHead) -> Bool {
      ((path.low ^ head.low) & mask.low) | ((path.high ^ head.high) & mask.high) == 0
    }

    /// Whether some path may begin with both prefixes.
    @inline(__always)
    func mayMeet(_ other: Filter) -> Bool {
      ((other.head.low ^ head.low) & mask.low & other.mask.low)
        | ((other.head.high ^ head.high) & mask.high & other.mask.high) == 0
    }
  }

  let filter: Filter
  /// With case folded, and without trailing slashes, which a path may lack.
  private let text: [Unicode.Scalar]
  /// Whether nothing follows.
  private let isWhole: Bool
  private let isDecoded: Bool
  private let hasPercent: Bool

  init(_ route: RouteConditions) {
    self.init(route.path, isDecoded: route.reading == .decoded)
  }

  /// The prefix of a pattern, given as `Pattern.pathTokens`.
  init(_ path: [Pattern.Token], isDecoded: Bool) {
    var text: [Unicode.Scalar] = []
    if case .literal(let literal)? = path.first {
      text = literal
      isWhole = path.count == 1
    } else {
      isWhole = false
    }
    while text.last == "/" { text.removeLast() }
    self.isDecoded = isDecoded
    hasPercent = text.contains("%")
    filter = Filter(isWhole && text.isEmpty ? ["/"] : text, isWhole: isWhole)
    self.text = text.map(ComparedText.folded)
  }

  /// Whether some URL may match both routes. Where there are many, ask their filters first.
  func mayMeet(_ other: PathPrefix) -> Bool {
    // What one route finds escaped, another finds decoded.
    if isDecoded != other.isDecoded, isDecoded ? other.hasPercent : hasPercent { return true }
    return mayBeginAlike(other)
  }

  fileprivate func mayBeginAlike(_ other: PathPrefix) -> Bool {
    if isWhole, text.count < other.text.count { return false }
    if other.isWhole, other.text.count < text.count { return false }
    // Most differ near the end, after what all paths of a site begin with.
    return (0..<min(text.count, other.text.count)).reversed().allSatisfy {
      text[$0] == other.text[$0]
    }
  }
}

/// A path that a route certainly matches, with any query and fragment.
///
/// Only routes have one whose single condition is a path pattern of plain text, stars and question
/// marks. Nearly all are of that kind, and need no automaton to be told from routes that begin
/// differently.
struct SamplePath {
  /// With a slash at the start, and none at the end unless it is the only character.
  let text: String
  private let prefix: PathPrefix

  var filter: PathPrefix.Filter { prefix.filter }

  init?(_ route: RouteConditions) {
    guard route.isFreeAfterPath, let path = Self.path(route.path) else { return nil }
    text = String(decoding: path, as: UTF8.self)
    prefix = PathPrefix([.literal(path.map { Unicode.Scalar($0) })], isDecoded: false)
  }

  /// Whether a route with this prefix may match the path. Where there are many, ask filters first.
  func mayMatch(_ other: PathPrefix) -> Bool { prefix.mayBeginAlike(other) }

  /// The shortest path that the tokens match however URLs are compared; `nil` if they are not plain.
  private static func path(_ tokens: [Pattern.Token]) -> [UInt8]? {
    var path: [UInt8] = []
    for (index, token) in tokens.enumerated() {
      switch token {
      case .literal(let literal):
        for scalar in literal {
          guard scalar.isASCII, isPlain(UInt8(scalar.value)) else { return nil }
          path.append(UInt8(scalar.value))
        }
      case .anyOne: path.append(UInt8(ascii: "x"))
      // A star covers the slash that every path begins with, and an inner segment of its own.
      case .anyRun where index == 0: path.append(UInt8(ascii: "/"))
      case .anyRun where path.last == UInt8(ascii: "/") && index + 1 < tokens.count:
        path.append(UInt8(ascii: "x"))
      case .anyRun: break
      case .one, .values, .nothing: return nil
      }
    }
    while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
    return isNormal(path) ? path : nil
  }

  /// Whether this is a slash or what RFC 3986, section 2.3, calls unreserved, which is never escaped.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Whether no client rewrites the path: it has no empty segment, and none that begins with a dot.
  private static func isNormal(_ path: [UInt8]) -> Bool {
    zip(path, path.dropFirst()).allSatisfy { first, second in
      first != UInt8(ascii: "/") || second != first && second != UInt8(ascii: ".")
    }
  }
}
