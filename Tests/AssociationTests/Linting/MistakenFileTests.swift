import Association
import Testing

/// Common mistakes in Apple's file, and the findings about them.
@Suite struct MistakenFileTests {
  private func findings(in file: String) -> [Finding] {
    Linter.report(onFile: Array(file.utf8), kind: DocumentKind(ofFile: Array(file.utf8))).findings
  }

  private func help(_ code: Finding.Code, _ file: String) -> String? {
    findings(in: file).first { $0.code == code }?.help
  }

  // MARK: - Apps

  @Test(arguments: [
    "undefined.com.example.app", "null.com.example.app", "None.com.example.app",
    "ABCDE12345.undefined", "ABCDE12345.NaN", "ABCDE12345.com.example.undefined",
  ])
  func anUnsetVariableOfTheBuildIsNamed(app: String) {
    let found = findings(in: FindingCase.apps("\"\(app)\""))
    #expect(found.map(\.code) == [.placeholderAppIdentifier], "\(found)")
    #expect(found.first?.help.contains("variable") == true)
  }

  @Test(arguments: [
    "ABCDE12345.com.null.app", "ABCDE12345.com.example.none", "ABCDE12345.com.undefined.app",
  ])
  func aNameThatOnlyResemblesAnUnsetVariableIsNoMistake(app: String) {
    #expect(findings(in: FindingCase.apps("\"\(app)\"")).isEmpty)
  }

  @Test func anEmptyPrefixMayBeAnUnsetVariable() {
    let help = help(.malformedAppIdentifier, FindingCase.apps("\".com.example.app\""))
    #expect(help?.contains("its variable is empty") == true)
  }

  @Test func aPrefixAtTheEndIsToGoFirst() {
    let file = FindingCase.apps("\"com.example.app.ABCDE12345\"")
    #expect(
      help(.unusualAppIdentifierPrefix, file)
        == "The prefix goes first: `ABCDE12345.com.example.app`.")
  }

  @Test func teamAndBundleIdentifierBecomeOneText() {
    let file = """
      {"applinks":{"details":[{"teamId":"ABCDE12345","bundleId":"com.example.app",\
      "components":[{"/":"/a"}]}]}}
      """
    #expect(
      help(.entryWithoutApp, file)?.contains(#""appIDs": ["ABCDE12345.com.example.app"]"#) == true)
  }

  @Test(arguments: ["\"\"", "null", "{}", "\"ABCDE12345.com.example.app\""])
  func theListOfAppsForOldSystemsIsToBeEmpty(value: String) throws {
    let file = FindingCase.components(#"{"/":"/a"}"#, applinks: "\"apps\":\(value),")
    #expect(help(.wrongType, file)?.hasPrefix("Write `[]`") == true)
  }

  // MARK: - Routes

  @Test func aVariableOfTheWrongTypeHasOneFinding() {
    let file = FindingCase.components(
      #"{"/":"/$(food)/x"}"#, applinks: #""substitutionVariables":{"food":"a"},"#)
    let codes = findings(in: file).map(\.code)
    #expect(codes == [.wrongType], "\(codes)")
    let other = FindingCase.components(
      #"{"/":"/$(Food)/x"}"#, applinks: #""substitutionVariables":{"food":"a"},"#)
    #expect(help(.undefinedVariable, other)?.contains("`$(food)`") == true)
  }

  @Test(arguments: ["/p/[id]", "/q/[...slug]", "/q/[[...slug]]"])
  func parametersOfFilesAreParametersOfRoutes(path: String) {
    #expect(findings(in: FindingCase.path(path)).map(\.code) == [.routeParameter])
  }

  @Test(arguments: ["/p/[a-z]", "/p/[0-9]"])
  func aSetIsARegularExpression(path: String) {
    #expect(findings(in: FindingCase.path(path)).map(\.code) == [.regularExpression])
  }

  @Test func objectsInPathsBelongInComponents() {
    let file = FindingCase.entry(#""paths":[{"/":"/a"}]"#)
    #expect(help(.wrongType, file)?.contains("Rename `paths` to `components`") == true)
  }

  // MARK: - Something else in place of the file

  @Test(arguments: [
    #"{"message":"Forbidden"}"#, #"{"statusCode":404,"message":"Cannot GET /x"}"#,
    #"{"error":{"code":"NotFound"}}"#,
    #"{"timestamp":"2026-01-01","status":404,"error":"Not Found","path":"/x"}"#,
  ])
  func theErrorOfAGatewayIsKnown(file: String) {
    let found = findings(in: file)
    #expect(found.map(\.code) == [.noService], "\(found)")
    #expect(found.first?.message.contains("error answer of a server") == true)
    #expect(found.first?.help.contains("find out why") == true)
    let android = Linter.report(onFile: Array(file.utf8), kind: .assetLinks).findings
    #expect(android.first?.help == found.first?.help)
  }

  @Test(arguments: [#"{"message":"Hello","apps":[]}"#, #"{"status":"x"}"#, "{}"])
  func anotherObjectIsNoError(file: String) {
    #expect(findings(in: file).allSatisfy { !$0.message.contains("error answer") })
  }

  @Test func aListOfStatementsInAnObjectIsToldToStandAlone() {
    let list = StatementList.statement(extensions: [:]).text
    let found = findings(in: "{\"assetlinks\":\(list)}")
    #expect(found.map(\.code) == [.notList], "\(found)")
    #expect(found.first?.help.contains("`assetlinks`") == true)
  }

  @Test func originsUnderASimilarKeyAreOfTheFileForPasskeys() {
    let found = findings(in: #"{"origin":["https://a.example"]}"#)
    #expect(found.map(\.code) == [.missingOrigins], "\(found)")
    #expect(found.contains { $0.help.contains("Write `origins`") })
  }

  // MARK: - Not JSON

  @Test(arguments: [
    ("[{ relation: [\"x\"] }];", "Write `\"relation\"` in line 1"),
    ("{\n  \"a\": 1,\n  b_c: 2\n}", "Write `\"b_c\"` in line 3"),
    ("{\"applinks\":{}};", "Remove the `;` in line 1"),
    ("[{\"a\":\"1\"}][{\"b\":\"2\"}]", "A second document begins in line 1, column 12"),
    ("{\"applinks\":{}}\n{\"applinks\":{}}", "A second document begins in line 2, column 1"),
    (#"{\"applinks\":{}}"#, "escaped once too often"),
    (#"[{\"relation\":[]}]"#, "escaped once too often"),
  ])
  func aSyntaxThatResemblesJSONIsNamed(file: String, words: String) {
    let help = help(.notJSON, file)
    #expect(help?.contains(words) == true, "\(help ?? "")")
  }

  @Test(arguments: ["{\"a\": nope}", "[1,2", "{\"a\":1}]", "{\"a\" 1}", "[tru]", "{\"a\":1} x"])
  func anotherFaultOfJSONIsNotTakenForASyntax(file: String) {
    let help = help(.notJSON, file) ?? ""
    #expect(!help.contains("JavaScript") && !help.contains("second document"), "\(help)")
  }
}
