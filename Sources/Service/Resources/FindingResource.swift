package import Association

/// Faults, reports and comparisons in JSON.
package enum FindingResource {
  private static let faultFields: [Field<Fault>] = [
    Field(
      "pointer", .pointer, "Where it is in the body.",
      write: { .string($0.pointer.description) }),
    Field("code", .string(faultCodes), get: \.code, "A stable code."),
    Field("message", .string, get: \.message, "What is wrong."),
    element("domain", "In a state: the domain with the invalid value."),
    element("app", "In a state: the app with the invalid value."),
    element("template", "In a state: the template with the invalid value."),
    element("package", "In a state: the Android app with the invalid value."),
  ]

  private static func element(_ key: String, _ documentation: String) -> Field<Fault> {
    Field(
      key, .string, documentation, .optional,
      write: { fault in fault.element.flatMap { $0.key == key ? JSON.string($0.name) : nil } })
  }

  private static let accountFields: [Field<ByteAccount>] = [
    Field("bytes", .count, get: \.bytes, "The size of the document."),
    Field("limit", .count, get: \.limit, "The largest size that can be published."),
    Field(
      "apps", .list(of: .named("AppBytes", .object(appShareFields.members()))),
      "The bytes of the entries of the 1,000 largest apps, the largest first.",
      write: { account in
        .array(account.apps.prefix(Excerpt.limit).map { .object(appShareFields.json(of: $0)) })
      }),
    Field(
      "routes", .list(of: .written("RouteBytes", routeShareFields)), get: \.routes,
      "The largest routes."),
  ]

  private static let appShareFields: [Field<ByteAccount.AppShare>] = [
    Field("app", .string, get: \.app),
    Field("bytes", .count, get: \.bytes),
  ]

  private static let routeShareFields: [Field<ByteAccount.RouteShare>] = [
    Field("pointer", .pointer, write: { .string($0.pointer.description) }),
    Field("bytes", .count, get: \.bytes),
  ]

  /// Every code that a fault can have: its own, those of names, and those of findings.
  private static var faultCodes: Schema {
    var codes = Fault.Code.allCases.map(\.rawValue) + ValidationError.Code.allCases.map(\.rawValue)
    codes += Finding.Code.allCases.map(\.rawValue).filter { !codes.contains($0) }
    return .named("FaultCode", .words(codes))
  }

  static let schemas: JSON.Object = [
    "FindingCode": .object(
      Schema.words(Finding.Code.self).json(for: .answer).described(
        "The kind of a finding. docs/findings.md explains each code.")),
    "Report": [
      Member("valid", .bool, "Whether there are no errors."),
      Member("kind", .documentKind, "The kind of file."),
      Member("bytes", .count, "The size of the file."),
      Member("findings", .list(of: .shared("Finding"))),
      Member("moreFindings", .count, PublicationResource.moreDocumentation, .optional),
    ].schema(),
    "Fault": faultFields.members().schema(),
    "ByteAccount": accountFields.members().schema(),
    "Change": DocumentChange.fields.members().schema(
      "One difference between two documents, or between other settings."),
    "Comparison": comparison.schema(
      "How two documents differ in meaning, not in bytes, and what else of the domain differs."),
    "RevisionComparison":
      ([
        Member("from", .revision, "The revision that is compared."),
        Member(
          "to", .revision, "The revision it is compared with; left out for a document.", .optional),
      ] + comparison).schema("How a revision or a document differs from a revision."),
  ]

  /// The report on a file of some kind and of so many bytes.
  package static func json(
    _ report: Linter.Report, kind: DocumentKind, size: Int
  ) -> JSON.Object {
    var object: JSON.Object = [
      "valid": .bool(report.isValid), "kind": .string(kind.rawValue), "bytes": .integer(size),
    ]
    object.set("findings", more: "moreFindings", Excerpt(of: report.findings))
    return object
  }

  /// How two states of a domain differ.
  package static func json(_ comparison: DomainComparison) -> JSON.Object {
    var object: JSON.Object = [:]
    object["affectsLinks"] = comparison.affectsLinks.map(JSON.bool)
    if !comparison.areSettingsKnown { object["settingsRecorded"] = false }
    object.set("changes", more: "moreChanges", Excerpt(of: comparison.changes, \.json))
    return object
  }

  /// A fault as an element of a problem's `errors`.
  package static func json(_ fault: Fault) -> JSON { .object(faultFields.json(of: fault)) }

  /// An error of a document as an element of a problem's `errors`.
  package static func fault(_ finding: Finding) -> Fault {
    Fault(
      pointer: finding.pointer, code: finding.code.rawValue,
      message: "\(finding.message) \(finding.help)")
  }

  /// Where the bytes of a document that is too large go.
  package static func json(_ account: ByteAccount) -> JSON {
    .object(accountFields.json(of: account))
  }

  private static let comparison = [
    Member("affectsLinks", .bool, DocumentChange.affectsLinksDocumentation, .optional),
    Member(
      "settingsRecorded", .constant(false),
      "False if an earlier version of the program published one of the revisions and recorded only its "
        + "document. Then changes to other settings are missing. Left out otherwise.", .optional),
    Member("changes", .list(of: .shared("Change"))),
    Member("moreChanges", .count, "The number of changes that are left out.", .optional),
  ]
}
