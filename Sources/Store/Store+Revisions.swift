public import Association
import CSodium
import JSONValue
import SQLite

extension Store {
  /// The document that is served for a domain, with its revision.
  ///
  /// - Throws: `StoreError.notFound`.
  public func currentDocument(
    of name: DomainName
  ) throws -> (document: [UInt8], revision: Revision) {
    try read { connection in
      guard let stored = try DomainRows.find(name, &connection),
        let current = try RevisionRows.find(stored, &connection)
      else { throw StoreError.notFound(.domain(name)) }
      return current
    }
  }
}

/// Reads and writes rows of `revision`.
enum RevisionRows {
  /// The revision that is served for a domain.
  static func find(
    _ domain: StoredDomain, _ connection: inout Connection
  ) throws -> (document: [UInt8], revision: Revision)? {
    try connection.first(
      """
      SELECT document, number, sha256, published_at, author, reason, accepted_codes
      FROM revision WHERE domain_id = ? AND number = ?
      """, [.integer(domain.id), .integer(domain.revision)]
    ) { row in
      let document = row.blob(0)
      let revision = Revision(
        number: row.int(1), size: document.count, sha256: row.text(2),
        publishedAt: row.integer(3), author: row.text(4), reason: row.text(5),
        acceptedCodes: try row.strings(6))
      return (document, revision)
    }
  }

  /// Adds a revision and makes it the one that is served.
  static func publish(
    _ edit: DomainEdit, number: Int, of domain: Int64, author: String, reason: String, now: Int64,
    _ connection: inout Connection
  ) throws -> Revision {
    let revision = Revision(
      number: number, size: edit.document.count, sha256: sha256(edit.document), publishedAt: now,
      author: author, reason: reason, acceptedCodes: edit.acceptedCodes)
    try connection.run(
      """
      INSERT INTO revision (domain_id, number, document, sha256, published_at, author, reason,
        accepted_codes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(domain), .integer(number), .blob(edit.document), .text(revision.sha256),
        .integer(now), .text(author), .text(reason),
        .text(JSON.strings(edit.acceptedCodes).text),
      ])
    try connection.run(
      "UPDATE domain SET revision = ?, updated_at = ? WHERE id = ?",
      [.integer(number), .integer(now), .integer(domain)])
    return revision
  }

  /// 64 lower-case hexadecimal digits.
  private static func sha256(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    let digits = Array("0123456789abcdef".utf8)
    let hex = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: hex, as: UTF8.self)
  }
}
