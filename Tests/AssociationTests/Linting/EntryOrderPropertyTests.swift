import Association
import Testing

/// What is said of random entries of several apps, against trying all small URLs in all entries of
/// each app.
@Suite struct EntryOrderPropertyTests {
  /// An entry with its apps and routes.
  private struct RandomEntry {
    var apps: [String]
    var isLegacy: Bool
    var routes: [NaiveRoute]

    init(_ generator: inout SeededGenerator) {
      isLegacy = generator.once(in: 4)
      apps = isLegacy ? [generator.pick(["a", "b"])] : generator.pick([["a"], ["b"], ["a", "b"]])
      let paths = ["*", "/*", "/a", "/b", "/a/*", "/?", "/a/b", "*b", "/b/?*"]
      routes = (0..<Int(1 + generator.next() % 3)).map { _ in
        var route = NaiveRoute(path: generator.pick(paths))
        route.isExclusion = generator.once(in: 3)
        return route
      }
      for index in routes.indices where !isLegacy && generator.once(in: 3) {
        routes[index].query = .items([("x", generator.pick(["*", "?*", "", "a"]))])
      }
    }

    var json: JSON {
      if isLegacy {
        let paths = routes.map { ($0.isExclusion ? "NOT " : "") + ($0.path ?? "*") }
        return ["appID": .string(apps[0]), "paths": .strings(paths)]
      }
      return ["appIDs": .strings(apps), "components": .array(routes.map(\.json))]
    }
  }

  /// A route at its place.
  private struct Place {
    let entry: RandomEntry
    let route: NaiveRoute
    let pointer: String
  }

  private static let urls: [String] = {
    let paths = [""] + everyText(of: ["a", "b", "/"], upTo: 3).map { "/" + $0 }
    return paths.flatMap { path in
      ["", "?x", "?x=a", "?x=b"].map { "https://example.com\(path)\($0)" }
    }
  }()

  @Test func whatIsSaidOfARouteHoldsForTheAppsOfItsEntry() throws {
    var generator = SeededGenerator(seed: 13)
    var counts: [String: Int] = [:]
    for trial in 0..<400 {
      let entries = (0..<Int(1 + generator.next() % 4)).map { _ in RandomEntry(&generator) }
      let document: JSON = ["applinks": ["details": .array(entries.map(\.json))]]
      let places = entries.enumerated().flatMap { index, entry in
        entry.routes.enumerated().map { number, route in
          let key = entry.isLegacy ? "paths" : "components"
          return Place(
            entry: entry, route: route, pointer: "/applinks/details/\(index)/\(key)/\(number)")
        }
      }
      let routes = Shadowing(AppLinks(document: document)).routes
      #expect(routes.map(\.pointer.description) == places.map(\.pointer))
      for (index, route) in routes.enumerated() {
        let (kind, fault) = Self.fault(route, at: index, places)
        counts[kind, default: 0] += 1
        #expect(fault == nil, "trial \(trial): \(document.text)")
        if fault != nil { return }
      }
    }
    for kind in ["decides", "shadowed", "repeats", "unneeded", "hides"] {
      #expect(counts[kind, default: 0] > 20, "\(kind)")
    }
  }

  /// What was said of a route, and what of it is false.
  private static func fault(
    _ route: Shadowing.Route, at index: Int, _ places: [Place]
  ) -> (kind: String, fault: String?) {
    let own = places[index]
    func isTried(_ other: Place, for app: String) -> Bool {
      other.entry.apps.contains(app) && (other.entry.isLegacy || !own.entry.isLegacy)
    }
    func decides(_ url: String, for app: String) -> Bool {
      own.route.matches(url)
        && !places[..<index].contains { isTried($0, for: app) && $0.route.matches(url) }
    }
    let urls = urls + [route.example].compactMap(\.self)
    let deciding = urls.first { url in own.entry.apps.contains { decides(url, for: $0) } }
    let later = places[(index + 1)...].filter { other in
      !other.route.isExclusion && other.entry.apps.contains { own.entry.apps.contains($0) }
    }
    if let example = route.example, !own.route.matches(example) {
      return ("example", "\(route.pointer) does not match \(example)")
    }
    if route.isUnneededExclusion {
      let isNeeded = urls.contains { url in
        own.route.matches(url) && later.contains { $0.route.matches(url) }
      }
      return ("unneeded", isNeeded || deciding == nil ? "\(route.pointer) is needed" : nil)
    }
    if let hidden = route.hidden {
      let newer = own.entry.isLegacy ? later : later.filter { !$0.entry.isLegacy }
      let isOpen = (newer.isEmpty ? later : newer).contains { other in
        urls.contains { other.route.matches($0) && !own.route.matches($0) }
      }
      let isWrong = isOpen || later.isEmpty || hidden.example == nil
      return ("hides", isWrong ? "\(route.pointer) leaves something" : nil)
    }
    switch route.verdict {
    case .decides(let example):
      let isTrue = own.entry.apps.contains { decides(example, for: $0) }
      return ("decides", isTrue ? nil : "\(route.pointer) does not decide \(example)")
    case .shadowed: return ("shadowed", deciding.map { "\(route.pointer) decides \($0)" })
    case .repeats(let other):
      let place = places.first { $0.pointer == other.description }
      let isOther = urls.contains { place?.route.matches($0) != own.route.matches($0) }
      return ("repeats", deciding != nil || isOther ? "\(route.pointer) is not \(other)" : nil)
    case .matchesNothing, .notDecided: return ("none", "no verdict on \(route.pointer)")
    }
  }
}
