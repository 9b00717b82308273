package import Association
import Synchronization

/// What a token may do. Each role includes the one before.
package enum Role: String, Sendable, CaseIterable, Comparable {
  /// Read.
  case viewer
  /// Change domains and apps.
  case editor
  /// Everything, including tokens.
  case admin

  /// Viewers come before editors, and editors before admins.
  package static func < (left: Role, right: Role) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}

/// A bearer token without its secret, or what stands for one: the rights of a command or of a user.
package struct Token: Sendable, Equatable {
  package var name: String
  package var role: Role
  /// The domains that it is limited to.
  package var scope = Scope()
  /// The documents that it may change, and nothing else; empty without that limit.
  package var documents: [DocumentName] = []
  /// Whether it publishes protected domains without a second person; of a user, any grant.
  package var publishesProtected = false
  package var createdAt: UnixTime
  /// When it expires; `nil` for never.
  package var expiresAt: UnixTime?
  /// When it expires if it is not used before; `nil` for never.
  var unusedUntil: UnixTime?
  /// When it was last used, to the minute; `nil` for never.
  package var lastUsedAt: UnixTime?

  /// The `applier` of a `WriteContext`; `nil` for a viewer.
  package var applier: String? { role >= .editor ? name : nil }
  /// Whether it has the rights of a user whom a proxy names.
  package var isUser = false
  /// What a user has by themselves and by their groups. `role` is the highest of these, and `scope` what any of them has.
  package private(set) var grants: [Grant] = []

  /// A role for some domains.
  package struct Grant: Sendable, Equatable {
    /// The group that has it; `nil` if the user has it by themselves.
    package let group: String?
    package let role: Role
    package let scope: Scope
    /// Whether it includes publishing protected domains without a second person.
    package let publishesProtected: Bool
  }

  /// The protected domains that it publishes without a second person; `nil` for none.
  package var unapproved: Scope? {
    if !publishesProtected { return nil }
    if !isUser { return scope }
    return Scope(anyOf: grants.filter { $0.publishesProtected && $0.role >= .editor }.map(\.scope))
  }

  /// What it may do where a role is needed: a user may have a role for fewer domains than another.
  package func limited(to needed: Role) -> Token {
    var token = self
    let able = grants.filter { $0.role >= needed }
    if let scope = Scope(anyOf: able.map(\.scope)) { token.scope = scope }
    return token
  }

  /// The rights of a command that works on the database itself. It is not stored.
  package static func command(_ name: String) -> Token {
    var token = Token(name: name, role: .admin, createdAt: 0)
    token.publishesProtected = true
    return token
  }
}

extension Token {
  /// The rights of a user who has any of these; `nil` without any.
  init?(user name: String, _ grants: [Grant]) {
    guard let role = grants.map(\.role).max(), let scope = Scope(anyOf: grants.map(\.scope)) else {
      return nil
    }
    self.init(name: name, role: role, scope: scope, createdAt: 0)
    (self.grants, isUser) = (grants, true)
    publishesProtected = grants.contains(where: \.publishesProtected)
  }
}

extension Store {
  /// All tokens, ordered by name.
  package func tokens() throws -> [Token] {
    try read { connection in
      try connection.all(TokenRows.select + " ORDER BY name") { try TokenRows.read($0).token }
    }
  }

  /// The token with this secret, unless it has expired. Records that it was used.
  package func token(_ secret: TokenSecret) throws -> Token? {
    let hash = secret.hash
    let found = try authenticate { connection in
      try connection.first(
        TokenRows.select + " WHERE hash = ?", [.blob(hash)], row: TokenRows.read)
    }
    guard let found, TokenSecret.isSame(found.hash, hash) else { return nil }
    let token = found.token
    if let expiresAt = token.expiresAt, expiresAt <= now() { return nil }
    noteUse(of: token)
    return token
  }

  /// When the first of the tokens expires that were created to live for a month or longer; `nil` if there is none. Who
  /// creates one for a day knows that it ends.
  package func nextTokenExpiry() throws -> UnixTime? {
    try read { connection in
      try connection.first(
        "SELECT min(expires_at) FROM token WHERE expires_at > ? AND expires_at - created_at >= 2592000",
        [.integer(now())]
      ) { $0.isNull(0) ? nil : $0.time(0) } ?? nil
    }
  }

