import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// What the server that is shipped, with its limits, makes of clients that connect and do not ask.
@Suite struct IdleConnectionTests {
  private static let count = 10_000

  /// Lets this process, and the server that it starts, open as many files as the system allows;
  /// whether that is enough: three quarters of the server's are for connections.
  private static let hasRoom: Bool = {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return false }
    limit.rlim_cur = limit.rlim_max
    return setrlimit(resource, &limit) == 0 && limit.rlim_max >= 19_000
  }()

  @Test(.enabled(if: hasRoom, "needs a hard limit of 19,000 open files: ulimit -Hn"))
  func tenThousandIdleConnectionsKeepNobodyWaiting() throws {
    let scratch = try TemporaryDirectory()
    let server = try RunningServer(database: scratch.path("aasa.db"))
    let file = AssociationFile.routes(["/idle"])
    #expect(
      try server.client().send("PUT", "/v1/domains/example.com/file", json: file).status < 300)
    let threads = try Self.status("Threads", of: server)
    var idle: [RawConnection] = []
    for index in 0..<Self.count {
      // Each client may have a quarter of 16,384 connections.
      let connection = try RawConnection(
        port: server.publicPort, client: 2 + UInt8(index / 2_500))
      if index.isMultiple(of: 2) { try connection.send("GET /.well-known/") }
      idle.append(connection)
    }
    let open = #"aasa_open_connections{listener="public"}"#
    #expect(try becomesTrue { try Metrics(of: server)[open] == Double(Self.count) })
    for _ in 0..<100 {
      let start = ContinuousClock.now
      #expect(try server.file(of: "example.com").json == file)
      #expect(ContinuousClock.now - start < .seconds(2))
    }
    #expect(try Metrics(of: server)[open] ?? 0 >= Double(Self.count))
    #expect(try Self.status("VmRSS", of: server) < 256 * 1024, "KB")
    #expect(try Self.status("Threads", of: server) <= threads + 8)
    #expect(idle.allSatisfy { !$0.hasEnded(withinMilliseconds: 0) })
    idle = []
    #expect(try becomesTrue { try Metrics(of: server)[open] == 0 })
    #expect(try server.end() == .exited(0))
  }

  /// A number of proc_pid_status(5).
  private static func status(_ name: String, of server: RunningServer) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(server.process.id)/status", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
    return try #require(Int(line.filter(\.isNumber)))
  }
}
