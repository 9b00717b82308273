import Association
import Foundation
import TestSupport
import Testing

/// What the API promises within a major version stays: `/openapi.json` is compared with that of each release.
@Suite struct FrozenDescriptionTests {
  private static let folder = URL(filePath: #filePath)
    .appending(path: "../../Fixtures/Descriptions").standardized
  static let versions: [String] =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []

  @Test func thereIsOne() { #expect(!Self.versions.isEmpty) }

  /// A new major version may break what an earlier one promised.
  @Test(arguments: versions)
  func nothingIsTakenAwayFromTheClientsOfARelease(version: String) throws {
    let released = try JSON.parse(Data(contentsOf: Self.folder.appending(path: version))).value
    let running = try RunningService()
    let now = try running.client().send("GET", "/openapi.json").json
    func major(_ description: JSON) -> Substring? {
      description["info"]?["version"]?.stringValue?.prefix { $0 != "." }
    }
    guard major(released) == major(now) else { return }
    let breaks = BreakingChanges(from: Description(released), to: Description(now)).found
    #expect(breaks.isEmpty, "\(breaks.joined(separator: "\n"))")
  }

  /// A list that takes a body and answers with an object, of which tests change one place.
  private static let small = #"""
    {"paths": {"/v1/list": {"post": {"operationId": "list", "security": [{"token": ["editor"]}],
      "parameters": [{"name": "sort", "in": "query", "schema": {"type": "string", "enum": ["a", "b"]}}],
      "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Input"}}}},
      "responses": {"200": {"headers": {"ETag": {}}, "x-codes": ["c"], "content": {"application/json":
        {"schema": {"$ref": "#/components/schemas/Answer"}}}}}}}},
    "components": {"schemas": {
      "Input": {"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "maxLength": 9}, "size": {"type": "integer"}}},
      "Answer": {"type": "object", "required": ["name", "kind"], "properties": {
        "name": {"type": "string"}, "next": {"$ref": "#/components/schemas/Answer"},
        "kind": {"enum": ["x", "y"]}, "all": {"type": "array", "items": {"type": ["integer", "null"]}}}}}}}
    """#

  private func breaks(_ text: String, _ replacement: String) throws -> [String] {
    let changed = Self.small.replacing(text, with: replacement)
    try #require(changed != Self.small)
    let (old, new) = (try JSON.parse(Self.small.utf8).value, try JSON.parse(changed.utf8).value)
    return BreakingChanges(from: Description(old), to: Description(new)).found
  }

  @Test(arguments: [
    (#""/v1/list""#, #""/v1/lists""#, "POST /v1/list is gone"),
    (#""post""#, #""put""#, "POST /v1/list is gone"),
    (#""operationId": "list""#, #""operationId": "all""#, #"operationId "list" is "all""#),
    (#""name": "sort""#, #""name": "order""#, "the parameter query sort is gone"),
    (
      #""in": "query""#, #""in": "query", "required": true"#, "the parameter query sort is required"
    ),
    (#"["a", "b"]"#, #"["a"]"#, #"query sort: "b" is gone"#),
    (#""requestBody": {"#, #""requestBody": {"required": true, "#, "a body is required"),
    (#"{"200""#, #"{"201""#, "POST /v1/list 200 is gone"),
    (#"{"ETag": {}}"#, "{}", "the header ETag may be missing"),
    (#"["c"]"#, "[]", "the code c is gone"),
    (#"["editor"]"#, #"["admin"]"#, "token needs a higher role"),
    (#"{"token": ["editor"]}"#, #"{"session": ["editor"]}"#, "token needs a higher role"),
    (##"{"schema": {"$ref": "#/components/schemas/Answer"}}"##, "{}", "what was anything is not"),
    (#""maxLength": 9"#, #""maxLength": 9, "multipleOf": 2"#, "Input.name: multipleOf"),
    (
      #"{"enum": ["x", "y"]}"#, #"{"oneOf": [{"enum": ["x", "y"]}, {"type": "null"}]}"#,
      "a form is gone, or new"
    ),
    (#"{"enum": ["x", "y"]}"#, "true", "Answer.kind: what was anything is not"),
    (
      #"{"type": "integer"}}}"#, #"{"type": "integer"}}, "oneOf": [{"required": ["size"]}]}"#,
      "Input: oneOf"
    ),
    (#"["name"]"#, #"["name", "size"]"#, "Input.size is required"),
    (#""type": "integer""#, #""type": "string""#, "Input.size: the type"),
    (#""maxLength": 9"#, #""maxLength": 8"#, "Input.name: maxLength 9 is 8"),
    (#""maxLength": 9"#, #""maxLength": 9, "pattern": "^a""#, "Input.name: pattern"),
    (#""size""#, #""amount""#, "Input.size is gone"),
    (#"["name", "kind"]"#, #"["name"]"#, "Answer.kind may be missing"),
    (#"["x", "y"]"#, #"["x"]"#, #"Answer.kind: "y" is gone"#),
    (#"["integer", "null"]"#, #"["integer", "null", "string"]"#, "Answer.all items: the type"),
    (#""all": {"#, #""each": {"#, "Answer.all is gone"),
  ])
  func whatBreaksClientsIsFound(text: String, replacement: String, message: String) throws {
    let found = try breaks(text, replacement)
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
  }

  @Test(arguments: [
    (#"{"/v1/list""#, #"{"/v1/more": {"get": {"operationId": "more"}}, "/v1/list""#),
    (#""name": "sort", "in": "query""#, #""name": "sort", "required": false, "in": "query""#),
    (#"["a", "b"]"#, #"["a", "b", "c"]"#), (#"{"200""#, #"{"404": {}, "200""#),
    (#"["c"]"#, #"["c", "d"]"#), (#"["editor"]"#, #"["viewer"]"#),
    (#", "security": [{"token": ["editor"]}]"#, #", "security": []"#),
    (#"{"type": "integer"}"#, #"{"oneOf": [{"type": "integer"}, {"type": "null"}]}"#),
    (#", "enum": ["a", "b"]"#, ""), (#"{"type": "integer"}"#, "true"),
    (#""maxLength": 9"#, #""maxLength": 10"#),
    (#", "maxLength": 9"#, ""), (#""required": ["name"], "#, ""),
    (#""type": "integer""#, #""type": ["integer", "null"]"#),
    (#""type": "integer""#, #""type": "number""#), (#"["integer", "null"]"#, #""integer""#),
    (#"["name", "kind"]"#, #"["name", "kind", "all"]"#), (#"["x", "y"]"#, #"["x", "y", "z"]"#),
    (#""size": "#, #""more": {"type": "string"}, "size": "#),
    (#""kind": "#, #""more": {"type": "string"}, "kind": "#),
  ])
  func whatIsAddedBreaksNobody(text: String, replacement: String) throws {
    #expect(try breaks(text, replacement).isEmpty)
  }
}
