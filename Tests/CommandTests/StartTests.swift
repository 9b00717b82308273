import FoundationEssentials
import Glibc
import Association
import Store
import Synchronization
import TestSupport
import Testing

/// What keeps a server from starting is said in a sentence that says what to do.
@Suite struct StartTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }
  private let file = AssociationFile.large("/a")

  init() throws { scratch = try TemporaryDirectory() }

  private func serve(_ words: String...) throws -> Program.Result {
    let ports = ["--public-address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0"]
    return try Program.run(Program.aasa, ["serve", "--database", database] + ports + words)
  }

  private func makeDatabase() throws {
    let result = try Program.aasa(
      "import", "--domain", "example.com", "--database", database, "-", input: file.serialized())
    #expect(result.status == 0)
  }

  private func check(_ result: Program.Result, says sentence: String) {
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(sentence), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test(arguments: ["1", "2"])
  func aPublicPortInUseIsNamed(threads: String) throws {
    let other = try RunningServer(
      database: scratch.path("other.db"), arguments: ["--threads", threads])
    let address = "127.0.0.1:\(other.publicPort)"
    check(
      try serve("--public-address", address, "--threads", threads),
      says: "Cannot listen on \(address): the address is already in use. Stop the program")
  }

  @Test func anAdminPortInUseIsNamedAndTheFirstTokenIsNotLost() throws {
    let other = try RunningServer(database: scratch.path("other.db"))
    let address = "127.0.0.1:\(other.adminPort)"
    check(
      try serve("--admin-address", address),
      says: "Cannot listen on \(address): the address is already in use. Stop the program")
    let server = try RunningServer(database: database)
    #expect(try server.client().send("GET", "/v1/domains").status == 200)
  }

  @Test func aDatabaseThatIsMadeIsToldOnce() throws {
    for isNew in [true, false] {
      let server = try RunningServer(database: database)
      #expect(try server.end() == .exited(0))
      let errors = try server.errors()
      let told = errors.split(separator: "\n").firstIndex {
        $0.contains(" info Created a new, empty database.")
      }
      // Nothing comes between the lines that say what to do next.
      #expect(told == (isNew ? 0 : nil), "\(errors)")
      #expect(!isNew || errors.contains("database=\(database)"), "\(errors)")
    }
  }

  @Test(arguments: [["serve"], ["token", "list"], ["export"]])
  func anEmptyFileIsTakenForALostDatabase(words: [String]) throws {
    try scratch.write("", to: "aasa.db")
    check(
      try Program.run(Program.aasa, words + ["--database", database]),
      says: "is empty: the database may have been lost. Restore a backup with 'aasa restore")
    #expect(try scratch.read("aasa.db") == [])
  }

  @Test func anEmptyFileBecomesADatabaseIfAskedTo() throws {
    try scratch.write("", to: "aasa.db")
    let server = try RunningServer(database: database, arguments: ["--create"])
    #expect(try server.client().send("GET", "/v1/domains").status == 200)
    #expect(try server.end() == .exited(0))
    #expect(try server.errors().contains("info Created a new, empty database."))
  }

  @Test func aWALWithoutItsDatabaseIsNotMixedIntoANewOne() throws {
    try scratch.write("old", to: "aasa.db-wal")
    check(try serve(), says: "aasa.db-wal\" is left over from a deleted database.")
    #expect(FileContents(database) == nil)
  }

  @Test func onlyTheOwnerMayReadTheDatabaseWhateverTheUmask() throws {
    let words = ["sh", "-c", "umask 0; exec \"$0\" \"$@\"", Program.aasa]
    let server = try RunningServer(database: database, program: words)
    #expect(try server.client().send("GET", "/v1/domains").status == 200)
    for suffix in ["", "-wal", "-shm"] {
      var status = stat()
      #expect(stat(database + suffix, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(suffix)")
    }
  }

  /// A new server ends its banner with commands that can be pasted.
  @Test func aNewServerShowsHowToPublishAFirstFileAndFetchIt() throws {
    let server = try RunningServer(database: scratch.path("it's new.db"))
    _ = try server.firstToken()
    #expect(try becomesTrue { try server.errors().hasSuffix("apple-app-site-association\n") })
    let lines = try server.errors().split(separator: "\n", omittingEmptySubsequences: false)
    let first = try #require(lines.firstIndex { $0.hasPrefix("Next, publish a first file") })
    let publish = lines[first + 1] + "\n" + lines[first + 2]
    let published = try Program.run("sh", ["-c", String(publish)], in: scratch)
    #expect(published.status == 0, "\(published.errors)")
    #expect(published.output.hasPrefix("example.com: revision 1"))
    let fetch = String(try #require(lines.dropLast().last))
    #expect(try becomesTrue { try server.file(of: "example.com").status == 200 })
    let fetched = try Program.run("sh", ["-c", fetch])
    #expect(fetched.output.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(fetched.output.contains("/buy/*"))
  }

  @Test func aServerWithADomainShowsNoFirstStep() throws {
    try makeDatabase()
    let server = try RunningServer(database: database)
    _ = try server.firstToken()
    #expect(try server.end() == .exited(0))
    #expect(try server.errors().contains("\nTry:               curl -i "))
    #expect(try !server.errors().contains("Next, publish"))
  }

  @Test func anAddressThatIsNotOursIsNamed() throws {
    check(
      try serve("--public-address", "192.0.2.1:0"),
      says: "Cannot listen on 192.0.2.1:0: this machine does not have the address.")
  }

  @Test(arguments: [("serve", 64), ("config", 1)])
  func oneAddressForBothListenersIsRefused(command: String, status: Int32) throws {
    let result = try Program.run(
      Program.aasa,
      [command, "--public-address", "127.0.0.1:18480", "--admin-address", "127.0.0.1:18480"],
      in: try TemporaryDirectory())
    #expect(result.status == status)
    #expect(
      result.errors.contains(
        "publicAddress and adminAddress are both 127.0.0.1:18480. Give each its own port."))
  }

  @Test(arguments: ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"])
  func anAdminListenerThatOthersReachWithoutTLSIsRefused(address: String) throws {
    let result = try serve("--admin-address", address)
    #expect(result.status == 64)
    #expect(
      result.errors.hasPrefix(
        "Other machines could reach the JSON API at \(address) over plain HTTP."))
    #expect(result.errors.contains("127.0.0.1 or ::1, set adminCertificates for HTTPS, or use"))
    #expect(result.errors.contains("--insecure-admin"))
    #expect(FileContents(database) == nil, "no database was made")
  }

  @Test(arguments: [
    ["--admin-address", "localhost:0"], ["--admin-address", "127.9.9.9:0"],
    ["--admin-address", "0.0.0.0:0", "--insecure-admin"],
  ])
  func anAdminListenerThatOthersDoNotReachOrMayReachStarts(words: [String]) throws {
    let server = try RunningServer(database: database, arguments: words)
    #expect(try server.end() == .exited(0))
  }

  @Test func aDatabaseThatAnotherProgramLocksIsNamed() throws {
    try makeDatabase()
    let other = try Database { try SQLiteConnection(path: database, mode: .create) }
    try other.withConnection { connection in
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    }
    check(try serve(), says: "is locked by another program. Stop that program")
  }

  @Test(.enabled(if: getuid() == 0, "only root can become somebody else"))
  func aDirectoryWithoutPermissionIsNamed() throws {
    let program = try copyOfProgram()
    try makeDatabase()
    chmod(database, 0o600)
    let words = ["--reuid=65534", "--regid=65534", "--clear-groups", program, "serve"]
    let result = try Program.run("setpriv", words + ["--database", database])
    check(result, says: "cannot be opened or created. It must be a file")
  }

  /// Where the tests were built, others may not look.
  private func copyOfProgram() throws -> String {
    chmod(scratch.url.path, 0o755)
    let program = scratch.path("aasa")
    #expect(try Program.run("cp", [Program.aasa, program]).status == 0)
    return program
  }

  @Test func aMissingDirectoryIsNamed() throws {
    check(
      try serve("--database", scratch.path("missing/aasa.db")),
      says: "cannot be opened or created. It must be a file")
  }

  @Test func aDirectoryIsNoDatabase() throws {
    check(try serve("--database", scratch.url.path), says: "cannot be opened or created.")
  }

  @Test func aFileThatIsNoDatabaseIsLeftAsItIs() throws {
    let text = Array("{\"applinks\": {}}\n".utf8) + [UInt8](repeating: 0x20, count: 5000)
    try scratch.write(text, to: "aasa.db")
    check(try serve(), says: "is not a database, or is damaged. Restore a backup")
    #expect(try scratch.read("aasa.db") == text)
  }

  @Test(arguments: [100, 4096, 20_000, -4096])
  func aTruncatedDatabaseIsRefusedAndLeftAsItIs(length: Int) throws {
    try makeDatabase()
    let whole = try scratch.read("aasa.db")
    let rest = Array(length > 0 ? whole.prefix(length) : whole.dropLast(-length))
    try scratch.write(rest, to: "aasa.db")
    check(try serve(), says: "is not a database, or is damaged. Restore a backup")
    #expect(try scratch.read("aasa.db") == rest)
  }

  @Test func aDatabaseOfANewerVersionIsRefusedAndLeftAsItIs() throws {
    try makeDatabase()
    try Database { try SQLiteConnection(path: database, mode: .create) }.withConnection {
      connection in
      try connection.execute("INSERT INTO migration VALUES (99, '0099_later', 0)")
    }
    let whole = try scratch.read("aasa.db")
    for words in [["serve"], ["token", "list"]] {
      check(
        try Program.run(Program.aasa, words + ["--database", database]),
        says: "has schema 99, but this version of aasa only knows schemas up to")
    }
    #expect(try scratch.read("aasa.db") == whole)
  }

  @Test(arguments: [
    ["serve"], ["token", "list"], ["token", "create", "--name", "a", "--role", "admin"], ["export"],
  ])
  func aDatabaseOfAnotherProgramIsRefusedAndLeftAsItIs(words: [String]) throws {
    try Database { try SQLiteConnection(path: database, mode: .create) }.withConnection {
      connection in
      try connection.execute("CREATE TABLE t (a)")
    }
    let whole = try scratch.read("aasa.db")
    check(
      try Program.run(Program.aasa, words + ["--database", database]),
      says:
        "\"\(database)\" belongs to another program and was not changed. Choose another path."
    )
    #expect(try scratch.read("aasa.db") == whole)
  }

  @Test(arguments: [["token", "list"], ["token", "revoke", "--name", "a"], ["export"]])
  func aDatabaseThatIsNotThereIsNotMadeByWhoWantsWhatIsInIt(words: [String]) throws {
    check(
      try Program.run(Program.aasa, words + ["--database", database]),
      says: "No database at \"\(database)\". Choose one with --database.")
    #expect(FileContents(database) == nil)
  }

  @Test func whoMakesADatabaseSaysSoOnce() throws {
    let words = ["token", "create", "--role", "admin", "--database", database, "--name"]
    let first = try Program.run(Program.aasa, words + ["a"])
    #expect(first.status == 0 && first.lines.count == 1)
    #expect(first.errors.hasPrefix("Created the database \"\(database)\".\n"))
    #expect(try !Program.run(Program.aasa, words + ["b"]).errors.contains("Created the database"))
    let other = scratch.path("other.db")
    let result = try Program.aasa(
      "import", "--domain", "example.com", "--database", other, "-", input: file.serialized())
    #expect(result.status == 0)
    #expect(result.errors.hasPrefix("Created the database \"\(other)\".\n"))
  }

  @Test func serversThatStartTogetherOnANewDatabaseAllServeAndShowOneToken() throws {
    for round in 1...5 {
      let database = scratch.path("\(round).db")
      let servers = Mutex<[RunningServer]>([])
      let failures = Mutex<[String]>([])
      let start: @Sendable () -> Void = {
        do {
          let server = try RunningServer(database: database)
          servers.withLock { $0.append(server) }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      #expect(Threads([start, start, start]).end())
      #expect(failures.withLock { $0 } == [])
      let started = servers.withLock { $0 }
      for server in started { #expect(try server.end() == .exited(0)) }
      let tokens = try started.compactMap { RunningServer.firstToken(in: try $0.errors()) }
      #expect(tokens.count == 1)
    }
  }
}
