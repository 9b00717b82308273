import HTTP
import TestSupport
import Testing
import WellKnown

@Suite struct LimitTests {
  private static func request(_ lines: String) -> String {
    "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\n\(lines)\r\n"
  }

  @Test func aHeaderOfFourKilobytesIsServed() throws {
    let fill = 4096 - Self.request("X: \r\n").utf8.count
    let response = try Serving().connect().exchange(
      Self.request("X: \(String(repeating: "a", count: fill))\r\n"))
    #expect(response.status == 200)
  }

  @Test(arguments: Array(stride(from: 4097, through: 7800, by: 61)))
  func aLargerHeaderIsAnswered431(bytes: Int) throws {
    let fill = bytes - Self.request("X: \r\n").utf8.count
    let response = try Serving().connect().exchange(
      Self.request("X: \(String(repeating: "a", count: fill))\r\n"))
    #expect(response.status == 431)
    #expect(Serving.code(response) == "header-too-large")
  }

  @Test(arguments: Array(40...140))
  func aFloodOfSmallFieldsIsAlwaysAnswered(count: Int) throws {
    let response = try Serving().connect().exchange(
      Self.request(String(repeating: "a: b\r\n", count: count)))
    #expect(response.status == (count < 100 ? 200 : 431))
  }

  @Test(arguments: ["Content-Length: 5\r\n", "Content-Length: 5\r\nExpect: 100-continue\r\n"])
  func aBodyIsRefused(lines: String) throws {
    let connection = try Serving().connect()
    let response = try connection.exchange(Self.request(lines) + "")
    #expect(response.status == 413)
    #expect(Serving.code(response) == "body-not-allowed")
  }
}
