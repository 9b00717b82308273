import Association
import HTTP
import Service
@testable import Store
import TestSupport
import Testing

/// A domain publishes other documents below `/.well-known/`, byte for byte.
@Suite struct NamedDocumentTests {
  private let running: RunningService
  private var admin: Client { running.admin }
  private let path = "/v1/domains/example.com"
  private var documents: String { path + "/documents" }
  private static let gpc = #"{"gpc": true}"#

  init() throws {
    running = try RunningService()
    try running.put("example.com", ["entries": [["apps": [.string(app)]]]])
  }

  private func put(
    _ name: String, _ bytes: [UInt8], type: String? = nil, _ query: String = ""
  ) throws -> RawResponse {
    let lines = type.map { ["Content-Type: \($0)"] } ?? []
    return try Client(port: admin.port, lines: admin.lines + lines).send(
      "PUT", "\(documents)/\(name)\(query)", body: bytes)
  }

  private func public_(_ target: String, _ method: String = "GET", _ more: String...) throws
    -> RawResponse
  {
    try Client(port: running.service.publicAddress.port, lines: ["Host: example.com"] + more)
      .send(method, target)
  }

  private func field(_ answer: RawResponse, _ name: String) -> String? { answer[name] }

  @Test func domainsWithMuchInTheirDocumentsAreEditedFewAtATime() throws {
    let names = (1...3).map { "large\($0).example" }
    for name in names {
      try running.put(name, [:])
      for index in 1...5 {
        let answer = try admin.send(
          "PUT", "/v1/domains/\(name)/documents/\(index).bin",
          body: [UInt8](repeating: 1, count: 131_072))
        #expect(answer.status < 300, "\(answer.text)")
      }
    }
    let parsed = try names.map { try DomainName($0) }
    #expect(try running.store.formerDomains(of: parsed).map(\.stored?.domain.name) == [parsed[0]])
    let other = try DomainName("example.com")
    #expect(try running.store.formerDomains(of: [other, parsed[0], parsed[1]]).count == 2)
    let state: JSON = [
      "domains": .array(names.map { ["domain": .string($0), "cacheSeconds": 77] })
    ]
    let applied = try admin.send("POST", "/v1/apply?overwrite=true", json: state)
    #expect(applied.status == 200, "\(applied.text)")
    for name in names {
      #expect(try admin.send("GET", "/v1/domains/\(name)").json["cacheSeconds"] == 77)
      let answer = try Client(
        port: running.service.publicAddress.port, lines: ["Host: \(name)"]
      ).send("GET", "/.well-known/5.bin")
      #expect(answer.body.count == 131_072)
    }
  }

  @Test func anExportHasTheLargestDocumentOfAnyBytes() throws {
    let bytes = (0..<131_072).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let path = "/v1/domains/example.com/documents/large.bin"
    #expect(try admin.send("PUT", path, body: bytes).status < 300)
    let export = try admin.send("GET", "/v1/export")
    let applied = try admin.send("POST", "/v1/apply?overwrite=true", body: export.body)
    #expect(applied.status == 200, "\(applied.text.prefix(500))")
  }

  // MARK: What visitors get

