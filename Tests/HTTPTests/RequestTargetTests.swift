import HTTP
import Testing

@Suite struct RequestTargetTests {
  @Test func aPathIsSplitBeforeItIsDecoded() throws {
    let target = try RequestTarget("/v1/a%2Fb//%C3%BC/?q=1".utf8)
    #expect(target.path == "/v1/a%2Fb//%C3%BC/")
    #expect(target.segments == ["v1", "a/b", "", "ü", ""])
  }

  @Test func dotSegmentsAreKept() throws {
    #expect(try RequestTarget("/a/../b/./%2e%2e".utf8).segments == ["a", "..", "b", ".", ".."])
  }

  @Test func queryParametersAreDecodedInOrder() throws {
    let items = try RequestTarget("/x?a=1+2&b&a=%26%3D&=e&&c==".utf8).queryItems
    #expect(items.map(\.name) == ["a", "b", "a", "", "c"])
    #expect(items.map(\.value) == ["1 2", "", "&=", "e", "="])
  }

  @Test func theAuthorityOfAnAbsoluteTargetIsIgnored() throws {
    let target = try RequestTarget("HTTP://Example.com:8081/v1/apps?x".utf8)
    #expect(target.segments == ["v1", "apps"])
    #expect(try RequestTarget("http://example.com".utf8).path == "/")
    #expect(try RequestTarget("http://example.com?q".utf8).queryItems.map(\.name) == ["q"])
  }

  @Test func theAsteriskOfOptionsIsATarget() throws {
    let target = try RequestTarget("*".utf8)
    #expect(target.path == "*" && target.segments.isEmpty)
  }

  @Test(arguments: [
    ("/a%00b", RequestTarget.Malformed.character), ("/a b", .character), ("/ü", .character),
    ("/a\u{7F}", .character), ("/%", .escape), ("/%4", .escape), ("/%zz", .escape),
    ("/%FF", .encoding), ("/%C3", .encoding), ("/%ED%A0%80", .encoding), ("/?a=%00", .character),
    ("/?%FF", .encoding), ("", .form), ("v1/apps", .form), ("ftp://x/", .form), ("**", .form),
    ("example.com:80", .form),
  ])
  func aMalformedTargetIsRefused(text: String, reason: RequestTarget.Malformed) {
    #expect(throws: reason) { try RequestTarget(text.utf8) }
  }
}
