/// An Android app of an adopted `assetlinks.json`, and what became of its statement.
package struct AdoptedApp: Sendable, Equatable {
  /// Where the app is now.
  package enum Place: Sendable, Equatable {
    /// In these entries, by their index, whose routes say the same for Android.
    case entries([Int])
    /// In an entry of its own: with its rules as routes, or without any, so that the app's manifest decides.
    case ownEntry
    /// Only among those that share passwords and passkeys.
    case credentials
    /// In its statement, which stays as it is.
    case statement
  }

  /// The app with the certificates of the file.
  package let app: AndroidApp
  /// Whether the app is not stored yet.
  package let isNew: Bool
  /// Whether the edit creates it.
  package var isCreated = false
  package fileprivate(set) var place = Place.statement
  /// Why its statement is not in rows, or how it differs from the routes, in sentences; empty if neither.
  package fileprivate(set) var remark = ""

  /// Whether the app is not stored yet, and may have so many certificates.
  package var canBeCreated: Bool {
    isNew && app.certificates.count <= AndroidApp.mostCertificates
  }
}

extension AdoptedApp {
  fileprivate static let hasFurtherStatement = "A further statement about it is kept as it is."

  fileprivate mutating func add(_ sentence: String) {
    if sentence.isEmpty || remark.hasSuffix(sentence) { return }
    remark += remark.isEmpty ? sentence : " \(sentence)"
  }

  /// The app with its place in the rows of a domain.
  package func named(in domain: Domain) -> AdoptedApp {
    var adopted = self
    let entries = domain.associationFile.entries
    let indices = entries.indices.filter { entries[$0].androidApps.contains(app.package) }
    adopted.place = indices.isEmpty ? .credentials : .entries(indices)
    return adopted
  }
}

extension Domain {
  /// The Android apps of kept statements, in the order of these.
  ///
  /// The certificates of an app, even of one that is stored, are those of all its statements. A file does not tell whose
  /// they are, so their label is `unknown`, or `debug` where everybody has the key.
  package func keptApps(_ apps: UsedApps) -> [AdoptedApp] {
    var order: [PackageName] = []
    var fingerprints: [PackageName: [Fingerprint]] = [:]
    for statement in AssetLinks(.array(assetLinksExtra)).statements {
      guard case .app(let package, let own) = statement.target else { continue }
      if fingerprints[package] == nil { order.append(package) }
      fingerprints[package, default: []] += own
    }
    return order.map { package in
      let certificates = (fingerprints[package] ?? []).uniqued()
        .map {
          AndroidApp.Certificate($0, label: Fingerprint.published[$0] == nil ? .unknown : .debug)
        }
      return AdoptedApp(
        app: AndroidApp(package: package, certificates: certificates),
        isNew: apps.android[package] == nil)
    }
  }

  /// Names the apps of kept statements in rows, as far as the rows render exactly these statements at their
  /// places.
  ///
  /// An app whose rules are those of an entry's routes gets into that entry. An app without rules gets into
  /// entries whose routes open every URL, or into an entry of its own, as does an app with rules where no
  /// Apple app has routes.
  ///
  /// - Parameters:
  ///   - adopted: The apps, from `keptApps`; they get their places.
  ///   - apps: All Android apps that the domain and the statements name.
  package mutating func nameKeptApps(_ adopted: inout [AdoptedApp], _ apps: UsedApps) {
    guard let file = assetLinksRendering(apps)?.json else { return }
    let before = (self, adopted)
    let indices = Dictionary(
      adopted.enumerated().map { ($1.app.package, $0) }, uniquingKeysWith: { first, _ in first })
    var placing = Placing(domain: self, apps: apps)
    var (count, obstacle) = (0, "")
    for (position, json) in assetLinksExtra.enumerated() {
      let outcome = placing.place(json)
      let index = json.keptPackage.flatMap { indices[$0] }
      if let index {
        if let place = outcome.place { adopted[index].place = place }
        adopted[index].add(outcome.remark)
      }
      if outcome.place == nil {
        (count, obstacle) = (position, json.keptPackage.map { "the one of \($0)" } ?? "another one")
        break
      }
      count = position + 1
    }
    for json in assetLinksExtra.dropFirst(count + 1) {
      guard let index = json.keptPackage.flatMap({ indices[$0] }) else { continue }
      adopted[index].add(
        adopted[index].place == .statement
          ? "Its statement comes after \(obstacle), which rows cannot say, and the order is kept."
          : AdoptedApp.hasFurtherStatement)
    }
    placing.domain.assetLinksExtra = Array(assetLinksExtra.dropFirst(count))
    self = placing.domain
    // What is served must be equal to the file.
    if assetLinksRendering(apps)?.json == file { return }
    (self, adopted) = before
    for index in adopted.indices {
      adopted[index].remark = "All rows together would write the file differently."
    }
  }

