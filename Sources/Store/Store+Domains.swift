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
    try scan {
      try DomainListing(filter, by: .name, $0).matches().map { DomainName(stored: $0.place.name) }
    }
  }

  /// The first `limit` domains after `last`, and the number of all. The number is an estimate if only some of very
  /// many domains were looked at for it.
  package func domains(
    _ filter: DomainFilter = DomainFilter(), by order: DomainOrder = .name,
    after last: DomainOrder.Place? = nil, limit: Int
  ) throws -> (page: [DomainSummary], total: Int, isEstimate: Bool) {
    try scan { connection in
      let list = try DomainListing(filter, by: order, connection)
      if list.isEverything {
        return (try list.page(after: last, limit: limit, now: now()), try list.count(), false)
      }
      let sample = try list.sample()
      if sample.matches < DomainListing.fewMatches {
        let matches = try list.matches()
        let ids = matches.drop { match in last.map { !order.comesAfter($0, match.place) } ?? false }
          .prefix(limit).map(\.id)
        return (try list.page(of: ids, now: now()), matches.count, false)
      }
      return (
        try list.page(after: last, limit: limit, now: now()), sample.matches * sample.stride,
        sample.stride > 1
      )
    }
  }
}

/// The domains that meet some conditions.
///
/// Where many do, a page is soon full if all domains are read in the order of names; where few do, they are best
/// found by what they have. How many do is seen from a sample.
private struct DomainListing {
  /// How many domains a sample has, at least.
  private static let sampleSize: Int64 = 10_000
  /// With fewer matches in a sample, all matches are looked for at once.
  static let fewMatches = 25

  private let filter: DomainFilter
  private let order: DomainOrder
  private let connection: any Connection
  /// Conditions that look at one domain after the other.
  private let each: DomainFilter.Conditions
  /// Conditions that find all domains that meet them.
  private let all: DomainFilter.Conditions

  init(_ filter: DomainFilter, by order: DomainOrder, _ connection: any Connection) throws {
    self.order = order
    let named = try filter.domainsByUnicodeName(connection)
    self.filter = filter
    self.connection = connection
    each = filter.conditions(.each, named: named)
    all = filter.conditions(.all(connection.dialect), named: named)
  }

  var isEverything: Bool { each.sql.isEmpty }

  /// The number of all domains.
  func count() throws -> Int {
    let deleted = "(SELECT count(*) FROM domain WHERE deleted_name IS NOT NULL)"
    let sql =
      filter.isDeleted ? "SELECT \(deleted)" : "SELECT count(*) - \(deleted) FROM domain"
    return try connection.first(sql) { $0.int(0) } ?? 0
  }

  /// How many of the domains at regular distances meet the conditions. Of few domains, that is every one.
  func sample() throws -> (matches: Int, stride: Int) {
    let last = try connection.first("SELECT max(id) FROM domain") { $0.optionalInteger(0) } ?? nil
    var stride = max(1, (last ?? 0) / Self.sampleSize)
    // What was published at once may repeat itself at round distances.
    while stride > 1, [2, 3, 5].contains(where: { stride.isMultiple(of: $0) }) { stride += 1 }
    let (step, end) = (each.parameter(1), each.parameter(2))
    let matches = try connection.first(
      """
      WITH RECURSIVE sampled(id) AS (
        SELECT \(step) UNION ALL SELECT id + \(step) FROM sampled WHERE id + \(step) <= \(end))
      SELECT count(*) FROM sampled CROSS JOIN domain CROSS JOIN \(filter.names)
      \(DomainFilter.checks)
      WHERE domain.id = sampled.id AND own.domain_id = domain.id AND own.position = 0 \(each.sql)
      """, each.values + [.integer(stride), .integer(last ?? 0)]
    ) { $0.int(0) }
    return (matches ?? 0, Int(stride))
  }

  func matches() throws -> [(place: DomainOrder.Place, id: Int64)] {
    try connection.all(
      """
      SELECT own.name, own.domain_id, updated_at
      FROM domain CROSS JOIN \(filter.names) \(DomainFilter.checks)
      WHERE own.domain_id = domain.id AND own.position = 0 \(all.sql) ORDER BY \(order.sql)
      """, all.values
    ) { (DomainOrder.Place(updatedAt: $0.time(2), name: $0.text(0)), $0.integer(1)) }
  }

