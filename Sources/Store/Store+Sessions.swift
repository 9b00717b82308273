package import Association

/// A sign-in with a token, for browsers. It ends with its token.
package struct Session: Sendable {
  /// The token that it was begun with.
  package let token: Token
  package let endsAt: UnixTime

  /// How long a session lasts, in seconds.
  package static let duration: Int64 = 43_200
  /// The maximum number of sessions per token. Beyond it, the oldest ends.
  package static let limit = 100
}

extension Store {
  /// The session with this secret, unless it or its token has ended. Records that the token was used.
  package func session(_ secret: TokenSecret) throws -> Session? {
    let hash = secret.hash
    let found = try authenticate { connection in
      try connection.first(
        """
        SELECT \(TokenRows.selection), session.hash, session.ends_at
        FROM session JOIN token ON token.id = session.token_id WHERE session.hash = ?
        """, [.blob(hash)]
      ) { row in
        let end = TokenRows.count
        return (try TokenRows.read(row).token, hash: row.blob(end), endsAt: row.time(end + 1))
      }
    }
    guard let (token, stored, endsAt) = found, TokenSecret.isSame(stored, hash) else { return nil }
    let end = min(endsAt, token.expiresAt ?? endsAt)
    if end <= now() { return nil }
    noteUse(of: token)
    return Session(token: token, endsAt: end)
  }
}

extension Transaction {
  /// Begins a session of a token, and deletes those that have ended.
  ///
  /// - Parameter earlier: The session that it replaces in the browser.
  /// - Returns: The secret of the session, which cannot be read again.
  /// - Throws: `StoreError.notFound` for a token that was revoked meanwhile.
  package func beginSession(
    of token: Token, _ secret: TokenSecret, insteadOf earlier: TokenSecret? = nil
  ) throws -> TokenSecret {
    let row = try connection.number("SELECT id FROM token WHERE hash = ?", [.blob(secret.hash)])
    guard let row else { throw StoreError.notFound(.token(token.name)) }
    if isDryRun { return try TokenSecret() }
    try connection.run(
      "DELETE FROM session WHERE ends_at <= ? OR hash = ?",
      [.integer(now), .blob(earlier?.hash ?? [])])
    try connection.run(
      """
      DELETE FROM session WHERE token_id = ?1 AND hash NOT IN
        (SELECT hash FROM session WHERE token_id = ?1 ORDER BY created_at DESC LIMIT ?2)
      """, [.integer(row), .integer(Session.limit - 1)])
    let session = try TokenSecret()
    try connection.run(
      "INSERT INTO session (hash, token_id, created_at, ends_at) VALUES (?, ?, ?, ?)",
      [
        .blob(session.hash), .integer(row), .integer(now), .integer(now + Session.duration),
      ])
    try recordOncePerMinute("sign in", token.name)
    return session
  }

  /// Ends a session. Does nothing if it has ended.
  package func endSession(_ secret: TokenSecret) throws {
    let token = try connection.first(
      "SELECT name FROM session JOIN token ON token.id = token_id WHERE session.hash = ?",
      [.blob(secret.hash)]
    ) { $0.text(0) }
    guard let token, !isDryRun else { return }
    try connection.run("DELETE FROM session WHERE hash = ?", [.blob(secret.hash)])
    try recordOncePerMinute("sign out", token)
  }

  /// Who signs in and out again and again from an address does not fill the audit log.
  private func recordOncePerMinute(_ action: String, _ token: String) throws {
    let isRecorded = try connection.has(
      """
      SELECT 1 FROM audit WHERE id > (SELECT max(id) FROM audit) - 200
        AND at > ? AND action = ? AND token = ? AND address = ?
      """,
      [.integer(now - 60), .text(action), .text(token), .text(context.address)])
    if !isRecorded { try record(action, .token(token)) }
  }
}
