import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

/// `/v1/domains/{domain}/entries`.
struct EntryEndpoints: Sendable {
  let publisher: Publisher

  var all: [Endpoint] {
    let path = "/v1/domains/{domain}/entries"
    return [
      Endpoint(
        .get, path, .role(.viewer),
        Operation(
          "listEntries", .entries, "List the entries of a domain",
          answers: .ok(
            "All entries, in order.", .object(["entries": .list("Entry")]), isTagged: true,
            #"{"entries": [\#(Example.entry)]}"#))
      ) { call in
        let stored = try publisher.store.domain(call.domain())
        let entries = stored.domain.document.entries.map { json($0, in: stored) }
        return .json(.ok, ["entries": .array(entries)], fields: [stored.entityTag])
      },
      Endpoint(
        .post, path, .role(.editor), effect: .publication,
        Operation(
          "addEntry", .entries, "Add an entry",
          body: .json(
            "NewEntry",
            """
            {
              "apps": ["FGHIJ67890.com.example.other"], "routes": [{"path": "/other/*"}],
              "position": 0
            }
            """),
          answers: .created(
            "The entry.", "PublishedEntry",
            links: [
              "getEntry", "replaceEntry", "deleteEntry", "listRoutes", "addRoute", "setRoutes",
            ], Example.addedEntry)), add),
      Endpoint(
        .get, path + "/{entry}", .role(.viewer),
        Operation(
          "getEntry", .entries, "Read an entry",
          answers: .ok("The entry.", "Entry", isTagged: true, Example.entry))
      ) { call in
        let stored = try publisher.store.domain(call.domain())
        let entry = stored.domain.document.entries[try stored.domain.place(of: call.row("entry"))]
        return .json(.ok, json(entry, in: stored), fields: [stored.entityTag])
      },
      Endpoint(
        .put, path + "/{entry}", .role(.editor), effect: .publication,
        Operation(
          "replaceEntry", .entries, "Replace all of an entry",
          body: .json("EntryInput", Example.changedEntry),
          answers: .ok("The entry.", "PublishedEntry", Example.replacedEntry)), replace),
      Endpoint(
        .delete, path + "/{entry}", .role(.editor), effect: .publication,
        Operation(
          "deleteEntry", .entries, "Delete an entry",
          answers: .ok("The revision without the entry.", "Publication", Example.deletedEntry)),
        delete),
    ]
  }

  private func json(_ entry: Entry, in stored: StoredDomain) -> JSON {
    EntryResource.json(entry, format: stored.domain.format)
  }

  /// Adds an entry at `position`, by default at the end.
  private func add(_ call: Call) throws -> Response {
    let body = try call.json()
    var place = 0
    return try publisher.respond(to: call, "add entry") { old in
      var domain = try call.existing(old)
      let (json, position) = try call.position(in: body, count: domain.document.entries.count)
      var entry = try Faults.collecting(in: json) { EntryResource.read($0, format: domain.format) }
      entry.id = nil
      place = position
      domain.document.entries.insert(entry, at: place)
      try check(domain)
      return domain
    } answer: { publication in
      let stored = publication.edited.stored
      return ["entry": json(stored.domain.document.entries[place], in: stored)]
    } location: { publication in
      let stored = publication.edited.stored
      return stored.domain.document.entries[place].id.map {
        "/v1/domains/\(stored.domain.name)/entries/\($0)"
      }
    }
  }

  private func replace(_ call: Call) throws -> Response {
    let id = try call.row("entry")
    let body = try call.json()
    return try publisher.respond(to: call, "replace entry") { old in
      var domain = try call.existing(old)
      let place = try domain.place(of: id)
      var entry = try Faults.collecting(in: body) { EntryResource.read($0, format: domain.format) }
      entry.id = id
      domain.document.entries[place] = entry
      try check(domain)
      return domain
    } answer: { publication in
      let stored = publication.edited.stored
      return [
        "entry": json(stored.domain.document.entries[try stored.domain.place(of: id)], in: stored)
      ]
    }
  }

  /// Checks that the domain's form of `details` can express its entries, one of which is new.
  private func check(_ domain: Domain) throws {
    var others: Set<AppIdentifier> = []
    let isSayable = domain.document.entries.allSatisfy {
      DomainResource.isSayableInDictionary($0, beside: &others)
    }
    if domain.document.detailsForm == .array || isSayable { return }
    let error = DomainResource.dictionaryCannotSay
    throw InvalidInput(
      faults: [Fault(pointer: .root, code: error.code, message: error.message)])
  }

  private func delete(_ call: Call) throws -> Response {
    let id = try call.row("entry")
    return try publisher.respond(to: call, "delete entry") { old in
      var domain = try call.existing(old)
      domain.document.entries.remove(at: try domain.place(of: id))
      return domain
    } answer: { _ in
      [:]
    }
  }
}

extension Call {
  /// The domain that an edit starts from.
  ///
  /// - Throws: `StoreError.notFound`.
  func existing(_ old: StoredDomain?) throws -> Domain {
    guard let old else { throw StoreError.notFound(.domain(try domain())) }
    return old.domain
  }

  /// The body without its `position`, and the position, which is 0 to `count` and `count` by default.
  func position(in body: JSON, count: Int) throws -> (json: JSON, position: Int) {
    guard case .object(var members) = body, let given = members["position"] else {
      return (body, count)
    }
    members["position"] = nil
    let position = try Faults.collecting(in: given, at: .root.appending("position")) {
      $0.integer(in: 0...count)
    }
    return (.object(members), position)
  }
}

extension Domain {
  /// The index of an entry.
  ///
  /// - Throws: `StoreError.notFound`.
  func place(of entry: Int64) throws -> Int {
    guard let place = document.entries.firstIndex(where: { $0.id == entry }) else {
      throw StoreError.notFound(.entry(entry))
    }
    return place
  }
}

extension Example {
  fileprivate static let addedEntry = publication(
    8, findings: finding,
    changes: """
      {
        "kind": "added", "what": "app", "to": "/applinks/details/0",
        "after": "FGHIJ67890.com.example.other", "apps": ["FGHIJ67890.com.example.other"],
        "summary": "app FGHIJ67890.com.example.other added, with 1 route", "affectsLinks": true,
        "example": {
          "url": "https://example.com/OTHER", "app": "FGHIJ67890.com.example.other",
          "before": "no-match", "after": "match"
        }
      }
      """,
    """
    "entry": {
      "id": 2, "apps": ["FGHIJ67890.com.example.other"],
      "routes": [{"id": 6, "path": "/other/*"}]
    }
    """)

  fileprivate static let changedEntry = """
    {
      "apps": ["ABCDE12345.com.example.app"],
      "routes": [
        {"id": 1, "path": "/help/website/*", "exclude": true}, {"id": 2, "path": "/help/*"}
      ]
    }
    """

  fileprivate static let replacedEntry = publication(
    7, findings: finding,
    changes: #"""
      {
        "kind": "removed", "what": "comment",
        "from": "/applinks/details/0/components/0/comment", "before": "stays on the web",
        "apps": ["ABCDE12345.com.example.app"],
        "summary": "comment of exclusion \"/help/website/*\" removed", "affectsLinks": false
      },
      {
        "kind": "removed", "what": "route", "from": "/applinks/details/0/components/2",
        "before": {"/": "/news/*", "caseSensitive": false},
        "apps": ["ABCDE12345.com.example.app"], "summary": "route \"/news/*\" removed",
        "affectsLinks": true,
        "example": {
          "url": "https://example.com/NEWS", "app": "ABCDE12345.com.example.app",
          "before": "match", "after": "no-match"
        }
      }
      """#,
    """
    "entry": {
      "id": 1, "apps": ["ABCDE12345.com.example.app"],
      "routes": [
        {"id": 1, "path": "/help/website/*", "exclude": true}, {"id": 2, "path": "/help/*"}
      ]
    }
    """)

  fileprivate static let deletedEntry = publication(
    13, findings: finding,
    changes: """
      {
        "kind": "removed", "what": "app", "from": "/applinks/details/0",
        "before": "ABCDE12345.com.example.renamed", "apps": ["ABCDE12345.com.example.renamed"],
        "summary": "app ABCDE12345.com.example.renamed removed, with 2 routes",
        "affectsLinks": true,
        "example": {
          "url": "https://example.com/HELP?ARTICLENUMBER=xxxx",
          "app": "ABCDE12345.com.example.renamed", "before": "match", "after": "no-match"
        }
      }
      """)
}
