import Association
import Foundation
import Testing

/// One test per rule of the formats that `docs/devices.md` lists.
@Suite struct DeviceOutputTests {
  // MARK: Kinds

  @Test(arguments: [
    ("Domain verification state:", "get-app-links"),
    ("  > Domain verification state:\r\n", "get-app-links"),
    ("App verification status:\n", "domain-preferred-apps"),
    ("No configured app linkages.\n\nApp linkages for user 10:\n", "domain-preferred-apps"),
    ("--- App Link Resolution Debug ---", "debug-link"),
    ("======= DATABASE =======", "swcutil-show"),
    ("\tSite/Fmwk Approval: approved", "swcutil-show"),
    ("{ s = applinks, a = A.b, d = a.example, ua = denied, sa = approved }", "swcutil-get"),
    ("{ s = applinks, a = A.b, d = a.example }: Pattern \"/x\" matched.", "swcutil-verify"),
    ("{ s = applinks, a = A.b, d = a.example }: {", "unknown"),
    ("Input JSON did not match input URL.", "swcutil-verify"),
    ("(SWCErrorDomain error 104.)", "swcutil-dl"),
    ("(SWCErrorDomain-Fehler 7.)", "swcutil-dl"), ("(SWCErrorDomain erreur 7.)", "swcutil-dl"),
    ("（SWCErrorDomainエラー7）", "swcutil-dl"), ("（“SWCErrorDomain”错误7。）", "swcutil-dl"),
    ("Error Domain=SWCErrorDomain Code=7 \"(null)\"", "swcutil-dl"),
    ("SWCErrorDomain is what it says", "unknown"), ("SWCErrorDomain seen at 12:30", "unknown"),
    (
      "denied because the CDN told us to stop: SWCERR00301 Timeout\nError Domain=SWCErrorDomain Code=7",
      "swcd-log"
    ),
    ("{ s = applinks, a = A.b, d = a.example }: Pattern “/x” matched.", "swcutil-verify"),
    ("E PublicKeyCredential: RpId validation failed", "credential-manager"),
    ("User 0:\n  Verification link handling allowed: true", "get-app-links"),
    ("No app verification established.", "domain-preferred-apps"),
    ("No domain preferred apps!", "domain-preferred-apps"),
    ("denied because the CDN told us to stop: SWCERR00301 Timeout", "swcd-log"),
    ("SWCERR00301 Timeout, denied because the CDN told us", "cdn-headers"),
    ("swcd: [SWC] ### Denying redirect 'https://a.example/' -> 'http://a.example/'", "swcd-log"),
    ("< APPLE-FROM: https://a.example/", "cdn-headers"),
    ("Apple-Origin-Format: json", "cdn-headers"),
    ("* Apple-Failure-Reason: SWCERR00301 Timeout", "cdn-headers"),
    ("12:00:01 proxy[1]: apple-failure-reason: SWCERR00301 Timeout", "cdn-headers"),
    ("x-apple-from: https://a.example/", "unknown"),
    (#"{"domain": "a.example", "isValid": true}"#, "appclip-status"),
    (#"{"domain": "a.example", "valid": true}"#, "unknown"),
    ("(com.apple.AuthenticationServices.AuthorizationError error 1004.)", "asauthorization"),
    ("(com.apple.AuthenticationServices.AuthorizationError error 1099.)", "unknown"),
    ("App[1004] com.apple.AuthenticationServices.AuthorizationError Code=1099", "unknown"),
    ("Application with identifier A.b is not associated with\ndomain a.example", "asauthorization"),
    ("The incoming request cannot be validated", "credential-manager"),
    ("GetPublicKeyCredentialDomException: no", "credential-manager"),
    ("example.com: verified", "unknown"), ("", "unknown"),
    ("Entry:\n  Status: verified", "unknown"),
  ])
  func aKindIsSeenByItsMarker(text: String, kind: String) {
    #expect(DeviceOutput(text).kind.rawValue == kind)
  }

  @Test(arguments: [
    "2026-09-23T10:00:00.%07dZ ", "[10:00:%02d] ", "Sep 23 10:00:%02d host ci[%d]: ", "web-1  | ",
    "tag\t",
  ])
  func whatALogWritesBeforeEachLineIsLeftOut(prefix: String) {
    let links =
      "  com.example.app:\n    Domain verification state:\n      a.example: verified\n      b.example: 1024\n"
    for (text, lines) in [
      (links, ["a.example - com.example.app verified", "b.example - com.example.app 1024"]),
      (
        TableEntry.approved("a.example"),
        ["a.example applinks ABCDE12345.com.example.app approved"]
      ),
    ] {
      let logged = text.split(separator: "\n").enumerated().map { number, line in
        String(format: prefix, number, number) + line
      }
      #expect(DeviceOutput(logged.joined(separator: "\n")).lines == lines)
    }
  }

  @Test func aSentenceBeforeAMarkerIsNoPrefixOfALog() {
    #expect(
      DeviceOutput("It says Domain verification state: none\nand nothing else").kind == .unknown)
  }

  @Test(arguments: [true, false])
  func aFileThatPowerShellWroteIsRead(isLittleEndian: Bool) {
    let text = "\u{FEFF}" + TableEntry.approved("bücher.example")
    let bytes = text.utf16.flatMap { unit in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return isLittleEndian ? [low, high] : [high, low]
    }
    #expect(
      DeviceOutput(bytes).lines == ["bücher.example applinks ABCDE12345.com.example.app approved"])
  }

