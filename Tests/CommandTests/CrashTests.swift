import Foundation
import Association
import Store
import Synchronization
import TestSupport
import Testing

/// `kill -9` at any moment.
@Suite struct CrashTests {
  private let scratch: TemporaryDirectory
  private let clients = (1...3).map { EditingClient(domain: "d\($0).example") }
  private let rounds = 15
  private var database: String { scratch.path("aasa.db") }

  init() throws { scratch = try TemporaryDirectory() }

  @Test func aKilledServerLosesNoAcknowledgedEditAndKeepsNoPartialOne() throws {
    var random = SeededGenerator(seed: 20_261_121)
    var token: String?
    var count = 0
    for round in 1...rounds {
      let server = try RunningServer(database: database)
      let secret = try token ?? server.firstToken()
      token = secret
      let client = server.client(token: secret)
      for editor in clients { try check(editor, client, server, round) }
      count += try editUntilKilled(server, client, &random)
    }
    let server = try RunningServer(database: database)
    let client = server.client(token: try #require(token))
    for editor in clients { try check(editor, client, server, rounds + 1) }
    #expect(count > rounds, "too few edits to show anything")
    print("killed \(rounds) times among \(count) acknowledged edits")
  }

  /// Lets the clients edit, kills the server after some acknowledgements and a moment, and returns
  /// how many there were.
  private func editUntilKilled(
    _ server: RunningServer, _ client: Client, _ random: inout SeededGenerator
  ) throws -> Int {
    let acknowledged = Counter()
    let threads = Threads(
      clients.map { editor in { editor.edit(client) { acknowledged.add() } } })
    let enough = Int.random(in: 0...15, using: &random)
    #expect(becomesTrue { acknowledged.count >= enough })
    // Not to wait for anything, but to be killed within an edit and not just after one.
    usleep(UInt32.random(in: 0...8_000, using: &random))
    server.process.signal(SIGKILL)
    #expect(try server.process.waitForEnd() == .killed(bySignal: SIGKILL))
    #expect(threads.end())
    for editor in clients { try #require(editor.complaint == nil) }
    return acknowledged.count
  }

  /// What a domain is after a crash: what was acknowledged last, or what was sent after it.
  private func check(
    _ editor: EditingClient, _ client: Client, _ server: RunningServer, _ round: Int
  ) throws {
    let file = try client.send("GET", "/v1/domains/\(editor.domain)/file")
    let served = try server.file(of: editor.domain)
    if file.status == 404 {
      #expect(editor.acknowledged.revision == 0, "round \(round): an acknowledged domain is lost")
      #expect(served.status == 404)
      return
    }
    let edition = EditingClient.Edition(
      revision: Int(file["ETag"]?.filter(\.isNumber) ?? "") ?? 0,
      paths: try #require(AssociationFile.paths(of: file.json)))
    #expect(
      edition == editor.acknowledged || edition == editor.pending,
      "round \(round): neither \(editor.acknowledged) nor \(String(describing: editor.pending))")
    #expect(served.body == file.body, "round \(round): what is served is not the revision")
    let domain = try client.send("GET", "/v1/domains/\(editor.domain)").json
    #expect(Self.paths(ofDomain: domain) == edition.paths, "the rows are those of the revision")
    try checkRows(editor.domain, edition.revision, served)
    editor.resume(at: edition)
  }

  private static func paths(ofDomain domain: JSON) -> [String]? {
    domain["entries"]?.arrayValue?.first?["routes"]?.arrayValue?
      .compactMap { $0["path"]?.stringValue }
  }

  /// Revisions have the numbers from 1 without a gap, and the last one is what is served.
  private func checkRows(_ name: String, _ revision: Int, _ served: RawResponse) throws {
    let connection = try SQLiteConnection(path: database, mode: .readOnly)
    let rows = try connection.all(
      """
      SELECT revision, sha256 FROM document JOIN domain_name USING (domain_id)
      WHERE name = ? ORDER BY revision
      """, [.text(name)]
    ) { ($0.int(0), $0.text(1)) }
    #expect(rows.map(\.0) == Array(1...revision))
    #expect(served["ETag"]?.contains(rows.last?.1 ?? "none") == true)
    #expect(try connection.faults() == ["ok"])
  }
}
