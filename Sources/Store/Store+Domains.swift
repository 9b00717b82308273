package import Association

extension Store {
  /// A domain.
  ///
  /// - Throws: `StoreError.notFound`.
  package func domain(_ name: DomainName) throws -> StoredDomain {
    try read { connection in
      guard let stored = try DomainRows.find(name, connection) else {
        throw StoreError.notFound(.domain(name))
      }
      return stored
    }
  }

  /// Whether a domain with this name was deleted, and its revisions are kept.
  package func isDeleted(_ name: DomainName) throws -> Bool {
    try read { try DomainRows.deleted(name, $0) != nil }
  }

  /// The domain that a host belongs to: the one with this name or alias, otherwise the one with the longest
  /// wildcard above it.
  package func domain(serving host: DomainName) throws -> DomainName? {
    try read { connection in
      try connection.first(
        """
        SELECT own.name FROM domain_name AS own
        WHERE own.position = 0 AND own.domain_id = (\(DomainFilter.domain(serving: "?1")))
        """, [DomainFilter.names(covering: host)]
      ) { DomainName(stored: $0.text(0)) }
    }
  }

  /// The domains that some hosts belong to, in the same way. Hosts of no domain are left out.
  package func domains(serving hosts: [DomainName]) throws -> [DomainName: DomainName] {
    let covering = hosts.map { DomainFilter.coveringNames(of: $0) }
    let names = Set(covering.joined()).sorted()
    let domains = try read { connection in
      try connection.all(
        """
        SELECT name.name, own.name FROM domain_name AS name
        JOIN domain_name AS own ON own.domain_id = name.domain_id AND own.position = 0
        WHERE name.name IN (SELECT each.value FROM json_each(?1) AS each)
        """, [.text(JSON.strings(names).text)]
      ) { ($0.text(0), DomainName(stored: $0.text(1))) }
    }
    let byName = Dictionary(domains, uniquingKeysWith: { first, _ in first })
    var found: [DomainName: DomainName] = [:]
    for (host, names) in zip(hosts, covering) {
      found[host] = names.lazy.compactMap { byName[$0] }.first
    }
    return found
  }

  /// The names of the domains that meet some conditions, in order.
  package func domainNames(_ filter: DomainFilter) throws -> [DomainName] {
    try scan { connection in
      let named = try filter.domainsByUnicodeName(connection)
      return try connection.all(
        "SELECT own.name, own.domain_id \(filter.sql) ORDER BY own.name", filter.values
      ) { (name: DomainName(stored: $0.text(0)), id: $0.integer(1)) }
      .filter { named?.contains($0.id) != false }.map(\.name)
    }
  }

  private static func template(_ row: borrowing Row, _ column: Int32) throws -> TemplateUse? {
    if row.isNull(column) { return nil }
    return DomainResource.templateUse(record: try row.json(column))
  }

  /// The first `limit` domains after `last`, and the number of all.
  package func domains(
    _ filter: DomainFilter = DomainFilter(), by order: DomainOrder = .name,
    after last: DomainOrder.Place? = nil, limit: Int
  ) throws -> (page: [DomainSummary], total: Int) {
    try scan { connection in
      var (page, ids, total) = ([DomainSummary](), [Int64](), 0)
      let named = try filter.domainsByUnicodeName(connection)
      try connection.run(
        """
        SELECT own.name, is_enabled, format, environment, revision, updated_at, deleted_at,
          domain_check.status, checked_at, own.domain_id, managed_by, \(DomainFilter.isBehind),
          template_use
        \(filter.sql) ORDER BY \(order.sql)
        """, filter.values
      ) { row in
        if let named, !named.contains(row.integer(9)) { return }
        total += 1
        guard page.count < limit else { return }
        let name = row.text(0)
        let place = DomainOrder.Place(updatedAt: row.time(5), name: name)
        if let last, !order.comesAfter(last, place) { return }
        page.append(
          DomainSummary(
            name: DomainName(stored: name), isEnabled: row.bool(1),
            format: try row.enumeration(2), environment: try row.enumeration(3),
            revision: row.int(4), updatedAt: row.time(5), deletedAt: row.optionalTime(6),
            check: try CheckStatus?.read(row, 7), checkedAt: row.optionalTime(8),
            managedBy: row.optionalText(10), isBehind: row.bool(11),
            template: try Self.template(row, 12)))
        ids.append(row.integer(9))
      }
      let details = try DomainDetails(of: ids, connection, now: now())
      for (index, id) in ids.enumerated() { details.add(id, to: &page[index]) }
      return (page, total)
    }
  }
}

