package import Association

extension Store {
  /// Changes, the newest first.
  package func changes(_ filter: ChangeFilter, limit: Int) throws -> [RecordedChange] {
    try read { try RecordedChangeRows.all(filter, nil, limit: limit, $0) }
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
