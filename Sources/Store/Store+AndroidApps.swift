public import Association
import SQLite

extension Store {
  /// An Android app; `nil` if it does not exist.
  public func androidApp(_ package: PackageName) throws -> AndroidApp? {
    try read { try AppRows.androidApp(package, $0) }
  }
}

extension AppRows {
  static func androidApp(_ package: PackageName, _ connection: Connection) throws -> AndroidApp? {
    nil
  }

  /// The apps that a domain names.
  static func apps(of domain: Domain, _ connection: Connection) throws -> UsedApps {
    var apps = UsedApps()
    for app in domain.document.appIdentifiers where apps.environments[app] == nil {
      apps.environments[app] = try environment(of: app, connection)
    }
    for package in domain.androidApps where apps.android[package] == nil {
      apps.android[package] = try androidApp(package, connection)
    }
    return apps
  }

  /// Whether apps are still as they were read.
  static func areCurrent(_ apps: UsedApps, _ connection: Connection) throws -> Bool {
    try apps.environments.allSatisfy { try environment(of: $0, connection) == $1 }
      && apps.android.allSatisfy { try androidApp($0, connection) == $1 }
  }
}
