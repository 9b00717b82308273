import Glibc
import Association
import Store
import Synchronization
import TestSupport
import Testing

/// Backups and restores beside a server that editors work on, all as processes of their own.
@Suite struct BackupLoadTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }

  init() throws { scratch = try TemporaryDirectory() }

  /// What a backup has of a domain.
  private struct Saved: Equatable {
    var numbers: [Int]
    var current: Int
    var document: [UInt8]
  }

  private func read(_ path: String, _ domain: String) throws -> Saved? {
    let database = try Database { try SQLiteConnection(path: path, mode: .readOnly) }
    return try database.withConnection { connection in
      #expect(try connection.faults() == ["ok"])
      let rows = try connection.all(
        """
        SELECT document.revision, domain.revision, content FROM domain_name
        JOIN domain ON domain.id = domain_name.domain_id
        JOIN document ON document.domain_id = domain.id WHERE name = ? ORDER BY 1
        """, [.text(domain)]
      ) { ($0.int(0), $0.int(1), $0.blob(2)) }
      return rows.last.map { Saved(numbers: rows.map(\.0), current: $0.1, document: $0.2) }
    }
  }

  @Test func everyBackupHasAllEditsAcknowledgedBeforeIt() throws {
    let server = try RunningServer(database: database)
    let client = try server.client()
    let editors = (1...3).map { EditingClient(domain: "d\($0).example") }
    let edits = Counter()
    let threads = Threads(editors.map { editor in { editor.edit(client) { edits.add() } } })
    #expect(becomesTrue { edits.count > 10 })
    for round in 1...8 {
      let file = scratch.path("backup-\(round).db")
      let before = editors.map(\.acknowledged)
      let count = edits.count
      let result = try Program.aasa("backup", file, "--database", database)
      #expect(result.status == 0, "\(result.errors)")
      #expect(becomesTrue { edits.count > count }, "editors go on")
      for (editor, before) in zip(editors, before) {
        let saved = try #require(try read(file, editor.domain))
        #expect(saved.numbers == Array(1...saved.current) && saved.current >= before.revision)
        let paths = try AssociationFile.paths(of: JSON.parse(saved.document).value)
        #expect(saved.current > before.revision || paths == before.paths)
      }
      try checkRestored(file, editors.map(\.domain))
    }
    server.process.signal(SIGKILL)
    #expect(threads.end())
    for editor in editors { #expect(editor.complaint == nil, "no edit failed") }
    print("8 backups among \(edits.count) edits")
  }

  /// What a server serves that starts on a restored backup.
  private func checkRestored(_ file: String, _ domains: [String]) throws {
    let path = file + ".restored"
    #expect(try Program.aasa("restore", file, "--database", path).status == 0)
    let server = try RunningServer(database: path)
    for domain in domains {
      #expect(try server.file(of: domain).body == read(file, domain)?.document)
    }
  }

  /// The status of the answer; 0 where there was none.
  private static func put(_ file: JSON, _ domain: String, _ client: Client) -> Int {
    do {
      return try client.send("PUT", "/v1/domains/\(domain)/file", json: file).status
    } catch {
      return 0
    }
  }

  @Test func aRestoreDuringEditsIsServedAndKeepsTheDatabaseIntact() throws {
    let server = try RunningServer(database: database)
    let client = try server.client()
    let quiet = AssociationFile.routes(["/quiet"])
    #expect(try client.send("PUT", "/v1/domains/quiet.example/file", json: quiet).status == 201)
    let file = scratch.path("backup.db")
    #expect(try Program.aasa("backup", file, "--database", database).status == 0)
    let isDone = Atomic(false)
    let answers = Mutex<[Int: Int]>([:])
    let threads = Threads(
      (1...3).map { number in
        {
          var round = 0
          while !isDone.load(ordering: .relaxed) {
            round += 1
            let file = AssociationFile.routes(["/\(number)/\(round)"])
            let status = Self.put(file, "d\(number).example", client)
            answers.withLock { $0[status, default: 0] += 1 }
          }
        }
      })
    for _ in 1...10 {
      let count = answers.withLock { $0.values.reduce(0, +) }
      let other = AssociationFile.routes(["/other"])
      #expect(try client.send("PUT", "/v1/domains/quiet.example/file", json: other).status == 200)
      #expect(try Program.aasa("restore", file, "--database", database, "--force").status == 0)
      #expect(
        try becomesTrue { try server.file(of: "quiet.example").json == quiet })
      #expect(becomesTrue { answers.withLock { $0.values.reduce(0, +) } > count + 3 })
    }
    isDone.store(true, ordering: .relaxed)
    #expect(threads.end())
    #expect(
      Set(answers.withLock { $0.keys }).isSubset(of: [200, 201]), "\(answers.withLock { $0 })")
    for number in 1...3 {
      let domain = "d\(number).example"
      guard let saved = try read(database, domain) else { continue }
      #expect(try server.file(of: domain).body == saved.document)
      #expect(saved.numbers.last == saved.current)
    }
    #expect(try read(database, "quiet.example")?.numbers.first == 1)
  }
}
