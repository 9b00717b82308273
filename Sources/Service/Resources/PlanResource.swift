package import Association
package import Publishing
import Store

/// What applying a desired state changes, as `POST /v1/apply` answers it.
package struct Plan: Sendable {
  package typealias Action = AppliedState.Action

  /// What happens to an app or a domain.
  package struct Step: Sendable {
    package let name: String
    package let action: Action
    /// What is published; `nil` if nothing is.
    package let publication: PublicationResource?

    package init(name: String, action: Action, publication: PublicationResource?) {
      self.name = name
      self.action = action
      self.publication = publication
    }
  }

  package let apps: [Step]
  package let androidApps: [Step]
  package let domains: [Step]
  package let isDryRun: Bool

  /// Whether nothing changes.
  package var isEmpty: Bool {
    (apps + androidApps + domains).allSatisfy { $0.action == .unchanged }
  }
}

extension Plan {
  package var json: JSON {
    var object: JSON.Object = ["apps": .array(apps.map { $0.json("app") })]
    if !androidApps.isEmpty {
      object["androidApps"] = .array(androidApps.map { $0.json("package") })
    }
    object["domains"] = .array(domains.map { $0.json("domain") })
    if isDryRun { object["dryRun"] = true }
    return .object(object)
  }

  /// The text of a plan, made piece by piece.
  ///
  /// - Parameter domains: Returns the texts of the next steps for domains, and none at the end.
  package static func text(
    of applied: AppliedState, isDryRun: Bool, domains: @escaping () throws -> [[UInt8]]
  ) -> StreamedLists {
    func list<Key>(
      _ apps: [(app: Key, action: Action)], _ resource: AppResource<Key>
    ) -> StreamedLists.List {
      .batches(resource.list, of: apps) { text(of: $0.app.text, $0.action, as: resource.key) }
    }
    return StreamedLists(
      [list(applied.apps, .apple)]
        // Left out, because earlier versions do not know it.
        + (applied.androidApps.isEmpty ? [] : [list(applied.androidApps, .android)])
        + [StreamedLists.List(key: "domains", next: domains)],
      members: isDryRun ? ["dryRun": true] : [:])
  }

  /// The text of a step for a domain.
  package static func text(
    of domain: DomainName, _ action: Action, _ publication: Publication? = nil
  ) -> [UInt8] {
    text(of: domain.text, action, publication.map(PublicationResource.init), as: "domain")
  }

  private static func text(
    of name: String, _ action: Action, _ publication: PublicationResource? = nil, as kind: String
  ) -> [UInt8] {
    Step(name: name, action: action, publication: publication).json(kind).serialized()
  }

  /// Reads the answer of a server, which may be newer and have more members.
  package static func read(_ input: BodyValue) -> Plan? {
    guard let object = input.object(),
      let apps = object.required("apps")?.list(atMost: .max, { Step.read($0, "app") }),
      let androidApps = object["androidApps"].map({ list in
        list.list(atMost: .max) { Step.read($0, "package") }
      }) ?? [],
      let domains = object.required("domains")?.list(atMost: .max, { Step.read($0, "domain") })
    else { return nil }
    return Plan(
      apps: apps, androidApps: androidApps, domains: domains,
      isDryRun: object["dryRun"]?.bool ?? false)
  }
}

extension Plan.Step {
  fileprivate func json(_ kind: String) -> JSON {
    var object: JSON.Object = [kind: .string(name), "action": .string(action.rawValue)]
    for member in publication?.json.members ?? [] { object[member.key] = member.value }
    return .object(object)
  }

  /// Reads a step for an `app`, a `package` or a `domain`.
  package static func read(_ input: BodyValue, _ kind: String) -> Plan.Step? {
    guard let object = input.object(), let name = object.required(kind)?.string,
      let action = object.required("action")?.word(Plan.Action.self)
    else { return nil }
    let publication = object["revision"] == nil ? nil : PublicationResource.read(input)
    return Plan.Step(name: name, action: action, publication: publication)
  }
}

extension Plan {
  private static let action = Member("action", .words(Action.self, "PlanAction"))

  static let schemas: JSON.Object = [
    "Plan":
      ([
        Member("apps", .list(of: .named("AppPlan", .object([Member("app", .app), action])))),
        Member(
          "androidApps",
          .list(of: .named("AndroidAppPlan", .object([Member("package", .packageName), action]))),
          "Left out if there are none.", .optional),
        Member(
          "domains",
          .list(
            of: .named("DomainPlan", .object([Member("domain", .domain), action] + published))),
          "A created or updated domain includes what is published, a deleted one what is no longer served."
        ),
      ] + .dryRun).schema()
  ]

  private static var published: [Member] {
    PublicationResource.members.map { member in
      var member = member
      member.traits.insert(.optional)
      return member
    }
  }
}

/// What applying a state would undo, in JSON.
package enum ForeignChangeResource {
  private static let fields: [Field<ForeignChange>] = [
    Field("domain", .domain, get: \.domain, "The domain."),
    Field("revision", .revision, get: \.current.number, "The current revision, or the last one."),
    Field("author", .string, get: \.current.author, "Who published it."),
    Field("publishedAt", .time, get: \.current.publishedAt, "When it was published."),
    Field(
      "stateRevision", .revision, get: \.expected,
      "The revision that the state is based on, if it names one."),
    Field(
      "deleted", .constant(true), "True if the domain was deleted; otherwise left out.",
      .optional, write: { $0.isDeleted ? true : nil }),
    Field(
      "undone", .list(of: .string), "What applying the state would undo, in words.",
      write: { .strings($0.undone.prefix(Excerpt.limit)) }),
  ]

  static let schemas: JSON.Object = ["ForeignChange": fields.members().schema()]

  package static func json(_ change: ForeignChange) -> JSON { .object(fields.json(of: change)) }
}
