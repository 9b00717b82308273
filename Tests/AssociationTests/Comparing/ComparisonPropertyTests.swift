import Association
import Testing

/// What comparisons of random documents say, against resolving all small URLs.
@Suite struct ComparisonPropertyTests {
  private static let urls: [String] = {
    let paths = [""] + everyText(of: ["a", "b", "A", "/", "%61"], upTo: 3).map { "/" + $0 }
    let ends = ["", "?x=a", "#a", "?X=a#A"]
    return paths.flatMap { path in ends.map { "https://example.com\(path)\($0)" } }
  }()

  /// Some small URL that two documents resolve differently.
  private static func difference(_ from: JSON, _ to: JSON) throws -> String? {
    let old = try Matcher(document: from)
    let new = try Matcher(document: to)
    for app in ["a", "b", "c"] {
      let (before, after) = (old.scope(of: app), new.scope(of: app))
      let url = try urls.first {
        try old.resolve($0, in: before).resolution != new.resolve($0, in: after).resolution
      }
      if let url { return "\(app) \(url)" }
    }
    return nil
  }

  @Test func aDocumentWrittenOtherwiseHasNoChange() throws {
    var generator = SeededGenerator(seed: 4_711)
    for trial in 0..<600 {
      let document = RandomDocument(&generator)
      let (one, other) = (document.json(&generator), document.json(&generator))
      let changes = try DocumentComparison(from: one, to: other).changes.map(\.text)
      #expect(changes.isEmpty, "trial \(trial): \(one.text) \(other.text)")
      if !changes.isEmpty { return }
    }
  }

  @Test func whatIsSaidOfLinksHoldsForAllSmallURLs() throws {
    var generator = SeededGenerator(seed: 20_26)
    var (different, unknown, unshown) = (0, 0, 0)
    for trial in 0..<250 {
      let document = RandomDocument(&generator)
      let from = document.json(&generator)
      let to = document.edited(&generator).json(&generator)
      let comparison = try DocumentComparison(from: from, to: to)
      let fault = try Self.fault(comparison, from, to)
      #expect(fault == nil, "trial \(trial): \(from.text) \(to.text)")
      if fault != nil { return }
      if comparison.affectsLinks == nil { unknown += 1 }
      if try Self.difference(from, to) != nil {
        different += 1
        if comparison.affectsLinks != true { unshown += 1 }
      }
    }
    #expect(different > 100)
    #expect(unshown == 0)
    #expect(unknown < 10)
  }

  @Test func withoutExamplesAComparisonListsTheSameAndSaysThatEffectsAreUnknown() throws {
    var generator = SeededGenerator(seed: 4_712)
    var effects = 0
    for trial in 0..<200 {
      let document = RandomDocument(&generator)
      let states = [document.json(&generator), document.edited(&generator).json(&generator)].map {
        DomainComparison.State(ReadDocuments([.apple: $0]), nil)
      }
      func changes(findsExamples: Bool) throws -> [DocumentChange] {
        try DomainComparison(
          of: DomainName("example.com"), from: states[0], to: states[1],
          findsExamples: findsExamples
        ).changes
      }
      let (with, without) = try (changes(findsExamples: true), changes(findsExamples: false))
      // An equal route whose variable changed is listed only with an example.
      let expected = with.map(\.summary)
      let listed = without.map(\.summary)
      #expect(Set(listed).isSubset(of: expected), "trial \(trial)")
      #expect(
        Set(expected).subtracting(listed).isEmpty || with.contains { $0.what == .variable },
        "trial \(trial): \(expected) \(listed)")
      #expect(without.flatMap(\.examples).count == 0)
      for change in with where change.affectsLinks == true {
        effects += 1
        let same = without.filter { $0.summary == change.summary }
        #expect(same.allSatisfy { $0.affectsLinks == nil }, "trial \(trial): \(change.summary)")
      }
    }
    #expect(effects > 100)
  }

  /// What is false in a comparison.
  private static func fault(_ comparison: DocumentComparison, _ from: JSON, _ to: JSON) throws
    -> String?
  {
    let (old, new) = try (Matcher(document: from), Matcher(document: to))
    for example in comparison.changes.flatMap(\.examples) {
      let before = try old.resolve(example.url, in: old.scope(of: example.app)).resolution
      let after = try new.resolve(example.url, in: new.scope(of: example.app)).resolution
      if before != example.before || after != example.after || before == after {
        return "\(example) is wrong"
      }
    }
    guard comparison.affectsLinks == false, let url = try difference(from, to) else { return nil }
    return "\(url) resolves differently, and \(comparison.changes.map(\.text)) say nothing of it"
  }

  @Test func everyPairOfRoutesThatDecideDifferentlyHasAnExample() throws {
    var generator = SeededGenerator(seed: 18)
    let paths = ["/*", "/a", "/b", "/a*", "/?a", "/A", "/b/*", "*b"]
    let document = { (routes: [JSON]) -> JSON in
      ["applinks": ["details": [["appIDs": ["a"], "components": .array(routes)]]]]
    }
    var moves = 0
    for trial in 0..<300 {
      var routes = (0..<5).map { _ -> JSON in
        let exclude = JSON.bool(Bool.random(using: &generator))
        return ["/": .string(paths.randomElement(using: &generator) ?? ""), "exclude": exclude]
      }
      let from = document(routes)
      if trial % 3 == 0 { routes.removeLast() }
      routes.shuffle(using: &generator)
      let to = document(routes)
      let (old, new) = try (Matcher(document: from), Matcher(document: to))
      let pair = { (url: String) throws -> [String]? in
        let before = try old.explain(url, in: old.scope(of: "a"))
        let after = try new.explain(url, in: new.scope(of: "a"))
        if before.resolution == after.resolution { return nil }
        return [before.route?.description ?? "", after.route?.description ?? ""]
      }
      let changes = try DocumentComparison(from: from, to: to).changes
      let shown = try Set(changes.flatMap(\.examples).compactMap { try pair($0.url) })
      let expected = try Set(Self.urls.compactMap { try pair($0) })
      #expect(expected.isSubset(of: shown), "trial \(trial): \(from.text) \(to.text)")
      moves += changes.filter { $0.kind == .moved && $0.examples.count > 1 }.count
    }
    #expect(moves > 20)
  }
}
