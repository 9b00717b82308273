import Association
import HTTP
import JSONValue
import Store

/// One method of one path, who may call it, and what it does.
struct Endpoint: Sendable {
  /// Who may call an endpoint.
  enum Access: Sendable, Equatable {
    /// Anybody, without a token.
    case anybody
    /// Any token that is known: nothing that is stored is told or changed.
    case anyToken
    /// A token of this role or a higher one.
    case role(Role)
  }

  let method: Method
  /// The path with its parameters in braces, such as `/v1/domains/{domain}`.
  let path: String
  let access: Access
  /// The parameters that its query may have.
  let query: [QueryParameter]
  /// Whether it tells a token that is limited to domains only of those.
  let isFilteredByToken: Bool
  let handle: @Sendable (Call) throws -> Response

  init(
    _ method: Method, _ path: String, _ access: Access, query: [QueryParameter] = [],
    isFilteredByToken: Bool = false, _ handle: @escaping @Sendable (Call) throws -> Response
  ) {
    self.method = method
    self.path = path
    self.access = access
    self.query = query
    self.isFilteredByToken = isFilteredByToken
    self.handle = handle
  }
}

/// Finds endpoints by the segments of a path.
struct Router: Sendable {
  private enum Part: Sendable {
    case literal(String)
    case parameter(String)
  }

  private let routes: [(parts: [Part], endpoint: Endpoint)]

  init(_ endpoints: [Endpoint]) {
    routes = endpoints.map { endpoint in
      let parts = endpoint.path.split(separator: "/").map { part in
        part.hasPrefix("{")
          ? Part.parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
      }
      return (parts, endpoint)
    }
  }

  /// The endpoint of a method and a path with the values of its parameters.
  ///
  /// - Throws: `Problem`: 404 for an unknown path, 405 for another method.
  func find(
    _ method: Method, _ segments: [String]
  ) throws(Problem) -> (endpoint: Endpoint, parameters: [String: String]) {
    let wanted = method == .head ? .get : method
    var allowed: [String] = []
    for (parts, endpoint) in routes {
      guard let parameters = Self.match(parts, segments) else { continue }
      if endpoint.method == wanted { return (endpoint, parameters) }
      allowed += endpoint.method == .get ? ["GET", "HEAD"] : [endpoint.method.name]
    }
    if allowed.isEmpty {
      throw Problem(.notFound, "path-not-found", "There is nothing at this path.")
    }
    let list = allowed.joined(separator: ", ")
    throw Problem(
      .methodNotAllowed, "method-not-allowed", "Allowed here are \(list).",
      fields: [Field("Allow", list)])
  }

  private static func match(_ parts: [Part], _ segments: [String]) -> [String: String]? {
    guard parts.count == segments.count else { return nil }
    let isMatch = zip(parts, segments).allSatisfy { part, segment in
      switch part {
      case .literal(let text): sameScalars(text, segment)
      case .parameter: !segment.isEmpty
      }
    }
    guard isMatch else { return nil }
    return zip(parts, segments).reduce(into: [:]) { parameters, pair in
      if case .parameter(let name) = pair.0 { parameters[name] = pair.1 }
    }
  }
}
