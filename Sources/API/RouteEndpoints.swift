import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

/// `/v1/domains/{domain}/entries/{entry}/routes`.
struct RouteEndpoints: Sendable {
  let publisher: Publisher

  var all: [Endpoint] {
    let path = "/v1/domains/{domain}/entries/{entry}/routes"
    return [
      Endpoint(.get, path, .role(.viewer)) { call in
        let (stored, entry) = try find(call)
        return .json(.ok, Self.list(entry), fields: [stored.entityTag])
      },
      Endpoint(.post, path, .role(.editor), query: QueryParameter.publication, add),
      Endpoint(.put, path, .role(.editor), query: QueryParameter.publication, replaceAll),
      Endpoint(.get, path + "/{route}", .role(.viewer)) { call in
        let (stored, entry) = try find(call)
        let route = entry.routes[try entry.place(of: call.row("route"))]
        return .json(.ok, RouteResource.json(route), fields: [stored.entityTag])
      },
      Endpoint(.patch, path + "/{route}", .role(.editor), query: QueryParameter.publication, patch),
      Endpoint(
        .delete, path + "/{route}", .role(.editor), query: QueryParameter.publication
      ) { call in
        let id = try call.row("route")
        return try edit(call, "delete route") { entry in
          entry.routes.remove(at: try entry.place(of: id))
        } answer: { _ in
          [:]
        }
      },
    ]
  }

  private static func list(_ entry: Entry) -> JSON {
    ["routes": .array(entry.routes.map(RouteResource.json))]
  }

  private func find(_ call: Call) throws -> (StoredDomain, Entry) {
    let stored = try publisher.store.domain(call.domain())
    return (stored, stored.domain.document.entries[try stored.domain.place(of: call.row("entry"))])
  }

  /// Adds a route at `position`, or at the end.
  private func add(_ call: Call) throws -> Response {
    let body = try call.json()
    var place = 0
    return try edit(call, "add route") { entry in
      let (json, position) = try call.position(in: body, count: entry.routes.count)
      var route = try Faults.collecting(in: json) {
        RouteResource.read($0, keys: entry.keys)
      }
      route.id = nil
      place = position
      entry.routes.insert(route, at: place)
    } answer: { entry in
      ["route": RouteResource.json(entry.routes[place])]
    } location: { entry in
      entry.routes[place].id.map { "\(call.request.target.path)/\($0)" }
    }
  }

  /// Sets the whole list: a route that is given by its number alone is the one that is there.
  private func replaceAll(_ call: Call) throws -> Response {
    let body = try call.json()
    return try edit(call, "set routes") { entry in
      let old = Dictionary(grouping: entry.routes) { $0.id }.compactMapValues(\.first)
      entry.routes = try Faults.collecting(in: body) { input in
        input.object(["routes"])?.required("routes")?.list {
          Self.readOrFind($0, in: old, keys: entry.keys)
        }
      }
      try Self.checkRepetition(entry.routes)
    } answer: { entry in
      Self.list(entry).objectValue ?? [:]
    }
  }

  private static func readOrFind(
    _ input: BodyValue, in routes: [Int64?: Route], keys: Entry.Keys
  ) -> Route? {
    guard case .number = input.json else { return RouteResource.read(input, keys: keys) }
    guard let id = input.integer(in: 1...Int.max) else { return nil }
    if let route = routes[Int64(id)] { return route }
    input.fault(.routeNotFound, "This entry has no such route.")
    return nil
  }

  private static func checkRepetition(_ routes: [Route]) throws(InvalidInput) {
    var seen: Set<Int64> = []
    var faults: [Fault] = []
    for (index, route) in routes.enumerated() {
      guard let id = route.id, !seen.insert(id).inserted else { continue }
      faults.append(
        Fault(
          pointer: .root.appending("routes").appending(index), code: .duplicateRoute,
          message: "Route \(id) is listed twice."))
    }
    if !faults.isEmpty { throw InvalidInput(faults: faults) }
  }

  /// RFC 7396: members of the body replace those of the route, `null` removes them.
  private func patch(_ call: Call) throws -> Response {
    let id = try call.row("route")
    let body = try call.json()
    return try edit(call, "change route") { entry in
      let place = try entry.place(of: id)
      let merged = RouteResource.json(entry.routes[place]).merging(body)
      entry.routes[place] = try Faults.collecting(in: merged) {
        RouteResource.read($0, keys: entry.keys)
      }
      entry.routes[place].id = id
    } answer: { entry in
      ["route": RouteResource.json(entry.routes[try entry.place(of: id)])]
    }
  }

  /// Edits the entry that a call names.
  private func edit(
    _ call: Call, _ action: String, _ change: (inout Entry) throws -> Void,
    answer: (Entry) throws -> JSON.Object, location: (Entry) throws -> String? = { _ in nil }
  ) throws -> Response {
    let id = try call.row("entry")
    return try publisher.respond(to: call, action) { old in
      var domain = try call.existing(old)
      let place = try domain.place(of: id)
      try change(&domain.document.entries[place])
      try Faults.collecting(in: .null) { input in
        EntryResource.check(domain.document.entries[place], input)
      }
      return domain
    } answer: { publication in
      let domain = publication.edited.stored.domain
      return try answer(domain.document.entries[try domain.place(of: id)])
    } location: { publication in
      let domain = publication.edited.stored.domain
      return try location(domain.document.entries[try domain.place(of: id)])
    }
  }
}

extension Entry {
  /// Where a route is.
  ///
  /// - Throws: `StoreError.notFound`.
  func place(of route: Int64) throws -> Int {
    guard let place = routes.firstIndex(where: { $0.id == route }) else {
      throw StoreError.notFound(.route(route))
    }
    return place
  }
}
