/// An app that links may open.
public enum LinkedApp: Sendable, Hashable, CustomStringConvertible {
  /// An Apple app.
  case ios(AppIdentifier)
  /// An Android app.
  case android(PackageName)

  /// The app with an identifier, whose form says the platform.
  ///
  /// - Throws: `ValidationError` with the code `malformed-app-identifier`.
  public init(likely text: String) throws(ValidationError) {
    if Platform(likelyOf: text) == .android, let package = PackageName(text) {
      self = .android(package)
    } else {
      self = .ios(try AppIdentifier(text))
    }
  }

  /// The platform.
  public var platform: Platform {
    switch self {
    case .ios: .ios
    case .android: .android
    }
  }

  /// The app identifier or the package name.
  public var text: String {
    switch self {
    case .ios(let app): app.text
    case .android(let package): package.text
    }
  }

  /// The app identifier; `nil` for an Android app.
  public var identifier: AppIdentifier? {
    if case .ios(let app) = self { app } else { nil }
  }

  /// The package name; `nil` for an Apple app.
  public var package: PackageName? {
    if case .android(let package) = self { package } else { nil }
  }

  /// The text.
  public var description: String { text }
}

/// The apps that a domain's documents depend on, as they are stored.
public struct UsedApps: Sendable, Equatable {
  /// The environments of Apple apps; production for others.
  public var environments: [AppIdentifier: App.Environment]
  /// The Android apps.
  public var android: [PackageName: AndroidApp]
  /// Those of them whose fingerprints are made up, because only their names are known. Nothing may be concluded
  /// from these.
  public var unlisted: Set<PackageName> = []

  /// Apps.
  public init(
    environments: [AppIdentifier: App.Environment] = [:], android: [PackageName: AndroidApp] = [:]
  ) {
    self.environments = environments
    self.android = android
  }

  /// The environment of an Apple app.
  public func environment(of app: AppIdentifier) -> App.Environment {
    environments[app] ?? .production
  }
}
