package enum DatabaseLocation: Sendable, Equatable, CustomStringConvertible {
  /// An SQLite file.
  case file(String)
  /// A database of a PostgreSQL server.
  case postgreSQL(PostgreSQLAddress)

  /// Reads a path, a URI or the name of a service; `nil` for an empty text.
  package init?(_ text: String) throws(PostgreSQLAddress.Invalid) {
    let isAddress = ["postgresql:", "postgres:", "service="].contains(where: text.hasPrefix)
    if text.isEmpty { return nil }
    // libpq's other form of an address, which may have a password, is no path that anybody means.
    let word = text.prefix { $0.isLetter || $0 == "_" }
    if ["host", "hostaddr", "port", "dbname", "user", "password", "passfile", "sslmode"].contains(
      word)
      && text.dropFirst(word.count).drop(while: \.isWhitespace).hasPrefix("=")
    {
      throw PostgreSQLAddress.Invalid(
        description:
          "it has the form \"host=… dbname=…\". Use a URI, such as postgresql://user@host/database")
    }
    self = isAddress ? .postgreSQL(try PostgreSQLAddress(text)) : .file(text)
  }

  /// The path of the file; `nil` for a server.
  package var path: String? { if case .file(let path) = self { path } else { nil } }

  /// The paths of all files that it may have; none for a server.
  package var files: [String] {
    path.map { path in ([""] + DatabaseFile.companions).map { path + $0 } } ?? []
  }

  /// The location as it is written in settings, perhaps with a password.
  package var text: String {
    switch self {
    case .file(let path): path
    case .postgreSQL(let address): address.text
    }
  }

  /// The location for people, without a password.
  package var description: String {
    switch self {
    case .file(let path): path
    case .postgreSQL(let address): address.description
    }
  }
}
