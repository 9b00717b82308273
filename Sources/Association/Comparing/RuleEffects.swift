import JSONValue

/// A dynamic rule prepared for comparison.
struct ComparedRule {
  let rule: AssetLinks.Rule
  let json: JSON
  /// Equal only for rules that say the same.
  let meaning: String

  var pointer: JSONPointer { rule.pointer }

  /// The rules of a statement; `nil` if it has none that Android reads.
  static func rules(of statement: AssetLinks.Statement, _ json: JSON) -> [ComparedRule]? {
    guard case .list(let rules) = statement.rules else { return nil }
    let written = json["relation_extensions"]?[Relation.handleAllURLs.description]?[
      AssetLinks.Rules.key]?.arrayValue
    return zip(rules, written ?? []).map { rule, json in
      let words = rule.conditions.map(\.words).sorted().joined(separator: " and ")
      return ComparedRule(
        rule: rule, json: json, meaning: (rule.isExclusion ? "exclusion " : "rule ") + words)
    }
  }

  /// The rule in words.
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

extension DynamicPattern {
  fileprivate var isSearchable: Bool {
    !units.contains(Self.one) || !units.contains(where: UTF16.isSurrogate)
  }
}

/// Finds the effects of changes of dynamic rules on links, with examples that the matchers of both files
/// confirm.
final class RuleEffects {
  fileprivate let before: AndroidMatcher
  fileprivate let after: AndroidMatcher
  private let domain: String?

  init(_ from: AssetLinks, _ to: AssetLinks, domain: String?) throws(TooComplex) {
    (before, after) = (try AndroidMatcher(from), try AndroidMatcher(to))
    self.domain = domain
  }

  /// The effect of adding or removing everything that lets an app open links.
  func effect(ofAll package: String) -> DocumentChange.Effect {
    guard let domain else { return .unknown }
    let home = "https://\(domain)/"
    if let found = confirmation(home, for: package) { return .example(found.example) }
    let rules = { (matcher: AndroidMatcher) in matcher.rules(of: package) ?? [] }
    let (old, new) = (rules(before), rules(after))
    let lists = RuleLists(self, old, new, of: package, domain)
    var effect = DocumentChange.Effect.none
    for index in old.indices {
      effect = effect.joined(with: lists.effect(from: index, to: nil))
      if case .example = effect { return effect }
    }
    for index in new.indices {
      effect = effect.joined(with: lists.effect(from: nil, to: index))
      if case .example = effect { return effect }
    }
    // Where the manifest decides on one side, not only a rule's URLs differ.
    return before.isDecidedByManifest(package) || after.isDecidedByManifest(package)
      ? .unknown : effect
  }

  func lists(
    _ old: [ComparedRule], _ new: [ComparedRule], of package: String
  ) -> RuleLists {
    RuleLists(
      self, old.map(\.rule), new.map(\.rule), of: package, domain,
      isSearchable: (old + new).allSatisfy(\.isSearchable))
  }

  /// The URL as an example, if the matchers resolve it differently.
  fileprivate func confirmation(
    _ url: String, for package: String
  ) -> DifferenceAnalysis.Confirmation? {
    var budget = MatchingBudget(steps: 1_000_000)
    do throws(TooComplex) {
      let old = try before.resolve(url.utf8.span, for: package, budget: &budget)
      let new = try after.resolve(url.utf8.span, for: package, budget: &budget)
      if old == new { return nil }
      return DifferenceAnalysis.Confirmation(
        example: DocumentChange.Example(url: url, app: package, before: old, after: new),
        before: try before.rule(deciding: url.utf8.span, for: package, budget: &budget),
        after: try after.rule(deciding: url.utf8.span, for: package, budget: &budget))
    } catch {
      return nil
    }
  }
}

/// The rules of an app before and after.
final class RuleLists {
  private let effects: RuleEffects
  private let package: String
  private let old: [DifferenceAnalysis.RankedRoute]
  private let new: [DifferenceAnalysis.RankedRoute]
  private let analysis: DifferenceAnalysis
  private let isSearchable: Bool

  fileprivate init(
    _ effects: RuleEffects, _ old: [AssetLinks.Rule], _ new: [AssetLinks.Rule], of package: String,
    _ domain: String?, isSearchable: Bool = true
  ) {
    (self.effects, self.package, self.isSearchable) = (effects, package, isSearchable)
    let conditions = (old + new).map { RouteConditions($0, reading: .android) }
    analysis = DifferenceAnalysis(conditions: { conditions }, domain: domain)
    let numbers = Interning()
    let ranked = { (rule: AssetLinks.Rule) in
      DifferenceAnalysis.RankedRoute(
        AnalyzedRoute(
          RouteConditions(rule, reading: .android),
          language: numbers.number(of: Array(rule.words.utf8))), isExclusion: rule.isExclusion)
    }
    (self.old, self.new) = (old.map(ranked), new.map(ranked))
  }

  /// The effect of adding, removing, moving or changing a rule, given its place in both lists.
  func effect(from before: Int?, to after: Int?) -> DocumentChange.Effect {
    let deciders = [
      before.map {
        DifferenceAnalysis.Decider(place: $0, isBefore: true, list: old, other: new)
      },
      after.map {
        DifferenceAnalysis.Decider(place: $0, isBefore: false, list: new, other: old)
      },
    ].compactMap(\.self)
    return analysis.effect(of: deciders, isSearchable: isSearchable) {
      effects.confirmation($0, for: package)
    }
  }
}

/// Matches the rules of one list with those of another: equal ones first, in the longest order that both
/// have, then those between them.
struct RuleAlignment {
  /// A rule that is not the same at the same place.
  struct Step {
    let from: Int?
    let to: Int?
    var isMoved = false
  }

  private(set) var steps: [Step] = []

  /// - Parameters:
  ///   - from: The meanings of the first list.
  ///   - to: The meanings of the second list.
  init(_ from: [String], _ to: [String]) {
    var places: [String: [Int]] = [:]
    for (place, meaning) in to.enumerated().reversed() {
      places[meaning, default: []].append(place)
    }
    var equal: [PlacePair] = []
    for (place, meaning) in from.enumerated() {
      if let other = places[meaning]?.popLast() { equal.append(PlacePair(from: place, to: other)) }
    }
    let kept = PlacePair.longestRising(equal)
    let isKept = Set(kept.map(\.from))
    let moved = equal.filter { !isKept.contains($0.from) }
    let (isOld, isNew) = (Set(equal.map(\.from)), Set(equal.map(\.to)))
    // What stands between the same two kept rules on both sides is one changed rule, if it is one.
    var start = (from: 0, to: 0)
    for end in kept + [PlacePair(from: from.count, to: to.count)] {
      let old = (start.from..<end.from).filter { !isOld.contains($0) }
      let new = (start.to..<end.to).filter { !isNew.contains($0) }
      if old.count == new.count {
        steps += zip(old, new).map { Step(from: $0, to: $1) }
      } else {
        steps += old.map { Step(from: $0, to: nil) } + new.map { Step(from: nil, to: $0) }
      }
      start = (min(end.from + 1, from.count), min(end.to + 1, to.count))
    }
    steps += moved.map { Step(from: $0.from, to: $0.to, isMoved: true) }
  }
}
