/// One element of `applinks.details`: an ordered list of routes for a set of apps.
public struct Entry: Sendable, Equatable {
  /// Apple's keys that the entry is written with.
  public struct Keys: Sendable, Hashable {
    /// `appID`, all systems.
    public var appID: Bool
    /// `appIDs`, from iOS 13.
    public var appIDs: Bool
    /// `components`, from iOS 13.
    public var components: Bool
    /// `paths`, which iOS 13 and later ignore if there are `components`.
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

    /// Whether the routes are written only as `paths`.
    public var isLegacyOnly: Bool { paths && !components }
  }

  /// The number in the domain, from 1; `nil` until the entry is stored.
  public var id: Int64?
  /// The keys that the entry is written with.
  public var keys: Keys
  /// The apps: the value of `appIDs`, or of `appID` if that is the only key. With `appID` alone, each
  /// app gets an element of `details`.
  public var apps: [AppIdentifier]
  /// The Android apps that the routes are for. An entry with Android apps and no Apple apps is not
  /// written to Apple's file.
  public var androidApps: [PackageName]
  /// The value of `appID` if there is also `appIDs`.
  public var appID: AppIdentifier?
  /// The routes in order: `components`, or `paths` if that is the only key.
  public var routes: [Route]
  /// `paths` if there is also `components`.
  public var paths: [LegacyPath]
  /// The defaults of this entry's routes.
  public var defaults: Defaults
  /// Members that no other property holds.
  public var extra: JSON.Object

  /// An entry.
  public init(
    id: Int64? = nil, keys: Keys = .modern, apps: [AppIdentifier] = [],
    appID: AppIdentifier? = nil, routes: [Route] = [], paths: [LegacyPath] = [],
    defaults: Defaults = Defaults(), extra: JSON.Object = [:], androidApps: [PackageName] = []
  ) {
    self.id = id
    self.keys = keys
    self.apps = apps
    self.appID = appID
    self.routes = routes
    self.paths = paths
    self.defaults = defaults
    self.extra = extra
    self.androidApps = androidApps
  }

  /// Whether the entry is written to Apple's file.
  package var isForApple: Bool { !apps.isEmpty || appID != nil || androidApps.isEmpty }
}

/// One element of `paths`: a pattern, or an exclusion if `NOT ` precedes it (archived "Support
/// Universal Links").
public struct LegacyPath: Sendable, Equatable {
  /// The pattern.
  public var pattern: String
  /// Whether the app does not open matching paths.
  public var exclude: Bool

  private static let prefix = "NOT "

  /// Parses an element of `paths`.
  public init(_ text: String) {
    exclude = text.utf8.starts(with: Self.prefix.utf8)
    // Compared by scalars, because a combining mark after the prefix forms one character with the
    // prefix's space.
    pattern = exclude ? String(text.unicodeScalars.dropFirst(Self.prefix.utf8.count)) : text
  }

  /// A path, excluded or not; `nil` for a path that is not excluded but whose pattern begins with
  /// `NOT `.
  public init?(pattern: String, exclude: Bool) {
    let path = LegacyPath(exclude ? Self.prefix + pattern : pattern)
    guard path.exclude == exclude else { return nil }
    self = path
  }

  /// The element of `paths` that a route was read from.
  init(_ route: AppLinks.Route) {
    pattern = route.path?.text ?? "*"
    exclude = route.isExclusion
  }

  /// Compares scalar by scalar.
  public static func == (left: LegacyPath, right: LegacyPath) -> Bool {
    sameScalars(left.text, right.text)
  }

  /// The element as it is written.
  public var text: String { exclude ? Self.prefix + pattern : pattern }
}
