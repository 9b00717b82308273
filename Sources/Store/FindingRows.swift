public import Association
import JSONValue
import SQLite

/// What the linter needs to look at a domain's document again.
public struct LintBasis: Sendable {
  /// The domain.
  public let stored: StoredDomain
  /// Its apps.
  public let apps: UsedApps
}

extension Store {
  /// Some domains whose findings are out of date, because an earlier linter made them or because an app
  /// has moved to another environment since.
  ///
  /// - Parameter name: Only this domain.
  public func staleDomains(_ limit: Int, only name: DomainName? = nil) throws -> [LintBasis] {
    try read { connection in
      let ids =
        if let name {
          try DomainRows.id(of: name, connection).map { [$0] }?
            .filter { try FindingRows.isStale($0, connection) } ?? []
        } else {
          try connection.all(
            // A domain without names was deleted.
            """
            SELECT id FROM domain JOIN domain_name ON domain_id = id AND position = 0
            WHERE linted_by < ? LIMIT ?
            """, [.integer(Linter.version), .integer(limit)]
          ) { $0.integer(0) }
        }
      return try ids.compactMap { id in
        try DomainRows(id: id).load(connection).map { stored in
          LintBasis(
            stored: stored, apps: try UsedApps(of: stored.domain, connection))
        }
      }
    }
  }
}

extension Transaction {
  /// Writes findings of a document that was linted again, unless the domain or the environment of an
  /// app has changed meanwhile. Publishes nothing.
  public func save(_ findings: [Finding], for basis: LintBasis) throws {
    let stored = basis.stored
    let isCurrent =
      try DomainRows.version(of: stored.domain.name, connection) == stored.version
      && basis.apps.areCurrent(connection)
    if !isCurrent { return }
    try FindingRows.save(findings, of: stored.id, stored.domain.document, connection)
  }
}

/// A finding without its domain.
struct FindingRow {
  var code = ""
  var severity = Finding.Severity.note
  var kind = DocumentKind.apple
  var pointer = ""
  var message = ""
  var help = ""
  /// The number of the suppression that covers it, which may have ended.
  var suppression: Int64?
}

extension Finding.Severity: Storable {}
extension DocumentKind: Storable {}

/// Reads and writes rows of `finding`.
enum FindingRows {
  /// The number of findings of a domain that are stored, besides the first of each code.
  private static let limit = 1000

  static let table = Table(
    "finding", keys: ["domain_id", "position"], blank: FindingRow(),
    columns: [
      Column("code", \.code), Column("severity", \.severity), Column("kind", \.kind),
      Column("pointer", \.pointer),
      Column("message", \.message), Column("help", \.help), Column("suppression", \.suppression),
    ])

  static func all(of domain: Int64, _ connection: Connection) throws -> [FindingRow] {
    try table.all(
      "domain_id", "FROM finding WHERE domain_id = ? ORDER BY position", domain, connection
    ).map(\.value)
  }

  /// Writes the findings of the current linter about a document; with `nil`, it has none until the linter
  /// makes them.
  ///
  /// - Returns: The suppressions of the domain.
  @discardableResult
  static func save(
    _ findings: [Finding]?, of domain: Int64, _ document: Document, _ connection: Connection
  ) throws -> [Suppression] {
    var codes: Set<Finding.Code> = []
    let kept = (findings ?? []).enumerated().filter { index, finding in
      codes.insert(finding.code).inserted || index < limit
    }
    let rows = kept.map { _, finding in
      FindingRow(
        code: finding.code.rawValue, severity: finding.severity, kind: finding.kind,
        pointer: finding.pointer.description, message: finding.message, help: finding.help)
    }
    try connection.run(
      "UPDATE domain SET linted_by = ?1 WHERE id = ?2 AND linted_by <> ?1",
      [.integer(findings == nil ? 0 : Linter.version), .integer(domain)])
    return try write(rows, over: all(of: domain, connection), of: domain, document, connection)
  }

  /// Writes anew which findings are suppressed.
  static func mark(of domain: Int64, _ document: Document, _ connection: Connection) throws {
    let rows = try all(of: domain, connection)
    _ = try write(rows, over: rows, of: domain, document, connection)
  }

  private static func write(
    _ new: [FindingRow], over old: [FindingRow], of domain: Int64, _ document: Document,
    _ connection: Connection
  ) throws -> [Suppression] {
    let suppressions = try SuppressionRows.all(of: domain, connection)
    let marked = new.map { finding in
      var finding = finding
      finding.suppression =
        suppressions.covering(
          finding.code, finding.severity, finding.kind, at: finding.pointer, in: document)?
        .number
      return finding
    }
    try table.replace(old, by: marked, of: domain, connection)
    return suppressions
  }

  /// Whether a domain's findings must be made again.
  static func isStale(_ domain: Int64, _ connection: Connection) throws -> Bool {
    try connection.first(
      "SELECT linted_by < ? FROM domain WHERE id = ?",
      [
        .integer(Linter.version), .integer(domain),
      ]
    ) { $0.bool(0) } ?? false
  }

  /// Makes the findings of every domain that uses an app out of date.
  static func invalidate<Key: AppKey>(using app: Key, _ connection: Connection) throws {
    try connection.run(
      """
      UPDATE domain SET linted_by = 0
      WHERE id IN (\(Key.rows.uses(Key.rows.row(of: "?1"))))
      """, [.text(app.text)])
  }
}
