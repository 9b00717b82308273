public import Association

/// A client of a local listener. Each request has its own connection.
public struct Client: Sendable {
  /// The port of the listener.
  public let port: UInt16
  /// Header lines of every request.
  public let lines: [String]

  /// A client.
  public init(port: UInt16, lines: [String] = []) {
    self.port = port
    self.lines = lines
  }

  /// Sends a request with a body of these bytes, or without one, and reads the answer.
  public func send(
    _ method: String, _ target: String, body: [UInt8]? = nil, _ more: String...
  ) throws -> RawResponse {
    let connection = try RawConnection(port: port, seconds: 60)
    let length = body.map { ["Content-Length: \($0.count)"] } ?? []
    let head = ["\(method) \(target) HTTP/1.1"] + lines + more + length
    try connection.send(head.map { $0 + "\r\n" }.joined() + "\r\n")
    try connection.send(body ?? [])
    return try connection.readResponse(hasBody: method != "HEAD")
  }

  /// Sends a request with JSON.
  public func send(
    _ method: String, _ target: String, json: JSON, _ more: String...
  ) throws -> RawResponse {
    try Client(port: port, lines: lines + more).send(method, target, body: json.serialized())
  }
}

extension RawResponse {
  /// The content as JSON.
  public var json: JSON {
    get throws { try JSON.parse(body).value }
  }

  /// The member `code` of a problem.
  public var code: String? {
    get throws { try json["code"]?.stringValue }
  }

  /// The pointers and codes of a problem's `errors`, as "/path: code", in order.
  public var faults: [String] {
    get throws {
      try (json["errors"]?.arrayValue ?? []).map {
        "\($0["pointer"]?.stringValue ?? "?"): \($0["code"]?.stringValue ?? "?")"
      }
    }
  }
}
