import Association
import Testing

@Suite struct AndroidMatchingPropertyTests {
  private static let patternPieces = [
    "/", "/", "a", "b", "c", ".", "*", "*", "?", "/a", "a/b", "é", "😀", "+", "=", "%", "\\",
    "\u{FFFD}",
  ]
  private static let urlPieces = [
    "/", "/", "a", "b", "c", ".", "*", "%2F", "%C3%A9", "é", "😀", "%F0%9F%98%80", "%C3", "%zz",
    "%4x", "%",
    "+", "=", "&", ";", "%26", "?", "#", "\\",
  ]
  private static let names = ["a", "b", "é", "a*", "?"]

  private static func pattern(_ generator: inout SeededGenerator) -> String {
    let text = generator.text(of: patternPieces, upTo: 5)
    return text.isEmpty ? "*" : text
  }

  private static func rule(_ generator: inout SeededGenerator) -> JSON {
    var rule: JSON.Object = [:]
    if !generator.once(in: 4) {
      rule["/"] = .string((generator.once(in: 3) ? "" : "/") + pattern(&generator))
    }
    if generator.once(in: 3) {
      var query: JSON.Object = [:]
      for _ in 0..<Int(generator.next() % 3) {
        query[generator.pick(names)] = .string(pattern(&generator))
      }
      rule["?"] = .object(query)
    }
    if generator.once(in: 4) { rule["#"] = .string(pattern(&generator)) }
    if generator.once(in: 3) { rule["exclude"] = .bool(!generator.once(in: 4)) }
    return rule.isEmpty ? ["/": "*"] : .object(rule)
  }

  private static func url(_ generator: inout SeededGenerator) -> String {
    var url = generator.pick(["https://example.com", "http://user@example.com:8080"])
    url += generator.pick(["/", "/", "/", ""])
    url += generator.text(of: urlPieces, upTo: 6)
    if generator.once(in: 3) {
      url += "?" + generator.pick(names) + "=" + generator.text(of: urlPieces, upTo: 5)
    }
    if generator.once(in: 4) { url += "#" + generator.text(of: urlPieces, upTo: 3) }
    return url
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func theSlowReadingDecidesTheSame(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var counts: [Resolution: Int] = [:]
    for _ in 0..<1_000 {
      let rules = (0..<Int(1 + generator.next() % 4)).map { _ in Self.rule(&generator) }
      let links = AssetLinks(StatementList.rules(.array(rules)))
      let matcher = try AndroidMatcher(links)
      let slow = SlowAndroidMatcher(rules: rules)
      for _ in 0..<4 {
        let url = Self.url(&generator)
        let explanation = try matcher.explain(url, for: StatementList.package)
        let expected = slow.resolve(url)
        let pointer = expected.rule.map {
          "/0/relation_extensions/delegate_permission~1common.handle_all_urls"
            + "/dynamic_app_link_components/\($0)"
        }
        try #require(
          explanation.resolution.rawValue == expected.resolution
            && explanation.route?.description == pointer,
          "\(JSON.array(rules).text) \(url): \(expected), not \(explanation)")
        counts[explanation.resolution, default: 0] += 1
      }
    }
    #expect(Resolution.allCases.allSatisfy { counts[$0, default: 0] > 100 }, "\(counts)")
  }
}
