/// A pattern of an association file, read into tokens but not compiled.
///
/// Apple's page applinks.Details.Components: `*` matches any run of characters, `?` exactly one,
/// `$(name)` one of a variable's values, everything else itself. Nothing can be escaped.
package struct Pattern: Sendable {
  package enum Token: Sendable {
    /// Characters that stand for themselves; never empty.
    case literal([Unicode.Scalar])
    /// `*`: any run of characters, including none. Consecutive stars are one token.
    case anyRun
    /// `*` of Android's dialect: any characters up to the first one that is this, and that one.
    case runUntil(Unicode.Scalar)
    /// Exactly one character: `?`, or a predefined variable such as `$(digit)`.
    case one(CharacterClass)
    /// A variable with at least one value.
    case values(Variable)
    /// A variable that is undefined or has no values: nothing matches it.
    case nothing(variable: String)
  }

  /// A variable with its values. All patterns of a document share one object per variable, and so
  /// its compiled form. Variables are equal only if they are the same object.
  package final class Variable: Sendable, Hashable {
    /// The name between `$(` and `)`.
    package let name: String
    /// The tokens of each value: literals, `?` and `*` only. No value is empty.
    package let values: [[Token]]
    /// Roughly how many states the values need in an automaton.
    let size: Int

    init(name: String, values: [[Token]]) {
      self.name = name
      self.values = values
      size = values.reduce(1 + values.count) { $0 + $1.size }
    }

    /// Whether both are the same object.
    package static func == (left: Variable, right: Variable) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// A likely mistake in the text of a pattern.
  package enum Flaw: Sendable {
    /// A variable that the document does not define and Apple does not predefine.
    case undefinedVariable(name: String)
    /// A variable without a value that is a non-empty string.
    case emptyVariable(name: String)
    /// A `$(` without a `)`, which is read literally.
    case unterminatedVariable
    /// A `$` without a `(` after it, which is read literally.
    case loneDollar
  }

  /// The text, as in the document.
  package let text: String
  /// The parts of the text, from left to right.
  package let tokens: [Token]
  /// The flaws of the text, from left to right.
  package let flaws: [Flaw]
  /// Roughly how many states the pattern needs in an automaton.
  let size: Int

  /// Reads a pattern of `components`, which may name variables.
  package init(_ text: String, variables: SubstitutionVariables) {
    self.init(text, reading: { variables[$0] }, areVariablesRead: true)
  }

  /// Reads a pattern of `paths`, or the value of a variable, in which `$(name)` is literal text.
  package init(withoutVariables text: String) {
    self.init(text, reading: { _ in nil }, areVariablesRead: false)
  }

  private init(
    _ text: String, reading definition: (String) -> SubstitutionVariables.Definition?,
    areVariablesRead: Bool
  ) {
    var reader = PatternReader()
    var rest = Self.scalars(of: text)[...]
    while let scalar = rest.first {
      switch scalar {
      case "*":
        rest.removeFirst()
        reader.appendAnyRun()
      case "?":
        rest.removeFirst()
        reader.append(.one(.any))
      case "$" where areVariablesRead:
        rest.removeFirst()
        reader.readVariable(in: &rest, definition)
      default:
        let run = rest.prefix { $0 != "*" && $0 != "?" && !(areVariablesRead && $0 == "$") }
        rest = rest[run.endIndex...]
        reader.append(run)
      }
    }
    self.text = text
    tokens = reader.finish()
    size = tokens.size
    flaws = reader.flaws
  }

  private static func scalars(of text: String) -> [Unicode.Scalar] {
    // Nearly all patterns are ASCII, so the number of scalars is known in advance.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.map { Unicode.Scalar($0) } }
    return Array(text.unicodeScalars)
  }
}

extension Pattern.Token {
  /// Whether this is `*`.
  var isAnyRun: Bool {
    if case .anyRun = self { true } else { false }
  }

  /// Whether this is a variable with values.
  var hasValues: Bool {
    if case .values = self { true } else { false }
  }

  /// Whether nothing matches this.
  var isNothing: Bool {
    if case .nothing = self { true } else { false }
  }
}

extension [Pattern.Token] {
  /// Whether this is a single `*`, which every text matches.
  var isStar: Bool { count == 1 && self[0].isAnyRun }

  /// Roughly how many states the tokens need in an automaton.
  var size: Int {
    reduce(0) { size, token in
      switch token {
      case .literal(let text): size + text.count
      case .values(let variable): size + variable.size
      case .runUntil: size + 2
      case .anyRun, .one, .nothing: size + 1
      }
    }
  }
}

extension AppLinks.Route {
  var patterns: [Pattern] { namedPatterns.map(\.pattern) }

  /// The patterns, each with the name of its query item.
  var namedPatterns: [(item: String, pattern: Pattern)] {
    [path, fragment].compactMap(\.self).map { ("", $0) } + queryPatterns
  }

  /// Those for the query.
  var queryPatterns: [(item: String, pattern: Pattern)] {
    switch query {
    case .any, .ignored: []
    case .whole(let pattern): [("", pattern)]
    case .items(let items): items.map { ($0.name, $0.pattern) }
    }
  }

  /// Whether there is no condition on the query, or only one that every query meets.
  var takesEveryQuery: Bool { queryPatterns.allSatisfy(\.pattern.tokens.isStar) }
}

extension String {
  init(_ scalars: some Sequence<Unicode.Scalar>) {
    var view = UnicodeScalarView()
    view.append(contentsOf: scalars)
    self.init(view)
  }
}

private struct PatternReader {
  private var tokens: [Pattern.Token] = []
  private var literal: [Unicode.Scalar] = []
  private(set) var flaws: [Pattern.Flaw] = []

  mutating func append(_ text: ArraySlice<Unicode.Scalar>) { literal += text }

  mutating func append(_ token: Pattern.Token) {
    flush()
    tokens.append(token)
  }

  mutating func appendAnyRun() {
    if literal.isEmpty, case .anyRun? = tokens.last { return }
    append(.anyRun)
  }

  mutating func finish() -> [Pattern.Token] {
    flush()
    return tokens
  }

  /// Reads the text after a `$`. A name cannot contain `$`, `(` or `)` (Apple's page
  /// applinks.SubstitutionVariables), so a `$` or `(` means that the `)` is missing.
  mutating func readVariable(
    in rest: inout ArraySlice<Unicode.Scalar>,
    _ definition: (String) -> SubstitutionVariables.Definition?
  ) {
    guard rest.first == "(" else {
      flaws.append(.loneDollar)
      return append(["$"])
    }
    let afterParenthesis = rest.dropFirst()
    guard let end = afterParenthesis.firstIndex(where: { "$()".unicodeScalars.contains($0) }),
      afterParenthesis[end] == ")"
    else {
      flaws.append(.unterminatedVariable)
      return append(["$"])
    }
    let name = String(afterParenthesis[..<end])
    rest = afterParenthesis[end...].dropFirst()
    append(token(for: name, definition(name)))
  }

  private mutating func token(
    for name: String, _ definition: SubstitutionVariables.Definition?
  ) -> Pattern.Token {
    switch definition {
    case .one(let characterClass): return .one(characterClass)
    case .values(let variable) where !variable.values.isEmpty: return .values(variable)
    case .values:
      flaws.append(.emptyVariable(name: name))
      return .nothing(variable: name)
    case nil:
      flaws.append(.undefinedVariable(name: name))
      return .nothing(variable: name)
    }
  }

  private mutating func flush() {
    if literal.isEmpty { return }
    tokens.append(.literal(literal))
    literal = []
  }
}
