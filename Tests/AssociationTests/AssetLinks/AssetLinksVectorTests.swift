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
    let resolution = try matcher.resolve(
      url.utf8.span, for: StatementList.package, budget: &budget)
    #expect(resolution == explanation.resolution)
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
      isLinked = links.statements { url in
        testCase.json["includes"]?[url]?.stringValue.map { Array($0.utf8) }
      }.link(relation, to: package, signedWith: certificate)
    }
    #expect(isLinked == (testCase.text("expect") == "linked"))
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
