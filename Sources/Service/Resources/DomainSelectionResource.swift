import Association
package import Publishing
import Store

/// How a request chooses domains.
extension DomainSelection {
  /// The number of names and wildcards.
  package static let nameLimit = 10_000

  private static let filterFields: [Field<DomainFilter>] = [
    Field(
      "q", .text(longest: 255), \.text, "A text in the name or in an alias."),
    Field("app", .app, \.app, "An app that the domain uses."),
    Field("androidApp", .packageName, \.androidApp, "An Android app that the domain uses."),
    Field("environment", .environment, \.environment, "The environment of the domain."),
    Field("label", .label, \.label, "A label that the domain has."),
    Field("template", .template, \.template, "The template that the domain uses."),
    Field("enabled", .bool, \.isEnabled, "Whether the domain is served."),
    Field(
      "behindTemplate", .bool, \.isBehind,
      "Whether an edit of the domain's template was not published for it, because it was refused."),
  ]

  static let members = [
    Member(
      "domains", .list(of: .alias, limit: nameLimit),
      "Names of domains, and wildcards such as `*.brand.example`; left out for all."),
    Member(
      "filter", .named("DomainConditions", .object(filterFields.members())),
      "Conditions that all must hold. `domains` or `filter` must be there."),
  ]

  static func read(_ object: BodyObject) -> DomainSelection {
    var selection = DomainSelection(
      names: object["domains"]?.list(atMost: nameLimit) { $0.parse(Alias.init(_:)) } ?? [])
    _ = object["filter"]?.read(filterFields, into: &selection.filter)
    if selection.names.isEmpty && (object["filter"]?.json.objectValue ?? [:]).isEmpty {
      object.faults.add(
        .choiceNeeded, at: object.pointer,
        "Choose the domains with \"domains\" or with \"filter\".")
    }
    return selection
  }
}