/// How domains are listed: by name or by the time of the last change. Those that changed at the same time are by name.
package enum DomainOrder: String, Sendable, CaseIterable {
  case name
  case nameDescending = "-name"
  case updated
  case updatedDescending = "-updated"

  /// Where a domain stands in a list, and a page begins after.
  package struct Place: Sendable {
    package let updatedAt: UnixTime
    package let name: String

    package init(updatedAt: UnixTime, name: String) {
      self.updatedAt = updatedAt
      self.name = name
    }
  }

  fileprivate var sql: String {
    switch self {
    case .name: "own.name"
    case .nameDescending: "own.name DESC"
    case .updated: "updated_at, own.name"
    case .updatedDescending: "updated_at DESC, own.name DESC"
    }
  }

  fileprivate func comesAfter(_ last: Place, _ place: Place) -> Bool {
    switch self {
    case .name: place.name > last.name
    case .nameDescending: place.name < last.name
    case .updated: (place.updatedAt, place.name) > (last.updatedAt, last.name)
    case .updatedDescending: (place.updatedAt, place.name) < (last.updatedAt, last.name)
    }
  }
}

/// Conditions on domains in a list.
package struct DomainFilter: Sendable {
  /// A text in the name or in an alias.
  package var text: String?
  /// A host that belongs to the domain.
  package var host: DomainName?
  /// An app that the domain uses.
  package var app: AppIdentifier?
  /// An Android app that the domain uses.
  package var androidApp: PackageName?
  /// The environment of the domain.
  package var environment: App.Environment?
  /// Whether the domain is served.
  package var isEnabled: Bool?
  /// A kind of document that it publishes.
  package var kind: DocumentKind?
  /// The code of a finding in a document.
  package var finding: String?
  /// Whether Apple's CDN has the bytes that the domain serves; only enabled domains with an Apple file.
  package var isCollected: Bool?
  /// How the last check of the domain ended.
  package var check: CheckOutcome?
  /// A label that the domain has.
  package var label: Label?
  /// The template that the domain uses.
  package var template: TemplateName?
  /// Whether an edit of the domain's template was not published for it, because that was refused.
  package var isBehind: Bool?
  /// Whether to list deleted domains instead of those that exist.
  package var isDeleted: Bool
  /// The domains that a token is limited to.
  package var within: Scope

  /// Conditions; none of them by default.
  package init(
    text: String? = nil, host: DomainName? = nil, app: AppIdentifier? = nil,
    androidApp: PackageName? = nil, environment: App.Environment? = nil,
    isEnabled: Bool? = nil, kind: DocumentKind? = nil, finding: String? = nil,
    isCollected: Bool? = nil, check: CheckOutcome? = nil, label: Label? = nil,
    isDeleted: Bool = false, within: Scope = Scope()
  ) {
    self.text = text
    self.host = host
    self.app = app
    self.androidApp = androidApp
    self.environment = environment
    self.isEnabled = isEnabled
    self.kind = kind
    self.finding = finding
    self.isCollected = isCollected
    self.check = check
    self.label = label
    self.isDeleted = isDeleted
    self.within = within
  }

  /// The rows that meet the conditions, which are the parameters 1 to 14.
  fileprivate var sql: String {
    isDeleted
      ? "FROM (SELECT id AS domain_id, deleted_name AS name FROM domain) AS own \(Self.conditions)"
        + " AND deleted_at IS NOT NULL"
      : "FROM domain_name AS own \(Self.conditions) AND own.position = 0"
  }

  private static let conditions = """
    JOIN domain ON domain.id = own.domain_id
    LEFT JOIN check_schedule ON check_schedule.domain_id = domain.id
    LEFT JOIN domain_check ON domain_check.id = check_id
    WHERE (?1 IS NULL OR instr(own.name, ?1) > 0 OR EXISTS (
        SELECT 1 FROM domain_name AS other WHERE other.domain_id = domain.id AND instr(other.name, ?1) > 0))
      AND (?2 IS NULL OR domain.id IN (\(uses(AppIdentifier.self, "?2"))))
      AND (?3 IS NULL OR environment = ?3)
      AND (?4 IS NULL OR is_enabled = ?4)
      AND (?5 IS NULL OR domain.id IN (SELECT domain_id FROM finding WHERE code = ?5))
      AND \(within("?6"))
      AND (?7 IS NULL OR (is_enabled = 1 AND CASE WHEN \(FetchRows.isCollected) THEN 1 ELSE 0 END = ?7
        AND \(FetchRows.hasApplesFile)))
      AND (?8 IS NULL OR domain.id IN (\(uses(PackageName.self, "?8"))))
      AND (?9 IS NULL OR EXISTS (SELECT 1 FROM document
        WHERE document.domain_id = domain.id AND document.revision = domain.revision AND kind = ?9))
      AND (?10 IS NULL OR own.domain_id = (\(domain(serving: "?10"))))
      AND (?11 IS NULL OR coalesce(domain_check.status, 'unchecked') = ?11)
      AND \(labelled("?12"))
      AND (?13 IS NULL OR domain.template = ?13)
      AND (?14 IS NULL OR \(isBehind) = ?14)
    """

  /// SQL for whether the domain is behind its template.
  static let isBehind =
    "CASE WHEN coalesce(template_use, '') LIKE '\(TemplateRows.behindPattern)' THEN 1 ELSE 0 END"

  /// SQL for the ID of the domain that a host belongs to: the one with this name or alias, otherwise the one
  /// with the longest wildcard above it.
  ///
  /// - Parameter names: SQL for the names that cover the host.
  fileprivate static func domain(serving names: String) -> String {
    """
    SELECT domain_id FROM domain_name WHERE name IN (SELECT each.value FROM json_each(\(names)) AS each)
    ORDER BY name LIKE '*.%', length(name) DESC LIMIT 1
    """
  }

  /// The names that cover a host, as a JSON array.
  fileprivate static func names(covering host: DomainName) -> Value {
    .text(JSON.strings(coveringNames(of: host)).text)
  }

  /// The names that cover a host, the one that decides first.
  fileprivate static func coveringNames(of host: DomainName) -> [String] {
    let labels = host.text.split(separator: ".")
    return labels.indices.map { index in
      (index == 0 ? "" : "*.") + labels[index...].joined(separator: ".")
    }
  }

  /// SQL for the domains that use an app, given SQL for its identifier.
  private static func uses<Key: AppKey>(_: Key.Type, _ identifier: String) -> String {
    Key.rows.uses(Key.rows.row(of: identifier), identifier)
  }

  /// SQL for whether the domain `own` is one of those that a token is limited to.
  ///
  /// - Parameter list: SQL for `Scope.list`.
  static func within(_ list: String) -> String {
    """
    (json_array_length(\(list)) = 0 OR EXISTS (
      SELECT 1 FROM json_each(\(list)) AS each WHERE \(covers("each.value"))
        OR (each.value LIKE 'label:%' AND EXISTS (
          SELECT 1 FROM domain_label WHERE domain_label.domain_id = own.domain_id
            AND (each.value = 'label:' || label
              OR (substr(each.value, 1, length(label) + 7) = 'label:' || label || ' '
                AND \(covers("substr(each.value, length(label) + 8)"))))))))
    """
  }

  /// SQL for whether a glob covers the name of the domain `own`, given SQL for the glob.
  static func covers(_ glob: String) -> String {
    """
    (\(glob) = own.name OR (\(glob) LIKE '*%'
      AND own.name LIKE '%' || replace(substr(\(glob), 2), '_', '\\_') ESCAPE '\\'))
    """
  }

  /// SQL for whether the domain `own` has a label, given SQL for that; `NULL` for any domain.
  static func labelled(_ label: String) -> String {
    "(\(label) IS NULL OR own.domain_id IN (SELECT domain_id FROM domain_label WHERE label = \(label)))"
  }

  /// The domains with a name or an alias that contains `text` in Unicode; `nil` if SQL can compare it, since it is
  /// ASCII.
  fileprivate func domainsByUnicodeName(_ connection: any Connection) throws -> Set<Int64>? {
    guard let text = unicodeText else { return nil }
    var found: Set<Int64> = []
    try connection.run(
      """
      SELECT domain_id, name FROM domain_name WHERE instr(name, 'xn--') > 0
      UNION ALL SELECT id, deleted_name FROM domain WHERE instr(deleted_name, 'xn--') > 0
      """, []
    ) { row in
      if Alias(stored: row.text(1)).name.unicode.contains(text) {
        found.insert(row.integer(0))
      }
    }
    return found
  }

  private var unicodeText: String? {
    text.flatMap { $0.utf8.allSatisfy { $0 < 0x80 } ? nil : $0.lowercased() }
  }

  fileprivate var values: [Value] {
    [
      .optional(unicodeText == nil ? text?.lowercased() : nil), .optional(app?.text),
      .optional(environment?.rawValue),
      .optional(isEnabled), .optional(finding),
      within.list, .optional(isCollected),
      .optional(androidApp?.text), .optional(kind?.rawValue),
      host.map(Self.names(covering:)) ?? .nullText, .optional(check?.rawValue),
      .optional(label?.text), .optional(template?.text), .optional(isBehind),
    ]
  }
}

