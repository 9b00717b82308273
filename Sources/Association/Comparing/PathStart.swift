/// The first characters of a route's paths in one number: enough to see at once that two routes have
/// no URL in common.
struct PathStart {
  private var characters: UInt128 = 0
  /// All bits of the characters that are known.
  private var mask: UInt128 = 0

  init(_ path: Pattern?) {
    let prefix = path?.pathPrefix ?? []
    // What is escaped in some URLs may not be in others that a route takes for the same.
    if prefix.contains("%") { return }
    for (index, character) in prefix.prefix(16).enumerated() {
      let folded = ComparedText.folded(character)
      guard folded.isASCII else { return }
      characters |= UInt128(folded.value) << (8 * index)
      mask |= 0xFF << (8 * index)
    }
  }

  /// Whether some path may begin with both.
  func mayMeet(_ other: PathStart) -> Bool {
    (characters ^ other.characters) & mask & other.mask == 0
  }
}
