/// The variables that a document's patterns may name: its own and the predefined ones.
///
/// Apple's page applinks.SubstitutionVariables. Names are case-sensitive. If a document defines a
/// predefined name itself, its own values apply; Apple does not document this case.
package struct SubstitutionVariables: Sendable {
  enum Definition: Sendable {
    case one(CharacterClass)
    /// Any of the variable's values. There may be none.
    case values(Pattern.Variable)
  }

  // Keyed by UTF-8, since `String ==` treats canonically equivalent names as equal.
  private let own: [[UInt8]: Definition]

  /// Reads the value of `applinks.substitutionVariables`.
  ///
  /// A member that is not an array defines nothing. Elements that are not strings, or are empty, are
  /// ignored. A `$(name)` in a value is literal text, since values cannot name variables.
  package init(_ json: JSON?) {
    var own: [[UInt8]: Definition] = [:]
    for member in json?.objectValue?.members ?? [] {
      guard let elements = member.value.arrayValue else { continue }
      own[Array(member.key.utf8)] = Self.values(member.key, elements.compactMap(\.stringValue))
    }
    self.own = own
  }

  /// The meaning of a name; `nil` if neither the document nor Apple defines it.
  subscript(name: String) -> Definition? {
    if let definition = own[Array(name.utf8)] { return definition }
    if let characterClass = CharacterClass.variables.first(where: { $0.rawValue == name }) {
      return .one(characterClass)
    }
    return switch name {
    case "region": Self.region
    case "lang": Self.lang
    default: nil
    }
  }

  /// The names that Apple predefines.
  package static let predefinedNames =
    CharacterClass.variables.map(\.rawValue) + ["region", "lang"]

  private static let region = values("region", regionCodes)
  private static let lang = values("lang", languageCodes)

  private static func values(_ name: String, _ texts: [String]) -> Definition {
    let values = texts.filter { !$0.isEmpty }.map { Pattern(withoutVariables: $0).tokens }
    return .values(Pattern.Variable(name: name, values: values))
  }
}
