package import Association

/// A change, as a state, that waits until a second person approves it. It never changes, except that it ends.
package struct Draft: Sendable {
  package enum Status: String, Sendable, CaseIterable, Storable {
    case open, approved, declined
    /// Its author has taken it back.
    case withdrawn
  }

  /// What it was planned on. It is applied over that, and over nothing else.
  package struct Bases: Sendable {
    /// The last revisions of the domains that it changes: 0 for one that never was, negative for one that is deleted.
    package var domains: [DomainName: Int] = [:]
    /// The revisions of the templates that it or its domains have; 0 for a new one.
    package var templates: [TemplateName: Int] = [:]
    /// The hashes of the apps that it or its domains have, by platform and identifier; empty for a new one.
    fileprivate var apps: [String: String] = [:]
    /// The domains that its author is limited to. Approving it gives the author no more than that.
    package var within = Scope()

    package init() {}

    /// Adds the templates and apps of others that it does not have.
    package mutating func add(_ others: Bases) {
      templates.merge(others.templates) { own, _ in own }
      apps.merge(others.apps) { own, _ in own }
    }
  }

  package struct Comment: Sendable {
    package let author: String
    package let at: UnixTime
    package let text: String
  }

  /// Its number; later drafts have higher ones.
  package var id: Int64 = 0
  /// Who wants it: the name of a token or of a user.
  package var author = ""
  package var reason = ""
  package var bases = Bases()
  /// The codes of errors with which documents are published anyway.
  package var acceptedCodes: [String] = []
  package var status = Status.open
  package var createdAt: UnixTime = 0
  package var endedAt: UnixTime?
  /// Who approved, declined or withdrew it.
  package var endedBy: String?
  /// Why it ended; may be empty.
  package var endedReason: String?
  /// The change that it became.
  package var change: Int64?

  package init() {}

  /// The domains that it changes, in order.
  package var domains: [DomainName] { bases.domains.keys.sorted() }

  /// The number of open drafts of an author.
  package static let mostOpen = 20
  /// The size of the state, in bytes.
  package static let longestState = 1_048_576
  package static let mostDomains = 5000
  /// The number of withdrawn drafts of an author that are kept, so that nobody fills the list alone.
  package static let mostWithdrawn = 20
  package static let mostComments = 100
  /// The length of a comment, in characters.
  package static let longestComment = 4000
  /// How long a draft is kept after its end, in days.
  package static let daysKept = 90

  /// What refuses a state of more than `longestState`.
  static var tooLong: InvalidInput {
    InvalidInput(
      .tooMany, "A draft has at most \(longestState) bytes, and this one would have more. Split it."
    )
  }

  /// What refuses more than `mostDomains`.
  package static var tooManyDomains: InvalidInput {
    InvalidInput(
      .tooMany,
      "A draft changes at most \(mostDomains) domains, and this one would change more. Split it.")
  }
}

extension Store {
  /// Drafts, the newest first.
  ///
  /// - Parameters:
  ///   - scope: The domains that somebody is limited to: who may see every domain of a draft, sees the draft.
  ///   - domain: Only drafts that change this domain.
  ///   - before: Only drafts before this one.
  package func drafts(
    _ status: Draft.Status? = nil, within scope: Scope, of domain: DomainName? = nil,
    before: Int64?, limit: Int
  ) throws -> [Draft] {
    var (found, before, isLast) = ([Draft](), before ?? .max, false)
    // Others scan between the batches.
    while found.count < limit && !isLast {
      found += try scan { connection in
        let batch = try DraftRows.all(
          "WHERE id < ?1 AND (?2 IS NULL OR status = ?2) ORDER BY id DESC LIMIT ?3",
          [.integer(before), .optional(status?.rawValue), .integer(DraftRows.batch)], connection)
        (before, isLast) = (batch.last?.id ?? 0, batch.count < DraftRows.batch)
        return try batch.filter { draft in
          try domain.map { draft.bases.domains[$0] != nil } ?? true
            && DraftRows.covers(scope, draft, connection)
        }
      }
    }
    return Array(found.prefix(limit))
  }

  /// A draft.
  ///
  /// - Throws: `StoreError.notFound`, also if somebody who is limited to domains may not see it.
  package func draft(_ id: Int64, within scope: Scope = Scope()) throws -> Draft {
    try read { try DraftRows.get(id, within: scope, $0) }
  }

