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
      Endpoint(.get, path, .role(.viewer)) { call in
        let stored = try publisher.store.domain(call.domain())
        let entries = stored.domain.document.entries.map { json($0, in: stored) }
        return .json(.ok, ["entries": .array(entries)], fields: [stored.entityTag])
      },
      Endpoint(.post, path, .role(.editor), query: QueryParameter.publication, add),
      Endpoint(.get, path + "/{entry}", .role(.viewer)) { call in
        let stored = try publisher.store.domain(call.domain())
        let entry = stored.domain.document.entries[try stored.domain.place(of: call.row("entry"))]
        return .json(.ok, json(entry, in: stored), fields: [stored.entityTag])
      },
      Endpoint(.put, path + "/{entry}", .role(.editor), query: QueryParameter.publication, replace),
      Endpoint(
        .delete, path + "/{entry}", .role(.editor), query: QueryParameter.publication, delete),
    ]
  }

  private func json(_ entry: Entry, in stored: StoredDomain) -> JSON {
    EntryResource.json(entry, format: stored.domain.format)
  }

  /// Adds an entry at `position`, or at the end.
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

  /// Checks that the domain's form of `details` can say its entries, one of which is new.
  private func check(_ domain: Domain) throws {
    var others: Set<AppIdentifier> = []
    let isSayable = domain.document.entries.allSatisfy {
      DomainResource.fitsDictionary($0, beside: &others)
    }
    if domain.document.detailsForm == .array || isSayable { return }
    throw InvalidInput(
      faults: [
        Fault(
          pointer: .root, code: .dictionaryCannotSay, message: DomainResource.dictionaryAdvice)
      ])
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
  /// The domain that an edit begins with.
  ///
  /// - Throws: `StoreError.notFound` where there is none.
  func existing(_ old: StoredDomain?) throws -> Domain {
    guard let old else { throw StoreError.notFound(.domain(try domain())) }
    return old.domain
  }

  /// A body without its `position`, and that position, from 0 to `count`, which is the default.
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

extension Domain {
  /// Where an entry is.
  ///
  /// - Throws: `StoreError.notFound`.
  func place(of entry: Int64) throws -> Int {
    guard let place = document.entries.firstIndex(where: { $0.id == entry }) else {
      throw StoreError.notFound(.entry(entry))
    }
    return place
  }
}
