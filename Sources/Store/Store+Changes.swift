package import Association

extension Store {
  /// A page of changes, the newest first.
  ///
  /// - Returns: At most `limit` changes, and the one before which the next page begins; `nil` on the last page. Of many
  ///   changes that somebody who is limited to domains may not see, only so many are looked at for one page.
  package func changes(
    _ filter: ChangeFilter, limit: Int
  ) throws -> (page: [RecordedChange], next: Int64?) {
    if filter.within.isEverything || filter.domain != nil {
      let found = try read { try RecordedChangeRows.all(filter, limit: limit + 1, $0) }
      return Self.page(found, limit)
    }
    var (rest, found, work) = (filter, [RecordedChange](), 0)
    while work < RecordedChangeRows.mostWork {
      // Others scan between the batches.
      let batch = try scan { connection in
        try RecordedChangeRows.batch(rest, connection).map { batch in
          let seen = try RecordedChangeRows.all(
            rest, from: batch.first, limit: limit + 1 - found.count, connection)
          return (first: batch.first, work: batch.work, seen: seen)
        }
      }
      guard let batch else { return (found, nil) }
      found += batch.seen
      if found.count > limit { return Self.page(found, limit) }
      rest.before = batch.first
      work += batch.work
    }
    return (found, rest.before)
  }

  private static func page(
    _ found: [RecordedChange], _ limit: Int
  ) -> (page: [RecordedChange], next: Int64?) {
    let page = Array(found.prefix(limit))
    return (page, found.count > limit ? page.last?.id : nil)
  }

  /// A change.
  ///
  /// - Parameter within: The domains that somebody is limited to.
  /// - Throws: `StoreError.notFound`.
  package func change(_ id: Int64, within: Scope = Scope()) throws -> RecordedChange {
    try read { connection in
      let filter = ChangeFilter(within: within)
      guard let change = try RecordedChangeRows.all(filter, id, limit: 1, connection).first else {
        throw StoreError.notFound(.change(id))
      }
      return change
    }
  }

  /// The domains of a change by name, after `last`.
  package func changedDomains(
    of change: Int64, within: Scope = Scope(), after last: String? = nil, limit: Int = .max
  ) throws -> [ChangedDomain] {
    try scan {
      try RecordedChangeRows.domains(of: change, within, after: last ?? "", limit: limit, $0)
    }
  }

  /// The apps that changed with the domains of a change.
  package func changedApps(of change: Int64) throws -> [ChangedApp] {
    try read { try RecordedChangeRows.apps(of: change, $0) }
  }

  /// The last two changes of apps, the newest first, as far as they are recorded among the newest changes of apps.
  package func lastChanges(of apps: Set<LinkedApp>) throws -> [LinkedApp: [AppChange]] {
    try apps.isEmpty ? [:] : scan { try RecordedChangeRows.last(of: apps, $0) }
  }

  /// The templates that changed with the domains of a change.
  package func changedTemplates(of change: Int64) throws -> [ChangedTemplate] {
    try read { try RecordedChangeRows.templates(of: change, $0) }
  }

  /// What changed a template, the newest first, as far as it is kept.
  package func changes(
    of template: TemplateName
  ) throws -> [(change: Int64, template: ChangedTemplate)] {
    try scan { try RecordedChangeRows.changes(of: template, $0) }
  }
}
