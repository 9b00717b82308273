extension Inspection {
  mutating func inspectEntry(_ entry: AppLinks.Entry) {
    if links.isKeyed {
      for app in entry.apps { inspectApp(app, at: entry.pointer) }
    } else {
      inspectApps(of: entry)
    }
    inspectForms(of: entry)
    if let defaults = entry.defaults { inspectDefaults(defaults, in: links.defaults) }
    if entry.hasComponents {
      for route in entry.routes { inspectRoute(route) }
    }
    if let paths = entry.paths { inspectLegacyPaths(paths) }
  }

  // MARK: - Apps

  private mutating func inspectApps(of entry: AppLinks.Entry) {
    if let apps = entry.appIDs { inspectApps(apps) }
    if let app = entry.appID {
      let place = entry.pointer.appending("appID")
      inspectApp(app, at: place)
      if entry.json["appIDs"] != nil {
        let isListed = entry.appIDs?.texts.contains { sameScalars($0, app) } ?? false
        addBothKeys(app, isListed: isListed, at: place)
      }
    }
    if entry.appID == nil, entry.json["appIDs"] ?? .array([]) == [], entry.json["appID"] == nil {
      add(
        .entryWithoutApp, at: entry.pointer, "The entry names no app, so its routes open nothing.",
        help: entry.appInParts.map { "Write `\"appIDs\": [\($0.quoted)]` in place of its parts." }
          ?? entry.json.misspelling(of: ["appID", "appIDs"])?.help
          ?? entry.json.appAsKey.map {
            "Write `\"appID\": \($0.quoted)`, and what that key has beside it."
          }
          ?? "Add `appIDs`, an array of app identifiers, or remove the entry.")
    }
  }

  private mutating func addBothKeys(_ app: String, isListed: Bool, at pointer: JSONPointer) {
    let effect =
      isListed
      ? "Systems before iOS 13 read `appID`; later ones read `appIDs`, which also names this app."
      : "From iOS 13 on, only `appIDs` applies. It does not name \(app.shown), so links to that app"
        + " stay in the browser."
    add(
      .appIDAndAppIDs, severity: isListed ? .note : .warning, at: pointer,
      "The entry has both `appID` and `appIDs`. " + effect,
      help: isListed
        ? "Remove `appID` unless you support iOS 12."
        : "Add \(app.shown) to `appIDs`, or remove `appID`.")
  }

  /// Inspects a list of app identifiers.
  ///
  /// - Parameter effect: What an identifier without an app means.
  mutating func inspectApps(_ apps: IndexedStrings, withoutApp effect: String = linksStay) {
    var seen: Set<[UInt8]> = []
    for (index, app) in apps.elements {
      inspectApp(app, at: apps.pointer(at: index), withoutApp: effect)
      if seen.insert(Array(app.utf8)).inserted { continue }
      add(
        .repeatedApp, at: apps.pointer(at: index), "The list names \(app.shown) more than once.",
        help: "Remove it here.")
    }
  }

  static let linksStay = "the links stay in the browser"

  private mutating func inspectApp(
    _ text: String, at pointer: @autoclosure () -> JSONPointer,
    withoutApp effect: String = linksStay
  ) {
    guard let app = AppIdentifier(usable: text) else {
      if text.hasBlank { return addPlaceholder(text, at: pointer()) }
      let apps = text.elements
      if apps.count > 1, apps.allSatisfy({ AppIdentifier(usable: $0) != nil }) {
        return addList(apps, text, at: pointer(), withoutApp: effect)
      }
      return add(
        .malformedAppIdentifier, at: pointer(),
        "\(AppIdentifier.fault(of: text) ?? "") It matches no app, so \(effect).",
        help: AppIdentifier.meant(by: text).map { "Write `\($0)`." }
          ?? (text.hasPrefix(".")
            ? "Nothing stands before the first dot. If a build writes the prefix, its variable is empty. "
            : "")
          + "Write the application identifier prefix (usually the Team ID), a dot and the bundle"
          + " identifier, such as ABCDE12345.com.example.app.")
    }
    if let word = app.wordOfUnsetVariable {
      add(
        .placeholderAppIdentifier, at: pointer(),
        "\(app) has \(word.quoted), which programs write for a variable without a value. It probably matches no app.",
        help: "Set the variable of the build, or write the app's own prefix and bundle identifier.")
    } else if app.isPlaceholder {
      addPlaceholder(text, at: pointer())
    } else if app.prefix.utf8.allSatisfy(\.isASCIIDigit) {
      add(
        .numericAppIdentifierPrefix, at: pointer(),
        "The prefix of \(app) has only digits, like the number of an app in the App Store. Apple's prefixes nearly"
          + " always have letters. It probably matches no app, so \(effect).",
        help: "Write the App ID Prefix of the developer account, usually the Team ID.")
    } else if !app.hasUsualPrefix {
      add(
        .unusualAppIdentifierPrefix, at: pointer(),
        "The prefix of \(app) is not ten capital letters and digits, as Apple's prefixes are. It"
          + " probably matches no app.",
        help: app.withPrefixFirst.map { "The prefix goes first: `\($0)`." }
          ?? (app.lacksPrefix
            ? "The prefix seems to be missing. Write the App ID Prefix of the developer account, usually the Team ID, and a"
              + " dot before it: `ABCDE12345.\(app)`."
            : "Compare it with the App ID Prefix in the developer account."))
    } else if text.utf8.contains(UInt8(ascii: "_")) {
      add(
        .unusualBundleIdentifier, at: pointer(),
        "The bundle identifier of \(app) has an underscore, which Apple does not allow. It probably"
          + " matches no app.",
        help: "Compare it with the bundle identifier in Xcode.")
    }
  }

  /// Reports a list of apps that was written as one string.
  private mutating func addList(
    _ apps: [String], _ text: String, at pointer: JSONPointer, withoutApp effect: String
  ) {
    let strings = apps.map(\.quoted).joined(separator: ", ")
    add(
      .malformedAppIdentifier, at: pointer,
      "\(text.quoted) is a list of \(apps.count) apps in one string. It matches no app, so \(effect).",
      help: pointer.keys.last == "appID"
        ? "Write `\"appIDs\": [\(strings)]` in place of `appID`."
        : "Write each as a string of its own: \(strings).")
  }

  private mutating func addPlaceholder(_ text: String, at pointer: JSONPointer) {
    add(
      .placeholderAppIdentifier, at: pointer,
      "\(text.shown) looks like a template that was not filled in. It matches no app.",
      help: "Write the app's own prefix and bundle identifier.")
  }

  // MARK: - Components and paths

  /// Checks that the entry has routes, in one form.
  private mutating func inspectForms(of entry: AppLinks.Entry) {
    let hasComponents = entry.json["components"] != nil
    let hasPaths = entry.json["paths"] != nil
    if hasComponents, hasPaths {
      add(
        .componentsAndPaths, at: entry.pointer.appending("paths"),
        "The entry has both `components` and `paths`. iOS 13 and later ignore `paths`, earlier systems"
          + " ignore `components`. Apple advises against mixing them (TN3155).",
        help: "Keep `components`. To support iOS 12, move `paths` to an entry of its own with"
          + " `appID`, after this one: devices try the entries of an app in file order.")
    } else if hasPaths, entry.json["appIDs"] != nil {
      add(
        .appIDsWithPaths, at: entry.pointer.appending("paths"),
        "The entry combines `appIDs`, which came with iOS 13, with the older `paths`. Apple says that"
          + " links may not work then (TN3155).",
        help: "Write `components`, or for iOS 12 one entry with `appID` per app.")
    }
    let isEmpty = { (key: String) in entry.json[key].map { $0 == [] } ?? true }
    if isEmpty("components") && (hasComponents || isEmpty("paths")) {
      add(
        .noRoutes, at: entry.pointer, "The entry has no routes, so it matches no URL.",
        help: (hasComponents || hasPaths
          ? nil : entry.json.misspelling(of: ["components", "paths"])?.help)
          ?? "Add `components`; `[{\"/\": \"*\"}]` matches every URL.")
    }
  }
}

