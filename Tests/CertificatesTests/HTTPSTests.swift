import Association
import CGnuTLS
import HTTP
import Foundation
import Synchronization
import TestSupport
import Testing

/// A public listener over HTTPS, with a directory of certificates of its own.
struct SecureServing {
  static let path = "/.well-known/apple-app-site-association"
  static let large = #"{"a":"\#(String(repeating: "0123456789", count: 12_000))"}"#

  let issuer: Issuer
  let directory: TemporaryDirectory
  let certificates: CertificateDirectory
  let listener: PublicListener

  /// How far the server's clock is ahead, in seconds.
  let ahead = Shift()

  final class Shift: Sendable {
    let seconds = Atomic<Int64>(0)
  }

  init(
    limits: Limits = PublicListener.defaultLimits, hasDefault: Bool = false, daemons: Int = 1
  ) throws {
    issuer = try Issuer()
    directory = try TemporaryDirectory()
    try directory.write(try issuer.issue("example.com", serial: 10), as: "example.com")
    try directory.write(try issuer.issue("*.example.com", serial: 11), as: "wildcard")
    try directory.write(try issuer.issue("large.test", rsaBits: 2048, serial: 12), as: "large.test")
    if hasDefault {
      try directory.write(try issuer.issue("localhost", serial: 13), as: "default")
    }
    certificates = try CertificateDirectory(directory.url.path) { [ahead] in
      Issuer.now + ahead.seconds.load(ordering: .relaxed)
    }
    let hosts = HostTable()
    hosts.replaceAll([
      try Self.document("example.com", #"{"applinks":{}}"#),
      try Self.document("large.test", Self.large),
    ])
    listener = try PublicListener(
      on: SocketAddress(host: "127.0.0.1", port: 0), serving: hosts, daemons: daemons,
      limits: limits, certificates: certificates)
  }

  private static func document(_ name: String, _ body: String) throws -> ServedDocument {
    ServedDocument(
      names: [try Alias(name)], content: Content(Array(body.utf8)),
      digest: try #require(DocumentDigest(hexadecimal: String(repeating: "0", count: 64))),
      publishedAt: 784_111_777, cacheSeconds: 3600, domain: 1, revision: 1)
  }

  func connect(
    _ host: String? = "example.com", priorities: String = TLSConnection.normal,
    ticket: [UInt8]? = nil, isSlow: Bool = false
  ) throws -> TLSConnection {
    try TLSConnection(
      port: listener.port, host: host, priorities: priorities, ticket: ticket, isSlow: isSlow,
      to: listener)
  }

  static func request(_ host: String = "example.com", _ lines: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(lines)\r\n"
  }
}

@Suite struct HTTPSTests {
  @Test(arguments: ["VERS-TLS1.2", "VERS-TLS1.3"])
  func aFileIsServedOverTLS12And13(version: String) throws {
    let connection = try SecureServing().connect(priorities: "NORMAL:-VERS-ALL:+\(version)")
    #expect(connection.chosenProtocol == "http/1.1")
    let response = try connection.exchange(SecureServing.request())
    #expect(response.status == 200)
    #expect(response.text == #"{"applinks":{}}"#)
  }

  @Test(arguments: [
    "NORMAL:-VERS-ALL:+VERS-TLS1.1", "NORMAL:-VERS-ALL:+VERS-TLS1.0",
    "NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+RSA", "NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+DHE-RSA",
    "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+AES-128-CBC",
    "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+3DES-CBC",
  ])
  func oldVersionsAndWeakCiphersAreRefused(priorities: String) throws {
    let serving = try SecureServing()
    #expect(throws: TLSConnection.Failure.self) {
      try serving.connect("large.test", priorities: priorities)
    }
    #expect(try serving.connect().exchange(SecureServing.request()).status == 200)
  }

  @Test(arguments: [
    ("example.com", 10 as UInt8), ("EXAMPLE.COM", 10), ("a.example.com", 11), ("large.test", 12),
    ("other.test", 13), ("a.b.example.com", 13), (nil, 13),
  ])
  func theCertificateIsChosenByTheRequestedName(host: String?, serial: UInt8) throws {
    #expect(try SecureServing(hasDefault: true).connect(host).serial() == serial)
  }

