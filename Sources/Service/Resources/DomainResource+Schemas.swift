package import Association
import Store

extension DomainResource {
  /// What a revision records of a domain besides its document.
  static let revisionSettings = fields.filter {
    [
      "aliases", "enabled", "cacheSeconds", "environment", "strict", "protected", "labels",
      "managedBy", "changePassword", "fallback", "expectations",
    ]
    .contains($0.member.name)
  }

  package static let schemas: JSON.Object = [
    "Domain": (fields.members() + [sources]).schema(),
    "ExportedDomain": exportedMembers.schema(for: .export),
    "DomainInput": fields.members().schema(
      "A whole domain. A member that is left out or null gets its default, except `expectations`, "
        + "which stay as they are.", for: .request),
    "DomainOfState": stateFields.members().schema(
      "A domain. In an existing domain, a member that is left out stays as it is, and null resets it. "
        + "Lists and maps are replaced as a whole. A new domain gets the defaults.", for: .request),
    "DomainPatch": fields.members().schema(
      "A merge patch (RFC 7396): members replace those of the domain, `null` resets them to their "
        + "defaults. Lists are replaced as a whole.", for: .patch),
    "DomainSummary": DomainSummary.fields.members().schema(),
  ]
}
