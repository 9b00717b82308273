import Association
import Store
import TestSupport
import Testing

/// Which domain a host belongs to is found in three ways: by the table of names for requests, by SQL for the API, and by
/// `Alias.covers` in memory.
@Suite struct WildcardTests {
  private let running: RunningService

  init() throws { running = try RunningService() }

  /// Names of up to three labels below `zone.example`, so that many are below each other.
  private static let names: [String] = {
    var names = ["zone.example"]
    var level = names
    for _ in 1...3 {
      level = level.flatMap { name in ["a", "b", "a-b"].map { "\($0).\(name)" } }
      names += level
    }
    return names
  }()

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func allWaysFindTheSameDomain(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let aliases = random.some(of: Self.names.flatMap { [$0, "*.\($0)"] }, atLeast: 20)
    var owners: [Alias: DomainName] = [:]
    for (index, names) in stride(from: 0, to: aliases.count, by: 5).enumerated() {
      let own = try DomainName("d\(index).test")
      let part = aliases[names..<min(names + 5, aliases.count)]
      try running.put(
        own.text,
        [
          "aliases": .strings(part),
          "webcredentials": [.string("ABCDE12345.com.example.d\(index)")],
        ])
      for alias in part { owners[try Alias(alias)] = own }
    }
    let hosts = try (Self.names + Self.names.map { "x.\($0)" }).map { try DomainName($0) }
    let found = try running.store.domains(serving: hosts)
    for host in hosts {
      let covering = owners.keys.filter { $0.covers(Alias(host)) }
      #expect(Set(covering) == Set(owners.keys.filter { $0.covers(host: host.text) }))
      // The exact name, else the longest wildcard.
      let rank = { (alias: Alias) in (alias.isWildcard ? 0 : 1, alias.name.text.utf8.count) }
      let decides = covering.max { rank($0) < rank($1) }
      let owner = decides.flatMap { owners[$0] }
      #expect(try running.store.domain(serving: host) == owner, "\(host)")
      #expect(found[host] == owner, "\(host)")
      let served = try running.served(host.text)["webcredentials"]?["apps"]?[0]?.stringValue
      #expect(served == owner.map { "ABCDE12345.com.example.\($0.text.prefix { $0 != "." })" })
    }
  }

  @Test func whoAsksForAnAliasIsToldItsDomainUnlessTheyAreLimited() throws {
    try running.put("acme.example", ["aliases": ["www.acme.example", "*.shop.acme.example"]])
    for host in ["www.acme.example", "a.shop.acme.example"] {
      let answer = try running.admin.send("GET", "/v1/domains/\(host)")
      #expect(
        answer.status == 404 && answer.text.contains("belongs to the domain \\\"acme.example"))
      let limited = try running.client(.viewer, domains: ["*.acme.example"])
      let hidden = try limited.send("GET", "/v1/domains/\(host)")
      #expect(hidden.status >= 400 && !hidden.text.contains("\\\"acme.example"))
    }
  }
}
