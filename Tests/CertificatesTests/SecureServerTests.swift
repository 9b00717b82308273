import HTTP
import Foundation
import TestSupport
import Testing

/// The program with certificates, as its users run it.
@Suite struct SecureServerTests {
  let issuer: Issuer
  let directory: TemporaryDirectory
  let authority: String

  init() throws {
    issuer = try Issuer()
    directory = try TemporaryDirectory()
    authority = try directory.write(issuer.authority.certificate, to: "authority.txt")
    for name in ["public", "admin"] {
      try FileManager.default.createDirectory(
        atPath: directory.path(name), withIntermediateDirectories: true)
    }
    try directory.write(
      try issuer.issue("localhost", addresses: [[127, 0, 0, 1]], serial: 5), as: "admin/default")
    try directory.write(try issuer.issue("example.com", serial: 6), as: "public/example.com")
  }

  private func start() throws -> RunningServer {
    try RunningServer(
      database: directory.path("aasa.db"),
      arguments: [
        "--public-certificates", directory.path("public"),
        "--admin-certificates", directory.path("admin"),
      ])
  }

  @Test func commandsVerifyTheServerOverHTTPS() throws {
    let server = try start()
    let token = try server.firstToken()
    for host in ["localhost", "127.0.0.1"] {
      let address = "https://\(host):\(server.adminPort)"
      let trusting = try Program.aasa(
        "export", "--server", address,
        environment: ["AASA_TOKEN": token, "SSL_CERT_FILE": authority, "NO_PROXY": "*"])
      #expect(trusting.status == 0, "\(trusting.errors)")
      let other = try Program.aasa(
        "export", "--server", address, environment: ["AASA_TOKEN": token, "NO_PROXY": "*"])
      #expect(other.status != 0)
    }
  }

  @Test func theCookieOfASessionIsSecure() throws {
    let server = try start()
    let body = #"{"token": "\#(try server.firstToken())"}"#
    let connection = try TLSConnection(port: server.adminPort, to: server)
    let answer = try connection.exchange(
      "POST /v1/session HTTP/1.1\r\nHost: localhost\r\nX-Aasa-Dashboard: 1\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(answer.status == 201)
    #expect(answer["Set-Cookie"]?.hasSuffix("; Max-Age=43200; Secure") == true)
  }

  private func config(_ words: String...) throws -> Program.Result {
    try Program.run(Program.aasa, ["config"] + words)
  }

  @Test func configReportsInvalidCertificates() throws {
    let (files, api) = (directory.path("public"), directory.path("admin"))
    let good = try config("--public-certificates", files, "--admin-certificates", api)
    #expect(good.status == 0)
    #expect(good.output.contains("publicCertificates\t\(files)\t--public-certificates\n"))
    #expect(good.errors.contains("\(files): valid certificates: example.com.\n"))
    #expect(good.errors.contains("\(api): valid certificates: default.\n"))

    try directory.write("nothing", to: "public/other.example.crt")
    let bad = try config("--public-certificates", files)
    #expect(bad.status == 1)
    #expect(bad.output.contains("publicCertificates\t\(files)\t"), "it is printed all the same")
    #expect(bad.errors.contains("public/other.example.crt"))
    #expect(bad.errors.contains("valid certificates: example.com."))

    let missing = try config("--admin-certificates", directory.path("missing"))
    #expect(missing.status == 1 && missing.errors.contains(directory.path("missing")))
  }

  @Test func configReportsAnAdminListenerThatWouldBeRefused() throws {
    let open = ["--admin-address", "0.0.0.0:8081"]
    let refused = try config(open[0], open[1])
    #expect(refused.status == 1 && refused.output.contains("adminAddress\t0.0.0.0:8081\t"))
    #expect(refused.errors.hasPrefix("Other machines could reach the JSON API at 0.0.0.0:8081"))
    let secure = try config(
      open[0], open[1], "--admin-certificates", directory.path("admin"))
    #expect(secure.status == 0)
  }

  /// libmicrohttpd by itself uses up a processor as long as a handshake waits for a client.
  @Test func stalledHandshakesUseNoProcessorAndKeepNobodyWaiting() throws {
    let server = try start()
    let stalled = try (0..<20).map { _ in
      try TLSConnection(port: server.publicPort, host: "example.com", stalls: true)
    }
    let request = "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"
    let kept = try TLSConnection(port: server.publicPort, host: "example.com")
    #expect(try kept.exchange(request).status == 404)
    let (before, start) = (try processorTicks(of: server), ContinuousClock.now)
    while ContinuousClock.now - start < .seconds(2) {
      #expect(try kept.exchange(request).status == 404)
      usleep(20_000)
    }
    // A hundred ticks a second. A thread would use all of them that the machine has left.
    #expect(try processorTicks(of: server) - before < 50)
    #expect(stalled.count == 20)
  }

  /// The processor time that the program has used, of proc_pid_stat(5).
  private func processorTicks(of server: RunningServer) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(server.process.id)/stat", encoding: .utf8)
    let fields = text.split(separator: " ")
    return try #require(Int(fields[13])) + #require(Int(fields[14]))
  }

