public import JSONValue

/// One element of `applinks.details`: an ordered list of routes for a set of apps.
public struct Entry: Sendable, Equatable {
  /// Which of Apple's four keys the entry is written with.
  public struct Keys: Sendable, Hashable {
    /// `appID`, all systems.
    public var appID: Bool
    /// `appIDs`, from iOS 13.
    public var appIDs: Bool
    /// `components`, from iOS 13.
    public var components: Bool
    /// `paths`, which systems from iOS 13 ignore beside `components`.
    public var paths: Bool

    /// A set of keys.
    public init(appID: Bool, appIDs: Bool, components: Bool, paths: Bool) {
      self.appID = appID
      self.appIDs = appIDs
      self.components = components
      self.paths = paths
    }

    /// `appIDs` and `components`.
    public static let modern = Keys(appID: false, appIDs: true, components: true, paths: false)
    /// `appID` and `paths`.
    public static let legacy = Keys(appID: true, appIDs: false, components: false, paths: true)

    /// Whether the routes are written as `paths` and nothing else.
    public var isLegacyOnly: Bool { paths && !components }
  }

  /// The row, once it is stored.
  public var id: Int64?
  /// The keys that the entry is written with.
  public var keys: Keys
  /// The apps: the value of `appIDs`, or of `appID` where that is the only key. With `appID` alone,
  /// several apps are written as an entry each.
  public var apps: [AppIdentifier]
  /// The value of `appID` where it stands beside `appIDs`.
  public var appID: AppIdentifier?
  /// The routes in order: `components`, or `paths` where that is the only key.
  public var routes: [Route]
  /// `paths` where it stands beside `components`.
  public var paths: [LegacyPath]
  /// The defaults for the routes of this entry.
  public var defaults: Defaults
  /// Members that nothing above says.
  public var extra: JSON.Object

  /// An entry.
  public init(
    id: Int64? = nil, keys: Keys = .modern, apps: [AppIdentifier] = [],
    appID: AppIdentifier? = nil, routes: [Route] = [], paths: [LegacyPath] = [],
    defaults: Defaults = Defaults(), extra: JSON.Object = [:]
  ) {
    self.id = id
    self.keys = keys
    self.apps = apps
    self.appID = appID
    self.routes = routes
    self.paths = paths
    self.defaults = defaults
    self.extra = extra
  }
}

/// One element of `paths`: a pattern, or with `NOT ` before it an exclusion (archived "Support
/// Universal Links").
public struct LegacyPath: Sendable, Equatable {
  /// The pattern.
  public var pattern: String
  /// Whether a path that matches stays on the web.
  public var exclude: Bool

  private static let prefix = "NOT "

  /// Reads an element of `paths`.
  public init(_ text: String) {
    exclude = text.utf8.starts(with: Self.prefix.utf8)
    pattern = exclude ? String(text.unicodeScalars.dropFirst(Self.prefix.utf8.count)) : text
  }

  /// A pattern with or without `NOT `; `nil` for a pattern without it that begins with it.
  public init?(pattern: String, exclude: Bool) {
    let path = LegacyPath(exclude ? Self.prefix + pattern : pattern)
    guard path.exclude == exclude else { return nil }
    self = path
  }

  /// Whether two elements are the same, scalar by scalar.
  public static func == (left: LegacyPath, right: LegacyPath) -> Bool {
    sameScalars(left.text, right.text)
  }

  /// The element as it is written.
  public var text: String { exclude ? Self.prefix + pattern : pattern }
}
