import JSONValue

extension Inspection {
  /// Examines an element of `components`.
  mutating func inspectRoute(_ value: JSON, at pointer: JSONPointer) {
    guard let route = object(value, at: pointer, "An element of `components`") else { return }
    inspectKeys(of: route, in: .route, at: pointer)
    let settings = settings[pointer] ?? PatternSettings()
    inspectConditions(of: route, settings, at: pointer)
    if settings.isWithoutCondition { addMatchesEverything(at: pointer) }
  }

  /// Examines a `defaults` object: its members are those of routes that leave them out.
  mutating func inspectDefaults(_ value: JSON, at pointer: JSONPointer) {
    guard let defaults = object(value, at: pointer, "`defaults`") else { return }
    inspectKeys(of: defaults, in: .defaults, at: pointer)
    let settings = PatternSettings(
      isCaseSensitive: defaults["caseSensitive"]?.boolValue ?? true,
      isPercentEncoded: defaults["percentEncoded"]?.boolValue ?? true)
    inspectConditions(of: defaults, settings, at: pointer)
  }

  private mutating func inspectConditions(
    of route: JSON.Object, _ settings: PatternSettings, at pointer: JSONPointer
  ) {
    for member in route.members {
      if member.key == "comment", case .string = member.value { continue }
      let place = pointer.appending(member.key)
      switch (member.key, member.value) {
      case ("/", .string(let text)): inspectPattern(text, .path, settings, at: place)
      case ("#", .string(let text)): inspectPattern(text, .fragment, settings, at: place)
      case ("?", .string(let text)): inspectPattern(text, .query, settings, at: place)
      case ("?", .object(let items)): inspectQuery(items, settings, at: place)
      case ("?", let value):
        addWrongValueType(value, member.key, at: place, expected: "a string or an object")
      case ("/", let value), ("#", let value), ("comment", let value):
        if value.stringValue == nil {
          addWrongValueType(value, member.key, at: place, expected: "a string")
        }
      case ("exclude", let value), ("caseSensitive", let value), ("percentEncoded", let value):
        if value.boolValue == nil {
          addWrongValueType(value, member.key, at: place, expected: "true or false")
        }
      default: break
      }
    }
  }

  private mutating func inspectQuery(
    _ items: JSON.Object, _ settings: PatternSettings, at pointer: JSONPointer
  ) {
    for item in items.members {
      let place = pointer.appending(item.key)
      inspectCharacters(of: item.key, "The name `\(item.key)`", settings, at: place)
      guard case .string(let text) = item.value else {
        add(
          .queryValueNotString, at: place,
          "The value of `\(item.key)` is \(item.value.kind), not a string. The whole query object"
            + " stops counting: the route matches any query.",
          help: "Write a pattern as a string, such as `\"?*\"` for any value that is not empty.")
        continue
      }
      inspectPattern(text, .queryValue, settings, at: place)
    }
  }

  private mutating func addWrongValueType(
    _ value: JSON, _ key: String, at pointer: JSONPointer, expected: String
  ) {
    add(
      .wrongValueType, at: pointer,
      "`\(key)` is \(value.kind) and must be \(expected). What a device makes of it is not documented;"
        + " probably it counts as if it were not there.",
      help: "Write \(expected), or remove the key.")
  }

  private mutating func addMatchesEverything(at pointer: JSONPointer) {
    add(
      .matchesEverything, at: pointer,
      "The route has no condition, so it matches every URL, and no route after it ever decides.",
      help: "Add a condition. If every URL is meant, say so: `\"/\": \"*\"`.")
  }

  /// Examines the elements of `paths`.
  mutating func inspectLegacyPaths(_ paths: [(text: String, pointer: JSONPointer)]) {
    for path in paths { inspectLegacyPath(path.text, at: path.pointer) }
    let bare = paths.filter { PatternSyntax($0.text).isBareLegacyPath }
    guard let first = bare.first else { return }
    let others = bare.count == 1 ? "" : ", like \(bare.count - 1) more of these paths"
    add(
      .noLeadingSlash, at: first.pointer,
      "`\(first.text)` does not begin with a slash\(others). Newer systems add it; what older ones do"
        + " is not documented, and probably nothing matches.",
      help: "Begin each path with a slash.")
  }

  private mutating func inspectLegacyPath(_ text: String, at pointer: JSONPointer) {
    let isExclusion = text.utf8.starts(with: "NOT ".utf8)
    let path = isExclusion ? String(text.unicodeScalars.dropFirst(4)) : text
    if !isExclusion, Self.beginsWithNot(path) {
      add(
        .misspelledNot, at: pointer,
        "`\(path)` excludes nothing: only `NOT ` in capital letters with one space after it does. As it"
          + " is, it is a path that no URL has.",
        help: "Write `NOT ` and the path.")
      return
    }
    if path.contains("$(") {
      add(
        .variableInPaths, at: pointer,
        "Variables count only in `components`; here `$(` is text, which no URL has.",
        help: "Write the values out, or use `components`.")
    }
    let settings = PatternSettings(isLegacy: true)
    inspectPattern(path, .path, settings, at: pointer)
  }

  /// Whether a path begins with the word in some spelling, and not with a path such as `/nothing`.
  static func beginsWithNot(_ text: String) -> Bool {
    let start = text.utf8.drop { $0 == UInt8(ascii: " ") }
    guard start.first?.asciiLowercased == UInt8(ascii: "n") else { return false }
    let bytes = Array(start)
    return bytes.count > 3 && bytes[..<3].map(\.asciiLowercased) == Array("not".utf8)
      && [UInt8(ascii: " "), UInt8(ascii: "/"), UInt8(ascii: "\t"), UInt8(ascii: "!")].contains(
        bytes[3])
  }

  // MARK: - Comments

  /// One finding for all comments, at the first.
  mutating func inspectComments() {
    var first: JSONPointer?
    var number = 0
    for entry in document["applinks"]?["details"]?.arrayValue?.enumerated().map(\.self) ?? [] {
      for (index, route) in (entry.element["components"]?.arrayValue ?? []).enumerated() {
        guard let text = route["comment"]?.stringValue, !text.isEmpty else { continue }
        number += 1
        if first != nil { continue }
        let pointer = JSONPointer.root.appending("applinks").appending("details")
        first = pointer.appending(entry.offset).appending("components").appending(index)
          .appending("comment")
      }
    }
    guard let first else { return }
    let count = number == 1 ? "This comment" : "This comment and \(number - 1) more"
    add(
      .publicComment, at: first,
      "\(count) will be public: everybody can download the file. Devices ignore comments.",
      help:
        "See that no comment says what should not be known, such as paths that are not public yet.")
  }
}
