import FoundationEssentials
import Glibc
import Association
import Store
import TestSupport
import Testing

/// Edits, reads, reloads, kills, a full disk and faults of SQLite, mixed for a few rounds, or for as long
/// as `make soak` says.
@Suite(.enabled(if: MountedDirectory.isPossible, "needs to be root, to mount a small disk"))
struct SoakTests {
  private let disk: MountedDirectory
  private let faults: DiskFaults
  private let domains = (1...4).map { SoakedDomain("d\($0).example") }
  private var database: String { disk.path("aasa.db") }

  init() throws {
    disk = try MountedDirectory(kilobytes: 32_768)
    faults = try DiskFaults()
  }

  /// One server lives through everything; one beside it, on the same database, is killed every round.
  @Test func whateverHappensAcknowledgedEditsAreServedAndMemoryStaysTheSame() throws {
    let environment = ProcessInfo.processInfo.environment
    let seconds = try environment["SOAK_MINUTES"].map { try #require(Double($0)) * 60 } ?? 0
    let start = ContinuousClock.now
    let server = try RunningServer(
      database: database, arguments: ["--keep-revisions", "3"], environment: faults.environment)
    let token = try server.firstToken()
    var baseline: Usage?
    var rounds = 0
    repeat {
      rounds += 1
      try everythingOnce(server, token)
      let usage = try Usage(of: server)
      let isWarm = start.duration(to: .now) >= .seconds(min(60, seconds / 4))
      if baseline == nil && isWarm { baseline = usage }
      if rounds % 20 == 1 { print("round \(rounds): \(usage), \(domains.map(\.edits))") }
    } while start.duration(to: .now) < .seconds(seconds) || rounds < 2
    let before = try #require(baseline)
    let isBack = try becomesTrue {
      try Usage(of: server).descriptors <= before.descriptors
    }
    let after = try Usage(of: server)
    print("\(rounds) rounds, \(domains.map(\.edits)) edits, \(before) and at the end \(after)")
    #expect(isBack, "\(before), \(after)")
    #expect(after.bytes <= before.bytes + before.bytes / 10 + 8 << 20, "\(before), \(after)")
    #expect(try server.end() == .exited(0))
  }

  private func everythingOnce(_ server: RunningServer, _ token: String) throws {
    try editAndReadAtOnce(server, token)
    disk.fill()
    for domain in domains { try domain.edit(server.client(token: token)) }
    try disk.makeRoom()
    try checkAll(server, "after a full disk")
    for lasts in [false, true] {
      try failEachOperation(server, token, lasts: lasts)
      try checkAll(server, "after faults")
    }
    let database = try SQLiteConnection(path: database, mode: .readOnly)
    #expect(try database.faults() == ["ok"])
  }

  /// Two domains are edited on each of two servers, while one reloads; the other is killed.
  private func editAndReadAtOnce(_ server: RunningServer, _ token: String) throws {
    let other = try RunningServer(database: database)
    let servers = [server, server, other, other]
    let edits = zip(domains, servers).map { domain, server in
      { @Sendable in domain.editUntilItFails(server.client(token: token), atMost: 25) }
    }
    let reads = Counter()
    let reader = { @Sendable in
      for _ in 0..<200 where Self.isAnswered(server, self.domains[0].name) { reads.add() }
    }
    let threads = Threads(edits + [reader])
    server.process.signal(SIGHUP)
    #expect(becomesTrue { domains[2].edits % 25 > 5 || domains[3].edits % 25 > 5 })
    #expect(try other.end(SIGKILL) == .killed(bySignal: SIGKILL))
    #expect(threads.end())
    #expect(reads.count == 200, "reads without an answer")
    try checkAll(server, "after a kill")
  }

  private static func isAnswered(_ server: RunningServer, _ host: String) -> Bool {
    do {
      return [200, 404].contains(try server.file(of: host).status)
    } catch {
      return false
    }
  }

  /// Edits with the first operation of SQLite's files failing, then the second, and so on, until an edit
  /// needs no more operations.
  private func failEachOperation(
    _ server: RunningServer, _ token: String, lasts: Bool
  ) throws {
    let client = server.client(token: token)
    for number in 1...500 {
      let domain = domains[number % domains.count]
      faults.set(operation: number, lasts: lasts)
      try domain.edit(client)
      let hasFailed = faults.clear() > 0
      try domain.check(server, "operation \(number), lasting: \(lasts)")
      if !hasFailed { return }
    }
    Issue.record("an edit of more than 500 operations")
  }

  private func checkAll(_ server: RunningServer, _ moment: String) throws {
    for domain in domains { try domain.check(server, moment) }
  }
}

/// A domain with one route, whose path is the number of the edit.
private final class SoakedDomain: Sendable {
  let name: String
  private let last = Counter()
  private let acknowledged = Counter()
  /// The last edit that was not answered, so that nobody knows whether it was made.
  private let unanswered = Counter()

