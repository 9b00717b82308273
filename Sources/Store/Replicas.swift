package import Association
import Glibc

/// A server that runs on the database.
package struct Replica: Sendable, Equatable {
  /// A word that no other server uses.
  package var id: String
  /// The name of its machine.
  package var name: String
  /// The version of the program.
  package var version: String
  /// Where its JSON API is reached.
  package var url: String
  package var startedAt: UnixTime
  /// When it was last seen.
  package var seenAt: UnixTime
  /// The number of the last change that it serves.
  package var applied: Int64
  /// How many changes there were after that when it was last seen.
  package var lag: Int64 = 0

  /// A server that has just started.
  package init(
    id: String, name: String, version: String, url: String, startedAt: UnixTime, applied: Int64
  ) {
    self.id = id
    self.name = name
    self.version = version
    self.url = url
    self.startedAt = startedAt
    seenAt = startedAt
    self.applied = applied
  }
}

/// Work that one of the servers on a database does for all.
package enum SharedWork: String, Sendable {
  /// Deleting old rows.
  case pruning
  /// Making findings again that are out of date.
  case findings
}

extension Store {
  /// Tells that a server runs, and what it serves. Rows of servers that were not seen for too long go.
  ///
  /// - Parameter seconds: After how many seconds it is taken to be gone, unless it is seen again.
  package func report(_ replica: Replica, for seconds: Int64) throws {
    try write(.ofServer) { transaction in
      let connection = transaction.connection
      // Nothing is lost with it, so it need not wait for a standby.
      if connection.dialect == .postgreSQL {
        try connection.execute("SET LOCAL synchronous_commit = off")
      }
      let newest = try ChangeRows.known(connection).upperBound
      try connection.run(
        """
        INSERT INTO replica
          (id, name, version, url, started_at, seen_at, ends_at, applied, lag)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, ends_at = excluded.ends_at,
          applied = excluded.applied, lag = excluded.lag
        """,
        [
          .text(replica.id), .text(replica.name), .text(replica.version), .text(replica.url),
          .integer(replica.startedAt), .integer(transaction.now),
          .integer(transaction.now + seconds), .integer(replica.applied),
          .integer(max(0, newest - replica.applied)),
        ])
      try connection.run(
        "DELETE FROM replica WHERE ends_at < ?", [.integer(transaction.now)])
    }
  }

  /// Tells that a server has ended, and leaves its work to others.
  package func leave(_ id: String) throws {
    try write(.ofServer) { transaction in
      try transaction.connection.run("DELETE FROM replica WHERE id = ?", [.text(id)])
      try transaction.connection.run("DELETE FROM lease WHERE holder = ?", [.text(id)])
    }
  }

  /// The change that somebody wants a server to report; `nil` if the server is not known.
  package func awaited(of id: String) throws -> Int64? {
    try follow { connection in
      try connection.number("SELECT awaited FROM replica WHERE id = ?", [.text(id)])
    }
  }

  /// The servers that run on the database, by name. Those that only read are not among them.
  package func replicas() throws -> [Replica] {
    let now = now()
    return try read { connection in
      try connection.all(
        """
        SELECT id, name, version, url, started_at, seen_at, applied, lag FROM replica
        WHERE ends_at >= ? ORDER BY name, url, id
        """, [.integer(now)]
      ) { row in
        var replica = Replica(
          id: row.text(0), name: row.text(1), version: row.text(2), url: row.text(3),
          startedAt: row.time(4), applied: row.integer(6))
        (replica.seenAt, replica.lag) = (row.time(5), row.integer(7))
        return replica
      }
    }
  }

  /// Where edits are accepted. Nothing if the database does not say so.
  func writers() -> [String] {
    do {
      return try replicas().map(\.url)
    } catch {
      return []
    }
  }

  /// Waits until all servers serve everything that is committed now.
  ///
  /// - Returns: The servers that do not, after the time.
  /// - Throws: `StoreError`.
  package func waitUntilServed(
    _ waitBudget: Duration, isAbandoned: () -> Bool
  ) throws -> [Replica] {
    let deadline = ContinuousClock.now + waitBudget
    let newest = try askAll()
    while true {
      let late = try replicas().filter { $0.applied < newest }
      if late.isEmpty || isAbandoned() || ContinuousClock.now > deadline { return late }
      usleep(20_000)
    }
  }

  /// Asks all servers to tell when they serve everything that is committed now.
  ///
  /// - Returns: The number of the last change.
  private func askAll() throws -> Int64 {
    // Somebody waits for it.
    try write(WriteContext(author: "aasa serve")) { transaction in
      let connection = transaction.connection
      let newest = try ChangeRows.known(connection).upperBound
      try connection.run(
        "UPDATE replica SET awaited = ?1 WHERE awaited < ?1", [.integer(newest)])
      try connection.wakeOthers()
      return newest
    }
  }

  /// Takes work for a time, unless another server has it. Whoever has it may take it again.
  ///
  /// - Returns: Whether it is the server's.
  package func take(_ work: SharedWork, by id: String, for seconds: Int64) throws -> Bool {
    let now = now()
    let holder = try read { connection in
      try connection.first(
        "SELECT holder FROM lease WHERE work = ? AND ends_at >= ?",
        [.text(work.rawValue), .integer(now)]
      ) { $0.text(0) }
    }
    if let holder, holder != id { return false }
    return try write(.ofServer) { transaction in
      try transaction.connection.has(
        """
        INSERT INTO lease (work, holder, ends_at) VALUES (?1, ?2, ?3)
        ON CONFLICT (work) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at
          WHERE lease.holder = excluded.holder OR lease.ends_at < ?4
        RETURNING 1
        """,
        [.text(work.rawValue), .text(id), .integer(transaction.now + seconds), .integer(now)])
    }
  }
}

extension Connection {
  /// Wakes the servers that listen, when the transaction commits.
  func wakeOthers() throws {
    if dialect == .postgreSQL { try execute("NOTIFY aasa") }
  }
}
