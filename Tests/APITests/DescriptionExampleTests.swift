import Association
import Foundation
import Service
import Store
import TestSupport
import Testing

/// The examples of the description are requests that the server has answered, and its answers.
///
/// `Sources/Service/API/examples.json` has a call for each operation, after those that create what it needs. Requests, and
/// parameters other than the examples in the description, are written by hand. Everything else is recorded:
/// `RECORD_EXAMPLES=1 swift test --filter DescriptionExampleTests`.
@Suite struct DescriptionExampleTests {
  private static let file = URL(filePath: #filePath)
    .appending(path: "../../../Sources/Service/API/examples.json").standardized

  @Test func theServerAnswersTheExamplesAsRecorded() throws {
    let examples = try JSON.parse(Data(contentsOf: Self.file)).value.objectValue ?? [:]
    let records = ProcessInfo.processInfo.environment["RECORD_EXAMPLES"] != nil
    let running = try RunningService(
      clock: SettableClock(),
      configure: {
        $0.appleCDN = "https://app-site-association.cdn-apple.com"
        $0.googleDigitalAssetLinks = "https://digitalassetlinks.googleapis.com"
      })
    let description = Description(try running.admin.send("GET", "/openapi.json").json)
    let operations = Dictionary(grouping: description.operations, by: \.id)
    #expect(Set(examples.keys) == Set(operations.keys))
    var recorded = JSON.Object()
    var token = ""
    // Who approves a draft is not its author, and who ends the protection of a label has a right.
    let other = try running.client(.admin, named: "anna", publishesProtected: true)
    for (id, example) in examples.members.map({ ($0.key, $0.value) }) {
      if id == "listFetches" { try running.noteFetch(at: 1_800_000_600, of: 12) }
      if id == "listReplicas" { running.service.follow() }
      let operation = try #require(operations[id]?.first)
      // A body that is no JSON is a string here.
      let request = example["request"].map {
        ($0.stringValue ?? $0.text).replacing("aasa_…", with: token)
      }
      if id == "listDrafts" {
        let draft: JSON = ["domains": [["domain": "example.org", "cacheSeconds": 60]]]
        for _ in 2...3 { _ = try other.send("POST", "/v1/drafts", json: draft) }
      }
      let client = ["addDraft", "unprotectLabel"].contains(id) ? other : running.admin
      let response = try client.send(
        operation.method, try target(operation, description, example["parameters"]),
        body: request.map { Array($0.utf8) }, "X-Aasa-Dashboard: 1")
      #expect((200...299).contains(response.status), "\(operation.name): \(response.text)")
      if ["createToken", "rotateToken"].contains(id) {
        token = try #require(try response.json["token"]?.stringValue)
      }
      var new = JSON.Object()
      new["parameters"] = example["parameters"]
      new["request"] = example["request"]
      new["status"] = .integer(response.status)
      new["answer"] = try answer(response, operation)
      recorded[id] = .object(new)
      #expect(
        records || .object(new) == example, "\(operation.name) answers \(JSON.object(new).text)")
    }
    if records { try Data(JSON.object(recorded).prettyPrinted().utf8).write(to: Self.file) }
  }

  private func target(
    _ operation: Description.Operation, _ description: Description, _ given: JSON?
  ) throws -> String {
    var path = operation.path
    for parameter in operation.json["parameters"]?.arrayValue ?? [] {
      guard let parameter = description.resolve(parameter) else { continue }
      let name = try #require(parameter["name"]?.stringValue)
      guard let value = given?[name] ?? (parameter["required"] == true ? parameter["example"] : nil)
      else { continue }
      let text = (value.stringValue ?? value.text).replacing(" ", with: "%20")
      if parameter["in"] == "query" {
        path += "\(path.contains("?") ? "&" : "?")\(name)=\(text)"
      } else {
        path.replace("{\(name)}", with: text)
      }
    }
    return path
  }

  /// An answer as it is recorded. The description itself and metrics are not.
  private func answer(_ response: RawResponse, _ operation: Description.Operation) throws -> JSON? {
    if response.status == 204 || ["getDescription", "getMetrics"].contains(operation.id) {
      return nil
    }
    let content = operation.json["responses"]?["\(response.status)"]?["content"]
    let isJSON = content?["application/json"] != nil
    return normalized(isJSON ? try response.json : .string(response.text))
  }

  /// A value whose long texts are cut, and without what differs from run to run.
  private func normalized(_ value: JSON) -> JSON {
    switch value {
    case .object(let object):
      .object(
        object.members.reduce(into: [:]) { normal, member in
          normal[member.key] = Self.fixed[member.key] ?? normalized(member.value)
        })
    case .array(let items): .array(items.map(normalized))
    case .string(let text) where text.count > 500: .string("\(text.prefix(200))…")
    case .string(ProcessInfo.processInfo.hostName): "web-1"
    case .string(let text):
      .string(
        text.replacing(/^(aasa|msg|whsec)_.*/) { "\($0.output.1)_…" }
          .replacing(/aasa-[0-9]+\./, with: "aasa-123456789.")
          .replacing(#/http://127\.0\.0\.1:[0-9]+/#, with: "http://127.0.0.1:8081"))
    default: value
    }
  }

  private static let fixed: [String: JSON] = ["milliseconds": 73, "version": "1.0.0"]
}
