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

  /// A page of the labels that domains have, and how many domains have each.
  ///
  /// - Parameter text: Only labels that contain this.
  package func labels(
    containing text: String?, within: Scope, after last: String?, limit: Int
  ) throws -> [(label: Label, domainCount: Int)] {
    let scope =
      within.isEverything
      ? ""
      : """
      AND EXISTS (SELECT 1 FROM domain_name AS own
        WHERE own.domain_id = domain_label.domain_id AND own.position = 0 AND \(DomainFilter.within("?4")))
      """
    return try scan { connection in
      try connection.all(
        """
        SELECT label, count(*) FROM domain_label
        WHERE label > ?1 AND instr(label, ?2) > 0 \(scope)
        GROUP BY label ORDER BY label LIMIT ?3
        """,
        [.text(last ?? ""), .text(text?.lowercased() ?? ""), .integer(limit)]
          + (within.isEverything ? [] : [within.list])
      ) { (Label(stored: $0.text(0)), $0.int(1)) }
    }
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
    return try connection.count(sql)
  }

  /// How many of the domains at regular distances meet the conditions. Of few domains, that is every one.
  func sample() throws -> (matches: Int, stride: Int) {
    let last = try connection.first("SELECT max(id) FROM domain") { $0.optionalInteger(0) } ?? nil
    var stride = max(1, (last ?? 0) / Self.sampleSize)
    // What was published at once may repeat itself at round distances.
    while stride > 1, [2, 3, 5].contains(where: { stride.isMultiple(of: $0) }) { stride += 1 }
    let (step, end) = (each.parameter(1), each.parameter(2))
    let matches = try connection.count(
      """
      WITH RECURSIVE sampled(id) AS (
        SELECT \(step) UNION ALL SELECT id + \(step) FROM sampled WHERE id + \(step) <= \(end))
      SELECT count(*) FROM sampled CROSS JOIN domain CROSS JOIN \(filter.names)
      \(DomainFilter.checks)
      WHERE domain.id = sampled.id AND own.domain_id = domain.id AND own.position = 0 \(each.sql)
      """, each.values + [.integer(stride), .integer(last ?? 0)])
    return (matches, Int(stride))
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
