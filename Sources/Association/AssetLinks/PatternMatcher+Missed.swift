extension PatternMatcher {
  /// A path that the author of a simple pattern may mean, and that does not match: `.*` inside the pattern ends at the
  /// first of the character behind it, and is not tried again (AOSP, `PatternMatcher.matchPattern`).
  ///
  /// - Returns: The path, and the character; `nil` if there is none.
  package var missed: (path: String, at: Unicode.Scalar)? {
    guard kind == .simpleGlob else { return nil }
    // What the pattern has itself may match by chance.
    let own = Set(steps.flatMap(\.characters))
    let other = "abcdefghijklmnopqrstuvwxyz".unicodeScalars.first { !own.contains($0) }
    for (place, step) in steps.enumerated() {
      guard case .until(let sought) = step else { continue }
      for filler in ["a", other].compactMap(\.self) {
        guard let path = Self.path(steps, repeating: place, filler),
          case let text = String(String.UnicodeScalarView(path)), !isMatch(text)
        else { continue }
        return (text, sought)
      }
    }
    return nil
  }

  /// The pattern behind a `.*` at the start that takes nothing, because the slash of every path ends it; `nil` for any
  /// other pattern, and if every path matches.
  package var behindIdleStar: String? {
    guard kind == .simpleGlob, steps.first == .until("/"), steps.count > 1, steps[1] != .rest,
      text.hasPrefix(".*/")
    else { return nil }
    return String(text.dropFirst(2))
  }

  /// A text for steps, in which the character of one `.*` comes twice.
  private static func path(
    _ steps: [Step], repeating place: Int, _ filler: Unicode.Scalar
  ) -> [Unicode.Scalar]? {
    var path: [Unicode.Scalar] = []
    for (index, step) in steps.enumerated() {
      switch step {
      case .run(let characters, let least, _):
        if case .one(let character) = characters {
          path += Array(repeating: character, count: least)
        } else {
          path += Array(repeating: filler, count: least)
        }
      case .until(let sought):
        let start: [Unicode.Scalar] = path.isEmpty ? ["/"] : []
        // The slash of every path ends it at once.
        path += path.isEmpty && sought == "/" ? start : start + [filler, sought]
        path += index == place ? [filler, sought] : []
      case .rest: path += path.isEmpty ? ["/", filler] : [filler]
      case .end: return nil
      }
    }
    return path.first == "/" ? path : nil
  }

  /// Whether a path matches. Many paths are compared by an automaton; this is for one.
  package func isMatch(_ path: String) -> Bool {
    var rest = Array(path.unicodeScalars)[...]
    for step in steps {
      switch step {
      case .run(let characters, let least, let most):
        // A simple pattern's `c*` needs something to look at.
        if kind == .simpleGlob && rest.isEmpty { return false }
        var count = 0
        while let next = rest.first, count < most ?? .max, characters.has(next) {
          (count, rest) = (count + 1, rest.dropFirst())
        }
        if count < least { return false }
      case .until(let sought):
        guard let end = rest.firstIndex(of: sought) else { return false }
        rest = rest[end...].dropFirst()
      case .rest: return true
      case .end(let text):
        return rest.count >= text.count && rest.suffix(text.count).elementsEqual(text)
      }
    }
    return rest.isEmpty
  }
}

extension PatternMatcher.Characters {
  fileprivate func has(_ character: Unicode.Scalar) -> Bool {
    switch self {
    case .one(let own): own == character
    case .some(let own): own.contains(character)
    case .allBut(let others): !others.contains(character)
    }
  }
}
