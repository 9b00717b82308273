import Testing
import HTTP

@Suite struct DocumentDigestTests {
  @Test(arguments: [
    "", "0", String(Serving.digest.dropLast()), Serving.digest + "0", Serving.digest.uppercased(),
    Serving.digest.dropLast() + "g", " " + Serving.digest.dropLast(),
    Serving.digest.dropLast() + "é",
  ])
  func onlySixtyFourHexadecimalDigitsAreADigest(text: String) {
    #expect(DocumentDigest(hexadecimal: text) == nil)
  }

  @Test func digestsAreEqualIfEveryDigitIs() throws {
    let digest = try #require(DocumentDigest(hexadecimal: Serving.digest))
    #expect(digest == DocumentDigest(hexadecimal: Serving.digest))
    for index in Serving.digest.indices {
      var other = Serving.digest
      other.replaceSubrange(index...index, with: other[index] == "0" ? "1" : "0")
      #expect(digest != DocumentDigest(hexadecimal: other))
    }
  }
}
