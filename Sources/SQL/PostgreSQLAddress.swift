import CPostgreSQL

/// How to reach a database of a PostgreSQL server: a URI, or `service=` with a name
/// (postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING).
public struct PostgreSQLAddress: Sendable, Equatable, CustomStringConvertible {
  /// Why a text is no address. It does not repeat the text, which may have a password.
  public struct Invalid: Error, CustomStringConvertible {
    /// A clause.
    public let description: String

    /// A reason that only the caller sees.
    public init(description: String) { self.description = description }
  }

  /// The text, perhaps with a password.
  public let text: String
  /// The address for people, without its password and settings.
  public let description: String

  /// Reads an address.
  public init(_ text: String) throws(Invalid) {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &message) else {
      defer { PQfreemem(message) }
      let reason = message.map { String(cString: $0) } ?? "there is not enough memory"
      // libpq quotes the text, or a part of it, which may be the password.
      let words = reason.prefix { $0 != "\"" && !$0.isNewline }
      throw Invalid(description: String(words.trimmingSuffix { " :".contains($0) }))
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
    let isSplit =
      [values["host"]?.dropFirst(), values["dbname"]?[...]].contains { $0?.contains("@") == true }
      || values["port"]?.contains { !$0.isNumber && $0 != "," } == true
    if isSplit {
      throw Invalid(
        description:
          "a user name or password with one of : / @ ? # % must have it escaped, such as %2F for /")
    }
    self.text = text
    description = Self.shown(values)
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

extension Substring {
  fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
    var rest = self
    while let last = rest.last, predicate(last) { rest.removeLast() }
    return rest
  }
}
