/// The apps that the links of a document open.
package struct OpenedApps {
  private let read: ReadDocument
  private let domain: String
  /// The packages of the Android apps that may open links.
  private let android: [String]

  /// - Parameter domain: The host of their links.
  package init(_ documents: ReadDocuments, domain: String) {
    (read, self.domain) = (documents.apple, domain)
    android = documents.assetLinks.map(Self.packages) ?? []
  }

  /// The apps that URLs open here, but certainly no URL opens by another document.
  ///
  /// - Parameter after: The other document; `nil` if nothing is served.
  package func lost(after: OpenedApps?) -> [String] {
    lostAppleApps(after: after) + android.filter { after?.android.contains($0) != true }
  }

  /// The packages of the apps that a file lets open links. Rules may still let no URL in, except those for
  /// passkeys alone.
  private static func packages(in links: AssetLinks) -> [String] {
    var packages: [String] = []
    for statement in links.statements where statement.relations.contains(.handleAllURLs) {
      guard case .app(let package, _) = statement.target, !packages.contains(package.text),
        !statement.keepsLinksOut
      else { continue }
      packages.append(package.text)
    }
    return packages
  }

  private func lostAppleApps(after: OpenedApps?) -> [String] {
    var seen: Set<[UInt8]> = []
    let doubtful = read.links.entries.flatMap(\.apps).filter { app in
      seen.insert(Array(app.utf8)).inserted && !(after?.surelyOpens(app) ?? false)
    }
    if doubtful.isEmpty { return [] }
    let closed: [String]
    if let after {
      guard let effects = after.effects() else { return [] }
      closed = doubtful.filter { effects($0) == .none }
    } else {
      closed = doubtful
    }
    let unsure = closed.filter { !surelyOpens($0) }
    let effects = unsure.isEmpty ? nil : effects()
    return closed.filter { app in
      if surelyOpens(app) { return true }
      if case .example = effects?(app) { return true }
      return false
    }
  }

  /// Whether no URL opens any app; false if that is uncertain.
  package var opensNothing: Bool {
    if !android.isEmpty { return false }
    let apps = read.links.entries.flatMap(\.apps)
    if apps.contains(where: surelyOpens) { return false }
    guard let effects = effects() else { return false }
    return apps.allSatisfy { effects($0) == .none }
  }

  /// A path that a route opens for some app and no exclusion before it keeps out; `nil` if none is found at once.
  package var samplePath: String? {
    for app in read.links.entries.flatMap(\.apps).uniqued() {
      let routes = read.links.entries.lazy.filter { $0.apps.contains { sameScalars($0, app) } }
        .flatMap(\.routes).prefix { !$0.isExclusion }
      if let path = routes.compactMap({ SamplePath(RouteConditions($0)) }).first {
        return path.text
      }
    }
    return nil
  }

  /// The number of exclusions that `surelyOpens` looks at.
  private static let mostExclusions = 100

  /// Whether a route opens the app by a path that no exclusion before it may match. This costs little, and is true for
  /// most apps.
  private func surelyOpens(_ app: String) -> Bool {
    let routes = read.links.entries.lazy.filter { entry in
      entry.apps.contains { sameScalars($0, app) }
    }.flatMap(\.routes)
    var exclusions: [PathPrefix] = []
    for route in routes {
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

  /// Finds a URL that opens an app; `nil` if the patterns are over a limit, as only those of documents
  /// of earlier versions can be.
  private func effects() -> ((String) -> DocumentChange.Effect)? {
    let interning = Interning()
    do throws(TooComplex) {
      let document = try ComparedDocument(read, interning)
      let nothing = try ComparedDocument(ReadDocument([:]), interning)
      let effects = LinkEffects(document, nothing, domain: domain)
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