  /// Whether a scope has every domain of a draft.
  package func has(_ draft: Draft, _ scope: Scope) throws -> Bool {
    try read { try DraftRows.covers(scope, draft, $0) }
  }

  /// The state of a draft, and its comments, the oldest first.
  package func content(ofDraft id: Int64) throws -> (state: JSON, comments: [Draft.Comment]) {
    try read { connection in
      let state = try connection.first(
        "SELECT state FROM draft WHERE id = ?", [.integer(id)]
      ) { try $0.json(0) }
      let comments = try connection.all(
        "SELECT author, at, text FROM draft_comment WHERE draft_id = ? ORDER BY position",
        [.integer(id)]
      ) { Draft.Comment(author: $0.text(0), at: $0.time(1), text: $0.text(2)) }
      return (state ?? [:], comments)
    }
  }
}

extension Store {
  /// What a draft with these templates and apps is planned on now, without its domains.
  package func bases(
    templates: [TemplateName], apps: [AppIdentifier], androidApps: [PackageName]
  ) throws -> Draft.Bases {
    var bases = Draft.Bases()
    for name in templates {
      bases.templates[name] = try storedTemplate(name)?.revision ?? 0
    }
    try read { connection in
      for app in apps { try bases.add(app, connection) }
      for app in androidApps { try bases.add(app, connection) }
    }
    return bases
  }
}

extension Draft.Bases {
  fileprivate mutating func add<Key: AppKey>(_ key: Key, _ connection: any Connection) throws {
    let app = try Key.rows.find(key, connection).map { Key.state($0.app) }
    apps["\(key.id.platform.rawValue) \(key.text)"] =
      app.map { SHA256.hexadecimal(of: $0.json.serialized()) } ?? ""
  }
}

extension Draft.Bases {
  fileprivate func apps<Key: AppKey>(_ platform: Platform, _ key: (String) -> Key) -> [Key] {
    apps.keys.filter { $0.hasPrefix(platform.rawValue) }
      .map { key(String($0.drop { $0 != " " }.dropFirst())) }
  }
}

extension Transaction {
  /// Keeps others from changing the templates and apps of a draft until the transaction ends.
  package func lock(_ bases: Draft.Bases) throws {
    try lock(bases.templates.keys.sorted { $0.text < $1.text }, .change)
    let apple = bases.apps(.ios) { AppIdentifier(stored: $0) }
    let android = bases.apps(.android) { PackageName(stored: $0) }
    try lock(apple.map(\.id) + android.map(\.id), .change)
  }

  /// The first template or app of a draft that others have changed since it was made; `nil` if none.
  package func outdated(_ bases: Draft.Bases) throws -> String? {
    try bases.outdated(connection)
  }
}

extension Store {
  /// The same, as it is now.
  package func outdated(_ bases: Draft.Bases) throws -> String? {
    try read { try bases.outdated($0) }
  }
}

extension Draft.Bases {
  fileprivate func outdated(_ connection: any Connection) throws -> String? {
    for (name, revision) in templates
    where try TemplateRows.find(name, connection)?.revision ?? 0 != revision {
      return "the template \(name.text.quoted)"
    }
    for (key, hash) in apps {
      let text = String(key.drop { $0 != " " }.dropFirst())
      var now = Draft.Bases()
      if key.hasPrefix(Platform.ios.rawValue) {
        try now.add(AppIdentifier(stored: text), connection)
      } else {
        try now.add(PackageName(stored: text), connection)
      }
      if now.apps[key] != hash { return "the app \(text.quoted)" }
    }
    return nil
  }
}

extension Transaction {
  /// Adds a draft.
  ///
  /// - Returns: The draft with its number.
  /// - Throws: `StoreError.tooManyDrafts`.
  package func addDraft(_ new: Draft, _ state: JSON) throws -> Draft {
    var draft = new
    (draft.author, draft.reason, draft.createdAt) = (context.author, context.reason, now)
    let count = try connection.count(
      "SELECT count(*) FROM draft WHERE author = ? AND status = 'open'", [.text(draft.author)])
    if count >= Draft.mostOpen { throw StoreError.tooManyDrafts(draft.author) }
    if isDryRun {
      draft.id = try connection.number("SELECT coalesce(max(id), 0) + 1 FROM draft") ?? 1
      return draft
    }
    draft.id = try DraftRows.table.add(draft, [.text(state.text)], connection)
    try AuditRows.add("add draft \(draft.id)", nil, by: context, now: now, connection)
    try emit(.draftCreated, draft, [:])
    return draft
  }

