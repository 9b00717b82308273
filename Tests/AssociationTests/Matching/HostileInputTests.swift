import Association
import Foundation
import Testing

/// No document and no URL stops the matcher, and the two ways to ask agree.
@Suite struct HostileInputTests {
  private static let pieces = [
    "/", "?", "#", "*", "$(", ")", "$(v)", "$(digit)", "$(lang)", "a", "A", "é", "%", "%C3", "%A9",
    "%2F", "&", "=", "@", ":", "[", "]", ".", "NOT ", "\u{0}", "\u{301}", "K", "https://", "x",
  ]

  /// A value of a random kind, with the words of the format in it.
  private func json(_ generator: inout SeededGenerator, depth: Int) -> JSON {
    let text = JSON.string(generator.text(of: Self.pieces, upTo: 6))
    switch Int.random(in: 0..<(depth > 0 ? 10 : 5), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return 7
    case 3, 4, 5: return text
    case 6, 7:
      return .array((0..<3).map { _ in json(&generator, depth: depth - 1) })
    default:
      return .object(
        ["/", "?", "#", "exclude", "caseSensitive", "percentEncoded", "v", "é"].reduce(
          into: JSON.Object()
        ) { object, key in
          if Bool.random(using: &generator) { object[key] = json(&generator, depth: depth - 1) }
        })
    }
  }

  private func document(_ generator: inout SeededGenerator) -> JSON {
    let entries = (0..<3).map { _ -> JSON in
      let routes = (0..<4).map { _ in json(&generator, depth: 2) }
      return [
        "appIDs": ["a", json(&generator, depth: 1)], "defaults": json(&generator, depth: 1),
        Bool.random(using: &generator) ? "components" : "paths": .array(routes),
      ]
    }
    return [
      "applinks": [
        "details": Bool.random(using: &generator) ? .array(entries) : json(&generator, depth: 3),
        "defaults": json(&generator, depth: 1),
        "substitutionVariables": ["v": json(&generator, depth: 2), "digit": ["*", "é?"]],
      ]
    ]
  }

  /// The file's document, or null: a few files in service are not JSON.
  private func document(at file: URL) throws -> JSON {
    do {
      return try JSON.parse(Data(contentsOf: file)).value
    } catch is JSON.SyntaxError {
      return .null
    }
  }

  private func check(_ matcher: Matcher, _ url: Span<UInt8>) throws {
    var budget = MatchingBudget()
    let text = String(decoding: (0..<url.count).map { url[$0] }, as: UTF8.self)
    let results = try matcher.explanations(for: text, budget: &budget)
    for (scope, result) in zip(matcher.scopes, results) {
      let decision = try matcher.resolve(text, in: scope)
      #expect(result.resolution == decision.resolution)
      let explanation = try matcher.explain(text, in: scope)
      #expect(explanation.app == scope.app && result.app == scope.app)
      #expect(explanation.reason == result.reason)
    }
    let decision = try matcher.resolve(url, in: matcher.everyEntry, budget: &budget)
    #expect((decision.route == nil) == (decision.resolution == .noMatch))
    let explanation = try matcher.explain(url, in: matcher.everyEntry, budget: &budget)
    #expect(explanation.resolution == decision.resolution)
  }

  @Test(arguments: 0..<50)
  func anyDocumentAndAnyURLResolve(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<10 {
      let matcher = try Matcher(document: document(&generator))
      for _ in 0..<10 {
        try check(matcher, ("https://a" + generator.text(of: Self.pieces, upTo: 10)).utf8.span)
        let count = Int.random(in: 0..<30, using: &generator)
        let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try check(matcher, noise.span)
        try check(matcher, (Array("https://a/".utf8) + noise).span)
      }
    }
  }

  @Test(.enabled(if: SharedFiles.exists(SharedFiles.corpus), "needs ../shared/corpus"))
  func everyFileInServiceResolvesURLs() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: SharedFiles.corpus, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "json" }
    #expect(files.count > 100)
    for file in files {
      let matcher = try Matcher(document: try document(at: file))
      for rest in ["", "/", "/a/b?c=d#e", "/.well-known/x", "/%C3%A9/?q=%20&q"] {
        try check(matcher, ("https://a" + rest).utf8.span)
      }
    }
  }
}
