@testable import Service
import Association
import TestSupport
import Testing

/// The description says what the code does, no more and no less.
@Suite struct DescriptionTests {
  let running: RunningService
  let description: Description

  init() throws {
    running = try RunningService()
    description = Description(try running.client().send("GET", "/openapi.json").json)
  }

  @Test func everyOperationHasAnIdentifierOfItsOwnAndASummary() {
    let ids = description.operations.map(\.id)
    #expect(Set(ids).count == ids.count && !ids.contains(""))
    #expect(description.operations.allSatisfy { $0.json["summary"]?.stringValue?.isEmpty == false })
  }

  @Test func theRoleThatAnOperationNeedsIsDescribed() {
    let scopes = Dictionary(
      uniqueKeysWithValues: description.operations.map { ($0.id, $0.json["security"]) })
    #expect(scopes["getMetrics"] == .some([]) && scopes["signIn"] == .some([]))
    #expect(scopes["validate"] == .some([["token": []], ["session": []]]))
    for (id, role): (String, JSON) in [
      ("getDomain", "viewer"), ("patchDomain", "editor"), ("createToken", "admin"),
    ] {
      #expect(scopes[id] == .some([["token": [role]], ["session": [role]]]))
    }
  }

  private func parameters(_ operation: Description.Operation, in place: JSON) -> [String] {
    (operation.json["parameters"]?.arrayValue ?? []).compactMap(description.resolve)
      .filter { $0["in"] == place }.compactMap { $0["name"]?.stringValue }
  }

  /// By default, OpenAPI repeats the parameter for each element of a list.
  @Test func aListInAQueryIsDescribedAsOneParameter() {
    for operation in description.operations {
      for parameter in (operation.json["parameters"]?.arrayValue ?? []).compactMap(
        description.resolve)
      where parameter["in"] == "query" && parameter["schema"]?["type"] == "array" {
        #expect(parameter["explode"] == false, "\(operation.name)")
      }
    }
  }

