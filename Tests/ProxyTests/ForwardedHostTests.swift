import TestSupport
import Testing

/// Which host counts behind a proxy: the one that the client asked the proxy for, and none that it
/// only writes down.
@Suite(ProxyKind.needs) struct ForwardedHostTests {
  private let scratch: TemporaryDirectory
  private let path = ServedFile.paths[0]
  private static let spoofed = ["X-Forwarded-Host: large.example", "Forwarded: host=large.example"]

  init() throws { scratch = try TemporaryDirectory() }

  private func server(trusting ranges: String? = nil) throws -> RunningServer {
    try ServedFile.server(
      database: scratch.path("aasa.db"),
      arguments: ranges.map { ["--trusted-proxies", $0] } ?? [])
  }

  @Test(arguments: [nil, "192.0.2.0/24,2001:db8::/32"])
  func fromWhoIsNoTrustedProxyAForwardedHostIsIgnored(ranges: String?) throws {
    let server = try server(trusting: ranges)
    let expected = try ServedFile.direct(server, "GET", "small.example", path)
    for field in Self.spoofed {
      let answer = try ServedFile.direct(server, "GET", "small.example", path, field)
      #expect(answer.status == 200 && answer.body == expected.body, "\(field)")
      #expect(try ServedFile.direct(server, "GET", "unknown.example", path, field).status == 404)
    }
  }

  /// What makes each proxy ask for a host of its own, as some load balancers do.
  private func withHostOfItsOwn(_ kind: ProxyKind) -> ProxyChange {
    let replaced =
      switch kind {
      case .nginx: ("proxy_set_header Host $host;", "proxy_set_header Host inside.example;")
      case .caddy: ("header_up -Forwarded", "header_up -Forwarded\nheader_up Host inside.example")
      case .haproxy:
        (
          "    http-request del-header Forwarded",
          "    http-request del-header Forwarded\n    http-request set-header Host inside.example"
        )
      case .traefik: ("passHostHeader: true", "passHostHeader: false")
      }
    return ProxyChange(replaced: replaced)
  }

  @Test(arguments: ProxyKind.allCases, [true, false])
  func throughATrustedProxyItCounts(kind: ProxyKind, isTrusted: Bool) throws {
    let server = try server(trusting: isTrusted ? "10.0.0.0/8,127.0.0.0/8" : "10.0.0.0/8")
    let proxy = try RunningProxy(kind, before: [server], names: ServedFile.hosts) { _ in
      withHostOfItsOwn(kind)
    }
    let expected = try ServedFile.direct(server, "GET", "small.example", path)
    for version in ProxyClient.Version.allCases {
      let answer = try proxy.client.fetch("https://small.example\(path)", version)
      #expect(answer.status == (isTrusted ? 200 : 404))
      #expect((answer.body == expected.body) == isTrusted)
    }
  }

  @Test(arguments: ProxyKind.allCases, [true, false])
  func aClientCannotChooseAHostThroughAProxy(kind: ProxyKind, asksForOwnHost: Bool) throws {
    let server = try server(trusting: "127.0.0.1")
    let proxy = try RunningProxy(kind, before: [server], names: ServedFile.hosts) { _ in
      asksForOwnHost ? withHostOfItsOwn(kind) : ProxyChange()
    }
    let expected = try ServedFile.direct(server, "GET", "small.example", path)
    for version in ProxyClient.Version.allCases {
      let answer = try proxy.client.fetch(
        "https://small.example\(path)", version, "--header", Self.spoofed[0], "--header",
        Self.spoofed[1])
      #expect(answer.status == 200 && answer.body == expected.body)
    }
  }
}
