extension AssociationFile {
  /// The document as Apple's JSON.
  package var json: JSON {
    var file = JSON.Object()
    if writesAppLinks { file["applinks"] = .object(appLinks) }
    for service in Service.allCases {
      if let list = services[service] { file[service.rawValue] = list.json }
    }
    file.addMissing(from: extra)
    return .object(file)
  }

  /// `applinks` is written if it has content, and if nothing else is written.
  private var writesAppLinks: Bool {
    appLinksSaysSomething || (services.isEmpty && extra.isEmpty)
  }

  /// Whether the file has more than empty `applinks`.
  var saysSomething: Bool { appLinksSaysSomething || !services.isEmpty || !extra.isEmpty }

  /// Whether `applinks` has more than an empty `details`.
  var appLinksSaysSomething: Bool {
    apps != nil || !defaults.isEmpty || !substitutionVariables.isEmpty
      || entries.contains(where: \.isForApple)
      || !applinksExtra.isEmpty
  }

  private var appLinks: JSON.Object {
    var members = JSON.Object()
    members["apps"] = apps.map(JSON.strings)
    if !defaults.isEmpty { members["defaults"] = defaults.json }
    if !substitutionVariables.isEmpty {
      var variables = JSON.Object()
      for variable in substitutionVariables {
        variables.appendNew(variable.name, .strings(variable.values))
      }
      members["substitutionVariables"] = .object(variables)
    }
    members["details"] = details
    members.addMissing(from: applinksExtra)
    return members
  }

  private var details: JSON {
    switch detailsForm {
    case .array: return .array(entries.filter(\.isForApple).flatMap(\.json))
    case .dictionary:
      var details = JSON.Object()
      for entry in entries.filter(\.isForApple) {
        // The document's author ensures that no app occurs twice.
        for app in entry.apps { details.appendNew(app.text, .object(entry.members)) }
      }
      return .object(details)
    }
  }
}

extension AppIdentifier {
  /// A list of apps with the other texts of an adopted list, which `extra` keeps by their index:
  /// `{"0": "TEAM_ID"}`.
  fileprivate static func list(_ apps: [AppIdentifier], with others: JSON?) -> JSON {
    var rest = apps[...]
    var texts: [String] = []
    for other in others?.objectValue?.members ?? [] {
      while texts.count < Int(other.key) ?? 0, let app = rest.popFirst() { texts.append(app.text) }
      if let text = other.value.stringValue { texts.append(text) }
    }
    return .strings(texts + rest.map(\.text))
  }

  /// Whether `extra` may have this value for a list of apps: other texts by their index.
  package static func areOthers(_ value: JSON) -> Bool {
    value.objectValue?.members.allSatisfy { member in
      Int(member.key).map { $0 >= 0 } == true && member.value.stringValue.map(isOther) == true
    } ?? false
  }

  package static func isOther(_ text: String) -> Bool { AppIdentifier(usable: text) == nil }
}

extension AssociationFile.AppList {
  /// The service's object.
  fileprivate var json: JSON {
    var members: JSON.Object = ["apps": AppIdentifier.list(apps, with: extra["apps"])]
    members.addMissing(from: extra)
    return .object(members)
  }
}

extension AssociationFile {
  /// About how many bytes the entries whose only key is `appID` take: they repeat their routes for each app, so a short
  /// entry may be a long document.
  package var repeatedBytes: Int {
    entries.reduce(0) { bytes, entry in
      if !entry.keys.appID || entry.keys.appIDs || entry.apps.count < 2 { return bytes }
      return bytes + entry.apps.count * JSON.object(entry.members).serialized().count
    }
  }
}

extension Entry {
  /// The entry as elements of `details`: one element, or one per app if `appID` is the only key for
  /// several apps.
  package var json: [JSON] {
    if keys.appID && !keys.appIDs {
      return apps.map { element(appKeys: ["appID": .string($0.text)]) }
    }
    var appKeys = JSON.Object()
    appKeys["appID"] = appID.map { .string($0.text) }
    if keys.appIDs { appKeys["appIDs"] = AppIdentifier.list(apps, with: extra["appIDs"]) }
    return [element(appKeys: appKeys)]
  }

  /// Whether two equal entries are the same bytes in a file, also of their routes.
  package func isWritten(like other: Entry) -> Bool {
    if [extra, defaults.extra, other.extra, other.defaults.extra].allSatisfy(\.isEmpty) {
      return zip(routes, other.routes).allSatisfy { $0.isWritten(like: $1) }
    }
    return JSON.array(json).serialized() == JSON.array(other.json).serialized()
  }

  private func element(appKeys: JSON.Object) -> JSON {
    var element = appKeys
    element.addMissing(from: members)
    return .object(element)
  }

  /// The members other than the app identifiers.
  fileprivate var members: JSON.Object {
    var members = JSON.Object()
    if !defaults.isEmpty { members["defaults"] = defaults.json }
    if keys.components {
      members["components"] = .array(routes.map(\.json))
      if keys.paths { members["paths"] = .strings(paths.map(\.text)) }
    } else if keys.paths {
      // The entry's author ensures that each route is a legacy path.
      members["paths"] = .strings(routes.compactMap(\.legacyPath?.text))
    }
    members.addMissing(from: extra)
    return members
  }
}

extension Route {
  /// The element of `components`.
  package var json: JSON {
    var members = JSON.Object()
    members.append("/", path.map(JSON.string))
    members.append("?", query?.json)
    members.append("#", fragment.map(JSON.string))
    members.append("exclude", exclude.map(JSON.bool))
    members.append("caseSensitive", caseSensitive.map(JSON.bool))
    members.append("percentEncoded", percentEncoded.map(JSON.bool))
    members.append("comment", comment.map(JSON.string))
    members.addMissing(from: extra)
    return .object(members)
  }
}

extension Route.Query {
  /// The value of `?`.
  package var json: JSON {
    switch self {
    case .pattern(let pattern): return .string(pattern)
    case .items(let items):
      var members = JSON.Object()
      for item in items { members.appendNew(item.name, item.value) }
      return .object(members)
    }
  }
}

extension Defaults {
  /// The value of `defaults`.
  package var json: JSON {
    var members = JSON.Object()
    members["caseSensitive"] = caseSensitive.map(JSON.bool)
    members["percentEncoded"] = percentEncoded.map(JSON.bool)
    members.addMissing(from: extra)
    return .object(members)
  }
}

extension JSON.Object {
  /// Appends a new member unless its value is `nil`.
  fileprivate mutating func append(_ key: String, _ value: JSON?) {
    if let value { appendNew(key, value) }
  }

  /// Appends the members whose keys are new: the model takes precedence over `extra`.
  fileprivate mutating func addMissing(from other: JSON.Object) {
    guard !other.isEmpty else { return }
    let present = Set(keys.map { Array($0.utf8) })
    for member in other.members where !present.contains(Array(member.key.utf8)) {
      appendNew(member.key, member.value)
    }
  }
}
