public import JSONValue

/// The variables that a document's patterns may name: its own and the predefined ones.
///
/// Apple's page applinks.SubstitutionVariables. Names are case sensitive. Where a document defines
/// a predefined name itself, its own values count; Apple does not say.
public struct SubstitutionVariables: Sendable {
  /// What a variable stands for.
  public enum Definition: Sendable {
    /// Exactly one character.
    case one(CharacterClass)
    /// One of these values, each a list of literals, `?` and `*`; no value is empty.
    case values([[Pattern.Token]])
  }

  // Keyed by UTF-8, since Swift takes two spellings of one accented letter for the same string.
  private let own: [[UInt8]: Definition]

  /// Reads the value of `applinks.substitutionVariables`.
  ///
  /// What is not an array defines nothing. In an array, what is not a string, or an empty one, is
  /// no value. A `$(name)` in a value is literal text: values may not hold variables.
  public init(_ json: JSON?) {
    var own: [[UInt8]: Definition] = [:]
    for member in json?.objectValue?.members ?? [] {
      guard let elements = member.value.arrayValue else { continue }
      own[Array(member.key.utf8)] = .values(Self.values(elements.compactMap(\.stringValue)))
    }
    self.own = own
  }

  /// What the name stands for; `nil` if neither the document nor Apple defines it.
  public subscript(name: String) -> Definition? {
    if let definition = own[Array(name.utf8)] { return definition }
    if let characterClass = CharacterClass(rawValue: name) { return .one(characterClass) }
    return switch name {
    case "region": Self.region
    case "lang": Self.lang
    default: nil
    }
  }

  /// The names that Apple predefines.
  public static let predefinedNames = CharacterClass.allCases.map(\.rawValue) + ["region", "lang"]

  private static let region = Definition.values(values(regionCodes))
  private static let lang = Definition.values(values(languageCodes))

  private static func values(_ texts: [String]) -> [[Pattern.Token]] {
    texts.lazy.filter { !$0.isEmpty }.map { Pattern(withoutVariables: $0).tokens }
  }
}
