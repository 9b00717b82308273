import TestSupport
import Testing
import HTTP

@Suite struct ConditionTests {
  static let tag = "\"\(Serving.digest)\""

  @Test(arguments: [
    tag, "W/\(tag)", "*", "\"a\", \(tag)", "\"a\",W/\"b\" , \(tag),\"c\"", "\"x,y\", \(tag)",
    " \(tag) ",
  ])
  func aRequestThatHasTheDocumentIsAnswered304WithoutABody(line: String) throws {
    let serving = try Serving()
    for method in ["GET", "HEAD"] {
      let connection = try serving.connect()
      let request =
        "\(method) \(Serving.path) HTTP/1.1\r\nHost: example.com\r\nIf-None-Match: \(line)\r\n\r\n"
      let response = try connection.exchange(request)
      #expect(response.status == 304)
      #expect(response["ETag"] == Self.tag)
      #expect(response["Last-Modified"] == nil)
      // That of the document, since RFC 9110 section 8.6 allows no other.
      #expect(response["Content-Length"] == "15")
      #expect(response["Cache-Control"] == "public, max-age=3600")
      // What comes next on the connection is the next answer.
      #expect(try connection.exchange(request).status == 304)
    }
  }

  @Test(arguments: [
    "\"a\"", "\"a\", \"b\"", "", "garbage", Serving.digest, "\"*\"", "\"",
    "\"\(Serving.digest.uppercased())\"", "\"\(Serving.digest.dropLast())e\"",
    "\"1\(Serving.digest.dropFirst())\"", "\"\(Serving.digest)0\"",
  ])
  func aTagOfAnotherDocumentGetsTheCurrentOne(line: String) throws {
    #expect(try Serving().answer("GET", Serving.path, "If-None-Match: \(line)").status == 200)
  }

  @Test func everyCharacterOfATagIsCompared() throws {
    let connection = try Serving().connect()
    for index in Self.tag.indices {
      var other = Self.tag
      other.replaceSubrange(index...index, with: other[index] == "0" ? "1" : "0")
      let response = try connection.exchange(
        "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\nIf-None-Match: \(other)\r\n\r\n")
      #expect(response.status == 200)
    }
  }

  @Test func severalLinesOfIfNoneMatchAreOneList() throws {
    let response = try Serving().answer(
      "GET", Serving.path, "If-None-Match: \"a\"", "if-none-match: \(Self.tag)")
    #expect(response.status == 304)
    let other = try Serving().answer(
      "GET", Serving.path, "If-None-Match: \"a\"", "If-None-Match: \"b\"")
    #expect(other.status == 200)
  }

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 304), ("Sunday, 06-Nov-94 08:49:37 GMT", 304),
    ("Sun Nov  6 08:49:37 1994", 304), ("Sun, 06 Nov 1994 08:49:38 GMT", 304),
    ("Sun, 06 Nov 1994 08:49:36 GMT", 200), ("Sun Nov  6 08:49:36 1994", 200),
    ("yesterday", 200), ("", 200), ("Sun, 31 Feb 2094 08:49:37 GMT", 200),
    ("Sun, 06 Nov 1994 08:49:37 UTC", 200), ("Fri, 31 Dec 9999 23:59:59 GMT", 304),
  ])
  func ifModifiedSinceComparesDatesAndIgnoresInvalidOnes(line: String, status: Int) throws {
    let response = try Serving().answer("GET", Serving.path, "If-Modified-Since: \(line)")
    #expect(response.status == status)
  }

  @Test func ifNoneMatchTakesPrecedenceOverIfModifiedSince() throws {
    let since = "If-Modified-Since: \(Serving.publishedText)"
    #expect(
      try Serving().answer("GET", Serving.path, "If-None-Match: \"a\"", since).status == 200)
    let old = "If-Modified-Since: Sun, 06 Nov 1990 08:49:37 GMT"
    #expect(
      try Serving().answer("GET", Serving.path, old, "If-None-Match: \(Self.tag)").status == 304)
  }

  @Test(arguments: [
    ("If-Match: \(tag)", 200), ("If-Match: *", 200), ("If-Match: \"a\"", 412),
    ("If-Match: W/\(tag)", 412), ("If-Match: \"a\", \(tag)", 200),
    ("If-Unmodified-Since: \(Serving.publishedText)", 200),
    ("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT", 412),
    ("If-Unmodified-Since: never", 200),
    ("If-Match: *\r\nIf-Unmodified-Since: Sun, 06 Nov 1990 08:49:36 GMT", 200),
    ("If-Match: *\r\nIf-None-Match: *", 304), ("If-Match: \"a\"\r\nIf-None-Match: *", 412),
  ])
  func ifMatchAndIfUnmodifiedSinceComeFirst(lines: String, status: Int) throws {
    #expect(try Serving().answer("GET", Serving.path, lines).status == status)
  }
}
