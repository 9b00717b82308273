import Association
import Store

/// Which Android apps of kept statements an edit creates.
package enum AndroidAppCreation: Sendable {
  case none
  /// Those that rows of the domain name.
  case named
  /// All of an adopted file.
  case all
}

extension Proposal {
  /// Creates the Android apps of the statements that were adopted and kept, and names them in rows as far as
  /// these render the same.
  mutating func createKeptApps(_ creation: AndroidAppCreation, _ source: AppSource) throws {
    var apps = try apps(source)
    androidApps = domain.keptApps(apps)
    createsAndroidApps = true
    for adopted in androidApps where adopted.canBeCreated {
      apps.android[adopted.app.package] = adopted.app
    }
    domain.nameKeptApps(&androidApps, apps)
    for index in androidApps.indices where androidApps[index].canBeCreated {
      androidApps[index].isCreated = creation == .all || androidApps[index].place != .statement
    }
  }

  /// Names the Android apps of kept statements that could be created.
  mutating func offerKeptApps(_ source: AppSource) throws {
    androidApps = domain.keptApps(try apps(source)).filter(\.isNew)
  }

  /// Creates the Android apps that rows name and that are not stored, if kept statements of the domain, or of
  /// the domain before, have their fingerprints.
  mutating func createNamedApps(before: Domain?, _ source: AppSource) throws {
    let apps = try apps(source)
    let named = Set(domain.androidApps)
    let kept = (before?.keptApps(apps) ?? []) + domain.keptApps(apps)
    var seen: Set<PackageName> = []
    androidApps = kept.filter { adopted in
      adopted.canBeCreated && named.contains(adopted.app.package)
        && apps.android[adopted.app.package] == nil && seen.insert(adopted.app.package).inserted
    }.map {
      var created = $0.named(in: domain)
      created.isCreated = true
      return created
    }
    createsAndroidApps = true
  }

  var createdApps: [AndroidApp] {
    androidApps.filter(\.isCreated).map(\.app)
  }

  /// Whether the rows, whose Android apps all exist, render a document; `nil` for none of this kind. The certificates may
  /// be others now: they belong to the app, which may have got new keys since.
  func renders(_ document: [UInt8]?, as kind: DocumentKind, _ source: AppSource) throws -> Bool {
    var apps = try apps(source)
    guard domain.androidApps.allSatisfy({ apps.android[$0] != nil }) else { return false }
    if domain.rendered(apps)[kind] == document { return true }
    // One that somebody with limits added may be another app with the same name.
    guard kind == .assetLinks, let document,
      domain.androidApps.allSatisfy({ apps.android[$0]?.addedBy == nil })
    else { return false }
    var certificates: [PackageName: [AndroidApp.Certificate]] = [:]
    for statement in AssetLinks(try JSON.parse(document, limits: .trusted).value).statements {
      guard case .app(let package, let fingerprints) = statement.target,
        certificates[package] == nil
      else { continue }
      certificates[package] = fingerprints.map { AndroidApp.Certificate($0, label: .unknown) }
    }
    for package in domain.androidApps {
      apps.android[package]?.certificates = certificates[package] ?? []
    }
    return domain.rendered(apps)[kind] == document
  }

  /// The stored Android apps that the domain names, in rows or in kept statements.
  private func apps(_ source: AppSource) throws -> UsedApps {
    var apps = UsedApps()
    for package in domain.androidApps + domain.keptAndroidApps
    where apps.android[package] == nil {
      apps.android[package] = try source.androidApp(package)
    }
    return apps
  }
}

extension AppSource {
  /// The apps with those that an edit creates.
  func adding(_ created: [AndroidApp]) -> AppSource {
    if created.isEmpty { return self }
    let new = Dictionary(created.map { ($0.package, $0) }, uniquingKeysWith: { $1 })
    var source = self
    source.androidApp = { try androidApp($0) ?? new[$0] }
    return source
  }
}
