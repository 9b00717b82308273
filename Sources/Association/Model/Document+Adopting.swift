public import JSONValue

/// Why a file cannot be kept as rows.
public struct AdoptionError: Error, Sendable, Equatable {
  /// Where in the file.
  public let pointer: JSONPointer
  /// What is wrong there.
  public let message: String
}

extension Document {
  /// Reads an association file so that `json` gives back what the file says.
  ///
  /// The linter names everything that is wrong with a file; this stops at the first thing that rows
  /// cannot hold, which the linter calls an error that cannot be accepted.
  ///
  /// - Throws: `AdoptionError`.
  public init(adopting file: JSON) throws(AdoptionError) {
    self.init()
    let members = try file.object(at: .root)
    for member in members.members where member.key != "applinks" {
      let pointer = JSONPointer.root.appending(member.key)
      guard let service = Service(rawValue: member.key),
        let list = try AppList(member.value, at: pointer)
      else {
        extra.appendNew(member.key, member.value)
        continue
      }
      services[service] = list
    }
    if let applinks = members["applinks"] {
      try adoptAppLinks(applinks, at: .root.appending("applinks"))
    }
    guard json == file else {
      throw AdoptionError(
        pointer: .root, message: "The file says nothing that could be kept and served again.")
    }
  }

  private mutating func adoptAppLinks(_ value: JSON, at pointer: JSONPointer) throws(AdoptionError)
  {
    let members = try value.object(at: pointer)
    guard members["details"] != nil else {
      extra.appendNew("applinks", value)
      return
    }
    for member in members.members {
      let pointer = pointer.appending(member.key)
      switch member.key {
      case "apps": apps = try member.value.strings(at: pointer)
      case "details": try adoptDetails(member.value, at: pointer)
      case "defaults" where member.value != .object([:]):
        defaults = try Defaults(member.value, at: pointer)
      case "substitutionVariables" where member.value != .object([:]):
        substitutionVariables = try SubstitutionVariable.list(member.value, at: pointer)
      default: applinksExtra.appendNew(member.key, member.value)
      }
    }
    if !appLinksSaysSomething && !(services.isEmpty && extra.isEmpty) {
      extra.appendNew("applinks", value)
    }
  }

  private mutating func adoptDetails(_ value: JSON, at pointer: JSONPointer) throws(AdoptionError) {
    guard case .object(let details) = value else {
      entries = try value.list(at: pointer, Entry.init(adopting:at:))
      return
    }
    detailsForm = .dictionary
    for member in details.members {
      let pointer = pointer.appending(member.key)
      let app = try AppIdentifier(adopting: member.key, at: pointer)
      var entry = Entry(
        keys: Entry.Keys(appID: true, appIDs: false, components: false, paths: false))
      entry.apps = [app]
      for member in try member.value.object(at: pointer).members {
        try entry.adopt(member.key, member.value, at: pointer.appending(member.key))
      }
      entry.settle()
      entries.append(entry)
    }
  }
}

extension Document.AppList {
  /// The list of a service; `nil` where it names no app, so that there is nothing to keep as rows.
  fileprivate init?(_ value: JSON, at pointer: JSONPointer) throws(AdoptionError) {
    var members = try value.object(at: pointer)
    let apps = try (members["apps"] ?? []).apps(at: pointer.appending("apps"))
    if apps.isEmpty { return nil }
    members["apps"] = nil
    self.init(apps: apps, extra: members)
  }
}

extension SubstitutionVariable {
  fileprivate static func list(_ value: JSON, at pointer: JSONPointer) throws(AdoptionError)
    -> [SubstitutionVariable]
  {
    var list: [SubstitutionVariable] = []
    for member in try value.object(at: pointer).members {
      let values = try member.value.strings(at: pointer.appending(member.key))
      list.append(SubstitutionVariable(name: member.key, values: values))
    }
    return list
  }
}

extension Entry {
  fileprivate init(adopting value: JSON, at pointer: JSONPointer) throws(AdoptionError) {
    self.init(keys: Keys(appID: false, appIDs: false, components: false, paths: false))
    for member in try value.object(at: pointer).members {
      let pointer = pointer.appending(member.key)
      switch member.key {
      case "appID":
        keys.appID = true
        appID = try AppIdentifier(adopting: try member.value.string(at: pointer), at: pointer)
      case "appIDs":
        keys.appIDs = true
        apps = try member.value.apps(at: pointer)
      default: try adopt(member.key, member.value, at: pointer)
      }
    }
    settle()
  }

