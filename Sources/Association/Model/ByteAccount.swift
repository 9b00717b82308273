public import JSONValue

/// How many bytes of a document each app and route takes.
public struct ByteAccount: Sendable, Equatable {
  /// The bytes of an app's entries.
  public struct AppShare: Sendable, Equatable {
    /// The app identifier, as the document writes it.
    public let app: String
    /// The size of all entries that name the app. An entry of several apps is counted for each.
    public let bytes: Int
  }

  /// The bytes of one route.
  public struct RouteShare: Sendable, Equatable {
    /// Where the route is in the document.
    public let pointer: JSONPointer
    /// Its size.
    public let bytes: Int
  }

  /// The number of routes in `routes`, at most.
  public static let routeLimit = 20

  /// The size of the document.
  public let bytes: Int
  /// The apps, the largest first.
  public let apps: [AppShare]
  /// The largest routes, the largest first.
  public let routes: [RouteShare]

  /// Accounts for the bytes of a rendered document.
  public init(of document: ReadDocument) {
    var apps: [String: Int] = [:]
    var routes: [RouteShare] = []
    for entry in document.links.entries {
      let size = JSON.object(entry.json).serialized().count
      for app in Set(entry.apps + [entry.appID].compactMap(\.self)) {
        apps[app, default: 0] += size
      }
      let legacy = entry.hasComponents ? entry.paths ?? [] : []
      routes += (entry.routes + legacy).map {
        RouteShare(pointer: $0.pointer, bytes: $0.json.serialized().count)
      }
    }
    bytes = document.json.serialized().count
    self.apps = apps.map { AppShare(app: $0.key, bytes: $0.value) }
      .sorted { ($1.bytes, $0.app) < ($0.bytes, $1.app) }
    self.routes = Array(routes.sorted { $0.bytes > $1.bytes }.prefix(Self.routeLimit))
  }
}
