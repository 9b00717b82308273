import Glibc
import TestSupport
import Testing

/// SIGHUP reads the configuration again.
@Suite struct ReloadTests {
  private let scratch: TemporaryDirectory
  private let server: RunningServer

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.write("{drainSeconds: 600}", to: "aasa.json5")
    server = try RunningServer(
      database: scratch.path("aasa.db"), arguments: ["--config", scratch.path("aasa.json5")])
  }

  /// Reloads, and waits until the log says something.
  private func reload(_ file: String, until words: String...) throws {
    try scratch.write(file, to: "aasa.json5")
    server.process.signal(SIGHUP)
    #expect(try becomesTrue { try words.allSatisfy(server.errors().contains) })
    #expect(server.process.ending == nil)
  }

  @Test func whatCanChangeChangesAtOnceAndTheRestIsNamed() throws {
    try reload(
      "{logFormat: 'json', drainSeconds: 7, threads: 2, maxBodyBytes: 200000}",
      until: #""changed":["logFormat","drainSeconds"]"#,
      #""level":"warning","message":"These settings need a restart: they stay as they were.","#
        + #""settings":["threads","maxBodyBytes"]"#)
    #expect(try server.end() == .exited(0))
    #expect(try server.errors().contains(#""readyDelaySeconds":0,"drainSeconds":7"#))
  }

  @Test func aBadFileIsToldAndNothingChanges() throws {
    let path = scratch.path("aasa.json5")
    try reload(
      "{\n logFormat: 'json',\n drainSeconds: -7}",
      until: "error The configuration stays as it was.",
      "\(path):3: drainSeconds: “-7” is not a number from 0 to 3600.")
    try reload("{logFormat: 'json", until: "\(path):1: This is not JSON5. A string is not closed.")
    #expect(try !server.errors().contains("{"))
    try reload(
      "{drainSeconds: 8}",
      until: "info The configuration was read again. changed=[\"drainSeconds\"]")
  }

  @Test func aDirectoryOfCertificatesIsNotTakenUpByAListenerWithoutTLS() throws {
    try reload("{publicCertificates: '/etc/aasa'}", until: "settings=[\"publicCertificates\"]")
  }
}
