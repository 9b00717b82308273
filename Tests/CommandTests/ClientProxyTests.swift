import Foundation
import TestSupport
import Testing

@testable import Checking

/// Commands with `--server` on a machine whose environment names a proxy.
@Suite struct ClientProxyTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func domains(of server: String, token: String, proxy: UInt16) throws -> Program.Result {
    var environment = ["AASA_TOKEN": token]
    for name in ["http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"] {
      environment[name] = "http://127.0.0.1:\(proxy)"
    }
    return try Program.aasa("domains", "--server", server, environment: environment)
  }

  @Test func theTokenForAServerOnLoopbackDoesNotGoThroughAProxy() throws {
    let server = try RunningServer(database: scratch.path("aasa.db"))
    let token = try server.firstToken()
    let proxy = try ListeningDescriptor()
    for host in ["127.0.0.1", "localhost"] {
      let result = try domains(
        of: "http://\(host):\(server.adminPort)", token: token, proxy: proxy.port)
      #expect(result.status == 0, "\(result.errors)")
    }
    let result = try domains(
      of: "https://127.0.0.1:\(server.adminPort)", token: token, proxy: proxy.port)
    #expect(result.status == 69)
    #expect(!proxy.hasConnection)
  }

  @Test(arguments: [
    ("https://admin.example", true), ("https://admin.example:8081", true),
    ("https://[2001:db8::1]:8081", true), ("http://admin.example", false),
    ("https://localhost:8081", false), ("https://LOCALHOST", false),
    ("https://a.localhost", false), ("https://127.0.0.2:8081", false),
    ("https://[::1]:8081", false),
  ])
  func aProxyIsForServersOnOtherMachinesOverTLS(server: String, isUsed: Bool) throws {
    let client = try APIClient(server: server, token: "aasa_secret", certificates: nil)
    #expect(client.mayUseProxy == isUsed)
  }

  @Test func aTokenIsNotSentInClearToAProxy() throws {
    let proxy = try ListeningDescriptor()
    let result = try domains(
      of: "http://admin.invalid:8081", token: "aasa_secret", proxy: proxy.port)
    #expect(result.status == 69)
    #expect(!proxy.hasConnection)
  }
}
