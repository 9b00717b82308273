/// An app that domains name.
public struct App: Sendable, Equatable {
  /// What an app is built for.
  public enum Environment: String, Sendable, CaseIterable {
    /// The app that customers have.
    case production
    /// An app for tests before a release.
    case staging
    /// An app for developers.
    case development
  }

  /// The app identifier.
  public var id: AppIdentifier
  /// A name for people; may be empty.
  public var name: String
  /// What the app is built for.
  public var environment: Environment

  /// An app.
  public init(id: AppIdentifier, name: String = "", environment: Environment = .production) {
    self.id = id
    self.name = name
    self.environment = environment
  }
}