  /// Records in memory that a token was used, so that no request waits for the database.
  /// `writeTokenUses` stores it.
  func noteUse(of token: Token) {
    // Not before the token existed.
    let minute = max(UnixTime(now().seconds / 60 * 60), token.createdAt)
    if token.lastUsedAt != minute { tokenUses.withLock { $0[token.name] = minute } }
  }

  /// Stores which tokens were used since the last call. Call it from time to time.
  ///
  /// - Throws: `StoreError.database`; the next call tries again.
  package func writeTokenUses() throws {
    let uses = tokenUses.withLock { $0 }
    if uses.isEmpty { return }
    try write(.ofServer) { transaction in
      for (name, minute) in uses {
        try transaction.connection.run(
          "UPDATE token SET last_used_at = ? WHERE name = ?", [.integer(minute), .text(name)])
      }
    }
    tokenUses.withLock { current in
      for (name, minute) in uses where current[name] == minute { current[name] = nil }
    }
  }
}

extension Transaction {
  /// Creates a token and returns its secret, which cannot be read again.
  ///
  /// - Parameters:
  ///   - domains: What covers the domains that it is limited to; empty for all names.
  ///   - labels: The labels of which each of these domains has one; empty for all domains.
  ///   - documents: The only documents that it may change; empty for everything.
  ///   - publishesProtected: Whether it publishes protected domains without a second person.
  ///   - expiresAt: When it expires; `nil` for never.
  /// - Throws: `StoreError.tokenNameTaken`, `StoreError.userNameTaken`.
  package func createToken(
    name: String, role: Role, domains: [Alias] = [], labels: [Label] = [],
    documents: [DocumentName] = [], publishesProtected: Bool = false, expiresAt: UnixTime? = nil
  ) throws -> TokenSecret {
    if try UserRows(.user).find(name, connection) != nil { throw StoreError.userNameTaken(name) }
    let secret = try TokenSecret()
    if isDryRun {
      if try TokenRows.has(name, connection) { throw StoreError.tokenNameTaken(name) }
      return secret
    }
    var token = Token(name: name, role: role, createdAt: now, expiresAt: expiresAt)
    token.publishesProtected = publishesProtected
    let row: Int64
    do {
      row = try TokenRows.table.add(
        TokenRows.Stored(token: token, hash: secret.hash), [], connection)
    } catch let error as SQLError where error.kind == .unique {
      throw StoreError.tokenNameTaken(name)
    }
    let scope = Scope(domains: domains, labels: labels)
    for part in DocumentLimit.texts(documents, scope) {
      try connection.run(
        "INSERT INTO token_domain (token_id, glob) VALUES (?, ?)", [.integer(row), .text(part)])
    }
    var changes = scope.words(granting: role, publishesProtected: publishesProtected)
    if !documents.isEmpty {
      changes.append("documents: \(documents.map(\.description).joined(separator: ", "))")
    }
    if let expiresAt { changes.append("expiresAt: \(expiresAt.text)") }
    try record("create token", .token(name), changes: changes)
    return secret
  }

  /// Gives a token a new secret, which cannot be read again. The old one and the sessions that began with it are refused
  /// from then on. Everything else of the token stays, such as its drafts.
  ///
  /// - Parameter expiresAt: When it expires from now on; `nil` to leave that as it is.
  /// - Throws: `StoreError.notFound`, `StoreError.tokenExpired` if the new secret would have expired already.
  package func rotateToken(
    _ name: String, expiresAt: UnixTime? = nil
  ) throws -> (token: Token, secret: TokenSecret) {
    var token = try self.token(name)
    if let end = expiresAt ?? token.expiresAt, end <= now {
      throw StoreError.tokenExpired(name, end)
    }
    // One that a server printed ends only if nobody uses it, and this one somebody has asked for.
    token.expiresAt = expiresAt ?? (token.unusedUntil == nil ? token.expiresAt : nil)
    token.unusedUntil = nil
    token.createdAt = now
    let secret = try TokenSecret()
    if isDryRun { return (token, secret) }
    try connection.run(
      """
      UPDATE token SET hash = ?, created_at = ?, expires_at = ?, unused_until = NULL WHERE name = ?
      """,
      [
        .blob(secret.hash), .integer(now), token.expiresAt.map { .integer($0) } ?? .null,
        .text(name),
      ])
    if connection.changes == 0 { throw StoreError.notFound(.token(name)) }
    try connection.run(
      "DELETE FROM session WHERE token_id = (SELECT id FROM token WHERE name = ?)", [.text(name)])
    try record("rotate token", .token(name))
    return (token, secret)
  }

