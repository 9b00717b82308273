/// A finding as rows and answers have it, perhaps one of a newer version of the program.
package struct ReportedFinding: Sendable {
  package var code = ""
  package var severity = Finding.Severity.error
  /// The kind of the document that it is about.
  package var kind = DocumentKind.apple.rawValue
  package var pointer = ""
  package var message = ""
  package var help = ""
  package var source = Finding.Source.lint
  /// Of a check: the URL that it is about.
  package var url: String?
  /// Of a check: the code that App Store Connect has for it.
  package var appleCode: String?
  /// The suppression that covers it; `nil` if it counts.
  package var suppression: Suppression?

  package init() {}

  package struct Suppression: Sendable {
    /// Its number in the domain, or among those of several domains.
    package var id: Int64
    package var reason: String
    package var owner: String
    /// When the finding counts again.
    package var endsAt: UnixTime
    /// What covers its domains, or their label, if it is one of several domains.
    package var domain: Alias?
    package var label: Label?

    package init(id: Int64 = 0, reason: String = "", owner: String = "", endsAt: UnixTime = 0) {
      (self.id, self.reason, self.owner, self.endsAt) = (id, reason, owner, endsAt)
    }
  }
}

extension ReportedFinding {
  package init(_ finding: Finding, _ suppression: Suppression? = nil) {
    code = finding.code.rawValue
    severity = finding.severity
    kind = finding.kind.rawValue
    pointer = finding.pointer.description
    message = finding.message
    help = finding.help
    source = finding.source
    url = finding.url
    appleCode = finding.appleCode
    self.suppression = suppression
  }

  package static let fields: [Field<ReportedFinding>] = [
    Field("code", .string(.shared("FindingCode")), \.code, "", .required),
    Field("severity", .word("Severity"), \.severity, "", .required),
    Field("document", .string, \.kind, "The kind of the document that it is about."),
    Field("pointer", .string(.pointer), \.pointer, "Where it is in the document.", .required),
    Field("message", .string, \.message, "What the linter found.", .required),
    Field("help", .string, \.help, "What to do."),
    Field(
      "source", .word("FindingSource"), \.source, "What found it; `lint` if it is left out.",
      unless: { $0 == .lint }),
    Field(
      "url", .nullable(.string), \.url, "Of a check: the URL that it is about.",
      unless: { $0 == nil }),
    Field(
      "appleCode", .nullable(.string), \.appleCode,
      "Of a check: the code that App Store Connect's `AppClipDomainStatus` has for it.",
      unless: { $0 == nil }),
    Field(
      "suppressed", .open(.shared("FindingSuppression"), suppressionFields, Suppression()),
      \.suppression, "The suppression that covers it; left out if none does."),
  ]

  package static let suppressionFields: [Field<Suppression>] = [
    Field(
      "id", .row, \.id,
      "The number of the suppression in the domain. With `domain` or `label`, its number in `/v1/suppressions`."
    ),
    Field("reason", .string, \.reason, "Why no action is needed."),
    Field("owner", .string, \.owner, "Who made the decision."),
    Field("until", .time, \.endsAt, "When the finding is no longer suppressed."),
    Field("domain", .alias, \.domain, "What covers the domains of a suppression of several."),
    Field("label", .label, \.label, "The label of the domains of a suppression of several."),
  ]

  package static let coding = Coding<ReportedFinding>.open(
    .shared("Finding"), fields, ReportedFinding())

  package var json: JSON { .object(Self.fields.json(of: self)) }
}

extension Finding {
  /// The finding as the API and `--json` write it.
  package var json: JSON { ReportedFinding(self).json }
}
