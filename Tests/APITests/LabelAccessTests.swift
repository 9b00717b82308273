import Association
import Checking
import HTTP
import Publishing
@testable import Service
import Store
import TestSupport
import Testing

/// A token that is limited to labels sees and changes the domains that have one of them, and cannot give itself more.
@Suite struct LabelAccessTests {
  private let running: RunningService
  private let own = "own.example"
  private let foreign = "foreign.example"
  private let limited: Client
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    let entry: JSON = ["apps": [.string(app)], "routes": [["path": "/x%c3"]]]
    try running.put(
      own, ["labels": ["brand-a"], "aliases": ["www.own.example"], "entries": [entry]])
    try running.put(
      foreign, ["labels": ["brand-b"], "aliases": ["www.foreign.example"], "entries": [entry]])
    try running.put("bare.example", ["entries": [entry]])
    limited = try running.client(.editor, named: "team-a", labels: ["brand-a", "other"])
  }

  private func isRefused(_ answer: RawResponse) throws -> Bool {
    try answer.status == 403 && answer.code == "token-limited"
  }

  /// Every endpoint, with its path filled in for a domain.
  private func endpoints(_ domain: String) -> [(endpoint: Endpoint, target: String)] {
    AdminAPI.endpoints(of: Publisher(store: running.store)) { Checker(Fetcher(), now: { 0 }) }.map {
      endpoint in
      let parts = endpoint.path.split(separator: "/").map { part in
        part == "{domain}" ? domain : part.hasPrefix("{") ? "1" : String(part)
      }
      return (endpoint, "/" + parts.joined(separator: "/"))
    }
  }

  // MARK: - Every endpoint

  @Test func everyEndpointOfADomainIsRefusedForOtherDomains() throws {
    for domain in [foreign, "bare.example", "new.example", "www.own.example"] {
      var count = 0
      for (endpoint, target) in endpoints(domain) where endpoint.path.contains("{domain}") {
        let answer = try limited.send(endpoint.method.name, target, json: [:])
        #expect(try isRefused(answer), "\(endpoint.method.name) \(target): \(answer.text)")
        count += 1
      }
      #expect(count > 20)
    }
    for name in [foreign, "bare.example"] {
      #expect(try admin.send("GET", "/v1/domains/\(name)").json["revision"] == 1)
    }
  }

  @Test func everyEndpointOfItsOwnDomainIsOpen() throws {
    for (endpoint, target) in endpoints(own)
    where endpoint.path.contains("{domain}") && endpoint.method == .get {
      let answer = try limited.send("GET", target)
      #expect(answer.status != 403, "\(target): \(answer.text)")
    }
    let patched = try limited.send("PATCH", "/v1/domains/\(own)", json: ["cacheSeconds": 5])
    #expect(patched.status == 200, "\(patched.text)")
  }

  @Test func endpointsWithoutADomainAreRefusedUnlessTheyShowOnlyItsDomains() throws {
    let filtered = [
      "listDomains", "listFindings", "listChecks", "exportState", "exportHashes", "matchURLs",
      "check", "fetchLiveFiles", "apply", "listTemplates", "getTemplate", "listTemplateRevisions",
      "getTemplateRevision", "editRoutes", "getAppSnippets", "listChanges", "getChange",
      "revertChange", "listServed", "suggestTemplate", "adoptIntoTemplate", "explain", "listDrafts",
      "addDraft", "getDraft", "planDraft", "withdrawDraft", "approveDraft", "declineDraft",
      "commentDraft", "listProtectedLabels", "listLabels",
    ]
    for (endpoint, target) in endpoints(own) where !endpoint.path.contains("{domain}") {
      if filtered.contains(endpoint.id) || endpoint.access == .anyToken { continue }
      let answer = try limited.send(endpoint.method.name, target, json: [:])
      #expect(answer.status == 403, "\(endpoint.method.name) \(target): \(answer.text)")
    }
    #expect(
      Set(endpoints(own).map(\.endpoint).filter(\.isFilteredByToken).map(\.id)) == Set(filtered))
  }

  // MARK: - What it sees

  @Test func changesAndEditsOfRoutesReachOnlyItsDomains() throws {
    let all = try admin.send("GET", "/v1/changes").json["items"]?.arrayValue ?? []
    let seen = try limited.send("GET", "/v1/changes").json["items"]?.arrayValue ?? []
    #expect(all.count >= 3 && seen.count == 1, "\(seen)")
    for change in all.filter({ one in !seen.contains { $0["id"] == one["id"] } }) {
      let path = "/v1/changes/\(change["id"]?.text ?? "")"
      #expect(try limited.send("GET", path).status == 404)
      #expect(try limited.send("POST", path + "/revert").status == 404)
    }
    let edits: JSON = [["add": ["path": "/added/*"]]]
    let refused = try limited.send(
      "POST", "/v1/routes", json: ["domains": [.string(foreign)], "edits": edits])
    #expect(refused.status == 403, "\(refused.text)")
    let edited = try limited.send(
      "POST", "/v1/routes",
      json: ["filter": ["environment": "production", "label": "brand-a"], "edits": edits])
    #expect(edited.status == 200, "\(edited.text)")
    #expect(
      try edited.json["domains"]?.arrayValue?.map { $0["domain"] } == [.string(own)],
      "\(edited.text)")
    #expect(try admin.send("GET", "/v1/domains/\(foreign)").json["revision"] == 1)
  }

  @Test func listsShowOnlyItsDomains() throws {
    for domain in [own, foreign, "bare.example"] {
      _ = try admin.send("POST", "/v1/check", json: ["domains": [.string(domain)]])
    }
    for (path, list) in [
      ("/v1/domains", "items"), ("/v1/findings", "items"), ("/v1/checks", "items"),
      ("/v1/export", "domains"), ("/v1/export/hashes", "domains"),
    ] {
      for query in ["", "?label=brand-a"] {
        let answer = try limited.send("GET", path + query)
        let shown = (try answer.json[list]?.arrayValue ?? []).compactMap {
          $0["domain"]?.stringValue
        }
        #expect(Set(shown) == [own], "\(path)\(query)")
        #expect(!answer.text.contains("foreign"), "\(path)\(query)")
      }
      let others = try limited.send("GET", path + "?label=brand-b").json[list]
      #expect(others == [], "\(path)")
    }
    #expect(try limited.send("GET", "/v1/findings?source=lint").json["total"] == 1)
    #expect(try limited.send("GET", "/v1/domains").json["total"] == 1)
  }

  @Test func itsExportHasNoAppsOfOtherDomains() throws {
    try running.put("other.example", ["webcredentials": ["ABCDE12345.com.example.other"]])
    #expect(try !limited.send("GET", "/v1/export").text.contains("com.example.other"))
  }

  @Test func questionsAboutOtherDomainsAreRefused() throws {
    for (path, json) in [
      ("/v1/check", ["domains": [.string(own), .string(foreign)]]),
      ("/v1/check", ["domains": ["new.example"]]),
      ("/v1/live-files", ["domains": [.string(foreign)]]),
    ] as [(String, JSON)] {
      let answer = try limited.send("POST", path, json: json)
      #expect(try isRefused(answer), "\(path): \(answer.text)")
    }
    for (path, json) in [
      ("/v1/match", ["urls": ["https://www.own.example/a"]]),
      ("/v1/check", ["domains": [.string(own)]]), ("/v1/live-files", ["domains": [.string(own)]]),
    ] as [(String, JSON)] {
      #expect(try limited.send("POST", path, json: json).status == 200, "\(path)")
    }
    let labelled = try limited.send("POST", "/v1/check", json: ["label": "brand-b"])
    #expect(try labelled.json["items"] == [])
  }

  // MARK: - What it cannot give itself

  @Test func itCannotChangeLabels() throws {
    let path = "/v1/domains/\(own)"
    for json: JSON in [
      ["labels": ["brand-a", "other"]], ["labels": .null], ["labels": ["brand-b"]],
      ["cacheSeconds": 5, "labels": []],
    ] {
      for query in ["", "?dryRun=true"] {
        let answer = try limited.send("PATCH", path + query, json: json)
        #expect(try isRefused(answer), "\(json.text): \(answer.text)")
        #expect(answer.text.contains("[\\\"brand-a\\\"]"), "what to send: \(answer.text)")
      }
    }
    #expect(try isRefused(limited.send("PUT", path, json: [:], "If-Match: *")))
    let state: JSON = ["domains": [["domain": .string(own), "labels": ["brand-b"]]]]
    for query in ["", "&dryRun=true"] {
      #expect(try isRefused(limited.send("POST", "/v1/apply?overwrite=true" + query, json: state)))
    }
    #expect(try admin.send("GET", path).json["revision"] == 1)
    let same: JSON = ["labels": ["brand-a"], "cacheSeconds": 5]
    #expect(try limited.send("PATCH", path, json: same).status == 200)
    let whole = try limited.send("GET", path).json
    #expect(try limited.send("PUT", path, json: whole, "If-Match: *").status == 200)
  }

  @Test func itCannotAddDomainsOrNames() throws {
    for (method, target, json) in [
      ("PUT", "/v1/domains/new.example", ["labels": ["brand-a"]]),
      ("PUT", "/v1/domains/new.example/file", ["applinks": [:]]),
      ("PUT", "/v1/domains/new.example/documents/webauthn", ["origins": []]),
      ("POST", "/v1/apply", ["domains": [["domain": "new.example", "labels": ["brand-a"]]]]),
      ("PATCH", "/v1/domains/\(own)", ["aliases": ["www.own.example", "*.example"]]),
      (
        "POST", "/v1/apply",
        ["domains": [["domain": .string(own), "aliases": ["new.own.example"]]]]
      ),
    ] as [(String, String, JSON)] {
      let answer = try limited.send(method, target, json: json)
      #expect(try isRefused(answer), "\(method) \(target): \(answer.text)")
      if json["domains"]?[0]?["domain"] == "new.example" { continue }
      #expect(answer.text.contains("somebody without this limit must add"), "\(answer.text)")
    }
    #expect(try admin.send("GET", "/v1/domains").json["total"] == 3)
    let fewer = try limited.send("PATCH", "/v1/domains/\(own)", json: ["aliases": []])
    #expect(fewer.status == 200, "\(fewer.text)")
    let back = try limited.send("POST", "/v1/domains/\(own)/revisions/1/restore")
    #expect(try isRefused(back), "a name that it gave up: \(back.text)")
  }

  @Test func itCanDeleteItsDomainButNotBringItBack() throws {
    let path = "/v1/domains/\(own)"
    #expect(try limited.send("DELETE", path + "?accept=opens-nothing").status == 200)
    for (method, target) in [
      ("GET", path), ("GET", path + "/revisions"), ("POST", path + "/restore"),
    ] {
      #expect(try isRefused(limited.send(method, target)), "\(method) \(target)")
    }
    #expect(try limited.send("GET", "/v1/domains?deleted=true").json["total"] == 0)
    #expect(try admin.send("POST", path + "/restore").status == 201)
    #expect(try limited.send("GET", path).status == 200, "its labels are restored")
  }

  @Test func pruningDeletesOnlyItsDomains() throws {
    let answer = try limited.send(
      "POST", "/v1/apply?prune=true&accept=opens-nothing", json: ["domains": []])
    #expect(answer.status == 200, "\(answer.text)")
    let rest = try admin.send("GET", "/v1/domains").json["items"]?.arrayValue ?? []
    #expect(rest.map { $0["domain"] } == ["bare.example", "foreign.example"])
  }

  @Test func itLosesADomainThatLosesTheLabel() throws {
    let path = "/v1/domains/\(own)"
    #expect(try limited.send("GET", path).status == 200)
    #expect(try admin.send("PATCH", path, json: ["labels": ["brand-b"]]).status == 200)
    #expect(try isRefused(limited.send("GET", path)))
    #expect(try isRefused(limited.send("PATCH", path, json: ["cacheSeconds": 5])))
  }

  @Test func anEditIsRefusedIfTheLabelIsGoneWhenItIsWritten() throws {
    let context = WriteContext(
      author: "team-a", within: Scope(domains: [], labels: [Label(stored: "brand-a")]))
    let publisher = Publisher(store: running.store)
    let name = DomainName(stored: own)
    var isFirst = true
    let error = #expect(throws: PublicationError.self) {
      _ = try publisher.publish(name, action: "edit", by: context) { old in
        var domain = try #require(old).domain
        domain.cacheSeconds = 5
        if isFirst {
          isFirst = false
          // Another process does not wait for this edit.
          let other = Publisher(store: try running.open(now: { running.store.now() }))
          _ = try other.publish(name, action: "edit", by: WriteContext(author: "other")) {
            var domain = try #require($0).domain
            domain.labels = []
            return domain
          }
        }
        return domain
      }
    }
    guard case .outsideLimits(name, .domain) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(throws: PublicationError.self) {
      try publisher.delete(name, accepting: [.opensNothing], by: context)
    }
    #expect(try running.store.domain(name).domain.cacheSeconds == 3600)
  }

  // MARK: - Globs and labels together

  @Test func withGlobsADomainNeedsBoth() throws {
    try running.put("a.own.example", ["labels": ["brand-b"]])
    try running.put("b.own.example", ["labels": ["brand-a"]])
    let both = try running.client(
      .editor, domains: ["*.own.example", "x.example"], labels: ["brand-a"])
    #expect(
      try both.send("GET", "/v1/domains").json["items"]?.arrayValue?.map { $0["domain"] } == [
        "b.own.example"
      ])
    #expect(try both.send("GET", "/v1/domains/b.own.example").status == 200)
    for name in ["a.own.example", own, "new.own.example"] {
      #expect(try isRefused(both.send("GET", "/v1/domains/\(name)")), "\(name)")
      #expect(try isRefused(both.send("PUT", "/v1/domains/\(name)", json: ["labels": ["brand-a"]])))
    }
    let alias = try both.send(
      "PATCH", "/v1/domains/b.own.example", json: ["aliases": ["c.own.example"]])
    #expect(try isRefused(alias), "\(alias.text)")
    let session = try both.send("GET", "/v1/session").json
    #expect(
      session["domains"] == ["*.own.example", "x.example"] && session["labels"] == ["brand-a"])
  }

  /// `_` and `.` are no wildcards in SQL or anywhere else.
  @Test func aLabelThatLooksAlikeIsAnotherOne() throws {
    for (index, label) in ["a_b", "axb", "a.b", "a-b", "a_b.c", "a"].enumerated() {
      try running.put("d\(index).wild.example", ["labels": [.string(label)]])
    }
    for domains in [[], ["*.wild.example"], ["d0.wild.example"]] {
      let client = try running.client(.viewer, domains: domains, labels: ["a_b"])
      let items = try client.send("GET", "/v1/domains").json["items"]?.arrayValue ?? []
      #expect(items.map { $0["domain"] } == ["d0.wild.example"], "\(domains)")
    }
  }

  @Test func aTokenWithGlobsAloneMayLabelItsDomains() throws {
    let globs = try running.client(.editor, domains: ["*.own.example"])
    let added = try globs.send("PUT", "/v1/domains/new.own.example", json: ["labels": ["brand-a"]])
    #expect(added.status == 201, "\(added.text)")
    #expect(try limited.send("GET", "/v1/domains/new.own.example").status == 200)
  }

  @Test func tokensAndUsersShowTheirLabels() throws {
    let created = try admin.send(
      "POST", "/v1/tokens",
      json: ["name": "b", "role": "viewer", "labels": ["y", "x"], "domains": ["*.own.example"]])
    #expect(try created.status == 201 && created.json["labels"] == ["x", "y"])
    let tokens = try admin.send("GET", "/v1/tokens").json["items"]?.arrayValue ?? []
    let shown = tokens.first { $0["name"] == "b" }
    #expect(shown?["labels"] == ["x", "y"] && shown?["domains"] == ["*.own.example"])
    #expect(tokens.first { $0["name"] == "test" }?["labels"] == nil)
    let put = try admin.send(
      "PUT", "/v1/users/anna", json: ["role": "viewer", "labels": ["brand-a"]])
    #expect(try put.json["labels"] == ["brand-a"])
    #expect(try admin.send("GET", "/v1/users").json["items"]?[0]?["labels"] == ["brand-a"])
    let changed = try admin.send("PUT", "/v1/users/anna", json: ["role": "viewer"])
    #expect(try changed.json["labels"] == nil)
    let record = try admin.send("GET", "/v1/audit").json["items"]?[0]
    #expect(record?["changes"] == "labels changed")
  }

  /// During a rolling upgrade, servers of earlier versions read the rows of such tokens as globs.
  @Test func earlierVersionsTakeSuchATokenForOneWithoutDomains() throws {
    _ = try running.createToken(
      name: "b", role: .editor, domains: ["*.example"], labels: ["brand-a"])
    let globs = try running.connect().all("SELECT glob FROM token_domain", []) { $0.text(0) }
    #expect(globs.sorted() == ["label:brand-a", "label:brand-a *.example", "label:other"])
    let name = Alias(DomainName(stored: own))
    #expect(globs.allSatisfy { !Alias(stored: $0).covers(name) })
  }

  @Test func anAndroidAppThatItAddedIsAskedAboutElsewhere() throws {
    let package = "com.example.shop"
    let fingerprint = (10..<42).map(String.init).joined(separator: ":")
    let state: JSON = [
      "androidApps": [
        [
          "package": .string(package),
          "fingerprints": [["sha256": .string(fingerprint), "label": "play-signing"]],
        ]
      ],
      "domains": [["domain": .string(own), "androidCredentials": [.string(package)]]],
    ]
    let added = try limited.send("POST", "/v1/apply", json: state)
    #expect(added.status == 200, "\(added.text)")
    let shown = try admin.send("GET", "/v1/android-apps/\(package)").json["addedBy"]
    #expect(shown == ["name": "team-a", "domains": [], "labels": ["brand-a", "other"]])
    let use: JSON = ["androidCredentials": [.string(package)]]
    let asked = try admin.send("PATCH", "/v1/domains/\(foreign)", json: use)
    #expect(try asked.code == "app-added-by-limited-token", "\(asked.text)")
    try running.put("two.own.example", ["labels": ["other"]])
    #expect(try admin.send("PATCH", "/v1/domains/two.own.example", json: use).status == 200)
  }
}
