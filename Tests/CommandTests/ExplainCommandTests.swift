import Foundation
import Association
import TestSupport
import Testing

/// `aasa explain`: alone, on a database, and through a server.
@Suite struct ExplainCommandTests {
  private static func entry(_ host: String, _ state: String, _ more: String = "") -> String {
    """
    Service:              applinks
    App ID:               \(AssociationFile.app)
    Domain:               \(host)
    User Approval:        unspecified
    Site/Fmwk Approval:   \(state)
    \(more)

    """
  }

  private func run(_ text: String, _ words: String...) throws -> Program.Result {
    try Program.run(Program.aasa, ["explain"] + words, input: Array(text.utf8))
  }

  @Test func aloneEverythingIsExplained() throws {
    let text =
      Self.entry("a.example", "approved")
      + Self.entry("b.example", "denied", "Last Checked: 2026-09-23 18:16:58 +0000")
    let result = try run(text)
    #expect(result.status == 1 && result.errors.isEmpty, "\(result.errors)")
    #expect(
      result.lines.prefix(5) == [
        "a.example applinks \(AssociationFile.app): fine-here (sure)",
        "  This device has the association of a.example with \(AssociationFile.app) for applinks.",
        "  Next (operations): If a link still opens the browser, ask which route decides: `aasa match URL`. Links on "
          + "pages of the same domain stay in Safari.",
        "  Device: approved, user unspecified",
        "b.example applinks \(AssociationFile.app): refused (likely)",
      ])
    #expect(result.lines.last == "  Device: denied, user unspecified, asked 2026-09-23T18:16:58Z")
    #expect(try run(Self.entry("a.example", "approved"), "-").status == 0)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func whatIsPublishedDecides(site: StateTrial.Site) throws {
    let trial = try StateTrial()
    let text = Self.entry("a.example", "denied") + Self.entry("c.example", "denied")
    let path = try trial.scratch.write(text, to: "swcutil_show.txt")
    let result = try trial.run("explain", at: site, path)
    #expect(result.status == 1)
    #expect(result.lines.first == "a.example applinks \(AssociationFile.app): refused (likely)")
    #expect(result.lines.last?.hasPrefix("  Published: revision 1 with the app, since ") == true)
    #expect(result.errors == "1 host in the text: not published here.\n")
    let json = try trial.run("explain", at: site, "--json", path)
    let answer = try JSON.parse(json.bytes).value
    #expect(answer["otherHosts"] == 1 && answer["items"]?.arrayValue?.count == 1)
    let item = answer["items"]?.arrayValue?.first
    #expect(item?["host"] == "a.example" && item?["domain"] == "a.example")
  }

  @Test(arguments: [
    ("{\"applinks\": {\"details\": []}}", "validate"),
    ("[{\"relation\": [], \"target\": {\"sha256_cert_fingerprints\": []}}]", "validate"),
    ("<intent-filter><data android:host=\"a.example\"/></intent-filter>", "manifest"),
    ("<plist><dict><key>get-task-allow</key><true/></dict></plist>", "entitlements"),
  ])
  func aFileIsLedToTheCommandThatReadsIt(text: String, command: String) throws {
    let result = try run(text)
    #expect(result.status == 1)
    #expect(
      result.errors == "This is a file, not the output of a tool. Run `aasa \(command) FILE`.\n")
  }

  @Test func aTextOfNoKnownFormFails() throws {
    for text in ["{\"service\": \"applinks\"}", "Our <manifest> has {\"applinks\": {}}"] {
      let unknown = try run("What now? \(text)")
      #expect(unknown.status == 1 && unknown.output.isEmpty)
      #expect(unknown.errors.hasPrefix("The text has none of the known forms."), "\(text)")
    }
    let empty = try run("===== DATABASE =====\n")
    #expect(empty.status == 1, "a text about nothing proves nothing")
    #expect(empty.errors == "The text has the form swcutil-show, and lists nothing.\n")
    let json = try run("What now?", "--json")
    #expect(json.status == 1)
    #expect(try JSON.parse(json.bytes).value["kind"] == "unknown")
  }

  @Test func noPastedTextMovesTheCursor() throws {
    let text = Self.entry("a.example", "\u{1B}[2Jpending", "Error: \u{202E}\u{7}<b>")
    let result = try run(text)
    #expect(result.output.contains("pending"))
    #expect(
      !result.output.unicodeScalars.contains { "\u{1B}\u{202E}\u{7}".unicodeScalars.contains($0) })
  }

  @Test func aTextThatIsTooLargeOrMissingIsAnError() throws {
    let large = try Program.run(
      Program.aasa, ["explain"], input: [UInt8](repeating: 10, count: DeviceOutput.longest + 1))
    #expect(large.status == 1)
    #expect(large.errors == "stdin is too large. The limit is 2097152 bytes.\n")
    #expect(try Program.run(Program.aasa, ["explain", "/missing"]).status == 1)
    #expect(try Program.run(Program.aasa, ["explain", "a", "b"]).status == 64)
  }

  @Test func aServerLogsNothingOfTheText() throws {
    let trial = try StateTrial()
    let secret = "pasted7secret"
    let text = Self.entry("\(secret).example", "denied") + Self.entry("a.example", secret)
    let result = try trial.run("explain", at: .server, words: ["-"], input: Array(text.utf8))
    #expect(result.output.contains(secret))
    let client = try trial.server.client()
    let refused = try client.send(
      "POST", "/v1/explain?\(secret)=1", body: Array(text.utf8))
    #expect(refused.status == 400)
    _ = try trial.server.end()
    let log = try trial.server.errors() + String(decoding: trial.server.output(), as: UTF8.self)
    #expect(log.contains("/v1/explain") && !log.contains(secret))
  }
}