  /// Takes a member that says nothing of apps.
  fileprivate mutating func adopt(_ key: String, _ value: JSON, at pointer: JSONPointer)
    throws(AdoptionError)
  {
    switch key {
    case "components":
      keys.components = true
      routes = try value.list(at: pointer, Route.init(adopting:at:))
    case "paths":
      keys.paths = true
      paths = try value.strings(at: pointer).map { LegacyPath($0) }
    case "defaults" where value != .object([:]): defaults = try Defaults(value, at: pointer)
    default: extra.appendNew(key, value)
    }
  }

  /// Puts apps and routes where an entry with these keys has them.
  fileprivate mutating func settle() {
    if !keys.appIDs, let only = appID {
      apps = [only]
      appID = nil
    }
    if keys.isLegacyOnly {
      routes = paths.map { Route($0) }
      paths = []
    }
  }
}

extension Route {
  /// Reads an element of `components`. What has a type that the format does not allow goes to
  /// `extra`: the linter calls it an error that may be accepted.
  fileprivate init(adopting value: JSON, at pointer: JSONPointer) throws(AdoptionError) {
    self.init()
    for member in try value.object(at: pointer).members {
      switch (member.key, member.value) {
      case ("/", .string(let pattern)): path = pattern
      case ("?", .string(let pattern)): query = .pattern(pattern)
      case ("?", .object(let items)): query = Query(items)
      case ("#", .string(let pattern)): fragment = pattern
      case ("exclude", .bool(let value)): exclude = value
      case ("caseSensitive", .bool(let value)): caseSensitive = value
      case ("percentEncoded", .bool(let value)): percentEncoded = value
      case ("comment", .string(let text)): comment = text
      default: extra.appendNew(member.key, member.value)
      }
    }
  }
}

extension Route.Query {
  /// The conditions on items that an object says.
  package init(_ items: JSON.Object) {
    self = .items(items.members.map { Item(name: $0.key, value: $0.value) })
  }
}

extension Defaults {
  fileprivate init(_ value: JSON, at pointer: JSONPointer) throws(AdoptionError) {
    self.init()
    for member in try value.object(at: pointer).members {
      switch (member.key, member.value) {
      case ("caseSensitive", .bool(let value)): caseSensitive = value
      case ("percentEncoded", .bool(let value)): percentEncoded = value
      default: extra.appendNew(member.key, member.value)
      }
    }
  }
}

extension AppIdentifier {
  fileprivate init(adopting text: String, at pointer: JSONPointer) throws(AdoptionError) {
    do throws(ValidationError) {
      try self.init(text)
    } catch {
      throw AdoptionError(pointer: pointer, message: error.message)
    }
  }
}

extension JSON {
  private func expected(_ what: String, at pointer: JSONPointer) -> AdoptionError {
    AdoptionError(pointer: pointer, message: "This must be \(what); it is \(kind).")
  }

  fileprivate func object(at pointer: JSONPointer) throws(AdoptionError) -> Object {
    guard case .object(let members) = self else { throw expected("an object", at: pointer) }
    return members
  }

  fileprivate func string(at pointer: JSONPointer) throws(AdoptionError) -> String {
    guard case .string(let text) = self else { throw expected("a string", at: pointer) }
    return text
  }

  fileprivate func list<Element>(
    at pointer: JSONPointer,
    _ element: (JSON, JSONPointer) throws(AdoptionError) -> Element
  ) throws(AdoptionError) -> [Element] {
    guard case .array(let values) = self else { throw expected("an array", at: pointer) }
    var list: [Element] = []
    for (index, value) in values.enumerated() {
      list.append(try element(value, pointer.appending(index)))
    }
    return list
  }

  fileprivate func strings(at pointer: JSONPointer) throws(AdoptionError) -> [String] {
    try list(at: pointer) { value, pointer throws(AdoptionError) in try value.string(at: pointer) }
  }

  fileprivate func apps(at pointer: JSONPointer) throws(AdoptionError) -> [AppIdentifier] {
    try list(at: pointer) { value, pointer throws(AdoptionError) in
      try AppIdentifier(adopting: try value.string(at: pointer), at: pointer)
    }
  }
}