  func page(
    after last: DomainOrder.Place?, limit: Int, now: UnixTime
  ) throws -> [DomainSummary] {
    let start = last.map { order.start(after: $0, each.parameter) } ?? (sql: "", values: [])
    let count = each.parameter(start.values.count + 1)
    // The `+` keeps SQLite from an index that is not in the order of names, and would mislead PostgreSQL.
    let position = connection.dialect == .sqlite ? "+own.position" : "own.position"
    return try summaries(
      "\(position) = 0 \(start.sql) \(each.sql) ORDER BY \(order.sql) LIMIT \(count)",
      each.values + start.values + [.integer(limit)], now: now)
  }

  /// The domains with some rows, in order.
  func page(of ids: [Int64], now: UnixTime) throws -> [DomainSummary] {
    try summaries(
      """
      own.position = 0 AND own.domain_id IN (
        SELECT CAST(each.value AS BIGINT) FROM json_each(?1) AS each) ORDER BY \(order.sql)
      """, [.text(JSON.array(ids.map { .integer($0) }).text)], now: now)
  }

  private func summaries(
    _ condition: String, _ values: [Value], now: UnixTime
  ) throws -> [DomainSummary] {
    var (page, ids) = ([DomainSummary](), [Int64]())
    try connection.run(
      """
      SELECT own.name, is_enabled, format, environment, revision, updated_at, deleted_at,
        domain_check.status, checked_at, own.domain_id, managed_by, \(DomainFilter.isBehind),
        template_use
      FROM \(filter.names) JOIN domain ON domain.id = own.domain_id \(DomainFilter.checks)
      WHERE \(condition)
      """, values
    ) { row in
      page.append(
        DomainSummary(
          name: DomainName(stored: row.text(0)), isEnabled: row.bool(1),
          format: try row.enumeration(2), environment: try row.enumeration(3),
          revision: row.int(4), updatedAt: row.time(5), deletedAt: row.optionalTime(6),
          check: try CheckStatus?.read(row, 7), checkedAt: row.optionalTime(8),
          managedBy: row.optionalText(10), isBehind: row.bool(11),
          template: try Self.template(row, 12)))
      ids.append(row.integer(9))
    }
    let details = try DomainDetails(of: ids, connection, now: now)
    for (index, id) in ids.enumerated() { details.add(id, to: &page[index]) }
    return page
  }

