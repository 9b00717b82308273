package import Association
package import Store

extension Schema {
  package static let checkStatus = words(CheckStatus.self, "CheckStatus")
}

extension DomainSummary {
  /// A domain in a list.
  package var json: JSON { .object(Self.fields.json(of: self)) }

  static let fields: [Field<DomainSummary>] = domainFields + listFields

  private static let domainFields: [Field<DomainSummary>] = DomainResource.fields.filter {
    [
      "domain", "unicode", "enabled", "format", "environment", "labels", "managedBy", "template",
      "parameters", "behindTemplate", "revision", "updatedAt",
    ].contains($0.member.name)
  }.of(\.shown)

  private static let listFields: [Field<DomainSummary>] = [
    Field(
      "deletedAt", .time, get: \.deletedAt, "When it was deleted, in a list of deleted domains."),
    Field(
      "documents", .list(of: .documentKind), get: \.kinds,
      "The kinds of documents of the current revision."),
    Field(
      "keptStatements", .bool,
      "True if `assetlinks.json` has statements of an adopted file that let Android apps handle links and that no "
        + "entry renders; otherwise left out.", .optional,
      write: { $0.hasKeptStatements ? true : nil }),
    Field(
      "findings", .written("FindingCounts", countFields), get: \.findings,
      "The number of findings that are not suppressed, as in `GET /v1/findings`. Left out of a deleted "
        + "domain, and while the linter is renewing them."),
    Field(
      "apple", .written("AppleCopy", copyFields), get: \.apple,
      "What the fetch ledger knows about Apple's CDN. Left out if the domain is disabled, deleted or has "
        + "no Apple file."),
    Field(
      "check", .named("LastCheck", .object(checkFields.members())),
      "The last check from outside; left out before the first.", .optional,
      write: { $0.check == nil ? nil : .object(checkFields.json(of: $0)) }),
  ]

  /// The worst first.
  private static let countFields: [Field<[Finding.Severity: Int]>] =
    Finding.Severity.allCases.sorted(by: >).map { severity in
      Field(severity.rawValue, .count, write: { .integer($0[severity] ?? 0) })
    }

  private static let copyFields: [Field<AppleCopy>] = [
    Field(
      "collected", .bool, get: \.isCollected,
      "Whether Apple's CDN has fetched the current document."
    ),
    Field(
      "behind", .nullable(.count), get: \.lag,
      "How many revisions behind Apple's latest fetch is; null if it has fetched none."),
  ]

  private static let checkFields: [Field<DomainSummary>] = [
    Field("status", .checkStatus, write: { $0.check.map { .string($0.rawValue) } }),
    Field("at", .time, write: { $0.checkedAt.map { .time($0) } }),
    Field(
      "certificateExpires", .time, get: \.certificateEndsAt,
      "When the certificate of the site ends; left out if the check saw none."),
  ]

  /// What lists show of the domain itself.
  private var shown: StoredDomain {
    var domain = Domain(
      name: name, isEnabled: isEnabled, format: format, environment: environment)
    (domain.labels, domain.managedBy, domain.template) = (labels, managedBy, template)
    var stored = StoredDomain(domain, revision: revision, updatedAt: updatedAt)
    stored.isBehind = isBehind
    return stored
  }
}
