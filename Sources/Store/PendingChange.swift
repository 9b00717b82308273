import Association

/// What a transaction has changed of domains so far, and what is only written at its end.
struct PendingChange {
  /// The change, once a domain or a template has changed.
  var id: Int64?
  /// What it is called.
  var action: String?
  var reverts: Int64?
  var domainCount = 0
  /// The record of the first domain, until there is a second one.
  var firstRecord: AuditRecord?
  var apps: [ChangedApp] = []
  var appRecords: [AuditRecord] = []
  var templates: [ChangedTemplate] = []
  var templateRecords: [AuditRecord] = []
}

extension Transaction {
  /// Names the change that the transaction makes. Otherwise, it is called like the edit of its first domain.
  ///
  /// - Parameter reverted: The change that it undoes.
  package func beginChange(_ action: String, reverting reverted: Int64? = nil) {
    (footprint.change.action, footprint.change.reverts) = (action, reverted)
  }

  /// The change that the transaction makes; `nil` if it has changed neither a domain nor a template, as in a dry run.
  package var change: Int64? { footprint.change.id }

  /// The change that the transaction makes, with its first domain or template.
  func currentChange(_ action: String) throws -> Int64 {
    if let id = footprint.change.id { return id }
    let action = footprint.change.action ?? action
    let change = RecordedChange(
      at: now, author: context.author, action: action, reason: context.reason, domainCount: 1,
      reverts: footprint.change.reverts)
    let id = try RecordedChangeRows.add(change, connection)
    (footprint.change.id, footprint.change.action) = (id, action)
    return id
  }

  /// Adds a domain to the change, and to the audit.
  func addToChange(
    _ domain: DomainName, from before: Int?, to after: Int?, _ action: String, changes: [String]
  ) throws {
    let id = try currentChange(action)
    try RecordedChangeRows.add(domain, from: before, to: after, to: id, connection)
    var record = AuditRecord(
      action, .domain(domain), revision: after, changes: changes, by: context, now: now)
    record.change = id
    footprint.change.domainCount += 1
    if footprint.change.domainCount == 1 {
      footprint.change.firstRecord = record
      return
    }
    if let first = footprint.change.firstRecord {
      try AuditRows.add(first, isPart: true, connection)
      footprint.change.firstRecord = nil
    }
    try AuditRows.add(record, isPart: true, connection)
  }

  /// Adds an app to the change, if the transaction changes domains, and to the audit.
  func addToChange(
    _ app: LinkedApp, from before: AppState?, to after: AppState?, _ action: String
  ) {
    footprint.change.apps.append(ChangedApp(before: before, after: after))
    footprint.change.appRecords.append(AuditRecord(action, .app(app), by: context, now: now))
  }

  /// Adds a template to the change, if there is one in the end, and to the audit.
  func addToChange(_ template: ChangedTemplate, _ action: String) {
    footprint.change.templates.append(template)
    footprint.change.templateRecords.append(
      AuditRecord(
        action, .template(template.name), revision: template.after, by: context, now: now))
  }

  /// Writes what is only known at the end. The audit has one record for a change; those of its parts are found by
  /// their domain, and by the change.
  func endChange() throws {
    let change = footprint.change
    var records = change.appRecords + change.templateRecords
    // A template without domains is a change by itself.
    let isOne = change.domainCount == 0 && records.count == 1
    for index in records.indices { records[index].change = change.id }
    if let id = change.id, !isOne {
      var record =
        change.firstRecord ?? AuditRecord(change.action ?? "", nil, by: context, now: now)
      record.change = id
      if change.firstRecord == nil { record.domainCount = change.domainCount }
      if change.appRecords.count == 1, let app = change.appRecords.first {
        (record.app, record.androidApp) = (app.app, app.androidApp)
      }
      if change.templateRecords.count == 1 { record.template = change.templateRecords[0].template }
      try AuditRows.add(record, connection)
    }
    for record in records {
      try AuditRows.add(record, isPart: change.id != nil && !isOne, connection)
    }
    if let id = change.id {
      let things = change.apps.map(\.json) + change.templates.map(\.json)
      // As it was added.
      if change.domainCount == 1 && things.isEmpty { return }
      try RecordedChangeRows.end(id, change.domainCount, things, connection)
    }
  }
}
