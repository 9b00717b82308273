import Association
import Testing

/// Answers of Google's Digital Asset Links API, and what Chrome writes about a Trusted Web Activity.
@Suite struct GoogleAnswerTests {
  private static func explained(_ text: String) -> [String] {
    let output = DeviceOutput(Array(text.utf8))
    return output.rows.map { row in
      let verdict = DeviceVerdict(row, of: output.kind)
      return "\(output.kind.rawValue) \(row.host ?? "-") \(row.app ?? "-") \(verdict.code.rawValue)"
    }
  }

  @Test func statementsOfGoogleNameTheSiteAndTheApp() {
    let statement = { (app: String) in
      """
      {"source": {"web": {"site": "https://a.example."}},
       "relation": "delegate_permission/common.handle_all_urls",
       "target": {"androidApp": {"packageName": "\(app)", "certificate": {"sha256Fingerprint": "01:02"}}}}
      """
    }
    let list = """
      {"statements": [\(statement("com.example.app")), \(statement("com.example.app")), \(statement("com.example.two"))],
       "maxAge": "599.9s", "debugString": "*** ERRORS ***\\nNone!\\n"}
      """
    #expect(
      Self.explained(list) == [
        "digital-asset-links a.example com.example.app fine-here",
        "digital-asset-links a.example com.example.two fine-here",
      ])
  }

  @Test func whatGoogleCouldNotDoIsExplainedByItsCode() {
    let answer = { (code: String) in
      """
      {"maxAge": "599.9s", "debugString": "* Error: unavailable: Error fetching statements from \
      https://a.example./.well-known/assetlinks.json (which is equivalent to 'https://a.example/…').",
       "errorCode": ["ERROR_CODE_\(code)"]}
      """
    }
    let codes = [
      "FETCH_ERROR": "verification-failed", "REDIRECT": "redirect-refused",
      "FAILED_SSL_VALIDATION": "certificate-refused", "WRONG_CONTENT_TYPE": "unusable-file",
      "MALFORMED_CONTENT": "unusable-file", "INVALID_QUERY": "request-failed",
      "OF_TOMORROW": "verification-failed",
    ]
    for (code, verdict) in codes {
      #expect(
        Self.explained(answer(code)) == ["digital-asset-links a.example - \(verdict)"],
        "\(code)")
    }
  }

  @Test func aCheckOfGoogleSaysWhetherTheAppIsLinked() {
    let url =
      "curl 'https://digitalassetlinks.googleapis.com/v1/assetlinks:check?source.web.site=https://b.example"
      + "&relation=delegate_permission/common.get_login_creds&target.android_app.package_name=com.example.app"
      + "&target.android_app.certificate.sha256_fingerprint=01:02'\n"
    #expect(
      Self.explained(url + "{\"linked\": true, \"maxAge\": \"3.5s\"}") == [
        "digital-asset-links b.example com.example.app fine-here"
      ])
    // In the JSON of protocol buffers, what is false is left out.
    let none =
      "{\"maxAge\": \"3.5s\", \"debugString\": \"* Info: No statements were found that match your query\\n\"}"
    #expect(
      Self.explained(url + none) == ["digital-asset-links b.example com.example.app not-in-file"])
    #expect(Self.explained(none) == ["digital-asset-links - - not-in-file"])
  }

  @Test func chromeSaysHowFarTheBestStatementFits() {
    let line = { (what: String) in
      "11-29 10:00:00.1 W/chromium( 901): [WARNING:digital_asset_links_handler.cc(170)] Statement failure matching \(what).\n"
    }
    let code = { (text: String) in Self.explained(text).map { $0.split(separator: " ").last } }
    #expect(code(line("fingerprint")) == ["wrong-signing-key"])
    #expect(code(line("relationship") + line("fingerprint")) == ["wrong-signing-key"])
    #expect(code(line("fingerprint") + line("package_name")) == ["not-in-file"])
    #expect(code(line("relationship")) == ["not-in-file"])
    #expect(code("Statement List is not a list.") == ["unusable-file"])
    #expect(
      code("Digital Asset Links endpoint responded with code 404.") == ["verification-failed"])
    #expect(
      code("Digital Asset Links response parsing failed with message: line 1, column 1")
        == ["unusable-file"])
    #expect(code("Digital Asset Links connection failed.") == ["verification-failed"])
    #expect(
      Self.explained("Digital asset links verification failed on https://a.example/start") == [
        "chrome-log a.example - verification-failed"
      ])
  }

  @Test func otherJSONIsNoAnswerOfGoogle() {
    for text in [
      "{\"linked\": true}", "{\"maxAge\": 5}", "[{\"target\": {\"site\": \"https://a.example\"}}]",
      "The fingerprint does not match.",
    ] {
      #expect(DeviceOutput(Array(text.utf8)).kind == .unknown, "\(text)")
    }
  }
}
