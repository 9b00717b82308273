package import Association
import Publishing
import Store

/// What `POST /v1/templates/{name}/adopt` reads.
struct AdoptionRequest {
  var selection: DomainSelection
  /// Values of parameters, by domain.
  var values: [DomainName: JSON.Object]

  private static let parameters = Member(
    "parameters", .named("ParametersByDomain", .map(of: .object)),
    "Values of the template's parameters, by domain. Those that are left out are found in what the domain has."
  )

  static func read(_ body: BodyValue) -> AdoptionRequest? {
    guard
      let object = body.object(DomainSelection.members.map(\.name) + [parameters.name])
    else { return nil }
    let selection = DomainSelection.read(object)
    return AdoptionRequest(
      selection: selection, values: object[parameters.name].map(readValues) ?? [:])
  }

  private static func readValues(_ body: BodyValue) -> [DomainName: JSON.Object] {
    guard let members = body.members,
      body.isShort(members.members.count, DomainSelection.nameLimit)
    else { return [:] }
    var values: [DomainName: JSON.Object] = [:]
    for member in members.members {
      let pointer = body.pointer.appending(member.key)
      let key = BodyValue(json: .string(member.key), pointer: pointer, faults: body.faults)
      let value = BodyValue(json: member.value, pointer: pointer, faults: body.faults)
      guard let name = key.parse(DomainName.init(_:)), let given = value.members else { continue }
      if values.updateValue(given, forKey: name) != nil {
        key.fault(.repeated, "\(name) is there twice. Remove one.")
      }
    }
    return values
  }

  static let schemas: JSON.Object = [
    "TemplateAdoption": (DomainSelection.members + [parameters]).schema(
      "The domains to take under a template.", for: .request),
    "SuggestionInput": (DomainSelection.members + [suggestedName]).schema(for: .request),
    "TemplateSuggestion": [
      Member("template", .shared("SuggestedTemplate")),
      Member(
        "domains",
        .list(
          of: .named(
            "SuggestedDomain", .object([Member("domain", .domain)] + JoinedTemplate.members))),
        "What each domain would have."),
      Member("moreDomains", .count, "The number of domains that are left out.", .optional),
      Member(
        "refused", .list(of: .object),
        "A problem for each domain that the template would change; left out if there is none.",
        .optional),
      Member("moreRefused", .count, "The number of problems that are left out.", .optional),
    ].schema(),
    "SuggestedTemplate": TemplateResource.members.schema(
      "A template as `PUT /v1/templates/{template}` takes it."),
  ]

  private static let suggestedName = Member(
    "template", .shared("TemplateName"), "The name for the template. Default: `suggested`.")

  static func readSuggestion(
    _ body: BodyValue
  ) -> (selection: DomainSelection, name: TemplateName)? {
    guard
      let object = body.object(DomainSelection.members.map(\.name) + [suggestedName.name])
    else { return nil }
    let name = object[suggestedName.name]?.parse(TemplateName.init(_:))
    return (DomainSelection.read(object), name ?? TemplateName(stored: "suggested"))
  }
}

/// What a domain has of a template that it joins, in JSON.
package struct JoinedTemplate: Sendable {
  /// The values of parameters, without those that have their default.
  package var parameters: JSON.Object = [:]
  /// The members that stay the domain's own.
  package var own: [String] = []
  /// Whether the documents have the same bytes as before.
  package var hasSameBytes = true

  private static let fields: [Field<JoinedTemplate>] = [
    Field(
      "parameters", Coding(.object, read: { $0.members }, write: { .object($0) }), \.parameters,
      "The values of the template's parameters, without those that are the default.", .required),
    Field(
      "own", .list(of: .string), \.own,
      "The members that stay the domain's own, at least in part.", .required),
    Field(
      "sameBytes", .bool, \.hasSameBytes,
      "Whether the documents have the same bytes. If not, only their order or comments differ: every URL opens the same.",
      .required),
  ]

  static var members: [Member] { fields.members() }

  /// - Returns: `nil` unless the domain joins a template with this publication.
  init?(_ publication: Publication) {
    guard let before = publication.edited.domainBefore, before.template == nil,
      let use = publication.edited.stored.domain.template
    else { return nil }
    parameters = use.parameters
    own =
      (use.ownEntries > 0 ? ["entries"] : []) + use.ownMembers.sorted()
      + (use.ownExpectations > 0 ? ["expectations"] : [])
    hasSameBytes = publication.hasSameBytes
  }

  private init() {}

  var json: JSON.Object { Self.fields.json(of: self) }

  package static func read(_ body: BodyValue) -> JoinedTemplate? {
    var adoption = JoinedTemplate()
    return body.read(fields, into: &adoption, isOpen: true) ? adoption : nil
  }

  static let member = Member(
    "adoption", .named("Adoption", .object(members)),
    "How the domain joins a template; left out if it does not.", .optional)
}
