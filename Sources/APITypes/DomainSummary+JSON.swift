package import Association
package import JSONValue
package import Store

extension Schema {
  package static let checkStatus = words(CheckStatus.self, "CheckStatus")
}

extension DomainResource {
  private static let fieldsOfSummary = fields.filter {
    ["domain", "unicode", "enabled", "format", "environment", "revision", "updatedAt"]
      .contains($0.member.name)
  }

  /// What a revision records of a domain besides its document.
  static let settingsOfRevision = fields.filter {
    ["aliases", "enabled", "cacheSeconds", "environment", "strict", "expectations"]
      .contains($0.member.name)
  }

  package static let schemas: JSON.Object = [
    "Domain": fields.members().schema(),
    "ExportedDomain": fields.members().schema(for: .export),
    "DomainInput": fields.members().schema(
      "A whole domain. A member that is left out or null gets its default, except `expectations`, "
        + "which stay as they are.", for: .request),
    "DomainOfState": fieldsOfState.members().schema(
      "A domain. In an existing domain, a member that is left out stays as it is, and null resets it. "
        + "Lists and maps are replaced as a whole. A new domain gets the defaults.", for: .request),
    "DomainPatch": fields.members().schema(
      "A merge patch (RFC 7396): members replace those of the domain, `null` resets them to their "
        + "defaults. Lists are replaced as a whole.", for: .patch),
    "DomainSummary":
      (fieldsOfSummary.members() + [
        Member("deletedAt", .time, "When it was deleted, in a list of deleted domains.", .optional),
        Member(
          "documents", .list(of: .documentKind),
          "The kinds of documents of the current revision."),
        Member(
          "keptStatements", .bool,
          "True if `assetlinks.json` has statements of an adopted file that let Android apps handle links and that no "
            + "entry renders; otherwise left out.",
          .optional),
        Member(
          "findings",
          .named("FindingCounts", .object(severities.map { Member($0.rawValue, .count) })),
          "The number of findings that are not suppressed, as in `GET /v1/findings`. Left out of a deleted "
            + "domain, and while the linter is renewing them.", .optional),
        Member(
          "apple",
          .named(
            "AppleCopy",
            .object([
              Member(
                "collected", .bool, "Whether Apple's CDN has fetched the current document."),
              Member(
                "behind", .nullable(.count),
                "How many revisions behind Apple's latest fetch is; null if it has fetched none."
              ),
            ])),
          "What the fetch ledger knows about Apple's CDN. Left out if the domain is disabled, deleted or has "
            + "no Apple file.", .optional),
        Member(
          "check",
          .named(
            "LastCheck",
            .object([
              Member("status", .checkStatus), Member("at", .time),
              Member(
                "certificateExpires", .time,
                "When the certificate of the site ends; left out if the check saw none.", .optional),
            ])),
          "The last check from outside; left out before the first.", .optional),
      ]).schema(),
  ]

  /// The worst first.
  private static let severities = Finding.Severity.allCases.sorted(by: >)

  /// A domain in a list.
  package static func summary(_ domain: DomainSummary) -> JSON {
    let shown = Domain(
      name: domain.name, isEnabled: domain.isEnabled, format: domain.format,
      environment: domain.environment)
    var object = fieldsOfSummary.json(
      of: StoredDomain(shown, revision: domain.revision, updatedAt: domain.updatedAt))
    object["deletedAt"] = domain.deletedAt.map { .time($0) }
    object["documents"] = .strings(domain.kinds.map(\.rawValue))
    object["keptStatements"] = domain.hasKeptStatements ? true : nil
    object["findings"] = domain.findings.map { counts in
      var object = JSON.Object()
      for severity in severities { object[severity.rawValue] = .integer(counts[severity] ?? 0) }
      return .object(object)
    }
    object["apple"] = domain.apple.map { copy in
      ["collected": .bool(copy.isCollected), "behind": copy.lag.map { .integer($0) } ?? .null]
    }
    if let status = domain.check, let at = domain.checkedAt {
      var check: JSON.Object = [
        "status": .string(status.rawValue), "at": .time(at),
      ]
      check["certificateExpires"] = domain.certificateEndsAt.map { .time($0) }
      object["check"] = .object(check)
    }
    return .object(object)
  }
}
