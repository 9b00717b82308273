/// A pattern of an app's manifest, of one of the kinds that Android's class of the same name knows.
///
/// Android walks text and pattern from the left and never goes back (the pages of `<data>` and of PatternMatcher, and
/// AOSP's source). So a pattern is a list of steps, each of which takes as much as it can.
package struct PatternMatcher: Sendable, Hashable {
  /// How an attribute reads its text; the raw value is the end of the attribute's name.
  package enum Kind: String, Sendable, CaseIterable {
    case literal = ""
    case prefix = "Prefix"
    case suffix = "Suffix"
    /// `.` is one character, `c*` all that follow of one, and `.*` anything up to the first character that the
    /// pattern has next.
    case simpleGlob = "Pattern"
    /// `.`, sets such as `[^a-z]`, and `*`, `+`, `{2,3}` behind them.
    case advancedGlob = "AdvancedPattern"
  }

  /// Why Android refuses a pattern, for people.
  package struct Malformed: Error {
    package let message: String
  }

  /// The characters that a step takes.
  enum Characters: Sendable, Hashable {
    case one(Unicode.Scalar)
    case some(Set<Unicode.Scalar>)
    case allBut(Set<Unicode.Scalar>)

    static let any = Characters.allBut([])
  }

  enum Step: Sendable, Hashable {
    /// As many of these characters as there are, up to a number.
    case run(Characters, least: Int, most: Int?)
    /// Everything up to the first one that is this, and that one.
    case until(Unicode.Scalar)
    case rest
    /// Everything, which must end in this; only as the last step.
    case end([Unicode.Scalar])

    static func one(_ character: Unicode.Scalar) -> Step {
      .run(.one(character), least: 1, most: 1)
    }

    static let oneOfAny = Step.run(.any, least: 1, most: 1)

    /// The number of places in the step.
    var size: Int {
      switch self {
      case .run(_, let least, let most): max(1, most ?? least + 1)
      case .until, .rest: 1
      case .end(let text): text.count + 1
      }
    }
  }

  package let kind: Kind
  /// As the manifest has it, with the escapes of XML and of Android's resources resolved.
  package let text: String
  let steps: [Step]

  package init(_ text: String, _ kind: Kind) throws(Malformed) {
    let scalars = Array(text.unicodeScalars)
    guard scalars.count <= Self.longest else {
      throw Malformed(
        message: "It has more than \(Self.longest) characters, and is not compared.")
    }
    steps =
      switch kind {
      case .literal: scalars.map(Step.one)
      case .prefix: scalars.map(Step.one) + [.rest]
      case .suffix: [.end(scalars)]
      case .simpleGlob: Self.steps(ofSimple: scalars)
      case .advancedGlob: try Self.steps(ofAdvanced: scalars)
      }
    (self.kind, self.text) = (kind, text)
    if size > Self.mostPlaces {
      throw Malformed(message: "It has repetitions or sets that are too large to compare.")
    }
  }

  private init(_ steps: [Step], _ kind: Kind) {
    (self.steps, self.kind, text) = (steps, kind, "")
  }

  /// Any text that is not empty.
  static let notEmpty = PatternMatcher([.run(.any, least: 1, most: nil)], .advancedGlob)

  /// The limit of Android for an advanced pattern.
  private static let longest = 2048
  private static let mostPlaces = 8192

  /// A measure of the memory that an automaton takes.
  var size: Int { steps.reduce(0) { $0 + $1.size + $1.characters.count } }

  // MARK: - Simple patterns

  private static func steps(ofSimple text: [Unicode.Scalar]) -> [Step] {
    var steps: [Step] = []
    var rest = text[...]
    /// The next character, and whether a backslash makes it literal.
    func next() -> (Unicode.Scalar, isEscaped: Bool)? {
      guard let first = rest.popFirst() else { return nil }
      return first == "\\" ? (rest.popFirst() ?? "\0", true) : (first, false)
    }
    while let (character, isEscaped) = next() {
      let isAny = character == "." && !isEscaped
      guard rest.first == "*" else {
        steps.append(isAny ? .oneOfAny : .one(character))
        continue
      }
      rest.removeFirst()
      if !isAny {
        steps.append(.run(.one(character), least: 0, most: nil))
      } else if let (sought, _) = next() {
        steps.append(.until(sought))
      } else {
        steps.append(.rest)
      }
    }
    return steps
  }

  // MARK: - Advanced patterns

  private static func steps(
    ofAdvanced text: [Unicode.Scalar]
  ) throws(Malformed) -> [Step] {
    var steps: [Step] = []
    var rest = text[...]
    var mayRepeat = false
    while let character = rest.popFirst() {
      switch character {
      case "*", "+", "{":
        guard mayRepeat, case .run(let characters, _, _)? = steps.popLast() else {
          throw Malformed(message: "Nothing before \"\(character)\" can be repeated.")
        }
        let (least, most) =
          character == "{" ? try range(&rest) : (character == "*" ? 0 : 1, nil)
        steps.append(.run(characters, least: least, most: most))
        mayRepeat = false
        continue
      // Android skips it.
      case "}": continue
      case ".": steps.append(.oneOfAny)
      case "[": steps.append(.run(try set(&rest), least: 1, most: 1))
      case "\\": steps.append(.one(try escaped(&rest)))
      default: steps.append(.one(character))
      }
      mayRepeat = true
    }
    return steps
  }

  private static func escaped(
    _ rest: inout ArraySlice<Unicode.Scalar>
  ) throws(Malformed) -> Unicode.Scalar {
    guard let character = rest.popFirst() else {
      throw Malformed(message: "Nothing follows the last backslash.")
    }
    return character
  }

  /// Reads the rest of `{2}`, `{2,}` or `{2,3}`.
  private static func range(
    _ rest: inout ArraySlice<Unicode.Scalar>
  ) throws(Malformed) -> (least: Int, most: Int?) {
    guard let end = rest.firstIndex(of: "}") else {
      throw Malformed(message: "A \"{\" has no \"}\".")
    }
    let numbers = rest[..<end].split(
      separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    rest = rest[end...].dropFirst()
    let least = numbers.first.flatMap { Int(String($0)) }
    let last = numbers.count == 2 && numbers[1].isEmpty ? nil : numbers.last
    let most = last.map { Int(String($0)) }
    guard let least, least >= 0, most != .some(nil) else {
      throw Malformed(message: "Between \"{\" and \"}\", only numbers and one comma are allowed.")
    }
    if let most = most ?? nil, most < least {
      throw Malformed(message: "The first number between \"{\" and \"}\" is above the second.")
    }
    return (min(least, mostPlaces), (most ?? nil).map { min($0, mostPlaces) })
  }

  /// Reads the rest of `[a-z]` or `[^a-z]`.
  private static func set(
    _ rest: inout ArraySlice<Unicode.Scalar>
  ) throws(Malformed) -> Characters {
    let isNegated = rest.first == "^"
    if isNegated { rest.removeFirst() }
    var members: Set<Unicode.Scalar> = []
    while let character = rest.popFirst() {
      if character == "]" {
        if members.isEmpty { throw Malformed(message: "A set is empty.") }
        return isNegated ? .allBut(members) : .some(members)
      }
      let first = character == "\\" ? try escaped(&rest) : character
      guard rest.first == "-", let after = rest.dropFirst().first, after != "]" else {
        members.insert(first)
        continue
      }
      rest.removeFirst()
      let end = try escaped(&rest)
      let last = end == "\\" ? try escaped(&rest) : end
      guard first <= last, Int(last.value - first.value) < mostPlaces else {
        throw Malformed(
          message: "The range \"\(first)-\(last)\" is empty or too large to compare.")
      }
      members.formUnion((first.value...last.value).compactMap { Unicode.Scalar($0) })
    }
    throw Malformed(message: "A \"[\" has no \"]\".")
  }
}

extension PatternMatcher.Step {
  /// The characters that the step tells from others.
  var characters: [Unicode.Scalar] {
    switch self {
    case .run(.one(let character), _, _): [character]
    case .run(.some(let members), _, _), .run(.allBut(let members), _, _): Array(members)
    case .until(let end): [end]
    case .rest: []
    case .end(let text): text
    }
  }
}
