import Association
import Foundation
import Store
import TestSupport
import Testing

/// `/v1/served`: a client that follows it has, at each page that is current, what the public listener answers.
@Suite struct ServedTests {
  private let running: RunningService

  init() throws { running = try RunningService() }

  /// What somebody who follows the pages knows: documents by names.
  private final class Follower {
    let client: Client
    private var domains: [String: JSON] = [:]
    private(set) var next: String?
    private(set) var lists = 0
    private(set) var pages = 0

    init(_ client: Client) { self.client = client }

    /// Reads pages up to a current one, and returns the domains that they had.
    @discardableResult
    func follow() throws -> [JSON] {
      var read: [JSON] = []
      while true {
        let answer = try client.send("GET", "/v1/served" + (next.map { "?cursor=\($0)" } ?? ""))
        guard answer.status == 200 else { throw Unexpected(response: answer) }
        let page = try answer.json
        pages += 1
        // An endless list is a fault, too.
        if pages == 1000 { throw Unexpected(response: answer) }
        if page["first"] == true {
          domains = [:]
          lists += 1
        }
        for domain in page["domains"]?.arrayValue ?? [] {
          domains[domain["key"]?.text ?? ""] = domain
          read.append(domain)
        }
        next = page["next"]?.stringValue
        if page["current"] == true { return read }
      }
    }

    /// The names of the domains that are served.
    var names: Set<String> {
      Set(
        domains.values.flatMap { domain in
          domain["documents"] == [] ? [] : domain["names"]?.arrayValue ?? []
        }.compactMap(\.stringValue))
    }

    func document(_ name: String, _ kind: String = "apple-app-site-association") -> [UInt8]? {
      let domain = domains.values.first { domain in
        domain["names"]?.arrayValue?.contains(.string(name)) == true
      }
      let document = domain?["documents"]?.arrayValue?.first { $0["kind"] == .string(kind) }
      return document?["content"]?.stringValue.flatMap { Data(base64Encoded: $0) }.map(Array.init)
    }
  }

  private func domain(_ path: String, _ more: JSON.Object = [:]) -> JSON {
    var domain: JSON.Object = [
      "entries": [["apps": [.string(app)], "routes": [["path": .string(path)]]]]
    ]
    for member in more.members { domain[member.key] = member.value }
    return .object(domain)
  }

  /// What changes a domain in each way: a document, a kind, an alias, `enabled`, its existence.
  private func edit(_ number: Int, _ name: String) throws {
    let path = "/v1/domains/\(name)?accept=opens-nothing"
    switch number % 5 {
    case 0: try running.put(name, domain("/edit/\(number)"))
    case 1: try running.put(name, domain("/", ["passkeyEndpoints": [:]]))
    case 2: try running.put(name, domain("/", ["aliases": [.string("www\(number).\(name)")]]))
    case 3: #expect(try running.admin.send("PATCH", path, json: ["enabled": false]).status == 200)
    default: #expect(try running.admin.send("DELETE", path).status == 200)
    }
  }

  private func check(_ follower: Follower, _ domains: [String]) throws {
    for name in domains {
      for kind in DocumentKind.allCases {
        let served = try running.serve(name, kind.rawValue)
        let known = follower.document(name, kind.rawValue)
        #expect(known == (served.status == 200 ? served.body : nil), "\(name) \(kind)")
      }
    }
  }

  @Test func aFollowerHasWhatIsServedAfterEachEdit() throws {
    let names = (1...150).map { "d\($0).example" }
    for name in names.prefix(140) { try running.put(name, domain("/\(name)")) }
    let follower = Follower(running.admin)
    try follower.follow()
    #expect(follower.pages >= 3 && follower.lists == 1)
    #expect(follower.names == Set(names.prefix(140)))
    try check(follower, Array(names.prefix(3)) + names.suffix(12))
    for number in 0..<20 {
      let name = names[(number / 5) * 40]
      try edit(number, name)
      let read = try follower.follow()
      #expect(read.count == 1, "only what has changed")
      try check(follower, [name, "www\(number).\(name)"])
    }
    #expect(try follower.follow() == [])
    #expect(follower.lists == 1)
  }