  /// Ends a draft. To approve it, call this before it is applied: only one of several who end it at once succeeds.
  ///
  /// - Parameter context: Who does it, and why.
  /// - Returns: The draft, which has ended.
  /// - Throws: `StoreError.notFound`, `.draftEnded`.
  @discardableResult
  package func end(
    _ draft: Draft, as status: Draft.Status, by context: WriteContext
  ) throws -> Draft {
    var ended = draft
    (ended.status, ended.endedAt, ended.endedBy) = (status, now, context.author)
    ended.endedReason = context.reason.isEmpty ? nil : context.reason
    if isDryRun {
      try DraftRows.get(draft.id, connection).checkIsOpen()
      return ended
    }
    try connection.run(
      """
      UPDATE draft SET status = ?1, ended_at = ?2, ended_by = ?3, ended_reason = ?4,
        state = CASE WHEN ?1 = 'withdrawn' THEN '{}' ELSE state END
      WHERE id = ?5 AND status = 'open'
      """,
      [
        .text(status.rawValue), .integer(now), .text(context.author),
        .optional(ended.endedReason), .integer(draft.id),
      ])
    if connection.changes == 0 { try DraftRows.get(draft.id, connection).checkIsOpen() }
    if status == .withdrawn {
      try connection.run(
        """
        DELETE FROM draft WHERE author = ?1 AND status = 'withdrawn' AND id NOT IN
          (SELECT id FROM draft WHERE author = ?1 AND status = 'withdrawn' ORDER BY id DESC LIMIT ?2)
        """, [.text(draft.author), .integer(Draft.mostWithdrawn)])
    }
    let action =
      switch status {
      case .approved: "approve"
      case .declined: "decline"
      case .withdrawn, .open: "withdraw"
      }
    try AuditRows.add("\(action) draft \(draft.id)", nil, by: context, now: now, connection)
    if status == .declined {
      try emit(
        .draftDeclined, draft,
        ["declinedBy": .string(context.author), "declinedReason": .string(context.reason)])
    }
    return ended
  }

  /// Declines the open drafts of an author who has lost their rights: they are no longer one of two people.
  func declineDrafts(of author: String, because reason: String) throws {
    let drafts = try DraftRows.all(
      "WHERE author = ? AND status = 'open' ORDER BY id \(connection.lock(.change, of: "draft"))",
      [.text(author)], connection)
    var context = context
    context.reason = reason
    for draft in drafts { try end(draft, as: .declined, by: context) }
  }

  /// Tells what an approved draft became.
  package func noteChange(of draft: Draft, approvedBy approver: String) throws {
    if isDryRun { return }
    try connection.run(
      "UPDATE draft SET change_id = ? WHERE id = ?", [.optional(change), .integer(draft.id)])
    var data: JSON.Object = ["approvedBy": .string(approver)]
    data["change"] = change.map { .integer($0) }
    try emit(.draftApproved, draft, data)
  }

  /// Adds a comment to an open draft.
  ///
  /// - Throws: `StoreError.notFound`, `.draftEnded`, `.tooManyComments`.
  package func comment(_ text: String, on draft: Draft) throws -> Draft.Comment {
    let comment = Draft.Comment(author: context.author, at: now, text: text)
    try DraftRows.get(draft.id, locks: !isDryRun, connection).checkIsOpen()
    let count = try connection.count(
      "SELECT count(*) FROM draft_comment WHERE draft_id = ?", [.integer(draft.id)])
    if count >= Draft.mostComments { throw StoreError.tooManyComments(draft.id) }
    if isDryRun { return comment }
    try connection.run(
      "INSERT INTO draft_comment (draft_id, position, author, at, text) VALUES (?, ?, ?, ?, ?)",
      [
        .integer(draft.id), .integer(count), .text(comment.author), .integer(now),
        .text(text),
      ])
    return comment
  }

  /// Writes an event. It counts as one of the first domain of the draft, by which webhooks choose.
  private func emit(
    _ event: WebhookEvent, _ draft: Draft, _ members: JSON.Object
  ) throws {
    if try !WebhookRows.wants(event, connection) { return }
    let domains = draft.domains
    var data: JSON.Object = [
      "draft": .integer(draft.id), "author": .string(draft.author),
      "reason": .string(draft.reason),
      "domains": .strings(domains.prefix(20).map(\.text)), "domainCount": .integer(domains.count),
    ]
    for member in members.members { data[member.key] = member.value }
    try EventRows.addWaiting(event, of: domains.first?.text, data, connection, now: now)
  }
}

