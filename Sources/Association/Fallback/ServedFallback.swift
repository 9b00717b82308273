/// What a server answers people without an app for one domain, ready to be used by any thread: its fallback, and the
/// routes that have their own.
package final class ServedFallback: Sendable {
  package enum Answer {
    /// To the target of a route.
    case routeRedirect(LinkTarget)
    /// To what the domain has for the device.
    case redirect(LinkTarget)
    case page(FallbackPage)
  }

  /// What sort of device somebody has.
  package enum Device: String, Sendable, CaseIterable {
    case apple, android, other
  }

  private let fallback: Fallback?
  /// The routes with their own targets, in the order of the file.
  private let routes: (matcher: Matcher, targets: [LinkTarget])?

  /// The steps that finding a route may take, so that nobody's URL delays others. A step takes 1 to 10 nanoseconds.
  package static let matchingSteps = 100_000

  /// - Parameter text: What `text(of:)` made.
  /// - Throws: `Unreadable`; `TooComplex` if the patterns of the routes are over a limit.
  package init(text: String) throws {
    let json: JSON
    do throws(JSON.SyntaxError) {
      json = try JSON.parse(text.utf8, limits: .trusted).value
    } catch {
      throw Unreadable()
    }
    fallback = try json["fallback"].map { record throws(Unreadable) in
      guard let fallback = FallbackResource.read(record: record) else { throw Unreadable() }
      return fallback
    }
    guard let document = json["routes"], let targets = json["targets"]?.arrayValue else {
      routes = nil
      return
    }
    let matcher = try Matcher(document: document)
    let read = targets.compactMap { $0.stringValue.flatMap { LinkTarget(usable: $0) } }
    guard read.count == targets.count, read.count == matcher.places.count else {
      throw Unreadable()
    }
    routes = (matcher, read)
  }

  /// A text is none that this version can read.
  package struct Unreadable: Error {}

  /// The target of the route that matches, then the page, then what there is for the device. `nil` if the domain has
  /// nothing for this request.
  package func answer(to request: LinkTarget.Request, from device: Device) -> Answer? {
    if let target = routeTarget(for: request) { return .routeRedirect(target) }
    guard let fallback else { return nil }
    if let page = fallback.page { return .page(page) }
    switch device {
    case .apple: return .redirect(fallback.apple ?? fallback.web)
    case .android: return .redirect(fallback.android ?? fallback.web)
    case .other: return .redirect(fallback.web)
    }
  }

  package var links: Fallback? { fallback }

  /// The target of the first route that has one and matches. Nothing matches a URL for which that takes too long.
  private func routeTarget(for request: LinkTarget.Request) -> LinkTarget? {
    guard let routes else { return nil }
    var url = Array("https://host".utf8)
    url += request.path
    if !request.query.isEmpty {
      url.append(UInt8(ascii: "?"))
      url += request.query
    }
    var budget = MatchingBudget(steps: Self.matchingSteps)
    do throws(TooComplex) {
      let decision = try routes.matcher.resolve(
        url.span, in: routes.matcher.everyEntry, budget: &budget)
      return decision.route.map { routes.targets[$0] }
    } catch {
      return nil
    }
  }
}

extension ServedFallback {
  /// What servers need of a domain, as the database keeps it; `nil` if people without an app get nothing.
  package static func text(of domain: Domain) -> String? {
    var json: JSON.Object = [:]
    json["fallback"] = domain.fallback.map(FallbackResource.coding.write)
    let targets = domain.associationFile.entries.flatMap(\.routes).compactMap(\.fallback)
    if !targets.isEmpty {
      json["routes"] = domain.associationFile.onlyFallbacks.json
      json["targets"] = .strings(targets.map(\.text))
    }
    return json.isEmpty ? nil : JSON.object(json).text
  }
}

extension AssociationFile {
  /// The routes with their own targets, with everything that decides what they match.
  fileprivate var onlyFallbacks: AssociationFile {
    var document = AssociationFile()
    document.defaults = defaults
    document.substitutionVariables = substitutionVariables
    document.entries = entries.compactMap { entry in
      let routes = entry.routes.filter { $0.fallback != nil }
      if routes.isEmpty { return nil }
      return Entry(
        keys: entry.keys.isLegacyOnly ? .legacy : .modern,
        apps: [AppIdentifier(stored: "ABCDE12345.any")], routes: routes, defaults: entry.defaults)
    }
    return document
  }
}

extension Domain {
  /// The routes with their own targets, in words.
  var routeFallbacks: [RouteFallback] {
    associationFile.entries.flatMap(\.routes).compactMap { route in
      route.fallback.map { RouteFallback(route: route.json, target: $0) }
    }
  }
}

/// A route with its own target.
struct RouteFallback: Equatable {
  let route: JSON
  let target: LinkTarget
}