  /// Finds the rows for one statement after the other.
  private struct Placing {
    typealias Outcome = (place: AdoptedApp.Place?, remark: String)

    var domain: Domain
    let apps: UsedApps
    /// Rows render their apps by first entry, and behind them those that only share passwords.
    private var lastEntry = 0
    private var onlySharing = false
    private var named: Set<PackageName>
    /// Whether some app with links is in rows, so that `hasDynamicAppLinks` is settled.
    private var isSettled: Bool
    private var routes: AppleRoutes
    /// The rules that the entries of each list render.
    private lazy var rendered: [[JSON]?] = routes.lists.map { rules(of: $0) }
    /// The rules of the last entry, if they were made from a statement's.
    private var ownEntryRules: [JSON]?
    /// How many rules without Apple's routes may still be rendered.
    private var unspent = PatternLimits.routes

    init(domain: Domain, apps: UsedApps) {
      (self.domain, self.apps) = (domain, apps)
      routes = AppleRoutes(of: domain)
      let linked = Set(domain.associationFile.androidApps)
      isSettled = !linked.isEmpty
      named = linked.union(domain.androidCredentials)
      onlySharing = named.count > linked.count
      var seen: Set<PackageName> = []
      for (index, entry) in domain.associationFile.entries.enumerated() {
        for package in entry.androidApps where seen.insert(package).inserted { lastEntry = index }
      }
    }

    /// Names the app of a statement; without a place if the statement has to stay.
    mutating func place(_ json: JSON) -> Outcome {
      guard case .statement(let statement)? = AssetLinks(.array([json])).elements.first?.meaning,
        case .app(let package, let fingerprints) = statement.target
      else { return (nil, "") }
      guard let app = apps.android[package] else { return (nil, "The app is not stored.") }
      if named.contains(package) { return (nil, AdoptedApp.hasFurtherStatement) }
      if app.certificates.map(\.fingerprint) != fingerprints {
        return (
          nil,
          "The fingerprints of its statement are not those of the app, or are in another order."
        )
      }
      let shares = statement.relations.contains(.getLoginCredentials)
      let opens = statement.relations.contains(.handleAllURLs)
      guard opens || shares else { return (nil, "It has none of the relations that rows write.") }
      let sharesOnly = !opens || (shares && statement.keepsLinksOut)
      let relations: [Relation] = [.handleAllURLs] + (shares ? [.getLoginCredentials] : [])
      let rules =
        sharesOnly
        ? AssetLinksRendering.closed
        : json["relation_extensions"]?[Relation.handleAllURLs.description]?[AssetLinks.Rules.key]?
          .arrayValue
      let written = AssetLinksRendering.statement(package, relations, app.certificates, rules)
      if json != written { return (nil, Self.difference(of: json, from: written)) }
      let outcome: Outcome
      if sharesOnly {
        outcome = (.credentials, "")
        onlySharing = true
      } else if onlySharing {
        return (nil, "It comes after an app that only shares passwords, and rows write these last.")
      } else if let statement = SeparateStatement(json) {
        outcome =
          if let rules { place(statement, rules) } else { placeWithoutRules(statement) }
      } else {
        return (nil, "")
      }
      guard outcome.place != nil else { return outcome }
      named.insert(package)
      if shares { domain.androidCredentials.append(package) }
      return outcome
    }

    private mutating func place(_ statement: SeparateStatement, _ rules: [JSON]) -> Outcome {
      if isSettled, !domain.hasDynamicAppLinks {
        return (nil, "It has dynamic rules, and other apps of the domain have none.")
      }
      if routes.lists.isEmpty { return placeInOwnEntry(statement, rules) }
      for (entries, own) in zip(routes.lists, rendered) where own == rules {
        if let outcome = name(statement.package, in: entries, isDynamic: true) { return outcome }
      }
      return switch routes.compared(with: statement) {
      case .differs(let difference): (nil, difference.words(for: statement.package))
      case .undecided: (nil, Self.tooLong)
      case .same:
        (
          nil,
          "Its rules open the same URLs as the routes, but the statement is written in another way than rows"
            + " would be, so it is kept as it is."
        )
      }
    }

