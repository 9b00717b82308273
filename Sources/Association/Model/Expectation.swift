import JSONValue

/// A URL of a domain with the resolution that it must have for an app. A change that breaks one is
/// refused.
public struct Expectation: Sendable, Hashable {
  /// The URL, as it is written.
  public var url: String
  /// The app.
  public var app: AppIdentifier
  /// What the document must say of it.
  public var resolution: Resolution

  /// Whether two expectations are the same, scalar by scalar.
  public static func == (left: Expectation, right: Expectation) -> Bool {
    sameScalars(left.url, right.url) && left.app == right.app
      && left.resolution == right.resolution
  }

  /// An expectation.
  public init(url: String, app: AppIdentifier, resolution: Resolution) {
    self.url = url
    self.app = app
    self.resolution = resolution
  }
}
