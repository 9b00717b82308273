public import JSONValue

/// Which apps and routes the bytes of a document go to.
public struct ByteAccount: Sendable, Equatable {
  /// The bytes that an app's entries take.
  public struct AppShare: Sendable, Equatable {
    /// The app, as the document names it.
    public let app: String
    /// The bytes of all entries that name it. Entries of several apps count for each of them.
    public let bytes: Int
  }

  /// The bytes that one route takes.
  public struct RouteShare: Sendable, Equatable {
    /// Where the route is in the document.
    public let pointer: JSONPointer
    /// Its bytes.
    public let bytes: Int
  }

  /// How many of the largest routes are named.
  public static let routeLimit = 20

  /// The size of the document.
  public let bytes: Int
  /// The apps, the largest first.
  public let apps: [AppShare]
  /// The largest routes, the largest first.
  public let routes: [RouteShare]

  /// The account of a rendered document. What does not have the shape of one is passed over.
  public init(of document: JSON) {
    var apps: [String: Int] = [:]
    var routes: [RouteShare] = []
    for (pointer, element) in Self.entries(of: document) {
      for app in Self.apps(of: element) {
        apps[app, default: 0] += element.serialized().count
      }
      for key in ["components", "paths"] {
        let place = pointer.appending(key)
        for (index, route) in (element[key]?.arrayValue ?? []).enumerated() {
          let bytes = route.serialized().count
          routes.append(RouteShare(pointer: place.appending(index), bytes: bytes))
        }
      }
    }
    bytes = document.serialized().count
    self.apps = apps.map { AppShare(app: $0.key, bytes: $0.value) }
      .sorted { ($1.bytes, $0.app) < ($0.bytes, $1.app) }
    self.routes = Array(routes.sorted { $0.bytes > $1.bytes }.prefix(Self.routeLimit))
  }

  private static func entries(of document: JSON) -> [(JSONPointer, JSON)] {
    let place = JSONPointer.root.appending("applinks").appending("details")
    switch document["applinks"]?["details"] {
    case .array(let elements):
      return elements.enumerated().map { (place.appending($0), $1) }
    case .object(let members):
      return members.members.map { (place.appending($0.key), $0.value) }
    default: return []
    }
  }

  private static func apps(of element: JSON) -> Set<String> {
    let several = element["appIDs"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let one = element["appID"]?.stringValue.map { [$0] } ?? []
    return Set(several + one)
  }
}
