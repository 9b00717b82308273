package import Association
package import Store

/// A change with its domains in JSON.
package enum ChangeResource {
  private static let fields: [Field<RecordedChange>] = [
    Field("id", .row, \.id, "The number of the change; it increases."),
    Field("at", .time, \.at, "When it was made."),
    Field(
      "author", .string, \.author, "Who made it: the name of a token, of a user, or of a command."),
    Field("action", .string, \.action, "What was done."),
    Field("reason", .string, \.reason, "The reason, as given in `?reason=`."),
    Field(
      "domainCount", .count, \.domainCount,
      "How many domains it changed, of those that the token is limited to."),
    Field(
      "domain", .domain, \.firstDomain,
      "The first of these by name; left out if there is none."),
    Field("reverts", .row, \.reverts, "The change that it undid."),
    Field("revertedBy", .row, \.revertedBy, "The last change that undid it."),
  ]

  private static let domainFields: [Field<ChangedDomain>] = [
    Field("domain", .domain, get: \.name, "The domain."),
    Field(
      "before", .revision, get: \.before,
      "The revision before the change; left out if the change created the domain."),
    Field(
      "after", .revision, get: \.after,
      "The revision that the change published; left out if it deleted the domain."),
    Field(
      "changedSince", .bool, get: \.hasChangedSince,
      "Whether the domain is not as the change left it."),
  ]

  private static let app: [Member] = [
    Member(
      "before", .object,
      "The app before the change, as in an export; left out if the change added it.",
      .optional),
    Member(
      "after", .object, "The app after the change; left out if the change deleted it.", .optional),
  ]

  private static let template: [Member] = [
    Member("template", .shared("TemplateName")),
    Member(
      "before", .revision, "The revision before the change; left out if the change added it.",
      .optional),
    Member("after", .revision, "The revision that the change published."),
    Member(
      "renamed", .object,
      "The new names of parameters, by their old ones; left out if none has another name.",
      .optional),
  ]

  static let schemas: JSON.Object = [
    "RecordedChange": fields.members().schema("What one author did at once to one domain or many."),
    "ChangedDomain": domainFields.members().schema(),
    "ChangeWithDomains":
      (fields.members() + [
        Member(
          "apps", .list(of: .named("ChangedApp", .object(app))),
          "The apps that changed with the domains; a token that is limited to domains does not see them."
        ),
        Member("moreApps", .count, "The number of apps left out.", .optional),
        Member(
          "templates", .list(of: .named("ChangedTemplate", .object(template))),
          "The templates that changed with the domains; left out if there are none.", .optional),
      ] + ResourceSchemas.page(of: "ChangedDomain")).schema(),
  ]

  package static func json(_ change: RecordedChange) -> JSON { .object(fields.json(of: change)) }

  package static func json(_ domain: ChangedDomain) -> JSON {
    .object(domainFields.json(of: domain))
  }

  /// The members of a change besides its domains.
  static func members(
    _ change: RecordedChange, _ apps: [ChangedApp], _ templates: [ChangedTemplate]
  ) -> JSON.Object {
    var members = fields.json(of: change)
    let listed = Excerpt(of: apps, atMost: 100, \.json)
    members["apps"] = .array(listed.items)
    if listed.more > 0 { members["moreApps"] = .integer(listed.more) }
    if !templates.isEmpty { members["templates"] = .array(templates.map(\.json)) }
    return members
  }
}