  @Test func theParametersOfEveryPathAreDescribed() {
    for operation in description.operations {
      let names = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }
      let described = parameters(operation, in: "path")
      #expect(described == names.map { String($0.dropFirst().dropLast()) }, "\(operation.name)")
    }
  }

  @Test func everyReferenceAndLinkLeadsSomewhere() {
    let ids = Set(description.operations.map(\.id))
    for object in description.objects() {
      if let reference = object["$ref"] {
        #expect(description.resolve(object) != nil, "\(reference)")
      }
    }
    for link in description.json["components"]?["links"]?.objectValue?.members ?? [] {
      #expect(ids.contains(link.value["operationId"]?.stringValue ?? ""), "\(link.key)")
    }
  }

  /// Generators of clients make up names for such schemas, and a new one for each place.
  @Test func everyObjectAndSetOfWordsIsASchemaWithAName() {
    let components = description.json["components"]?.objectValue?.members ?? []
    var open =
      description.operations.map { ("\($0.id)", $0.json) }
      + components.filter { $0.key != "schemas" }.map { ($0.key, $0.value) }
    for schema in description.json["components"]?["schemas"]?.objectValue?.members ?? [] {
      open += (schema.value.objectValue?.members ?? []).map {
        ("\(schema.key)/\($0.key)", $0.value)
      }
    }
    while let (place, json) = open.popLast() {
      #expect(json["x-named"] == nil, "\(place)")
      #expect(json["allOf"] == nil && json["const"]?.boolValue == nil, "\(place)")
      let isSchema = json["type"]?.stringValue != nil
      let isBool = json["type"] == "boolean"
      #expect(!isSchema || (json["properties"] ?? (isBool ? nil : json["enum"])) == nil, "\(place)")
      open += (json.objectValue?.members ?? []).filter { !["example", "x-codes"].contains($0.key) }
        .map { ("\(place)/\($0.key)", $0.value) }
      open += (json.arrayValue ?? []).map { (place, $0) }
    }
  }

  @Test func theCodesOfFindingsAreDescribed() {
    let all = Finding.Code.allCases
    #expect(
      description.words(description.component("schemas", "FindingCode")) == all.map(\.rawValue))
    let accept = description.component("parameters", "accept")?["schema"]?["items"]
    #expect(description.words(accept) == all.filter(\.isAcceptable).map(\.rawValue))
  }

  @Test func someOperationHasEveryProblem() {
    let described = Set(
      (description.json["components"]?["responses"]?.objectValue?.members ?? [])
        .flatMap { description.codes($0.value) })
    #expect(described.isSuperset(of: Problem.Code.allCases.map(\.rawValue)))
  }

  /// What a request is refused with, after `prepared`.
  struct Refusal: CustomTestStringConvertible {
    var testDescription: String { "\(method) \(target): \(code)" }

    let method: String
    let target: String
    var body: JSON?
    var line: String?
    let status: Int
    let code: String
  }

  private func prepare() throws {
    try running.put(
      "a.example",
      [
        "entries": [["apps": [.string(app)], "routes": [["path": "/a"]]]],
        "expectations": [
          ["url": "https://a.example/a", "app": .string(app), "resolution": "match"]
        ],
      ])
    try running.put("b.example", [:])
    for path in ["/v1/apps/\(app)", "/v1/apps/\(otherApp)"] {
      _ = try running.admin.send("PUT", path, json: ["name": "App"])
    }
  }

  private static let entry = "/v1/domains/a.example/entries/1"

  private static func unpublishable(_ domain: String) -> JSON {
    let entry: JSON = ["apps": [.string(app)], "routes": [["path": "/$(missing)"]]]
    return ["domain": .string(domain), "entries": [entry]]
  }

  private static let file: JSON = ["applinks": ["details": [["appIDs": [5]]]]]

  @Test(arguments: [
    Refusal(method: "GET", target: "/v1/apps/Z", status: 400, code: "malformed-app-identifier"),
    Refusal(method: "GET", target: "/v1/apps/AAAAAAAAAA.b", status: 404, code: "app-not-found"),
    Refusal(method: "GET", target: "/v1/domains/c.example", status: 404, code: "domain-not-found"),
    Refusal(
      method: "GET", target: "/v1/domains/a.example/entries/9", status: 404,
      code: "entry-not-found"),
    Refusal(method: "GET", target: entry + "/routes/9", status: 404, code: "route-not-found"),
    Refusal(
      method: "GET", target: "/v1/domains/a.example/revisions/9", status: 404,
      code: "revision-not-found"),
    Refusal(
      method: "GET", target: "/v1/domains/a.example/diff?from=9", status: 404,
      code: "revision-not-found"),
    Refusal(
      method: "DELETE", target: "/v1/domains/a.example/suppressions/9", status: 404,
      code: "suppression-not-found"),
    Refusal(method: "GET", target: "/v1/findings?cursor=x", status: 400, code: "malformed-cursor"),
    Refusal(method: "DELETE", target: "/v1/tokens/x", status: 404, code: "token-not-found"),
    Refusal(method: "GET", target: "/tls/ask?domain=c.example", status: 404, code: "not-served"),
    Refusal(method: "GET", target: "/tls/ask?domain=a:80", status: 400, code: "domain-has-port"),
    Refusal(method: "GET", target: "/v1/apps?limit=x", status: 400, code: "malformed-limit"),
    Refusal(
      method: "PUT", target: "/v1/domains/b.example", body: ["aliases": ["a.example"]],
      line: "If-Match: *", status: 409, code: "name-taken"),
    Refusal(
      method: "PUT", target: "/v1/domains/b.example", body: [:], status: 428,
      code: "precondition-required"),
    Refusal(
      method: "PUT", target: "/v1/apps/\(app)", body: [:], line: "If-Match: \"1\"", status: 412,
      code: "precondition-unsupported"),
    Refusal(method: "DELETE", target: entry, status: 409, code: "expectation-broken"),
    Refusal(
      method: "DELETE", target: "/v1/domains/a.example", line: "If-Match: \"9\"", status: 412,
      code: "stale-revision"),
    Refusal(
      method: "PUT", target: "/v1/domains/c.example", body: [:], line: "If-Match: \"1\"",
      status: 412, code: "domain-not-found"),
    Refusal(
      method: "PUT", target: "/v1/domains/a.example", body: [:], line: "If-None-Match: *",
      status: 412, code: "already-exists"),
    Refusal(method: "DELETE", target: "/v1/apps/\(app)", status: 409, code: "app-in-use"),
    Refusal(
      method: "POST", target: "/v1/apps/\(app)/rename", body: ["to": .string(otherApp)],
      status: 409, code: "app-exists"),
    Refusal(
      method: "POST", target: "/v1/tokens", body: ["name": "test", "role": "viewer"], status: 409,
      code: "token-name-taken"),
    Refusal(
      method: "PUT", target: "/v1/domains/a.example/file", body: file, status: 422,
      code: "wrong-type"),
    Refusal(
      method: "POST", target: "/v1/domains/a.example/match", body: [:], status: 422,
      code: "invalid-input"),
    Refusal(
      method: "POST", target: "/v1/apply",
      body: ["domains": [["domain": "b.example", "aliases": ["a.example"]]]],
      status: 409, code: "name-taken"),
    Refusal(
      method: "POST", target: "/v1/apply?overwrite=true",
      body: ["domains": [unpublishable("a.example"), unpublishable("b.example")]], status: 422,
      code: "several-refused"),
    Refusal(
      method: "POST", target: "/v1/apply?overwrite=true",
      body: [
        "domains": [["domain": "a.example", "entries": []], unpublishable("b.example")]
      ], status: 409,
      code: "several-refused"),
  ])
  func aRefusalIsDescribed(refusal: Refusal) throws {
    try prepare()
    let lines = running.admin.lines + [refusal.line].compactMap { $0 }
    let response = try Client(port: running.admin.port, lines: lines).send(
      refusal.method, refusal.target, body: refusal.body?.serialized())
    #expect(
      try response.status == refusal.status && response.code == refusal.code, "\(response.text)")
    let operation = try #require(description.operation(refusal.method, refusal.target))
    let codes = description.codes(operation.json["responses"]?["\(response.status)"])
    #expect(codes.contains(refusal.code), "\(operation.id): \(codes)")
  }
}
