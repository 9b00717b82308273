import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

/// `/v1/apps`. Only `rename` changes what is served.
struct AppEndpoints: Sendable {
  let publisher: Publisher
  private var store: Store { publisher.store }

  private static let links = ["getApp", "deleteApp", "renameApp"]

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/apps", .role(.viewer), query: .page,
        "listApps", .apps, "List apps",
        answers: .ok(
          "A page, by identifier.", "Apps", #"{"items": [\#(Example.app)], "next": null}"#),
        handle: list),
      Endpoint(
        .get, "/v1/apps/{app}", .role(.viewer),
        "getApp", .apps, "Read an app", answers: .ok("The app.", "App", Example.app)
      ) { call in .json(.ok, AppResource.json(try store.app(call.app()))) },
      Endpoint(
        .put, "/v1/apps/{app}", .role(.editor), effect: .change,
        "putApp", .apps, "Add or change an app",
        body: .json(
          "AppInput", #"{"name": "Example for iPhone", "environment": "production"}"#),
        answers: .ok("The app existed.", "App", links: Self.links),
        .created("The app is new.", "App", links: Self.links, Example.app), handle: put),
      Endpoint(
        .delete, "/v1/apps/{app}", .role(.editor), effect: .change,
        "deleteApp", .apps, "Delete an app that no domain uses", problems: [.appInUse],
        answers: .deleted
      ) { call in
        let id = try call.app()
        try store.write(call.context()) { try $0.delete(id) }
        return Response(.noContent)
      },
      Endpoint(
        .post, "/v1/apps/{app}/rename", .role(.editor), effect: .publications,
        "renameApp", .apps, "Change the identifier of an app",
        description: "Changes all domains that use the app, or none.",
        body: .json(
          .object([Member("to", .app)]), #"{"to": "ABCDE12345.com.example.renamed"}"#),
        problems: [.appExists],
        answers: .ok(
          "Every domain that uses the app has a new revision.", "Renamed", Example.renamed),
        handle: rename),
    ]
  }

  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let apps = try store.apps(after: page.after, limit: page.limit + 1)
    return .page(apps, limit: page.limit, item: { AppResource.json($0) }, cursor: \.app.id.text)
  }

  private func put(_ call: Call) throws -> Response {
    let id = try call.app()
    let app = try Faults.collecting(in: try call.json()) { AppResource.read($0, id: id) }
    let (stored, isNew) = try store.write(call.context()) { try $0.put(app) }
    return .json(isNew ? .created : .ok, AppResource.json(stored))
  }

  private func rename(_ call: Call) throws -> Response {
    let old = try call.app()
    let new = try Faults.collecting(in: try call.json()) { input in
      input.object(["to"])?.required("to")?.parse(AppIdentifier.init(_:))
    }
    let publications = try publisher.rename(
      old, to: new, accepting: call.acceptedCodes(), by: call.context())
    let domains = try publications.map { publication -> JSON in
      var object = try PublicationResource(publication).json
      object["domain"] = .string(publication.edited.stored.domain.name.text)
      return .object(object)
    }
    var object: JSON.Object = ["app": .string(new.text), "domains": .array(domains)]
    if try call.context().isDryRun { object["dryRun"] = true }
    return .json(.ok, .object(object))
  }
}

extension Example {
  fileprivate static let app = """
    {
      "app": "ABCDE12345.com.example.app", "name": "Example for iPhone",
      "environment": "production", "domains": 0, "updatedAt": "2026-11-21T13:51:45Z"
    }
    """

  fileprivate static let renamed = """
    {
      "app": "ABCDE12345.com.example.renamed",
      "domains": [\(publication(12, changes: [renaming], "\"domain\": \"example.com\""))]
    }
    """

  private static let renaming = change(
    "changed", "app",
    """
    "from": "/applinks/details/0", "to": "/applinks/details/0",
    "before": "ABCDE12345.com.example.app", "after": "ABCDE12345.com.example.renamed"
    """, "app ABCDE12345.com.example.app changed to ABCDE12345.com.example.renamed",
    url: "/help/1?articleNumber=1234")
}
