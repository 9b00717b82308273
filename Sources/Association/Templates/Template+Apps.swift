/// How naming an app changes, wherever it is named.
package enum AppNaming: Sendable {
  /// It gets another identifier.
  case rename(to: LinkedApp)
  /// A second app is named behind it.
  case accompany(by: LinkedApp)
  case remove
}

extension Template {
  /// The template after a change of an app wherever the template names it by itself and not by a parameter, also in
  /// defaults of parameters.
  ///
  /// - Parameter app: The app as it is named before.
  /// - Throws: `InvalidInput` if no template can say that.
  package func changing(_ app: LinkedApp, _ change: AppNaming) throws(InvalidInput) -> Template {
    let changed = edited(app, change)
    if changed == self && !names(app) { return self }
    if let left = left(of: app, by: change, in: changed) {
      throw InvalidInput(
        .misplacedParameter, at: .root,
        "It names \(app) \(left). Change the template first.")
    }
    let faults = Faults()
    let json = JSON.object(TemplateResource.json(changed))
    _ = TemplateResource.read(BodyValue(json: json, pointer: .root, faults: faults))
    try faults.check()
    return changed
  }

  /// Whether it names an app by itself.
  package func names(_ app: LinkedApp) -> Bool {
    let none: LinkedApp =
      switch app {
      case .ios: .ios(AppIdentifier(stored: ""))
      case .android: .android(PackageName(stored: ""))
      }
    return edited(app, .rename(to: none)) != self
  }

  /// Where the app is still named as it must not be, in words; `nil` if nowhere.
  private func left(of app: LinkedApp, by change: AppNaming, in changed: Template) -> String? {
    switch change {
    case .rename: return nil
    case .accompany:
      let edit = AppEdit(app: app, change: change, parameters: parameters)
      let single = parameters.first { edit.isDefault(of: $0) && !$0.kind.isList }
      return single.map { "as the default of {\($0.name)}, which can be only one app" }
    case .remove:
      return changed.names(app) ? "also in a default or an expectation of its own" : nil
    }
  }

  private func edited(_ app: LinkedApp, _ change: AppNaming) -> Template {
    let edit = AppEdit(app: app, change: change, parameters: parameters)
    var template = self
    for member in members.members {
      template.members[member.key] = edit.changed(member.value, of: member.key)
    }
    for index in parameters.indices {
      template.parameters[index].defaultValue = edit.changed(defaultOf: parameters[index])
    }
    return template
  }
}

/// A change of an app in the members of a template.
private struct AppEdit {
  let app: LinkedApp
  let change: AppNaming
  let parameters: [TemplateParameter]

  /// A member of the template after the change; `nil` if nothing is left of it.
  func changed(_ json: JSON, of member: String) -> JSON? {
    guard let items = json.arrayValue else { return json }
    switch (member, app.platform) {
    case ("entries", _): return list(items.compactMap(changed(entry:)), after: items)
    case ("expectations", _): return list(changed(expectations: items), after: items)
    case ("webcredentials", .ios), ("appclips", .ios), ("activitycontinuation", .ios),
      ("androidCredentials", .android):
      return list(changed(items), after: items)
    default: return json
    }
  }

  /// A list, unless it has become empty.
  private func list(_ items: [JSON], after before: [JSON]) -> JSON? {
    items.isEmpty && !before.isEmpty ? nil : .array(items)
  }

  private func changed(_ items: [JSON]) -> [JSON] {
    guard let place = items.firstIndex(where: isName) else { return items }
    var items = items
    switch change {
    case .rename(let new): items[place] = .string(new.text)
    case .accompany(let new):
      if !items.contains(.string(new.text)) { items.insert(.string(new.text), at: place + 1) }
    case .remove: items.removeAll(where: isName)
    }
    return items
  }

