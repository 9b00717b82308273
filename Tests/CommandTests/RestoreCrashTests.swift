import Glibc
import Association
import Store
import TestSupport
import Testing

/// `kill -9` while a database is saved or restored.
@Suite struct RestoreCrashTests {
  private let scratch: TemporaryDirectory
  private let count = 60
  private var database: String { scratch.path("aasa.db") }
  private var file: String { scratch.path("backup.db") }

  init() throws {
    scratch = try TemporaryDirectory()
    try publish("/old")
    #expect(try Program.aasa("backup", file, "--database", database).status == 0)
    try publish("/new")
  }

  /// Makes all domains have one route.
  private func publish(_ path: String) throws {
    let entry: JSON = [
      "apps": [.string(AssociationFile.app)],
      "routes": [
        ["path": .string(path), "comment": .string(String(repeating: "x", count: 90_000))]
      ],
    ]
    let domains = (1...count).map { number -> JSON in
      ["domain": .string("d\(number).example"), "entries": [entry]]
    }
    let input = JSON.object(["domains": .array(domains)]).serialized()
    let result = try Program.aasa("apply", "--database", database, "-", input: input)
    #expect(result.status == 0, "\(result.errors)")
  }

  /// The one path that all domains have; `nil` where they differ or the file is not sound.
  private func path(_ database: String) throws -> String? {
    let database = try Database { try SQLiteConnection(path: database, mode: .create) }
    return try database.withConnection { connection in
      #expect(try connection.faults() == ["ok"])
      let rows = try connection.all(
        """
        SELECT path, count(*) FROM route JOIN entry ON entry.id = entry_id
        JOIN domain ON domain.id = entry.domain_id
        JOIN document ON document.domain_id = domain.id AND document.revision = domain.revision
        WHERE instr(CAST(content AS TEXT), '"' || path || '"') GROUP BY path
        """
      ) { ($0.text(0), $0.int(1)) }
      return rows.count == 1 && rows[0].1 == count ? rows[0].0 : nil
    }
  }

  /// Runs a command and kills it after a time; returns whether it was killed.
  private func killed(_ words: [String], after seconds: Double) throws -> Bool {
    let process = try ChildProcess(
      Program.aasa, words, environment: Program.environment(), output: "/dev/null",
      errors: "/dev/null")
    // Not to wait for anything, but to be killed at any moment.
    usleep(UInt32(seconds * 1_000_000))
    process.signal(SIGKILL)
    return try process.waitForEnd() == .killed(bySignal: SIGKILL)
  }

  /// How long a command takes that is not killed, in seconds.
  private func duration(_ words: [String]) throws -> Double {
    let start = ContinuousClock.now
    #expect(try Program.run(Program.aasa, words).status == 0)
    return (ContinuousClock.now - start) / .seconds(1)
  }

  @Test func aKilledRestoreIsAllOrNothingAndCanBeRepeated() throws {
    let words = ["restore", file, "--database", database, "--force"]
    let whole = try duration(words)
    try publish("/new")
    var seen: [String: Int] = [:]
    // Around the moment of the commit, wherever it is: the machine may become faster or slower meanwhile.
    var moment = whole * 0.75
    for round in 1...16 {
      let wasKilled = try killed(words, after: moment)
      let path = try #require(try path(database), "round \(round): a mix")
      #expect(wasKilled || path == "/old")
      seen[path, default: 0] += 1
      moment *= path == "/old" ? 0.75 : 1.2
      if path == "/old" { try publish("/new") }
    }
    #expect(seen["/new", default: 0] > 3, "too few were killed on the way: \(seen)")
    #expect(try Program.run(Program.aasa, words).status == 0)
    #expect(try path(database) == "/old")
    print("killed restores left: \(seen)")
  }

  @Test func aKilledRestoreToANewPathIsAllOrNothing() throws {
    let new = scratch.path("new.db")
    let words = ["restore", file, "--database", new]
    let whole = try duration(words)
    unlink(new)
    for round in 1...10 {
      _ = try killed(words, after: whole * Double(round) / 10)
      guard access(new, F_OK) == 0 else { continue }
      #expect(try path(new) == "/old")
      unlink(new)
    }
    #expect(try Program.run(Program.aasa, words).status == 0)
  }

  @Test func aKilledBackupKeepsThePreviousOne() throws {
    let words = ["backup", file, "--database", database, "--force"]
    let whole = try duration(words)
    try publish("/newer")
    for round in 1...10 {
      _ = try killed(words, after: whole * Double(round) / 10)
      let path = try path(file)
      #expect(path == "/new" || path == "/newer")
    }
  }
}
