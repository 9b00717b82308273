package import Association
package import Store

/// Makes findings again that are out of date: after an upgrade with a changed linter, and for the domains
/// of an app that has moved to another environment. Publishes nothing.
package struct Relinting: Sendable {
  /// Domains per transaction, so that no edit waits long for it.
  private static let batch = 20
  private let store: Store

  /// Makes findings of a store again.
  package init(_ store: Store) { self.store = store }

  /// Works until nothing is left to do, or `mustStop` returns true between two documents. Domains that cannot be read
  /// stay as they are.
  ///
  /// - Parameter ifTaken: Called before each part of the work; false if another server does it.
  /// - Returns: The number of documents that were linted.
  /// - Throws: `StoreError`. The next call goes on where this one ended.
  @discardableResult
  package func run(
    ifTaken: () throws -> Bool = { true }, until mustStop: () -> Bool
  ) throws -> Int {
    var count = 0
    while !mustStop() {
      let (stale, damaged) = try store.staleDomains(Self.batch)
      if try stale.isEmpty && damaged.isEmpty || !ifTaken() { break }
      if !damaged.isEmpty {
        try store.write(.ofServer) { try $0.skipLinting(of: damaged) }
      }
      count += try lint(stale, until: mustStop)
    }
    return count
  }

  /// Makes the findings of one domain again if they are out of date.
  ///
  /// - Throws: `StoreError`.
  package func run(for name: DomainName) throws {
    if let stale = try store.staleDomain(name) { _ = try lint([stale]) { false } }
  }

  private func lint(_ stale: [DomainToLint], until mustStop: () -> Bool) throws -> Int {
    var linted: [(domain: DomainToLint, findings: [Finding])] = []
    for domain in stale where linted.isEmpty || !mustStop() {
      let rendered = RenderedDomain(domain.stored.domain, domain.apps)
      linted.append(
        (domain, try rendered.findings(at: store.now()) + outdated(domain.stored, rendered)))
    }
    if linted.isEmpty { return 0 }
    try store.write(.ofServer) { transaction in
      for (domain, findings) in linted { try transaction.save(findings, for: domain) }
    }
    return linted.count
  }

  /// Reports that the published file says less for passkeys than the rows of the domain would by now: earlier
  /// versions wrote one relation for them. It stays as it is until the domain is published again.
  private func outdated(_ stored: StoredDomain, _ rendered: RenderedDomain) throws -> [Finding] {
    if stored.domain.androidCredentials.isEmpty { return [] }
    let published: Documents
    do {
      published = try store.revision(stored.revision, of: stored).documents
    } catch StoreError.database(.damaged, _), StoreError.notFound {
      return []
    }
    if published[.assetLinks] == rendered.bytes[.assetLinks] { return [] }
    guard let served = ReadDocuments(intact: published)?.assetLinks,
      let finding = Linter.report(onFile: served.json.serialized(), kind: .assetLinks).findings
        .first(
          where: { $0.code == .credentialsWithoutLinks })
    else { return [] }
    return [
      Finding(
        .credentialsWithoutLinks, at: finding.pointer,
        "The published file is of an earlier version. " + finding.message,
        help:
          "Publish the domain again: send a PATCH with {} to it, or make any edit. The dry run shows what changes."
      )
    ].about(.assetLinks)
  }
}
