package import Association

/// A client of a local listener. Each request has its own connection.
package struct Client: Sendable {
  /// The port of the listener.
  package let port: UInt16
  /// Header lines of every request.
  package let lines: [String]

  /// A client.
  package init(port: UInt16, lines: [String] = []) {
    self.port = port
    self.lines = lines
  }

  /// Sends a request with a body of these bytes, or without one, and reads the answer.
  package func send(
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
  package func send(
    _ method: String, _ target: String, json: JSON, _ more: String...
  ) throws -> RawResponse {
    try Client(port: port, lines: lines + more).send(method, target, body: json.serialized())
  }
}

extension RawResponse {
  /// The content as JSON.
  package var json: JSON {
    get throws { try JSON.parse(body).value }
  }

  /// The member `code` of a problem.
  package var code: String? {
    get throws { try json["code"]?.stringValue }
  }

  /// The pointers and codes of a problem's `errors`, as "/path: code", in order.
  package var faults: [String] {
    get throws {
      try (json["errors"]?.arrayValue ?? []).map {
        "\($0["pointer"]?.stringValue ?? "?"): \($0["code"]?.stringValue ?? "?")"
      }
    }
  }
}
