/// The first bytes of a path, a word to eight of them.
struct PathHead: Sendable {
  static let size = 16

  private(set) var low: UInt64 = 0
  private(set) var high: UInt64 = 0

  /// The first bytes; where there are fewer, zeros follow.
  init(_ bytes: some Sequence<UInt8>) {
    var shift: UInt64 = 0
    for byte in bytes.prefix(Self.size) {
      if shift < 64 {
        low |= UInt64(byte) &<< shift
      } else {
        high |= UInt64(byte) &<< (shift - 64)
      }
      shift += 8
    }
  }

  /// The first bytes of a part of a text; where there are fewer, zeros follow.
  @inline(__always)
  init(_ text: Span<UInt8>, _ range: Range<Int>, folds: Bool) {
    var shift: UInt64 = 0
    for index in range.lowerBound..<min(range.upperBound, range.lowerBound + Self.size) {
      let byte = folds ? text[index].asciiLowercased : text[index]
      if shift < 64 {
        low |= UInt64(byte) &<< shift
      } else {
        high |= UInt64(byte) &<< (shift - 64)
      }
      shift += 8
    }
  }
}

/// What the head of a path must be for a route to match: a look at two words that passes over most
/// routes that do not.
struct PathFilter: Sendable {
  private let head: PathHead
  private let mask: PathHead
  let form: ComparedForm

  /// Lets pass what begins with these bytes; further ones than a head has do not count.
  init(prefix: [UInt8], form: ComparedForm) {
    head = PathHead(prefix)
    mask = PathHead(prefix.map { _ in 0xFF })
    self.form = form
  }

  @inline(__always)
  func lets(_ path: PathHead) -> Bool {
    ((path.low ^ head.low) & mask.low) | ((path.high ^ head.high) & mask.high) == 0
  }
}

/// The head of a URL's path as it is written, and with ASCII letters in lower case.
struct PathHeads: Sendable {
  let written: PathHead
  let folded: PathHead

  init(_ url: Span<UInt8>, path: Range<Int>) {
    written = path.isEmpty ? PathHead([UInt8(ascii: "/")]) : PathHead(url, path, folds: false)
    folded = path.isEmpty ? written : PathHead(url, path, folds: true)
  }
}
