import Association
import Testing

/// Answers of Google's Digital Asset Links API.
@Suite struct GoogleAnswerTests {
  private static func statement(
    _ app: String, _ fingerprint: String = "01:02", relation: String = "handle_all_urls"
  ) -> String {
    """
    {"source": {"web": {"site": "https://a.example."}}, "relation": "delegate_permission/common.\(relation)",
     "target": {"androidApp": {"packageName": "\(app)", "certificate": {"sha256Fingerprint": "\(fingerprint)"}}}}
    """
  }

  private static func list(_ statements: String...) -> String {
    "{\"statements\": [\(statements.joined(separator: ", "))], \"maxAge\": \"599.9s\", \"debugString\": \"None!\"}"
  }

  @Test func statementsOfGoogleNameTheSiteAndTheApp() {
    let text = Self.list(
      Self.statement("com.example.app"), Self.statement("com.example.app", "03:04"),
      Self.statement("com.example.two"))
    #expect(
      DeviceOutput.explained(text) == [
        "digital-asset-links a.example com.example.app fine-here",
        "digital-asset-links a.example com.example.two fine-here",
      ])
    // What a site says about another site is about no app.
    let web = """
      {"source": {"web": {"site": "https://a.example."}}, "target": {"web": {"site": "https://b.example."}}}
      """
    let both = Self.list(web, Self.statement("com.example.app"))
    #expect(
      DeviceOutput.explained(both) == ["digital-asset-links a.example com.example.app fine-here"])
  }

  @Test func whatAStatementIsForAndWhichCertificateItHasCount() {
    let fingerprint = (0..<32).map { _ in "0A" }.joined(separator: ":")
    let output = { (text: String) in DeviceOutput(Array(text.utf8)) }
    let login = output(Self.list(Self.statement("com.example.app", relation: "get_login_creds")))
    let said = DeviceVerdict(login.rows[0], of: login.kind).message
    #expect(said.contains("none for links: only delegate_permission/common.get_login_creds"))
    let one = output(Self.list(Self.statement("com.example.app", fingerprint)))
    #expect(one.rows[0].signatures.map(\.description) == [fingerprint])
    var facts = PublishedFacts(
      domain: DomainName(stored: "a.example"), isEnabled: true,
      now: PublishedFacts.State(revision: 3, publishedAt: 0, isServed: true, namesApp: true))
    facts.certificates = [
      PublishedFacts.Certificate(one.rows[0].signatures[0], label: nil, isPublished: false)
    ]
    #expect(DeviceVerdict(one.rows[0], of: one.kind, facts).code == .cdnBehind)
    facts.certificates[0].isPublished = true
    #expect(DeviceVerdict(one.rows[0], of: one.kind, facts).code == .fineHere)
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
        DeviceOutput.explained(answer(code)) == ["digital-asset-links a.example - \(verdict)"],
        "\(code)")
    }
  }

  /// Earlier answers have the error only in words.
  @Test func anErrorInWordsIsNoMissingStatement() {
    let answer = { (error: String) in
      "{\"maxAge\": \"599.9s\", \"debugString\": \"*** ERRORS ***\\n\(error)\\n*** INFO MESSAGES ***\\n* Info: …\\n\"}"
    }
    let source = "fetching statements from https://a.example./.well-known/assetlinks.json (…) [7]"
    let type = answer(
      "* Error: unavailable: Wrong content type in HTTP response: text/html \(source)")
    #expect(DeviceOutput.explained(type) == ["digital-asset-links a.example - unusable-file"])
    let other = DeviceOutput(answer("* Error: unavailable: Error \(source)"))
    let verdict = other.rows.first.map { DeviceVerdict($0, of: other.kind) }
    #expect(verdict?.code == .verificationFailed, "\(other.rows)")
    #expect(verdict?.message.contains("unavailable: Error fetching") == true, "\(other.rows)")
    // People paste the words alone, too.
    #expect(
      DeviceOutput.explained("*** ERRORS ***\n* Error: unavailable: Wrong content type \(source)")
        == ["digital-asset-links a.example - unusable-file"])
    #expect(
      DeviceOutput.explained("Error: unavailable: Error \(source)")
        == ["digital-asset-links a.example - verification-failed"])
    let log = "Error: Cannot find module a\nINFO \(source)"
    #expect(!DeviceOutput.explained(log).contains { $0.hasPrefix("digital-asset-links") })
    #expect(
      DeviceOutput.explained(answer("None!\\nstatements from https://a.example./"))
        == ["digital-asset-links a.example - not-in-file"])
  }

  @Test func aCheckOfGoogleSaysWhetherTheAppIsLinked() {
    let url =
      "curl 'https://digitalassetlinks.googleapis.com/v1/assetlinks:check?source.web.site=https://b.example"
      + "&relation=delegate_permission/common.get_login_creds&target.android_app.package_name=com.example.app"
      + "&target.android_app.certificate.sha256_fingerprint=01:02'\n"
    #expect(
      DeviceOutput.explained(url + "{\"linked\": true, \"maxAge\": \"3.5s\"}") == [
        "digital-asset-links b.example com.example.app fine-here"
      ])
    let partly =
      "{\"linked\": true, \"maxAge\": \"3.5s\", \"debugString\": \"* Error: unavailable: Error fetching statements from https://c.example./x\\n\"}"
    #expect(
      DeviceOutput.explained(url + partly) == [
        "digital-asset-links b.example com.example.app fine-here"
      ])
    // In the JSON of protocol buffers, what is false is left out.
    let none =
      "{\"maxAge\": \"3.5s\", \"debugString\": \"* Info: No statements were found that match your query\\n\"}"
    #expect(
      DeviceOutput.explained(url + none) == [
        "digital-asset-links b.example com.example.app not-in-file"
      ])
    #expect(DeviceOutput.explained(none) == ["digital-asset-links - - not-in-file"])
    let encoded = url.replacing("https://b.example", with: "https%3A%2F%2Fb.example")
    #expect(
      DeviceOutput.explained(encoded + none) == [
        "digital-asset-links b.example com.example.app not-in-file"
      ])
    // What Google considered need not be what was asked for.
    let considered =
      "{\"maxAge\": \"3.5s\", \"debugString\": \"Source: Web asset with site https://b.example. (…) Target: Android "
      + "app asset with package name com.other and certificate …\"}"
    #expect(DeviceOutput.explained(considered) == ["digital-asset-links b.example - not-in-file"])
  }

  @Test func otherJSONIsNoAnswerOfGoogle() {
    for text in [
      "{\"linked\": true}", "{\"maxAge\": 5}", "[{\"target\": {\"site\": \"https://a.example\"}}]",
      "The fingerprint does not match.", "I/GmsCore: ERROR_CODE_NETWORK retry",
      "{\"error\": {\"debugString\": \"foo\"}}",
    ] {
      #expect(DeviceOutput(Array(text.utf8)).kind == .unknown, "\(text)")
    }
  }
}
