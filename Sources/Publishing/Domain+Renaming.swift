import Association

extension Domain {
  /// The domain with another identifier for an app.
  func renaming(_ old: AppIdentifier, to new: AppIdentifier) -> Domain {
    let renamed = { (app: AppIdentifier) in app == old ? new : app }
    var domain = renaming(.ios(old), to: .ios(new))
    for index in document.entries.indices {
      domain.document.entries[index].apps = document.entries[index].apps.map(renamed)
      domain.document.entries[index].appID = document.entries[index].appID.map(renamed)
    }
    for (service, list) in document.services {
      domain.document.services[service]?.apps = list.apps.map(renamed)
    }
    return domain
  }

  /// The domain with another package name for an app.
  func renaming(_ old: PackageName, to new: PackageName) -> Domain {
    let renamed = { (package: PackageName) in package == old ? new : package }
    var domain = renaming(.android(old), to: .android(new))
    for index in document.entries.indices {
      domain.document.entries[index].androidApps = document.entries[index].androidApps.map(renamed)
    }
    domain.androidCredentials = androidCredentials.map(renamed)
    return domain
  }

  /// The domain with another app in its expectations.
  private func renaming(_ old: LinkedApp, to new: LinkedApp) -> Domain {
    var domain = self
    for index in expectations.indices where expectations[index].app == old {
      domain.expectations[index].app = new
    }
    return domain
  }
}
