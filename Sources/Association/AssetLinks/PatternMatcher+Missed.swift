extension PatternMatcher {
  /// A path that the author of a simple pattern may mean, and that does not match: `.*` inside the pattern ends at the
  /// first of the character behind it, and is not tried again (AOSP, `PatternMatcher.matchPattern`).
  ///
  /// - Returns: The path, and the character; `nil` if there is none.
  package var missed: (path: String, at: Unicode.Scalar)? {
    guard kind == .simpleGlob else { return nil }
    for (place, step) in steps.enumerated() {
      guard case .until(let sought) = step, let path = Self.path(steps, repeating: place),
        !Self.isMatch(steps, path)
      else { continue }
      return (String(String.UnicodeScalarView(path)), sought)
    }
    return nil
  }

  /// A text for steps, in which the character of one `.*` comes twice.
  private static func path(_ steps: [Step], repeating place: Int) -> [Unicode.Scalar]? {
    var path: [Unicode.Scalar] = []
    for (index, step) in steps.enumerated() {
      switch step {
      case .run(let characters, let least, _):
        if case .one(let character) = characters {
          path += Array(repeating: character, count: least)
        } else {
          path += Array(repeating: "a", count: least)
        }
      case .until(let sought):
        let some: [Unicode.Scalar] = (path.isEmpty ? ["/"] : []) + ["a", sought]
        path += some + (index == place ? ["a", sought] : [])
      case .rest: path += path.isEmpty ? ["/", "a"] : ["a"]
      case .end: return nil
      }
    }
    return path.first == "/" ? path : nil
  }

  private static func isMatch(_ steps: [Step], _ path: [Unicode.Scalar]) -> Bool {
    var rest = path[...]
    for step in steps {
      switch step {
      case .run(let characters, let least, let most):
        var count = 0
        while let next = rest.first, count < most ?? .max, characters.has(next) {
          (count, rest) = (count + 1, rest.dropFirst())
        }
        if count < least { return false }
      case .until(let sought):
        guard let end = rest.firstIndex(of: sought) else { return false }
        rest = rest[end...].dropFirst()
      case .rest: return true
      case .end: return false
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
