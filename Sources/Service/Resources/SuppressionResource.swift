package import Association
package import Store

/// A suppression of findings in JSON.
package enum SuppressionResource {
  /// The members of every suppression: before its place, after it, and at the end.
  private static let which: [Field<SuppressionDecision>] = [
    Field("code", .string(.shared("FindingCode")), get: \.code),
    Field(
      "document", .documentKind, get: \.kind, "The kind of the document that they are about."),
  ]
  private static let why: [Field<SuppressionDecision>] = [
    Field("reason", .string, get: \.reason, "Why no action is needed."),
    Field("owner", .string, get: \.owner, "Who made the decision."),
    Field("until", .time, get: \.endsAt, "When the findings are no longer suppressed."),
  ]
  private static let origin: [Field<SuppressionDecision>] = [
    Field("createdAt", .time, get: \.createdAt, "When it was created."),
    Field(
      "author", .string, get: \.author,
      "Who created it: the name of a token, or of a command."),
  ]

  private static let fields: [Field<SuppressionReport>] =
    [Field("id", .row, get: \.suppression.number, "The number of the suppression in the domain.")]
    + which.of(\.suppression.decision)
    + [
      Field(
        "pointer", .nullable(.pointer),
        "Where its findings are now: it follows its entry and route when they move. Null if they no "
          + "longer exist.", write: { .optional($0.pointer) })
    ] + why.of(\.suppression.decision)
    + [
      Field("active", .bool, "Whether it is still in effect.", write: { .bool($0.isActive) }),
      Field(
        "findings", .count, "How many findings it covers now.", write: { .integer($0.findings) }),
    ] + origin.of(\.suppression.decision)

  private static let sharedFields: [Field<SharedSuppressionReport>] =
    [
      Field("id", .row, get: \.suppression.id, "The number of the suppression."),
      Field("domain", .alias, get: \.suppression.domain, "What covers the domains."),
      Field("label", .label, get: \.suppression.label, "The label of the domains."),
    ] + which.of(\.suppression.decision)
    + [
      Field(
        "pointer", .string(.pointer), get: \.suppression.decision.place, "Where its findings are.")
    ] + why.of(\.suppression.decision)
    + [
      Field("active", .bool, "Whether it is still in effect.", write: { .bool($0.isActive) }),
      Field(
        "findings", .count, "How many findings it covers now.", write: { .integer($0.findings) }),
      Field("domains", .count, "How many domains have them.", write: { .integer($0.domains) }),
    ] + origin.of(\.suppression.decision)

  private static let newFields: [Field<SuppressionDecision>] = [
    Field(
      "code", .shared("FindingCode"), "The code of the findings.", .required,
      write: { .string($0.code) },
      read: { body, new in new.code = body.word(Finding.Code.self)?.rawValue ?? "" }),
    Field(
      "document", .documentKind, \.kind,
      "The kind of the document that they are about. Default: Apple's file."),
    Field(
      "pointer", .string(.pointer), \.place,
      "Findings at this place or below it. The empty string is the whole document.", .required),
    Field(
      "reason", .named(longest: 1000), \.reason, "Why no action is needed.", .required),
    Field(
      "owner", .named(longest: 100), \.owner, "Who made the decision and can answer questions.",
      .required),
    Field(
      "until", .anyTime, \.endsAt, "When the findings are no longer suppressed (RFC 3339).",
      .required),
  ]

  private static let newSharedFields: [Field<SharedSuppression>] =
    [
      Field(
        "domain", .alias, \.domain,
        "The domains that this covers, such as `*.brand.example`; otherwise give a `label`."),
      Field("label", .label, \.label, "The domains with this label; otherwise give a `domain`."),
    ] + newFields.inside(\.decision)

  static let schemas: JSON.Object = [
    "SharedSuppression": (sharedFields.members() + .dryRun).schema(
      "A decision to take no action on some findings of several domains until a given time. It also holds for domains "
        + "that are added, or get the label, later."),
    "NewSharedSuppression": newSharedFields.members().schema(for: .request),
    "Suppression": (fields.members() + .dryRun).schema(
      "A decision to take no action on some findings of a domain until a given time."),
    "NewSuppression": newFields.members().schema(for: .request),
    "FindingSuppression": ReportedFinding.suppressionFields.members().schema(
      "The suppression that covers a finding."),
  ]

  package static func json(_ report: SuppressionReport) -> JSON.Object { fields.json(of: report) }

  package static func json(_ report: SharedSuppressionReport) -> JSON.Object {
    sharedFields.json(of: report)
  }

  /// - Parameter now: The time after which a suppression must end.
  package static func read(_ body: BodyValue, now: UnixTime) -> SuppressionDecision? {
    var new = SuppressionDecision()
    guard body.read(newFields, into: &new) else { return nil }
    return isAhead(new, body, now) ? new : nil
  }

  /// - Parameter now: The time after which a suppression must end.
  package static func readShared(_ body: BodyValue, now: UnixTime) -> SharedSuppression? {
    var new = SharedSuppression()
    guard body.read(newSharedFields, into: &new) else { return nil }
    let choices = ["domain", "label"].filter { body.json[$0] ?? .null != .null }
    if choices.count != 1 {
      body.fault(
        .choiceNeeded,
        "Name the domains with either \"domain\", such as *.brand.example, or \"label\".")
      return nil
    }
    let place = new.decision.place
    if !place.isEmpty, !place.utf8.starts(with: "/".utf8) {
      body.faults.add(
        .malformedPointer, at: body.pointer.appending("pointer"),
        "\(place.quoted) is not a JSON pointer. Write \"\" for the whole document, or a place such as "
          + "/applinks/details.")
      return nil
    }
    return isAhead(new.decision, body, now) ? new : nil
  }

  private static func isAhead(
    _ new: SuppressionDecision, _ body: BodyValue, _ now: UnixTime
  ) -> Bool {
    if new.endsAt <= now {
      body.faults.add(
        .timePassed, at: body.pointer.appending("until"),
        "\(new.endsAt.text) has passed. Set a time in the future.")
    }
    return new.endsAt > now
  }

  /// Checks that a new suppression of several domains covers no error.
  package static func check(_ report: SharedSuppressionReport) throws(InvalidInput) {
    let code = report.suppression.decision.code
    let isError =
      Finding.Code(rawValue: code).map { $0.severity == .error && !$0.isOnlyFromChecks } ?? false
    if report.coversError || (report.findings == 0 && isError) {
      throw errorNotSuppressed(code)
    }
  }

  private static func errorNotSuppressed(_ code: String) -> InvalidInput {
    InvalidInput(
      .errorNotSuppressed, at: JSONPointer.root.appending("code"),
      "\"\(code)\" is an error. Errors cannot be suppressed, only accepted: publish with ?accept=\(code)."
    )
  }

  /// Checks what a new suppression covers: findings, none of which is an error.
  package static func check(
    _ report: SuppressionReport, in name: DomainName
  ) throws(InvalidInput) {
    let code = report.suppression.decision.code
    let isError = Finding.Code(rawValue: code)?.severity == .error
    if report.coversError || (report.findings == 0 && isError) {
      throw errorNotSuppressed(code)
    } else if report.findings == 0 {
      throw InvalidInput(
        .findingNotFound, at: JSONPointer.root.appending("pointer"),
        "No finding \"\(code)\" has this pointer. GET /v1/findings?domain=\(name) lists the findings."
      )
    }
  }
}

/// A finding with its domain, as `GET /v1/findings` lists it.
extension StoredFinding {
  private static let fields: [Field<StoredFinding>] =
    [Field("domain", .domain, get: \.domain)] + ReportedFinding.fields.of(\.finding)

  static let schemas: JSON.Object = [
    "ListedFinding": fields.members().schema(
      "A finding about the document that a domain serves."),
    "Findings":
      (ResourceSchemas.page(of: "ListedFinding") + [
        Member("total", .count, "The number of items on all pages."),
        Member("counts", .map(of: .count), "The number of unsuppressed findings, by code."),
        Member("suppressed", .count, "The number of suppressed findings."),
        Member(
          "pending", .count,
          "The number of domains that are being checked again, after an upgrade or because an app moved "
            + "to another environment. Their findings may be out of date or missing."),
      ]).schema(),
  ]

  package var json: JSON { .object(Self.fields.json(of: self)) }
}
