package import Association

/// Who has rights because a trusted proxy names them.
package enum UserKind: String, Sendable, CaseIterable {
  /// A person.
  case user
  /// A group of the identity provider: everybody whom a proxy says to be in it has its rights.
  case group
}

/// A person or a group that a trusted proxy names, and what they may do.
package struct User: Sendable, Equatable {
  /// The name, as the proxy sends it.
  package var name: String
  /// What the user may do.
  package var role = Role.viewer
  /// What covers the domains that the user is limited to, such as `*.brand.example`; empty for all names.
  package var domains: [Alias] = []
  /// The labels of which each of these domains has one; empty for all domains.
  package var labels: [Label] = []
  /// Whether the user publishes protected domains without a second person.
  package var publishesProtected = false
  /// When the user was added.
  package var createdAt: UnixTime = 0
  /// When the user last changed.
  package var updatedAt: UnixTime = 0

  /// The longest name, in characters.
  package static let longestName = 255
  /// A person has the rights of no more groups.
  package static let mostGroups = 1000

  /// A viewer of everything.
  package init(name: String) { self.name = name }

  fileprivate var scope: Scope { Scope(domains: domains, labels: labels) }
}

extension Store {
  /// All users, ordered by name.
  package func users(_ kind: UserKind = .user) throws -> [User] {
    try read { connection in
      try connection.all(UserRows(kind).select + " ORDER BY name") {
        try UserRows.read($0, from: 0)
      }
    }
  }

  /// The rights of a person in some groups, as those of a token with the person's name: the most that the person or any
  /// of the groups has. `nil` if none of them is known, or if a token has the name of a person who is not.
  package func person(_ name: String, groups: [String] = []) throws -> Token? {
    let (person, group) = (UserRows(.user), UserRows(.group))
    let grants = try authenticate { connection in
      try connection.all(
        """
        SELECT 0, \(person.selection) FROM \(person.table.name) WHERE name = ?1
        UNION ALL SELECT 1, \(group.selection) FROM \(group.table.name)
          WHERE name IN (SELECT each.value FROM json_each(?2) AS each)
        """, [.text(name), .text(JSON.strings(groups).text)]
      ) { row in
        let found = try UserRows.read(row, from: 1)
        return Token.Grant(
          group: row.bool(0) ? found.name : nil, role: found.role, scope: found.scope,
          publishesProtected: found.publishesProtected)
      }
    }
    let isListed = grants.contains { $0.group == nil }
    if try !isListed && authenticate({ try TokenRows.has(name, $0) }) { return nil }
    return Token(user: name, grants)
  }
}

extension Transaction {
  /// Adds or replaces a user.
  ///
  /// - Throws: `StoreError.tokenNameTaken`.
  package func put(
    _ new: User, as kind: UserKind = .user
  ) throws -> (user: User, isNew: Bool) {
    let rows = UserRows(kind)
    var new = new
    new.domains = Set(new.domains).sorted { $0.description < $1.description }
    (new.createdAt, new.updatedAt) = (now, now)
    let old = try rows.find(new.name, connection)
    if let old {
      new.createdAt = old.createdAt
      let changes = old.words(changingTo: new)
      if changes.isEmpty { return (old, false) }
      if isDryRun { return (new, false) }
      try rows.table.update(new, where: "name", is: .text(new.name), connection)
      try record("change \(kind.rawValue)", rows.subject(new.name), changes: changes)
    } else {
      if try kind == .user && TokenRows.has(new.name, connection) {
        throw StoreError.tokenNameTaken(new.name)
      }
      if isDryRun { return (new, true) }
      try rows.table.insert(new, [], connection)
      try record(
        "add \(kind.rawValue)", rows.subject(new.name),
        changes: new.scope.words(granting: new.role, publishesProtected: new.publishesProtected))
    }
    try rows.save(new.scope, of: new.name, connection)
    return (new, old == nil)
  }

  /// Deletes a user, whose requests are refused from then on and whose open drafts are declined, or a group.
  ///
  /// - Throws: `StoreError.notFound`.
  package func deleteUser(_ name: String, _ kind: UserKind = .user) throws {
    let rows = UserRows(kind)
    if try rows.find(name, connection) == nil {
      throw StoreError.notFound(kind == .user ? .user(name) : .group(name))
    }
    if isDryRun { return }
    try connection.run("DELETE FROM \(rows.table.name) WHERE name = ?", [.text(name)])
    try record("delete \(kind.rawValue)", rows.subject(name))
    if kind == .user {
      try declineDrafts(of: name, because: "The user \(name.quoted) was deleted.")
    }
  }
}

extension Scope {
  /// What somebody new may do, for the audit.
  func words(granting role: Role, publishesProtected: Bool) -> [String] {
    var words = ["role: \(role.rawValue)"]
    if !domains.isEmpty {
      words.append("domains: \(domains.map(\.description).joined(separator: ", "))")
    }
    if !labels.isEmpty {
      words.append("labels: \(labels.map(\.text).joined(separator: ", "))")
    }
    if publishesProtected { words.append("publishesProtected: true") }
    return words
  }
}

extension User {
  fileprivate func words(changingTo new: User) -> [String] {
    var words: [String] = []
    if role != new.role {
      words.append("role changed: from \(role.rawValue) to \(new.role.rawValue)")
    }
    if Set(domains) != Set(new.domains) { words.append("domains changed") }
    if labels != new.labels { words.append("labels changed") }
    if publishesProtected != new.publishesProtected {
      words.append("publishesProtected changed: to \(new.publishesProtected)")
    }
    return words
  }
}

/// Reads and writes rows of `named_user`, or of `named_group`.
struct UserRows {
  private static let tables = UserKind.allCases.map { kind in
    Table(
      "named_\(kind.rawValue)", keys: [], blank: User(name: ""),
      columns: [
        Column("name", \.name), Column("role", \.role),
        Column("publishes_protected", \.publishesProtected), Column("created_at", \.createdAt),
        Column("updated_at", \.updatedAt),
      ])
  }

  private let kind: UserKind

  init(_ kind: UserKind) { self.kind = kind }

  fileprivate var table: Table<User> { Self.tables[kind == .user ? 0 : 1] }

  /// What `read` reads.
  fileprivate var selection: String {
    """
    (SELECT json_group_array(glob) FROM \(table.name)_domain
      WHERE \(kind.rawValue)_id = \(table.name).id), \(table.selection)
    """
  }

  fileprivate var select: String { "SELECT \(selection) FROM \(table.name)" }

  fileprivate func subject(_ name: String) -> AuditRecord.Subject {
    kind == .user ? .user(name) : .group(name)
  }

  fileprivate static func read(_ row: borrowing Row, from first: Int32) throws -> User {
    var user = try tables[0].read(row, from: first + 1)
    let scope = Scope(stored: try [String].read(row, first))
    (user.domains, user.labels) = (scope.domains, scope.labels)
    return user
  }

  func find(_ name: String, _ connection: any Connection) throws -> User? {
    try connection.first(select + " WHERE name = ?", [.text(name)]) { try Self.read($0, from: 0) }
  }

  fileprivate func save(_ scope: Scope, of name: String, _ connection: any Connection) throws {
    let row = "(SELECT id FROM \(table.name) WHERE name = ?)"
    try connection.run(
      "DELETE FROM \(table.name)_domain WHERE \(kind.rawValue)_id = \(row)", [.text(name)])
    for part in scope.texts {
      try connection.run(
        "INSERT INTO \(table.name)_domain (\(kind.rawValue)_id, glob) VALUES (\(row), ?)",
        [.text(name), .text(part)])
    }
  }
}
