package import Association

/// What one author did at once to one domain or many: what can be undone at once. Not to be confused with the rows
/// of `change`, which tell servers what to read again.
package struct RecordedChange: Sendable, Equatable {
  /// Its number; later changes have higher ones.
  package var id: Int64 = 0
  package var at: UnixTime = 0
  /// Who: the name of a token, of a user, or of a command.
  package var author = ""
  package var action = ""
  /// The author's reason; may be empty.
  package var reason = ""
  /// How many domains it changed, of those that the reader may see.
  package var domainCount = 0
  /// The first of these by name; `nil` if there is none.
  package var firstDomain: DomainName?
  /// The change that it undid.
  package var reverts: Int64?
  /// The last change that undid it.
  package var revertedBy: Int64?
}

/// A domain of a change.
package struct ChangedDomain: Sendable, Equatable {
  package let name: DomainName
  /// The revision before the change; `nil` if the change created the domain.
  package let before: Int?
  /// The revision that the change published; `nil` if it deleted the domain.
  package let after: Int?
  /// The current revision, or the last one of a deleted domain; `nil` if nothing is kept of the domain.
  package let current: Int?
  package let exists: Bool
  /// The codes of the errors that were accepted for the revision before; `nil` if that is not kept.
  package let acceptedCodes: [String]?
  /// The last change of the domain after this one; `nil` if there is none.
  package let laterChange: Int64?
  /// Whether all later changes of the domain have been undone.
  fileprivate(set) var isBack = false

  /// Whether the domain is not as the change left it.
  package var hasChangedSince: Bool {
    if isBack { return false }
    if let after { return !exists || current != after }
    return exists || current != nil && current != before
  }
}

/// An app of either platform.
package enum AppState: Sendable, Equatable {
  case ios(App)
  case android(AndroidApp)

  package var id: LinkedApp {
    switch self {
    case .ios(let app): app.id.id
    case .android(let app): app.package.id
    }
  }
}

/// An app that changed together with domains.
package struct ChangedApp: Sendable, Equatable {
  /// `nil` if the change added it.
  package let before: AppState?
  /// `nil` if the change deleted it.
  package let after: AppState?

  /// Whether the change gave it another identifier.
  package var isRenamed: Bool {
    if let before, let after { before.id != after.id } else { false }
  }
}

/// A template that changed together with domains.
package struct ChangedTemplate: Sendable, Equatable {
  package let name: TemplateName
  /// The revision before the change; `nil` if the change added the template.
  package let before: Int?
  /// The revision that the change published.
  package let after: Int
  /// The new names of parameters, by their old ones.
  package var renamed: [String: String] = [:]
}

package struct ChangeFilter: Sendable {
  package var author: String?
  /// Only changes of this domain.
  package var domain: DomainName?
  /// Only changes before this one; the newest come first.
  package var before: Int64?
  /// The domains that a token is limited to; empty for all.
  package var within: Scope

  /// All changes.
  package init(
    author: String? = nil, domain: DomainName? = nil, before: Int64? = nil, within: Scope = Scope()
  ) {
    self.author = author
    self.domain = domain
    self.before = before
    self.within = within
  }
}

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

// MARK: Writing

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

/// Reads and writes rows of `recorded_change` and `changed_domain`.
enum RecordedChangeRows {
  private static let table = Table(
    "recorded_change", keys: ["apps"], blank: RecordedChange(),
    columns: [
      Column("at", \.at), Column("author", \.author), Column("action", \.action),
      Column("reason", \.reason), Column("domain_count", \.domainCount),
      Column("reverts", \.reverts),
    ])

  static func add(_ change: RecordedChange, _ connection: any Connection) throws -> Int64 {
    try table.add(change, [.text("[]")], connection)
  }

  static func add(
    _ domain: DomainName, from before: Int?, to after: Int?, to change: Int64,
    _ connection: any Connection
  ) throws {
    try connection.insert(
      insertion, [.integer(change), .text(domain.text), before.stored, after.stored])
  }

  private static let insertion = Insertion(
    into: "changed_domain", depth: 1, ["change_id", "name", "revision_before", "revision_after"])

  /// - Parameter things: The apps and templates, each in JSON.
  static func end(
    _ change: Int64, _ domainCount: Int, _ things: [JSON], _ connection: any Connection
  ) throws {
    try connection.run(
      "UPDATE recorded_change SET domain_count = ?, apps = ? WHERE id = ?",
      [.integer(domainCount), .text(JSON.array(things).text), .integer(change)])
  }

  /// The domains of changes, with their rows if they exist.
  private static let domain = """
    (SELECT changed.*, domain_id FROM changed_domain AS changed
      LEFT JOIN domain_name ON domain_name.name = changed.name AND position = 0) AS own
    """

