/// One pattern of an association file as it reads, before it is compiled.
///
/// Apple's page applinks.Details.Components: `*` is any run of characters, `?` exactly one,
/// `$(name)` one of a variable's values, everything else itself. There is no way to escape them.
public struct Pattern: Sendable {
  /// A part of a pattern.
  public enum Token: Sendable {
    /// Characters that stand for themselves; never empty.
    case literal([Unicode.Scalar])
    /// `?`: exactly one character, `/` included.
    case anyOne
    /// `*`: any run of characters, also none. Several in a row are one token.
    case anyRun
    /// A predefined variable that is one character, such as `$(digit)`.
    case one(CharacterClass)
    /// A variable with its values, of which there is at least one.
    case values(Variable)
    /// A variable that is not defined or has no value: nothing matches it.
    case nothing(variable: String)
  }

  /// A variable in a pattern.
  public struct Variable: Sendable {
    /// The name between `$(` and `)`.
    public let name: String
    /// What each value reads as: literals, `?` and `*` only. No value is empty.
    public let values: [[Token]]
    /// Whether the values are changed to begin a path, and so are others than elsewhere.
    let beginsPath: Bool

    init(name: String, values: [[Token]], beginsPath: Bool = false) {
      self.name = name
      self.values = values
      self.beginsPath = beginsPath
    }

    /// What tells the values of a pattern's variables apart.
    struct Identity: Hashable {
      private let name: [UInt8]
      private let beginsPath: Bool

      init(_ variable: Variable) {
        name = Array(variable.name.utf8)
        beginsPath = variable.beginsPath
      }
    }
  }

  /// Something in the text that its author cannot have meant.
  public enum Flaw: Sendable {
    /// A variable that the document does not define and Apple does not predefine.
    case undefinedVariable(name: String)
    /// A variable that has no value, or none that is a string with a character in it.
    case emptyVariable(name: String)
    /// A `$(` without its `)`, which is taken literally.
    case unterminatedVariable
    /// A `$` that no `(` follows, which is taken literally.
    case loneDollar
  }

  /// The text as the document has it.
  public let text: String
  /// What the text reads as, from left to right.
  public let tokens: [Token]
  /// What is wrong with the text, from left to right.
  public let flaws: [Flaw]

  /// Reads a pattern of `components`, in which variables count.
  public init(_ text: String, variables: SubstitutionVariables) {
    self.init(text, reading: { variables[$0] }, areVariablesRead: true)
  }

  /// Reads a pattern of `paths`, or the value of a variable, in which `$(name)` is literal text.
  public init(withoutVariables text: String) {
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
        reader.append(.anyOne)
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
    flaws = reader.flaws
  }

  private static func scalars(of text: String) -> [Unicode.Scalar] {
    // Nearly all patterns are ASCII, of which the number of scalars is known beforehand.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.map { Unicode.Scalar($0) } }
    return Array(text.unicodeScalars)
  }
}

extension String {
  /// A string of these scalars.
  init(_ scalars: some Sequence<Unicode.Scalar>) {
    var view = UnicodeScalarView()
    view.append(contentsOf: scalars)
    self.init(view)
  }
}

/// Collects the tokens of a pattern.
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

  /// Reads what follows a `$`. The characters `$`, `(` and `)` cannot be part of a name (Apple's
  /// page applinks.SubstitutionVariables), so one of the first two shows that the `)` is missing.
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
    case .values(let values) where !values.isEmpty:
      return .values(Pattern.Variable(name: name, values: values))
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
