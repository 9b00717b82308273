package import Association

/// A team's decision not to act on some findings until a time. It changes nothing that is published.
package struct SuppressionDecision: Sendable, Equatable {
  package var code = ""
  /// The document that the findings are about.
  package var kind = DocumentKind.apple
  /// Findings at this place or below it: a JSON pointer, but once it is stored for one domain, with entries and routes
  /// by their numbers.
  package var place = ""
  /// Why nobody acts on them.
  package var reason = ""
  /// Who decided that, and should be asked.
  package var owner = ""
  /// When the findings count again.
  package var endsAt: UnixTime = 0
  package var createdAt: UnixTime = 0
  /// Who created it: the name of a token, or of a command.
  package var author = ""

  package init() {}

  /// Whether a finding has its code, and is at its place or below it.
  func covers(_ finding: ReportedFinding, at place: String) -> Bool {
    guard code == finding.code, kind.rawValue == finding.kind,
      place.utf8.starts(with: self.place.utf8)
    else { return false }
    let rest = place.utf8.dropFirst(self.place.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: "/")
  }

  /// As the findings that the suppression with a number covers show it.
  func mark(_ number: Int64) -> ReportedFinding.Suppression {
    ReportedFinding.Suppression(id: number, reason: reason, owner: owner, endsAt: endsAt)
  }
}

/// A suppression of findings of one domain.
package struct Suppression: Sendable, Equatable {
  /// The number in the domain, from 1.
  package var number: Int64 = 0
  package var decision = SuppressionDecision()

  /// The maximum number of a domain.
  package static let limit = 1000

  /// As the findings that it covers show it.
  var mark: ReportedFinding.Suppression { decision.mark(number) }
}

/// A suppression with what it covers now.
package struct SuppressionReport: Sendable {
  package let suppression: Suppression
  /// Where its findings are; `nil` if the entry or the route no longer exists.
  package let pointer: String?
  /// The number of findings that have its code and are there.
  package let findings: Int
  /// Whether one of them is an error of the linter, which cannot be suppressed.
  package let coversError: Bool
  /// Whether it has not ended yet.
  package let isActive: Bool
}

extension Store {
  /// The suppressions of a domain by number.
  ///
  /// - Throws: `StoreError.notFound`.
  package func suppressions(of name: DomainName) throws -> [SuppressionReport] {
    try read { connection in
      guard let stored = try DomainRows.find(name, connection) else {
        throw StoreError.notFound(.domain(name))
      }
      let findings = try FindingRows.all(of: stored.id, connection)
      return try SuppressionRows.all(of: stored.id, connection)
        .map { $0.report(stored.domain.associationFile, findings, now: now()) }
    }
  }
}

extension Transaction {
  /// Creates a suppression. If it covers no finding, or an error, the caller should throw.
  ///
  /// - Throws: `StoreError.notFound`; `Outdated` if the domain's findings must be made again first.
  package func suppress(
    _ new: SuppressionDecision, in name: DomainName
  ) throws -> (report: SuppressionReport, count: Int) {
    guard let stored = try DomainRows.find(name, connection) else {
      throw StoreError.notFound(.domain(name))
    }
    if try FindingRows.isStale(stored.id, connection) { throw Outdated() }
    let document = stored.domain.associationFile
    let number =
      isDryRun
      ? try SuppressionRows.last(of: stored.id, connection) + 1
      : try DomainRows.number("last_suppression", of: stored.id, connection)
    var new = new
    (new.createdAt, new.author) = (now, context.author)
    new.place = document.place(at: new.place, in: new.kind)
    let suppression = Suppression(number: number, decision: new)
    let count = try SuppressionRows.all(of: stored.id, connection).count + 1
    if !isDryRun {
      try SuppressionRows.table.insert(suppression, [.integer(stored.id)], connection)
      try FindingRows.mark(of: stored.id, document, connection, now: now)
      try record("suppress \(new.code) (\(number))", .domain(name))
    }
    let findings = try FindingRows.all(of: stored.id, connection)
    return (suppression.report(document, findings, now: now), count)
  }

  /// Deletes a suppression, so that its findings count again.
  ///
  /// - Throws: `StoreError.notFound`.
  package func deleteSuppression(_ number: Int64, of name: DomainName) throws {
    guard let stored = try DomainRows.find(name, connection) else {
      throw StoreError.notFound(.domain(name))
    }
    let all = try SuppressionRows.all(of: stored.id, connection)
    guard let suppression = all.first(where: { $0.number == number }) else {
      throw StoreError.notFound(.suppression(number, existing: all.map(\.number)))
    }
    if isDryRun { return }
    try connection.run(
      "DELETE FROM suppression WHERE domain_id = ? AND number = ?",
      [.integer(stored.id), .integer(number)])
    try FindingRows.mark(of: stored.id, stored.domain.associationFile, connection, now: now)
    try record("end suppression of \(suppression.decision.code) (\(number))", .domain(name))
  }
}

extension Suppression {
  fileprivate func report(
    _ document: AssociationFile, _ findings: [ReportedFinding], now: UnixTime
  ) -> SuppressionReport {
    let covered = findings.filter { decision.covers($0, at: document.place(of: $0)) }
    return SuppressionReport(
      suppression: self, pointer: document.pointer(of: decision.place, in: decision.kind),
      findings: covered.count, coversError: covered.contains(where: \.isLintError),
      isActive: decision.endsAt > now)
  }
}

extension [Suppression] {
  /// The suppression that covers a finding of a document for the longest time; `nil` for errors of the
  /// linter.
  func covering(_ finding: ReportedFinding, in document: AssociationFile) -> Suppression? {
    if finding.isLintError || isEmpty { return nil }
    let place = document.place(of: finding)
    return filter { $0.decision.covers(finding, at: place) }
      .max { $0.decision.endsAt < $1.decision.endsAt }
  }
}

/// Reads and writes rows of `suppression`.
enum SuppressionRows {
  static let table = Table(
    "suppression", keys: ["domain_id"], blank: Suppression(),
    columns: [
      Column("number", \.number), Column("code", \.decision.code),
      Column("kind", \.decision.kind), Column("place", \.decision.place),
      Column("reason", \.decision.reason), Column("owner", \.decision.owner),
      Column("ends_at", \.decision.endsAt), Column("created_at", \.decision.createdAt),
      Column("author", \.decision.author),
    ])

  /// The number of the last suppression that a domain got; 0 if it never had one.
  static func last(of domain: Int64, _ connection: any Connection) throws -> Int64 {
    try connection.number("SELECT last_suppression FROM domain WHERE id = ?", [.integer(domain)])
      ?? 0
  }

  static func all(of domain: Int64, _ connection: any Connection) throws -> [Suppression] {
    try all(DomainReading([domain], connection))[domain] ?? []
  }

  /// Those of some domains, by domain.
  static func all(_ reading: DomainReading) throws -> [Int64: [Suppression]] {
    try reading.list(table, by: "number")
  }
}
