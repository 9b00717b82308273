import Foundation
import Store
import TestSupport
import Testing

@Suite struct QRCodeTests {
  let running: RunningService

  init() throws { running = try RunningService() }

  private static let longest = "https://example.com/" + String(repeating: "aB3-", count: 495)

  private func code(of url: String) throws -> RawResponse {
    let escaped = url.utf8.map { "%" + String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    return try running.client(.viewer, domains: ["a.example"]).send("GET", "/v1/qr?url=\(escaped)")
  }

  @Test(
    SystemProgram.need("rsvg-convert", "zbarimg"),
    arguments: [
      "https://a", "https://example.com/shop?a=1&b=%C3%A9#top", "https://EXAMPLE.COM/0123456789",
      longest,
    ])
  func aReaderReadsTheURL(url: String) throws {
    let response = try code(of: url)
    #expect(response.status == 200 && response["Content-Type"] == "image/svg+xml")
    let scratch = try TemporaryDirectory()
    try Data(response.body).write(to: URL(filePath: scratch.path("code.svg")))
    try run(
      "rsvg-convert", "--zoom=4", "--output", scratch.path("code.png"), scratch.path("code.svg"),
      in: scratch)
    try run("zbarimg", "--quiet", "--raw", scratch.path("code.png"), in: scratch)
    let text = try String(contentsOfFile: scratch.path("output"), encoding: .utf8)
    #expect(text == url + "\n")
  }

  private func run(_ name: String, _ arguments: String..., in scratch: TemporaryDirectory) throws {
    let child = try ChildProcess(
      SystemProgram(name).path ?? name, arguments, environment: ProcessInfo.processInfo.environment,
      output: scratch.path("output"), errors: scratch.path("errors"))
    let ending = try child.waitForEnd()
    let errors = try String(contentsOfFile: scratch.path("errors"), encoding: .utf8)
    #expect(ending == .exited(0), "\(name): \(errors)")
  }

  /// Version 2 has 25 modules, and a finder pattern in three corners.
  @Test func theImageHasAQuietZoneAndOnePathOfDarkModules() throws {
    let svg = try code(of: "https://example.com/shop").text
    #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 33 33\" "))
    #expect(svg.contains("shape-rendering=\"crispEdges\""))
    let paths = svg.matches(of: /<path (?:fill="([^"]*)" )?d="([^"]*)"\/>/).map(\.output)
    try #require(paths.count == 2)
    #expect(paths[0].1 == "#fff" && paths[0].2 == "M0 0h33v33H0z" && paths[1].1 == nil)
    #expect(paths[1].2.hasPrefix("M4 4h7v1h-7z") && paths[1].2.contains("zM22 4h7v1h-7z"))
    #expect(paths[1].2.contains("zM4 28h7v1h-7z"))
  }

  @Test(arguments: [
    ("", "malformed-url"), ("http://example.com", "malformed-url"), ("https://", "malformed-url"),
    ("https:///a", "malformed-url"), ("https://?a", "malformed-url"),
    ("https://example.com/a b", "malformed-url"), ("https://example.com/é", "malformed-url"),
    ("https://example.com/\n", "malformed-url"), ("javascript:alert(1)", "malformed-url"),
    (longest + "a", "parameter-too-long"),
  ])
  func onlyAnHTTPSURLIsDrawn(url: String, problem: String) throws {
    let response = try code(of: url)
    #expect(try response.status == 400 && response.code == problem, "\(response.text)")
  }

  @Test func itNeedsATokenAndAURL() throws {
    #expect(try running.client().send("GET", "/v1/qr?url=https://a.example").status == 401)
    #expect(try running.admin.send("GET", "/v1/qr").status == 400)
    #expect(try running.admin.send("HEAD", "/v1/qr?url=https://a.example").status == 200)
  }
}
