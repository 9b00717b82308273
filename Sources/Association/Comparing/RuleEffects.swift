/// A dynamic rule prepared for comparison.
struct ComparedRule {
  let rule: AssetLinks.Rule
  let json: JSON
  let identity: RouteIdentity

  var pointer: JSONPointer { rule.pointer }

  /// The rules of a statement; `nil` if it has none that Android reads.
  static func rules(
    of statement: AssetLinks.Statement, _ json: JSON, _ interning: Interning
  ) -> [ComparedRule]? {
    guard case .list(let rules) = statement.rules else { return nil }
    let written = json["relation_extensions"]?[Relation.handleAllURLs.description]?[
      AssetLinks.Rules.key]?.arrayValue
    return zip(rules, written ?? []).map {
      ComparedRule(rule: $0, json: $1, identity: RouteIdentity($0, interning))
    }
  }

  var label: String {
    (rule.isExclusion ? "exclusion" : "rule") + (rule.words.isEmpty ? "" : " for \(rule.words)")
  }

  /// Whether a search over all URLs says everything about the rule: it leaves out empty fragments and queries
  /// that are cut at `;`, and takes a character for one unit.
  fileprivate var isSearchable: Bool {
    rule.conditions.allSatisfy { condition in
      switch condition {
      case .path(let pattern): pattern.isSearchable
      case .fragment(let pattern): pattern.isSearchable && pattern.text != "*"
      case .parameter(_, let pattern): pattern.isSearchable && !pattern.has(";")
      }
    }
  }
}

extension RouteIdentity {
  fileprivate init(_ rule: AssetLinks.Rule, _ interning: Interning) {
    let words = rule.conditions.map(\.words).sorted().joined(separator: " and ")
    var path = "*"
    for case .path(let pattern) in rule.conditions { path = pattern.text }
    let number = { (text: String) in interning.number(of: Array(text.utf8)) }
    self.init(
      meaning: number((rule.isExclusion ? "exclusion " : "rule ") + words),
      conditions: number(words), path: number(path), pathText: path)
  }
}

extension DynamicPattern {
  fileprivate var isSearchable: Bool {
    !units.contains(Self.one) || !units.contains(where: UTF16.isSurrogate)
  }
}

/// Finds the effects of changes of dynamic rules on links.
struct RuleEffects {
  private let before: AndroidMatcher
  private let after: AndroidMatcher
  private let domain: String?

  init(_ from: AssetLinks, _ to: AssetLinks, domain: String?) throws(TooComplex) {
    (before, after) = (try AndroidMatcher(from), try AndroidMatcher(to))
    self.domain = domain
  }

  /// The effect of adding or removing everything that lets an app open links.
  func effect(
    ofAll package: String, _ old: [ComparedRule]?, _ new: [ComparedRule]?
  ) -> DocumentChange.Effect {
    guard let domain else { return .unknown }
    let (old, new) = (old ?? [], new ?? [])
    let comparison = comparison(old, new, of: package)
    if let home = comparison.example(at: "https://\(domain)/") { return .example(home) }
    var effect = DocumentChange.Effect.none
    let places: [(Int?, Int?)] = old.indices.map { ($0, nil) } + new.indices.map { (nil, $0) }
    for (from, to) in places {
      effect = effect.joined(with: comparison.effect(from: from, to: to))
      if case .example = effect { return effect }
    }
    // Where the manifest decides on one side, not only a rule's URLs differ.
    return before.isDecidedByManifest(package) || after.isDecidedByManifest(package)
      ? .unknown : effect
  }

  func comparison(
    _ old: [ComparedRule], _ new: [ComparedRule], of package: String
  ) -> RouteComparison {
    let effects = LinkEffects(.android(before), .android(after), domain: domain) {
      (old + new).map { RouteConditions($0.rule, reading: .android) }
    }
    return RouteComparison(
      effects, for: [package], old.map(\.identity), new.map(\.identity),
      isSearchable: (old + new).allSatisfy(\.isSearchable)
    ) { (effects.ranked(old), effects.ranked(new)) }
  }
}

extension LinkEffects {
  fileprivate func ranked(_ rules: [ComparedRule]) -> [RankedRoute] {
    rules.map {
      ranked(
        RouteConditions($0.rule, reading: .android), language: $0.identity.conditions,
        isExclusion: $0.rule.isExclusion)
    }
  }
}
