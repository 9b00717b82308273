import Association

/// What devices do with the links of a manifest, by the files that are published.
extension ManifestCheck {
  /// The file that devices use for a host, and the domain that it belongs to; `nil` with a finding if there is none.
  private mutating func file(of host: Host, _ name: Alias) throws -> (AssetLinks, domain: String)? {
    switch published {
    case .nothing: return nil
    case .file(let links): return (links, name.name.text)
    case .names(let names):
      guard let domain = try names.domain(serving: name.name) else {
        add(
          "not-hosted", .error, host.text,
          (name.isWildcard
            ? "For \(name), Android asks \(name.name) for the file, and no domain is published here for it."
            : "No domain is published here for it.")
            + " Add it as a domain or as an alias, or remove it from the app.")
        return nil
      }
      if !domain.isEnabled {
        add(
          "disabled", .error, host.text,
          "The domain \(domain.name) is disabled, so devices get no file. Enable it: aasa domains shows its state.",
          of: [domain.name])
        return nil
      }
      guard let file = domain.file else {
        add(
          "no-android-file", .error, host.text,
          "The domain \(domain.name) serves no assetlinks.json, so no app is verified for it. Name the app in one"
            + " of its entries.", of: [domain.name])
        return nil
      }
      return (AssetLinks(file), domain.name)
    }
  }

  mutating func checkFile(of host: Host) throws {
    guard let name = host.name, let (links, domain) = try file(of: host, name), let app else {
      return
    }
    let isLinked = links.statements.contains { statement in
      guard case .app(app, _) = statement.target else { return false }
      return statement.relations.contains(.handleAllURLs)
    }
    if !isLinked {
      let others = links.statements.compactMap { statement -> String? in
        if case .app(let other, _) = statement.target { other.text } else { nil }
      }
      return add(
        "app-not-named", .error, host.text,
        "The file of \(domain) does not name \(app) for links.\(app.sentence(onOthersIn: others.uniqued())) Add the app"
          + " there, or remove the host from the app.", of: [domain])
    }
    compare(host, name, with: links, of: domain, app)
  }

  private mutating func compare(
    _ host: Host, _ name: Alias, with links: AssetLinks, of domain: String, _ app: PackageName
  ) {
    let filters = hosts.filter { $0.name.map { $0.covers(name) } ?? ($0.text == "*") }
      .flatMap(\.filters).filter {
        $0.filter.faults.isEmpty && $0.filter.values("scheme").contains("https")
          && $0.filter.values("port").isEmpty
      }
    if filters.isEmpty { return }
    let known = filters.compactMap(\.paths)
    // A value that is not known may name any link.
    guard known.count == filters.count else {
      return add(
        "not-compared", .note, host.text,
        "Its links were not compared, because a value of its filters is not known.")
    }
    let comparison = ManifestComparison(
      known, links, package: app, host: host.example, steps: &comparisonSteps)
    for narrowing in comparison.narrowings {
      let url = narrowing.url
      guard let rule = narrowing.rule else {
        add(
          "manifest-decides", .note, host.text,
          "The file of \(domain) has no rules for \(app), so the manifest alone decides. Links such as \(url) stay"
            + " in the browser.", of: [domain], url: url)
        continue
      }
      add(
        "manifest-narrows", narrowing.isForAllOthers ? .note : .error, host.text,
        "The file of \(domain) opens \(url) by the rule for \(rule.words), and the manifest does not name"
          + " it, so it stays in the browser\(narrowing.isWhole ? ", as every link of this rule" : ""). Widen the paths"
          + " of the filter, or narrow the rule.", of: [domain], url: url)
    }
    if let url = comparison.openedBefore15 {
      add(
        "opens-before-android-15", .note, host.text,
        "Android 14 and lower know neither rules nor uri-relative-filter-group, so \(url) opens the app there. Later"
          + " versions keep it in the browser.", url: url)
    }
    if comparison.isUndecided {
      add(
        "not-compared", .note, host.text,
        "It would take too long to find out whether the manifest names all links that the file of \(domain) opens.",
        of: [domain])
    }
  }

  // MARK: - What names the app

  mutating func checkNames() throws {
    guard let app, case .names(let published) = published else { return }
    let environment = try published.environment(of: app.text)
    let named = hosts.compactMap(\.name)
    for domain in try published.domains(using: app.text) where domain.isEnabled {
      let opens = AssetLinks(domain.file ?? .array([])).statements.contains { statement in
        guard case .app(app, _) = statement.target else { return false }
        return statement.relations.contains(.handleAllURLs) && !statement.keepsLinksOut
      }
      guard opens else { continue }
      for name in domain.names where !named.contains(name) {
        if let wildcard = named.first(where: { $0.covers(name) }) {
          if try published.domain(serving: wildcard.name)?.name == domain.name { continue }
          add(
            "not-in-manifest", .note, "\(name)",
            "The app names it only by \(wildcard), for which Android uses the file of \(wildcard.name), not that of"
              + " \(domain.name). To use the file of \(domain.name), add the host \(name) to the app.",
            of: [domain.name])
          continue
        }
        if name.isWildcard, try published.domain(serving: name.name) == nil { continue }
        if let wildcard = named.first(where: { $0.isWildcard && $0.name == name.name }) {
          add(
            "not-in-manifest", .note, "\(name)",
            "The app names \(wildcard), for which Android uses this file, but not \(name) itself, so links to \(name) open"
              + " the browser. If they should open the app, add the host \(name).",
            of: [domain.name])
          continue
        }
        // A navigation graph may name it.
        if !manifest.navigationGraphs.isEmpty { continue }
        // An app for customers need not name domains for tests, nor all names below one.
        let isMeant =
          (environment.map { $0 == domain.environment } ?? true)
          && !(name.isWildcard && named.contains { name.covers($0) })
        add(
          "not-in-manifest", isMeant ? .error : .note, "\(name)",
          "The file of \(domain.name) names the app, but no filter of the manifest has this host, so its links open the"
            + " browser. Add it to the app, or remove the app there.", of: [domain.name])
      }
    }
  }
}