  /// The token with this name.
  ///
  /// - Throws: `StoreError.notFound`.
  package func token(_ name: String) throws -> Token {
    let found = try connection.first(
      TokenRows.select + " WHERE name = ?", [.text(name)], row: TokenRows.read)
    guard let found else { throw StoreError.notFound(.token(name)) }
    return found.token
  }

  /// Creates the first token, for an administrator, unless one exists. It expires after a day if it is not
  /// used; one that did is replaced.
  ///
  /// - Returns: `nil` if there is a token.
  package func createFirstToken() throws -> TokenSecret? {
    try connection.run(
      "DELETE FROM token WHERE unused_until <= ? AND last_used_at IS NULL", [.integer(now)])
    if try connection.has("SELECT 1 FROM token LIMIT 1") { return nil }
    let secret = try createToken(name: "first-admin", role: .admin, publishesProtected: true)
    try connection.run("UPDATE token SET unused_until = ?", [.integer(now + 86_400)])
    return secret
  }

  /// Deletes a token; requests with it are refused from then on, and its open drafts are declined.
  ///
  /// - Throws: `StoreError.notFound`.
  package func revokeToken(_ name: String) throws {
    if try !TokenRows.has(name, connection) { throw StoreError.notFound(.token(name)) }
    if isDryRun { return }
    try connection.run("DELETE FROM token WHERE name = ?", [.text(name)])
    try record("revoke token", .token(name))
    try declineDrafts(of: name, because: "The token \(name.quoted) was revoked.")
  }
}

/// Reads and adds rows of `token`.
enum TokenRows {
  struct Stored {
    var token: Token
    var hash: [UInt8]
  }

  fileprivate static let table = Table(
    "token", keys: [],
    blank: Stored(token: Token(name: "", role: .viewer, createdAt: 0), hash: []),
    columns: [
      Column("name", \.token.name),
      Column("role", \.token.role),
      Column("publishes_protected", \.token.publishesProtected),
      Column("hash") {
        .blob($0.hash)
      } read: {
        $2.hash = $0.blob($1)
      },
      Column("created_at", \.token.createdAt),
      Column("expires_at", \.token.expiresAt),
      Column("last_used_at", \.token.lastUsedAt),
      Column("unused_until", \.token.unusedUntil),
    ])

  /// What `read` reads.
  static let selection = """
    (SELECT json_group_array(glob) FROM token_domain WHERE token_domain.token_id = token.id),
      \(table.selection)
    """

  /// The number of columns in `selection`.
  static let count = Int32(table.columns.count + 1)

  fileprivate static let select = "SELECT \(selection) FROM token"

  static func has(_ name: String, _ connection: any Connection) throws -> Bool {
    try connection.has("SELECT 1 FROM token WHERE name = ?", [.text(name)])
  }

  static func read(_ row: borrowing Row) throws -> Stored {
    var stored = try table.read(row, from: 1)
    if stored.token.lastUsedAt == nil, let until = stored.token.unusedUntil {
      stored.token.expiresAt = min(until, stored.token.expiresAt ?? until)
    }
    (stored.token.documents, stored.token.scope) = DocumentLimit.read(try [String].read(row, 0))
    return stored
  }
}

/// The documents that a token is limited to, in the texts of its scope: `documents:security.txt,gpc.json *.example.com`.
/// Each text begins so, because servers of earlier versions, which know no such limit, take that for a name that no
/// domain has.
private enum DocumentLimit {
  private static let prefix = "documents:"

  static func texts(_ documents: [DocumentName], _ scope: Scope) -> [String] {
    if documents.isEmpty { return scope.texts }
    let own = prefix + documents.map(\.text).joined(separator: ",")
    return scope.isEverything ? [own] : scope.texts.map { "\(own) \($0)" }
  }

  static func read(_ texts: [String]) -> ([DocumentName], Scope) {
    guard let first = texts.first, first.hasPrefix(prefix) else {
      return ([], Scope(stored: texts))
    }
    let names = first.dropFirst(prefix.count).prefix { $0 != " " }
    let parts = texts.compactMap { text in
      text.firstIndex(of: " ").map { String(text[text.index(after: $0)...]) }
    }
    return (
      names.split(separator: ",").map { DocumentName(stored: String($0)) }, Scope(stored: parts)
    )
  }
}
