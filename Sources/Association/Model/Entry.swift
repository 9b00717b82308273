/// One element of `applinks.details`: an ordered list of routes for a set of apps.
package struct Entry: Sendable, Equatable {
  /// Apple's keys that the entry is written with.
  package struct Keys: Sendable, Hashable {
    /// `appID`, all systems.
    package var appID: Bool
    /// `appIDs`, from iOS 13.
    package var appIDs: Bool
    /// `components`, from iOS 13.
    package var components: Bool
    /// `paths`, which iOS 13 and later ignore if there are `components`.
    package var paths: Bool

    package init(appID: Bool, appIDs: Bool, components: Bool, paths: Bool) {
      self.appID = appID
      self.appIDs = appIDs
      self.components = components
      self.paths = paths
    }

    package static let modern = Keys(appID: false, appIDs: true, components: true, paths: false)
    package static let legacy = Keys(appID: true, appIDs: false, components: false, paths: true)

    /// Whether the routes are written only as `paths`.
    package var isLegacyOnly: Bool { paths && !components }
  }

  /// The number in the domain, from 1; `nil` until the entry is stored.
  package var id: Int64?
  /// The keys that the entry is written with.
  package var keys: Keys
  /// The apps: the value of `appIDs`, or of `appID` if that is the only key. With `appID` alone, each
  /// app gets an element of `details`.
  package var apps: [AppIdentifier]
  /// The Android apps that the routes are for. An entry with Android apps and no Apple apps is not
  /// written to Apple's file.
  package var androidApps: [PackageName]
  /// The value of `appID` if there is also `appIDs`.
  package var appID: AppIdentifier?
  /// The routes in order: `components`, or `paths` if that is the only key.
  package var routes: [Route]
  /// `paths` if there is also `components`.
  package var paths: [LegacyPath]
  /// The defaults of this entry's routes.
  package var defaults: Defaults
  /// Members that no other property holds.
  package var extra: JSON.Object

  package init(
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
package struct LegacyPath: Sendable, Equatable {
  package var pattern: String
  /// Whether the app does not open matching paths.
  package var exclude: Bool

  private static let prefix = "NOT "

  /// Parses an element of `paths`.
  package init(_ text: String) {
    exclude = text.utf8.starts(with: Self.prefix.utf8)
    // Compared by scalars, because a combining mark after the prefix forms one character with the
    // prefix's space.
    pattern = exclude ? String(text.unicodeScalars.dropFirst(Self.prefix.utf8.count)) : text
  }

  /// A path, excluded or not; `nil` for a path that is not excluded but whose pattern begins with
  /// `NOT `.
  package init?(pattern: String, exclude: Bool) {
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
  package static func == (left: LegacyPath, right: LegacyPath) -> Bool {
    sameScalars(left.text, right.text)
  }

  /// The element as it is written.
  package var text: String { exclude ? Self.prefix + pattern : pattern }
}
