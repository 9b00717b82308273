import TestSupport
import Testing
import HTTP

@Suite struct HostTests {
  static let bodies = [
    "example.com": "exact", "www.example.com": "www", "*.example.com": "wild",
    "*.go.example.com": "longer", "deep.go.example.com": "deep", "xn--bcher-kva.example": "bücher",
    "*.xn--bcher-kva.example": "wild bücher",
  ]

  @Test(arguments: [
    ("example.com", "exact"), ("EXAMPLE.Com", "exact"), ("example.com.", "exact"),
    ("example.com:8080", "exact"), ("Example.COM.:443", "exact"), ("example.com:", "exact"),
    ("www.example.com", "www"), ("shop.example.com", "wild"), ("a.b.example.com", "wild"),
    ("go.example.com", "wild"), ("x.go.example.com", "longer"), ("a.b.go.example.com", "longer"),
    ("deep.go.example.com", "deep"), ("x.deep.go.example.com", "longer"),
    ("bücher.example", "bücher"), ("BÜCHER.example:80", "bücher"),
    ("xn--bcher-kva.example", "bücher"), ("a.bücher.example", "wild bücher"),
  ])
  func theExactNameWinsThenTheLongestWildcard(host: String, body: String) throws {
    let response = try Serving(Self.bodies).answer(host: host)
    #expect(response.status == 200)
    #expect(response.text == body)
  }

  @Test(arguments: [
    "example.org", "com", "xexample.com", "example.com.evil.example", "127.0.0.1", "[::1]",
    "[::1]:80", "127.0.0.1:8080", "*.example.com", "a%2Fexample.com", "bücher.example.org",
    String(repeating: "a.", count: 130) + "example.com", "localhost",
  ])
  func anUnknownHostIsNotFound(host: String) throws {
    let response = try Serving(Self.bodies).answer(host: host)
    #expect(response.status == 404)
    #expect(Serving.code(response) == "unknown-host")
  }

  @Test(
    arguments: [
      "", " ", "a b", "user@example.com", "example.com/", "example.com:x", "example.com:80:80",
      "example.com?", "example.com#", "http://example.com", ".example.com", "a..example.com", ".",
      "example.com..", "[::1", "example.com:123456", "\"example.com\"", "a,b", "ex\u{1}ample.com",
      "<example.com>", "e\\x", "example.com:-1",
    ].filter { $0 != "a,b" })
  func aMalformedHostIsABadRequest(host: String) throws {
    let response = try Serving(Self.bodies).answer(host: host)
    #expect(response.status == 400)
    #expect(Serving.code(response) == "malformed-host")
  }

  @Test func bytesThatAreNotUTF8AreAMalformedHost() throws {
    let serving = try Serving(Self.bodies)
    let connection = try serving.connect()
    try connection.send(
      Array("GET \(Serving.path) HTTP/1.1\r\nHost: b".utf8) + [0xFF, 0xC3]
        + Array("cher.example\r\n\r\n".utf8))
    #expect(try connection.readResponse().status == 400)
  }

  @Test func twoHostFieldsAreABadRequestEvenIfTheyAreEqual() throws {
    let response = try Serving().answer(
      "GET", Serving.path, host: "example.com", "host: example.com")
    #expect(response.status == 400)
    #expect(Serving.code(response) == "repeated-host")
  }

  @Test(arguments: ["HTTP/1.1", "HTTP/1.0"])
  func noHostFieldIsABadRequest(version: String) throws {
    let response = try Serving().answer("GET", Serving.path, host: nil, version: version)
    #expect(response.status == 400)
    let isAnsweredByLibrary = HTTPLibrary.isStrict && version == "HTTP/1.1"
    #expect(Serving.code(response) == (isAnsweredByLibrary ? nil : "missing-host"))
  }

  @Test(arguments: ["http", "HTTP", "https"])
  func theAuthorityOfAnAbsoluteTargetReplacesTheHostField(scheme: String) throws {
    let serving = try Serving(Self.bodies)
    let target = "\(scheme)://WWW.example.com:80\(Serving.path)?x=1"
    #expect(try serving.answer("GET", target, host: "example.com").text == "www")
    #expect(try serving.answer("GET", target, host: nil, version: "HTTP/1.0").text == "www")
    #expect(try serving.answer("GET", target, host: nil).status == 400)
    #expect(try serving.answer("GET", target, host: "a b").status == 400)
    let withUser = "\(scheme)://user@example.com\(Serving.path)"
    #expect(try serving.answer("GET", withUser, host: "example.com").status == 400)
  }
}
