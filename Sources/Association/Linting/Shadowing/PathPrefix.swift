/// The literal text that a route's paths begin with: enough to see that most routes have no URL in
/// common, before any automaton is built.
struct PathPrefix {
  /// In lower case, and without slashes at the end, which a path may lack.
  private let text: [Unicode.Scalar]
  /// Whether nothing follows.
  private let isWhole: Bool

  init(_ path: Pattern?) {
    let tokens = path?.pathTokens ?? []
    guard case .literal(var text)? = tokens.first else {
      self.text = []
      isWhole = false
      return
    }
    while text.last == "/" { text.removeLast() }
    self.text = text.map(ComparedText.folded)
    isWhole = tokens.count == 1
  }

  /// One path in ASCII, in normal form.
  init(whole path: [UInt8]) {
    var text = path.map { Unicode.Scalar($0.asciiLowercased) }
    while text.last == "/" { text.removeLast() }
    self.text = text
    isWhole = true
  }

  /// Whether some path may begin with both.
  func mayMeet(_ other: PathPrefix) -> Bool {
    if isWhole, text.count < other.text.count { return false }
    if other.isWhole, other.text.count < text.count { return false }
    // Most differ near the end, after what all paths of a site begin with.
    return (0..<min(text.count, other.text.count)).reversed().allSatisfy {
      text[$0] == other.text[$0]
    }
  }
}
