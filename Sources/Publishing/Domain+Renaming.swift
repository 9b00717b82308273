import Association

extension Domain {
  /// The domain with another identifier for an app.
  func renaming(_ old: AppIdentifier, to new: AppIdentifier) -> Domain {
    let renamed = { (app: AppIdentifier) in app == old ? new : app }
    var domain = renaming(.ios(old), to: .ios(new))
    for index in associationFile.entries.indices {
      domain.associationFile.entries[index].apps = associationFile.entries[index].apps.map(renamed)
      domain.associationFile.entries[index].appID = associationFile.entries[index].appID.map(
        renamed)
    }
    for (service, list) in associationFile.services {
      domain.associationFile.services[service]?.apps = list.apps.map(renamed)
    }
    return domain
  }

  /// The domain with another package name for an app.
  func renaming(_ old: PackageName, to new: PackageName) -> Domain {
    let renamed = { (package: PackageName) in package == old ? new : package }
    var domain = renaming(.android(old), to: .android(new))
    for index in associationFile.entries.indices {
      domain.associationFile.entries[index].androidApps = associationFile.entries[index].androidApps
        .map(renamed)
    }
    domain.androidCredentials = androidCredentials.map(renamed)
    domain.changeKeptTargets(of: old) { $0["package_name"] = .string(new.text) }
    return domain
  }

  /// The domain with another app in its expectations.
  private func renaming(_ old: LinkedApp, to new: LinkedApp) -> Domain {
    var domain = self
    for index in expectations.indices where expectations[index].app == old {
      domain.expectations[index].app = new
    }
    for (name, value) in (template?.parameters.members ?? []).map({ ($0.key, $0.value) }) {
      domain.template?.parameters[name] = value.replacing(old.text, by: new.text)
    }
    return domain
  }
}

extension Domain {
  /// Gives each kept statement that has exactly the fingerprints of an app those that the app gets.
  mutating func replaceKeptCertificates(of old: AndroidApp, by new: AndroidApp) {
    let key = "sha256_cert_fingerprints"
    changeKeptTargets(of: old.package) { target in
      let texts = target[key]?.arrayValue?.map(\.stringValue) ?? []
      if Set(texts) == Set(old.certificates.map(\.fingerprint.description)) {
        target[key] = .strings(new.certificates.map(\.fingerprint.description))
      }
    }
  }

  /// Whether a kept statement about an app has other fingerprints than the app.
  func keepsOtherFingerprints(than app: AndroidApp) -> Bool {
    let own = Set(app.certificates.map(\.fingerprint))
    return AssetLinks(.array(assetLinksExtra)).statements.contains { statement in
      guard case .app(app.package, let kept) = statement.target else { return false }
      return Set(kept) != own
    }
  }

  /// Changes the target of each kept statement about an Android app.
  private mutating func changeKeptTargets(
    of package: PackageName, _ change: (inout JSON.Object) -> Void
  ) {
    for (index, json) in assetLinksExtra.enumerated() where json.keptPackage == package {
      guard var statement = json.objectValue, var target = statement["target"]?.objectValue else {
        continue
      }
      change(&target)
      statement["target"] = .object(target)
      assetLinksExtra[index] = .object(statement)
    }
  }
}

extension JSON {
  /// The value with another text, alone or in a list.
  fileprivate func replacing(_ old: String, by new: String) -> JSON {
    switch self {
    case .string(let text): sameScalars(text, old) ? .string(new) : self
    case .array(let items): .array(items.map { $0.replacing(old, by: new) })
    default: self
    }
  }
}
