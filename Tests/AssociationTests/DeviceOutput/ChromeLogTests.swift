import Association
import Testing

/// What Chrome writes about a Trusted Web Activity.
@Suite struct ChromeLogTests {
  @Test func chromeSaysHowFarTheBestStatementFits() {
    let line = { (what: String) in
      "11-29 10:00:00.1 W/chromium( 901): [WARNING:digital_asset_links_handler.cc(170)] Statement failure matching \(what).\n"
    }
    let code = { (text: String) in
      DeviceOutput.explained(text).map { $0.split(separator: " ").last }
    }
    #expect(code(line("fingerprint")) == ["wrong-signing-key"])
    #expect(code(line("relationship") + line("fingerprint")) == ["wrong-signing-key"])
    #expect(code(line("fingerprint") + line("package_name")) == ["not-in-file"])
    #expect(code(line("relationship")) == ["not-in-file"])
    #expect(code("Statement List is not a list.") == ["unusable-file"])
    #expect(code("Statement is not a dictionary.") == ["unusable-file"])
    #expect(
      code("Digital Asset Links endpoint responded with code 404.") == ["verification-failed"])
    #expect(
      code("Digital Asset Links response parsing failed with message: line 1, column 1")
        == ["unusable-file"])
    #expect(code("Digital Asset Links connection failed.") == ["verification-failed"])
    let fingerprint = Array(repeating: "0F", count: 32).joined(separator: ":")
    for list in [fingerprint, "[\(fingerprint), \(fingerprint.replacing("0F", with: "AB"))]"] {
      let text =
        "11-29 10:00:00.2 D OriginVerifier: Digital Asset Link verification failed for package com.example.shop with "
        + "fingerprint \(list).\n"
      #expect(DeviceOutput.explained(text) == ["chrome-log - com.example.shop verification-failed"])
      let row = DeviceOutput(Array(text.utf8)).rows.first
      #expect(row?.signatures.first?.description == fingerprint)
      #expect(row?.error == "Digital Asset Link verification failed for package")
      let verdict = row.map { DeviceVerdict($0, of: .chromeLog) }
      #expect(verdict?.message.contains(fingerprint) == true, "\(verdict?.message ?? "")")
      #expect(verdict?.nextStep.contains("--app com.example.shop") == true)
      // What says why goes first.
      #expect(code(text + line("relationship")) == ["not-in-file"])
    }
    let toast = "Digital asset links verification failed on https://a.example/start"
    #expect(DeviceOutput.explained(toast) == ["chrome-log a.example - verification-failed"])
    #expect(
      DeviceOutput(Array(toast.utf8)).rows.map(\.error) == [
        "Digital asset links verification failed"
      ])
  }
}
