extension Linter {
  /// The findings about statements of Android apps that go other ways than the routes of Apple's apps: kept
  /// statements, and those of apps in rows without dynamic rules. A change of the routes does not reach these.
  ///
  /// - Parameter links: The domain's rendered `assetlinks.json`.
  package static func findings(
    aboutStatementsBesideRoutesOf domain: Domain, in links: AssetLinks
  ) -> [Finding] {
    var routes = AppleRoutes(of: domain)
    if routes.lists.isEmpty { return [] }
    let named = domain.associationFile.androidApps
    // Without dynamic rules, no route reaches Android, also where an entry with routes names the app.
    let withoutRules = domain.hasDynamicAppLinks ? [] : Set(named)
    // What is rendered for passkeys alone keeps links out on purpose.
    var seen = Set(named).union(domain.androidCredentials).subtracting(withoutRules)
    var list = FindingList()
    for element in links.elements {
      guard let statement = SeparateStatement(element.json),
        seen.insert(statement.package).inserted
      else { continue }
      let finding = finding(
        about: statement, at: element.pointer, isKept: !withoutRules.contains(statement.package),
        routes.compared(with: statement))
      if let finding { list.add(finding) }
    }
    return list.listed
  }

  private static func finding(
    about statement: SeparateStatement, at pointer: JSONPointer, isKept: Bool,
    _ comparison: AppleRoutes.Comparison
  ) -> Finding? {
    let package = statement.package
    var first: SeparateStatement.Difference?
    switch comparison {
    case .same: return nil
    case .differs(let difference): first = difference
    case .undecided: break
    }
    let found =
      first?.words(for: package)
      ?? "It would take too long to find out whether Android opens the same URLs in \(package)."
    let reason =
      isKept
      ? "The statement is published as it was adopted" : "The app's statement has no rules"
    return Finding(
      .androidNotManaged, severity: first?.opensExclusion == true ? .warning : .note, at: pointer,
      "\(found) \(reason), so changes of the routes do not reach it.",
      help: isKept
        ? "Give the app the fingerprints of the statement, name \(package) in `androidApps` of an entry, and in"
          + " `androidCredentials` if the statement has `get_login_creds`; then remove the statement from"
          + " `assetlinksExtra`. In the dashboard, \"Use these routes for Android, too\" does all of it."
        : "Name \(package) in `androidApps` of the entry, and set `dynamicAppLinks` to true. In the"
          + " dashboard, \"Use these routes for Android, too\" does both.")
  }
}
