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
  let variableNames: [String: String]
  /// The variables whose values were looked at, for each way to compare them.
  var inspectedVariables: Set<InspectedVariable> = []
  private(set) var findings: [Finding] = []

  init(document: JSON) {
    self.document = document
    links = AppLinks(document: document)
    variables = SubstitutionVariables(document["applinks"]?["substitutionVariables"])
    settings = PatternSettings.all(links)
    let own = document["applinks"]?["substitutionVariables"]?.objectValue?.keys ?? []
    variableNames = Dictionary(
      (own + SubstitutionVariables.predefinedNames).map { ($0.lowercased(), $0) },
      uniquingKeysWith: { first, _ in first })
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
    let wanted = Set(findings.map(\.pointer))
    var places: [JSONPointer: Int] = [:]
    var count = 0
    func visit(_ value: JSON, at pointer: JSONPointer) {
      if wanted.contains(pointer) { places[pointer] = count }
      count += 1
      for (child, pointer) in value.children(at: pointer) { visit(child, at: pointer) }
    }
    visit(document, at: .root)
    let ranks = findings.map { places[$0.pointer] ?? count }
    return findings.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { findings[$0] }
  }
}

extension JSON {
  /// The members or elements with their places, in order.
  fileprivate func children(at pointer: JSONPointer) -> [(JSON, JSONPointer)] {
    switch self {
    case .array(let elements):
      elements.enumerated().map { ($1, pointer.appending($0)) }
    case .object(let object):
      object.members.map { ($0.value, pointer.appending($0.key)) }
    default: []
    }
  }
}
