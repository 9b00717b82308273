import JSONValue

/// One walk through a document, and what it has found so far.
struct Inspection {
  let document: JSON
  /// What devices read of it.
  let links: AppLinks
  let variables: SubstitutionVariables
  /// How the patterns of each route are compared.
  let settings: [JSONPointer: PatternSettings]
  /// The names of all variables that patterns may use, by their spelling in lower case.
  private(set) lazy var variableNames = Dictionary(
    (ownVariableNames + SubstitutionVariables.predefinedNames).map { ($0.lowercased(), $0) },
    uniquingKeysWith: { first, _ in first })
  /// The variables whose values were looked at, for each way to compare them.
  var inspectedVariables: Set<InspectedVariable> = []
  private(set) var findings: [Finding] = []

  init(_ read: ReadDocument) {
    document = read.json
    links = read.links
    variables = SubstitutionVariables(document["applinks"]?["substitutionVariables"])
    settings = PatternSettings.all(links)
  }

  private var ownVariableNames: [String] {
    document["applinks"]?["substitutionVariables"]?.objectValue?.keys ?? []
  }

  /// A variable and how its values are compared.
  struct InspectedVariable: Hashable {
    let name: [UInt8]
    let isPercentEncoded: Bool
    let isCaseSensitive: Bool
  }

  /// Notes a finding at the usual severity of its code, or at another one.
  mutating func add(
    _ code: Finding.Code, severity: Finding.Severity? = nil, at pointer: JSONPointer,
    _ message: String, help: String
  ) {
    findings.append(Finding(code, severity: severity, at: pointer, message, help: help))
  }

  /// The findings in the order of their places in the file; at one place as they were found.
  func inFileOrder() -> [Finding] {
    guard findings.count > 1 else { return findings }
    return FileOrder(of: findings, in: document).findings
  }
}
