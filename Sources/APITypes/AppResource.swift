package import Association
package import JSONValue
package import Store

/// An app in JSON.
package enum AppResource {
  /// Members that are told and, in a request, passed over.
  private static let readOnly = ["domains", "updatedAt"]

  package static func json(_ stored: StoredApp) -> JSON {
    var object = json(stored.app)
    object["domains"] = .integer(stored.domainCount)
    object["updatedAt"] = .string(Timestamp.text(stored.updatedAt))
    return .object(object)
  }

  /// What an app is, without what is only told.
  package static func json(_ app: App) -> JSON.Object {
    [
      "app": .string(app.id.text), "name": .string(app.name),
      "environment": .string(app.environment.rawValue),
    ]
  }

  /// Reads an app whose identifier the path says.
  package static func read(_ input: Input, id: AppIdentifier) -> App? {
    guard let object = input.object(["app", "name", "environment"] + readOnly) else { return nil }
    if let given = object["app"]?.string, given != id.text {
      object.faults.add(
        "app-differs", at: object.pointer.appending("app"),
        "The path names “\(id)”. Leave “app” out, or make it the same.")
    }
    return read(object, id: id)
  }

  /// Reads an app of a list, which says its identifier itself.
  package static func read(_ input: Input) -> App? {
    guard let object = input.object(["app", "name", "environment"] + readOnly),
      let id = object.required("app")?.parse(AppIdentifier.init(_:))
    else { return nil }
    return read(object, id: id)
  }

  private static func read(_ object: InputObject, id: AppIdentifier) -> App {
    App(
      id: id, name: object["name"]?.string ?? "",
      environment: object["environment"]?.word(App.Environment.self) ?? .production)
  }
}