  @Test(arguments: ["other.test", "a.b.example.com", nil])
  func withoutADefaultAnUnknownNameIsRefusedWithItsAlert(host: String?) throws {
    let serving = try SecureServing()
    #expect(
      throws: TLSConnection.Failure.handshake(
        code: GNUTLS_E_FATAL_ALERT_RECEIVED, alert: GNUTLS_A_UNRECOGNIZED_NAME.rawValue)
    ) { try serving.connect(host) }
  }

  /// Several threads share the key of the tickets.
  @Test(arguments: ["VERS-TLS1.2", "VERS-TLS1.3"])
  func aClientResumesItsSessionUntilTheTicketIsOld(version: String) throws {
    let priorities = "NORMAL:-VERS-ALL:+\(version)"
    let serving = try SecureServing(daemons: 3)
    let first = try serving.connect(priorities: priorities)
    #expect(!first.isResumed)
    #expect(try first.exchange(SecureServing.request()).status == 200)
    let ticket = try first.ticket()
    func resumes() throws -> Bool {
      let connection = try serving.connect(priorities: priorities, ticket: ticket)
      #expect(try connection.exchange(SecureServing.request()).status == 200)
      return connection.isResumed
    }
    for _ in 0..<20 { #expect(try resumes()) }
    serving.certificates.reload()
    #expect(try resumes())
    serving.ahead.seconds.store(7 * 3600, ordering: .relaxed)
    #expect(try !resumes(), "the key was replaced")
    serving.ahead.seconds.store(0, ordering: .relaxed)
    #expect(try !resumes(), "an older key is forgotten")
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"]) func openSSLResumesItsSession(version: String) throws {
    let serving = try SecureServing()
    let request = SecureServing.request("example.com", "Connection: close\r\n")
    let file = serving.directory.path("session")
    func report(_ option: String) throws -> String {
      let words = [
        "openssl", "s_client", version, "-ign_eof", "-connect",
        "127.0.0.1:\(serving.listener.port)", "-servername", "example.com", option, file,
      ]
      let result = try Program.run(
        "sh", ["-c", "printf '\(request)' | " + words.joined(separator: " ")])
      #expect(result.output.contains("HTTP/1.1 200"), "\(result.errors)")
      return result.output
    }
    #expect(try report("-sess_out").contains("\nNew, TLS"))
    #expect(try report("-sess_in").contains("\nReused, TLS"))
  }

  @Test func theQuickestCipherIsChosenWhateverTheClientPrefers() throws {
    let serving = try SecureServing()
    let result = try Program.run(
      "sh",
      [
        "-c",
        "openssl s_client -connect 127.0.0.1:\(serving.listener.port) -servername example.com "
          + "-ciphersuites TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:"
          + "TLS_AES_128_GCM_SHA256 < /dev/null",
      ])
    #expect(result.output.contains("Cipher is TLS_AES_128_GCM_SHA256"), "\(result.output)")
  }

  @Test func aConnectionTakesManyRequestsOneAfterTheOtherAndAtOnce() throws {
    let connection = try SecureServing().connect()
    let request = SecureServing.request()
    let etag = try #require(try connection.exchange(request)["ETag"])
    let again = SecureServing.request("example.com", "If-None-Match: \(etag)\r\n")
    #expect(try connection.exchange(again).status == 304)
    let head = try connection.exchange(
      "HEAD" + request.dropFirst(3), hasBody: false)
    #expect(head.status == 200)
    #expect(head["Content-Length"] == "15")
    try connection.send(String(repeating: request, count: 20))
    for _ in 0..<20 { #expect(try connection.readResponse().status == 200) }
  }

  @Test func theLastAnswerOfAConnectionIsFollowedByCloseNotify() throws {
    let connection = try SecureServing().connect()
    let request = SecureServing.request("example.com", "Connection: close\r\n")
    #expect(try connection.exchange(request).status == 200)
    try connection.readToEnd()
  }

  @Test func aDocumentOf120KilobytesArrivesWhole() throws {
    let connection = try SecureServing().connect("large.test")
    for _ in 0..<3 {
      let response = try connection.exchange(SecureServing.request("large.test"))
      #expect(response.text == SecureServing.large)
    }
    try connection.send(String(repeating: SecureServing.request("large.test"), count: 5))
    for _ in 0..<5 {
      #expect(try connection.readResponse().body.count == SecureServing.large.utf8.count)
    }
  }

  @Test(arguments: [5000, 6500, 7800])
  func aHeaderThatIsTooLargeIsAnsweredWithinTLS(bytes: Int) throws {
    let connection = try SecureServing().connect()
    let line = "X: \(String(repeating: "a", count: bytes))\r\n"
    let response = try connection.exchange(SecureServing.request("example.com", line))
    #expect(response.status == 431)
    #expect(response.text.contains("header-too-large"))
    try connection.readToEnd()
  }

  @Test func aBodyIsRefusedBeforeItComes() throws {
    let connection = try SecureServing().connect()
    let line = "Content-Length: 9999999\r\n"
    try connection.send(
      SecureServing.request("example.com", line) + String(repeating: "b", count: 50_000))
    #expect(try connection.readResponse().status == 413)
    try connection.readToEnd()
  }

  @Test func aSlowHandshakeSucceeds() throws {
    let connection = try SecureServing().connect(isSlow: true)
    #expect(try connection.exchange(SecureServing.request()).status == 200)
  }

  @Test(arguments: [
    SecureServing.request(), "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\r\n\r\n",
    String(repeating: "\u{0}", count: 20_000), "\u{16}\u{3}\u{1}\u{0}\u{5}aaaaaaaaaaaaaa",
    "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{28}",
  ])
  func garbageInsteadOfTLSEndsTheConnectionAndNothingElse(text: String) throws {
    var limits = PublicListener.defaultLimits
    limits.idleSeconds = 1
    let serving = try SecureServing(limits: limits)
    for _ in 0..<20 {
      let connection = try RawConnection(port: serving.listener.port, to: serving.listener)
      try connection.send(text)
      if text.utf8.first != 0x16 { try Self.readToReset(connection) }
    }
    #expect(try serving.connect().exchange(SecureServing.request()).status == 200)
  }

  @Test(arguments: ["", "\u{16}\u{3}\u{1}", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}"])
  func aStalledHandshakeIsDroppedAfterTheIdleTime(text: String) throws {
    var limits = PublicListener.defaultLimits
    limits.idleSeconds = 1
    let serving = try SecureServing(limits: limits)
    let connection = try RawConnection(port: serving.listener.port, to: serving.listener)
    try connection.send(text)
    #expect(try serving.connect().exchange(SecureServing.request()).status == 200)
    try Self.readToReset(connection)
  }

  /// Waits for the end, which is a reset where the server had not read everything.
  private static func readToReset(_ connection: RawConnection) throws {
    do {
      _ = try connection.readToEnd()
    } catch RawConnection.Failure.system(_, ECONNRESET) {
      return
    }
  }

  @Test func theBlockingListenerServesHTTPS() throws {
    let serving = try SecureServing()
    let listener = try Listener(
      on: SocketAddress(host: "127.0.0.1", port: 0), limits: Limits(idleSeconds: 1),
      certificates: serving.certificates, refuse: { Response($0.status) },
      answer: { Response(.ok, body: $0.body) })
    let connection = try TLSConnection(port: listener.port, host: "example.com", to: listener)
    let body = String(repeating: "0123456789", count: 100_000)
    for _ in 0..<2 {
      let response = try connection.exchange(
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      #expect(response.text == body)
    }
    let idle = try RawConnection(port: listener.port, to: listener)
    try Self.readToReset(idle)
    let plain = try RawConnection(port: listener.port, to: listener)
    try plain.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    try Self.readToReset(plain)
  }

  @Test func curlVerifiesTheCertificate() throws {
    let serving = try SecureServing()
    let authority = try serving.directory.write(
      serving.issuer.authority.certificate, to: "authority.txt")
    for host in ["example.com", "www.example.com", "other.test"] {
      let result = try Program.run(
        "curl",
        [
          "-sS", "--noproxy", "*", "--cacert", authority, "--resolve",
          "\(host):\(serving.listener.port):127.0.0.1",
          "https://\(host):\(serving.listener.port)\(SecureServing.path)",
        ])
      switch host {
      case "example.com": #expect(result.output == #"{"applinks":{}}"#, "\(result.errors)")
      case "www.example.com": #expect(result.output.contains("unknown-host"), "\(result.errors)")
      default: #expect(result.status == 35, "\(result.errors)")
      }
    }
  }

  /// New handshakes see the new certificate, and nothing that is under way notices.
  @Test func certificatesAreReplacedUnderLoadWithoutAFailure() throws {
    let serving = try SecureServing()
    let old = try serving.connect()
    let isDone = Atomic(false)
    let failures = Mutex<[String]>([])
    let exchanges = Atomic(0)
    let clients = Threads(
      [true, false, false].map { isKept in
        {
          do {
            let kept = try serving.connect()
            while !isDone.load(ordering: .relaxed) {
              let connection = isKept ? kept : try serving.connect()
              let response = try connection.exchange(SecureServing.request())
              if response.status != 200 { failures.withLock { $0.append(response.statusLine) } }
              exchanges.add(1, ordering: .relaxed)
            }
          } catch {
            failures.withLock { $0.append("\(error)") }
          }
        }
      })
    #expect(becomesTrue { exchanges.load(ordering: .relaxed) > 0 })
    for serial in UInt8(20)..<60 {
      let issued = try serving.issuer.issue("example.com", serial: serial)
      try serving.directory.write(issued, as: "example.com")
      serving.certificates.reload()
      #expect(try serving.connect().serial() == serial)
    }
    isDone.store(true, ordering: .relaxed)
    #expect(clients.end())
    #expect(failures.withLock { $0 } == [])
    #expect(exchanges.load(ordering: .relaxed) > 40)
    #expect(try old.serial() == 10)
    #expect(try old.exchange(SecureServing.request()).status == 200)
  }

  @Test func aReplacedSetIsReleasedWithItsLastConnection() throws {
    let serving = try SecureServing()
    weak var retired: CertificateSet?
    retired = serving.certificates.current
    var connection: TLSConnection? = try serving.connect()
    #expect(try connection?.exchange(SecureServing.request()).status == 200)
    serving.certificates.reload()
    #expect(retired != nil)
    connection = nil
    #expect(becomesTrue { retired == nil })
  }
}
