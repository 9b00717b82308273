public import Association
import JSONValue
import SQLite

/// A bearer token without its secret.
public struct Token: Sendable, Equatable {
  /// The name that says whose it is.
  public let name: String
  /// What it may do.
  public let role: Role
  /// The domains that it is limited to, such as `*.brand.example`; empty for all.
  public let domains: [String]
  /// When it was made, in seconds since 1970.
  public let createdAt: Int64
}

extension Store {
  /// Adds a token and returns its secret, which cannot be had again.
  ///
  /// - Throws: `StoreError.tokenNameTaken`.
  public func createToken(name: String, role: Role, domains: [String] = []) throws -> TokenSecret {
    let secret = try TokenSecret()
    return try write { connection in
      do {
        try connection.run(
          "INSERT INTO token (name, role, hash, created_at) VALUES (?, ?, ?, ?)",
          [.text(name), .text(role.rawValue), .blob(secret.hash), .integer(now())])
      } catch let error as SQLiteError where error.kind == .unique {
        throw StoreError.tokenNameTaken(name)
      }
      let row = connection.lastInsertRowID
      for glob in Set(domains) {
        try connection.run(
          "INSERT INTO token_domain (token_id, glob) VALUES (?, ?)", [.integer(row), .text(glob)])
      }
      return secret
    }
  }

  /// All tokens in the order of their names.
  public func tokens() throws -> [Token] {
    try read { connection in
      try connection.all(TokenRows.select + " ORDER BY name") { try TokenRows.read($0).token }
    }
  }

  /// The token that has this secret.
  public func token(_ secret: TokenSecret) throws -> Token? {
    try read { connection in
      let found = try connection.first(
        TokenRows.select + " WHERE hash = ?", [.blob(secret.hash)], row: TokenRows.read)
      return found.flatMap { secret.matches(hash: $0.hash) ? $0.token : nil }
    }
  }

  /// Removes a token; it is refused from then on.
  ///
  /// - Throws: `StoreError.notFound`.
  public func revokeToken(_ name: String) throws {
    try write { connection in
      try connection.run("DELETE FROM token WHERE name = ?", [.text(name)])
      if connection.changes == 0 { throw StoreError.notFound(.token(name)) }
    }
  }
}

/// Reads rows of `token`.
private enum TokenRows {
  static let select = """
    SELECT name, role, created_at, hash,
      (SELECT json_group_array(glob) FROM token_domain WHERE token_id = token.id)
    FROM token
    """

  static func read(_ row: borrowing Row) throws -> (token: Token, hash: [UInt8]) {
    let domains = try row.strings(4)
    let token = Token(
      name: row.text(0), role: try row.enumeration(1), domains: domains.sorted(),
      createdAt: row.integer(2))
    return (token, row.blob(3))
  }
}