    /// Makes the rules routes of the app, which has none in common with an Apple app.
    private mutating func placeInOwnEntry(
      _ statement: SeparateStatement, _ rules: [JSON]
    ) -> Outcome {
      if rules == ownEntryRules {
        domain.associationFile.entries[lastEntry].androidApps.append(statement.package)
        return (.ownEntry, "")
      }
      unspent -= rules.count
      guard unspent >= 0 else { return (nil, Self.tooLong) }
      guard let own = statement.routes else { return (nil, Self.inAnotherWay) }
      var alone = Domain(name: domain.name, associationFile: domain.associationFile)
      alone.associationFile.entries = [Entry(routes: own, androidApps: [statement.package])]
      let written = alone.renderedRules
      if written == rules {
        domain.associationFile.entries.append(alone.associationFile.entries[0])
        settle(isDynamic: true, domain.associationFile.entries.count - 1)
        ownEntryRules = rules
        return (.ownEntry, "")
      }
      let added = written?.first { rule in !rules.contains(rule) }
      return (
        nil,
        added.map {
          "As routes, its rules would open other URLs, since Apple ignores a slash at the end: rows would add"
            + " the rule \($0.text)."
        } ?? Self.inAnotherWay
      )
    }

    private mutating func placeWithoutRules(_ statement: SeparateStatement) -> Outcome {
      if isSettled, domain.hasDynamicAppLinks {
        return (nil, "It has no dynamic rules, and other apps of the domain have some.")
      }
      let comparison = routes.lists.isEmpty ? nil : routes.compared(with: statement)
      if case .same(let entries)? = comparison,
        let outcome = name(statement.package, in: entries, isDynamic: false)
      {
        return outcome
      }
      if domain.associationFile.entries.last?.isForAndroidManifests != true {
        domain.associationFile.entries.append(Entry())
      }
      let last = domain.associationFile.entries.count - 1
      domain.associationFile.entries[last].androidApps.append(statement.package)
      settle(isDynamic: false, last)
      return switch comparison {
      case .differs(let difference)?: (.ownEntry, difference.words(for: statement.package))
      case .undecided?: (.ownEntry, Self.tooLong)
      case .same?, nil: (.ownEntry, "")
      }
    }

    /// Names an app in entries, unless rows would list it before others.
    private mutating func name(
      _ package: PackageName, in entries: [Int], isDynamic: Bool
    ) -> Outcome? {
      guard let first = entries.first, first >= lastEntry else { return nil }
      for index in entries { domain.associationFile.entries[index].androidApps.append(package) }
      settle(isDynamic: isDynamic, first)
      return (.entries(entries), "")
    }

    private mutating func settle(isDynamic: Bool, _ entry: Int) {
      (domain.hasDynamicAppLinks, isSettled, lastEntry) = (isDynamic, true, entry)
    }

    private func rules(of entries: [Int]) -> [JSON]? {
      guard let package = apps.android.keys.first else { return nil }
      var alone = Domain(name: domain.name, associationFile: domain.associationFile)
      for index in alone.associationFile.entries.indices {
        alone.associationFile.entries[index].androidApps = entries.contains(index) ? [package] : []
      }
      return alone.renderedRules
    }

    private static let tooLong =
      "It would take too long to compare it with the routes of Apple's apps."
    private static let inAnotherWay =
      "Its statement is written in another way than rows would be, so it is kept as it is."

    /// Why rows cannot write a statement.
    private static func difference(of json: JSON, from written: JSON) -> String {
      let (own, rendered) = (json.objectValue ?? [:], written.objectValue ?? [:])
      let names = { (json: JSON?) in (json?.arrayValue ?? []).compactMap(\.stringValue) }
      let (relations, known) = (names(own["relation"]), names(rendered["relation"]))
      if let other = relations.first(where: { !known.contains($0) }) {
        return "It has the relation \(other.quoted), which rows do not write."
      }
      if relations != known {
        return "Its relations are \(relations.joined(separator: ", ")); rows write"
          + " \(known.joined(separator: ", "))."
      }
      if let other = own.members.first(where: { rendered[$0.key] == nil }) {
        return other.key == "relation_extensions"
          ? inAnotherWay : "It has the member \(other.key.quoted), which rows do not write."
      }
      if own["target"] != rendered["target"] {
        return "Its target has other members than rows write, or fingerprints in another form."
      }
      return inAnotherWay
    }
  }

  /// The rules of the only list of routes that Android apps have; `nil` if they are too many.
  private var renderedRules: [JSON]? {
    let rules = AssetLinksRendering(self) { _ in [] }?.rules.first
    return rules?.areTooMany == false ? rules?.rules : nil
  }
}

extension Entry {
  /// Whether the entry only names Android apps whose manifests decide.
  var isForAndroidManifests: Bool {
    !isForApple && routes.isEmpty && defaults.isEmpty && extra.isEmpty
  }
}
