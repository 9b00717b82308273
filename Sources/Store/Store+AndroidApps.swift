package import Association

extension Store {
  /// An Android app; `nil` if it does not exist.
  package func androidApp(_ package: PackageName) throws -> AndroidApp? {
    try read { try PackageName.rows.app(package, $0) }
  }
}

extension Transaction {
  /// Notes that somebody without limits lets a domain use apps that somebody limited to other domains added. Nobody is
  /// asked about these apps again.
  func confirmAndroidApps(of edit: DomainEdit) throws {
    if !context.within.isEverything { return }
    let before = Set(edit.former.stored?.domain.androidApps ?? [])
    for package in edit.domain.androidApps
    where !before.contains(package) && !footprint.confirmedApps.contains(package) {
      let author = try PackageName.rows.app(package, connection)?.addedBy
      if author == nil { footprint.confirmedApps.insert(package) }
      if author?.covers(edit.domain) != false { continue }
      try connection.run(
        "UPDATE android_app SET added_by = NULL, added_within = NULL WHERE package = ?",
        [.text(package.text)])
      try record("confirm \(PackageName.rows.noun)", .app(package.id))
    }
  }
}

extension UsedApps {
  /// The apps that a domain names.
  init(of domain: Domain, _ connection: any Connection) throws {
    self.init(
      environments: try AppIdentifier.rows.environments(
        of: domain.associationFile.appIdentifiers, connection))
    for package in domain.androidApps + domain.keptAndroidApps where android[package] == nil {
      android[package] = try PackageName.rows.app(package, connection)
    }
  }

  /// How many apps one statement reads.
  private static let readAtOnce = 1000

  /// Whether the apps and templates are still as they were read.
  ///
  /// - Parameter others: Apps that may be different.
  func areCurrent(_ connection: any Connection, except others: Set<LinkedApp> = []) throws -> Bool {
    let apple = Array(environments.keys)
    let areSame = try stride(from: 0, to: apple.count, by: Self.readAtOnce).allSatisfy { start in
      let some = apple[start...].prefix(Self.readAtOnce).filter { !others.contains($0.id) }
      return try AppIdentifier.rows.environments(of: some, connection).allSatisfy {
        environments[$0] == $1
      }
    }
    return try areSame
      && android.allSatisfy { package, app in
        try others.contains(package.id) || PackageName.rows.app(package, connection) == app
      }
      && templates.allSatisfy { try TemplateRows.revision(of: $0, connection) == $1 }
  }
}