  @Test func manyChangesComeInSeveralPages() throws {
    let names = (1...100).map { "d\($0).example" }
    let follower = Follower(running.admin)
    try follower.follow()
    for name in names { try running.put(name, domain("/\(name)")) }
    let pages = follower.pages
    try follower.follow()
    #expect(follower.pages >= pages + 2 && follower.lists == 1)
    #expect(follower.names == Set(names))
  }

  @Test func theListBeginsAgainWhenTheChangesAreNoLongerKnown() throws {
    for name in ["a.example", "b.example"] { try running.put(name, domain("/")) }
    let follower = Follower(running.admin)
    try follower.follow()
    let path = "/v1/domains/a.example?accept=opens-nothing"
    #expect(try running.admin.send("DELETE", path).status == 200)
    try running.put("c.example", domain("/"))
    let connection = try running.connect()
    try connection.run(
      "DELETE FROM change WHERE sequence < (SELECT max(sequence) FROM change)", [])
    try follower.follow()
    #expect(follower.lists == 2)
    #expect(follower.names == ["b.example", "c.example"])
    // As after a restored backup.
    try connection.run("DELETE FROM change", [])
    try follower.follow()
    #expect(follower.lists == 3)
    #expect(follower.names == ["b.example", "c.example"])
  }

  @Test func aLimitedTokenFollowsItsDomainsAndLearnsNothingOfOthers() throws {
    try running.put("a.brand.example", domain("/a"))
    try running.put("own.example", domain("/b", ["labels": ["brand-a"]]))
    try running.put("foreign.example", domain("/secret"))
    for (client, own) in [
      (try running.client(.viewer, domains: ["*.brand.example"]), "a.brand.example"),
      (try running.client(.viewer, labels: ["brand-a"]), "own.example"),
    ] {
      let follower = Follower(client)
      try follower.follow()
      #expect(follower.names == [own])
      try running.put("foreign.example", domain("/secret", ["cacheSeconds": 60]))
      let read = try follower.follow()
      #expect(!JSON.array(read).text.contains("foreign"))
      // With a label, it may have been the token's.
      if own == "a.brand.example" { #expect(read.isEmpty, "\(read)") }
      #expect(follower.names == [own])
      try running.put("foreign.example", domain("/secret"))
    }
    let follower = Follower(try running.client(.viewer, labels: ["brand-a"]))
    try follower.follow()
    try running.put("own.example", domain("/b", ["labels": []]))
    try follower.follow()
    #expect(follower.names == [], "it has left what the token covers")
    try running.put("own.example", domain("/b", ["labels": ["brand-a"]]))
    try follower.follow()
    #expect(follower.names == ["own.example"])
  }

  @Test func aDamagedDomainIsToldWithItsFault() throws {
    try running.put("whole.example", domain("/"))
    try running.put("hurt.example", domain("/1"))
    let content = running.location.path == nil ? "'\\x7b7d'" : "x'7B7D'"
    try running.connect().run(
      """
      UPDATE document SET content = \(content) WHERE domain_id =
        (SELECT domain_id FROM domain_name WHERE name = 'hurt.example')
      """, [])
    let domains = try Follower(running.admin).follow()
    let unreadable = try #require(domains.first { $0["fault"] != nil })
    #expect(domains.count == 2)
    #expect(unreadable["names"] == nil && unreadable["documents"] == nil)
    #expect(unreadable["fault"]?.stringValue?.contains("hurt.example") == true)
  }

  @Test(arguments: ["", "x", "-", "1-", "-1", "1-2-3", "+1", "1%2B", "9999999999999999999"])
  func whatIsNoCursorIsRefused(text: String) throws {
    let refused = try running.admin.send("GET", "/v1/served?cursor=\(text)")
    #expect(try refused.status == 400 && refused.code == "malformed-cursor", "\(refused.text)")
  }
}
