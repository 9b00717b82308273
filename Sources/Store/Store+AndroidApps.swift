public import Association
import SQL

extension Store {
  /// An Android app; `nil` if it does not exist.
  public func androidApp(_ package: PackageName) throws -> AndroidApp? {
    try storedApp(package)?.app
  }
}

extension UsedApps {
  /// The apps that a domain names.
  init(of domain: Domain, _ connection: any Connection) throws {
    self.init()
    for app in domain.document.appIdentifiers where environments[app] == nil {
      environments[app] = try AppIdentifier.rows.environment(of: app, connection)
    }
    for package in domain.androidApps + domain.keptAndroidApps where android[package] == nil {
      android[package] = try PackageName.rows.find(package, connection)?.app
    }
  }

  /// Whether the apps are still as they were read.
  func areCurrent(_ connection: any Connection) throws -> Bool {
    try environments.allSatisfy {
      try AppIdentifier.rows.environment(of: $0, connection) == $1
    } && android.allSatisfy { try PackageName.rows.find($0, connection)?.app == $1 }
  }
}
