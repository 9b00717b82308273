import Association
package import JSONValue
package import Publishing

/// A plan in JSON.
package enum PlanResource {
  private static let action = Member("action", .words(Plan.Action.self))

  static let schemas: JSON.Object = [
    "Plan":
      ([
        Member("apps", .list(of: .object([Member("app", .app), action]))),
        Member(
          "domains", .list(of: .object([Member("domain", .domain), action] + published)),
          "With what is published, for domains that are created or updated."),
      ] + .dryRun).schema()
  ]

  private static var published: [Member] {
    PublicationResource.members.map { member in
      var member = member
      member.traits.insert(.optional)
      return member
    }
  }

  package static func json(_ plan: Plan) throws -> JSON.Object {
    [
      "apps": .array(
        plan.apps.map { ["app": .string($0.id.text), "action": .string($0.action.rawValue)] }),
      "domains": .array(try plan.domains.map(json)),
    ]
  }

  /// A step, with what is published where something changes.
  private static func json(_ step: Plan.DomainStep) throws -> JSON {
    var object: JSON.Object = [
      "domain": .string(step.name.text), "action": .string(step.action.rawValue),
    ]
    if let publication = step.publication, step.action != .unchanged {
      for member in try PublicationResource(publication).json.members {
        object[member.key] = member.value
      }
    }
    return .object(object)
  }
}
