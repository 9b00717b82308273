package import Association

/// A domain in a list.
package struct DomainSummary: Sendable, Equatable {
  package let name: DomainName
  /// Whether the file is served.
  package let isEnabled: Bool
  /// The format of entries that do not set their own.
  package let format: Domain.Format
  package let environment: App.Environment
  package let revision: Int
  /// The time of the last change.
  package let updatedAt: UnixTime
  /// When the domain was deleted; `nil` if it was not.
  package let deletedAt: UnixTime?
  /// How the last check of the domain ended; `nil` before the first.
  package let check: CheckStatus?
  /// When that was.
  package let checkedAt: UnixTime?
  /// When the certificate that it saw ends; `nil` if it saw none.
  package internal(set) var certificateEndsAt: UnixTime?
  /// The kinds of documents of the current revision, in their order.
  package internal(set) var kinds: [DocumentKind] = []
  /// Whether `assetlinks.json` has statements that let an app handle links and that no row renders.
  package internal(set) var hasKeptStatements = false
  /// The numbers of findings that no suppression covers; `nil` while they are made again, and of a deleted
  /// domain.
  package internal(set) var findings: [Finding.Severity: Int]?
  /// What Apple's CDN has fetched; `nil` if the domain serves no Apple file.
  package internal(set) var apple: AppleCopy?
  package internal(set) var labels: [Label] = []
  /// Where the domain is managed; `nil` for nowhere else.
  package let managedBy: String?
  /// Whether an edit of the domain's template was not published for it, because that was refused.
  package let isBehind: Bool
  package let template: TemplateUse?

  /// What Apple's CDN has fetched of a domain, by the fetch ledger.
  package struct AppleCopy: Sendable, Equatable {
    /// Whether it has the bytes that the domain serves.
    package let isCollected: Bool
    /// By how many revisions the newest that it fetched is behind, 0 if that has the same bytes; `nil` if it
    /// has fetched none.
    package let lag: Int?
  }
}

/// What a page of a list shows of its domains besides their own rows, in a few statements.
struct DomainDetails {
  private struct Details {
    var isPending = false
    var certificateEndsAt: UnixTime?
    var isCollected = false
    var hasKeptStatements = false
    var fetched: Int?
    var kinds: [DocumentKind] = []
    var findings: [Finding.Severity: Int] = [:]
    var labels: [Label] = []
  }

  private var details: [Int64: Details] = [:]

  init(of ids: [Int64], _ connection: any Connection, now: UnixTime) throws {
    if ids.isEmpty { return }
    let list = Value.text(JSON.array(ids.map { .integer($0) }).text)
    let isListed = "IN (SELECT CAST(each.value AS BIGINT) FROM json_each(?1) AS each)"
    try connection.run(
      """
      SELECT domain.id, linted_by < ?2, certificate_ends_at, \(FetchRows.isCollected),
        \(FetchRows.collected),
        assetlinks_extra LIKE '%handle_all_urls%' AND assetlinks_extra LIKE '%"package_name"%'
      FROM domain LEFT JOIN check_schedule ON check_schedule.domain_id = domain.id
      WHERE domain.id \(isListed)
      """, [list, .integer(Linter.version)]
    ) { row in
      details[row.integer(0)] = Details(
        isPending: row.bool(1), certificateEndsAt: row.optionalTime(2),
        isCollected: row.bool(3), hasKeptStatements: row.bool(5), fetched: try Int?.read(row, 4))
    }
    try connection.run(
      """
      SELECT domain.id, kind FROM domain
      JOIN document ON document.domain_id = domain.id AND document.revision = domain.revision
      WHERE domain.id \(isListed)
      """, [list]
    ) { row in try details[row.integer(0)]?.kinds.append(row.enumeration(1)) }
    try connection.run(
      "SELECT domain_id, label FROM domain_label WHERE domain_id \(isListed) ORDER BY position",
      [list]
    ) { row in details[row.integer(0)]?.labels.append(Label(stored: row.text(1))) }
    let shared = try SharedSuppressionRows.covering(at: "?2", connection)
    try connection.run(
      """
      SELECT finding.domain_id, severity, count(*) FROM finding
      LEFT JOIN suppression ON suppression.domain_id = finding.domain_id
        AND suppression.number = finding.suppression AND suppression.ends_at > ?2
      WHERE suppression.number IS NULL AND \(shared) IS NULL AND finding.domain_id \(isListed)
      GROUP BY finding.domain_id, severity
      """, [list, .integer(now)]
    ) { row in try details[row.integer(0)]?.findings[row.enumeration(1)] = row.int(2) }
  }

  /// Adds what is known of the domain in a row.
  func add(_ id: Int64, to domain: inout DomainSummary) {
    guard let glance = details[id] else { return }
    domain.kinds = glance.kinds.sorted()
    domain.certificateEndsAt = glance.certificateEndsAt
    domain.hasKeptStatements = glance.hasKeptStatements
    if domain.deletedAt != nil { return }
    domain.labels = glance.labels
    if !glance.isPending { domain.findings = glance.findings }
    if domain.isEnabled && glance.kinds.contains(.apple) {
      domain.apple = DomainSummary.AppleCopy(
        isCollected: glance.isCollected,
        lag: glance.isCollected ? 0 : glance.fetched.map { domain.revision - $0 })
    }
  }
}
