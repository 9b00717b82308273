import Association
import Testing

@Suite struct WordingTests {
  @Test func aShownTextIsCutAt80Characters() {
    #expect(String(repeating: "a", count: 80).shown == String(repeating: "a", count: 80))
    #expect(String(repeating: "a", count: 81).shown == String(repeating: "a", count: 80) + "…")
    #expect(String(repeating: "ä", count: 80).shown == String(repeating: "ä", count: 80))
  }

  @Test func aShownTextCannotControlATerminal() {
    #expect("a\u{1B}[2J\u{202E}\u{2028}b".quoted == "\"a\u{FFFD}[2J\u{FFFD}\u{FFFD}b\"")
    #expect("\t".hasControlCharacter && !"a b".hasControlCharacter)
  }

  @Test func aNounFollowsItsNumber() {
    #expect([0, 1, 2].map { $0.counted("route") } == ["0 routes", "1 route", "2 routes"])
  }

  @Test func acceptedCodesAreSeparatedByCommas() throws {
    #expect(
      try Finding.Code.accepted(in: "no-service,byte-order-mark") == [.noService, .byteOrderMark])
    #expect(try Finding.Code.accepted(in: "") == [])
    for list in ["nonsense", "no-service,too-large"] {
      #expect(throws: UnacceptableCode.self) { try Finding.Code.accepted(in: list) }
    }
  }
}