  @Test func certificatesAreReloadedOnSIGHUPAndOnChanges() throws {
    let server = try start()
    func serial() throws -> UInt8 {
      try TLSConnection(port: server.publicPort, host: "example.com").serial()
    }
    #expect(try serial() == 6)
    let renewed = try issuer.issue("example.com", valid: -1...3, serial: 7)
    try directory.write(renewed, as: "public/example.com")
    server.process.signal(SIGHUP)
    #expect(try becomesTrue { try serial() == 7 })
    #expect(try becomesTrue { try server.errors().contains("expires soon") })
    try directory.write("nothing", to: "public/example.com.crt")
    #expect(
      try becomesTrue { try server.errors().contains("public/example.com.crt: is not a chain") })
    #expect(try serial() == 7)
    try directory.write(try issuer.issue("example.com", serial: 8), as: "public/example.com")
    #expect(try becomesTrue { try serial() == 8 })
    #expect(try server.end() == .exited(0))
  }

  @Test func theExpiryOfACertificateIsInTheMetrics() throws {
    let server = try RunningServer(
      database: directory.path("aasa.db"),
      arguments: ["--public-certificates", directory.path("public")])
    let metrics = try Client(port: server.adminPort, lines: ["Host: localhost"])
      .send("GET", "/metrics").text
    let start =
      "aasa_certificate_not_after_timestamp_seconds{setting=\"publicCertificates\","
      + "name=\"example.com\"} "
    let line = try #require(metrics.split(separator: "\n").first { $0.hasPrefix(start) })
    let expected = try CertificateDirectory(directory.path("public")) { Issuer.now }
    #expect(Int64(line.dropFirst(start.count)) == expected.current.pairs.first?.notAfter)
  }

  @Test func anInvalidPairIsLoggedAndCountedAndTheOthersAreServed() throws {
    try directory.write(
      try issuer.issue("old.test", valid: -9 ... -1), as: "public/old.test")
    let server = try RunningServer(
      database: directory.path("aasa.db"),
      arguments: ["--public-certificates", directory.path("public")])
    #expect(try server.errors().contains("public/old.test.crt: the certificate expired on"))
    #expect(
      try TLSConnection(port: server.publicPort, host: "example.com").serial() == 6)
    let metrics = try Client(port: server.adminPort, lines: ["Host: localhost"])
      .send("GET", "/metrics").text
    #expect(
      metrics.contains("aasa_certificates_refused{setting=\"publicCertificates\"} 1\n"))
  }

  @Test func startupFailsWithoutAValidPairAndNamesTheInvalidOnes() throws {
    try directory.write(
      try issuer.issue("example.com", valid: -9 ... -1), as: "public/example.com")
    let started = #expect(throws: RunningServer.NotStarted.self) { try start() }
    #expect(started?.errors.contains("public/example.com.crt: the certificate expired on") == true)
  }
}