  @Test func quotationMarksAroundAnAppAndAHostArePartOfNeither() {
    for (open, close) in [("“", "”"), ("\"", "\""), ("«", "»")] {
      let text =
        "Application with identifier \(open)A.b\(close) is not associated with domain \(open)a.example\(close)"
      #expect(DeviceOutput(text).lines == ["a.example webcredentials A.b not-associated"])
    }
  }

  @Test func theFirstKindOfTheListDecides() {
    let links = "  com.example.app:\n    Domain verification state:\n      a.example: verified\n"
    let output = DeviceOutput(TableEntry.approved("b.example") + links)
    #expect(output.kind == .appLinks)
    #expect(output.lines == ["a.example - com.example.app verified"])
  }

  // MARK: The table of associations

  @Test func pastingMayIndentQuoteAndEndLinesInAnyWay() {
    let text = TableEntry.approved("Example.COM.").split(separator: "\n")
    for change: (Substring) -> String in [
      { "    \($0)\r\n" }, { "> \($0)\n" }, { "\($0)\r" },
      { "\u{A0}\u{A0}\($0.replacing(":", with: ":\t"))\n" },
    ] {
      let output = DeviceOutput("\u{FEFF}" + text.map(change).joined())
      #expect(output.lines == ["example.com applinks ABCDE12345.com.example.app approved"])
    }
  }

  @Test func aSecondServiceBeginsAnEntryWithoutASeparator() {
    let output = DeviceOutput(TableEntry.approved("a.example") + TableEntry.approved("b.example"))
    #expect(output.rows.map(\.host) == ["a.example", "b.example"])
  }

  @Test func everythingButTheDatabaseIsLeftOut() {
    let entry = TableEntry.approved("a.example") + TableEntry.separator + "\n"
    let text = """
      Version: 7
      Domain: before.example
      ===== DATABASE =====
      \(entry)
      ===== NETWORK =====
      b.example, 1, 2
      \(TableEntry.approved("network.example"))
      ===== SETTINGS =====
      { s = applinks, a = A.b, d = (null) }: {
      ===== MÉMOIRE =====
      Totale: 6 ko
      """
    let output = DeviceOutput(text)
    #expect(output.rows.map(\.host) == ["a.example"])
    #expect(output.isWholeTable)
    #expect(!DeviceOutput("===== DATABASE =====\n" + entry).isWholeTable)
    #expect(!DeviceOutput(entry + "===== NETWORK =====\n").isWholeTable)
  }

  @Test func aFoldedErrorAndUnknownKeysGoOnAndOtherLinesAreDropped() {
    let text = TableEntry.approved(
      "a.example", ("Error", "Error Domain=A Code=1"), ("Team", "one"), ("Retries", "4")
    ).replacing("Code=1\n", with: "Code=1\n  \"broken: in two\"\n")
      .replacing("one\n", with: "one\ntwo\n").replacing("approved\n", with: "approved\nnoise\n")
    let row = DeviceOutput(text).rows.first
    #expect(row?.error == "Error Domain=A Code=1 \"broken: in two\"")
    #expect(row?.others == ["Team: one two"])
    #expect(row?.retries == 4)
    #expect(row?.state == "approved")
  }