  /// - Parameter id: The only change; `nil` for all.
  static func all(
    _ filter: ChangeFilter, _ id: Int64?, limit: Int, _ connection: any Connection
  ) throws -> [RecordedChange] {
    // The domains of each change that the reader may see.
    let visible = """
      FROM \(domain)
      WHERE own.change_id = recorded_change.id AND \(DomainFilter.within("?5"))
      """
    let isLimited = !filter.within.isEverything
    return try connection.all(
      """
      SELECT id,
        (SELECT max(later.id) FROM recorded_change AS later WHERE later.reverts = recorded_change.id),
        \(isLimited ? "(SELECT count(*) \(visible))" : "domain_count"),
        (SELECT min(name) \(isLimited ? visible : "FROM changed_domain WHERE change_id = recorded_change.id")),
        \(table.selection)
      FROM recorded_change
      WHERE (?1 IS NULL OR author = ?1) AND (?2 IS NULL OR id < ?2) AND (?3 IS NULL OR id = ?3)
        AND (?4 IS NULL OR id IN (SELECT change_id FROM changed_domain WHERE name = ?4))
        AND \(isLimited ? "EXISTS (SELECT 1 \(visible))" : "?5 IS NOT NULL")
      ORDER BY id DESC LIMIT ?6
      """,
      [
        .optional(filter.author), .optional(filter.before), .optional(id),
        .optional(filter.domain?.text),
        filter.within.list, .integer(limit),
      ]
    ) { row in
      var change = try table.read(row, from: 4)
      change.id = row.integer(0)
      change.revertedBy = row.optionalInteger(1)
      change.domainCount = row.int(2)
      change.firstDomain = try DomainName?.read(row, 3)
      return change
    }
  }

  static func domains(
    of change: Int64, _ within: Scope, after last: String, limit: Int,
    _ connection: any Connection
  ) throws -> [ChangedDomain] {
    var domains = try connection.all(
      """
      SELECT own.name, revision_before, revision_after, coalesce(live.revision, dead.revision),
        live.id IS NOT NULL, accepted_codes,
        (SELECT max(later.change_id) FROM changed_domain AS later
          WHERE later.name = own.name AND later.change_id > ?1)
      FROM \(domain)
      LEFT JOIN domain AS live ON live.id = own.domain_id
      LEFT JOIN domain AS dead ON dead.deleted_name = own.name
      LEFT JOIN revision ON revision.domain_id = coalesce(live.id, dead.id) AND number = revision_before
      WHERE own.change_id = ?1 AND own.name > ?2 AND \(DomainFilter.within("?3"))
      ORDER BY own.name LIMIT ?4
      """,
      [
        .integer(change), .text(last), within.list,
        .integer(limit),
      ]
    ) { row in
      ChangedDomain(
        name: DomainName(stored: row.text(0)), before: try Int?.read(row, 1),
        after: try Int?.read(row, 2), current: try Int?.read(row, 3), exists: row.bool(4),
        acceptedCodes: try Optional<[String]>.read(row, 5), laterChange: row.optionalInteger(6))
    }
    let changed = domains.indices.filter { domains[$0].hasChangedSince }
    for start in stride(from: 0, to: changed.count, by: namesAtOnce) {
      let part = changed[start...].prefix(namesAtOnce)
      let later = try laterSteps(than: change, of: part.map { domains[$0].name }, connection)
      for index in part {
        let domain = domains[index]
        guard let steps = later[domain.name.text] else { continue }
        domains[index].isBack = RevisionStep.areUndone(
          steps, after: domain.after, now: domain.exists ? domain.current : nil)
      }
    }
    return domains
  }

  /// How many domains are asked for at once, and how many later changes of them are looked at: with more, they count as
  /// changed.
  private static let (namesAtOnce, mostSteps) = (200, 20_000)

  /// What later changes did to domains, the first first.
  private static func laterSteps(
    than change: Int64, of names: [DomainName], _ connection: any Connection
  ) throws -> [String: [RevisionStep]] {
    var steps: [String: [RevisionStep]] = [:]
    var count = 0
    try connection.run(
      """
      SELECT name, change_id, reverts, revision_before, revision_after
      FROM changed_domain JOIN recorded_change ON id = change_id
      WHERE name IN (SELECT each.value FROM json_each(?) AS each) AND change_id > ? ORDER BY change_id LIMIT ?
      """,
      [.text(JSON.strings(names.map(\.text)).text), .integer(change), .integer(mostSteps)]
    ) { row in
      count += 1
      steps[row.text(0), default: []].append(
        RevisionStep(
          change: row.integer(1), reverts: row.optionalInteger(2), before: try Int?.read(row, 3),
          after: try Int?.read(row, 4)))
    }
    return count < mostSteps ? steps : [:]
  }

  static func apps(of change: Int64, _ connection: any Connection) throws -> [ChangedApp] {
    try things(of: change, connection).filter { $0["template"] == nil }.map { app in
      ChangedApp(
        before: app["before"].flatMap { AppState($0) },
        after: app["after"].flatMap { AppState($0) })
    }
  }

