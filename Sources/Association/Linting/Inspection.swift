import JSONValue

/// One walk through a document, and what it has found so far.
struct Inspection {
  let document: JSON
  /// What devices read of it.
  let links: AppLinks
  let variables: SubstitutionVariables
  /// How the patterns of each route are compared.
  let settings: [JSONPointer: PatternSettings]
  private(set) var findings: [Finding] = []

  init(document: JSON) {
    self.document = document
    links = AppLinks(document: document)
    variables = SubstitutionVariables(document["applinks"]?["substitutionVariables"])
    settings = PatternSettings.all(links)
  }

  /// The names of all variables that patterns may use.
  var variableNames: [String] {
    let own = document["applinks"]?["substitutionVariables"]?.objectValue?.keys ?? []
    return own + SubstitutionVariables.predefinedNames
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
    let place = { (index: Int) in places[findings[index].pointer] ?? count }
    return findings.indices.sorted { (place($0), $0) < (place($1), $1) }.map { findings[$0] }
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
