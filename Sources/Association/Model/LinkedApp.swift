/// An app that links may open.
package enum LinkedApp: Sendable, Hashable, CustomStringConvertible {
  case ios(AppIdentifier)
  case android(PackageName)

  /// The app with an identifier, whose form says the platform.
  ///
  /// - Throws: `ValidationError` with the code `malformed-app-identifier`.
  package init(likely text: String) throws(ValidationError) {
    if Platform(likelyOf: text) == .android, let package = PackageName(text) {
      self = .android(package)
    } else {
      self = .ios(try AppIdentifier(text))
    }
  }

  package var platform: Platform {
    switch self {
    case .ios: .ios
    case .android: .android
    }
  }

  /// The app identifier or the package name.
  package var text: String {
    switch self {
    case .ios(let app): app.text
    case .android(let package): package.text
    }
  }

  /// The app identifier; `nil` for an Android app.
  package var identifier: AppIdentifier? {
    if case .ios(let app) = self { app } else { nil }
  }

  /// The package name; `nil` for an Apple app.
  package var package: PackageName? {
    if case .android(let package) = self { package } else { nil }
  }

  package var description: String { text }
}

/// The apps that a domain's documents depend on, as they are stored.
package struct UsedApps: Sendable, Equatable {
  /// The environments of Apple apps; production for others.
  package var environments: [AppIdentifier: App.Environment]
  package var android: [PackageName: AndroidApp]
  /// Those of them whose fingerprints are made up, because only their names are known. Nothing may be concluded
  /// from these.
  package var unlisted: Set<PackageName> = []

  /// The revisions of templates that the apps come from.
  package var templates: [TemplateName: Int] = [:]

  package init(
    environments: [AppIdentifier: App.Environment] = [:], android: [PackageName: AndroidApp] = [:]
  ) {
    self.environments = environments
    self.android = android
  }

  package func environment(of app: AppIdentifier) -> App.Environment {
    environments[app] ?? .production
  }
}
