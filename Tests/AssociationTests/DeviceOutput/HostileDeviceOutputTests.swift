import Association
import Testing

/// No text makes the reader slow, large or wrong. Work that grew faster than the text would not end here.
@Suite struct HostileDeviceOutputTests {
  /// A text, repeated up to a size.
  private func filled(
    _ piece: String, before: String = "", after: String = "", size: Int = DeviceOutput.longest
  ) -> DeviceOutput {
    let count = (size - before.utf8.count - after.utf8.count) / max(1, piece.utf8.count)
    return DeviceOutput(before + String(repeating: piece, count: count) + after)
  }

  private func check(_ output: DeviceOutput) {
    #expect(output.rows.count <= DeviceOutput.mostRows)
    for row in output.rows {
      let values = [row.host, row.service, row.app, row.state, row.error, row.url, row.details]
      #expect(values.allSatisfy { ($0?.utf8.count ?? 0) <= DeviceOutput.longestValue })
      #expect(row.others.allSatisfy { $0.utf8.count <= DeviceOutput.longestValue })
    }
  }

  private static let markers = [
    "Domain verification state:\n", "App verification status:\n",
    "--- App Link Resolution Debug ---\n",
    "= DATABASE =\n", "{ s = a, a = b, d = c.example, ua = x, sa = y }\n",
    "Input JSON did not match input URL.\n", "SWCErrorDomain error 7\n",
    "denied because the CDN SWCERR00101 x\n", "Apple-From: https://a.example/\n",
    "{\"domain\": \"a.example\", \"isValid\": true}\n", "AuthorizationError error 1004\n",
    "RP ID cannot be validated\n", "",
  ]

  /// What readers look for, without what ends it.
  private static let pieces = [
    "{", "{ s = ", "{ s = a, a = b, d = c.example }: Pattern \"", "{\na\n", "\n", "a\n", "= ", ":",
    "\"", "[",
    "-\n", ">", "Error: a\n", "Service:\nDomain: a.example\nError: \na\nb\n", "Key:  a\n",
    "Signatures: [\n", "A0:\n", "com.example.app:\n", "a.example:\n",
    "User 0:\nEnabled:\na.example\n",
    "Application with identifier ", "Unable to verify webcredentials association of a with domain",
    "Domains: a.example b.example\n", "Target:\nPackage: a.b\n",
    "HTTP/2 200\nApple-From: a.example\n",
    "SWCErrorDomain error ", "[SWC] ### Rejecting URL '", "denied because the CDN\n", "/a/v1/",
    "{\"domain\"", "swcutil ", "x Apple-From", "}",
    "swcutil -d ",
    "<script>alert(1)</script>\n", "\u{E2}\u{80}", "é", "\0",
  ]

  @Test(arguments: markers) func everyKindEndsOnEveryPiece(marker: String) {
    for piece in Self.pieces {
      check(filled(piece, before: marker, after: marker, size: 131_072))
    }
  }

  @Test func aTextOfTwoMegabytesEndsAsWell() {
    for (marker, piece) in zip(Self.markers, Self.markers.dropFirst()) {
      check(filled("\(piece)\(marker)", before: marker))
    }
  }

  @Test func aMillionEntriesAreCountedBeyondTheLimit() {
    var text: [String] = []
    var size = 0
    while size < DeviceOutput.longest - 60 {
      text.append("Service:a\nDomain:a\(text.count).b\n")
      size += text[text.count - 1].utf8.count
    }
    let output = DeviceOutput("= DATABASE =\n" + text.joined() + "= NETWORK =\n")
    #expect(output.rows.count == DeviceOutput.mostRows)
    #expect(output.rows.count + output.moreRows == text.count)
    #expect(!output.isWholeTable)
  }

  @Test func everyKindCountsWhatItLeavesOut() {
    let numbers = 0..<(DeviceOutput.mostRows + 100)
    let texts = [
      "com.example.app:\nDomain verification state:\n"
        + numbers.map { "a\($0).example: verified\n" }.joined(),
      "App verification status:\nPackage: com.example.app\n"
        + numbers.map { "Domains: a\($0).example\n" }.joined() + "Status: always\n",
      numbers.map { #"{"domain": "a\#($0).example", "isValid": true}"# }.joined(separator: "\n"),
      numbers.map { "{ s = a, a = b.c, d = a\($0).example, ua = x, sa = y }" }.joined(
        separator: "\n"),
    ]
    for text in texts {
      let output = DeviceOutput(text)
      #expect(output.rows.count == DeviceOutput.mostRows)
      #expect(output.moreRows == 100, "\(output.kind)")
    }
  }

  @Test func halfACharacterIsNoErrorAndNoneIsCutInTwo() {
    let text =
      Array(TableEntry.approved("a.example", ("Error", "")).utf8.dropLast()) + [0xE2, 0x82]
    #expect(DeviceOutput(text).rows.first?.error == "\u{FFFD}")
    let long = TableEntry.approved(
      "a.example", ("Error", "x" + String(repeating: "é", count: 5000)))
    let error = DeviceOutput(long).rows.first?.error
    #expect(error?.utf8.count == DeviceOutput.longestValue - 1)
    #expect(error?.hasSuffix("é") == true)
    let random = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
    for marker in Self.markers { check(DeviceOutput(Array(marker.utf8) + random)) }
  }

  @Test func whatIsBehindTheLimitIsIgnored() {
    let entry = TableEntry.approved("a.example")
    let output = filled(" ", before: entry)
    #expect(output.rows.map(\.host) == ["a.example"])
    let beyond = DeviceOutput(
      entry + String(repeating: " ", count: DeviceOutput.longest - entry.utf8.count)
        + "\n" + TableEntry.approved("b.example"))
    #expect(beyond.rows.map(\.host) == ["a.example"])
  }

  @Test func markupIsAValueLikeAnyOther() {
    let text = TableEntry.approved("a.example").replacing(
      "approved", with: "<img src=x onerror=alert(1)>")
    #expect(DeviceOutput(text).rows.first?.state == "<img src=x onerror=alert(1)>")
  }
}
