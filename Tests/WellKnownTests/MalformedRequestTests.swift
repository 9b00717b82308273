import TestSupport
import Testing

/// The listener with prepared answers.
@Suite struct MalformedRequestTests {
  @Test(arguments: MalformedRequests.heads(host: "example.com", target: Serving.path))
  func aMalformedRequestIsAnswered400OnceAndNothingAfterIt(head: String) throws {
    let serving = try Serving()
    let statuses = try MalformedRequests.statuses(of: head, valid: AbuseTests.request) {
      try serving.connect()
    }
    #expect(statuses == [[400], [400], [200, 400]])
  }

  @Test func whatLooksUnusualButIsRightIsServed() throws {
    let connection = try Serving().connect()
    let odd = "X:\r\nY: \t a b \t \r\n!#$%&'*+-.^_`|~9: z\r\nContent-Length: 00\r\n"
    for query in ["", "?a+b&c=%20", "?a=b?c"] {
      let text = "GET \(Serving.path)\(query) HTTP/1.1\r\nHost: example.com\r\n\(odd)\r\n"
      #expect(try connection.exchange("\r\n" + text).status == 200)
    }
  }

  /// Also where libmicrohttpd would answer such fields itself.
  @Test func aClientMayWaitForTheAnswerBeforeItSendsABody() throws {
    let serving = try Serving()
    for line in ["Content-Length: 0", "Content-Length: 5", "Content-Length: 99999999999999999999"] {
      let connection = try serving.connect()
      try connection.send(
        "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\nExpect: 100-continue\r\n\(line)\r\n\r\n"
      )
      let statuses = RawResponse.statuses(in: try connection.readToEnd())
      #expect(statuses == [line == "Content-Length: 0" ? 200 : 413])
    }
  }
}
