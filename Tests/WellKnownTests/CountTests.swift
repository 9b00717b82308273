import Association
import TestSupport
import Testing
import HTTP

@Suite struct CountTests {
  static let bot = "User-Agent: AASA-Bot/1.0.0"
  static let device = "User-Agent: swcd (unknown version) CFNetwork/1485 Darwin/23.1.0"

  @Test(arguments: [
    (bot, FetcherClass.appleCDN), ("user-agent: Mozilla/5.0 AASA-Bot", .appleCDN),
    ("User-Agent: x-AASA-Bo AASA-Bot", .appleCDN), (device, .device), ("User-Agent: swcd", .device),
    ("User-Agent: com.apple.swcd (unknown version) CFNetwork/1", .device),
    ("User-Agent: com.apple.swc", .other),
    ("User-Agent: curl/8", .other), ("User-Agent: aasa-bot", .other), ("User-Agent: xswcd", .other),
    ("User-Agent: swc", .other), ("User-Agent:", .other), ("X: AASA-Bot", .other),
  ])
  func aRequestCountsForTheClassThatItsUserAgentNames(line: String, fetcher: FetcherClass) throws {
    let serving = try Serving()
    #expect(try serving.answer("GET", Serving.path, host: "example.com", line).status == 200)
    for other in FetcherClass.allCases {
      #expect(serving.listener.counts.requests(.ok, other) == (other == fetcher ? 1 : 0))
    }
    let fetches = serving.hosts.takeFetches()
    #expect(fetches.count == 1)
    #expect(fetches.first?[fetcher] == 1)
  }

  @Test(arguments: [
    (PublicOutcome.ok, "GET", Serving.path, "example.com", ""),
    (.notModified, "GET", Serving.path, "example.com", "If-None-Match: *"),
    (.unknownHost, "GET", Serving.path, "example.org", ""),
    (.unknownHost, "GET", Serving.path, "[::1]", ""),
    (.unknownPath, "GET", "/", "example.com", ""),
    (.methodNotAllowed, "POST", Serving.path, "example.com", ""),
    (.preconditionFailed, "GET", Serving.path, "example.com", "If-Match: \"x\""),
    (.malformedRequest, "GET", Serving.path, "a b", ""),
    (.malformedRequest, "GET", "/\u{7F}", "example.com", ""),
    (
      .malformedRequest, "GET", Serving.path, "example.com",
      // The library refuses an unknown coding itself, uncounted.
      HTTPLibrary.isStrict ? "X(: y" : "Transfer-Encoding: gzip"
    ),
    (
      .headerTooLarge, "GET", Serving.path, "example.com",
      "X: \(String(repeating: "a", count: 5000))"
    ),
    (.bodyNotAllowed, "GET", Serving.path, "example.com", "Content-Length: 99999"),
  ])
  func eachOutcomeIsCountedOnce(
    outcome: PublicOutcome, method: String, target: String, host: String, line: String
  ) throws {
    let serving = try Serving()
    let response = try serving.answer(method, target, host: host, line.isEmpty ? "X: y" : line)
    #expect(response.status == outcome.status)
    for other in PublicOutcome.allCases {
      #expect(serving.listener.counts.requests(other, .other) == (other == outcome ? 1 : 0))
    }
  }

  @Test func onlyAGETThatIsAnsweredFromTheDocumentIsAFetch() throws {
    let serving = try Serving()
    _ = try serving.answer()
    _ = try serving.answer("HEAD")
    _ = try serving.answer("POST")
    _ = try serving.answer("GET", Serving.path, host: "example.com", "If-None-Match: *")
    _ = try serving.answer("GET", Serving.path, host: "example.com", "If-Match: \"x\"")
    #expect(serving.hosts.takeFetches().map { $0[.other] } == [2])
    #expect(serving.hosts.takeFetches().isEmpty)
  }

  @Test func fetchesOfADocumentThatWasReplacedAreNotLost() throws {
    let serving = try Serving()
    _ = try serving.answer()
    let next = try Serving.document(
      ["example.com"], "2", digest: Serving.otherDigest, domain: 1, revision: 2)
    serving.hosts.update(adding: [next])
    _ = try serving.answer()
    serving.hosts.update(adding: [], removing: [next])
    let fetches = serving.hosts.takeFetches().sorted { $0.revision < $1.revision }
    #expect(fetches.map(\.revision) == [1, 2])
    #expect(fetches.map { $0[.other] } == [1, 1])
  }

  @Test func noFetchIsLostWhenCountsAreTakenUnderLoad() async throws {
    let serving = try Serving(["a.example": "A", "b.example": "B"], daemons: 2)
    let perClient = 500
    let total = await withTaskGroup(of: Int.self) { group in
      for client in 0..<4 {
        group.addTask {
          do {
            let connection = try serving.connect()
            let host = client.isMultiple(of: 2) ? "a.example" : "b.example"
            for _ in 0..<perClient {
              _ = try connection.exchange(
                "GET \(Serving.path) HTTP/1.1\r\nHost: \(host)\r\n\(Self.bot)\r\n\r\n")
            }
          } catch {
            Issue.record(error)
          }
          return 0
        }
      }
      group.addTask {
        var taken = 0
        _ = becomesTrue {
          taken += serving.hosts.takeFetches().reduce(0) { $0 + $1[.appleCDN] }
          return taken == 4 * perClient
        }
        return taken
      }
      return await group.reduce(0, +)
    }
    #expect(total == 4 * perClient)
    #expect(serving.listener.counts.requests(.ok, .appleCDN) == UInt64(4 * perClient))
  }

  @Test func openConnectionsAreCountedAcrossThreads() throws {
    let serving = try Serving(daemons: 2)
    var connections = try (0..<20).map { _ in try serving.connect() }
    #expect(becomesTrue { serving.listener.counts.openConnections == 20 })
    connections.removeLast(15)
    #expect(becomesTrue { serving.listener.counts.openConnections == 5 })
  }
}
