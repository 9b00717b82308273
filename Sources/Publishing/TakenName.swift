import Association
import Store

/// A name that a domain gets, and that another domain served until now, because a wildcard alias of it covers the name.
struct TakenName: Sendable {
  let name: Alias
  /// The domain that served the name, which has it no more. It does not change itself.
  let former: FormerDomain
  let owner: Domain
  /// What it publishes.
  let documents: ReadDocuments

  /// Its expectations about URLs of the name.
  var expectations: [Expectation] {
    owner.expectations.filter { expectation in
      Matcher.storedHost(of: expectation.url).map(name.covers(host:)) ?? false
    }
  }

  /// The move of the name to a domain, for a comparison.
  ///
  /// - Parameter documents: What the domain publishes.
  func move(to domain: Domain, _ documents: ReadDocuments) -> MovedName {
    MovedName(
      from: owner.name, to: domain.name, before: self.documents,
      after: domain.isEnabled ? documents : nil)
  }

  /// What visitors of the name had, as a domain of this name.
  var domain: Domain {
    var domain = owner
    (domain.name, domain.aliases) = (name.name, [])
    domain.expectations = expectations
    return domain
  }
}

extension Store {
  /// The names that domains take from wildcard aliases of others.
  ///
  /// - Parameters:
  ///   - domains: The domains, and as they are now; `nil` for new ones.
  ///   - settled: What an edit makes of the domain that served a name, if it changes that one, too.
  func takenNames(
    by domains: [(new: Domain, old: Domain?)], settled: (StoredDomain) throws -> Domain?
  ) throws -> [DomainName: [TakenName]] {
    let names = domains.flatMap { new, old in
      let before = Set(old?.aliases ?? [])
      let own = old == nil ? [Alias(new.name)] : []
      return (own + new.aliases.filter { !before.contains($0) }).map {
        (name: $0, domain: new.name)
      }
    }
    if names.isEmpty { return [:] }
    let owners = try wildcardOwners(of: names.map(\.name))
    if owners.isEmpty { return [:] }
    var known: [DomainName: (former: FormerDomain, domain: Domain, documents: ReadDocuments)] = [:]
    for owner in Set(owners.values) {
      let former = try formerDomain(of: owner)
      guard let stored = former.stored, stored.domain.isEnabled,
        let documents = former.published.flatMap({ ReadDocuments(intact: $0.documents) })
      else { continue }
      known[owner] = (former, try settled(stored) ?? stored.domain, documents)
    }
    return names.reduce(into: [:]) { taken, next in
      guard let owner = owners[next.name], owner != next.domain, let known = known[owner] else {
        return
      }
      taken[next.domain, default: []].append(
        TakenName(
          name: next.name, former: known.former, owner: known.domain, documents: known.documents))
    }
  }
}

extension [TakenName] {
  /// The one with the name of a domain that is new.
  func ownName(of domain: Domain) -> TakenName? { first { $0.name == Alias(domain.name) } }

  /// The versions of the domains that served the names.
  var versions: [DomainName: StoredDomain.Version] {
    reduce(into: [:]) { $0[$1.owner.name] = $1.former.stored?.version }
  }
}
