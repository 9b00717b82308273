import Association

/// Reads the rows of one domain.
struct DomainRows {
  let id: Int64

  /// The row of the domain with this own name.
  static func id(of name: DomainName, _ connection: any Connection) throws -> Int64? {
    try connection.number(
      "SELECT domain_id FROM domain_name WHERE name = ? AND position = 0", [.text(name.text)])
  }

  /// The names of some domains, in order.
  static func names(within: Scope, _ connection: any Connection) throws -> [DomainName] {
    try connection.all(
      """
      SELECT name FROM domain_name AS own WHERE position = 0 AND \(DomainFilter.within("?1"))
      ORDER BY name
      """, [within.list]
    ) { DomainName(stored: $0.text(0)) }
  }

  /// The labels of the domain with this own name; none if it does not exist.
  static func labels(of name: DomainName, _ connection: any Connection) throws -> [Label] {
    guard let id = try id(of: name, connection) else { return [] }
    return try DomainTables.label.list(of: id, connection)
  }

  /// The domains that have some names, as their own or as aliases; names of no domain are left out.
  static func owners(
    of names: [Alias], _ connection: any Connection
  ) throws -> [Alias: DomainName] {
    let owners = try connection.all(
      """
      SELECT taken.name, own.name FROM domain_name AS taken
      JOIN domain_name AS own ON own.domain_id = taken.domain_id AND own.position = 0
      WHERE taken.name IN (SELECT each.value FROM json_each(?) AS each)
      """, [.text(JSON.strings(names.map(\.description)).text)]
    ) { (Alias(stored: $0.text(0)), DomainName(stored: $0.text(1))) }
    return Dictionary(owners) { $1 }
  }

  /// The versions of the domains with these own names; those that do not exist are left out.
  ///
  /// - Parameter locks: Whether nobody else edits the domains until the transaction ends.
  static func versions(
    of names: [DomainName], locks: Bool = false, _ connection: any Connection
  ) throws -> [DomainName: StoredDomain.Version] {
    let isOne = connection.isOne(of: names.map(\.text))
    let versions = try connection.all(
      """
      SELECT name, id, revision, updated_at FROM domain_name JOIN domain ON id = domain_id
      WHERE name \(isOne.sql) AND position = 0
      \(locks ? "ORDER BY name \(connection.lock(.change, of: "domain"))" : "")
      """, [isOne.texts]
    ) { row in
      let version = StoredDomain.Version(
        id: row.integer(1), revision: row.int(2), updatedAt: row.time(3))
      return (DomainName(stored: row.text(0)), version)
    }
    return Dictionary(versions) { $1 }
  }

  /// What changes with every edit of the domain with this own name.
  ///
  /// - Parameter locks: Whether nobody else edits the domain until the transaction ends.
  static func version(
    of name: DomainName, locks: Bool = false, _ connection: any Connection
  ) throws -> StoredDomain.Version? {
    try connection.first(
      """
      SELECT id, revision, updated_at FROM domain_name JOIN domain ON id = domain_id
      WHERE name = ? AND position = 0 \(locks ? connection.lock(.change, of: "domain") : "")
      """, [.text(name.text)]
    ) { StoredDomain.Version(id: $0.integer(0), revision: $0.int(1), updatedAt: $0.time(2)) }
  }

  /// The last state of the deleted domain with this name.
  static func deleted(
    _ name: DomainName, _ connection: any Connection
  ) throws -> StoredDomain.Version? {
    try connection.first(
      "SELECT id, revision, updated_at FROM domain WHERE deleted_name = ?", [.text(name.text)]
    ) { StoredDomain.Version(id: $0.integer(0), revision: $0.int(1), updatedAt: $0.time(2)) }
  }

  /// The numbers of the last revisions of deleted domains, by name.
  static func lastRevisions(
    ofDeleted names: [DomainName], _ connection: any Connection
  ) throws -> [DomainName: Int] {
    if names.isEmpty { return [:] }
    let isOne = connection.isOne(of: names.map(\.text))
    let found = try connection.all(
      "SELECT deleted_name, revision FROM domain WHERE deleted_name \(isOne.sql)", [isOne.texts]
    ) { (DomainName(stored: $0.text(0)), $0.int(1)) }
    return Dictionary(found) { $1 }
  }

  /// The state of the domain with this own name, which may be deleted.
  ///
  /// - Throws: `StoreError.notFound`.
  static func history(
    of name: DomainName, _ connection: any Connection
  ) throws -> StoredDomain.Version {
    guard let version = try version(of: name, connection) ?? deleted(name, connection) else {
      throw StoreError.notFound(.domain(name))
    }
    return version
  }

  /// The domain with this own name.
  static func find(_ name: DomainName, _ connection: any Connection) throws -> StoredDomain? {
    guard let id = try id(of: name, connection) else { return nil }
    return try DomainRows(id: id).load(connection)
  }

  /// The domain; `nil` if it does not exist.
  func load(_ connection: any Connection) throws -> StoredDomain? {
    try DomainReading([id], connection).domains()[id]
  }
}

extension [Int64: Int] {
  /// The index of the element with a number; `nil` without a number.
  subscript(number: Int64?) -> Int? { number.flatMap { self[$0] } }
}

extension Array {
  /// The index of the element with each number; elements without one are left out.
  func places(by id: (Element) -> Int64?) -> [Int64: Int] {
    var places: [Int64: Int] = [:]
    for (place, element) in enumerated() {
      if let id = id(element) { places[id] = place }
    }
    return places
  }
}