  @Test(arguments: [
    ("trust.txt", "text/plain", Array("no final line end".utf8)),
    ("any.bin", "application/octet-stream", [0, 0xFF, 0x0A, 0x0D, 0x00]),
    ("gpc.json", "application/json", Array("{\"gpc\":\ttrue}\r\n\r\n".utf8)),
    ("bom.txt", "text/plain; charset=utf-8", [0xEF, 0xBB, 0xBF, 0x61]),
    ("big", "application/octet-stream", [UInt8](repeating: 7, count: 131_072)),
  ])
  func aDocumentIsServedByteForByteWithTheUsualTypeOfItsName(
    name: String, type: String, bytes: [UInt8]
  ) throws {
    let answer = try put(name, bytes)
    #expect(answer.status == 200, "\(answer.text)")
    let served = try public_("/.well-known/\(name)")
    #expect(served.status == 200 && served.body == bytes)
    #expect(field(served, "Content-Type") == type)
    #expect(field(served, "X-Content-Type-Options") == "nosniff")
    #expect(field(served, "Cache-Control") == "public, max-age=3600")
    let tag = try #require(field(served, "ETag"))
    #expect(try public_("/.well-known/\(name)", "GET", "If-None-Match: \(tag)").status == 304)
    let since = try #require(field(served, "Last-Modified"))
    #expect(try public_("/.well-known/\(name)", "GET", "If-Modified-Since: \(since)").status == 304)
    #expect(try public_("/.well-known/\(name)", "POST").status == 405)
    let read = try admin.send("GET", "\(documents)/\(name)")
    #expect(read.body == bytes && field(read, "Content-Type") == type)
    let listed = try admin.send("GET", documents).json["documents"]?.arrayValue ?? []
    #expect(listed.last?["kind"] == .string(name) && listed.last?["bytes"] == .integer(bytes.count))
    #expect(listed.last?["mediaType"] == .string(type))
  }

