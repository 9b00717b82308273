import Testing

import Association

@Suite struct JSONTests {
  private func parse(_ text: String) throws -> JSON.Parsed { try JSON.parse(Array(text.utf8)) }

  @Test(arguments: [
    #"null"#, #"[]"#, #"{}"#, #"{"b":1,"a":[true,false,null,"x"]}"#,
    #"[0.1,1e5,-12,12345678901234567890,1234567890123456789012345]"#, #""\u0000\u001f\"\\\n""#,
    #"{"é":"ü","e\#u{301}":"日本"}"#,
  ])
  func aRoundTripPreservesOrderNumbersAndStrings(text: String) throws {
    #expect(try parse(text).value.text == text)
  }

  @Test(arguments: [
    ("", 1, 1), ("{", 1, 2), ("[1,]", 1, 4), ("{\"a\":1,}", 1, 8), ("{'a':1}", 1, 2),
    ("[1] x", 1, 5), ("// c\n{}", 1, 1), ("[\n1,\n x]", 3, 2), ("{\"a\":“b”}", 1, 6),
    ("\"\\ud800\"", 1, 8), ("[1e999]", 1, 6), ("nul", 1, 4),
  ])
  func invalidJSONIsRefusedWithItsPlace(text: String, line: Int, column: Int) {
    let error = #expect(throws: JSON.SyntaxError.self) { try parse(text) }
    #expect(error?.line == line)
    #expect(error?.column == column, "\(String(describing: error))")
    #expect(error?.message.isEmpty == false)
  }

  @Test(arguments: [[0xFF], [0x22, 0xC3, 0x28, 0x22], [0x22, 0x00, 0x22], [0x5B, 0x00, 0x5D]])
  func invalidUTF8AndNULBytesAreRefused(bytes: [UInt8]) {
    #expect(throws: JSON.SyntaxError.self) { try JSON.parse(bytes) }
  }

  @Test(arguments: [
    ("{\"a\":", "unexpected end of input; expected '[', '{', or a literal"),
    ("[1 - ]", "invalid number; expected digit after '-'; last read: '- '; expected ']'"),
    ("[1e999]", "number overflow parsing '1e999'"),
  ])
  func aMistakeIsToldWithoutTheWordsOfTheLibrary(text: String, message: String) throws {
    let error = #expect(throws: JSON.SyntaxError.self) { try parse(text) }
    #expect(error?.message == message)
  }

