import Association
import Testing

/// The lines of Google's verifier of links in Android's log.
@Suite struct VerifierLogTests {
  private static func verified(_ text: String) -> [String] {
    DeviceOutput(Array(text.utf8)).rows.map {
      "\($0.host ?? "-") \($0.app ?? "-") \($0.state)"
    }
  }

  @Test func theLogOfTheVerifierNamesHostsThatFailedAndThatGotNoAnswer() {
    let hosts = """
      AppLinksHostsVerifierV2  I  Verification com.example.app complete. Successful hosts: a.example, b.example. \
      Failed hosts: c.example. Error hosts: d.example. [CONTEXT service_id=244 ]
      """
    #expect(
      Self.verified(hosts) == [
        "a.example com.example.app verified", "b.example com.example.app verified",
        "c.example com.example.app failed", "d.example com.example.app no-answer",
      ])
    let earlier =
      "I/IntentFilterIntentOp: Verification 180 complete. Success:false. "
      + "Failed hosts:a.example,b.example. [CONTEXT service_id=244 ]"
    #expect(Self.verified(earlier) == ["a.example - failed", "b.example - failed"])
    let success = "Verification 3 complete. Success:true. Failed hosts:."
    #expect(DeviceOutput.explained(success) == ["verifier-log - - fine-here"])
    #expect(
      DeviceOutput.explained("verificationId:3 package:\"com.example.app\".\n\(success)")
        == ["verifier-log - com.example.app fine-here"])
    #expect(
      DeviceOutput.explained(
        success + " Verification 4 complete. Success:false. Failed hosts:a.example.")
        == ["verifier-log - - fine-here", "verifier-log a.example - verification-failed"])
    #expect(DeviceOutput("ERROR Failed hosts: see below").kind == .unknown)
    #expect(DeviceOutput("No credentials available for login.").kind == .unknown)
    #expect(
      Self.verified("AppLinksAsyncVerifierV2: Error performing check: jgre: UNAVAILABLE")
        == ["- - no-answer"])
  }

  @Test func whatTheVerifierFoundLastAboutAnAppCounts() {
    let line = { (app: String, succeeded: String, failed: String) in
      "Verification \(app) complete. Successful hosts: \(succeeded). Failed hosts: \(failed). Error hosts: . [CONTEXT ]\n"
    }
    #expect(
      Self.verified(line("com.one", "a.example", "") + line("com.two", "", "a.example")) == [
        "a.example com.one verified", "a.example com.two failed",
      ])
    #expect(
      Self.verified(line("com.one", "", "a.example") + line("com.one", "a.example", "")) == [
        "a.example com.one verified"
      ])
    let hidden = { (isTrue: Bool) in
      "Verification result: checking for a statement with source # bk@6c1b, relation x, and target # bl@7 --> \(isTrue).\n"
    }
    let output = DeviceOutput(Array((hidden(true) + hidden(false)).utf8))
    #expect(output.rows.map(\.state) == ["verified", "failed"])
    #expect(output.rows.allSatisfy { DeviceVerdict($0, of: output.kind).code == .incomplete })
  }

  @Test func aStatementThatTheVerifierLooksForIsListedOnce() {
    let statement = { (isTrue: Bool) in
      """
      AppLinksAsyncVerifierV2  I  Verification result: checking for a statement with source https://a.example, \
      relation delegate_permission/common.handle_all_urls, and target com.example.app --> \(isTrue). [CONTEXT ]

      """
    }
    #expect(Self.verified(statement(true)) == ["a.example com.example.app verified"])
    let all =
      statement(false)
      + "Verification com.example.app complete. Successful hosts: . Failed hosts: a.example. Error hosts: . [CONTEXT ]"
    #expect(Self.verified(all) == ["a.example com.example.app failed"])
  }
}
