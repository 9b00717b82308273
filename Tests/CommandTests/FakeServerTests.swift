import Checking
import FoundationEssentials
import Glibc
import Association
import TestSupport
import Testing

/// What commands with `--server` say of answers that the server itself never or seldom gives.
@Suite struct FakeServerTests {
  private let listener: ListeningDescriptor
  private let scratch: TemporaryDirectory

  init() throws {
    listener = try ListeningDescriptor()
    scratch = try TemporaryDirectory()
  }

  /// Answers one connection with these bytes, the last of them as often as `times` says, and closes it.
  private func answer(_ text: String..., times: Int = 1) -> Threads {
    Threads([
      { [listener] in
        let connection = accept(listener.descriptor, nil, nil)
        defer { close(connection) }
        var request = [UInt8](repeating: 0, count: 65_536)
        _ = recv(connection, &request, request.count, 0)
        for text in text.dropLast() + Array(repeating: text.last ?? "", count: times) {
          var rest = Array(text.utf8)[...]
          while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
              send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
          }
        }
        shutdown(connection, Int32(SHUT_WR))
        // Reads what is left, so that the close does not reset the connection.
        while recv(connection, &request, request.count, 0) > 0 {}
      }
    ])
  }

  private func run(_ words: String...) throws -> Program.Result {
    try run(words[0], Array(words.dropFirst()))
  }

  private func run(_ command: String, _ words: [String]) throws -> Program.Result {
    try Program.run(
      Program.aasa, [command] + words + ["--server", "http://127.0.0.1:\(listener.port)"],
      environment: ["AASA_TOKEN": "aasa_x"], in: scratch)
  }

  @Test func aBusyServerIsReportedWithTheTimeToWait() throws {
    let problem = #"{"title":"Service Unavailable","detail":"Busy.","code":"busy"}"#
    let thread = answer(
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: \(problem.utf8.count)\r\n\r\n"
        + problem)
    let result = try run("export")
    #expect(result.status == 69 && result.output.isEmpty)
    #expect(
      result.errors == "http://127.0.0.1:\(listener.port): Busy. Wait at least 7 seconds.\n")
    #expect(thread.end())
  }

  private static let ends: [(status: Int, code: String?, exit: Int32)] = [
    (400, "malformed-path", 1), (404, "domain-not-found", 1), (409, "changed-elsewhere", 1),
    (412, "stale-revision", 1), (413, "body-too-large", 1), (422, "wrong-type", 1),
    // These concern the change: as one of many reasons against it, they end with 1, too.
    (403, "approval-required", 1), (403, "token-limited", 1),
    // Stored: nobody should try again.
    (500, "committed-not-served", 1),
    (401, "unauthorized", 77), (403, "role-too-low", 77), (403, nil, 77), (401, nil, 77),
    (500, "internal-error", 69), (503, "busy", 69), (503, "database-unavailable", 69),
    (507, "disk-full", 69), (429, nil, 69), (502, nil, 69), (504, nil, 69),
    (404, nil, 1), (302, nil, 1),
  ]

  /// A pipeline tries again after 69, and nobody has to change anything for that.
  @Test(arguments: ends, [["domains"], ["put", "a.example", "security.txt", "FILE"]])
  func theExitCodeTellsARefusalFromAServerThatCannotAnswer(
    end: (status: Int, code: String?, exit: Int32), words: [String]
  ) throws {
    try scratch.write("Contact: mailto:security@example.com\n", to: "FILE")
    let problem = end.code.map { #"{"title":"No","status":\#(end.status),"code":"\#($0)"}"# }
    let body = problem ?? "<html>"
    let thread = answer(
      "HTTP/1.1 \(end.status) No\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
    let result = try run(words[0], Array(words.dropFirst()))
    #expect(result.status == end.exit, "\(result.errors)")
    #expect(result.output.isEmpty && !result.errors.isEmpty)
    #expect(thread.end())
  }

  @Test(arguments: [
    ["domains"], ["show", "a.example"], ["diff", "state.json"], ["apply", "state.json"],
    ["export", "state"], ["render", "site"], ["check", "--label", "a"], ["undo", "1"],
    ["match", "https://a.example/"], ["token", "rotate", "a"], ["draft", "list"],
    ["import", "--domain", "a.example", "file.json"], ["replicas"],
  ])
  func aServerThatIsDownIsNoRefusal(words: [String]) throws {
    try scratch.write(#"{"domains": []}"#, to: "state.json")
    try scratch.write(#"{"applinks": {"details": []}}"#, to: "file.json")
    let port = try ListeningDescriptor().port
    let result = try Program.run(
      Program.aasa, words + ["--server", "http://127.0.0.1:\(port)"],
      environment: ["AASA_TOKEN": "aasa_x"], in: scratch)
    #expect(result.status == 69, "\(result.errors)")
    #expect(result.errors.contains("http://127.0.0.1:\(port) does not answer: "))
    let help = try Program.run(
      Program.aasa,
      words.prefix(1) + (Self.families.contains(words[0]) ? [words[1]] : []) + ["--help"])
    #expect(help.output.contains("\n  69  the server or the database"))
  }

  private static let families: Set = ["token", "draft"]

  @Test func aProxyThatCannotReachTheServerIsNotTakenForAWrongURL() throws {
    let thread = answer("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>")
    let result = try run("export", "state")
    #expect(result.status == 69)
    #expect(result.errors.contains("sent status 502 without an explanation from aasa"))
    #expect(!FileManager.default.fileExists(atPath: scratch.path("state")))
    #expect(thread.end())
  }

  @Test func anExportThatBreaksOffFails() throws {
    let thread = answer(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
      "18\r\n{\"apps\":[],\"domains\":[{}\r\n")
    let result = try run("export", "state")
    #expect(result.status == 69)
    #expect(result.errors.contains(" cut its answer short: "))
    #expect(thread.end())
  }

  @Test(arguments: ["{\"status\":\"ok\"}", "[1]", "<p>", "{\"apps\":[]}", "", "}]", "\"\\"])
  func anAnswerOfAnotherProgramIsNoExport(text: String) throws {
    let thread = answer("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n" + text)
    let result = try run("export", "state")
    #expect(result.status == 1)
    #expect(result.errors.contains("an answer that is not "), "\(result.errors)")
    #expect(thread.end())
  }

  /// Nobody accepts the connections of this listener.
  @Test(arguments: [
    (
      ["apply", "state.json"],
      "To see whether it was, run 'aasa diff'. To apply the same files again is safe."
    ),
    (["undo", "1"], "To see whether it was, run 'aasa changes'."),
    (["token", "revoke", "release"], "To see whether it was, run 'aasa token list'."),
    (
      ["token", "rotate", "release"],
      "Rotate the token once more; if it was your own, as another admin or with --database."
    ),
  ])
  func whenNobodyKnowsWhetherAChangeWasMadeTheErrorSaysHowToSee(
    words: [String], remedy: String
  ) throws {
    try scratch.write(#"{"domains": []}"#, to: "state.json")
    let thread = answer("")
    let result = try Program.run(
      Program.aasa, words + ["--server", "http://127.0.0.1:\(listener.port)"],
      environment: ["AASA_TOKEN": "aasa_x"], in: scratch)
    #expect(result.status == 69)
    #expect(
      result.errors.hasSuffix("The change may have been made. \(remedy)\n"), "\(result.errors)")
    #expect(thread.end())
  }

  @Test func aServerThatDoesNotAnswerIsGivenUp() throws {
    var limits = APIClient.Limits()
    limits.pausing = 1
    limits.answering = 2
    let client = try APIClient(
      server: "http://127.0.0.1:\(listener.port)", token: "aasa_x", limits: limits)
    let reading = #expect(throws: APIClient.Unreachable.self) {
      _ = try client.send(APIClient.Request("GET", "/v1/export")) { _ in }
    }
    #expect(reading?.description.hasSuffix(" does not answer: Timeout was reached.") == true)
    let writing = #expect(throws: APIClient.Unreachable.self) {
      _ = try client.send(APIClient.Request("POST", "/v1/apply", body: Array("{}".utf8)))
    }
    #expect(writing?.isOutcomeUnknown == true)
  }

  /// 45 MB arrive in a process that may have 110 MB of addresses.
  @Test func aLargeExportNeedsNoMoreMemoryThanItsLargestDomain() throws {
    let domain =
      #"{"domain":"a.example","entries":[{"apps":[],"note":"\#(String(repeating: "x", count: 900_000))"}]}"#
    let chunk = { (text: String) in String(text.utf8.count, radix: 16) + "\r\n\(text)\r\n" }
    let thread = answer(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + chunk("{\"apps\":[],\"domains\":[\(domain)"), chunk("," + domain), times: 49)
    let script = "ulimit -v 110000; \"$0\" export --server \"$1\" 2>&1 | wc -c"
    let result = try Program.run(
      "bash", ["-c", script, Program.aasa, "http://127.0.0.1:\(listener.port)"],
      environment: ["AASA_TOKEN": "aasa_x"], seconds: 120)
    #expect(try #require(Int(result.output.filter(\.isNumber))) > 44_000_000)
    #expect(thread.end())
  }
}
