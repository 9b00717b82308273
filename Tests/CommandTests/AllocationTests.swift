import TestSupport
import Testing

/// Counts what the threads that serve allocate, with a library that is loaded into the server.
@Suite struct AllocationTests {
  private static let path = "/.well-known/apple-app-site-association"
  private static let kinds = [
    (200, "GET \(path) HTTP/1.1\r\nHost: example.com\r\nUser-Agent: AASA-Bot/1\r\n\r\n"),
    (304, "GET \(path) HTTP/1.1\r\nHost: example.com\r\nIf-None-Match: *\r\n\r\n"),
    (404, "GET \(path) HTTP/1.1\r\nHost: example.org\r\nUser-Agent: swcd\r\n\r\n"),
    (200, "HEAD \(path) HTTP/1.1\r\nHost: example.com\r\n\r\n"),
  ]

  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  @Test func tenThousandRequestsAllocateNothing() throws {
    let server = try countingServer()
    let connection = try RawConnection(port: server.publicPort, seconds: 60)
    // What is made once is made now: the answers 200 and 304, and what counts who fetched.
    try ask(connection, times: 100)
    let before = try count()
    #expect(before > 0, "the library is not there")
    try ask(connection, times: 2_500)
    #expect(try count() == before)
  }

  /// Each kind of request so often, a hundred at a time.
  private func ask(_ connection: RawConnection, times: Int) throws {
    for (status, request) in Self.kinds {
      for _ in 0..<(times / 100) {
        try connection.send(String(repeating: request, count: 100))
        for _ in 0..<100 {
          let response = try connection.readResponse(hasBody: !request.hasPrefix("HEAD"))
          try #require(response.status == status)
        }
      }
    }
  }

  private func countingServer() throws -> RunningServer {
    let library = scratch.path("count.so")
    let source =
      #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
      + "/Fixtures/count-allocations.c"
    let compiled = try Program.run(
      "/usr/bin/env", ["clang", "-shared", "-fPIC", "-O1", "-o", library, source])
    try #require(compiled.status == 0, "\(compiled.errors)")
    let counter = try scratch.write([UInt8](repeating: 0, count: 8), to: "count")
    let file = try scratch.write(#"{"applinks":{"details":[]}}"#, to: "file")
    let database = scratch.path("aasa.db")
    let imported = try Program.aasa(
      "import", "--database", database, "--domain", "example.com", file)
    try #require(imported.status == 0, "\(imported.errors)")
    return try RunningServer(
      database: database, environment: ["LD_PRELOAD": library, "COUNT_FILE": counter])
  }

  /// How often threads of libmicrohttpd have allocated.
  private func count() throws -> UInt64 {
    try scratch.read("count").reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
