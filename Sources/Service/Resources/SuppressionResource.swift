package import Association
package import Store

/// A suppression of findings in JSON.
package enum SuppressionResource {
  private static let fields: [Field<SuppressionReport>] = [
    Field("id", .row, get: \.suppression.number, "The number of the suppression in the domain."),
    Field("code", .string(.shared("FindingCode")), get: \.suppression.code),
    Field(
      "document", .documentKind, get: \.suppression.kind,
      "The kind of the document that they are about."),
    Field(
      "pointer", .nullable(.pointer),
      "Where its findings are now: it follows its entry and route when they move. Null if they no "
        + "longer exist.", write: { .optional($0.pointer) }),
    Field("reason", .string, get: \.suppression.reason, "Why no action is needed."),
    Field("owner", .string, get: \.suppression.owner, "Who made the decision."),
    Field("until", .time, get: \.suppression.endsAt, "When the findings are no longer suppressed."),
    Field(
      "active", .bool, "Whether it is still in effect.", write: { .bool($0.isActive) }),
    Field(
      "findings", .count, "How many findings it covers now.",
      write: { .integer($0.findings) }),
    Field("createdAt", .time, get: \.suppression.createdAt, "When it was created."),
    Field(
      "author", .string, get: \.suppression.author,
      "Who created it: the name of a token, or of a command."),
  ]

  private static let newFields: [Field<NewSuppression>] = [
    Field(
      "code", .shared("FindingCode"), "The code of the findings.", .required,
      write: { .string($0.code.rawValue) },
      read: { body, new in new.code = body.word(Finding.Code.self) ?? new.code }),
    Field(
      "document", .documentKind, \.kind,
      "The kind of the document that they are about. Default: Apple's file."),
    Field(
      "pointer", .string(.pointer), \.pointer,
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

  private static let sharedFields: [Field<SharedSuppressionReport>] = [
    Field("id", .row, get: \.suppression.id, "The number of the suppression."),
    Field("domain", .alias, get: \.suppression.domain, "What covers the domains."),
    Field("label", .label, get: \.suppression.label, "The label of the domains."),
    Field("code", .string(.shared("FindingCode")), get: \.suppression.code),
    Field(
      "document", .documentKind, get: \.suppression.kind,
      "The kind of the document that they are about."),
    Field("pointer", .string(.pointer), get: \.suppression.pointer, "Where its findings are."),
    Field("reason", .string, get: \.suppression.reason, "Why no action is needed."),
    Field("owner", .string, get: \.suppression.owner, "Who made the decision."),
    Field("until", .time, get: \.suppression.endsAt, "When the findings are no longer suppressed."),
    Field("active", .bool, "Whether it is still in effect.", write: { .bool($0.isActive) }),
    Field(
      "findings", .count, "How many findings it covers now.", write: { .integer($0.findings) }),
    Field("domains", .count, "How many domains have them.", write: { .integer($0.domains) }),
    Field("createdAt", .time, get: \.suppression.createdAt, "When it was created."),
    Field(
      "author", .string, get: \.suppression.author,
      "Who created it: the name of a token, or of a command."),
  ]

  /// A suppression of several domains, as a request gives it.
  private struct NewShared {
    var suppression: NewSuppression
    var domain: Alias?
    var label: Label?
  }

  private static let newSharedFields: [Field<NewShared>] =
    [
      Field(
        "domain", .alias, \.domain,
        "The domains that this covers, such as `*.brand.example`; otherwise give a `label`."),
      Field("label", .label, \.label, "The domains with this label; otherwise give a `domain`."),
    ] + newFields.inside(\.suppression)

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

  /// Every one has a code of its own.
  private static let blank = NewSuppression(
    code: .notJSON, pointer: "", reason: "", owner: "", endsAt: 0)

  /// - Parameter now: The time after which a suppression must end.
  package static func read(_ body: BodyValue, now: UnixTime) -> NewSuppression? {
    var new = blank
    guard body.read(newFields, into: &new) else { return nil }
    return isAhead(new, body, now) ? new : nil
  }

  /// - Parameter now: The time after which a suppression must end.
  package static func readShared(_ body: BodyValue, now: UnixTime) -> SharedSuppression? {
    var new = NewShared(suppression: blank)
    guard body.read(newSharedFields, into: &new) else { return nil }
    let choices = ["domain", "label"].filter { body.json[$0] ?? .null != .null }
    if choices.count != 1 {
      body.fault(
        .choiceNeeded,
        "Name the domains with either \"domain\", such as *.brand.example, or \"label\".")
      return nil
    }
    let given = new.suppression
    if !given.pointer.isEmpty, !given.pointer.utf8.starts(with: "/".utf8) {
      body.faults.add(
        .malformedPointer, at: body.pointer.appending("pointer"),
        "\(given.pointer.quoted) is not a JSON pointer. Write \"\" for the whole document, or a place such as "
          + "/applinks/details.")
      return nil
    }
    guard isAhead(given, body, now) else { return nil }
    var suppression = SharedSuppression()
    (suppression.domain, suppression.label) = (new.domain, new.label)
    (suppression.code, suppression.kind) = (given.code.rawValue, given.kind)
    (suppression.pointer, suppression.endsAt) = (given.pointer, given.endsAt)
    (suppression.reason, suppression.owner) = (given.reason, given.owner)
    return suppression
  }

  private static func isAhead(_ new: NewSuppression, _ body: BodyValue, _ now: UnixTime) -> Bool {
    if new.endsAt <= now {
      body.faults.add(
        .timePassed, at: body.pointer.appending("until"),
        "\(new.endsAt.text) has passed. Set a time in the future.")
    }
    return new.endsAt > now
  }

  /// Checks that a new suppression of several domains covers no error.
  package static func check(_ report: SharedSuppressionReport) throws(InvalidInput) {
    let code = Finding.Code(rawValue: report.suppression.code)
    let isError = code.map { $0.severity == .error && !$0.isOfCheck } ?? false
    if report.coversError || (report.findings == 0 && isError) {
      throw errorNotSuppressed(report.suppression.code)
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
    _ report: SuppressionReport, ofCode code: Finding.Code, in name: DomainName
  ) throws(InvalidInput) {
    if report.coversError || (report.findings == 0 && code.severity == .error) {
      throw errorNotSuppressed(code.rawValue)
    } else if report.findings == 0 {
      throw InvalidInput(
        .findingNotFound, at: JSONPointer.root.appending("pointer"),
        "No finding \"\(code.rawValue)\" has this pointer. GET /v1/findings?domain=\(name) lists the findings."
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