extension Scope {
  /// The JSON array that `DomainFilter.within` takes; empty for all domains.
  var list: Value { texts.stored }
}

/// A domain in a list.
package struct DomainSummary: Sendable, Equatable {
  package let name: DomainName
  /// Whether the file is served.
  package let isEnabled: Bool
  /// The format of entries that do not set their own.
  package let format: Domain.Format
  package let environment: App.Environment
  /// The current revision.
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
  package fileprivate(set) var certificateEndsAt: UnixTime?
  /// The kinds of documents of the current revision, in their order.
  package fileprivate(set) var kinds: [DocumentKind] = []
  /// Whether `assetlinks.json` has statements that let an app handle links and that no row renders.
  package fileprivate(set) var hasKeptStatements = false
  /// The numbers of findings that no suppression covers; `nil` while they are made again, and of a deleted
  /// domain.
  package fileprivate(set) var findings: [Finding.Severity: Int]?
  /// What Apple's CDN has fetched; `nil` if the domain serves no Apple file.
  package fileprivate(set) var apple: AppleCopy?
  /// The labels, in order.
  package fileprivate(set) var labels: [Label] = []
  /// Where the domain is managed; `nil` for nowhere else.
  package let managedBy: String?
  /// Whether an edit of the domain's template was not published for it, because that was refused.
  package let isBehind: Bool
  /// The template that the domain uses.
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
private struct DomainDetails {
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
