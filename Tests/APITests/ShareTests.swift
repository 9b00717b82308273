import HTTP
import JSONValue
import TestSupport
import Testing

/// What one token may take of what is there for all.
@Suite struct ShareTests {
  /// A request whose body lacks its last byte.
  private func hold(
    _ client: Client, _ target: String, _ body: [UInt8], _ lines: String...
  ) throws -> RawConnection {
    let connection = try RawConnection(port: client.port, seconds: 60)
    let head = ["POST \(target) HTTP/1.1"] + client.lines + lines + ["Content-Length: \(body.count)"]
    try connection.send(head.map { $0 + "\r\n" }.joined() + "\r\n")
    try connection.send(Array(body.dropLast()))
    return connection
  }

  @Test func slowBodiesOfATokenKeepNeitherOthersNorSignInsOut() throws {
    let running = try RunningService()
    let viewer = try running.client(.viewer)
    let body = Array(#"{"applinks": {}"#.utf8) + [UInt8](repeating: 0x20, count: 2_000_000)
    // Eight bodies are the 16 MB of a token, of which 64 KB of each do not count.
    let held = try (0..<8).map { _ in try hold(viewer, "/v1/validate", body) }
    let more = try hold(viewer, "/v1/validate", body)
    let refused = try becomesTrue {
      try viewer.send("POST", "/v1/validate", body: body + Array("}".utf8)).code == "too-many-bodies"
    }
    #expect(refused)

    let other = try running.client(.viewer)
    let answer = try other.send("POST", "/v1/validate", body: body + Array("}".utf8))
    #expect(answer.status == 200, "\(answer.text)")
    let secret = try running.createToken(name: "anna", role: .editor)
    let signIn = try running.client().send(
      "POST", "/v1/session", json: ["token": .string(secret.text)], "X-Aasa-Dashboard: 1")
    #expect(signIn.status == 201)
    #expect(try viewer.send("POST", "/v1/validate", body: Array(#"{"applinks": {}}"#.utf8)).status == 200)
    withExtendedLifetime((held, more)) {}
  }
}
