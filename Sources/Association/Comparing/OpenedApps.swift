/// The apps that the links of a document open.
package struct OpenedApps {
  private let read: ReadDocument
  /// The packages of the Android apps that may open links.
  private let android: [String]

  package init(_ documents: ReadDocuments) {
    read = documents.apple
    android = documents.assetLinks.map(Self.packages) ?? []
  }

  /// The apps that URLs open here, but certainly no URL opens by another document.
  ///
  /// - Parameter after: The other document; `nil` if nothing is served.
  package func lost(after: OpenedApps?) -> [String] {
    let kept = Set(after?.android ?? [])
    return lostAppleApps(after: after) + android.filter { !kept.contains($0) }
  }

  /// The packages of the apps that a file lets open links. Rules may still let no URL in, except those for
  /// passkeys alone.
  private static func packages(in links: AssetLinks) -> [String] {
    links.statements.compactMap { statement in
      guard statement.relations.contains(.handleAllURLs), !statement.keepsLinksOut,
        case .app(let package, _) = statement.target
      else { return nil }
      return package.text
    }.uniqued()
  }

  private func lostAppleApps(after: OpenedApps?) -> [String] {
    var seen = after?.surelyOpened ?? []
    let doubtful = read.links.entries.flatMap(\.apps).filter { app in
      seen.insert(Array(app.utf8)).inserted
    }
    if doubtful.isEmpty { return [] }
    let closed: [String]
    if let after {
      guard let effects = after.effects() else { return [] }
      closed = doubtful.filter { effects($0) == .none }
    } else {
      closed = doubtful
    }
    if closed.isEmpty { return [] }
    let opened = surelyOpened
    let isSure = { (app: String) in opened.contains(Array(app.utf8)) }
    let effects = closed.allSatisfy(isSure) ? nil : effects()
    return closed.filter { app in
      if isSure(app) { return true }
      if case .example = effects?(app) { return true }
      return false
    }
  }

  /// Whether no URL opens any app; false if that is uncertain.
  package var opensNothing: Bool {
    if !android.isEmpty { return false }
    if !surelyOpened.isEmpty { return false }
    let apps = read.links.entries.flatMap(\.apps)
    guard let effects = effects() else { return false }
    return apps.allSatisfy { effects($0) == .none }
  }

  /// A path that a route opens for some app and no exclusion before it keeps out; `nil` if none is found at once.
  package var samplePath: String? { SampleRoutes(read.links).firstPath }

  /// The apps that a route opens by a path that no exclusion before it may match: most of those that open at all.
  private var surelyOpened: Set<[UInt8]> { SampleRoutes(read.links).apps() }

  /// Finds a URL that opens an app; `nil` if the patterns are over a limit, as only those of documents
  /// of earlier versions can be.
  private func effects() -> ((String) -> DocumentChange.Effect)? {
    let interning = Interning()
    do throws(TooComplex) {
      let document = try ComparedDocument(read, interning)
      let nothing = try ComparedDocument(ReadDocument([:]), interning)
      let effects = LinkEffects(document, nothing, domain: DocumentChanges.host)
      return { app in
        let entries = document.apps.first { sameScalars($0.name, app) }?.entries ?? []
        return effects.effect(
          ofAll: effects.ranked(document.routes(of: entries)), of: app, isAfter: false,
          isOpening: true)
      }
    } catch {
      return nil
    }
  }
}

/// The routes of a file by the apps that have the same ones, so that a path that they surely match is looked for once.
private struct SampleRoutes {
  /// The routes of each entry.
  private let entries: [[AppLinks.Route]]
  /// The apps that the same entries name, in the order of the first of them.
  private var groups: [(entries: [Int], apps: [[UInt8]])] = []

  /// The number of exclusions before a route that are looked at.
  private static let mostExclusions = 100
  /// The number of routes and comparisons that are made for all apps together: what is not sure yet is found in another
  /// way.
  private static let mostCompared = 200_000

  init(_ links: AppLinks) {
    entries = links.entries.map(\.routes)
    var named: [(app: [UInt8], entries: [Int])] = []
    var places: [[UInt8]: Int] = [:]
    for (index, entry) in links.entries.enumerated() {
      for app in entry.apps.map({ Array($0.utf8) }) {
        if let place = places[app] {
          if named[place].entries.last != index { named[place].entries.append(index) }
        } else {
          places[app] = named.count
          named.append((app, [index]))
        }
      }
    }
    var groupPlaces: [[Int]: Int] = [:]
    for (app, entries) in named {
      if let place = groupPlaces[entries] {
        groups[place].apps.append(app)
      } else {
        groupPlaces[entries] = groups.count
        groups.append((entries, [app]))
      }
    }
  }

  /// The apps that a route opens by a path that no exclusion before it may match.
  func apps() -> Set<[UInt8]> {
    var left = Self.mostCompared
    return Set(groups.filter { surelyOpens($0.entries, &left) }.flatMap(\.apps))
  }

  private func surelyOpens(_ entries: [Int], _ left: inout Int) -> Bool {
    var exclusions: [PathPrefix] = []
    for route in entries.lazy.flatMap({ self.entries[$0] }) {
      left -= 1 + exclusions.count
      if left < 0 { return false }
      let conditions = RouteConditions(route)
      if route.isExclusion {
        if exclusions.count == Self.mostExclusions { return false }
        exclusions.append(PathPrefix(conditions))
      } else if let sample = SamplePath(conditions), !exclusions.contains(where: sample.mayMatch) {
        return true
      }
    }
    return false
  }

  /// A path that a route opens for some app and no exclusion before it keeps out; `nil` if none is found at once.
  var firstPath: String? {
    var left = Self.mostCompared
    for group in groups {
      for route in group.entries.lazy.flatMap({ self.entries[$0] }) {
        left -= 1
        if left < 0 { return nil }
        if route.isExclusion { break }
        if let sample = SamplePath(RouteConditions(route)) { return sample.text }
      }
    }
    return nil
  }
}
