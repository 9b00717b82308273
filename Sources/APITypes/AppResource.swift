package import Association
package import JSONValue
package import Publishing
package import Store

/// An app in JSON.
package enum AppResource {
  private static let fields: [Field<StoredApp<AppIdentifier>>] = [
    Field("app", .app, \.app.id, "The app identifier."),
    Field("name", .text(longest: 200), \.app.name, "A display name; may be empty."),
    Field(
      "environment", .environment, \.app.environment, "What the app is built for."),
    Field("domains", .count, \.domainCount, "How many domains use the app.", .kept),
    Field("updatedAt", .time, \.updatedAt, "When the app last changed.", .kept),
  ]

  private static let fieldsOfState = fields.requiring("app")

  static let schemas: JSON.Object = [
    "App": fields.members().schema(),
    "AppInput": fields.members().schema(
      "An app. `environment` is `production` by default.", for: .request),
    "AppOfState": fieldsOfState.members().schema(
      "An app. In an existing app, a member that is left out stays as it is, and null resets it.",
      for: .request),
    "ExportedApp": fields.members().schema(for: .export),
  ]

  package static func json(_ stored: StoredApp<AppIdentifier>) -> JSON {
    .object(fields.json(of: stored))
  }

  /// An app as it is exported.
  package static func json(_ app: App) -> JSON.Object {
    fields.json(of: StoredApp<AppIdentifier>(app: app), for: .export)
  }

  /// Reads an app whose identifier is in the path.
  package static func read(_ body: BodyValue, id: AppIdentifier) -> App? {
    guard let app = read(body, fields, App(id: id)) else { return nil }
    if app.id != id {
      body.faults.add(
        .appDiffers, at: body.pointer.appending("app"),
        "The path names \"\(id)\". Leave \"app\" out, or set it to the same identifier.")
    }
    return app
  }

  /// Reads an app of a state.
  package static func read(_ body: BodyValue) -> DesiredApp? {
    guard let app = read(body, fieldsOfState, App(id: AppIdentifier(stored: ""))) else {
      return nil
    }
    let given = body.json.objectValue
    return DesiredApp(
      id: app.id, name: given?["name"].map { _ in app.name },
      environment: given?["environment"].map { _ in app.environment })
  }

  private static func read(
    _ body: BodyValue, _ fields: [Field<StoredApp<AppIdentifier>>], _ blank: App
  ) -> App? {
    var stored = StoredApp<AppIdentifier>(app: blank)
    return body.read(fields, into: &stored) ? stored.app : nil
  }
}