  private func changed(entry json: JSON) -> JSON? {
    guard var entry = json.objectValue else { return json }
    let key = app.platform == .ios ? "apps" : "androidApps"
    guard let items = entry[key]?.arrayValue else { return json }
    entry[key] = list(changed(items), after: items)
    if app.platform == .ios, let appID = entry["appID"], isName(appID) {
      switch change {
      case .rename(let new): entry["appID"] = .string(new.text)
      // It can name only one app.
      case .accompany: break
      case .remove:
        entry["appID"] = entry["apps"]?.arrayValue?.first(where: isOneApp)
        if entry["appID"] == nil, let keys = entry["keys"]?.arrayValue {
          entry["keys"] = .array(keys.filter { $0 != "appID" })
        }
      }
    }
    return entry["apps"] == nil && entry["androidApps"] == nil ? nil : .object(entry)
  }

  private func changed(expectations: [JSON]) -> [JSON] {
    expectations.flatMap { json -> [JSON] in
      guard var expectation = json.objectValue, names(expectation) else { return [json] }
      switch change {
      case .rename(let new):
        Self.put(new, in: &expectation)
        return [.object(expectation)]
      case .accompany(let new):
        Self.put(new, in: &expectation)
        let isKnown = expectations.contains {
          $0["url"] == expectation["url"] && $0["app"] == .string(new.text)
            && isOfPlatform($0.objectValue ?? [:])
        }
        return isKnown ? [json] : [json, .object(expectation)]
      case .remove:
        let isSaidOfAnother = expectations.contains { other in
          guard let other = other.objectValue, !names(other) else { return false }
          return isOfPlatform(other) && other["url"] == expectation["url"]
            && other["resolution"] == expectation["resolution"]
        }
        return isSaidOfAnother || expectation["resolution"] == "no-match" ? [] : [json]
      }
    }
  }

  /// Whether an expectation is about the app.
  private func names(_ expectation: JSON.Object) -> Bool {
    guard let app = expectation["app"] else { return false }
    return isName(app) && isOfPlatform(expectation)
  }

  private func isOfPlatform(_ expectation: JSON.Object) -> Bool {
    if let given = expectation["platform"] { return given.stringValue == app.platform.rawValue }
    guard let text = expectation["app"]?.stringValue else { return false }
    if let parameter = parameter(text) { return parameter.kind.platform == app.platform }
    return Platform(likelyOf: text) == app.platform
  }

  private static func put(_ app: LinkedApp, in expectation: inout JSON.Object) {
    expectation["app"] = .string(app.text)
    if Platform(likelyOf: app.text) != app.platform {
      expectation["platform"] = .string(app.platform.rawValue)
    }
  }

  /// The default of a parameter after the change. One that names a single app can only be renamed.
  func changed(defaultOf parameter: TemplateParameter) -> JSON? {
    guard isDefault(of: parameter), let json = parameter.defaultValue else {
      return parameter.defaultValue
    }
    if let items = json.arrayValue { return .array(changed(items)) }
    if case .rename(let new) = change { return .string(new.text) }
    return json
  }

  func isDefault(of parameter: TemplateParameter) -> Bool {
    guard parameter.kind.platform == app.platform, let json = parameter.defaultValue else {
      return false
    }
    return isName(json) || json.arrayValue?.contains(where: isName) == true
  }

  /// Whether an item of a list is one app, whatever a domain gives.
  private func isOneApp(_ item: JSON) -> Bool {
    item.stringValue.flatMap(parameter)?.kind.isList != true
  }

  /// The parameter that is all of a string.
  private func parameter(_ text: String) -> TemplateParameter? {
    parameters.first { "{\($0.name)}" == text }
  }

  private func isName(_ json: JSON) -> Bool {
    json.stringValue.map { sameScalars($0, app.text) } ?? false
  }
}

extension TemplateParameter.Kind {
  /// The platform of the apps that a value names; `nil` for other values.
  fileprivate var platform: Platform? {
    switch self {
    case .app, .apps: .ios
    case .package, .packages: .android
    case .path, .pattern, .text, .origin, .origins: nil
    }
  }
}
