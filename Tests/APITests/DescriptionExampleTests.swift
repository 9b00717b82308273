import Association
import JSONValue
import Store
import Service
import TestSupport
import Testing

/// The server accepts the example requests of the description, and answers as its examples do.
@Suite struct DescriptionExampleTests {
  /// Every operation, each after those that create what its example needs.
  private static let story = [
    "getHealth", "getReadiness", "putApp", "listApps", "getApp", "deleteApp",
    "putAndroidApp", "listAndroidApps", "getAndroidApp", "deleteAndroidApp", "putAndroidApp",
    "renameAndroidApp",
    "validate", "matchURLs", "getQRCode",
    "putDomain", "setExpectations", "getExpectations", "getDomain", "patchDomain",
    "getFile", "listEntries", "getEntry", "listRoutes", "getRoute", "patchRoute", "addRoute",
    "matchStored", "getSnippets", "setRoutes", "replaceEntry", "listFindings",
    "suppressFindings", "listSuppressions", "deleteSuppression", "convertDomain", "addEntry",
    "adoptFile", "adoptDocument", "listDocuments", "getDocument", "removeDocument",
    "restoreRevision",
    "listRevisions", "listFetches", "compareRevisions", "compareDocument", "getRevision",
    "getRevisionFile", "getRevisionDocument",
    "deleteRoute", "renameApp", "apply",
    "check", "fetchLiveFiles", "listChecks", "listChecksOfDomain", "listDomains", "putWebhook",
    "listWebhooks",
    "getWebhook", "testWebhook", "listDeliveries",
    "deleteWebhook",
    "exportState", "exportHashes", "deleteEntry", "putUser", "listUsers", "deleteUser",
    "createToken",
    "listTokens", "signIn", "getSession", "signOut", "revokeToken",
    "listAudit", "listReplicas",
    "askForCertificate", "deleteDomain", "restoreDomain", "getDescription", "getMetrics",
  ]

  @Test func theServerAcceptsTheExamplesAndAnswersLikeThem() throws {
    let running = try RunningService()
    let description = Description(try running.admin.send("GET", "/openapi.json").json)
    let operations = Dictionary(grouping: description.operations, by: \.id)
    #expect(Set(Self.story) == Set(operations.keys))
    var token = ""
    for id in Self.story {
      if id == "listFetches" { try running.noteFetch() }
      if id == "listReplicas" { running.service.follow() }
      let operation = try #require(operations[id]?.first)
      let response = try running.admin.send(
        operation.method, try target(operation, description), body: body(operation, token),
        "X-Aasa-Dashboard: 1")
      if id == "createToken" { token = try #require(try response.json["token"]?.stringValue) }
      let described = operation.json["responses"]?["\(response.status)"]
      #expect((200...299).contains(response.status), "\(operation.name): \(response.text)")
      #expect(described != nil, "\(operation.name): \(response.status)")
      guard let example = described?["content"]?["application/json"]?["example"] else {
        #expect(
          response.status == 204 || ["getDescription", "getMetrics", "getQRCode"].contains(id),
          "\(id) has no example")
        continue
      }
      let difference = difference(try response.json, example, at: .root)
      #expect(difference == nil, "\(operation.name): \(difference ?? "")")
    }
  }

  private func target(_ operation: Description.Operation, _ description: Description) throws
    -> String
  {
    var path = operation.path
    for parameter in operation.json["parameters"]?.arrayValue ?? [] {
      guard let parameter = description.resolve(parameter) else { continue }
      if parameter["name"] == "accept" { path += "?accept=opens-nothing" }
      if parameter["required"] != true { continue }
      let name = try #require(parameter["name"]?.stringValue)
      let example = try #require(parameter["example"])
      let text = example.stringValue ?? example.text
      let escaped = text.replacing(" ", with: "%20")
      if parameter["in"] == "query" {
        path += "\(path.contains("?") ? "&" : "?")\(name)=\(escaped)"
      } else {
        path.replace("{\(name)}", with: escaped)
      }
    }
    // The example of the kind is Apple's, which has an endpoint of its own.
    return ["adoptDocument", "removeDocument"].contains(operation.id)
      ? path.replacing("/apple-app-site-association", with: "/webauthn") : path
  }

  /// The body of the example; the token to sign in with is one that exists.
  private func body(_ operation: Description.Operation, _ token: String) -> [UInt8]? {
    let content = operation.json["requestBody"]?["content"]?.objectValue?.members.first?.value
    let example = content?["example"]?.serialized()
    return example.map {
      Array(String(decoding: $0, as: UTF8.self).replacing("aasa_…", with: token).utf8)
    }
  }

  /// How the shape of two values differs. Objects must have the same members; lists are compared by
  /// their first elements.
  private func difference(_ value: JSON, _ example: JSON, at pointer: JSONPointer) -> String? {
    if let members = value.objectValue, let expected = example.objectValue {
      if Set(members.keys) != Set(expected.keys) {
        return "\(pointer): \(members.keys) and \(expected.keys)"
      }
      for member in members.members {
        guard let other = expected[member.key] else { continue }
        let found = difference(member.value, other, at: pointer.appending(member.key))
        if let found { return found }
      }
      return nil
    }
    if let items = value.arrayValue, let expected = example.arrayValue {
      if items.isEmpty != expected.isEmpty { return "\(pointer): one is empty" }
      guard let item = items.first, let other = expected.first else { return nil }
      return difference(item, other, at: pointer.appending(0))
    }
    return value.kind == example.kind ? nil : "\(pointer): \(value.kind) and \(example.kind)"
  }
}
