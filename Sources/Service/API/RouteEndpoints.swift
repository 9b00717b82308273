import Association
import HTTP
import Publishing
import Store

/// `/v1/domains/{domain}/entries/{entry}/routes`.
struct RouteEndpoints: Sendable {
  let publisher: Publisher

  var all: [Endpoint] {
    let path = "/v1/domains/{domain}/entries/{entry}/routes"
    return [
      Endpoint(
        .get, path, .role(.viewer),
        "listRoutes", .routes, "List the routes of an entry",
        answers: .ok(
          "All routes, in order.",
          .named("Routes", .object([Member("routes", .list(of: "Route"))])), isTagged: true)
      ) { call in
        let (stored, entry) = try find(call)
        return .json(.ok, Self.list(entry), fields: [stored.entityTag])
      },
      Endpoint(
        .post, path, .role(.editor), effect: .publication,
        "addRoute", .routes, "Add a route",
        body: .json("NewRoute"),
        answers: .created(
          "The route.", "PublishedRoute", links: ["getRoute", "patchRoute", "deleteRoute"]),
        handle: add),
      Endpoint(
        .put, path, .role(.editor), effect: .publication,
        "setRoutes", .routes, "Replace or reorder all routes of an entry",
        body: .json(
          .named(
            "RouteList",
            .object([Member("routes", .list(of: .existing("route", of: "entry", or: "RouteInput")))]
            )),
          size: .document),
        answers: .ok("All routes.", "PublishedRoutes"), handle: replaceAll),
      Endpoint(
        .get, path + "/{route}", .role(.viewer),
        "getRoute", .routes, "Read a route",
        answers: .ok("The route.", "Route", isTagged: true)
      ) { call in
        let (stored, entry) = try find(call)
        let route = entry.routes[try entry.place(of: call.row("route"))]
        return .json(.ok, RouteResource.json(route), fields: [stored.entityTag])
      },
      Endpoint(
        .patch, path + "/{route}", .role(.editor), effect: .publication,
        "patchRoute", .routes, "Change members of a route",
        body: .patch("RoutePatch"),
        answers: .ok("The route.", "PublishedRoute"), handle: patch),
      Endpoint(
        .delete, path + "/{route}", .role(.editor), effect: .publication,
        "deleteRoute", .routes, "Delete a route",
        answers: .ok("The revision without the route.", "Publication")
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
    return (
      stored,
      stored.domain.associationFile.entries[try stored.domain.own.place(of: call.row("entry"))]
    )
  }

  /// Adds a route at `position`, by default at the end.
  private func add(_ call: Call) throws -> Response {
    let body = try call.json()
    var place = 0
    return try edit(call, "add route") { entry in
      let (json, position) = try call.position(in: body, count: entry.routes.count)
      var route = try Faults.collecting(in: json) {
        RouteResource.read($0, keys: entry.keys, advice: call.conversion)
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

  /// Sets the whole list, in which a number stands for the existing route with that `id`.
  private func replaceAll(_ call: Call) throws -> Response {
    let body = try call.json()
    return try edit(call, "set routes") { entry in
      let (old, keys) = (entry.routes, entry.keys)
      entry.routes = try Faults.collecting(in: body) { input in
        input.object(["routes"])?.required("routes")?.list(
          reordering: old, \.id, (.routeNotFound, .duplicateRoute), "route", of: "entry"
        ) { RouteResource.read($0, keys: keys, advice: call.conversion) }
      }
    } answer: { entry in
      Self.list(entry).objectValue ?? [:]
    }
  }

  /// RFC 7396: members of the body replace those of the route, `null` removes them.
  private func patch(_ call: Call) throws -> Response {
    let id = try call.row("route")
    let body = try call.json()
    return try edit(call, "change route") { entry in
      let place = try entry.place(of: id)
      let merged = RouteResource.json(entry.routes[place]).merging(body)
      entry.routes[place] = try Faults.collecting(in: merged) {
        RouteResource.read($0, keys: entry.keys, advice: call.conversion)
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
    return try publisher.edit(call, action) { domain in
      let place = try domain.place(of: id)
      try change(&domain.associationFile.entries[place])
      try Faults.collecting(in: .null) { input in
        EntryResource.check(domain.associationFile.entries[place], input)
      }
    } answer: { stored in
      try answer(stored.domain.associationFile.entries[try stored.domain.place(of: id)])
    } location: { stored in
      try location(stored.domain.associationFile.entries[try stored.domain.place(of: id)])
    }
  }
}

extension Call {
  /// The request that writes the domain of the path in a form that can say more than `paths`.
  fileprivate var conversion: String {
    let path = request.target.path.prefix { $0 != "?" }.split(separator: "/").prefix(3)
    return
      "POST /\(path.joined(separator: "/"))/convert writes it as \"components\", which can; with "
      + "?dryRun=true it only shows what would change."
  }
}

extension Entry {
  /// The index of a route.
  ///
  /// - Throws: `StoreError.notFound`.
  func place(of route: Int64) throws -> Int {
    guard let place = routes.firstIndex(where: { $0.id == route }) else {
      throw StoreError.notFound(.route(route, existing: routes.compactMap(\.id)))
    }
    return place
  }
}
