import Association
import TestSupport
import Testing

@Suite struct LimitTests {
  let running: RunningService
  var admin: Client { running.admin }
  let target = "/v1/domains/example.com"
  private let limit = 131_072

  init() throws { running = try RunningService(maxBodyBytes: 1_048_576) }

  /// A file of exactly this many bytes, padded with a comment.
  private func file(bytes: Int) -> JSON {
    func file(_ comment: String) -> JSON {
      [
        "applinks": [
          "details": [
            [
              "appIDs": [.string(app)], "components": [["/": "/big", "comment": .string(comment)]],
            ],
            ["appIDs": [.string(otherApp)], "components": [["/": "/small"]]],
          ]
        ]
      ]
    }
    return file(String(repeating: "x", count: bytes - file("").serialized().count))
  }

  @Test func aDocumentOfExactlyTheLimitIsServed() throws {
    let response = try admin.send("PUT", target + "/file", json: file(bytes: limit))
    #expect(response.status == 201, "\(response.text.prefix(300))")
    #expect(try response.json["bytes"] == .integer(limit))
    let codes = try response.json["findings"]?.arrayValue?.map { $0["code"] }
    #expect(codes?.contains("near-size-limit") == true)
    #expect(try running.serve("example.com").body.count == limit)
  }

  @Test func aDocumentOneByteOverTheLimitIsRefusedWithAnAccountOfItsBytes() throws {
    _ = try admin.send("PUT", target + "/file", json: file(bytes: 1000))
    let before = try running.serve("example.com").body
    let response = try admin.send("PUT", target + "/file", json: file(bytes: limit + 1))
    #expect(try response.status == 413 && response.code == "too-large")
    #expect(try response.faults == [": too-large"])
    let account = try response.json["account"]
    #expect(account?["bytes"] == .integer(limit + 1) && account?["limit"] == .integer(limit))
    #expect(account?["apps"]?[0]?["app"] == .string(app))
    #expect(account?["apps"]?[1]?["app"] == .string(otherApp))
    #expect(account?["routes"]?[0]?["pointer"] == "/applinks/details/0/components/0")
    #expect((account?["routes"]?[0]?["bytes"]?.integerValue ?? 0) > 130_000)
    #expect(try running.serve("example.com").body == before)
  }

  @Test func whitespaceDoesNotCountTowardsTheLimit() throws {
    let file = Array(file(bytes: limit).prettyPrinted().utf8)
    #expect(file.count > limit)
    #expect(try admin.send("PUT", target + "/file", body: file).status == 201)
    #expect(try running.serve("example.com").body.count == limit)
  }

  @Test func anEditThatGrowsADocumentOverTheLimitIsRefused() throws {
    let response = try admin.send("PUT", target + "/file", json: file(bytes: limit))
    let id = try response.json["domain"]?["entries"]?[1]?["id"]?.integerValue ?? 0
    let route = try admin.send("POST", "\(target)/entries/\(id)/routes", json: ["path": "/x"])
    #expect(try route.status == 413 && route.json["account"]?["apps"] != nil)
    #expect(try running.serve("example.com").body.count == limit)
    #expect(try admin.send("GET", target)["ETag"] == "\"1\"")
  }

  /// 10,000 routes, of 1,000 apps.
  private func tenThousandRoutes(_ key: String, _ route: (Int) -> JSON) -> JSON {
    let entries = (0..<1000).map { entry -> JSON in
      let routes = (0..<10).map { route(entry * 10 + $0) }
      return ["appID": .string("ABCDE12345.a\(entry)"), key: .array(routes)]
    }
    return ["applinks": ["apps": [], "details": .array(entries)]]
  }

  @Test func tenThousandLongRoutesAreRefusedWithAnAccount() throws {
    let file = tenThousandRoutes("components") { ["/": .string("/some/path/number/\($0)/*")] }
    let response = try admin.send("PUT", target + "/file", json: file)
    #expect(try response.status == 413 && response.code == "too-large")
    #expect(try response.json["account"]?["routes"]?.arrayValue?.count == 20)
    #expect(try response.json["account"]?["apps"]?.arrayValue?.count == 1000)
    #expect(try running.serve("example.com").status == 404)
  }