  @Test func duplicateKeysAreReportedAndTheFirstValueIsKept() throws {
    let parsed = try parse(#"{"a":1,"b":[{"x":1,"x":2,"x":{"y":0}}],"a":2}"#)
    #expect(parsed.duplicateKeys.map(\.description) == ["/b/0/x", "/b/0/x", "/a"])
    #expect(parsed.value.text == #"{"a":1,"b":[{"x":1}]}"#)
  }

  @Test func keysThatOnlyLookAlikeAreNotDuplicates() throws {
    #expect(try parse("{\"\u{e9}\":1,\"e\u{301}\":2}").duplicateKeys.isEmpty)
  }

  @Test func aByteOrderMarkIsSkippedAndReported() throws {
    let parsed = try JSON.parse([0xEF, 0xBB, 0xBF] + Array("[1]".utf8))
    #expect(parsed.hasByteOrderMark)
    #expect(parsed.value == [1])
  }

  @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
  func nestingIsLimited(opening: String, closing: String) throws {
    func nested(_ depth: Int) -> String {
      String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
    }
    #expect(throws: Never.self) { try parse(nested(100)) }
    let error = #expect(throws: JSON.SyntaxError.self) { try parse(nested(101)) }
    #expect(error?.limit == .depth(100))
    #expect(error?.description == "arrays and objects are nested more than 100 deep")
    #expect(throws: JSON.SyntaxError.self) { try parse(String(repeating: opening, count: 200_000)) }
  }

  private let limits = JSON.Limits(keyBytes: 4, stringBytes: 6, values: 5)

  @Test(arguments: [
    (#"{"abcde":1}"#, JSON.Limit.keyBytes(4)), (#"["abcdefg"]"#, .stringBytes(6)),
    ("[1.234567]", .stringBytes(6)), ("[1,2,3,4,5]", .values(5)), ("[[],{},[],{},0]", .values(5)),
    (#"{"a":0,"a":0,"a":0,"a":0,"a":0}"#, .values(5)),
  ])
  func aTextBeyondALimitIsRefusedWithTheLimit(text: String, limit: JSON.Limit) {
    let error = #expect(throws: JSON.SyntaxError.self) {
      try JSON.parse(text.utf8, limits: limits)
    }
    #expect(error?.limit == limit)
    #expect(error?.description == limit.description)
  }

  @Test(arguments: [#"{"abcd":"abcdef"}"#, #"{"éé":"ééé"}"#, "[1,[],{},-12345]"])
  func aTextThatReachesALimitIsParsed(text: String) throws {
    #expect(throws: Never.self) { try JSON.parse(text.utf8, limits: limits) }
  }

  @Test func aDocumentOf128KBOfAnyShapeIsParsed() throws {
    let size = 131_072
    func filled(_ opening: String, _ part: String, _ closing: String) -> String {
      let count = (size - opening.utf8.count - closing.utf8.count) / part.utf8.count
      return opening + String(repeating: part, count: count) + closing
    }
    for text in [
      filled("[0", ",0", "]"), filled("[[]", ",[]", "]"), filled("[{}", ",{}", "]"),
      filled("{\"a\":0", ",\"\":0", "}"), filled("\"", "x", "\""), filled("{\"", "x", "\":0}"),
      filled("[0.1", "2", "]"),
    ] {
      let limits = JSON.Limits(values: 65_537)
      #expect(throws: Never.self, "\(text.prefix(20))") {
        try JSON.parse(text.utf8, limits: limits)
      }
    }
  }

  @Test func aLongKeyAboveManyRepeatedOnesIsNotCopied() throws {
    let key = String(repeating: "k", count: 100_000)
    let repeated = String(repeating: #"{"a":0,"a":0},"#, count: 100_000)
    let parsed = try parse(#"{"\#(key)":[\#(repeated)0]}"#)
    #expect(parsed.duplicateKeyCount == 100_000)
    #expect(parsed.duplicateKeys.count == 100)
    #expect(parsed.duplicateKeys.allSatisfy { $0.description.utf8.count < 1_010 })
    #expect(parsed.duplicateKeys.last?.keys == [key, "99", "a"])
  }

  @Test func aMessageThatQuotesTheTextIsCut() {
    let error = #expect(throws: JSON.SyntaxError.self) {
      try parse("[\"" + String(repeating: "x", count: 100_000))
    }
    #expect((error?.message.utf8.count ?? 0) < 250)
  }

  @Test func equalityIgnoresTheOrderOfMembersAndTheSpellingOfNumbers() throws {
    #expect(try parse(#"{"a":1,"b":[1.0,1e2]}"#).value == parse(#"{"b":[1,100],"a":1.0}"#).value)
    #expect(try parse(#"[1,2]"#).value != parse(#"[2,1]"#).value)
    #expect(try parse("[0,0.0,-0,0e9]").value == parse("[0e1,0,0.00,0]").value)
    for (one, other) in [("1e-400", "0"), ("1e-320", "1.00000000001e-320")] {
      #expect(try parse("[\(one)]").value != parse("[\(other)]").value)
    }
    #expect(try parse("[12345678901234567890]").value != parse("[12345678901234567891]").value)
    #expect(try parse("\"\u{e9}\"").value != parse("\"e\u{301}\"").value)
    #expect(try parse(#"{"a":1}"#).value != parse(#"{"a":1,"b":1}"#).value)
  }

  @Test func pointersEscapeTildeAndSlash() {
    let pointer = JSONPointer.root.appending("a/b~c").appending(3)
    #expect(pointer.description == "/a~1b~0c/3")
    #expect(pointer.keys == ["a/b~c", "3"])
    #expect(JSONPointer.root.appending("~1~0/").keys == ["~1~0/"])
    #expect(JSONPointer.root.keys == [] && JSONPointer.root.appending("").keys == [""])
  }

  @Test func pointersAreEqualOnlyIfTheirScalarsAre() {
    let pointers = ["\u{e9}", "e\u{301}", "\u{e9}"].map { JSONPointer.root.appending($0) }
    #expect(pointers[0] != pointers[1] && pointers[0] == pointers[2])
    #expect(Set(pointers).count == 2)
  }
}
