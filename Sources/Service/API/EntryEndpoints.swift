import Association
import HTTP
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
        "listEntries", .entries, "List the entries of a domain",
        answers: .ok(
          "All entries of the domain itself, in order; those of its template follow them.",
          .named("Entries", .object([Member("entries", .list(of: "Entry"))])),
          isTagged: true)
      ) { call in
        let stored = try publisher.store.domain(call.domain())
        return .json(.ok, .object(list(stored.domain.own, in: stored)), fields: [stored.entityTag])
      },
      Endpoint(
        .post, path, .role(.editor), effect: .publication,
        "addEntry", .entries, "Add an entry",
        body: .json("NewEntry", size: .document),
        answers: .created(
          "The entry.", "PublishedEntry",
          links: [
            "getEntry", "replaceEntry", "patchEntry", "deleteEntry", "listRoutes", "addRoute",
            "setRoutes",
          ]), handle: add),
      Endpoint(
        .put, path, .role(.editor), effect: .publication,
        "setEntries", .entries, "Replace or reorder all entries of a domain",
        body: .json(
          .named(
            "EntryList",
            .object([
              Member("entries", .list(of: .existing("entry", of: "domain", or: "EntryInput")))
            ])),
          size: .document),
        answers: .ok("All entries.", "PublishedEntries"), handle: replaceAll),
      Endpoint(
        .get, path + "/{entry}", .role(.viewer),
        "getEntry", .entries, "Read an entry",
        answers: .ok("The entry.", "Entry", isTagged: true)
      ) { call in
        let stored = try publisher.store.domain(call.domain())
        let entry = stored.domain.associationFile.entries[
          try stored.domain.own.place(of: call.row("entry"))]
        return .json(.ok, json(entry, in: stored), fields: [stored.entityTag])
      },
      Endpoint(
        .put, path + "/{entry}", .role(.editor), effect: .publication,
        "replaceEntry", .entries, "Replace all of an entry",
        body: .json("EntryInput", size: .document),
        answers: .ok("The entry.", "PublishedEntry"), handle: replace),
      Endpoint(
        .patch, path + "/{entry}", .role(.editor), effect: .publication,
        "patchEntry", .entries, "Change members of an entry",
        body: .patch("EntryPatch", size: .document),
        answers: .ok("The entry.", "PublishedEntry"), handle: patch),
      Endpoint(
        .delete, path + "/{entry}", .role(.editor), effect: .publication,
        "deleteEntry", .entries, "Delete an entry",
        answers: .ok("The revision without the entry.", "Publication"),
        handle: delete),
    ]
  }

  private func json(_ entry: Entry, in stored: StoredDomain) -> JSON {
    EntryResource.json(entry, format: stored.domain.format)
  }

  private func list(_ domain: Domain, in stored: StoredDomain) -> JSON.Object {
    ["entries": .array(domain.associationFile.entries.map { json($0, in: stored) })]
  }

  /// Adds an entry at `position`, by default at the end.
  private func add(_ call: Call) throws -> Response {
    let body = try call.json()
    var place = 0
    return try publisher.edit(call, "add entry") { domain in
      let (json, position) = try call.position(
        in: body, count: domain.associationFile.entries.count)
      var entry = try Faults.collecting(in: json) { EntryResource.read($0, format: domain.format) }
      entry.id = nil
      place = position
      domain.associationFile.entries.insert(entry, at: place)
      try check(domain)
    } answer: { stored in
      ["entry": json(stored.domain.associationFile.entries[place], in: stored)]
    } location: { stored in
      stored.domain.associationFile.entries[place].id.map {
        "/v1/domains/\(stored.domain.name)/entries/\($0)"
      }
    }
  }

  /// Sets the whole list, in which a number stands for the existing entry with that `id`.
  private func replaceAll(_ call: Call) throws -> Response {
    let body = try call.json()
    return try publisher.edit(call, "set entries") { domain in
      let (old, format) = (domain.associationFile.entries, domain.format)
      domain.associationFile.entries = try Faults.collecting(in: body) { input in
        input.object(["entries"])?.required("entries")?.list(
          reordering: old, \.id, (.entryNotFound, .duplicateEntry), "entry", of: "domain"
        ) { EntryResource.read($0, format: format) }
      }
      try check(domain)
    } answer: { stored in
      list(stored.domain.own, in: stored)
    }
  }

  private func replace(_ call: Call) throws -> Response {
    let body = try call.json()
    return try edit(call, "replace entry") { _, _ in body }
  }

  /// RFC 7396: members of the body replace those of the entry, `null` removes them.
  private func patch(_ call: Call) throws -> Response {
    let body = try call.json()
    return try edit(call, "change entry") { entry, format in
      EntryResource.json(entry, format: format).merging(body)
    }
  }

  /// Puts what a body says in the place of the entry that a call names.
  private func edit(
    _ call: Call, _ action: String, _ body: (Entry, Domain.Format) -> JSON
  ) throws -> Response {
    let id = try call.row("entry")
    return try publisher.edit(call, action) { domain in
      let place = try domain.place(of: id)
      let format = domain.format
      var entry = try Faults.collecting(
        in: body(domain.associationFile.entries[place], format)
      ) { EntryResource.read($0, format: format) }
      entry.id = id
      domain.associationFile.entries[place] = entry
      try check(domain)
    } answer: { stored in
      [
        "entry": json(
          stored.domain.associationFile.entries[try stored.domain.place(of: id)], in: stored)
      ]
    }
  }

  /// Checks that the domain's form of `details` can express its entries, one of which is new.
  private func check(_ domain: Domain) throws {
    var others: Set<AppIdentifier> = []
    let fits = domain.associationFile.entries.allSatisfy {
      DomainResource.fitsDictionary($0, beside: &others)
    }
    if domain.associationFile.detailsForm == .array || fits { return }
    throw InvalidInput(.dictionaryCannotSay, DomainResource.dictionaryAdvice)
  }

  private func delete(_ call: Call) throws -> Response {
    let id = try call.row("entry")
    return try publisher.edit(call, "delete entry") { domain in
      domain.associationFile.entries.remove(at: try domain.place(of: id))
    } answer: { _ in
      [:]
    }
  }
}