  @Test func tenThousandShortRoutesAreServedAndReordered() throws {
    let file = tenThousandRoutes("paths") { .string("/" + String($0, radix: 36)) }
    let response = try admin.send("PUT", target + "/file", json: file)
    #expect(response.status == 201, "\(response.text.prefix(300))")
    #expect(try running.served("example.com") == file)
    let entry = try response.json["domain"]?["entries"]?[999]
    let ids = entry?["routes"]?.arrayValue?.compactMap { $0["id"] } ?? []
    #expect(ids.count == 10)
    let put = try admin.send(
      "PUT", "\(target)/entries/\(entry?["id"]?.integerValue ?? 0)/routes",
      json: ["routes": .array(ids.reversed())])
    #expect(put.status == 200)
    let served = try running.served("example.com")["applinks"]?["details"]?[999]?["paths"]
    let paths = file["applinks"]?["details"]?[999]?["paths"]?.arrayValue ?? []
    #expect(served == .array(paths.reversed()))
  }

  @Test func aBodyOverTheLimitIsRefusedAndTheServerGoesOn() throws {
    for count in [1_048_577, 3_000_000] {
      let connection = try RawConnection(port: running.admin.port)
      let head = ["PUT \(target) HTTP/1.1"] + admin.lines + ["Content-Length: \(count)", "", ""]
      try connection.send(head.joined(separator: "\r\n"))
      let response = try connection.readResponseAfterSending(count)
      #expect(try response.status == 413 && response.code == "body-too-large")
    }
    #expect(try admin.send("GET", "/healthz").status == 200)
  }

  @Test(arguments: ["-1", "x", "1x", "0x10", "18446744073709551616", "1, 2", "+5", " ", "1.5"])
  func aContentLengthThatIsNotANumberIsRefused(length: String) throws {
    let connection = try RawConnection(port: running.admin.port)
    try connection.send(head("PUT", "Content-Length: \(length)") + "{}")
    #expect(try [400, 413].contains(connection.readResponse().status))
    #expect(try admin.send("GET", target).status == 404)
  }

  @Test func aContentLengthThatIsTooShortIsRefusedAsInvalidJSON() throws {
    let connection = try RawConnection(port: running.admin.port)
    try connection.send(head("PUT", "Content-Length: 4") + #"{"webcredentials":{"apps":[]}}"#)
    #expect(try connection.readResponse().status == 400)
    #expect(try admin.send("GET", target).status == 404)
  }

  @Test func aBodyWithTwoFramingsIsRefused() throws {
    for lines in [
      "Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    ] {
      let connection = try RawConnection(port: running.admin.port)
      try connection.send(head("PUT", lines) + "2\r\n{}\r\n0\r\n\r\n")
      #expect(try [400, 501].contains(connection.readResponse().status))
    }
    #expect(try admin.send("GET", target).status == 404)
  }

  @Test func hugeObjectsAreAnswered() throws {
    let text = "{" + (0..<60_000).map { "\"k\($0)\":null" }.joined(separator: ",") + "}"
    try running.put("example.com", [:])
    for (method, path) in [("PATCH", target), ("PUT", target), ("PUT", target + "/file")] {
      let response = try admin.send(method, path, body: Array(text.utf8))
      #expect([200, 413, 422].contains(response.status), "\(method) \(path)")
    }
  }

  private func head(_ method: String, _ lines: String) -> String {
    let all = ["\(method) \(target)/file HTTP/1.1"] + admin.lines + [lines, "", ""]
    return all.joined(separator: "\r\n")
  }
}

extension RawConnection {
  /// Sends up to so many bytes, as long as the server takes them, and reads its answer.
  fileprivate func readResponseAfterSending(_ count: Int) throws -> RawResponse {
    do {
      try send(Array(repeating: UInt8(ascii: " "), count: count))
    } catch Failure.system {
      // The server may close before it has read all of it; its answer is there all the same.
    }
    return try readResponse()
  }
}
