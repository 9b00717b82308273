import Foundation
import Store
package import Testing

/// A PostgreSQL server of its own, which ends with this object. It has only a Unix socket, and a database `aasa`,
/// whose owner `aasa` has no other right.
package final class PostgreSQLServer: Sendable {
  /// Why a server does not run.
  package struct Failure: Error {
    /// What its program said.
    package let text: String
  }

  /// Runs a test only where PostgreSQL is installed.
  package static let needs = ConditionTrait.enabled(
    if: programs != nil || ProcessInfo.processInfo.environment["CI"] != nil,
    "PostgreSQL is not installed.")

  private static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.max { Int($0) ?? 0 < Int($1) ?? 0 }.map { "\(root)/\($0)/bin" }
  }()

  /// The directory of its socket.
  package let folder: String
  private var data: String { folder + "/data" }

  /// Starts a new server.
  package init() throws {
    folder = try Self.makeFolder()
    try run(
      "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
    try start()
    try execute("CREATE ROLE aasa LOGIN")
    try execute("CREATE DATABASE aasa OWNER aasa")
  }

  /// A server that is a streaming standby of another one.
  package init(standbyOf primary: PostgreSQLServer) throws {
    folder = try Self.makeFolder()
    try follow(primary)
  }

  deinit {
    kill()
    _ = try? FileManager.default.removeItem(atPath: folder)
  }

  private static func makeFolder() throws -> String {
    let folder = "/tmp/aasa-postgresql.\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    // PostgreSQL does not run as root.
    if getuid() == 0 { _ = try Program.run("/usr/bin/chown", ["postgres", folder]) }
    return folder
  }

  /// Runs one of PostgreSQL's programs.
  @discardableResult
  package func run(_ program: String, _ arguments: String...) throws -> String {
    guard let programs = Self.programs else { throw Failure(text: "PostgreSQL is not installed") }
    let words = ["\(programs)/\(program)"] + arguments
    let all = (getuid() == 0 ? ["/usr/sbin/runuser", "-u", "postgres", "--"] : []) + words
    let result = try Program.run(
      all[0], Array(all.dropFirst()), environment: ["PGHOST": folder, "PGUSER": "postgres"],
      in: nil)
    if result.status != 0 { throw Failure(text: "\(words): \(result.output) \(result.errors)") }
    return result.output
  }

  /// Starts it again.
  package func start() throws {
    try run(
      "pg_ctl", "-D", data, "-l", folder + "/log", "-w", "start", "-o",
      "-c listen_addresses='' -c unix_socket_directories='\(folder)' -c max_connections=200 "
        + "-c fsync=off -c wal_receiver_status_interval=1 -c max_wal_senders=5")
  }

  /// Stops it, and ends all connections.
  package func stop() throws { try run("pg_ctl", "-D", data, "-m", "fast", "-w", "stop") }

  /// Ends all of its processes with SIGKILL.
  package func kill() {
    let file = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
    guard let line = file?.split(separator: "\n").first, let id = pid_t(line), id > 1 else {
      return
    }
    // They are in one session, which `pg_ctl` made.
    _ = try? Program.run("/usr/bin/pkill", ["-KILL", "-s", "\(id)"])
    Glibc.kill(id, SIGKILL)
    _ = becomesTrue { Glibc.kill(id, 0) != 0 }
  }

  /// Makes it the primary.
  package func promote() throws { try run("pg_ctl", "-D", data, "-w", "promote") }

  /// Makes it a streaming standby of another server, with nothing of what it had.
  package func follow(_ primary: PostgreSQLServer) throws {
    kill()
    if FileManager.default.fileExists(atPath: data) {
      try FileManager.default.removeItem(atPath: data)
    }
    try run(
      "pg_basebackup", "-D", data, "-R", "-X", "stream", "-c", "fast", "-d",
      "host=\(primary.folder) user=postgres")
    try start()
  }

  /// The URI of the database for its owner.
  package var uri: String { "postgresql://aasa@/aasa?host=\(folder)" }

  /// Runs SQL as the superuser.
  package func execute(_ sql: String) throws { try administrator().execute(sql) }

  /// The first column of the first row of a SELECT, as text.
  package func text(_ sql: String) throws -> String? {
    try administrator().first(sql) { $0.text(0) }
  }

  private func administrator() throws -> PostgreSQLConnection {
    try PostgreSQLConnection(
      PostgreSQLAddress("postgresql://postgres@/postgres?host=\(folder)&connect_timeout=120"))
  }
}
