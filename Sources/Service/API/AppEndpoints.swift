import Association
import HTTP
import Publishing
import Store

/// `/v1/apps` or `/v1/android-apps`.
struct AppEndpoints<Key: AppKey>: Sendable {
  /// What the endpoints for one platform do and say in another way.
  fileprivate struct Platform: Sendable {
    let path: String
    /// What an app is called, with its article.
    let (noun, article): (String, String)
    let parse: @Sendable (String) throws(ValidationError) -> Key
    let rename: @Sendable (Key, Key, Set<Finding.Code>, WriteContext) throws -> RenamedApp
    let put: @Sendable (Key.App, Set<Finding.Code>, WriteContext) throws -> Put
    let accompany:
      @Sendable (Key, Key, Set<Finding.Code>, WriteContext, @escaping AppliedState.Report) throws
        -> (applied: AppliedState, domains: [DomainName])
    /// What putting an app changes.
    let effect: Endpoint.Effect
    /// The schemas of answers to putting and renaming an app.
    let (answer, renamedAnswer): (String, String)
  }

  fileprivate typealias Put = (
    app: StoredApp<Key>, isNew: Bool, publications: [Publication], deviating: [DomainName]
  )

  private let publisher: Publisher
  private let state: StateEndpoints
  private let resource: AppResource<Key>
  private let platform: Platform
  private var store: Store { publisher.store }

  fileprivate init(
    _ publisher: Publisher, _ state: StateEndpoints, _ resource: AppResource<Key>,
    _ platform: Platform
  ) {
    self.publisher = publisher
    self.state = state
    self.resource = resource
    self.platform = platform
  }

  var all: [Endpoint] {
    let (name, noun) = (resource.schema, platform.noun)
    let one = "\(platform.path)/{\(resource.key)}"
    let links = ["get\(name)", "delete\(name)", "rename\(name)", "accompany\(name)"]
    return [
      Endpoint(
        .get, platform.path, .role(.viewer), query: .page + [.appText],
        "list\(name)s", .apps, "List \(noun)s",
        answers: .ok("A page, by identifier.", .shared("\(name)s")),
        handle: list),
      Endpoint(
        .get, one, .role(.viewer),
        "get\(name)", .apps, "Read \(platform.article) \(noun)",
        answers: .ok("The app.", .shared(name))
      ) { call in .json(.ok, resource.json(try store.app(key(call)))) },
      Endpoint(
        .put, one, .role(.editor), effect: platform.effect,
        "put\(name)", .apps, "Add or change \(platform.article) \(noun)",
        description: platform.effect == .change
          ? "" : "If its fingerprints change, changes all domains that use the app, or none.",
        body: .json(.shared("\(name)Input")),
        answers: .ok("The app existed.", .shared(platform.answer), links: links),
        .created("The app is new.", .shared(platform.answer), links: links),
        handle: put),
      Endpoint(
        .delete, one, .role(.editor), effect: .publications, query: [.everywhere], isHeavy: false,
        "delete\(name)", .apps, "Delete \(platform.article) \(noun)",
        description:
          "Refused while domains use the app, unless `everywhere` removes it from all of them.",
        problems: [.appInUse, .usesTemplate, .tooMuchWork],
        answers: .ok(
          "With `everywhere`: what changed or, for a dry run, would change.", "Plan"), .deleted,
        handle: delete),
      Endpoint(
        .post, "\(one)/rename", .role(.editor), effect: .publications,
        "rename\(name)", .apps, "Change the identifier of \(platform.article) \(noun)",
        description:
          "Changes all domains that use the app and all templates that name it, or none.",
        body: .json(.named("\(name)Renaming", .object([Member("to", resource.identifier)]))),
        problems: [.appExists, .usesTemplate],
        answers: .ok(
          "Every domain that uses the app has a new revision.",
          .shared(platform.renamedAnswer)),
        handle: rename),
      Endpoint(
        .post, "\(one)/accompany", .role(.editor), effect: .publications, isHeavy: false,
        "accompany\(name)", .apps,
        "Name a second \(noun) wherever \(platform.article) \(noun) is named",
        description:
          "Changes all domains that use the app and all templates that name it, or none. Expectations of the app are copied for the second one, which "
          + (platform.effect == .change
            ? "is added like the first one if it does not exist." : "must exist.")
          + " When users have it, delete the first one with `everywhere`.",
        body: .json(.named("\(name)Company", .object([Member("app", resource.identifier)]))),
        problems: [.usesTemplate, .tooMuchWork],
        answers: .ok("What changed or, for a dry run, would change.", "Plan"), handle: accompany),
    ]
  }

