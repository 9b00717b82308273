import Association
import Checking
import HTTP
import Publishing
@testable import Service
import Store
import TestSupport
import Testing

/// A token that is limited to documents replaces and removes these, and otherwise only reads.
@Suite struct DocumentTokenTests {
  private let running: RunningService
  private let own = "apple-developer-merchantid-domain-association"
  private let path = "/v1/domains/shop.example"
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    let entry: JSON = ["apps": [.string(app)], "routes": [["path": "/x"]]]
    try running.put(
      "shop.example",
      ["entries": [entry], "documents": ["gpc.json": ["text": "{}"], "trust.txt": ["text": "a"]]])
    try running.put("other.example", ["entries": [entry]])
  }

  private func client(_ more: JSON.Object = [:]) throws -> Client {
    var token: JSON.Object = [
      "name": .string("payments \(UInt64.random(in: 0...UInt64.max))"), "role": "editor",
      "documents": [.string(own)],
    ]
    for member in more.members { token[member.key] = member.value }
    let created = try admin.send("POST", "/v1/tokens", json: .object(token))
    #expect(try created.json["documents"] == [.string(own)], "\(created.text)")
    let secret = try created.json["token"]?.stringValue ?? ""
    return Client(port: admin.port, lines: ["Host: admin", "Authorization: Bearer \(secret)"])
  }

  private func isRefused(_ answer: RawResponse) throws -> Bool {
    try answer.status == 403 && ["token-limited", "role-too-low"].contains(answer.code)
  }

  @Test func itReplacesAndRemovesItsDocument() throws {
    let client = try client()
    for bytes in ["one", "two"] {
      let answer = try client.send("PUT", "\(path)/documents/\(own)", body: Array(bytes.utf8))
      #expect(answer.status == 200, "\(answer.text)")
      #expect(try running.serve("shop.example", own).text == bytes)
    }
    #expect(try client.send("DELETE", "\(path)/documents/\(own)").status == 200)
    #expect(try running.serve("shop.example", own).status == 404)
    #expect(try client.send("GET", path).status == 200)
    let session = try client.send("GET", "/v1/session").json
    #expect(session["documents"] == [.string(own)])
  }

  @Test func everyOperationThatChangesAnythingElseIsRefused() throws {
    let endpoints = AdminAPI.endpoints(of: Publisher(store: running.store)) {
      Checker(Fetcher(), now: { 0 })
    }
    var count = 0
    for role in ["editor", "admin"] as [JSON] {
      let client = try client(["role": role])
      for endpoint in endpoints where endpoint.effect != .none {
        for kind in ["gpc.json", "assetlinks.json", "apple-app-site-association", "new.txt"] {
          let parts = endpoint.path.split(separator: "/").map { part in
            switch part {
            case "{domain}": "shop.example"
            case "{kind}": kind
            default: part.hasPrefix("{") ? "1" : String(part)
            }
          }
          let target = "/" + parts.joined(separator: "/")
          let answer = try client.send(endpoint.method.name, target, json: [:])
          #expect(try isRefused(answer), "\(endpoint.method.name) \(target): \(answer.text)")
          count += 1
          if !endpoint.path.contains("{kind}") { break }
        }
      }
      // What needs more than reading is refused, whatever it changes.
      for endpoint in endpoints where endpoint.role(isDryRun: false) > .viewer {
        if endpoint.effect != .none { continue }
        let target = endpoint.path.replacing("{domain}", with: "shop.example")
          .replacing("{", with: "").replacing("}", with: "")
        let answer = try client.send(endpoint.method.name, target, json: [:])
        #expect(try isRefused(answer), "\(endpoint.method.name) \(target): \(answer.text)")
      }
    }
    #expect(count > 80)
    #expect(try admin.send("GET", path).json["revision"] == 1)
  }

  /// Past the endpoints: whatever an edit is made of, it may change nothing else.
  @Test func anEditThatChangesMoreIsRefusedByThePublisher() throws {
    let publisher = Publisher(store: running.store)
    let context = WriteContext(author: "x", documents: [DocumentName(stored: own)])
    let name = DomainName(stored: "shop.example")
    for change: (inout Domain) -> Void in [
      { $0.cacheSeconds = 1 }, { $0.namedDocuments.removeAll() }, { $0.isEnabled = false },
      { $0.changePassword = SecureURL(stored: "https://evil.example/") },
      { $0.associationFile.entries = [] }, { $0.labels = [Label(stored: "a")] },
    ] {
      #expect(throws: PublicationError.self) {
        _ = try publisher.publish(name, action: "test", by: context) { old in
          var domain = old?.domain ?? Domain(name: name)
          change(&domain)
          return domain
        }
      }
    }
    #expect(throws: PublicationError.self) { try publisher.delete(name, by: context) }
    #expect(throws: PublicationError.self) {
      _ = try publisher.put(
        NamedDocument(DocumentName(stored: own), bytes: [1]),
        for: DomainName(stored: "new.example"),
        by: context)
    }
    #expect(try admin.send("GET", path).json["revision"] == 1)
  }

  @Test func itStaysLimitedToDomainsToo() throws {
    let client = try client(["domains": ["shop.example"]])
    let other = "/v1/domains/other.example"
    #expect(try isRefused(client.send("PUT", "\(other)/documents/\(own)", body: [1])))
    #expect(try isRefused(client.send("GET", other)))
    #expect(try client.send("PUT", "\(path)/documents/\(own)", body: [1]).status == 200)
    #expect(try isRefused(client.send("PUT", "\(path)/documents/gpc.json", body: [1])))
    let listed = try admin.send("GET", "/v1/tokens").json["items"]?.arrayValue ?? []
    let token = listed.first { $0["documents"] != nil }
    #expect(token?["documents"] == [.string(own)] && token?["domains"] == ["shop.example"])
  }

  @Test func itCannotCreateADomain() throws {
    let answer = try client().send("PUT", "/v1/domains/new.example/documents/\(own)", body: [1])
    #expect(try isRefused(answer), "\(answer.text)")
    #expect(try admin.send("GET", "/v1/domains/new.example").status == 404)
  }

  @Test func namesThatNoDocumentHasAreRefused() throws {
    let answer = try admin.send(
      "POST", "/v1/tokens",
      json: ["name": "x", "role": "editor", "documents": ["gpc.json", "assetlinks.json", "a/b"]])
    #expect(
      try answer.faults == [
        "/documents/1: reserved-document-name", "/documents/2: malformed-document-name",
      ])
  }
}
