import JSONValue

extension Inspection {
  /// Examines an element of `details`; `app` is its key where `details` is an object.
  mutating func inspectEntry(_ value: JSON, at pointer: JSONPointer, app: String? = nil) {
    guard let entry = object(value, at: pointer, "An element of `details`") else { return }
    inspectKeys(of: entry, in: .entry, at: pointer)
    if let app {
      inspectApp(app, at: pointer)
    } else {
      inspectApps(of: entry, at: pointer)
    }
    inspectForms(of: entry, at: pointer)
    if let defaults = entry["defaults"] {
      inspectDefaults(defaults, at: pointer.appending("defaults"))
    }
    if let components = entry["components"] {
      let place = pointer.appending("components")
      for element in array(components, at: place, "`components`") ?? [] {
        inspectRoute(element.value, at: element.pointer)
      }
    }
    if let paths = entry["paths"] {
      inspectLegacyPaths(strings(paths, at: pointer.appending("paths"), "`paths`"))
    }
  }

  // MARK: - Apps

  private mutating func inspectApps(of entry: JSON.Object, at pointer: JSONPointer) {
    var all: [String] = []
    if let value = entry["appIDs"] {
      let apps = strings(value, at: pointer.appending("appIDs"), "`appIDs`")
      inspectApps(apps)
      all = apps.map(\.text)
    }
    if let value = entry["appID"] {
      let place = pointer.appending("appID")
      if let app = value.stringValue {
        inspectApp(app, at: place)
        if entry["appIDs"] != nil { addBothKeys(app, isListed: all.contains(app), at: place) }
        all.append(app)
      } else {
        addWrongType(value, at: place, "`appID`", expected: "a string")
      }
    }
    if all.isEmpty, entry["appIDs"].map({ $0 == [] }) ?? (entry["appID"] == nil) {
      add(
        .entryWithoutApp, at: pointer, "The entry names no app, so its routes open nothing.",
        help: "Add `appIDs`, an array of app identifiers, or remove the entry.")
    }
  }

  private mutating func addBothKeys(_ app: String, isListed: Bool, at pointer: JSONPointer) {
    let consequence =
      isListed
      ? "Systems before iOS 13 read this one, later ones `appIDs`, which names it too."
      : "From iOS 13 on only `appIDs` counts, which does not name this app: its links stay in the"
        + " browser."
    add(
      .appIDAndAppIDs, severity: isListed ? .note : .warning, at: pointer,
      "The entry has both `appID` and `appIDs`. " + consequence,
      help: isListed
        ? "Remove `appID` unless iOS 12 must be served."
        : "Add \(app) to `appIDs`, or remove `appID`.")
  }

  /// Examines a list of app identifiers.
  mutating func inspectApps(_ apps: [(text: String, pointer: JSONPointer)]) {
    var seen: Set<[UInt8]> = []
    for app in apps {
      inspectApp(app.text, at: app.pointer)
      if seen.insert(Array(app.text.utf8)).inserted { continue }
      add(
        .repeatedApp, at: app.pointer, "The list names \(app.text) more than once: it counts once.",
        help: "Remove it here.")
    }
  }

  private mutating func inspectApp(_ app: String, at pointer: JSONPointer) {
    switch AppIdentifierSyntax(app) {
    case .usual: break
    case .malformed(let message):
      add(
        .malformedAppIdentifier, at: pointer,
        message + " As it is, it names no app, and its links stay in the browser.",
        help: "Write the application identifier prefix (usually the Team ID), a dot and the bundle"
          + " identifier.")
    case .placeholder:
      add(
        .placeholderAppIdentifier, at: pointer,
        "\(app) looks like a template that was not filled in: it names no app.",
        help: "Write the app's own prefix and bundle identifier.")
    case .unusualPrefix:
      add(
        .unusualAppIdentifierPrefix, at: pointer,
        "The prefix of \(app) is not ten capital letters and digits, as Apple's are: probably it names"
          + " no app.",
        help: "Compare it with the App ID Prefix in the developer account.")
    case .unusualBundle:
      add(
        .unusualBundleIdentifier, at: pointer,
        "The bundle identifier of \(app) has an underscore, which Apple does not allow: probably it"
          + " names no app.",
        help: "Compare it with the bundle identifier in Xcode.")
    }
  }

  // MARK: - Components and paths

  /// Whether the entry has routes, and in which of the two forms.
  private mutating func inspectForms(of entry: JSON.Object, at pointer: JSONPointer) {
    let hasComponents = entry["components"] != nil
    let hasPaths = entry["paths"] != nil
    if hasComponents, hasPaths {
      add(
        .componentsAndPaths, at: pointer.appending("paths"),
        "The entry has both `components` and `paths`. From iOS 13 on `paths` is ignored, before that"
          + " `components` is; Apple advises against mixing them (TN3155).",
        help:
          "Keep `components`. To serve iOS 12, put `appID` and `paths` in an entry of their own.")
    } else if hasPaths, entry["appIDs"] != nil {
      add(
        .appIDsWithPaths, at: pointer.appending("paths"),
        "The entry has `appIDs`, which came with iOS 13, and only `paths`, the older form: Apple says"
          + " that links may not work so (TN3155).",
        help: "Write `components`, or for iOS 12 one entry with `appID` for each app.")
    }
    let isEmpty = { (key: String) in entry[key].map { $0 == [] } ?? true }
    if isEmpty("components") && (hasComponents || isEmpty("paths")) {
      add(
        .noRoutes, at: pointer, "The entry has no route, so it matches no URL.",
        help: "Add `components`; `[{\"/\": \"*\"}]` matches every URL.")
    }
  }
}