extension AppLinks.Entry {
  /// The app identifier of an entry that has the team and the bundle identifier under keys of their own; `nil` for any
  /// other.
  fileprivate var appInParts: String? {
    func value(of names: [String]) -> String? {
      json.members.first {
        names.contains($0.key.lowercased().filter(\.isLetter)) && $0.value.stringValue != nil
      }?.value.stringValue
    }
    guard let team = value(of: ["team", "teamid", "appleteamid", "prefix", "appidprefix"]),
      let bundle = value(of: ["bundle", "bundleid", "bundleidentifier", "identifier"])
    else { return nil }
    return AppIdentifier(usable: "\(team).\(bundle)")?.text
  }
}

extension AppIdentifier {
  /// Whether the prefix has the form of those that Apple issues, usually the Team ID (WWDC 2019,
  /// session 717).
  var hasUsualPrefix: Bool { Self.isUsualPrefix(prefix) }

  private static func isUsualPrefix(_ text: Substring) -> Bool {
    text.utf8.count == 10
      && text.utf8.allSatisfy {
        $0.isASCIIDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
      }
  }

  /// The identifier as it was meant, if the prefix stands behind the bundle identifier; otherwise `nil`.
  fileprivate var withPrefixFirst: String? {
    guard lacksPrefix, let dot = text.lastIndex(of: "."),
      case let last = text[dot...].dropFirst(), Self.isUsualPrefix(last), text[..<dot].contains(".")
    else { return nil }
    return "\(last).\(text[..<dot])"
  }

