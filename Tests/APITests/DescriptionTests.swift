import APITypes
import Association
import Foundation
import HTTP
import JSONValue
import Publishing
import Store
import TestSupport
import Testing

@testable import API

/// The description says what the code does, no more and no less.
@Suite struct DescriptionTests {
  let running: RunningService
  let description: Description

  init() throws {
    running = try RunningService()
    description = Description(try running.client().send("GET", "/openapi.json").json)
  }

  private var endpoints: [Endpoint] {
    AdminAPI.endpoints(
      Publisher(store: running.store), readiness: { Readiness() }, serves: { _ in false },
      metrics: { [] })
  }

  @Test func everyEndpointIsDescribedAndNothingElseIs() {
    let described = description.operations.map(\.name).sorted()
    #expect(described == endpoints.map { "\($0.method.name) \($0.path)" }.sorted())
    let ids = description.operations.map(\.id)
    #expect(Set(ids).count == ids.count && !ids.contains(""))
  }

  @Test func whoMayCallAnEndpointIsDescribed() throws {
    for endpoint in endpoints {
      let operation = try #require(
        description.operations.first { $0.name == "\(endpoint.method.name) \(endpoint.path)" })
      let expected: JSON =
        switch endpoint.access {
        case .anybody: []
        case .anyToken: [["token": []]]
        case .role(let role): [["token": [.string(role.rawValue)]]]
        }
      #expect(operation.json["security"] == expected, "\(operation.name)")
    }
  }

  private func parameters(_ operation: Description.Operation, in place: JSON) -> [String] {
    (operation.json["parameters"]?.arrayValue ?? []).compactMap(description.resolve)
      .filter { $0["in"] == place }.compactMap { $0["name"]?.stringValue }
  }

  @Test func theParametersOfEveryQueryAreDescribedAndThereAreNoOthers() {
    for endpoint in endpoints {
      let name = "\(endpoint.method.name) \(endpoint.path)"
      let described = description.operations.first { $0.name == name }
        .map { parameters($0, in: "query") }
      #expect(described?.sorted() == endpoint.query.map(\.rawValue).sorted(), "\(name)")
    }
  }

  /// By the description's rules the elements of a list are parameters of one name unless it says no.
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

  @Test func theCodesOfFindingsAreDescribed() {
    let all = Finding.Code.allCases
    #expect(
      description.words(description.component("schemas", "FindingCode")) == all.map(\.rawValue))
    let accept = description.component("parameters", "accept")?["schema"]?["items"]
    #expect(description.words(accept) == all.filter(\.isAcceptable).map(\.rawValue))
    // The code of a refusal is that of its first error; these two have statuses of their own.
    let errors = all.filter { $0.severity == .error && ![.notJSON, .tooLarge].contains($0) }
    let refusals = description.codes(description.component("responses", "Refused"))
    #expect(Set(refusals).isSuperset(of: errors.map(\.rawValue)))
  }

  /// A code in the sources is a text in lower case with hyphens; three have none.
  @Test func everyCodeThatTheSourcesHaveIsDescribedAndNoOther() throws {
    var written: Set = ["unauthorized", "refused", "repeated"]
    for directory in ["API", "APITypes", "Association/Model"] {
      let sources = URL(filePath: #filePath).appending(path: "../../../Sources/\(directory)")
      let files = try FileManager.default.contentsOfDirectory(
        at: sources.standardized, includingPropertiesForKeys: nil)
      for file in files where file.pathExtension == "swift" {
        let text = try String(contentsOf: file, encoding: .utf8)
        written.formUnion(text.matches(of: /"([a-z]+(?:-[a-z]+)+)"/).map { String($0.output.1) })
      }
    }
    // A directive of caches, and a class of fetchers.
    written.subtract(["no-store", "apple-cdn"])
    let problems = (description.json["components"]?["responses"]?.objectValue?.members ?? [])
      .flatMap { description.codes($0.value) }
    let faults = description.component("schemas", "Fault")?["properties"]?["code"]
    let described = Set(problems + description.words(faults))
    let findings = Set(Finding.Code.allCases.map(\.rawValue))
    #expect(described.subtracting(findings) == written.subtracting(findings))
    #expect(described.isSuperset(of: written))
  }

  @Test(arguments: [
    ("DomainInput", DomainResource.members), ("DomainPatch", DomainResource.members),
    ("DomainOfState", DomainResource.members), ("EntryInput", EntryResource.members),
    ("NewEntry", EntryResource.members + ["position"]), ("RouteInput", RouteResource.members),
    ("RoutePatch", RouteResource.members), ("NewRoute", RouteResource.members + ["position"]),
  ])
  func theMembersThatAreReadAreDescribed(schema: String, members: [String]) throws {
    let properties = try #require(
      description.component("schemas", schema)?["properties"]?.objectValue)
    #expect(Set(properties.keys) == Set(members))
    #expect(description.component("schemas", schema)?["additionalProperties"] == false)
  }
}
