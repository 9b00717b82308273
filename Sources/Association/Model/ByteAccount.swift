/// How many bytes of a document each app and route takes.
package struct ByteAccount: Sendable, Equatable {
  /// The bytes of an app's entries or statements.
  package struct AppShare: Sendable, Equatable {
    /// The app identifier or the package, as the document writes it.
    package let app: String
    /// The size of all entries that name the app. An entry of several apps is counted for each.
    package let bytes: Int
  }

  package struct RouteShare: Sendable, Equatable {
    package let pointer: JSONPointer
    package let bytes: Int
  }

  /// The number of routes in `routes`, at most.
  package static let routeLimit = 20

  package let bytes: Int
  /// The largest size that can be published.
  package let limit: Int
  /// The apps, the largest first.
  package let apps: [AppShare]
  /// The largest routes, the largest first.
  package let routes: [RouteShare]

  /// Accounts for the bytes of a rendered document.
  package init(of document: ReadDocument) {
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
    self.init(bytes: document.json.serialized().count, of: .apple, apps, routes)
  }

  /// Accounts for the bytes of an assetlinks.json file. Its routes are the dynamic rules.
  package init(of links: AssetLinks) {
    var apps: [String: Int] = [:]
    var routes: [RouteShare] = []
    let relation = Relation.handleAllURLs.description
    // Of a file this large, statements may not have been read.
    for (index, element) in (links.json.arrayValue ?? []).enumerated() {
      guard let package = element["target"]?["package_name"]?.stringValue else { continue }
      apps[package, default: 0] += element.serialized().count
      let rules = element["relation_extensions"]?[relation]?[AssetLinks.Rules.key]?.arrayValue
      let pointer = JSONPointer.root.appending(index).appending("relation_extensions")
        .appending(relation).appending(AssetLinks.Rules.key)
      routes += (rules ?? []).enumerated().map {
        RouteShare(pointer: pointer.appending($0), bytes: $1.serialized().count)
      }
    }
    self.init(bytes: links.json.serialized().count, of: .assetLinks, apps, routes)
  }

  /// What uses the bytes of a document that is rendered.
  package init(of documents: ReadDocuments, _ kind: DocumentKind) {
    if kind == .apple {
      self.init(of: documents.apple)
    } else if kind == .assetLinks, let links = documents.assetLinks {
      self.init(of: links)
    } else {
      self.init(bytes: documents.json[kind]?.serialized().count ?? 0, of: kind)
    }
  }

  /// The size of a document that names no apps.
  package init(
    bytes: Int, of kind: DocumentKind, _ apps: [String: Int] = [:], _ routes: [RouteShare] = []
  ) {
    self.bytes = bytes
    limit = kind.maximumSize
    self.apps = apps.map { AppShare(app: $0.key, bytes: $0.value) }
      .sorted { ($1.bytes, $0.app) < ($0.bytes, $1.app) }
    self.routes = Array(routes.sorted { $0.bytes > $1.bytes }.prefix(Self.routeLimit))
  }
}
