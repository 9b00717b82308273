import Association
import Store

/// The domain that served a name, because a wildcard alias of it covers the name, until another domain takes the name.
struct FormerServer: Sendable {
  let former: FormerDomain
  /// The domain as it is after the change.
  let domain: Domain

  /// A protected domain gives a name away with approval only.
  ///
  /// - Throws: `PublicationError`.
  func requireApproval(by context: WriteContext) throws(PublicationError) {
    if !former.isProtected { return }
    if context.needsApproval(of: former) { throw .needsApproval(domain.name) }
    let approved = context.approvedWithin
    if !approved.isEverything && !approved.covers(Alias(domain.name), labels: domain.labels) {
      throw .outsideLimits(domain.name, .domain)
    }
  }

  /// Checks the domain's expectations about a name with what the other one publishes.
  ///
  /// - Throws: `PublicationError`, and what `taker` throws.
  func check(_ name: Alias, takenBy taker: () throws -> Publication) throws {
    let expectations = domain.expectations.filter { expectation in
      Matcher.storedHost(of: expectation.url).map(name.covers(host:)) ?? false
    }
    if expectations.isEmpty { return }
    let publication = try taker()
    var served = publication.edited.stored.domain
    served.expectations = expectations
    let broken: [BrokenExpectation]
    do {
      var resolver = try Resolver(served, publication.documents)
      broken = try resolver.broken()
    } catch {
      throw PublicationError.refused(served.name, [error.finding], account: nil)
    }
    if !broken.isEmpty { throw PublicationError.expectationsBroken(domain.name, broken) }
  }
}

extension Publisher {
  /// Checks the names that a single domain takes from others.
  ///
  /// - Returns: The versions of the domains that served the names.
  /// - Throws: `PublicationError`.
  func checkNames(
    takenBy publication: Publication, by context: WriteContext
  ) throws -> [DomainName: StoredDomain.Version] {
    let taker = publication.edited.stored.domain.name
    var versions: [DomainName: StoredDomain.Version] = [:]
    for (name, owner) in try store.wildcardOwners(of: publication.namesTaken) where owner != taker {
      let former = try store.formerDomain(of: owner)
      guard let stored = former.stored, stored.domain.isEnabled else { continue }
      let server = FormerServer(former: former, domain: stored.domain)
      try server.requireApproval(by: context)
      try server.check(name) { publication }
      versions[owner] = stored.version
    }
    return versions
  }
}

extension StatePlanning {
  /// The number of names whose servers are looked for at once.
  private static let namesAtOnce = 1_000

  /// Checks the names that domains of the state take from others. Comes after all reviews, because the state may change
  /// both.
  mutating func checkTakenNames() throws {
    let taken = plan.edits.flatMap { edit in
      ((edit.version == nil ? [Alias(edit.name)] : []) + edit.taken).map { (name: $0, edit: edit) }
    }
    let deleted = Set(plan.deletions.map(\.name))
    // Without a server for domains that served nothing.
    var servers: [DomainName: FormerServer?] = [:]
    for start in stride(from: 0, to: taken.count, by: Self.namesAtOnce) {
      let names = taken[start...].prefix(Self.namesAtOnce)
      let owners = try store.wildcardOwners(of: names.map(\.name))
      for (name, edit) in names {
        guard let owner = owners[name], owner != edit.name, !deleted.contains(owner) else {
          continue
        }
        do {
          if servers[owner] == nil {
            let server = try server(owner)
            servers[owner] = .some(server)
            try server?.requireApproval(by: context)
          }
          try servers[owner]??.check(name) { try publication(of: edit) }
        } catch let error as PublicationError {
          note(error)
        }
      }
    }
    plan.servers = servers.compactMapValues { $0?.former.stored?.version }
  }

  /// A domain that served names, as the state leaves it; `nil` if it served nothing.
  private func server(_ name: DomainName) throws -> FormerServer? {
    let former = try store.formerDomain(of: name)
    guard let stored = former.stored, stored.domain.isEnabled else { return nil }
    let edit = plan.edits.first { $0.name == name && $0.index != nil }
    let domain = try edit.map { try publication(of: $0).edited.stored.domain }
    return FormerServer(former: former, domain: domain ?? stored.domain)
  }
}
