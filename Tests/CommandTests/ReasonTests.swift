import Association
import TestSupport
import Testing

/// Why a command changed something stands in the audit.
@Suite struct ReasonTests {
  @Test func importAndApplyTellTheirReason() throws {
    let scratch = try TemporaryDirectory()
    let database = scratch.path("aasa.db")
    let reason = "release 7: “é” & more?"
    let file = AssociationFile.routes(["/a"])
    let imported = try Program.aasa(
      "import", "--domain", "a.example", "--reason", "first \(reason)", "--database", database, "-",
      input: file.serialized())
    #expect(imported.status == 0)
    let server = try RunningServer(database: database)
    let token = try server.firstToken()
    let state = try scratch.write(#"{"domains": [{"domain": "b.example"}]}"#, to: "b.json")
    let applied = try Program.aasa(
      "apply", "--reason", reason, "--server", "http://127.0.0.1:\(server.adminPort)", state,
      environment: ["AASA_TOKEN": token])
    #expect(applied.status == 0, "\(applied.errors)")
    let here = try scratch.write(#"{"domains": [{"domain": "c.example"}]}"#, to: "c.json")
    #expect(
      try Program.aasa("apply", "--reason", "last \(reason)", "--database", database, here).status
        == 0)
    let audit = try server.client(token: token).send("GET", "/v1/audit").json
    let reasons = (audit["items"]?.arrayValue ?? []).compactMap { $0["reason"]?.stringValue }
    for expected in ["first \(reason)", reason, "last \(reason)"] {
      #expect(reasons.contains(expected), "\(reasons)")
    }
  }
}