  /// What a program wrote for a variable without a value: the whole prefix, the whole bundle identifier, or the
  /// last part of it; without a usual prefix, any part. `nil` without such a word.
  fileprivate var wordOfUnsetVariable: String? {
    let parts = text.split(separator: ".")
    let isUnset = { (part: Substring) in ["undefined", "null", "None", "NaN"].contains(part) }
    let whole = parts.count == 2 ? parts : Array(parts.prefix(1))
    let other = (hasUsualPrefix ? parts.suffix(1) : parts[...]).first { $0 == "undefined" }
    return (whole.first(where: isUnset) ?? other).map(String.init)
  }

  /// Whether the identifier was copied from a template and never filled in.
  fileprivate var isPlaceholder: Bool {
    let bytes = text.utf8.map(\.asciiLowercased)
    if Self.placeholders.contains(where: { bytes.contains(ascii: $0) }) { return true }
    // Names of apps such as `steamidle` have it, too.
    let labels = bytes.split(separator: UInt8(ascii: "."))
    return labels.first.map(Array.init)?.contains(ascii: "teamid") == true
      || labels.contains { $0.elementsEqual("teamid".utf8) }
  }

  private static let placeholders: [StaticString] = [
    "team_id", "your_", "yourteam", "replace_", "development_team", "app_id_prefix",
    "appidprefix", "xxxxxxxx", "bundle_id", "placeholder",
  ]
}

extension AppIdentifier {
  /// The identifier that a text has beside something else: blanks, the service that entitlements name before a
  /// domain, or another character in place of the first dot. `nil` if the rest is none.
  fileprivate static func meant(by text: String) -> AppIdentifier? {
    var rest = text.drop(while: \.isWhitespace)
    while rest.last?.isWhitespace == true { rest.removeLast() }
    if let colon = rest.firstIndex(of: ":"),
      DocumentPart.services.contains(String(rest[..<colon]))
    {
      rest = rest[colon...].dropFirst()
    }
    let end = rest.index(rest.startIndex, offsetBy: 10, limitedBy: rest.endIndex) ?? rest.endIndex
    if end < rest.endIndex, isUsualPrefix(rest[..<end]), " :/+,;|".contains(rest[end]) {
      rest = rest[..<end] + "." + rest[end...].dropFirst()
    }
    guard let app = AppIdentifier(usable: String(rest)), app.hasUsualPrefix else { return nil }
    return app
  }
}

extension String {
  /// Whether the text has a name in brackets to be replaced, such as `<TEAM_ID>` or `$(PREFIX)`.
  fileprivate var hasBlank: Bool {
    let brackets: [(Character, Character)] = [("<", ">"), ("(", ")"), ("{", "}"), ("[", "]")]
    return brackets.contains { open, close in
      guard let start = firstIndex(of: open), let end = lastIndex(of: close) else { return false }
      return start < end
    }
  }
}

extension AppIdentifier {
  /// Whether it seems to be a bundle identifier alone, such as `com.example.app`. Prefixes have ten characters.
  package var lacksPrefix: Bool {
    let first = text.utf8.prefix { $0 != UInt8(ascii: ".") }
    return first.count != 10
      && first.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
  }
}
