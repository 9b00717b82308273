import Association
package import JSONValue
package import Publishing

/// What applying a desired state changes, as `POST /v1/apply` answers it.
package struct Plan: Sendable {
  package typealias Action = AppliedState.Action

  /// What happens to an app or a domain.
  package struct Step: Sendable {
    package let name: String
    package let action: Action
    /// What is published; `nil` if nothing is.
    package let publication: PublicationResource?
  }

  package let apps: [Step]
  package let domains: [Step]
  package let isDryRun: Bool

  /// Whether nothing changes.
  package var isEmpty: Bool { (apps + domains).allSatisfy { $0.action == .unchanged } }
}

extension Plan {
  package init(_ applied: AppliedState, isDryRun: Bool) throws {
    apps = applied.apps.map { Step(name: $0.app.text, action: $0.action, publication: nil) }
    domains = try applied.domains.map(Step.init)
    self.isDryRun = isDryRun
  }

  package var json: JSON {
    var object: JSON.Object = [
      "apps": .array(apps.map { $0.json("app") }),
      "domains": .array(domains.map { $0.json("domain") }),
    ]
    if isDryRun { object["dryRun"] = true }
    return .object(object)
  }

  /// The text of a plan, made piece by piece: each document is compared when its turn comes.
  package static func text(_ applied: AppliedState, isDryRun: Bool) -> StreamedLists {
    var apps = applied.apps[...]
    var domains = applied.domains[...]
    return StreamedLists(
      [
        (
          "apps",
          {
            let batch = apps.prefix(1000)
            apps = apps.dropFirst(1000)
            return batch.map {
              Step(name: $0.app.text, action: $0.action, publication: nil).json("app")
            }
          }
        ),
        (
          "domains",
          {
            try domains.popFirst().map { [try Step($0).json("domain")] } ?? []
          }
        ),
      ], members: isDryRun ? ["dryRun": true] : [:])
  }

  /// Reads the answer of a server, which may be newer and have more members.
  package static func read(_ input: BodyValue) -> Plan? {
    guard let object = input.object(),
      let apps = object.required("apps")?.list(atMost: .max, { Step.read($0, "app") }),
      let domains = object.required("domains")?.list(atMost: .max, { Step.read($0, "domain") })
    else { return nil }
    return Plan(apps: apps, domains: domains, isDryRun: object["dryRun"]?.bool ?? false)
  }
}

extension Plan.Step {
  fileprivate init(
    _ step: (domain: DomainName, action: Plan.Action, publication: Publication)
  ) throws {
    name = step.domain.text
    action = step.action
    publication = step.action == .unchanged ? nil : try PublicationResource(step.publication)
  }

  fileprivate func json(_ kind: String) -> JSON {
    var object: JSON.Object = [kind: .string(name), "action": .string(action.rawValue)]
    for member in publication?.json.members ?? [] { object[member.key] = member.value }
    return .object(object)
  }

  fileprivate static func read(_ input: BodyValue, _ kind: String) -> Plan.Step? {
    guard let object = input.object(), let name = object.required(kind)?.string,
      let action = object.required("action")?.word(Plan.Action.self)
    else { return nil }
    let publication = object["revision"] == nil ? nil : PublicationResource.read(input)
    return Plan.Step(name: name, action: action, publication: publication)
  }
}

extension Plan {
  private static let action = Member("action", .words(Action.self))

  static let schemas: JSON.Object = [
    "Plan":
      ([
        Member("apps", .list(of: .object([Member("app", .app), action]))),
        Member(
          "domains", .list(of: .object([Member("domain", .domain), action] + published)),
          "Created and updated domains include what is published, deleted ones what ends."),
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
