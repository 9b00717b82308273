import Association
import Testing

/// What `swcd` of newer systems, and `swcutil dl`, say if the device does not take a file.
@Suite struct SwcdRefusalTests {
  private static func task(_ domain: String, _ route: String) -> String {
    "task AASA-01234567-89AB-CDEF-0123-456789ABCDEF { domain: \(domain), bytes: 0, route: \(route) }"
  }

  private func explained(_ text: String) -> [String] { DeviceOutput.explained(text) }

  private func message(_ text: String) -> String {
    let output = DeviceOutput(text)
    return output.rows.first.map { DeviceVerdict($0, of: output.kind).message } ?? ""
  }

  @Test(arguments: [
    (
      "Request for '<private>' for \(task("*.ex....com", "cdn")) denied because the CDN told us to stop with HTTP status "
        + "404: unknown", "- - cdn-failed", "gave no reason"
    ),
    (
      "Request for '<private>' for \(task("a.example", "cdn")) denied because the CDN told us to stop with HTTP status "
        + "404: {\"cause\":\"no such host\"}", "a.example - cdn-failed", "no such host"
    ),
    (
      "CDN sent an unexpected HTTP status 302 (ignoring) for \(task("a.example", "cdn"))",
      "a.example - cdn-failed", "status 302"
    ),
    (
      "Request for '<private>' denied due to HTTP status 403 on route .wk for \(task("a.example", ".wk"))",
      "a.example - unusable-file", "status 403"
    ),
    (
      "Request for '<private>' for \(task("a.example", ".wk")) denied because it is not an HTTP response (NSURLResponse)",
      "a.example - unusable-file", "no web server"
    ),
    (
      "Denying redirect 'https://a.example/x' -> 'http://b.example/' for \(task("a.example", ".wk")) because the new URL has "
        + "a bad scheme", "a.example - redirect-refused", "without https"
    ),
    // A network that asks for a sign-in answers in the name of Apple's CDN.
    (
      "Denying redirect 'https://app-site-association.cdn-apple.com/a/v1/a.example' -> 'http://b.example/' for "
        + "\(task("a.example", "cdn")) because the new URL has a bad scheme",
      "a.example - never-downloaded", "could not reach Apple's CDN"
    ),
    (
      "Data for \(task("a.example", ".wk")) exceeded maximum length", "a.example - unusable-file",
      "128 KB"
    ),
    (
      "Error securing JSON file for a.example: Error Domain=SWCErrorDomain Code=104 \"(null)\"",
      "a.example - unusable-file", "not JSON"
    ),
    (
      "Domain a.example:x is invalid. Will not attempt a download.", "- - not-a-domain",
      "malformed"
    ),
    (
      "Failed to verify server trust <SecTrustRef: 0x1> for \(task("a.example", ".wk")): Error Domain=SWCErrorDomain Code=103",
      "a.example - certificate-refused", "certificate of a.example"
    ),
    // A proxy on the network of the device has a certificate of its own.
    (
      "Failed to verify server trust <SecTrustRef: 0x1> for \(task("a.example", "cdn")): Error Domain=SWCErrorDomain Code=103",
      "a.example - never-downloaded", "could not reach Apple's CDN"
    ),
  ])
  func theLogSaysWhy(line: String, row: String, words: String) {
    for text in [line, "error\t10:15:12.123456+0100\tswcd\t\(line)\nWhat now?\n"] {
      #expect(explained(text) == ["swcd-log \(row)"])
      #expect(message(text).contains(words), "\(message(text))")
      #expect(
        !message(text).contains("gave no reason") || words == "gave no reason"
          || line.contains("(ignoring)"))
    }
  }

  @Test(arguments: [
    "The upload exceeded maximum length. It is a task for tomorrow.",
    "Failed to verify server trust while the task ran",
    "denied due to HTTP status 403", "The download is invalid. Will not attempt it again.",
    "denied because the CDN has no route",
  ])
  func similarWordsOfOtherProgramsSayNothing(text: String) {
    #expect(DeviceOutput(text).kind == .unknown)
  }

  @Test(arguments: [
    ("The operation couldn’t be completed. (SWCErrorDomain error 8.)", "not-a-domain"),
    ("The operation couldn’t be completed. (SWCErrorDomain error 103.)", "never-downloaded"),
    ("The operation couldn’t be completed. (HTTP error 503.)", "unusable-file"),
    ("The operation couldn’t be completed. (NSURLErrorDomain error -1103.)", "unusable-file"),
    ("The data couldn’t be read because it isn’t in the correct format.", "unusable-file"),
    ("A server with the specified hostname could not be found.", "never-downloaded"),
    ("The Internet connection appears to be offline.", "never-downloaded"),
  ])
  func theToolSaysWhyInFoundationsWords(answer: String, code: String) {
    let command = "$ sudo swcutil dl -d a.example\n"
    #expect(explained(command + answer) == ["swcutil-dl a.example - \(code)"])
    // Without the command, it may be any program.
    if !answer.contains("SWCErrorDomain") { #expect(DeviceOutput(answer).kind == .unknown) }
    #expect(DeviceOutput(command + "It printed nothing.").kind == .unknown)
    if !answer.contains("SWCErrorDomain") {
      let story = String(repeating: "Then I went on. ", count: 40)
      #expect(DeviceOutput(command + story + answer).kind == .unknown)
    }
  }

  @Test(arguments: [
    ("SWCErrorDomain Code=8", "not-a-domain"), ("SWCErrorDomain Code=103", "never-downloaded"),
    ("SWCErrorDomain Code=104", "unusable-file"), ("HTTP Code=404", "unusable-file"),
    ("NSURLErrorDomain Code=-1103", "unusable-file"),
  ])
  func theTableSaysWhyByTheNumberOfTheError(error: String, code: String) {
    let text = TableEntry.text(
      ("Service", "applinks"), ("App ID", "ABCDE12345.com.example.app"), ("Domain", "a.example"),
      ("User Approval", "unspecified"), ("Site/Fmwk Approval", "unspecified"),
      ("Error", "Error Domain=\(error) \"(null)\" UserInfo={Line=1}"))
    #expect(
      explained(text + TableEntry.separator) == [
        "swcutil-show a.example ABCDE12345.com.example.app \(code)"
      ])
    #expect(!message(text + TableEntry.separator).contains("is not usable."))
  }
}