  private static func template(_ row: borrowing Row, _ column: Int32) throws -> TemplateUse? {
    if row.isNull(column) { return nil }
    return DomainResource.templateUse(record: try row.json(column))
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

  /// SQL for what comes after a place.
  ///
  /// - Parameter parameter: SQL for the first value, and for those after it.
  fileprivate func start(
    after last: Place, _ parameter: (Int) -> String
  ) -> (sql: String, values: [Value]) {
    let byTime = "(updated_at, own.name)"
    let values: [Value] = [.integer(last.updatedAt), .text(last.name)]
    return switch self {
    case .name: ("AND own.name > \(parameter(1))", [.text(last.name)])
    case .nameDescending: ("AND own.name < \(parameter(1))", [.text(last.name)])
    case .updated: ("AND \(byTime) > (\(parameter(1)), \(parameter(2)))", values)
    case .updatedDescending: ("AND \(byTime) < (\(parameter(1)), \(parameter(2)))", values)
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

  /// SQL for conditions, each after an AND, and the values of their parameters.
  fileprivate struct Conditions {
    private(set) var sql = ""
    private(set) var values: [Value] = []

    /// SQL for a parameter beyond those of the conditions.
    func parameter(_ number: Int) -> String { "?\(values.count + number)" }

    mutating func add(_ value: Value?, _ condition: (String) -> String) {
      guard let value else { return }
      let parameter = parameter(1)
      values.append(value)
      sql += "\n  AND (\(condition(parameter)))"
    }
  }

  /// How a condition on rows of other tables is evaluated: for one domain, or once for all of them.
  fileprivate enum Evaluation: Equatable {
    case each
    case all(Dialect)

    /// SQL for whether `domain` is among the rows of `select`, whose last condition is followed by one on the domain.
    func has(_ select: String) -> String {
      self == .each ? "EXISTS (\(select) AND domain_id = domain.id)" : has(all: select)
    }

    /// SQL for whether `domain` is among the rows of `select`. As an array, PostgreSQL takes them to be few.
    func has(all select: String) -> String {
      self == .all(.postgreSQL)
        ? "domain.id = ANY (ARRAY(\(select)))" : "domain.id IN (\(select))"
    }
  }

  /// SQL for the names of the domains, as `own`.
  fileprivate var names: String {
    isDeleted
      ? """
      (SELECT id AS domain_id, deleted_name AS name, 0 AS position FROM domain
        WHERE deleted_name IS NOT NULL) AS own
      """ : "domain_name AS own"
  }

  /// SQL that adds the last check of a domain.
  fileprivate static let checks = """
    LEFT JOIN check_schedule ON check_schedule.domain_id = domain.id
    LEFT JOIN domain_check ON domain_check.id = check_id
    """

  /// - Parameter named: The domains with a name that contains the text, if SQL cannot compare it.
  fileprivate func conditions(_ evaluation: Evaluation, named: Set<Int64>?) -> Conditions {
    var conditions = Conditions()
    if let named {
      let ids = JSON.array(named.sorted().map { .integer($0) }).text
      conditions.add(.text(ids)) {
        "domain.id IN (SELECT CAST(each.value AS BIGINT) FROM json_each(\($0)) AS each)"
      }
    } else {
      conditions.add((text?.lowercased()).map(Value.text)) { text in
        let names =
          "SELECT domain_id FROM domain_name AS other WHERE instr(other.name, \(text)) > 0"
        let own = "instr(own.name, \(text)) > 0"
        return evaluation != .each && !isDeleted
          ? evaluation.has(names) : "\(own) OR \(Evaluation.each.has(names))"
      }
    }
    conditions.add(host.map(Self.names(covering:))) {
      "own.domain_id = (\(Self.domain(serving: $0)))"
    }
    conditions.add((app?.text).map(Value.text)) { Self.uses(AppIdentifier.self, $0, evaluation) }
    conditions.add((androidApp?.text).map(Value.text)) {
      Self.uses(PackageName.self, $0, evaluation)
    }
    conditions.add((environment?.rawValue).map(Value.text)) { "environment = \($0)" }
    conditions.add(isEnabled.map(Value.bool)) { "is_enabled = \($0)" }
    // Looking at one domain needs no index of all that have something, hence the `||`.
    conditions.add((template?.text).map(Value.text)) {
      evaluation != .each ? "domain.template = \($0)" : "domain.template || '' = \($0)"
    }
    conditions.add(isBehind.map(Value.bool)) { "\(Self.isBehind) = \($0)" }
    conditions.add((label?.text).map(Value.text)) {
      evaluation.has("SELECT domain_id FROM domain_label WHERE label = \($0)")
    }
    conditions.add(finding.map(Value.text)) { code in
      evaluation != .each
        ? evaluation.has("SELECT domain_id FROM finding WHERE code = \(code)")
        : evaluation.has("SELECT domain_id FROM finding WHERE code || '' = \(code)")
    }
    conditions.add(check.map { .text($0.rawValue) }) { outcome in
      let isOutcome = "coalesce(domain_check.status, 'unchecked') = \(outcome)"
      let failing = evaluation.has(all: "SELECT domain_id FROM check_schedule WHERE failures > 0")
      return check == .failing && evaluation != .each ? "\(failing) AND \(isOutcome)" : isOutcome
    }
    conditions.add((kind?.rawValue).map(Value.text)) {
      """
      EXISTS (SELECT 1 FROM document
        WHERE document.domain_id = domain.id AND document.revision = domain.revision AND kind = \($0))
      """
    }
    conditions.add(isCollected.map(Value.bool)) { isCollected in
      // Of most domains, this alone tells, and at the least cost.
      let isFetched = self.isCollected == false ? "NOT \(FetchRows.isFetched) AND" : ""
      return """
        is_enabled = 1 AND \(isFetched)
        CASE WHEN \(FetchRows.isCollected) THEN 1 ELSE 0 END = \(isCollected)
        AND \(FetchRows.hasApplesFile)
        """
    }
    conditions.add(within.isEverything ? nil : within.list) { Self.within($0) }
    return conditions
  }

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

  /// SQL for whether `domain` uses an app, given SQL for its identifier.
  private static func uses<Key: AppKey>(
    _: Key.Type, _ identifier: String, _ evaluation: Evaluation
  ) -> String {
    let rows = Key.rows
    let row = rows.row(of: identifier)
    return switch evaluation {
    case .each: "EXISTS (\(rows.uses(row, identifier, "domain.id")))"
    case .all: evaluation.has(all: rows.uses(row, identifier, nil))
    }
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
