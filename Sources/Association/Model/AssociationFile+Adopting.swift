/// A file that rows cannot hold.
package struct AdoptionError: Error, Sendable, Equatable {
  package let pointer: JSONPointer
  package let message: String
}

extension AssociationFile {
  /// Turns an association file into rows, so that `json` equals the file.
  ///
  /// The linter lists everything that is wrong with a file. This stops at the first value that rows
  /// cannot hold, which the linter reports as an error that cannot be accepted.
  package init(adopting file: JSON) throws(AdoptionError) {
    self.init()
    let read = ReadDocument(file)
    if let error = read.links.complexity {
      throw AdoptionError(pointer: error.pointer, message: error.message)
    }
    for unread in read.allUnread where !unread.isKept {
      guard case .wrongType(let expected) = unread.reason else { continue }
      throw AdoptionError(
        pointer: unread.pointer, message: "This is \(unread.value.kind) but must be \(expected).")
    }
    extra = read.unread.kept
    for service in read.services { adopt(service) }
    if let applinks = read.links.json { try adopt(read.links, applinks) }
    guard json == file else {
      throw AdoptionError(
        pointer: .root, message: "The file has nothing that can be stored and served.")
    }
  }

  private mutating func adopt(_ service: ReadDocument.Service) {
    var members = service.unread.kept
    let apps = service.apps?.identifiers(keepingOthersIn: &members, as: "apps") ?? []
    if let kind = Service(rawValue: service.name), !apps.isEmpty {
      services[kind] = AppList(apps: apps, extra: members)
    } else {
      extra.appendNew(service.name, .object(service.json))
    }
  }

  private mutating func adopt(_ links: AppLinks, _ json: JSON.Object) throws(AdoptionError) {
    guard json["details"] != nil else { return extra.appendNew("applinks", .object(json)) }
    apps = links.apps?.texts
    detailsForm = links.isKeyed ? .dictionary : .array
    defaults = Defaults(links.defaults)
    substitutionVariables = links.variables.map {
      SubstitutionVariable(name: $0.name, values: $0.values?.texts ?? [])
    }
    applinksExtra = links.unread.kept
    for key in ["defaults", "substitutionVariables"] where json[key] == [:] {
      applinksExtra.appendNew(key, [:])
    }
    for entry in links.entries {
      entries.append(try Entry(adopting: entry, isKeyed: links.isKeyed))
    }
    if !appLinksSaysSomething && !(services.isEmpty && extra.isEmpty) {
      extra.appendNew("applinks", .object(json))
    }
  }
}

extension Entry {
  /// The entry without apps that has this content; `nil` if no entry has.
  init?(content: JSON) {
    guard case .object(let members) = content else { return nil }
    let app: JSON = "ABCDE12345.placeholder"
    var element: JSON.Object = members["components"] == nil ? ["appID": app] : ["appIDs": [app]]
    for member in members.members { element.appendNew(member.key, member.value) }
    do throws(AdoptionError) {
      let document = try AssociationFile(adopting: ["applinks": ["details": [.object(element)]]])
      guard let entry = document.entries.first else { return nil }
      self = entry
      apps = []
    } catch {
      return nil
    }
  }

  fileprivate init(adopting entry: AppLinks.Entry, isKeyed: Bool) throws(AdoptionError) {
    self.init(
      keys: Keys(
        appID: isKeyed || entry.appID != nil, appIDs: entry.appIDs != nil,
        components: entry.hasComponents, paths: entry.paths != nil),
      defaults: Defaults(entry.defaults), extra: entry.unread.kept)
    if entry.json["defaults"] == [:] { extra.appendNew("defaults", [:]) }
    if let list = entry.appIDs {
      apps = list.identifiers(keepingOthersIn: &extra, as: "appIDs")
      appID = entry.appID.flatMap { AppIdentifier(usable: $0) }
    } else if isKeyed {
      apps = try entry.apps.map { app throws(AdoptionError) in
        try AppIdentifier(adopting: app, at: entry.pointer)
      }
    } else {
      apps = entry.apps.compactMap { AppIdentifier(usable: $0) }
    }
    if let text = entry.appID, AppIdentifier(usable: text) == nil {
      keys.appID = false
      extra.appendNew("appID", .string(text))
    }
    routes = entry.routes.map(Route.init(adopting:))
    if entry.hasComponents { paths = (entry.paths ?? []).map(LegacyPath.init) }
  }
}

extension Route {
  /// The row of an element of `components` or of `paths`. A value of the wrong type goes to `extra`:
  /// the linter reports it as an error that can be accepted.
  fileprivate init(adopting route: AppLinks.Route) {
    guard let members = route.members else {
      self.init(LegacyPath(route))
      return
    }
    self.init(
      path: members.path?.text, query: members.value(of: "?").flatMap(Query.init(written:)),
      fragment: members.fragment?.text, exclude: members.exclude,
      caseSensitive: members.caseSensitive, percentEncoded: members.percentEncoded,
      comment: members.comment, extra: members.unread.kept)
  }
}

extension Route.Query {
  fileprivate init?(written json: JSON) {
    switch json {
    case .string(let pattern): self = .pattern(pattern)
    case .object(let items): self.init(items)
    default: return nil
    }
  }
}

extension Defaults {
  fileprivate init(_ members: RouteMembers?) {
    self.init(
      caseSensitive: members?.caseSensitive, percentEncoded: members?.percentEncoded,
      extra: members?.json ?? [:])
    if caseSensitive != nil { extra["caseSensitive"] = nil }
    if percentEncoded != nil { extra["percentEncoded"] = nil }
  }
}

extension AppIdentifier {
  fileprivate init(adopting text: String, at pointer: JSONPointer) throws(AdoptionError) {
    guard let app = AppIdentifier(usable: text) else {
      throw AdoptionError(
        pointer: pointer, message: "The obsolete form of `details` cannot keep \(text.quoted).")
    }
    self = app
  }
}

extension IndexedStrings {
  /// The texts that are app identifiers. The others are kept by their index, as
  /// `AppIdentifier.list(_:with:)` reads them.
  fileprivate func identifiers(
    keepingOthersIn extra: inout JSON.Object, as key: String
  ) -> [AppIdentifier] {
    var apps: [AppIdentifier] = []
    var others: JSON.Object = [:]
    for (index, text) in elements {
      if let app = AppIdentifier(usable: text) {
        apps.append(app)
      } else {
        others.appendNew("\(index)", .string(text))
      }
    }
    if !others.isEmpty { extra.appendNew(key, .object(others)) }
    return apps
  }
}

extension UnreadValue {
  /// Whether rows keep the value as it is, in `extra`.
  fileprivate var isKept: Bool {
    switch reason {
    case .unknownKey: true
    case .wrongType: part == .route || part == .defaults
    case .noEffect, .malformed, .missing: false
    }
  }
}

extension [UnreadValue] {
  /// The members that rows keep as they are.
  fileprivate var kept: JSON.Object {
    var members: JSON.Object = [:]
    for unread in self where unread.isKept { members.appendNew(unread.key, unread.value) }
    return members
  }
}
