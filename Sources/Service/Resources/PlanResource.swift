package import Association
package import Publishing
import Store

/// What applying a desired state changes, as `POST /v1/apply` answers it.
package enum Plan {
  package typealias Action = AppliedState.Action

  /// What happens to an app or a domain.
  package struct Step: Sendable {
    package let name: String
    package let action: Action
    /// What is published; `nil` if nothing is.
    package let publication: PublicationResource?
    /// Whether others have changed it since the state was exported, and the state has not.
    package let isLeftOut: Bool
    /// How the domain joins a template; `nil` if it does not.
    package let adoption: JoinedTemplate?

    package init(
      name: String, action: Action, publication: PublicationResource?, isLeftOut: Bool = false,
      adoption: JoinedTemplate? = nil
    ) {
      self.name = name
      self.action = action
      self.publication = publication
      self.isLeftOut = isLeftOut
      self.adoption = adoption
    }
  }
}

extension Plan {
  /// The text of a plan, made piece by piece.
  ///
  /// - Parameters:
  ///   - members: Members that come last.
  ///   - domains: Returns the texts of the next steps for domains, and none at the end.
  package static func text(
    of applied: AppliedState, isDryRun: Bool, _ members: JSON.Object = [:],
    domains: @escaping () throws -> [[UInt8]]
  ) -> StreamedLists {
    var members = members
    members["change"] = applied.change.map { .integer($0) }
    if isDryRun { members["dryRun"] = true }
    func list<Key>(
      _ apps: [(app: Key, action: Action)], _ resource: AppResource<Key>
    ) -> StreamedLists.List {
      .batches(resource.list, of: apps) {
        text(
          of: $0.app.text, $0.action, as: resource.key,
          isLeftOut: applied.leftApps.contains($0.app.id))
      }
    }
    return StreamedLists(
      [list(applied.apps, .apple)]
        // Left out, because earlier versions do not know it.
        + (applied.androidApps.isEmpty ? [] : [list(applied.androidApps, .android)])
        + (applied.templates.isEmpty
          ? []
          : [
            .batches("templates", of: applied.templates) {
              let name = $0.template.template.name
              return text(
                of: name.text, $0.action, as: "template",
                isLeftOut: applied.leftTemplates.contains(name))
            }
          ])
        + [StreamedLists.List(key: "domains", next: domains)],
      members: members)
  }

  /// The text of a step for a domain.
  package static func text(
    of domain: DomainName, _ action: Action, _ publication: Publication? = nil,
    isLeftOut: Bool = false
  ) -> [UInt8] {
    Step(
      name: domain.text, action: action, publication: publication.map(PublicationResource.init),
      isLeftOut: isLeftOut, adoption: publication.flatMap(JoinedTemplate.init)
    ).json("domain").serialized()
  }

  private static func text(
    of name: String, _ action: Action, as kind: String, isLeftOut: Bool = false
  ) -> [UInt8] {
    Step(name: name, action: action, publication: nil, isLeftOut: isLeftOut).json(kind).serialized()
  }
}

extension Plan.Step {
  /// - Parameter kind: `app`, `package`, `template` or `domain`.
  package func json(_ kind: String) -> JSON {
    var object: JSON.Object = [kind: .string(name), "action": .string(action.rawValue)]
    if isLeftOut { object[Self.leftOut.name] = true }
    object[JoinedTemplate.member.name] = adoption.map { .object($0.json) }
    for member in publication?.json.members ?? [] { object[member.key] = member.value }
    return .object(object)
  }

  /// Reads a step in the answer of a server, which may be newer and have more members.
  package static func read(_ input: BodyValue, _ kind: String) -> Plan.Step? {
    guard let object = input.object(), let name = object.required(kind)?.string,
      let action = object.required("action")?.word(Plan.Action.self)
    else { return nil }
    let publication = object["revision"] == nil ? nil : PublicationResource.read(input)
    return Plan.Step(
      name: name, action: action, publication: publication,
      isLeftOut: object[leftOut.name]?.bool ?? false,
      adoption: object[JoinedTemplate.member.name].flatMap(JoinedTemplate.read))
  }

  fileprivate static let leftOut = Member(
    "leftOut", .constant(true),
    "True if others have changed the domain, the app or the template since the state was exported, and the state has it "
      + "as it was exported or last applied: it stays as it is. Otherwise left out.", .optional)
}

extension Plan {
  private static let action = Member("action", .words(Action.self, "PlanAction"))

  static let schemas: JSON.Object = [
    "Plan":
      ([
        Member(
          "apps",
          .list(of: .named("AppPlan", .object([Member("app", .app), action, Step.leftOut])))),
        Member(
          "androidApps",
          .list(
            of: .named(
              "AndroidAppPlan", .object([Member("package", .packageName), action, Step.leftOut]))),
          "Left out if there are none.", .optional),
        Member(
          "templates",
          .list(
            of: .named(
              "TemplatePlan",
              .object([Member("template", .shared("TemplateName")), action, Step.leftOut]))),
          "Left out if there are none.", .optional),
        Member(
          "domains",
          .list(
            of: .named(
              "DomainPlan",
              .object(
                [Member("domain", .domain), action, Step.leftOut, JoinedTemplate.member] + published
              ))),
          "A created or updated domain includes what is published, a deleted one what is no longer served."
        ),
        Member(
          "skipped", .list(of: .domain),
          "The domains that were left out, because the query says so; left out if there are none.",
          .optional),
        Member("moreSkipped", .count, "The number of those that are not listed.", .optional),
        Member(
          "problems", .list(of: .object), "Why domains were left out: a problem for each.",
          .optional),
        Member("moreProblems", .count, "The number of problems left out.", .optional),
        Member(
          "change", PublicationResource.change.schema, PublicationResource.changeMeaning, .optional),
        Member(
          "refused", .list(of: .object),
          "With `listRefusals`, a problem for each refusal; left out if there are none.", .optional),
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
      "baseRevision", .revision,
      "The revision that both sides started from: the one that the state is based on or, if that is later or "
        + "the only one kept, the last one that `apply` published. Left out if neither is kept.",
      .optional, write: { $0.sides.map { .integer($0.base) } }),
    Field(
      "stateChanges", .list(of: .string),
      "What the state changes since the base revision, in words.",
      .optional, write: { $0.sides.map { .strings($0.own.prefix(Excerpt.limit)) } }),
    Field(
      "otherChanges", .list(of: .string),
      "What others have changed since the base revision, in words.",
      .optional, write: { $0.sides.map { .strings($0.others.prefix(Excerpt.limit)) } }),
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
