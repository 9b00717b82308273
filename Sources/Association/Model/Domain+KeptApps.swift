import JSONValue

/// An Android app of an adopted `assetlinks.json`, and what became of its statement.
public struct AdoptedApp: Sendable, Equatable {
  /// Where the app is now.
  public enum Place: Sendable, Equatable {
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
  public let app: AndroidApp
  /// Whether the app is not stored yet.
  public let isNew: Bool
  /// Where it is.
  public fileprivate(set) var place = Place.statement
  /// Why its statement is not in rows, or how it differs from the routes, in sentences; empty if neither.
  public fileprivate(set) var remark = ""
}

extension AdoptedApp {
  /// The app with its place in the rows of a domain.
  public func named(in domain: Domain) -> AdoptedApp {
    var adopted = self
    let entries = domain.document.entries
    let indices = entries.indices.filter { entries[$0].androidApps.contains(app.package) }
    adopted.place = indices.isEmpty ? .credentials : .entries(indices)
    return adopted
  }
}

extension Domain {
  /// So many times a file is rendered to find the entries of its apps.
  private static let mostRenderings = 64

  /// The Android apps of kept statements, in the order of these.
  ///
  /// The certificates of an app that is not stored are those of all its statements. A file does not tell whose
  /// they are; since devices accept what is published, they are taken to be those that sign what users get.
  public func keptApps(_ apps: UsedApps) -> [AdoptedApp] {
    var order: [PackageName] = []
    var certificates: [PackageName: [AndroidApp.Certificate]] = [:]
    for statement in AssetLinks(.array(assetLinksExtra)).statements {
      guard case .app(let package, let fingerprints) = statement.target else { continue }
      if certificates[package] == nil { order.append(package) }
      for fingerprint in fingerprints
      where certificates[package]?.contains(where: { $0.fingerprint == fingerprint }) != true {
        certificates[package, default: []].append(.init(fingerprint, label: .playSigning))
      }
    }
    return order.compactMap { package in
      if let stored = apps.android[package] { return AdoptedApp(app: stored, isNew: false) }
      let new = AndroidApp(package: package, certificates: certificates[package] ?? [])
      return new.certificates.count > AndroidApp.mostCertificates
        ? nil : AdoptedApp(app: new, isNew: true)
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
  public mutating func nameKeptApps(_ adopted: inout [AdoptedApp], _ apps: UsedApps) {
    guard let file = assetLinksRendering(apps)?.json else { return }
    let before = (self, adopted)
    var placing = Placing(domain: self, apps: apps)
    while let statement = placing.domain.assetLinksExtra.first {
      let package = statement.keptPackage
      let index = adopted.firstIndex { $0.app.package == package }
      let outcome = placing.place(statement)
      if let index, adopted[index].place == .statement {
        (adopted[index].place, adopted[index].remark) = (
          outcome.place ?? .statement, outcome.remark
        )
      }
      if outcome.place == nil {
        let rest = Set(placing.domain.keptAndroidApps)
        for other in adopted.indices
        where other != index && rest.contains(adopted[other].app.package)
          && adopted[other].place == .statement
        {
          adopted[other].remark =
            "Its statement comes after one that rows cannot say, and the order is kept."
        }
        break
      }
    }
    self = placing.domain
    // What is served must be equal to the file.
    if assetLinksRendering(apps)?.json == file { return }
    (self, adopted) = before
    for index in adopted.indices {
      adopted[index].remark = "Rows would write the file differently."
    }
  }

  /// Finds the rows for one statement after the other.
  private struct Placing {
    var domain: Domain
    let apps: UsedApps
    private var renderings = Domain.mostRenderings
    private var unspent = SeparateStatement.budget
    /// Whether some app with links is in rows, so that `hasDynamicAppLinks` is settled.
    private var isSettled: Bool

    init(domain: Domain, apps: UsedApps) {
      (self.domain, self.apps) = (domain, apps)
      isSettled = !domain.document.androidApps.isEmpty
    }

    /// Moves the first kept statement into rows; without a place if it has to stay.
    mutating func place(_ json: JSON) -> (place: AdoptedApp.Place?, remark: String) {
      guard case .statement(let statement)? = AssetLinks(.array([json])).elements.first?.meaning,
        case .app(let package, let fingerprints) = statement.target
      else { return (nil, "") }
      guard let app = apps.android[package] else { return (nil, "The app is not stored.") }
      if domain.androidApps.contains(package) {
        return (nil, "The file has several statements about the app.")
      }
      if app.certificates.map(\.fingerprint) != fingerprints {
        return (
          nil,
          "The fingerprints of its statement are not those of the app, or are in another order."
        )
      }
      var next = domain
      next.assetLinksExtra.removeFirst()
      if statement.relations.contains(.getLoginCredentials) {
        next.androidCredentials.append(package)
      }
      let sharesOnly =
        statement.keepsLinksOut && statement.relations.contains(.getLoginCredentials)
      guard statement.relations.contains(.handleAllURLs), !sharesOnly else {
        guard renders(json, package, next) else { return (nil, Self.writtenDifferently) }
        domain = next
        return (.credentials, "")
      }
      let separate = SeparateStatement(json)
      if let separate, !separate.isDecidedByManifest {
        return place(json, of: separate, in: next)
      }
      return placeWithoutRules(json, separate, package, in: next)
    }

    private static let writtenDifferently =
      "Its statement is written in another way than rows would be, so it is kept as it is."

    private mutating func place(
      _ json: JSON, of separate: SeparateStatement, in next: Domain
    ) -> (place: AdoptedApp.Place?, remark: String) {
      if isSettled, !domain.hasDynamicAppLinks {
        return (nil, "It has dynamic rules, and other apps of the domain have none.")
      }
      let lists = domain.document.entriesOfAppleApps
      if lists.isEmpty, let routes = separate.routes {
        var named = next
        named.hasDynamicAppLinks = true
        named.document.entries.append(Entry(routes: routes, androidApps: [separate.package]))
        if renders(json, separate.package, named) {
          (domain, isSettled) = (named, true)
          return (.ownEntry, "")
        }
      }
      for entries in lists {
        var named = next
        named.hasDynamicAppLinks = true
        named.name(separate.package, in: entries)
        if renders(json, separate.package, named) {
          (domain, isSettled) = (named, true)
          return (.entries(entries), "")
        }
      }
      return (nil, remark(on: separate, lists) ?? Self.writtenDifferently)
    }

    private mutating func placeWithoutRules(
      _ json: JSON, _ separate: SeparateStatement?, _ package: PackageName, in next: Domain
    ) -> (place: AdoptedApp.Place?, remark: String) {
      if isSettled, domain.hasDynamicAppLinks {
        return (nil, "It has no dynamic rules, and other apps of the domain have some.")
      }
      let lists = domain.document.entriesOfAppleApps
      var named = next
      named.hasDynamicAppLinks = false
      if let separate,
        let same = lists.first(where: { entries in
          if case .same = compared(separate, entries) { true } else { false }
        })
      {
        named.name(package, in: same)
        if renders(json, package, named) {
          (domain, isSettled) = (named, true)
          return (.entries(same), "")
        }
        named = next
        named.hasDynamicAppLinks = false
      }
      if let last = named.document.entries.indices.last,
        named.document.entries[last].isForAndroidManifests
      {
        named.name(package, in: [last])
      } else {
        named.document.entries.append(Entry(androidApps: [package]))
      }
      guard renders(json, package, named) else { return (nil, Self.writtenDifferently) }
      (domain, isSettled) = (named, true)
      return (.ownEntry, separate.flatMap { remark(on: $0, lists) } ?? "")
    }

    private mutating func compared(
      _ separate: SeparateStatement, _ entries: [Int]
    ) -> SeparateStatement.Comparison {
      separate.compared(
        with: entries, of: domain.document, domain: domain.name.text, &unspent)
    }

    /// How a statement differs from all lists of routes; `nil` if it does not, or if there are none.
    private mutating func remark(on separate: SeparateStatement, _ lists: [[Int]]) -> String? {
      var first: String?
      for entries in lists {
        switch compared(separate, entries) {
        case .same: return nil
        case .differs(let difference):
          first = first ?? difference.words(for: separate.package)
        case .undecided:
          first = first ?? "It would take too long to compare it with the routes of Apple's apps."
        }
      }
      return first
    }

    /// Whether the rows have the statement of a package where it was.
    private mutating func renders(_ json: JSON, _ package: PackageName, _ next: Domain) -> Bool {
      let order = domain.androidApps + [package]
      guard next.androidApps == order, renderings > 0 else { return false }
      renderings -= 1
      var alone = next
      for index in alone.document.entries.indices {
        alone.document.entries[index].androidApps.removeAll { $0 != package }
      }
      alone.androidCredentials.removeAll { $0 != package }
      alone.assetLinksExtra = []
      return alone.assetLinksRendering(apps)?.json == .array([json])
    }
  }

  fileprivate mutating func name(_ package: PackageName, in entries: [Int]) {
    for index in entries { document.entries[index].androidApps.append(package) }
  }
}

extension Entry {
  /// Whether the entry only names Android apps whose manifests decide.
  var isForAndroidManifests: Bool {
    !isForApple && routes.isEmpty && defaults.isEmpty && extra.isEmpty
  }
}
