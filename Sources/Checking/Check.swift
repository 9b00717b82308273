package import Association
package import Store

/// What a check of one domain from outside has found.
package struct Check: Sendable {
  package typealias Status = CheckStatus

  package let domain: DomainName
  /// When it began.
  package let at: UnixTime
  package internal(set) var milliseconds = 0
  /// What was found, the worst first.
  package internal(set) var findings: [Finding] = []
  /// What the origin serves; `nil` if it serves no file, or if there is nothing to compare it with.
  package internal(set) var origin: FoundDocument?
  /// What Apple's CDN serves, in the same way.
  package internal(set) var cdn: FoundDocument?
  var certificate: CertificateFacts?
  var requests: [JSON] = []

  init(of domain: DomainName, at: UnixTime) {
    self.domain = domain
    self.at = at
  }

  /// By the worst finding.
  package var status: Status { Status(worst: findings.map(\.severity).max()) }

  /// All of it, as the API answers, without suppressions.
  package var json: JSON.Object { Self.fields.json(of: self) }

  package static let fields: [Field<Check>] = [
    Field("domain", .domain, get: \.domain),
    Field("at", .time, get: \.at, "When the check began."),
    Field("milliseconds", .count, get: \.milliseconds, "How long it took."),
    Field(
      "status", .word("CheckStatus"), get: \.status,
      "By the worst finding that is not suppressed."),
    Field(
      "findings", .list(of: .shared("Finding")), "The worst first.",
      write: { .array($0.findings.map(\.json)) }),
    Field(
      "origin", .written("FoundFile", FoundDocument.fields), get: \.origin,
      "What the site serves as Apple's file, if it is one."),
    Field(
      "cdn", .written("FoundFile", FoundDocument.fields), get: \.cdn, "What Apple's CDN serves."),
    Field(
      "certificate", .written("SiteCertificate", CertificateFacts.fields), get: \.certificate,
      "The certificate of the site."),
    Field(
      "requests",
      .list(of: .named("CheckRequest", .object(ObservedRequest.fields.members()))),
      "Every request, with each redirect.", write: { .array($0.requests) }),
  ]
}

extension Check {
  /// What a store records.
  package var record: CheckRecord {
    var record = CheckRecord(domain, at: at, findings: findings, result: json)
    record.cdn = cdn.map { copy in
      CheckRecord.Copy(
        revision: copy.revision,
        lag: copy.revision.flatMap { revision in copy.current.map { $0 - revision } },
        fetchedAt: copy.age.map { at - Int64($0) })
    }
    // One that clients refuse may be somebody else's.
    let isRefused = findings.contains { $0.code == .tlsError }
    record.certificate = (isRefused ? nil : certificate).map {
      CheckRecord.Certificate(
        names: $0.names.prefix(20).map(\.fromOutside), issuer: $0.issuer.fromOutside,
        endsAt: $0.endsAt)
    }
    return record
  }
}

/// A certificate as a check shows it.
struct CertificateFacts: Sendable {
  let names: [String]
  let issuer: String
  let endsAt: UnixTime

  static let fields: [Field<CertificateFacts>] = [
    Field(
      "names", .list(of: .string), write: { .strings($0.names.prefix(20).map(\.fromOutside)) }),
    Field("issuer", .string, get: \.issuer.fromOutside),
    Field("expires", .time, get: \.endsAt),
  ]
}

extension String {
  /// A text from outside for people and logs, of at most about 200 characters.
  var fromOutside: String { fromOutside(atMost: 200) }

  /// A text from outside for people and logs: on one line, without control characters and passwords in URLs. A
  /// longer one is cut between words.
  func fromOutside(atMost limit: Int) -> String {
    var text = onOneLine
    // A regular expression is compiled each time, so only where there can be a password.
    if text.utf8.contains(UInt8(ascii: "@")) {
      text = text.replacing(#/\/\/[^\/@\s]*@/#, with: "//")
    }
    let start = text.prefix(limit)
    if start.endIndex == text.endIndex { return text }
    let words = start[..<(start.lastIndex(of: " ") ?? start.endIndex)]
    return "\(words.count > limit / 2 ? words : start)…"
  }
}
