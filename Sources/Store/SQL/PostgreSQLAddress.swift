import CPostgreSQL

/// How to reach a database of a PostgreSQL server: a URI, or `service=` with a name
/// (postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING).
package struct PostgreSQLAddress: Sendable, Equatable, CustomStringConvertible {
  /// Why a text is no address. It does not repeat the text, which may have a password.
  package struct Invalid: Error, CustomStringConvertible {
    /// A clause.
    package let description: String

    /// A reason that only the caller sees.
    package init(description: String) { self.description = description }
  }

  /// The text, perhaps with a password.
  package let text: String
  /// The address for people, without its password and settings.
  package let description: String

  package init(_ text: String) throws(Invalid) {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &message) else {
      defer { PQfreemem(message) }
      let reason = message.map { String(cString: $0) } ?? "there is not enough memory"
      throw Invalid(description: Self.withoutQuotes(reason))
    }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    // Sound: the list ends with an option without a name, and its strings live until it is freed.
    while let name = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: name)] = String(cString: value) }
      option += 1
    }
    // libpq takes what follows a "/" or an "@" in a password for the name of a database, or of a host.
    let hasBadPort = values["port"]?.contains { !$0.isNumber && $0 != "," } == true
    let names = [values["host"]?.dropFirst(), values["dbname"]?[...]]
    if names.contains(where: { $0?.contains("@") == true }) || hasBadPort && values["user"] == nil {
      throw Invalid(
        description:
          "a user name or password with one of : / @ ? # % must have it escaped, such as %2F for /")
    }
    if hasBadPort { throw Invalid(description: "its port is invalid: it must be a number") }
    self.text = text
    description = Self.shown(values)
  }

  /// What libpq says without what it quotes, which may have the password. Single characters stay.
  private static func withoutQuotes(_ reason: String) -> String {
    var words = ""
    var rest = reason.filter { !$0.isNewline }[...]
    while let quote = rest.firstIndex(of: "\"") {
      words += rest[..<quote]
      rest = rest[quote...]
      if rest.dropFirst(2).first == "\"" {
        words += rest.prefix(3)
        rest = rest.dropFirst(3)
      } else {
        words += "…"
        rest = rest[(rest.lastIndex(of: "\"") ?? quote)...].dropFirst()
      }
    }
    return words + rest
  }

  private static func shown(_ values: [String: String]) -> String {
    if let service = values["service"] { return "service=\(service)" }
    let user = values["user"].map { "\($0)@" } ?? ""
    let database = values["dbname"].map { "/\($0)" } ?? ""
    let hosts = (values["host"] ?? values["hostaddr"] ?? "").split(
      separator: ",", omittingEmptySubsequences: false)
    // A directory of sockets.
    if hosts.contains(where: { $0.hasPrefix("/") }) {
      return "postgresql://\(user)\(database)?host=\(hosts.joined(separator: ","))"
    }
    let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let places = hosts.enumerated().map { index, host in
      let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
      return port.isEmpty ? "\(host)" : "\(host):\(port)"
    }
    return "postgresql://\(user)\(places.joined(separator: ","))\(database)"
  }
}
