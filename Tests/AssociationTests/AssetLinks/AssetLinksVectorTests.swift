import Association
import Testing

@Suite struct AssetLinksVectorTests {
  @Test func theVectorsAreThere() {
    #expect(AssetLinksCase.matching.count == 162)
    #expect(AssetLinksCase.parsing.count == 92)
    #expect(AssetLinksCase.discards.count == 28)
  }

  /// Cases that are marked although a document or a test of Google settles them: a rule that has
  /// `caseSensitive`, and one example of an empty star.
  private static let markedTooMuch: Set<String> = ["d042", "d095"]

  /// The reason says if no document settles the answer, and only then.
  @Test(arguments: AssetLinksCase.matching)
  func everyURLResolvesAsTheFormatSays(testCase: AssetLinksCase) throws {
    let links = AssetLinks(StatementList.rules(testCase.json["components"] ?? .null))
    let matcher = try AndroidMatcher(links)
    let url = testCase.text("url")
    let explanation = try matcher.explain(url, for: StatementList.package)
    #expect(explanation.resolution.rawValue == testCase.text("expect"))
    #expect(
      explanation.reason.contains("Undocumented: ")
        == (!testCase.isDocumented || Self.markedTooMuch.contains(testCase.text("id"))),
      "\(explanation.reason)")
    var budget = MatchingBudget()
    let decision = try matcher.decision(
      on: url.utf8.span, for: StatementList.package, budget: &budget)
    #expect(decision.resolution == explanation.resolution)
  }

  @Test(arguments: AssetLinksCase.parsing)
  func everyFileLinksWhatTheFormatSays(testCase: AssetLinksCase) throws {
    var isLinked = false
    if let package = PackageName(testCase.text("package")),
      let certificate = Fingerprint(testCase.text("fingerprint")),
      let relation = Relation(testCase.text("relation")),
      let json = try? JSON.parse(testCase.text("file").utf8).value
    {
      let links = AssetLinks(json)
      #expect(links.json.text == json.text)
      var left = AssetLinks.mostIncludes
      isLinked = statements(of: links, including: testCase.json["includes"] ?? [:], &left)
        .link(relation, to: package, signedWith: certificate)
    }
    #expect(isLinked == (testCase.text("expect") == "linked"))
  }

  /// The statements with those of included lists at their places. A list that is not JSON is skipped.
  private func statements(
    of links: AssetLinks, including files: JSON, _ left: inout Int
  ) -> [AssetLinks.Statement] {
    var all: [AssetLinks.Statement] = []
    for element in links.elements {
      switch element.meaning {
      case .statement(let statement): all.append(statement)
      case .include(let url) where left > 0:
        left -= 1
        let list = files[url]?.stringValue.flatMap { try? JSON.parse($0.utf8).value }
        if let list { all += statements(of: AssetLinks(list), including: files, &left) }
      case .include, .nothing: break
      }
    }
    return all
  }

  @Test(arguments: AssetLinksCase.discards)
  func everyMalformedRuleDropsAllRules(testCase: AssetLinksCase) throws {
    let links = AssetLinks(
      StatementList.statement(extensions: testCase.json["relation_extensions"] ?? .null))
    let statement = try #require(links.statements.first)
    let isInForce = if case .list = statement.rules { true } else { false }
    #expect(isInForce == (testCase.text("expect") == "rules"))
  }
}
