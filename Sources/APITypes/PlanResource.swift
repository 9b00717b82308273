import Association
package import JSONValue
package import Publishing

/// A plan in JSON.
package enum PlanResource {
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
      for member in try PublicationResource.json(publication).members {
        object[member.key] = member.value
      }
    }
    return .object(object)
  }
}