  @Test func otherNamesOtherHostsAndOtherSpellingsAreNotFound() throws {
    #expect(try put("trust.txt", Array("a".utf8)).status == 200)
    for target in [
      "/.well-known/trust.TXT", "/.well-known/trust.tx", "/.well-known/trust.txt/",
      "/.well-known/./trust.txt", "/.well-known/%74rust.txt", "/trust.txt", "/.well-known/",
      "/.well-known/" + String(repeating: "a", count: 101), "/.well-known//trust.txt",
    ] {
      let answer = try public_(target)
      #expect(
        try answer.status == 404 && answer.code == "unknown-path", "\(target): \(answer.text)")
    }
    #expect(try running.serve("other.example", "trust.txt").status == 404)
    #expect(try public_("/.well-known/trust.txt?x=1").status == 200)
  }

  @Test func windowsGetsTheSameBytesAtBothPlaces() throws {
    #expect(try public_("/windows-app-web-link").status == 404)
    let bytes = Array(#"[{"packageFamilyName": "Shop_1234567890abc", "paths": ["*"]}]"#.utf8)
    #expect(try put("windows-app-web-link", bytes).status == 200)
    for target in ["/windows-app-web-link", "/.well-known/windows-app-web-link"] {
      let answer = try public_(target)
      #expect(answer.body == bytes && field(answer, "Content-Type") == "application/json")
    }
  }

  @Test func theOnlyRedirectIsToThePageForPasswords() throws {
    let target = "/.well-known/change-password"
    #expect(try public_(target).status == 404)
    let page = "https://example.com/account/password?from=browser"
    let answer = try admin.send("PATCH", path, json: ["changePassword": .string(page)])
    #expect(answer.status == 200, "\(answer.text)")
    let summaries = (try answer.json["diff"]?["changes"]?.arrayValue ?? []).map { $0["summary"] }
    #expect(summaries == [.string("changePassword added: \"\(page)\"")], "\(answer.text)")
    for method in ["GET", "HEAD"] {
      let redirect = try public_(target, method)
      #expect(redirect.status == 302 && field(redirect, "Location") == page)
      #expect(field(redirect, "Cache-Control") == "no-store")
    }
    #expect(try public_(target, "POST").status == 405)
    #expect(try public_("/.well-known/\(DocumentName.probe)").status == 404)
    #expect(try running.serve("other.example", "change-password").status == 404)
    #expect(try admin.send("PATCH", path, json: ["changePassword": .null]).status == 200)
    #expect(try public_(target).status == 404)
  }

  @Test(arguments: [
    "http://example.com/", "https://", "/account", "https://example.com/a b",
    "https://example.com/\r\nSet-Cookie: a=b", "javascript:alert(1)", "https://localhost/",
    "https://example.com/\"", "https://exämple.com/",
  ])
  func aPageForPasswordsThatIsNoneIsRefused(page: String) throws {
    let answer = try admin.send("PATCH", path, json: ["changePassword": .string(page)])
    #expect(try answer.status == 422 && answer.faults == ["/changePassword: malformed-page"])
    #expect(try public_("/.well-known/change-password").status == 404)
  }

  @Test func aDisabledDomainServesNone() throws {
    #expect(try put("trust.txt", Array("a".utf8)).status == 200)
    let changed = try admin.send(
      "PATCH", path, json: ["enabled": false, "changePassword": "https://example.com/p"])
    #expect(changed.status == 200, "\(changed.text)")
    for name in ["trust.txt", "change-password"] {
      #expect(try public_("/.well-known/\(name)").status == 404)
    }
  }

  // MARK: What is refused

  @Test(arguments: [
    "acme-challenge", "pki-validation", "change-password", DocumentName.probe, "...", "a%20b",
    "a%2Fb", "..%2Ftrust.txt", "%2e%2e", "a%00", "ä.txt", String(repeating: "a", count: 101),
  ])
  func aNameThatNoDocumentCanHaveIsRefusedInASentence(name: String) throws {
    for method in ["PUT", "DELETE", "GET"] {
      let answer = try admin.send(
        method, "\(documents)/\(name)", body: method == "PUT" ? [0x61] : nil)
      #expect((400..<500).contains(answer.status), "\(method) \(answer.text)")
      #expect(try answer.json["detail"]?.stringValue?.hasSuffix(".") == true, "\(answer.text)")
    }
    #expect(try admin.send("GET", path).json["revision"] == 1)
  }

  @Test func theKindsAreNoMembersOfDocuments() throws {
    for kind in DocumentKind.allCases.map(\.rawValue) {
      let answer = try admin.send(
        "PATCH", path, json: ["documents": .object([kind: ["text": "{}"]])])
      #expect(try answer.faults == ["/documents/\(kind): reserved-document-name"], "\(answer.text)")
    }
  }

  @Test(arguments: [
    ("text/html", "forbidden"), ("TEXT/HTML; charset=utf-8", "forbidden"),
    ("application/xhtml+xml", "forbidden"), ("image/svg+xml", "forbidden"),
    ("text/javascript", "forbidden"), ("application/javascript", "forbidden"),
    ("application/xml", "forbidden"), ("text/xml", "forbidden"), ("text/css", "forbidden"),
    ("application/pdf", "forbidden"), ("multipart/form-data", "forbidden"),
    ("application/x-www-form-urlencoded", "forbidden"), ("application/html+json2", "forbidden"),
    ("text/plain; charset=utf-7", "malformed"), ("text/plain; a=b", "malformed"),
    ("text", "malformed"), ("text/plain;", "malformed"), ("text/plain, text/html", "malformed"),
    ("text/pl\u{1}ain", "malformed"), ("*/*", "malformed"), ("", "malformed"),
  ])
  func aTypeThatABrowserCouldRunOrThatBreaksTheHeaderIsRefused(type: String, code: String) throws {
    let json: JSON = ["documents": ["x.bin": ["mediaType": .string(type), "text": "<b>"]]]
    let patched = try admin.send("PATCH", path, json: json)
    #expect(try patched.faults == ["/documents/x.bin/mediaType: \(code)-media-type"])
    if !type.utf8.contains(1) && !type.isEmpty {
      let answer = try put("x.bin", [0x3C], type: type)
      #expect(
        try answer.status == 422
          && answer.faults == ["/documents/x.bin/mediaType: \(code)-media-type"],
        "\(answer.text)")
    }
    #expect(try public_("/.well-known/x.bin").status == 404)
  }

  @Test func aTypeCannotAddHeaderFields() throws {
    let json: JSON = [
      "documents": ["x": ["mediaType": "text/plain\r\nSet-Cookie: a=b", "text": "a"]]
    ]
    #expect(try admin.send("PATCH", path, json: json).status == 422)
  }

  @Test func sizesNumbersAndContentsHaveLimits() throws {
    #expect(try put("a", []).faults == ["/documents/a: document-size"])
    let large = try put("a", [UInt8](repeating: 0, count: 131_073))
    #expect(try large.status == 413 && large.code == "too-large", "\(large.text)")
    let account = try large.json["account"]
    #expect(account?["bytes"] == 131_073 && account?["limit"] == 131_072)
    let text = JSON.string(String(repeating: "a", count: 131_073))
    let member = try admin.send("PATCH", path, json: ["documents": ["a": ["text": text]]])
    #expect(try member.status == 422 && member.faults == ["/documents/a: document-size"])
    for number in 0..<20 { #expect(try put("a\(number)", [0x61]).status == 200) }
    let more = try put("b", [0x61])
    #expect(try more.status == 422 && more.faults == [": too-many"], "\(more.text)")
    #expect(try put("a3", [0x62]).status == 200)
    for (member, fault) in [
      (["text": "a", "base64": "YQ=="] as JSON, ": choice-needed"), ([:], ": choice-needed"),
      (["base64": "?"], "/base64: malformed-value"), (["text": 1], "/text: wrong-type"),
      (["sha256": "x", "text": ""], "/sha256: unknown-member"),
    ] {
      let answer = try admin.send("PATCH", path, json: ["documents": ["a1": member]])
      // A merge keeps the text that is there.
      #expect(answer.status == 422 || member == [:], "\(answer.text)")
      let put = try admin.send(
        "PUT", "/v1/domains/new.example", json: ["documents": ["a1": member]])
      #expect(try put.faults.contains("/documents/a1\(fault)"), "\(put.text)")
    }
  }

  @Test func aDocumentIsValidatedAsItsReaderReadsIt() throws {
    for (name, text, codes) in [
      ("security.txt", "Contact: mailto:a@b.example\n", ["missing-field"]),
      ("gpc.json", "{", ["not-json"]), ("gpc.json", "{}", []), ("trust.txt", "", ["too-large"]),
    ] as [(String, String, [JSON])] {
      let answer = try admin.send("POST", "/v1/validate?kind=\(name)", body: Array(text.utf8)).json
      #expect(answer["kind"] == .string(name) && answer["valid"] == .bool(codes.isEmpty))
      #expect((answer["findings"]?.arrayValue ?? []).map { $0["code"] } == codes, "\(answer.text)")
    }
  }

  // MARK: Like every other document

  @Test func anEditOfADocumentIsADryRunARevisionADiffAndAnAuditRecord() throws {
    let first = Array("Contact: a\nb\n".utf8)
    let dry = try put("trust.txt", first, "?dryRun=true")
    #expect(try dry.json["dryRun"] == true && dry.json["revision"] == 2, "\(dry.text)")
    #expect(try public_("/.well-known/trust.txt").status == 404)
    #expect(try admin.send("GET", path).json["revision"] == 1)
    #expect(try put("trust.txt", first).json["revision"] == 2)
    #expect(try put("trust.txt", first).json["changed"] == false)
    let stale = try Client(port: admin.port, lines: admin.lines + ["If-Match: \"1\""])
      .send("PUT", "\(documents)/trust.txt", body: [0x61])
    #expect(stale.status == 412)
    let typed = try put("trust.txt", first, type: "text/markdown")
    #expect(try typed.json["revision"] == 3, "\(typed.text)")
    let changed = try put("trust.txt", Array("Contact: c\nb\n".utf8), type: "text/markdown")
    let change = try changed.json["diff"]?["changes"]?[0]
    #expect(change?["what"] == "document" && change?["document"] == "trust.txt")
    #expect(change?["before"]?["bytes"] == 13 && change?["affectsLinks"] == false)
    #expect(
      change?["summary"]?.stringValue?.hasSuffix(
        #"lines -1 +1, first -"Contact: a" +"Contact: c""#) == true, "\(changed.text)")
    let diff = try admin.send("GET", "\(path)/diff?from=2&to=3").json["changes"]?[0]?["summary"]
    #expect(
      diff == "trust.txt changed: media type text/plain → text/markdown", "\(diff?.text ?? "")")
    let removed = try admin.send("DELETE", "\(documents)/trust.txt")
    #expect(try removed.json["revision"] == 5, "\(removed.text)")
    #expect(try public_("/.well-known/trust.txt").status == 404)
    #expect(try admin.send("DELETE", "\(documents)/trust.txt").code == "document-not-found")
    let audit = try admin.send("GET", "/v1/audit?domain=example.com").json["items"]?[0]
    #expect(
      audit?["changes"]?.stringValue?.hasPrefix("trust.txt removed: 13 bytes") == true,
      "\(audit?.text ?? "")")
    let old = try admin.send("GET", "\(path)/revisions/2/documents/trust.txt")
    #expect(old.body == first && field(old, "Content-Type") == "text/plain")
    let restored = try admin.send("POST", "\(path)/revisions/2/restore")
    #expect(restored.status == 200, "\(restored.text)")
    let served = try public_("/.well-known/trust.txt")
    #expect(served.body == first && field(served, "Content-Type") == "text/plain")
    #expect(try admin.send("POST", "\(path)/revisions/1/restore").status == 200)
    #expect(try public_("/.well-known/trust.txt").status == 404)
  }

  @Test func aDeletedDomainAndAnUndoneChangeBringTheirDocumentsBack() throws {
    let bytes: [UInt8] = [0, 1, 0xFF]
    #expect(try put("x.bin", bytes).status == 200)
    #expect(
      try admin.send("PATCH", path, json: ["changePassword": "https://example.com/p"]).status == 200
    )
    #expect(try admin.send("DELETE", "\(path)?accept=opens-nothing").status == 200)
    #expect(try public_("/.well-known/x.bin").status == 404)
    #expect(try admin.send("POST", "\(path)/restore").status == 201)
    #expect(try public_("/.well-known/x.bin").body == bytes)
    #expect(try public_("/.well-known/change-password").status == 302)
    let change = try put("x.bin", [0x61]).json["change"]?.integerValue ?? 0
    let undone = try admin.send("POST", "/v1/changes/\(change)/revert")
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try public_("/.well-known/x.bin").body == bytes)
    let added = try put("y", [1]).json["change"]?.integerValue ?? 0
    #expect(try admin.send("POST", "/v1/changes/\(added)/revert").status == 200)
    #expect(try public_("/.well-known/y").status == 404)
  }

  @Test func aSnapshotHasDocumentsTheirTypesAndTheRedirect() throws {
    #expect(try put("x.bin", [0, 1], type: "application/cbor").status == 200)
    #expect(
      try admin.send("PATCH", path, json: ["changePassword": "https://example.com/p"]).status == 200
    )
    let snapshot = Snapshot(path: running.directory.path("snapshot"))
    try snapshot.replace(by: running.store)
    var domains: [ServedDomain] = []
    _ = try snapshot.read { change in
      if case .served(let domain, nil) = change.now { domains.append(domain) }
    }
    #expect(domains.first?.changePassword == SecureURL(stored: "https://example.com/p"))
    let file = try #require(domains.first?.files.last)
    #expect(file.document == [0, 1] && file.mediaType == MediaType(stored: "application/cbor"))
  }

  @Test func theLastSnapshotOfAnEarlierVersionIsServed() throws {
    let snapshot = Snapshot(path: running.directory.path("snapshot"))
    try snapshot.replace(by: running.store)
    let connection = try SQLiteConnection(
      path: running.directory.path("snapshot"), mode: .existing)
    try connection.execute(
      """
      ALTER TABLE domain DROP COLUMN change_password;
      ALTER TABLE file DROP COLUMN media_type;
      UPDATE snapshot SET version = 1
      """)
    var kinds: [DocumentKind] = []
    _ = try snapshot.read { change in
      if case .served(let domain, nil) = change.now { kinds += domain.files.map(\.kind) }
    }
    #expect(kinds == [.apple])
  }

  @Test func anExportGivesBackEveryByteAndApplyChangesNothing() throws {
    let contents: [(String, [UInt8])] = [
      ("a.bin", [0, 0xFF]), ("b.txt", Array("a\r\nb\u{FEFF}\u{0301}é\n".utf8)),
      ("c", Array("\u{1}\"\\\u{2028}".utf8)), ("d.bin", [0x61, 0]),
    ]
    for (name, bytes) in contents { #expect(try put(name, bytes).status == 200) }
    let exported = try admin.send("GET", "/v1/export").json
    let again = try admin.send("POST", "/v1/apply?dryRun=true", json: exported)
    #expect(try again.json["domains"]?[0]?["action"] == "unchanged", "\(again.text)")
    let other = try RunningService()
    let applied = try other.admin.send("POST", "/v1/apply", json: exported)
    #expect(applied.status == 200, "\(applied.text)")
    for (name, bytes) in contents {
      let served = try other.serve("example.com", name)
      let before = try public_("/.well-known/\(name)")
      #expect(served.body == bytes, "\(name)")
      #expect(field(served, "Content-Type") == field(before, "Content-Type"), "\(name)")
    }
    // In a state, the documents are all that the domain has; null is none.
    let less: JSON = [
      "domains": [
        ["domain": "example.com", "documents": ["c": ["text": "new"], "d.bin": .null]]
      ]
    ]
    #expect(try other.admin.send("POST", "/v1/apply", json: less).status == 200)
    let kept = try contents.filter { try other.serve("example.com", $0.0).status == 200 }
    #expect(kept.map(\.0) == ["c"])
  }

  @Test func documentsStayWhenTheAppleFileIsAdoptedOrTheirDomainEdited() throws {
    #expect(try put("gpc.json", Array(Self.gpc.utf8)).status == 200)
    let file = AssociationFile.routes(["/a"])
    #expect(try admin.send("PUT", "\(path)/file?accept=opens-nothing", json: file).status == 200)
    #expect(try admin.send("PATCH", path, json: ["cacheSeconds": 60]).status == 200)
    let served = try public_("/.well-known/gpc.json")
    #expect(served.text == Self.gpc && field(served, "Cache-Control") == "public, max-age=60")
  }

  @Test func aDomainCanHaveNothingButDocuments() throws {
    let answer = try admin.send(
      "PUT", "/v1/domains/pay.example/documents/apple-developer-merchantid-domain-association",
      body: Array("7B227073".utf8))
    #expect(answer.status == 201, "\(answer.text)")
    #expect(try running.serve("pay.example").status == 404)
    let name = "apple-developer-merchantid-domain-association"
    #expect(field(try running.serve("pay.example", name), "Content-Type") == "text/plain")
  }

  @Test func fetchesAndRequestsAreCounted() throws {
    #expect(try put("gpc.json", Array(Self.gpc.utf8)).status == 200)
    for _ in 0..<3 { #expect(try public_("/.well-known/gpc.json").status == 200) }
    let isCounted = try becomesTrue {
      running.service.follow()
      let fetches = try admin.send("GET", "\(path)/fetches?kind=gpc.json").json
      let others = fetches["fetchers"]?.arrayValue?.first { $0["fetcher"] == "other" }
      return others?["count"] == 3
    }
    #expect(isCounted)
    let metrics = try admin.send("GET", "/metrics").text
    #expect(metrics.contains(#"aasa_documents_sent_total{kind="other"} 3"#))
    #expect(metrics.contains(#"aasa_documents{kind="other",percent="0-50"} 1"#))
    #expect(!metrics.contains("gpc.json"))
  }
}
