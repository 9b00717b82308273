import Association
import TestSupport
import Testing

/// Caddy has certificates issued for the names that aasa serves, and for no other. Its own authority
/// stands for the one that it has on the Internet.
@Suite(ProxyKind.needs) struct OnDemandTests {
  private let scratch: TemporaryDirectory
  private let server: RunningServer
  private let client: ProxyClient

  init() throws {
    scratch = try TemporaryDirectory()
    server = try ServedFile.server(database: scratch.path("aasa.db"))
    client = try RunningProxy(.caddy, before: [server]).client
  }

  @Test func aDomainHasOneAsSoonAsItIsAddedAndAnUnknownOneHasNone() throws {
    let url = "https://new.example\(ServedFile.paths[0])"
    #expect(throws: ProxyFailure.self) { try client.fetch(url) }
    let file = AssociationFile.routes(["/new/*"])
    let put = try server.client().send("PUT", "/v1/domains/new.example/file", json: file)
    #expect(put.status == 201)
    for version in ProxyClient.Version.allCases {
      let answer = try client.fetch(url, version)
      #expect(answer.status == 200)
      #expect(try JSON.parse(answer.body).value == file)
    }
    #expect(try client.fetch("https://any.depth.wild.example\(ServedFile.paths[1])").status == 200)
    for host in ["unknown.example", "www.new.example", "wild.example.org"] {
      #expect(throws: ProxyFailure.self) {
        try client.fetch("https://\(host)\(ServedFile.paths[0])")
      }
    }
  }
}
