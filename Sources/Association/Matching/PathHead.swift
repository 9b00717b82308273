/// The first bytes of a path; where there are fewer, zeros follow.
struct PathHead: Sendable {
  static let size = 16

  let low: UInt64
  let high: UInt64

  /// The first bytes of a text, or of a part of it.
  @inline(__always)
  init(_ text: Span<UInt8>, _ range: Range<Int>, folds: Bool = false) {
    let middle = min(range.lowerBound + 8, range.upperBound)
    let end = min(range.lowerBound + Self.size, range.upperBound)
    let low = Word(text, range.lowerBound..<middle)
    let high = Word(text, middle..<end)
    self.low = folds ? low.asciiLowercased.bits : low.bits
    self.high = folds ? high.asciiLowercased.bits : high.bits
  }
}

/// The head of a URL's path as it is written, and with ASCII letters in lower case.
struct PathHeads: Sendable {
  let written: PathHead
  let folded: PathHead
}

/// What the head of a path must be for a route to match: a look at two words that passes over most
/// routes that do not.
struct PathFilter: Sendable {
  private let head: PathHead
  private let mask: PathHead
  let form: ComparedForm

  /// Lets pass what begins with these bytes; further ones than a head has do not count.
  init(prefix: [UInt8], form: ComparedForm) {
    let ones = prefix.map { _ in UInt8.max }
    head = PathHead(prefix.span, prefix.indices)
    mask = PathHead(ones.span, ones.indices)
    self.form = form
  }

  @inline(__always)
  func lets(_ path: PathHead) -> Bool {
    ((path.low ^ head.low) & mask.low) | ((path.high ^ head.high) & mask.high) == 0
  }
}
