package import Association

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

  /// What is looked at for somebody who sees few changes: domains, each compared with every part of what they are limited
  /// to.
  static let mostWork = 20_000
  /// The same at a time, and the number of changes.
  private static let (batchWork, batch) = (2_000, 500)

  /// The next changes to look at for somebody who sees few of them; `nil` after the last.
  ///
  /// - Returns: The first of these, and the work for all of them.
  static func batch(
    _ filter: ChangeFilter, _ connection: any Connection
  ) throws -> (first: Int64, work: Int)? {
    var (work, first): (Int, Int64?) = (0, nil)
    let changes = try connection.all(
      "SELECT id, domain_count FROM recorded_change WHERE id < ? ORDER BY id DESC LIMIT ?",
      [.integer(filter.before ?? .max), .integer(batch)]
    ) { (id: $0.integer(0), work: max(1, $0.int(1)) * filter.within.parts.count) }
    for change in changes {
      if first != nil && work + change.work > batchWork { break }
      (first, work) = (change.id, work + change.work)
    }
    return first.map { ($0, work) }
  }

  /// - Parameters:
  ///   - id: The only change; `nil` for all.
  ///   - first: The first change to look at.
  static func all(
    _ filter: ChangeFilter, _ id: Int64? = nil, from first: Int64 = 0, limit: Int,
    _ connection: any Connection
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
        AND \(isLimited ? "EXISTS (SELECT 1 \(visible))" : "?5 IS NOT NULL") AND id >= ?7
      ORDER BY id DESC LIMIT ?6
      """,
      [
        .optional(filter.author), .optional(filter.before), .optional(id),
        .optional(filter.domain?.text),
        filter.within.list, .integer(limit), .integer(first),
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
    try keptApps(of: change, connection) ?? []
  }

  /// The apps of a change; `nil` if it is no longer kept.
  static func keptApps(
    of change: Int64, _ connection: any Connection
  ) throws -> [ChangedApp]? {
    try things(of: change, connection).map { apps(in: $0) }
  }

  /// How many of the newest changes of apps are looked at for those of some, and how many at once.
  private static let (newest, atOnce) = (2_000, 20)

  static func last(
    of apps: Set<LinkedApp>, _ connection: any Connection
  ) throws -> [LinkedApp: [AppChange]] {
    var found: [LinkedApp: [AppChange]] = [:]
    var (before, seen, open) = (Int64.max, 0, apps)
    while !open.isEmpty && seen < newest {
      let changes = try connection.all(
        """
        SELECT id, author, apps FROM recorded_change WHERE id < ? AND apps <> '[]' ORDER BY id DESC LIMIT ?
        """, [.integer(before), .integer(atOnce)]
      ) { row in
        (
          id: row.integer(0), author: row.text(1),
          apps: Self.apps(in: try row.json(2).arrayValue ?? [])
        )
      }
      guard let last = changes.last else { break }
      (before, seen) = (last.id, seen + changes.count)
      for change in changes {
        for app in change.apps {
          for id in Set([app.before, app.after].compactMap { $0?.id }) where open.contains(id) {
            found[id, default: []].append(AppChange(author: change.author, app: app))
            if found[id]?.count == 2 { open.remove(id) }
          }
        }
      }
    }
    return found
  }

  static func templates(
    of change: Int64, _ connection: any Connection
  ) throws -> [ChangedTemplate] {
    try things(of: change, connection)?.compactMap(ChangedTemplate.init) ?? []
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

  private static func apps(in things: [JSON]) -> [ChangedApp] {
    things.filter { $0["template"] == nil }.map { app in
      ChangedApp(
        before: app["before"].flatMap { AppState($0) },
        after: app["after"].flatMap { AppState($0) })
    }
  }

  private static func things(of change: Int64, _ connection: any Connection) throws -> [JSON]? {
    try connection.first(
      "SELECT apps FROM recorded_change WHERE id = ?", [.integer(change)]
    ) { try $0.json(0).arrayValue ?? [] }
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
