public import Association
import JSONValue
import SQLite
import Synchronization

/// What a token may do. Each role includes the one before.
public enum Role: String, Sendable, CaseIterable, Comparable {
  /// Read.
  case viewer
  /// Change domains and apps.
  case editor
  /// Everything, including tokens.
  case admin

  /// A viewer is less than an editor, an editor less than an admin.
  public static func < (left: Role, right: Role) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}

/// A bearer token without its secret.
public struct Token: Sendable, Equatable {
  /// The name that says whose it is.
  public let name: String
  /// What it may do.
  public let role: Role
  /// The domains that it is limited to, such as `*.brand.example`; empty for all.
  public let domains: [Alias]
  /// When it was made, in seconds since 1970.
  public let createdAt: Int64
  /// From when on it is refused, in seconds since 1970; `nil` for never.
  public let expiresAt: Int64?
  /// When it was last used, in seconds since 1970 and to the minute; `nil` for never.
  public let lastUsedAt: Int64?
}

extension Store {
  /// All tokens in the order of their names.
  public func tokens() throws -> [Token] {
    try read { connection in
      try connection.all(TokenRows.select + " ORDER BY name") { try TokenRows.read($0).token }
    }
  }

  /// The token that has this secret and has not expired. That it was used is written down.
  public func token(_ secret: TokenSecret) throws -> Token? {
    let hash = secret.hash
    let found = try readOnce { connection in
      try connection.first(
        TokenRows.select + " WHERE hash = ?", [.blob(hash)], row: TokenRows.read)
    }
    guard let found, TokenSecret.isSame(found.hash, hash) else { return nil }
    let token = found.token
    if let expiresAt = token.expiresAt, expiresAt <= now() { return nil }
    noteUse(of: token)
    return token
  }

  /// Remembers that a token was used; `writeTokenUses` writes it down. No request waits for that.
  private func noteUse(of token: Token) {
    let minute = now() / 60 * 60
    if token.lastUsedAt != minute { tokenUses.withLock { $0[token.name] = minute } }
  }

  /// Writes down which tokens were used since the last call. To be called now and then.
  ///
  /// - Throws: `StoreError.database`; nothing is forgotten then.
  public func writeTokenUses() throws {
    let uses = tokenUses.withLock { $0 }
    if uses.isEmpty { return }
    try write(WriteContext(author: "")) { transaction in
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
  /// Adds a token and returns its secret, which cannot be had again.
  ///
  /// - Parameters:
  ///   - domains: What it is limited to; none for all domains.
  ///   - expiresAt: From when on it is refused, in seconds since 1970; `nil` for never.
  /// - Throws: `StoreError.tokenNameTaken`.
  public func createToken(
    name: String, role: Role, domains: [Alias] = [], expiresAt: Int64? = nil
  ) throws -> TokenSecret {
    let secret = try TokenSecret()
    do {
      try connection.run(
        "INSERT INTO token (name, role, hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
        [
          .text(name), .text(role.rawValue), .blob(secret.hash), .integer(now),
          .optional(expiresAt),
        ])
    } catch let error as SQLiteError where error.kind == .unique {
      throw StoreError.tokenNameTaken(name)
    }
    let row = connection.lastInsertRowID
    for glob in Set(domains) {
      try connection.run(
        "INSERT INTO token_domain (token_id, glob) VALUES (?, ?)",
        [.integer(row), .text(glob.description)])
    }
    try record("create token", .token(name))
    return secret
  }

  /// Removes a token; it is refused from then on.
  ///
  /// - Throws: `StoreError.notFound`.
  public func revokeToken(_ name: String) throws {
    try connection.run("DELETE FROM token WHERE name = ?", [.text(name)])
    if connection.changes == 0 { throw StoreError.notFound(.token(name)) }
    try record("revoke token", .token(name))
  }
}

/// Reads rows of `token`.
private enum TokenRows {
  static let select = """
    SELECT name, role, created_at, hash, expires_at, last_used_at,
      (SELECT json_group_array(glob) FROM token_domain WHERE token_id = token.id)
    FROM token
    """

  static func read(_ row: borrowing Row) throws -> (token: Token, hash: [UInt8]) {
    let token = Token(
      name: row.text(0), role: try row.enumeration(1),
      domains: try row.strings(6).sorted().map { Alias(stored: $0) }, createdAt: row.integer(2),
      expiresAt: row.optionalInteger(4), lastUsedAt: row.optionalInteger(5))
    return (token, row.blob(3))
  }
}
