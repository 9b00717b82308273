/// The `assetlinks.json` of a domain.
package struct AssetLinksRendering: Sendable {
  /// The rules of apps that have the same entries.
  struct Rules: Sendable {
    /// The index of the first statement with the rules.
    let statement: Int
    let packages: [PackageName]
    /// The entries, by their indices in `AndroidRoutes.links`.
    let entries: [Int]
    let rules: [JSON]
    /// For each rule, the index of its route among all routes of the entries.
    let origins: [Int]
    /// Whether the apps have no link because the file would be too large to be read.
    var areTooMany = false
  }

  package let json: JSON
  let routes: AndroidRoutes
  /// The rules of all apps; empty if the routes are not rendered.
  let rules: [Rules]

  /// Renders the file; `nil` if the domain has nothing of Android's.
  ///
  /// Each Android app gets one statement: the apps of entries first, then those that only share passwords.
  /// Google wants both relations for passkeys, so the rules of the latter keep every link out of the app.
  /// `assetLinksExtra` follows unchanged. An app without certificates gets an empty list of fingerprints,
  /// which the linter refuses.
  ///
  /// - Parameter certificates: The certificates of an app.
  package init?(
    _ domain: Domain, certificates: (PackageName) throws -> [AndroidApp.Certificate]
  ) rethrows {
    routes = AndroidRoutes(domain.associationFile)
    if routes.apps.isEmpty && domain.androidCredentials.isEmpty && domain.assetLinksExtra.isEmpty {
      return nil
    }
    rules = domain.hasDynamicAppLinks ? Self.rules(of: routes) : []
    var packageRules: [PackageName: [JSON]] = [:]
    for rules in rules { for package in rules.packages { packageRules[package] = rules.rules } }
    var statements: [JSON] = []
    var seen = Set(routes.apps.map(\.package))
    let sharing = Set(domain.androidCredentials)
    for app in routes.apps {
      let relations =
        [Relation.handleAllURLs] + (sharing.contains(app.package) ? [.getLoginCredentials] : [])
      statements.append(
        Self.statement(
          app.package, relations, try certificates(app.package), packageRules[app.package]))
    }
    for package in domain.androidCredentials where seen.insert(package).inserted {
      statements.append(
        Self.statement(
          package, [.handleAllURLs, .getLoginCredentials], try certificates(package), Self.closed))
    }
    json = .array(statements + domain.assetLinksExtra)
  }

  /// Whether a finding is about how rules are written that were rendered from routes. What the rendering
  /// changes is in `PlatformComparison`.
  package func concernsTranslation(_ finding: Finding) -> Bool {
    let index = finding.pointer.description.split(separator: "/").first.flatMap { Int($0) }
    guard finding.kind == .assetLinks, let index, routes.apps.indices.contains(index) else {
      return false
    }
    return switch finding.code {
    // That of a host is in Apple's file, too.
    case .innerStar, .innerStarInExclusion, .missingSlashForm, .noFinalRule, .starDemandsPresence,
      .hostAsPath:
      true
    case .exclusionsOnly:
      routes.routes(of: routes.apps[index].entries).contains { !$0.isExclusion }
    default: false
    }
  }

  static func statement(
    _ package: PackageName, _ relations: [Relation], _ certificates: [AndroidApp.Certificate],
    _ rules: [JSON]?
  ) -> JSON {
    var statement: JSON.Object = [
      "relation": .strings(relations.map(\.description)),
      "target": [
        "namespace": "android_app", "package_name": .string(package.text),
        "sha256_cert_fingerprints": .strings(certificates.map(\.fingerprint.description)),
      ],
    ]
    if let rules {
      statement["relation_extensions"] = [
        Relation.handleAllURLs.description: [AssetLinks.Rules.key: .array(rules)]
      ]
    }
    return .object(statement)
  }

  // MARK: - Rules

  /// The steps for making all rules of a file, each about a character of a pattern. A file of the largest
  /// size takes fewer.
  private static let mostWork = 4_000_000

  /// A list that keeps every link out of the app.
  static let closed: [JSON] = [["/": "*", "exclude": true]]

  private static func rules(of routes: AndroidRoutes) -> [Rules] {
    var groups: [[Int]: [(statement: Int, package: PackageName)]] = [:]
    var order: [[Int]] = []
    for (statement, app) in routes.apps.enumerated() {
      if groups[app.entries] == nil { order.append(app.entries) }
      groups[app.entries, default: []].append((statement, app.package))
    }
    var translations: [Int: [[JSON]]] = [:]
    // Of a larger file, nothing is read. Once it is too large, no more rules are made.
    var (left, values, text) = (
      PatternLimits.routes, ReadDocument.limits.values, ReadDocument.longestText
    )
    let budget = SearchBudget()
    var work = mostWork
    return budget.spending(atMost: mostWork, from: &work) {
      order.map { entries in
        let packages = groups[entries] ?? []
        var translated: [[JSON]] = []
        var count = 0
        for entry in entries where left >= 0 {
          let rules =
            translations[entry]
            ?? Self.translated(
              routes.routes(of: [entry]), upTo: left / packages.count - count, budget)
          translations[entry] = rules
          translated += rules
          count += rules.reduce(0) { $0 + $1.count }
          if count * packages.count > left || budget.isSpent { left = -1 }
        }
        let list = count == 0 ? closed : translated.flatMap(\.self)
        left -= list.count * packages.count
        let fits = left >= 0 && packages.allSatisfy { _ in JSON.array(list).spend(&values, &text) }
        if !fits { left = -1 }
        return Rules(
          statement: packages.first?.statement ?? 0, packages: packages.map(\.package),
          entries: entries, rules: fits ? list : closed,
          origins: fits
            ? translated.enumerated().flatMap { place, rules in rules.map { _ in place } } : [],
          areTooMany: !fits)
      }
    }
  }

  /// The rules of each route, up to more than the limit.
  private static func translated(
    _ routes: [AppLinks.Route], upTo limit: Int, _ budget: SearchBudget
  ) -> [[JSON]] {
    var count = 0
    return routes.map { route in
      if count > limit || budget.isSpent { return [] }
      let rules = RuleTranslation.rules(for: route, budget)
      count += rules.count
      return rules
    }
  }
}