extension Call {
  /// The body without its `position`, and the position, which is 0 to `count` and `count` by default.
  func position(in body: JSON, count: Int) throws -> (json: JSON, position: Int) {
    guard case .object(var members) = body, let given = members["position"] else {
      return (body, count)
    }
    members["position"] = nil
    if given == .null { return (.object(members), count) }
    let position = try Faults.collecting(in: given, at: .root.appending("position")) {
      $0.integer(in: 0...count)
    }
    return (.object(members), position)
  }
}

extension Schema {
  /// An element of a list that replaces one: the number of an existing element, or a new one.
  static func existing(_ noun: String, of owner: String, or new: String) -> Schema {
    .json([
      "oneOf": [
        [
          "type": "integer", "minimum": 1, "maximum": .integer(Int64.max),
          "description": .string("The `id` of a \(noun) of this \(owner), which stays as it is."),
        ],
        Schema.shared(new).json,
      ]
    ])
  }
}

extension BodyValue {
  /// Reads a list that replaces another, in which a number stands for the old element with that `id`.
  func list<Element>(
    reordering old: [Element], _ id: (Element) -> Int64?,
    _ codes: (notFound: Fault.Code, duplicate: Fault.Code), _ noun: String, of owner: String,
    read: (BodyValue) -> Element?
  ) -> [Element]? {
    var known: [Int64: Element] = [:]
    for element in old { if let number = id(element) { known[number] = element } }
    var seen: Set<Int64> = []
    return list { input in
      let element: Element?
      if case .number = input.json {
        guard let number = input.integer(in: 1...Int.max) else { return nil }
        element = known[Int64(number)]
        if element == nil {
          input.fault(codes.notFound, "This \(owner) has no \(noun) \(number).")
        }
      } else {
        element = read(input)
      }
      if let number = element.flatMap(id), !seen.insert(number).inserted {
        input.fault(codes.duplicate, "The list already has \(noun) \(number).")
      }
      return element
    }
  }
}

extension Domain {
  /// The index of an entry.
  ///
  /// - Throws: `StoreError.notFound`.
  func place(of entry: Int64) throws -> Int {
    guard let place = associationFile.entries.firstIndex(where: { $0.id == entry }) else {
      throw StoreError.notFound(.entry(entry, existing: associationFile.entries.compactMap(\.id)))
    }
    return place
  }
}
