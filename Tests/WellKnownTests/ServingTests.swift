import HTTP
import TestSupport
import Testing

@Suite struct ServingTests {
  @Test(arguments: [Serving.path, "/apple-app-site-association"])
  func theFileIsServedAtBothPathsWithTheFieldsOfTheContract(path: String) throws {
    let response = try Serving().answer("GET", path)
    #expect(response.statusLine == "HTTP/1.1 200 OK")
    #expect(response.text == #"{"applinks":{}}"#)
    #expect(response["Content-Type"] == "application/json")
    #expect(response["Content-Length"] == "15")
    #expect(response["ETag"] == "\"\(Serving.digest)\"")
    #expect(response["Last-Modified"] == Serving.publishedText)
    #expect(response["Cache-Control"] == "public, max-age=3600")
    #expect(response["X-Content-Type-Options"] == "nosniff")
    #expect(response["Date"] != nil)
    #expect(Set(response.fields.map { $0.name.lowercased() }).count == response.fields.count)
    #expect(response["Set-Cookie"] == nil && response["Location"] == nil)
  }

  @Test func headHasTheFieldsOfGetAndNoBody() throws {
    let serving = try Serving()
    let connection = try serving.connect()
    let request = "\(Serving.path) HTTP/1.1\r\nHost: example.com\r\n\r\n"
    let head = try connection.exchange("HEAD " + request)
    let get = try connection.exchange("GET " + request)
    #expect(head.status == 200)
    #expect(head["Content-Length"] == "15")
    #expect(head["ETag"] == get["ETag"])
    #expect(get.text == #"{"applinks":{}}"#)
  }

  @Test(arguments: [1, 31, 32, 33, 128])
  func aFileIsServedWholeWhateverItsSize(kilobytes: Int) throws {
    let body = String(repeating: "0123456789abcde\n", count: kilobytes * 64)
    let serving = try Serving(["example.com": body])
    let connection = try serving.connect()
    for _ in 0..<3 {
      let response = try connection.exchange(
        "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\n\r\n")
      #expect(response.text == body)
    }
  }

  @Test(arguments: [
    "//.well-known/apple-app-site-association", "/.well-known//apple-app-site-association",
    "/.well-known/apple-app-site-association/", "/.well-known/apple-app-site-associatio%6E",
    "/.well-known%2Fapple-app-site-association", "/.well-known/../apple-app-site-association",
    "/./apple-app-site-association", "/x/../.well-known/apple-app-site-association",
    "/.Well-Known/apple-app-site-association", "/APPLE-APP-SITE-ASSOCIATION",
    "/apple-app-site-association.json", "/", "/.well-known/", "/.well-known/assetlinks.jso",
    "/assetlinks.json", "/webauthn", "*",
    "example.com", "/apple-app-site-association;x", "/apple-app-site-association#x",
    "/.well-known/apple-app-site-association%00", "ftp://example.com/apple-app-site-association",
    "http://example.com", "http://example.com/", "http://example.com//apple-app-site-association",
  ])
  func anyOtherSpellingOfThePathIsNotFoundAndNeverRedirected(target: String) throws {
    let response = try Serving().answer("GET", target)
    #expect(response.status == 404)
    #expect(response["Location"] == nil)
    #expect(Serving.code(response) == "unknown-path")
  }

  @Test(arguments: [
    "?", "?x=1", "?a&b&c=%00&%", "?//..//?", "?" + String(repeating: "a", count: 900),
  ])
  func aQueryIsIgnored(query: String) throws {
    #expect(try Serving().answer("GET", Serving.path + query).status == 200)
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "BREW"])
  func anotherMethodIsAnswered405WithAllow(method: String) throws {
    let response = try Serving().answer(method)
    #expect(response.status == 405)
    #expect(response["Allow"] == "GET, HEAD")
    #expect(Serving.code(response) == "method-not-allowed")
  }

  @Test func errorsAreSmallJSONAndNotStored() throws {
    let response = try Serving().answer(host: "other.example")
    #expect(response.status == 404)
    #expect(response["Content-Type"] == "application/json")
    #expect(response["X-Content-Type-Options"] == "nosniff")
    #expect(response["Cache-Control"] == "no-store")
    #expect(Serving.code(response) == "unknown-host")
    #expect(response.body.count < 200)
  }

  @Test func aConnectionServesSeveralRequestsAlsoPipelined() throws {
    let serving = try Serving(["a.example": "A", "b.example": "BB"])
    let connection = try serving.connect()
    func request(_ host: String) -> String {
      "GET \(Serving.path) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
    }
    try connection.send(
      ["a.example", "b.example", "c.example", "a.example"].map(request).joined())
    #expect(try connection.readResponse().text == "A")
    #expect(try connection.readResponse().text == "BB")
    #expect(try connection.readResponse().status == 404)
    #expect(try connection.readResponse().text == "A")
    #expect(try connection.exchange(request("b.example")).text == "BB")
  }

  @Test func http10IsServedAndClosed() throws {
    let serving = try Serving()
    let connection = try serving.connect()
    try connection.send("GET \(Serving.path) HTTP/1.0\r\nHost: example.com\r\n\r\n")
    #expect(try connection.readResponse().text == #"{"applinks":{}}"#)
    #expect(try connection.readToEnd().isEmpty)
  }

  @Test func http10MayKeepTheConnection() throws {
    let serving = try Serving()
    let connection = try serving.connect()
    let request =
      "GET \(Serving.path) HTTP/1.0\r\nHost: example.com\r\nConnection: keep-alive\r\n\r\n"
    #expect(try connection.exchange(request)["Connection"] == "Keep-Alive")
    #expect(try connection.exchange(request).status == 200)
  }

  /// Long before the idle time is over, whether the end comes with the request or after it, and whether
  /// it is the first request of the connection.
  @Test(arguments: [0, 1, 3])
  func aClientThatHasEndedItsSendingIsAnsweredAndClosed(earlier: Int) throws {
    let serving = try Serving()
    let request = "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\n\r\n"
    for isOnePacket in [true, false] {
      let connection = try serving.connect()
      for _ in 0..<earlier { #expect(try connection.exchange(request).status == 200) }
      if isOnePacket {
        connection.sendLast(request + request)
      } else {
        try connection.send(request + request)
        connection.closeWriting()
      }
      for _ in 0..<2 { #expect(try connection.readResponse().text == #"{"applinks":{}}"#) }
      #expect(try connection.readToEnd().isEmpty)
    }
  }
}
