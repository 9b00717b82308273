package import Association
package import Store

/// Adds, removes, replaces or moves a route in an entry. Two routes are the same if their path, query, fragment and
/// `exclude` are equal.
package enum RouteEdit: Sendable {
  /// Adds a route, unless the entry has it.
  case add(Route, Place)
  /// Removes a route, if the entry has it.
  case remove(Route)
  /// Puts a route into the place of another one, if the entry has that.
  case replace(Route, by: Route)
  /// Moves a route, if the entry has it.
  case move(Route, Place)

  /// A place among the routes of an entry.
  package enum Place: Sendable {
    case first, last
    case before(Route)
    case after(Route)
  }
}

extension Publisher {
  /// Edits the routes of many domains, all of them or none.
  ///
  /// - Parameters:
  ///   - app: Only entries that name this app; `nil` for all entries.
  ///   - skipsRefused: Whether domains that would be refused are left as they are.
  ///   - report: Takes what will be published for a domain; see `apply`.
  /// - Throws: `PublicationError` with the errors of every domain; `StoreError.notFound`.
  package func edit(
    _ edits: [RouteEdit], ofEntriesWith app: LinkedApp?, in selection: DomainSelection,
    skippingRefused skipsRefused: Bool = false, accepting accepted: Set<Finding.Code> = [],
    by context: WriteContext,
    report: @escaping AppliedState.Report = { _, _, _ in }
  ) throws -> (applied: AppliedState, domains: [DomainName]) {
    var options = ApplyOptions(overwrite: true, accepted: accepted)
    (options.action, options.skipsRefused) = ("edit routes", skipsRefused)
    return try apply(options, by: context, report: report) {
      DesiredState(domains: try selection.domains(of: store), deleted: []) {
        // If not, it was deleted after the list was read.
        guard let stored = $1 else { throw Outdated() }
        let own = stored.domain.own
        if let template = stored.domain.template {
          var given = stored.domain
          given.associationFile.entries.removeFirst(template.ownEntries)
          let others = edits.filter { if case .add = $0 { false } else { true } }
          if try given.applying(others, toEntriesWith: app) != given {
            throw PublicationError.fromTemplate(given.name, template.name)
          }
        }
        var domain = try own.applying(edits, toEntriesWith: app)
        domain.takeOwnership(changing: own)
        return (domain, nil)
      }
    }
  }
}

extension Domain {
  /// - Throws: `PublicationError.notEditable`.
  fileprivate func applying(
    _ edits: [RouteEdit], toEntriesWith app: LinkedApp?
  ) throws -> Domain {
    var domain = self
    let places = associationFile.entries.indices.filter { associationFile.entries[$0].names(app) }
    if places.isEmpty, edits.contains(where: { if case .add = $0 { true } else { false } }) {
      let entry =
        app.map { "It has no entry of its own with \($0)." } ?? "It has no entry of its own."
      throw PublicationError.notEditable(
        name,
        entry
          + (template.map {
            " To change what the template gives, edit the template \($0.name.text.quoted)."
          } ?? ""))
    }
    for place in places {
      var entry = associationFile.entries[place]
      do {
        for edit in edits { try entry.apply(edit) }
        try Faults.collecting(in: .null) { EntryResource.check(entry, $0) }
      } catch let error as RouteMisfit {
        throw PublicationError.notEditable(name, "\(error.reason) (entry \(entry.id ?? 0))")
      } catch let error as InvalidInput {
        throw PublicationError.notEditable(name, error.faults.first?.message ?? "")
      }
      domain.associationFile.entries[place] = entry
    }
    return domain
  }
}

/// Why an edit does not fit an entry.
private struct RouteMisfit: Error {
  let reason: String
}

extension Entry {
  fileprivate func names(_ app: LinkedApp?) -> Bool {
    switch app {
    case .ios(let app): apps.contains(app) || appID == app
    case .android(let package): androidApps.contains(package)
    case nil: true
    }
  }

  fileprivate mutating func apply(_ edit: RouteEdit) throws {
    switch edit {
    case .add(let route, let place):
      if routes.contains(where: route.isSame) { return }
      routes.insert(try written(route), at: try index(of: place))
    case .remove(let route): routes.removeAll(where: route.isSame)
    case .replace(let old, let new):
      let places = routes.indices.filter { old.isSame(as: routes[$0]) }
      for index in places {
        let id = routes[index].id
        routes[index] = try written(new)
        routes[index].id = id
      }
      // The first of several decides.
      guard !places.isEmpty, let first = routes.firstIndex(where: new.isSame) else { return }
      routes = routes[...first] + routes[(first + 1)...].filter { !new.isSame(as: $0) }
    case .move(let route, let place):
      let moved = routes.filter(route.isSame)
      if moved.isEmpty { return }
      routes.removeAll(where: route.isSame)
      routes.insert(contentsOf: moved, at: try index(of: place))
    }
  }

  /// A new route, if the entry can be written with it.
  private func written(_ route: Route) throws -> Route {
    if keys.isLegacyOnly && route.legacyPath == nil {
      throw RouteMisfit(
        reason: "It is written as \"paths\", which can only hold paths. Convert the domain first.")
    }
    var route = route
    route.id = nil
    return route
  }

  private func index(of place: RouteEdit.Place) throws -> Int {
    switch place {
    case .first: return 0
    case .last: return routes.count
    case .before(let route), .after(let route):
      guard let index = routes.firstIndex(where: route.isSame) else {
        throw RouteMisfit(
          reason: "It lacks the route before or behind which the other one belongs.")
      }
      return if case .after = place { index + 1 } else { index }
    }
  }
}

extension Route {
  /// Whether two routes are about the same URLs in the same words.
  fileprivate func isSame(as other: Route) -> Bool {
    conditions == other.conditions && (exclude ?? false) == (other.exclude ?? false)
  }

  private var conditions: Route { Route(path: path, query: query, fragment: fragment) }
}
