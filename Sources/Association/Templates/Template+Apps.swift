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
  /// defaults of parameters. If a parameter would no longer be used, the template stays as it is.
  ///
  /// - Parameter app: The app as it is named before.
  package func changing(_ app: LinkedApp, _ change: AppNaming) -> Template {
    var template = self
    for member in members.members {
      template.members[member.key] = app.changed(member.value, of: member.key, by: change)
    }
    for (index, parameter) in parameters.enumerated() where parameter.kind.names(app) {
      template.parameters[index].defaultValue = parameter.defaultValue.map {
        app.changed(default: $0, by: change)
      }
    }
    let (before, after) = (
      TemplateText.parameters(in: .object(members)),
      TemplateText.parameters(in: .object(template.members))
    )
    return before == after ? template : self
  }
}

extension TemplateParameter.Kind {
  /// Whether a value can name apps of the platform of an app.
  fileprivate func names(_ app: LinkedApp) -> Bool {
    switch app.platform {
    case .ios: self == .app || self == .apps
    case .android: self == .package || self == .packages
    }
  }
}

extension LinkedApp {
  /// A member of a template after a change of the app; `nil` if nothing is left of it.
  fileprivate func changed(_ json: JSON, of member: String, by change: AppNaming) -> JSON? {
    guard let items = json.arrayValue else { return json }
    switch (member, platform) {
    case ("entries", _):
      let entries = items.compactMap { changed(entry: $0, by: change) }
      return entries.isEmpty && !items.isEmpty ? nil : .array(entries)
    case ("expectations", _): return changed(expectations: items, by: change)
    case ("webcredentials", .ios), ("appclips", .ios), ("activitycontinuation", .ios),
      ("androidCredentials", .android):
      return changed(list: items, by: change)
    default: return json
    }
  }

  /// A list of apps after a change; `nil` if it becomes empty.
  private func changed(list items: [JSON], by change: AppNaming) -> JSON? {
    let changed = json(of: items, by: change)
    return changed.isEmpty && !items.isEmpty ? nil : .array(changed)
  }

  private func json(of items: [JSON], by change: AppNaming) -> [JSON] {
    guard let place = items.firstIndex(where: isName) else { return items }
    var items = items
    switch change {
    case .rename(let new): items[place] = .string(new.text)
    case .accompany(let new):
      if !items.contains(where: new.isName) { items.insert(.string(new.text), at: place + 1) }
    case .remove: items.removeAll(where: isName)
    }
    return items
  }

  private func changed(entry json: JSON, by change: AppNaming) -> JSON? {
    guard var entry = json.objectValue else { return json }
    let key = platform == .ios ? "apps" : "androidApps"
    if let items = entry[key]?.arrayValue { entry[key] = changed(list: items, by: change) }
    if platform == .ios, let appID = entry["appID"], isName(appID) {
      switch change {
      case .rename(let new): entry["appID"] = .string(new.text)
      // It can name only one app.
      case .accompany: break
      case .remove: entry["appID"] = entry["apps"]?.arrayValue?.first
      }
    }
    if entry["apps"] != nil || entry["androidApps"] != nil || entry["appID"] != nil {
      return .object(entry)
    }
    return .object(entry) == json ? json : nil
  }

  private func changed(expectations: [JSON], by change: AppNaming) -> JSON? {
    let changed = expectations.flatMap { json -> [JSON] in
      guard var expectation = json.objectValue, names(expectation) else { return [json] }
      switch change {
      case .rename(let new):
        new.put(in: &expectation)
        return [.object(expectation)]
      case .accompany(let new):
        new.put(in: &expectation)
        let isKnown = expectations.contains {
          $0["url"] == expectation["url"] && $0.objectValue.map(new.names) == true
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
    return changed.isEmpty && !expectations.isEmpty ? nil : .array(changed)
  }

  /// Whether an expectation is about the app.
  private func names(_ expectation: JSON.Object) -> Bool {
    guard let app = expectation["app"] else { return false }
    return isName(app) && isOfPlatform(expectation)
  }

  private func isOfPlatform(_ expectation: JSON.Object) -> Bool {
    if let given = expectation["platform"] { return given.stringValue == platform.rawValue }
    return expectation["app"]?.stringValue.map { Platform(likelyOf: $0) == platform } ?? false
  }

  private func put(in expectation: inout JSON.Object) {
    expectation["app"] = .string(text)
    if Platform(likelyOf: text) != platform { expectation["platform"] = .string(platform.rawValue) }
  }

  /// The default of a parameter after a change. One that names a single app can only be renamed.
  fileprivate func changed(default json: JSON, by change: AppNaming) -> JSON {
    if let items = json.arrayValue { return .array(self.json(of: items, by: change)) }
    if case .rename(let new) = change, isName(json) { return .string(new.text) }
    return json
  }

  private func isName(_ json: JSON) -> Bool {
    json.stringValue.map { sameScalars($0, text) } ?? false
  }
}