extension Draft {
  /// - Throws: `StoreError.draftEnded`.
  package func checkIsOpen() throws(StoreError) {
    if status == .open { return }
    throw StoreError.draftEnded(id, status, by: endedBy ?? "")
  }
}

/// Reads and writes rows of `draft`.
enum DraftRows {
  /// How many rows are read at a time. Each may name thousands of domains.
  fileprivate static let batch = 20

  fileprivate static let table = Table(
    "draft", keys: ["state"], blank: Draft(),
    columns: [
      Column("author", \.author), Column("reason", \.reason),
      Column("bases") {
        .text($0.bases.json.text)
      } read: {
        $2.bases = Draft.Bases(try $0.json($1))
      },
      Column("accepted", \.acceptedCodes), Column("status", \.status),
      Column("created_at", \.createdAt), Column("ended_at", \.endedAt),
      Column("ended_by", \.endedBy), Column("ended_reason", \.endedReason),
      Column("change_id", \.change),
    ])

  fileprivate static func all(
    _ condition: String, _ values: [Value], _ connection: any Connection
  ) throws -> [Draft] {
    try connection.all("SELECT id, \(table.selection) FROM draft \(condition)", values) {
      var draft = try table.read($0, from: 1)
      draft.id = $0.integer(0)
      return draft
    }
  }

  /// - Parameter locks: Whether it stays so until the transaction ends.
  fileprivate static func get(
    _ id: Int64, within scope: Scope = Scope(), locks: Bool = false, _ connection: any Connection
  ) throws -> Draft {
    let lock = locks ? connection.lock(.change, of: "draft") : ""
    guard let draft = try all("WHERE id = ? \(lock)", [.integer(id)], connection).first,
      try covers(scope, draft, connection)
    else { throw StoreError.notFound(.draft(id)) }
    return draft
  }

  /// Whether a scope has every domain of a draft.
  fileprivate static func covers(
    _ scope: Scope, _ draft: Draft, _ connection: any Connection
  ) throws -> Bool {
    if scope.isEverything { return true }
    return try !draft.bases.domains.isEmpty
      && draft.bases.domains.keys.allSatisfy { name in
        try scope.covers(Alias(name))
          || scope.hasLabels
            && scope.covers(Alias(name), labels: DomainRows.labels(of: name, connection))
      }
  }

  static func isAny(endedBefore time: UnixTime, _ connection: any Connection) throws -> Bool {
    try connection.has("SELECT 1 FROM draft WHERE ended_at < ? LIMIT 1", [.integer(time)])
  }

  /// Deletes drafts that ended long ago, with their comments.
  ///
  /// - Returns: Whether nothing is left to delete.
  static func delete(
    endedBefore time: UnixTime, limit: Int, _ connection: any Connection
  ) throws -> Bool {
    try connection.run(
      "DELETE FROM draft WHERE id IN (SELECT id FROM draft WHERE ended_at < ? ORDER BY ended_at LIMIT ?)",
      [.integer(time), .integer(limit)])
    return connection.changes < limit
  }
}

extension Draft.Bases {
  fileprivate var json: JSON {
    [
      "domains": .object(Self.members(domains, \.text) { .integer($0) }),
      "templates": .object(Self.members(templates, \.text) { .integer($0) }),
      "apps": .object(Self.members(apps, \.self) { .string($0) }),
      "within": .strings(within.texts),
    ]
  }

  private static func members<Key, Item>(
    _ items: [Key: Item], _ name: (Key) -> String, _ json: (Item) -> JSON
  ) -> JSON.Object {
    var object: JSON.Object = [:]
    for (key, item) in items.map({ (name($0), $1) }).sorted(by: { $0.0 < $1.0 }) {
      object.appendNew(key, json(item))
    }
    return object
  }

  fileprivate init(_ json: JSON) {
    let members = { (list: String) in json[list]?.objectValue?.members ?? [] }
    for member in members("domains") {
      domains[DomainName(stored: member.key)] = member.value.integerValue
    }
    for member in members("templates") {
      templates[TemplateName(stored: member.key)] = member.value.integerValue
    }
    for member in members("apps") { apps[member.key] = member.value.stringValue }
    within = Scope(stored: (json["within"]?.arrayValue ?? []).compactMap(\.stringValue))
  }
}
