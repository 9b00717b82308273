package import Association
package import Store

/// A suppression of findings in JSON.
package enum SuppressionResource {
  private static let fields: [Field<SuppressionReport>] = [
    Field("id", .row, get: \.suppression.number, "The number of the suppression in the domain."),
    Field("code", .string(.shared("FindingCode")), get: \.suppression.code),
    Field(
      "document", .word("DocumentKind"), get: \.suppression.kind,
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
      "document", .word("DocumentKind"), \.kind,
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

  static let schemas: JSON.Object = [
    "Suppression": (fields.members() + .dryRun).schema(
      "A decision to take no action on some findings of a domain until a given time."),
    "NewSuppression": newFields.members().schema(for: .request),
    "FindingSuppression": ReportedFinding.suppressionFields.members().schema(
      "The suppression that covers a finding."),
  ]

  package static func json(_ report: SuppressionReport) -> JSON.Object { fields.json(of: report) }

  /// - Parameter now: The time after which a suppression must end.
  package static func read(_ body: BodyValue, now: UnixTime) -> NewSuppression? {
    // Every one has a code of its own.
    var new = NewSuppression(code: .notJSON, pointer: "", reason: "", owner: "", endsAt: 0)
    guard body.read(newFields, into: &new) else { return nil }
    if new.endsAt <= now {
      body.faults.add(
        .timePassed, at: body.pointer.appending("until"),
        "\(new.endsAt.text) has passed. Set a time in the future.")
    }
    return new
  }

  /// Checks what a new suppression covers: findings, none of which is an error.
  package static func check(
    _ report: SuppressionReport, ofCode code: Finding.Code, in name: DomainName
  ) throws(InvalidInput) {
    if report.coversError || (report.findings == 0 && code.severity == .error) {
      throw InvalidInput(
        .errorNotSuppressed, at: JSONPointer.root.appending("code"),
        "\"\(code.rawValue)\" is an error. Errors cannot be suppressed, only accepted: publish with "
          + "?accept=\(code.rawValue).")
    } else if report.findings == 0 {
      throw InvalidInput(
        .findingNotFound, at: JSONPointer.root.appending("pointer"),
        "No finding \"\(code.rawValue)\" has this pointer. GET /v1/findings?domain=\(name) lists the findings."
      )
    }
  }
}

extension Coding<String> {
  /// A text of 1 to `longest` characters without control characters.
  fileprivate static func named(longest: Int) -> Coding {
    let schema = Schema.json([
      "type": "string", "minLength": 1, "maxLength": .integer(longest),
      "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
    ])
    return Coding(schema, read: { $0.name(longest: longest) }, write: { .string($0) })
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