  init(_ name: String) { self.name = name }

  var edits: Int { last.count }

  /// Edits once; problems that the API promises are refusals.
  func edit(_ client: Client) throws {
    last.add()
    let answer = try client.send(
      "PUT", "/v1/domains/\(name)/file", json: AssociationFile.routes(["/\(last.count)"]))
    let code = answer.status < 300 ? nil : try answer.code
    if code == nil || code == "committed-not-served" {
      acknowledged.add(last.count - acknowledged.count)
    } else {
      let refusals = ["database-unavailable", "database-busy", "busy", "disk-full"]
      #expect(refusals.contains(code ?? ""), "\(answer.text)")
    }
  }

  /// Edits until the server is killed.
  func editUntilItFails(_ client: Client, atMost count: Int) {
    for _ in 0..<count {
      do {
        try edit(client)
      } catch {
        return unanswered.add(last.count - unanswered.count)
      }
    }
  }

  /// What is served is what was acknowledged.
  func check(_ server: RunningServer, _ moment: String) throws {
    var served: Int?
    let isRight = try becomesTrue {
      let file = try server.file(of: name)
      served =
        file.status == 404
        ? 0
        : try AssociationFile.paths(of: file.json)?.first
          .flatMap { Int($0.dropFirst()) }
      return served == acknowledged.count
        || served == unanswered.count && unanswered.count > acknowledged.count
    }
    #expect(
      isRight, "\(moment): \(name) serves \(served ?? -1), not \(acknowledged.count)")
    if let served { acknowledged.add(served - acknowledged.count) }
  }
}

/// Faults of the files of a server's database.
private final class DiskFaults: Sendable {
  private let scratch: TemporaryDirectory
  private let control: String
  let environment: [String: String]

  init() throws {
    scratch = try TemporaryDirectory()
    let library = scratch.path("faulty.so")
    let source =
      #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
      + "/Fixtures/faulty-vfs.c"
    let compiled = try Program.run(
      "/usr/bin/env",
      ["clang", "-shared", "-fPIC", "-O1", "-o", library, source, "-lsqlite3"])
    try #require(compiled.status == 0, "\(compiled.errors)")
    control = try scratch.write([UInt8](repeating: 0, count: 24), to: "faults")
    environment = ["LD_PRELOAD": library, "FAULTS_FILE": control]
  }

  /// The operation with this number fails, counted from 1, and if it lasts, all after it.
  func set(operation: Int, lasts: Bool) { write([0, lasts ? 1 : 0, Int64(operation)]) }

  /// Nothing fails any more. Returns how many operations failed.
  func clear() -> Int64 {
    let failed = read().failed
    write([0, 0, 0])
    return failed
  }

  private func read() -> (left: Int64, lasts: Int64, failed: Int64) {
    var values: [Int64] = [0, 0, 0]
    let descriptor = open(control, O_RDONLY | O_CLOEXEC)
    pread(descriptor, &values, 24, 0)
    close(descriptor)
    return (values[0], values[1], values[2])
  }

  /// Writes the number of failed operations, whether faults last, and what is left, in this order: the
  /// last one starts them.
  private func write(_ values: [Int64]) {
    let descriptor = open(control, O_WRONLY | O_CLOEXEC)
    for (value, place) in zip(values, [16, 8, 0]) {
      var value = value
      pwrite(descriptor, &value, 8, off_t(place))
    }
    close(descriptor)
  }
}

/// What a server uses.
private struct Usage: CustomStringConvertible {
  let bytes: Int
  let descriptors: Int

  init(of server: RunningServer) throws {
    let metrics = try Metrics(of: server)
    bytes = Int(try #require(metrics["process_resident_memory_bytes"]))
    descriptors = Int(try #require(metrics["process_open_fds"]))
  }

  var description: String { "\(bytes >> 10) KB, \(descriptors) descriptors" }
}
