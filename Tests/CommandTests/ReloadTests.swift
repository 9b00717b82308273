import Glibc
import Association
import TestSupport
import Testing

/// SIGHUP reloads the configuration.
@Suite struct ReloadTests {
  private let scratch: TemporaryDirectory
  private let server: RunningServer

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.write("drainSeconds = 600", to: "aasa.toml")
    server = try RunningServer(
      database: scratch.path("aasa.db"), arguments: ["--config", scratch.path("aasa.toml")])
  }

  /// Reloads, and waits until the log says something.
  private func reload(_ file: String, until words: String...) throws {
    try scratch.write(file, to: "aasa.toml")
    server.process.signal(SIGHUP)
    #expect(try becomesTrue { try words.allSatisfy(server.errors().contains) })
    #expect(server.process.ending == nil)
  }

  @Test func whatCanChangeChangesAtOnceAndTheRestIsNamed() throws {
    try reload(
      "logFormat = 'json'\ndrainSeconds = 7\nthreads = 2\nmaxBodyBytes = 200000",
      until: #""changed":["logFormat","drainSeconds"]"#,
      #""level":"warning","message":"Changes to these settings take effect after a restart.","#
        + #""settings":["threads","maxBodyBytes"]"#)
    #expect(try server.end() == .exited(0))
    #expect(try server.errors().contains(#""readyDelaySeconds":0,"drainSeconds":7"#))
  }

  @Test func aBadFileIsReportedAndNothingChanges() throws {
    let path = scratch.path("aasa.toml")
    try reload(
      "logFormat = 'json'\n\ndrainSeconds = -7",
      until: "error Cannot reload the configuration; the old one stays in effect.",
      "\(path):3: drainSeconds must be a number from 0 to 3600, not")
    try reload("logFormat = 'json", until: "\(path):1: ", " is not valid TOML: ")
    #expect(try !server.errors().contains("{\"time"))
    try reload(
      "drainSeconds = 8",
      until: "info Reloaded the configuration. changed=[\"drainSeconds\"]")
  }

  @Test func theHeaderOfUsersIsTakenUpWithItsProxies() throws {
    let client = try server.client()
    let put = try client.send("PUT", "/v1/users/anna", json: ["role": "viewer"])
    #expect(put.status == 201)
    let anna = Client(port: server.adminPort, lines: ["Host: x", "X-Forwarded-User: anna"])
    #expect(try anna.send("GET", "/v1/session").status == 401)
    try reload(
      "adminUserHeader = 'X-Forwarded-User'", until: "adminUserHeader needs trustedProxies, ",
      "adminUserHeader needs adminHosts, ")
    try reload(
      "adminUserHeader = 'X-Forwarded-User'\ntrustedProxies = ['127.0.0.1']\nadminHosts = ['x']",
      until: #"changed=["trustedProxies","adminUserHeader","adminHosts","drainSeconds"]"#)
    #expect(try anna.send("GET", "/v1/session").status == 200)
    try reload(
      "adminUserHeader = 'X-Forwarded-User'\ntrustedProxies = ['192.0.2.1']\nadminHosts = ['x']",
      until: #"changed=["trustedProxies"]"#)
    #expect(try anna.send("GET", "/v1/session").status == 401)
  }

  @Test func aDirectoryOfCertificatesIsNotTakenUpByAListenerWithoutTLS() throws {
    try reload("publicCertificates = '/etc/aasa'", until: "settings=[\"publicCertificates\"]")
  }
}
