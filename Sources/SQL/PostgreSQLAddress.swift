import CPostgreSQL

/// How to reach a database of a PostgreSQL server: a URI, or `service=` with a name
/// (postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING).
public struct PostgreSQLAddress: Sendable, Equatable, CustomStringConvertible {
  /// Why a text is no address. It does not repeat the text, which may have a password.
  public struct Invalid: Error, CustomStringConvertible {
    /// A clause.
    public let description: String
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
      // The text has a quote before it.
      let end = reason.range(of: text).map { reason[..<$0.lowerBound].dropLast(3) } ?? reason[...]
      throw Invalid(description: String(end.filter { !$0.isNewline }))
    }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    // Sound: the list ends with an option without a name, and its strings live until it is freed.
    while let name = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: name)] = String(cString: value) }
      option += 1
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

extension String {
  fileprivate func range(of part: String) -> Range<String.Index>? {
    part.isEmpty ? nil : ranges(of: part).first
  }
}