  @Test func whatLooksLikeAKeyWithinAnErrorIsPartOfIt() {
    let text = TableEntry.approved(
      "a.example", ("Error", "Error Domain=A \"The"), ("Retries", "4")
    ).replacing(
      "\"The\n",
      with:
        "\"The\nThe request timed out again: yes\nDomain: wrong host\" UserInfo={a=\nService: b}\n")
    let output = DeviceOutput(text)
    #expect(
      output.rows.first?.error
        == "Error Domain=A \"The The request timed out again: yes Domain: wrong host\" UserInfo={a= Service: b}"
    )
    #expect(output.rows.count == 1 && output.rows.first?.retries == 4)
  }

  @Test func anErrorWithTheCode1004IsOneInAnyLanguage() {
    for text in [
      "(com.apple.AuthenticationServices.AuthorizationError-Fehler 1004.)",
      "com.apple.AuthenticationServices.AuthorizationError erreur 1004",
      "com.apple.AuthenticationServices.AuthorizationErrorエラー1004",
      "AuthorizationError.failed code: 1004", "ASAuthorizationError(rawValue: 1004)",
      "{\"domain\": \"com.apple.AuthenticationServices.AuthorizationError\", \"code\": 1004}",
      "{\"code\": 1004, \"domain\": \"com.apple.AuthenticationServices.AuthorizationError\"}",
    ] {
      let output = DeviceOutput(text)
      #expect(
        output.kind == .authorizationError && output.rows.map(\.state) == ["failed"], "\(text)")
    }
    for text in ["AuthorizationError error 10045", "AuthorizationError error 1099"] {
      #expect(DeviceOutput(text).kind == .unknown, "\(text)")
    }
  }

  @Test func aModeInBracesCounts() {
    let row = { (tail: String) in
      DeviceOutput("{ s = applinks, a = A.b, d = example.com?mode=developer\(tail)").rows.first
    }
    let get = row(", ua = unspecified, sa = approved }")
    #expect(get?.host == "example.com" && get?.mode == .developer)
    #expect(row(" }: Pattern \"https://example.com/\" matched.")?.mode == .developer)
  }

  @Test func aCommandInBackticksNamesTheHost() {
    let output = DeviceOutput("`swcutil dl -d a.example`\n(SWCErrorDomain error 7.)")
    #expect(output.rows.map(\.host) == ["a.example"])
    let verify = DeviceOutput(
      "swcutil verify -d a.example -j f\n{ s = applinks, a = A.b, d = (null) }: Pattern \"x\" matched."
    )
    #expect(verify.rows.map(\.host) == ["a.example"])
  }

  @Test func whatIsAskedBelowALogIsNoPartOfIt() {
    let head = "swcd Request for '<private>' { domain: *.ex....com, bytes: 0, route: cdn } "
    let denied = head + "denied because the CDN told us to stop with HTTP status 404: "
    for (text, error) in [
      (denied + "SWCERR00301 Timeout\nWhat does this mean?", "SWCERR00301 Timeout"),
      (denied + "SWCERR00301\nTimeout -- {\"cause\":\"x\"}", "SWCERR00301 Timeout"),
      (
        "swcd [SWC] ### Denying redirect 'https://a.example/' -> 'http://a.example/'\nAny idea?",
        "Denying redirect 'https://a.example/' -> 'http://a.example/'"
      ),
    ] {
      #expect(DeviceOutput(text).rows.map(\.error) == [error])
    }
  }

  @Test func aFieldWhoseValueIsInTheNextLineIsRead() {
    let output = DeviceOutput(
      """
      Apple-Failure-Reason:
      SWCERR00301 Timeout
      Apple-From:
      https://a.example/.well-known/apple-app-site-association
      Apple-Try-Direct:
      Cache-Control: max-age=3600
      """)
    let row = output.rows.first
    #expect(row?.host == "a.example" && row?.state == "failed" && row?.tryDirect == nil)
    #expect(row?.error == "SWCERR00301 Timeout")
  }

  @Test func linksOfAndroidAreReadWithEmptyLinesAndWithoutStates() {
    let signature = (0..<32).map { _ in "AB" }.joined(separator: ":")
    let other = signature.replacing("AB", with: "CD")
    let output = DeviceOutput(
      """
        com.example.app:
          ID: 01234567-89ab-cdef-0123-456789abcdef

          Signatures: [\(signature),

          \(other)]

          Invalid autoVerify domains:
            https://example.com
            ${host}
          Domain verification state:
            a.example:
            b.example: none
            c.example:
      """)
    #expect(
      output.rows.map { "\($0.host ?? "") \($0.state)" } == [
        "https://example.com invalid", "${host} invalid", "a.example unknown", "b.example none",
        "c.example unknown",
      ])
    #expect(output.rows.allSatisfy { $0.signatures.count == 2 })
  }

  @Test func whetherLinksAreHandledIsTrueOfHostsBehindTheEndOfTheText() {
    let text = """
        com.example.app:
          ID: 01234567-89ab-cdef-0123-456789abcdef
          Signatures: [***]
          Domain verification state:
            a.example: verified
            b.example: verified
          User 0:
            Verification link handling allowed: false
            Selection state:
              Disabled:
                a.example
      """
    #expect(
      DeviceOutput.explained(text) == [
        "get-app-links a.example com.example.app link-handling-off",
        "get-app-links b.example com.example.app link-handling-off",
      ])
    // A work profile that opens no links says nothing of a host that the first user has.
    let users =
      text.replacing("false", with: "true") + """

              b.example
            User 10:
              Verification link handling allowed: false
        """
    #expect(DeviceOutput.explained(users).allSatisfy { $0.hasSuffix(" fine-here") })
  }

  @Test func thePartOfAUserMayComeFirst() {
    let block = { (status: String) in
      "  Package: com.example.app\n  Domains: a.example\n  Status:  \(status)\n\n"
    }
    let user = "App linkages for user 0:\n\n\(block("ask"))"
    let verification = "App verification status:\n\n\(block("always : 2"))"
    #expect(DeviceOutput(user + verification).rows.map(\.state) == ["always"])
    #expect(DeviceOutput(user).rows.map(\.state) == ["selection-only"])
  }

  @Test func aTabPartsAnUnknownKeyFromItsValue() {
    let text = TableEntry.approved(
      "a.example", ("Error", "broken"), ("Source Version", "3"), ("Retries", "2"))
    let row = DeviceOutput(text.replacing(#/: +/#, with: ":\t")).rows.first
    #expect(row?.error == "broken" && row?.others == ["Source Version: 3"] && row?.retries == 2)
  }

  @Test func unknownWordsAreKept() {
    let row = DeviceOutput(
      TableEntry.text(
        ("Service", "futurelinks"), ("App ID", "(null)"), ("App Version", "42.0"),
        ("Domain", "a.example"), ("User Approval", "maybe"), ("Site/Fmwk Approval", "pending"),
        ("Patterns", "/a"), ("Flags", "other"))
    ).rows.first
    #expect(row?.service == "futurelinks" && row?.app == nil && row?.state == "pending")
    #expect(row?.userApproval == "maybe" && row?.mode == nil)
    #expect(row?.others == ["App Version: 42.0", "Patterns: /a"])
  }

  @Test(arguments: [
    ("a.example?mode=developer", "", "a.example developer"),
    ("a.example?mode=managed", "", "a.example managed"),
    ("a.example?mode=managed+developer", "", "a.example developer+managed"),
    ("a.example", "developer", "a.example developer"), ("a.example?mode=x", "x", "a.example -"),
    ("https://A.example:443/x?y", "", "a.example -"), ("*.A.example", "", "*.a.example -"),
    ("bücher.Example", "", "bücher.example -"), ("a_b.example", "", "a_b.example -"),
    ("192.0.2.7", "", "192.0.2.7 -"),
    ("example", "", nil), ("(null)", "", nil), ("*", "", nil), ("a..example", "", nil),
    ("<b>a.example</b>", "", nil), ("a b.example", "", nil), ("a\u{202E}.example", "", nil),
    (String(repeating: "a.", count: 130) + "example", "", nil),
  ])
  func aHostLooksLikeOne(domain: String, flags: String, expected: String?) {
    let rows = DeviceOutput(TableEntry.approved(domain, ("Flags", flags))).rows
    #expect(rows.first.map { "\($0.host ?? "-") \($0.mode?.rawValue ?? "-")" } == expected)
  }

  @Test func theSameEntryTwiceIsOneRowAndAnotherModeIsAnother() {
    let one = TableEntry.approved("a.example") + TableEntry.separator + "\n"
    let other = TableEntry.approved("a.example?mode=developer")
    #expect(DeviceOutput(one + one + other).rows.map(\.mode) == [nil, .developer])
  }

  // MARK: Other commands of swcutil

  @Test func getHasBothApprovals() {
    let row = DeviceOutput(
      "{ s = webcredentials, a = A.b,\n d = a.example, ua = denied, sa = approved }"
    ).rows.first
    #expect(row?.service == "webcredentials" && row?.app == "A.b" && row?.host == "a.example")
    #expect(row?.state == "approved" && row?.userApproval == "denied")
  }

  @Test func verifyHasARowForEachAppThatARuleDecidesFor() {
    let output = DeviceOutput(
      """
      { s = applinks, a = A.b, d = a.example }:
          Pattern "https://a.example/x" matched.
      { s = applinks, a = A.c, d = a.example }: Pattern "https://a.example/x" blocked match.
      """)
    #expect(output.lines == ["a.example applinks A.b match", "a.example applinks A.c blocked"])
    #expect(output.rows.map(\.url) == ["https://a.example/x", "https://a.example/x"])
  }

  @Test func theHostOfTheLastCommandCountsWhereTheOutputNamesNone() {
    let output = DeviceOutput(
      """
      $ sudo /usr/bin/swcutil verify -d 'a.example' -j f
      Input JSON did not match input URL.
      $ sudo swcutil verify -j f -u https://b.example/x
      Input JSON did not match input URL.
      """)
    #expect(output.rows.map(\.host) == ["a.example", "b.example"])
    #expect(DeviceOutput("(SWCErrorDomain error 104.)").rows.map(\.host) == [nil])
    #expect(DeviceOutput("SWCErrorDomain error 104").rows.first?.error == "SWCErrorDomain 104")
  }

  @Test func eachCommandNamesItsOwnHostInAnyForm() {
    let output = DeviceOutput(
      """
      $ swcutil verify -d a.example -j f
      Input JSON did not match input URL.
      $ swcutil verify -j f --domain=b.example
      Input JSON did not match input URL.
      $ swcutil verify -j f -d='c.example'
      Input JSON did not match input URL.
      $ swcutil verify -j f --url https://d.example/x
      Input JSON did not match input URL.
      $ swcutil verify -j f
      Input JSON did not match input URL.
      """)
    #expect(
      output.rows.map(\.host) == ["a.example", "b.example", "c.example", "d.example", nil])
    #expect(DeviceOutput("curl -d a.example\n(SWCErrorDomain error 7.)").rows.map(\.host) == [nil])
  }

  @Test(arguments: [
    ("$ swcutil dl -d a.example\n> failed. (SWCErrorDomain\n> error 7.)", "a.example - - failed"),
    (
      "$ swcutil verify -d\na.example -j f\nInput JSON did not match\ninput URL.",
      "a.example - - no-match"
    ),
    (
      "> { s = applinks, a = A.b,\n>  d = a.example, ua =\n> denied, sa = approved\n> }",
      "a.example applinks A.b approved"
    ),
    (
      #"[{"domain": "a.example",\#n"isValid": false, "meta": {"a": {"b": 1}}}]"#,
      "a.example appclips - invalid"
    ),
  ])
  func whatIsFoldedOrNestedIsReadAsOne(text: String, line: String) {
    #expect(DeviceOutput(text).lines == [line])
  }

  // MARK: Fetching

  @Test func theLogNamesAHostOnlyIfItIsWhole() {
    let line = { (domain: String) in
      "swcd: { domain: \(domain), bytes: 0, route: .wk } denied because the CDN told us to stop with HTTP "
        + "status 404: SWCERR00301 Timeout -- {\"cause\":\"context deadline exceeded\"}\n"
    }
    let rows = DeviceOutput(line("a.example") + line("*.ex....com")).rows
    #expect(rows.map(\.host) == ["a.example", nil])
    #expect(rows.map(\.maskedHost) == [nil, "*.ex....com"])
    #expect(rows.map(\.error) == ["SWCERR00301 Timeout", "SWCERR00301 Timeout"])
    #expect(rows.first?.route == ".wk")
    #expect(rows.first?.details == #"{"cause":"context deadline exceeded"}"#)
    let folded = line("a.example").replacing("404: ", with: "404:\n")
    #expect(DeviceOutput(folded).rows.map(\.error) == ["SWCERR00301 Timeout"])
  }

  /// A line of words, folded at blanks.
  private func folded(_ line: String, at columns: Int) -> String {
    var lines = [""]
    for word in line.split(separator: " ") {
      if lines[lines.count - 1].count + word.count >= columns { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test(arguments: [60, 72, 80, 100, 120]) func aLineOfTheLogIsReadHoweverItIsFolded(columns: Int) {
    let line = { (time: String, host: String, end: String) in
      self.folded(
        "default 20:16:\(time) swcd Request for '<private>' for task AASA-01234567-89AB-CDEF-0123-456789ABCDEF "
          + "{ domain: \(host), bytes: 0, route: cdn } denied because the CDN told us to stop with HTTP status 404: "
          + "SWCERR00101 Bad HTTP Response: 403 Forbidden\(end)", at: columns)
    }
    let details = #"{"status":"403 Forbidden"}"#
    let text =
      line("58.1", "a.example", "") + line("58.2", "b.example", " -- \(details)") + "What now?\n"
    let rows = DeviceOutput(text).rows
    #expect(rows.map(\.host) == ["a.example", "b.example"])
    #expect(rows.allSatisfy { $0.error == "SWCERR00101 Bad HTTP Response: 403 Forbidden" })
    #expect(rows.map(\.details) == [nil, details])
    #expect(rows.allSatisfy { $0.route == "cdn" })
  }

  @Test func aHeaderIsReadBehindThePrefixesOfATool() {
    let output = DeviceOutput(
      """
      12:00:01 proxy[1]: Apple-Failure-Reason: SWCERR00301 Timeout
      12:00:01 proxy[1]: Apple-From: https://a.example/.well-known/apple-app-site-association
      """)
    #expect(output.lines == ["a.example - - failed"])
    #expect(output.rows.first?.error == "SWCERR00301 Timeout")
  }

  @Test func whatOldDevicesRefusedNamesTheHost() {
    let output = DeviceOutput(
      """
      swcd [SWC] ### Rejecting URL 'https://a.example/apple-app-site-association' for auth method 'X': -6754
      swcd [SWC] ### Denying redirect 'https://b.example/x' -> 'http://b.example/x'
      swcd [SWC] ### Something else
      """)
    #expect(output.lines == ["a.example - - failed", "b.example - - failed"])
  }

  @Test func eachAnswerOfTheCDNIsARow() {
    let output = DeviceOutput(
      """
      > GET /a/v1/a.example HTTP/2
      < HTTP/2 200
      < Apple-From: https://a.example/.well-known/apple-app-site-association
      < Apple-Origin-Format: json
      $ curl -I https://app-site-association.cdn-apple.com/a/v1/b.example
      HTTP/2 404
      APPLE-FAILURE-REASON: SWCERR00301 Timeout
      Apple-Failure-Details: {"cause":"Connection timed out"}
      Apple-Try-Direct: true
      """)
    #expect(output.lines == ["a.example - - valid", "b.example - - failed"])
    #expect(output.rows.last?.tryDirect == true)
    #expect(output.rows.last?.error == "SWCERR00301 Timeout")
  }

  @Test func theStatusOfAppClipsIsReadEvenIfItsEndsAreCutOff() {
    let text = """
      ains": [{"domain": "a.example", "isValid": false, "errorCode": "NEW_ERROR"},
      {"domain": "b.example", "isValid": true, "lastUpdatedDate": "2026-09-20T10:00:00.000+02:00"},
      {"domain": "not a host", "isValid": true}, {"isValid": true}, {"domain": "c.exa
      """
    let rows = DeviceOutput(text).rows
    #expect(rows.map(\.host) == ["a.example", "b.example"])
    #expect(rows.map(\.state) == ["invalid", "valid"])
    #expect(rows.map(\.error) == ["NEW_ERROR", nil])
    #expect(rows.last?.lastChecked?.text == "2026-09-20T08:00:00Z")
  }

  // MARK: Signing in

  @Test func errorsOfSigningInNameHostAndAppWhereTheTextDoes() {
    let form = { (text: String) in
      "Error Domain=com.apple.AuthenticationServices.AuthorizationError Code=1004 \"\(text)\" "
        + "UserInfo={NSLocalizedFailureReason=\(text)}"
    }
    let advice =
      "Unable to verify webcredentials association of A.b with domain a.example. Please try again in a few seconds."
    let cases = [
      (advice, "a.example webcredentials A.b not-verified", advice),
      (
        "Request already in progress for specified application identifier.",
        "- webcredentials - failed",
        "Request already in progress for specified application identifier."
      ),
      (
        "The operation couldn’t be completed. The process does not have an application identifier",
        "- webcredentials - failed", "The process does not have an application identifier"
      ),
      ("(null)", "- webcredentials - failed", nil),
      ("Die App ist nicht verknüpft", "- webcredentials - failed", "Die App ist nicht verknüpft"),
    ]
    for (text, line, error) in cases {
      let output = DeviceOutput(form(text))
      #expect(output.lines == [line])
      #expect(output.rows.first?.error == error ?? (text == "(null)" ? "(null)" : nil))
    }
    let folded = "is not associated with domain a.example."
    #expect(
      DeviceOutput("Application with\nidentifier A.b\n\(folded)").lines == [
        "a.example webcredentials A.b not-associated"
      ])
  }

  @Test(arguments: ["\\\" UserInfo", "”", "’", "\"", "“ x", "»", "."])
  func aHostEndsBeforeAnyQuotationMark(end: String) {
    let text = "Application with identifier A.b is not associated with domain a.example\(end)"
    #expect(DeviceOutput(text).lines == ["a.example webcredentials A.b not-associated"])
  }

  @Test func twoFormsOfOneSentenceAreOneRow() {
    let sentence = "Unable to verify webcredentials association of A.b with domain a.example."
    let output = DeviceOutput("\(sentence) Please try again in a few seconds.\n\(sentence)\n")
    #expect(output.lines == ["a.example webcredentials A.b not-verified"])
  }

  @Test func theCredentialManagerNamesNothingButItsMessage() {
    let name =
      "androidx.credentials.exceptions.publickeycredential.GetPublicKeyCredentialDomException"
    let cases = [
      ("\(name): [50152] RP ID cannot be validated.", "[50152] RP ID cannot be validated."),
      (
        "\(name): The incoming request cannot be validated",
        "The incoming request cannot be validated"
      ),
      ("\(name): something new", "something new"), (name, nil),
    ]
    for (text, error) in cases {
      let output = DeviceOutput("E App: \(text)\n    at com.example.app.Main(Main.kt:1)\n")
      #expect(output.lines == ["- - - failed"])
      #expect(output.rows.first?.error == error)
    }
  }

  // MARK: Android

  private let fingerprints = (1...2).map { number in
    (0..<32).map { $0 == 0 ? "A\(number)" : "0B" }.joined(separator: ":")
  }

  @Test func signaturesAreReadThoughTheyAreCutMaskedOrWithoutColons() {
    let list = "Signatures: [\(fingerprints.joined(separator: ", "))]"
    let text = { (signatures: String) in
      "  com.example.app:\n    ID: 1\n\(signatures)\n    Domain verification state:\n      a.example: 1024\n"
    }
    let cut = "    \(list.prefix(116))\n    \(list.dropFirst(116))"
    let all = fingerprints.compactMap { Fingerprint($0) }
    #expect(DeviceOutput(text(cut)).rows.map(\.signatures) == [all])
    let bare = "    Signatures: [\(fingerprints[0].replacing(":", with: "").lowercased())]"
    #expect(DeviceOutput(text(bare)).rows.map(\.signatures) == [Array(all.prefix(1))])
    for none in ["    Signatures: [***]", "    Signatures: null", ""] {
      #expect(DeviceOutput(text(none)).rows.map(\.signatures) == [[]])
    }
  }

  @Test func aLongHostGoesOnInTheNextLine() {
    let host = String(repeating: "abcdefghi.", count: 10) + "long-name.example"
    let cut = String(repeating: "abcdefghi.", count: 12)
    let output = DeviceOutput(
      """
        com.example.app:
          Domain verification state:
            \(host):
            verified
            \(cut.prefix(114))
            \(cut.dropFirst(114))example: 1024
        com.example.app2:
          ID: 1
          Domain verification state:
            a.example: new_word
      """)
    #expect(
      output.lines == [
        "\(host) - com.example.app verified", "\(cut)example - com.example.app 1024",
        "a.example - com.example.app2 new_word",
      ])
  }

  /// How pasting may change each line that `adb` prints.
  private static let pasting: [@Sendable (Substring) -> String] = [
    { "\($0)\n" }, { "\($0)\r\n" }, { "\($0)\r" }, { "> \($0)\n" }, { "    \($0)\r\n" },
    { "\($0.drop { $0 == " " })\n" },
  ]

  @Test(arguments: pasting.indices) func hostsAndStatesAreReadWhereverAdbCutsThem(pasting: Int) {
    let cut = { (line: String, indentation: Int) in
      var rest = line[...]
      var lines = ""
      while !rest.isEmpty {
        lines += String(repeating: " ", count: indentation) + rest.prefix(120 - indentation) + "\n"
        rest = rest.dropFirst(120 - indentation)
      }
      return lines
    }
    let hosts =
      (80...115).map { length in
        String(repeating: "a", count: 50) + "." + String(repeating: "b", count: length - 59)
          + ".example"
      }
      + [String(repeating: "abcdefghi.", count: 24) + "example"]
    let list = "Signatures: [\(fingerprints.joined(separator: ", "))]"
    let text =
      "  com.example.app:\n    ID: 1\n\(cut(list, 4))    Domain verification state:\n"
      + (hosts + ["a.example"]).map { cut("\($0): legacy_failure", 6) }.joined()
      + "    User 0:\n      Selection state:\n        Disabled:\n"
      + (hosts + ["a.example"]).map { cut($0, 10) }.joined()
    let lines = text.split(separator: "\n").map(Self.pasting[pasting]).joined()
    let output = DeviceOutput(lines)
    #expect(
      output.lines == (hosts + ["a.example"]).map { "\($0) - com.example.app legacy_failure" })
    #expect(output.rows.allSatisfy { $0.users.first?.selection == .disabled })
    #expect(output.rows.first?.signatures.count == 2)
  }

  @Test func aWordBehindAWholeStateIsNoPartOfIt() {
    let text = "com.example.app:\nDomain verification state:\na.example: verified\nexit\n"
    #expect(DeviceOutput(text).lines == ["a.example - com.example.app verified"])
  }

  @Test func aPackageWithoutHostsToVerifyHasItsIDInTheHeader() {
    let output = DeviceOutput(
      """
      $ adb shell pm get-app-links --user 0 com.example.named
        User 0:
          Verification link handling allowed: false
          Selection state:
            Enabled:
              a.example
      com.example.listed 01234567-89ab-cdef-0123-456789abcdef:
        User 0:
          Selection state:
            Disabled:
              b.example
      com.example.app:
        Invalid autoVerify domains:
          *
          settings-chat
        Domain verification state:
          c.example: none
        User 0:
          Verification link handling allowed: false
      """)
    #expect(
      output.lines == [
        "a.example - com.example.named selection-only",
        "b.example - com.example.listed selection-only", "* - com.example.app invalid",
        "settings-chat - com.example.app invalid", "c.example - com.example.app none",
      ])
    #expect(output.rows.map { $0.users.first?.linkHandling } == [false, nil, nil, nil, false])
  }

  @Test func androidElevenListsHostsThatOnlyAUserHas() {
    let output = DeviceOutput(
      """
      App linkages for user 0:

        Package: com.example.app
        Domains: a.example
          b.example
        Status:  never

      """)
    #expect(
      output.lines == [
        "a.example - com.example.app selection-only", "b.example - com.example.app selection-only",
      ])
    #expect(output.rows.first?.users.first?.status == "never")
  }

  @Test func theFirstRuleThatMatchesDecides() {
    let text = { (rules: String) in
      "--- App Link Resolution Debug ---\nURI: https://A.example/x\nTarget:\n  Package: com.example.app\n"
        + "Verification status: STATE_NEW\n\(rules)---\nURI: https://b.example/\nTarget:\n"
    }
    let rule = { (number: Int, allow: String) in
      "-> Matched Rule \(number): UriRelativeFilterGroup { allow = \(allow), uri_filters = {} }\n"
    }
    let output = DeviceOutput(text(rule(0, "0") + rule(1, "1")))
    #expect(output.lines == ["a.example - com.example.app STATE_NEW"])
    #expect(output.rows.first?.rule == .included)
    #expect(DeviceOutput(text(rule(0, "2"))).rows.first?.rule == nil)
  }

  // MARK: Dates

  @Test(arguments: [
    ("2026-09-23 18:16:58 +0000", "2026-09-23T18:16:58Z"),
    ("2026-09-23 18:16:58 +02:00", "2026-09-23T16:16:58Z"),
    ("2026-01-01 00:30:00 -0130", "2026-01-01T02:00:00Z"),
    ("2026-09-23 6:16:58 PM +0000", "2026-09-23T18:16:58Z"),
    ("2026-09-23 12:00:00 AM +0000", "2026-09-23T00:00:00Z"),
    ("2026-09-23 12:00:00 pm +0000", "2026-09-23T12:00:00Z"),
    ("2026-09-23 6:16:58\u{202F}p.m. +0000", "2026-09-23T18:16:58Z"),
    ("٢٠٢٦-٠٩-٢٣ ١٨:١٦:٥٨ +٠٠٠٠", "2026-09-23T18:16:58Z"),
    ("\u{200F}२०२६-०९-२३ १८:१६:५८ +०000", "2026-09-23T18:16:58Z"),
    ("2024-02-29 00:00:00 +0000", "2024-02-29T00:00:00Z"),
    ("2023-02-29 00:00:00 +0000", nil), ("2569-09-23 18:16:58 +0000", nil),
    ("1447-09-23 18:16:58 +0000", nil), ("2026-09-23 13:16:58 PM +0000", nil),
    ("2026-09-23 0:16:58 AM +0000", nil), ("2026-09-23 下午6:16:58 +0000", nil),
    ("2026-09-23 24:00:00 +0000", nil), ("2026-09-23 18:16:58", nil),
    ("23.09.2026 18:16 +0000", nil),
    ("2026-09-23 18:16:58 CEST", nil), ("never", nil), ("", nil),
  ])
  func aDateThatIsNotUnderstoodIsNone(text: String, expected: String?) {
    let row = DeviceOutput(TableEntry.approved("a.example", ("Last Checked", text))).rows.first
    #expect(row?.host == "a.example")
    #expect(row?.lastChecked?.text == expected)
  }
}