  private func delete(_ call: Call) throws -> Response {
    let key = try key(call)
    if try !call.flag(.everywhere) {
      try store.write(call.context()) { try $0.delete(key) }
      return Response(.noContent)
    }
    return try state.answer(call) { report in
      let (applied, domains) = try publisher.deleteEverywhere(
        key, accepting: call.acceptedCodes(), by: call.context(), report: report)
      return (applied, domains, [:])
    }
  }

  private func accompany(_ call: Call) throws -> Response {
    let old = try key(call)
    let new = try Faults.collecting(in: try call.json()) { input in
      input.object(["app"])?.required("app").flatMap { body in
        let key = resource.read(key: body)
        if key == old { body.fault(.repeated, "The path names this app. Name another one.") }
        return key
      }
    }
    return try state.answer(call) { report in
      let (applied, domains) = try platform.accompany(
        old, new, call.acceptedCodes(), call.context(), report)
      return (applied, domains, [:])
    }
  }

  /// The app that the path names.
  private func key(_ call: Call) throws(Problem) -> Key {
    try Call.name(call.parameters[resource.key] ?? "", platform.parse)
  }

  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let apps = try store.apps(
      Key.self, containing: call.query(.appText), after: page.after, limit: page.limit + 1)
    return .page(apps, limit: page.limit, item: resource.json) {
      $0.app[keyPath: Key.rows.key].text
    }
  }

  private func put(_ call: Call) throws -> Response {
    let key = try key(call)
    let app = try Faults.collecting(in: try call.json()) { resource.read($0, key) }
    let accepted = platform.effect == .change ? [] : try call.acceptedCodes()
    let put = try platform.put(app, accepted, call.context())
    var object = resource.json(put.app).objectValue ?? [:]
    if !put.publications.isEmpty { object["publications"] = Self.json(put.publications) }
    if !put.deviating.isEmpty {
      object.set(
        "deviatingDomains", more: "moreDeviatingDomains",
        Excerpt(of: put.deviating) { .string($0.text) })
    }
    object["change"] = Self.change(put.publications)
    if platform.effect != .change, try call.context().isDryRun { object["dryRun"] = true }
    return .json(put.isNew ? .created : .ok, .object(object))
  }

  private func rename(_ call: Call) throws -> Response {
    let old = try key(call)
    let new = try Faults.collecting(in: try call.json()) { input in
      input.object(["to"])?.required("to").flatMap(resource.read(key:))
    }
    let renamed = try platform.rename(old, new, call.acceptedCodes(), call.context())
    var object: JSON.Object = [resource.key: .string(new.text)]
    object["domains"] = Self.json(renamed.publications)
    if !renamed.templates.isEmpty {
      object["templates"] = .strings(renamed.templates.map(\.template.name.text))
    }
    object["change"] = renamed.change.map { .integer($0) }
    return try .json(.ok, object, to: call.context())
  }

  private static func change(_ publications: [Publication]) -> JSON? {
    publications.lazy.compactMap(\.change).first.map { .integer($0) }
  }

  private static func json(_ publications: [Publication]) -> JSON {
    .array(
      publications.map { publication in
        var object = PublicationResource(publication).json
        object["domain"] = .string(publication.edited.stored.domain.name.text)
        return .object(object)
      })
  }
}

extension AppEndpoints<AppIdentifier> {
  /// `/v1/apps`. Adding or changing an app does not change what is served.
  static func apple(_ publisher: Publisher, _ state: StateEndpoints) -> Self {
    AppEndpoints(
      publisher, state, .apple,
      Platform(
        path: "/v1/apps", noun: "app", article: "an", parse: AppIdentifier.init(_:),
        rename: { try publisher.rename($0, to: $1, accepting: $2, by: $3) },
        put: { app, _, context in
          let (stored, isNew) = try publisher.store.write(context) { try $0.put(app) }
          return (stored, isNew, [], [])
        },
        accompany: {
          try publisher.accompany($0, by: $1, accepting: $2, by: $3, report: $4)
        }, effect: .change, answer: "App", renamedAnswer: "Renamed"))
  }
}

extension AppEndpoints<PackageName> {
  /// `/v1/android-apps`. A new identifier and new fingerprints change what is served.
  static func android(_ publisher: Publisher, _ state: StateEndpoints) -> Self {
    AppEndpoints(
      publisher, state, .android,
      Platform(
        path: "/v1/android-apps", noun: "Android app", article: "an",
        parse: PackageName.init(validating:),
        rename: { try publisher.rename($0, to: $1, accepting: $2, by: $3) },
        put: { try publisher.put($0, accepting: $1, by: $2) },
        accompany: {
          try publisher.accompany($0, by: $1, accepting: $2, by: $3, report: $4)
        },
        effect: .publications, answer: "PutAndroidApp", renamedAnswer: "RenamedAndroidApp"))
  }
}