  static func templates(
    of change: Int64, _ connection: any Connection
  ) throws -> [ChangedTemplate] {
    try things(of: change, connection).compactMap(ChangedTemplate.init)
  }

  static func changes(
    of template: TemplateName, _ connection: any Connection
  ) throws -> [(change: Int64, template: ChangedTemplate)] {
    // The names of templates have nothing that means something in a pattern, except `_`, which finds too much.
    try connection.all(
      "SELECT id, apps FROM recorded_change WHERE apps LIKE ? ORDER BY id DESC",
      [.text("%\"template\":\"\(template.text)\"%")]
    ) { (id: $0.integer(0), things: try $0.json(1).arrayValue ?? []) }.flatMap { change in
      change.things.compactMap(ChangedTemplate.init).filter { $0.name == template }
        .map { (change.id, $0) }
    }
  }

  private static func things(of change: Int64, _ connection: any Connection) throws -> [JSON] {
    let json = try connection.first(
      "SELECT apps FROM recorded_change WHERE id = ?", [.integer(change)]
    ) { try $0.json(0) }
    return json?.arrayValue ?? []
  }
}

/// What a change did to a domain.
private struct RevisionStep {
  let change: Int64
  let reverts: Int64?
  let before: Int?
  let after: Int?

  /// Whether later changes of a domain have all been undone: each undo of a change that was the last one left gives back
  /// what was before it.
  ///
  /// - Parameters:
  ///   - steps: The first first.
  ///   - after: The revision after the change that they follow; `nil` if it deleted the domain.
  ///   - now: The current one.
  static func areUndone(_ steps: [RevisionStep], after: Int?, now: Int?) -> Bool {
    // A revision stands for what it has, and so does an earlier one that is published again.
    var (content, revision) = (after, after)
    var done: [Int64: (before: Int?, after: Int?)] = [:]
    for step in steps {
      // Something else may have happened in between.
      let before = step.before == revision ? content : step.before
      if let undone = step.reverts.flatMap({ done[$0] }), undone.after == before {
        content = undone.before
      } else {
        content = step.after
      }
      done[step.change] = (before, content)
      revision = step.after
    }
    return revision == now && content == after
  }
}

extension ChangedApp {
  /// The app before and after, each as an export writes it; left out where there was none.
  package var json: JSON {
    var object: JSON.Object = [:]
    object["before"] = before?.json
    object["after"] = after?.json
    return .object(object)
  }
}

extension ChangedTemplate {
  /// The template with its revisions; `before` is left out where there was none.
  package var json: JSON {
    var object: JSON.Object = ["template": .string(name.text)]
    object["before"] = before.map { .integer($0) }
    object["after"] = .integer(after)
    if !renamed.isEmpty {
      object["renamed"] = .object(
        renamed.sorted { $0.key < $1.key }.reduce(into: [:]) { $0[$1.key] = .string($1.value) })
    }
    return .object(object)
  }

  /// What `json` wrote; `nil` for anything else.
  fileprivate init?(_ json: JSON) {
    guard let name = json["template"]?.stringValue, let after = json["after"]?.integerValue else {
      return nil
    }
    self.init(
      name: TemplateName(stored: name), before: json["before"]?.integerValue, after: after)
    for member in json["renamed"]?.objectValue?.members ?? [] {
      renamed[member.key] = member.value.stringValue
    }
  }
}

extension AppState {
  var json: JSON {
    switch self {
    case .ios(let app):
      [
        "app": .string(app.id.text), "name": .string(app.name),
        "environment": .string(app.environment.rawValue),
      ]
    case .android(let app):
      [
        "package": .string(app.package.text), "name": .string(app.name),
        "environment": .string(app.environment.rawValue),
        "fingerprints": .array(
          app.certificates.map { certificate in
            [
              "sha256": .string(certificate.fingerprint.description),
              "label": .string(certificate.label.rawValue),
            ]
          }),
      ]
    }
  }

  /// What `json` wrote; `nil` for anything else.
  fileprivate init?(_ json: JSON) {
    let name = json["name"]?.stringValue ?? ""
    guard let environment = App.Environment(rawValue: json["environment"]?.stringValue ?? "") else {
      return nil
    }
    if let id = json["app"]?.stringValue {
      self = .ios(App(id: AppIdentifier(stored: id), name: name, environment: environment))
    } else if let package = json["package"]?.stringValue {
      var app = AndroidApp(package: PackageName(stored: package))
      (app.name, app.environment) = (name, environment)
      app.certificates = (json["fingerprints"]?.arrayValue ?? []).compactMap { certificate in
        guard let fingerprint = Fingerprint(certificate["sha256"]?.stringValue ?? ""),
          let label = AndroidApp.Certificate.Label(
            rawValue: certificate["label"]?.stringValue ?? "")
        else { return nil }
        return AndroidApp.Certificate(fingerprint, label: label)
      }
      self = .android(app)
    } else {
      return nil
    }
  }
}
