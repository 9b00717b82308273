import TestSupport
import Testing

/// The file through each proxy, as its file of `Config` sets it up.
@Suite(ProxyKind.needs) struct ServingTests {
  private let scratch: TemporaryDirectory
  private let server: RunningServer

  init() throws {
    scratch = try TemporaryDirectory()
    server = try ServedFile.server(database: scratch.path("aasa.db"))
  }

  private func proxy(_ kind: ProxyKind) throws -> RunningProxy {
    try RunningProxy(
      kind, before: [server], names: ServedFile.hosts + [ServedFile.unknownHost])
  }

  @Test(arguments: ProxyKind.allCases)
  func eachHostGetsItsFileByteForByteInEachVersionOfHTTP(kind: ProxyKind) throws {
    let client = try proxy(kind).client
    let files = ServedFile.hosts.flatMap { host in ServedFile.paths.map { (host, $0) } }
    for (host, path) in files + ServedFile.otherPaths.map({ ("small.example", $0) }) {
      let expected = try ServedFile.direct(server, "GET", host, path)
      #expect(expected.status == 200)
      for version in ProxyClient.Version.allCases {
        let answer = try client.fetch("https://\(host)\(path)", version)
        #expect(answer.statusLine.hasPrefix(version.statusLine + "200"), "\(host)\(path)")
        #expect(answer.endToEndFields(through: kind) == expected.endToEndFields)
        #expect(answer.fields["date"]?.count == 1)
        #expect(answer.body == expected.body, "\(host)\(path)")
      }
    }
  }

  @Test(arguments: ProxyKind.allCases)
  func headAndConditionsAreAnsweredAsByTheServer(kind: ProxyKind) throws {
    let client = try proxy(kind).client
    let (host, path) = ("large.example", ServedFile.paths[0])
    let head = try ServedFile.direct(server, "HEAD", host, path)
    let tag = "If-None-Match: \(head["ETag"] ?? "")"
    let notModified = try ServedFile.direct(server, "GET", host, path, tag)
    for version in ProxyClient.Version.allCases {
      let answer = try client.fetch("https://\(host)\(path)", version, "--head")
      #expect(answer.status == 200)
      #expect(answer.endToEndFields(through: kind) == head.endToEndFields)
      let conditional = try client.fetch("https://\(host)\(path)", version, "--header", tag)
      #expect(conditional.status == 304 && conditional.body.isEmpty)
      // A proxy may leave out the length of a 304, which says nothing.
      let fields = conditional.endToEndFields(through: kind)
      #expect(
        fields.without("content-length") == notModified.endToEndFields.without("content-length"))
      let changed = try client.fetch(
        "https://\(host)\(path)", version, "--header", "If-None-Match: \"x\"")
      #expect(changed.status == 200 && changed.body.count > 120_000)
      let post = try client.fetch("https://\(host)\(path)", version, "--request", "DELETE")
      #expect(post.status == 405 && post.fields["allow"] == ["GET, HEAD"])
    }
  }

  @Test(arguments: ProxyKind.allCases)
  func port80GivesTheFileWithoutARedirectAndRedirectsTheRest(kind: ProxyKind) throws {
    let client = try proxy(kind).client
    for path in ServedFile.paths + ServedFile.otherPaths {
      let expected = try ServedFile.direct(server, "GET", "small.example", path)
      let answer = try client.fetch("http://small.example\(path)")
      #expect(answer.status == 200 && answer.fields["location"] == nil)
      #expect(answer.body == expected.body)
    }
    let other = try client.fetch("http://small.example/other?q=1")
    #expect([301, 308].contains(other.status))
    #expect(other.fields["location"] == ["https://small.example/other?q=1"])
  }

  @Test(arguments: ProxyKind.allCases)
  func anUnknownHostIsNotFound(kind: ProxyKind) throws {
    let client = try proxy(kind).client
    // Caddy has no certificate for such a name, so there it gets no answer over TLS.
    let schemes = kind == .caddy ? ["http"] : ["http", "https"]
    for (scheme, path) in schemes.flatMap({ scheme in ServedFile.paths.map { (scheme, $0) } }) {
      let expected = try ServedFile.direct(server, "GET", ServedFile.unknownHost, path)
      let answer = try client.fetch("\(scheme)://\(ServedFile.unknownHost)\(path)")
      #expect(answer.status == 404)
      #expect(answer.endToEndFields(through: kind) == expected.endToEndFields)
      #expect(answer.body == expected.body && answer.text.contains("unknown-host"))
    }
  }

  @Test(arguments: ProxyKind.allCases)
  func aKeptConnectionIsInStepAfterA304(kind: ProxyKind) throws {
    let proxy = try proxy(kind)
    let expected = try ServedFile.direct(server, "GET", "large.example", ServedFile.paths[0])
    let request = "GET \(ServedFile.paths[0]) HTTP/1.1\r\nHost: large.example\r\n"
    let condition = "If-None-Match: \(expected["ETag"] ?? "")\r\n"
    let connection = try RawConnection(port: proxy.httpPort, to: proxy)
    for _ in 1...3 {
      #expect(try connection.exchange(request + condition + "\r\n").status == 304)
      let answer = try connection.exchange(request + "\r\n")
      #expect(answer.status == 200 && answer.body == expected.body)
    }
    // Requests that are on their way together, too.
    try connection.send(
      request + condition + "\r\n" + request + "\r\n" + request + condition + "\r\n")
    #expect(try connection.readResponse().status == 304)
    #expect(try connection.readResponse().body == expected.body)
    #expect(try connection.readResponse().status == 304)
  }
}

extension [String: [String]] {
  fileprivate func without(_ name: String) -> Self { filter { $0.key != name } }
}
