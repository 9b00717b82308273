package import Association

/// A person whom a trusted proxy names, and what they may do.
package struct User: Sendable, Equatable {
  /// The name, as the proxy sends it.
  package var name: String
  /// What the user may do.
  package var role = Role.viewer
  /// The domains that the user is limited to, such as `*.brand.example`; empty for all.
  package var domains: [Alias] = []
  /// When the user was added.
  package var createdAt: UnixTime = 0
  /// When the user last changed.
  package var updatedAt: UnixTime = 0

  /// The longest name, in characters.
  package static let longestName = 255

  /// A viewer of everything.
  package init(name: String) { self.name = name }

  /// The user's rights, as those of a token with the same name.
  package var token: Token {
    var token = Token(name: name, role: role, domains: domains, createdAt: createdAt)
    token.isUser = true
    return token
  }
}

extension Store {
  /// All users, ordered by name.
  package func users() throws -> [User] {
    try read { connection in
      try connection.all(UserRows.select + " ORDER BY name", row: UserRows.read)
    }
  }

  /// The user of this name; `nil` if there is none.
  package func user(_ name: String) throws -> User? {
    try authenticate { try UserRows.find(name, $0) }
  }
}

extension Transaction {
  /// Adds or replaces a user.
  ///
  /// - Throws: `StoreError.tokenNameTaken`.
  package func put(_ new: User) throws -> (user: User, isNew: Bool) {
    var new = new
    new.domains = Set(new.domains).sorted { $0.description < $1.description }
    (new.createdAt, new.updatedAt) = (now, now)
    let old = try UserRows.find(new.name, connection)
    if let old {
      new.createdAt = old.createdAt
      let changes = old.words(changingTo: new)
      if changes.isEmpty { return (old, false) }
      if isDryRun { return (new, false) }
      try UserRows.table.update(new, where: "name", is: .text(new.name), connection)
      try record("change user", .user(new.name), changes: changes)
    } else {
      if try TokenRows.has(new.name, connection) { throw StoreError.tokenNameTaken(new.name) }
      if isDryRun { return (new, true) }
      try UserRows.table.insert(new, [], connection)
      try record("add user", .user(new.name))
    }
    let row = "(SELECT id FROM named_user WHERE name = ?)"
    try connection.run(
      "DELETE FROM named_user_domain WHERE user_id = \(row)", [.text(new.name)])
    for glob in new.domains {
      try connection.run(
        "INSERT INTO named_user_domain (user_id, glob) VALUES (\(row), ?)",
        [.text(new.name), .text(glob.description)])
    }
    return (new, old == nil)
  }

  /// Deletes a user, whose requests are refused from then on.
  ///
  /// - Throws: `StoreError.notFound`.
  package func deleteUser(_ name: String) throws {
    if try UserRows.find(name, connection) == nil { throw StoreError.notFound(.user(name)) }
    if isDryRun { return }
    try connection.run("DELETE FROM named_user WHERE name = ?", [.text(name)])
    try record("delete user", .user(name))
  }
}

extension User {
  fileprivate func words(changingTo new: User) -> [String] {
    var words: [String] = []
    if role != new.role {
      words.append("role changed: from \(role.rawValue) to \(new.role.rawValue)")
    }
    if Set(domains) != Set(new.domains) { words.append("domains changed") }
    return words
  }
}

/// Reads and writes rows of `named_user`.
enum UserRows {
  fileprivate static let table = Table(
    "named_user", keys: [], blank: User(name: ""),
    columns: [
      Column("name", \.name), Column("role", \.role), Column("created_at", \.createdAt),
      Column("updated_at", \.updatedAt),
    ])

  fileprivate static let select = """
    SELECT (SELECT json_group_array(glob) FROM named_user_domain WHERE user_id = named_user.id),
      \(table.selection)
    FROM named_user
    """

  fileprivate static func read(_ row: borrowing Row) throws -> User {
    var user = try table.read(row, from: 1)
    user.domains = try [String].read(row, 0).sorted().map { Alias(stored: $0) }
    return user
  }

  static func find(_ name: String, _ connection: any Connection) throws -> User? {
    try connection.first(select + " WHERE name = ?", [.text(name)], row: read)
  }
}
