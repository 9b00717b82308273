import Association
import Glibc
import Store
import TestSupport
import Testing

/// Ctrl-C leaves all of what a command does, or nothing of it.
@Suite(TemporaryDatabase.isFile) struct InterruptionTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }

  init() throws {
    scratch = try TemporaryDirectory()
    _ = try Store(.file(database), now: { 0 })
  }

  /// Starts a command whose temporary files are in the same directory.
  private func start(_ words: [String]) throws -> ChildProcess {
    try ChildProcess(
      Program.aasa, words, environment: Program.environment(["TMPDIR": scratch.path("")]),
      output: scratch.path("out"), errors: scratch.path("err"))
  }

  private func files() -> [String] {
    var names: [String] = []
    guard let directory = opendir(scratch.path("")) else { return names }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP], ["backup", "copy", "restore"])
  func anInterruptedCopyLeavesNoFile(signal: Int32, command: String) throws {
    // Somebody holds the database, so that the command cannot finish.
    let holder = try DatabaseLocation.file(database).connect()
    try holder.execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
    let target = scratch.path("new.db")
    let process =
      switch command {
      case "backup": try start(["backup", "--database", database, target])
      case "copy": try start(["copy", "--from", database, "--to", target])
      default: try start(["restore", "--database", target, database])
      }
    #expect(becomesTrue { files().contains { $0.hasSuffix(".part") } })
    process.signal(signal)
    // On a slow machine, it may have given up before.
    #expect(try [.killed(bySignal: signal), .exited(1)].contains(process.waitForEnd()))
    let left = files().filter { $0.hasSuffix(".part") || $0 == "new.db" }
    #expect(left.isEmpty, "\(left)")
  }

  @Test func anInterruptedApplyChangesNothing() throws {
    let count = 3000
    let domains = (0..<count).map { number -> JSON in
      ["domain": .string("d\(number).example"), "labels": [.string("label-\(number)")]] as JSON
    }
    let state = try scratch.write(
      JSON.object(["domains": .array(domains)]).serialized(), to: "state.json")
    let process = try start(["apply", "--database", database, state])
    // What does not fit into the memory of the transaction is in the WAL.
    let isWriting = becomesTrue {
      var status = stat()
      return stat(database + "-wal", &status) == 0 && status.st_size > 500_000
    }
    process.signal(SIGINT)
    let ending = try process.waitForEnd()
    let found = try Store(.file(database), now: { 0 }).domains(limit: 1).total
    #expect(isWriting)
    #expect(ending == .killed(bySignal: SIGINT) ? found == 0 : found == count)
  }
}
