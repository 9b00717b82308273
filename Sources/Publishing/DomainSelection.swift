package import Association
package import Store

/// The domains that an edit chooses: those with one of the names, of which all filters hold.
package struct DomainSelection: Sendable {
  /// Names, and wildcards for all domains below a name; empty for all.
  package var names: [Alias]
  package var filter: DomainFilter

  package init(names: [Alias] = [], filter: DomainFilter = DomainFilter()) {
    self.names = names
    self.filter = filter
  }

  /// - Throws: `StoreError.notFound` for a name that is no wildcard; `PublicationError.nothingChosen` if there is no such
  ///   domain.
  func domains(of store: Store) throws -> [DomainName] {
    let domains = try names.isEmpty ? store.domainNames(filter) : named(of: store)
    if domains.isEmpty { throw PublicationError.nothingChosen }
    return domains
  }

  private func named(of store: Store) throws -> [DomainName] {
    let found = try store.domainNames(filter)
    for name in names where !name.isWildcard {
      if try store.version(of: name.name) == nil { throw StoreError.notFound(.domain(name.name)) }
    }
    let chosen = Set(names)
    return found.filter { name in
      if chosen.contains(Alias(name)) { return true }
      var rest = name.text[...]
      while let dot = rest.firstIndex(of: ".") {
        rest = rest[rest.index(after: dot)...]
        if chosen.contains(Alias(stored: "*.\(rest)")) { return true }
      }
      return false
    }
  }
}
