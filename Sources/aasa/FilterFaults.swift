import Association

/// Why no link starts the activity of a filter.
extension ManifestCheck {
  /// Reports an activity that does not say whether other apps may start it.
  mutating func checkExported(of host: Host, _ filters: [AndroidManifest.IntentFilter]) {
    let targetVersion = manifest.targetVersion
    let version = targetVersion ?? 31
    guard version >= 31, filters.contains(where: { !$0.saysExported }) else { return }
    add(
      "exported-missing", targetVersion == nil ? .warning : .error, host.text,
      "Its activity lacks android:exported. "
        + (targetVersion == nil
          ? "Unless another manifest of the build has it, an app for Android 12 (API level 31) or later"
          : "The app is for API level \(version), and from level 31 on, an app without it")
        + " can be neither built nor installed. Add android:exported=\"true\".")
  }
}

extension AndroidManifest.IntentFilter {
  private static let prefix = "android.intent."

  /// Whether it is for files of some type, of any host: a path ends with an extension.
  var opensFiles: Bool {
    data.contains { element in
      element.contains { attribute, value in
        let name = value.filter { $0 != "\\" }.split(separator: "/").last ?? ""
        let end = name.split(separator: ".").last ?? ""
        return attribute.hasPrefix("path") && name.contains(".")
          && (1...8).contains(end.count) && end.allSatisfy { $0.isLetter || $0.isNumber }
      }
    }
  }

  /// Why no click on a link starts the activity.
  var faults: [(code: String, message: String)] {
    let needed = [
      ("missing-view", "action.VIEW", actions),
      ("missing-browsable", "category.BROWSABLE", categories),
      ("missing-default", "category.DEFAULT", categories),
    ]
    var faults = needed.filter { !$0.2.contains(Self.prefix + $0.1) }.map { code, name, _ in
      let element = name.prefix { $0 != "." }
      let word = name.dropFirst(element.count + 1)
      return (
        code,
        "Its filter lacks \(name), so links do not open the app. "
          + (isOfExpo
            ? "In app.json, \(element == "action" ? "write \"action\": \"\(word)\"" : "add \"\(word)\" to \"category\"")"
              + ": the build writes what comes before it."
            : "Add <\(element) android:name=\"\(Self.prefix)\(name)\" />.")
      )
    }
    if let type = values("mimeType").first {
      faults.append(
        (
          "mime-type",
          "Its filter has the mimeType \(type.shown), which no link has, so links do not open the app. Remove it."
        ))
    }
    if !isExported {
      faults.append(
        (
          "not-exported",
          "Its activity has android:exported=\"false\", so the browser may not start it. Set it to true."
        ))
    }
    if !isEnabled {
      faults.append(
        (
          "not-enabled",
          "Its activity, or the app, has android:enabled=\"false\", so links do not open the app unless it enables"
            + " the activity when it runs. Remove the attribute."
        ))
    }
    return faults
  }

  /// The attributes of `<data>` elements about parts of a URL, as they are written.
  static func conditions(
    on parts: [String], in elements: [AndroidManifest.DataElement]
  ) -> [String] {
    elements.flatMap { element in
      parts.flatMap { part in
        PatternMatcher.Kind.allCases.compactMap { kind in
          element[part + kind.rawValue].map { "\(part)\(kind.rawValue)=\($0)" }
        }
      }
    }
  }

  /// The attributes with paths, as they are written; for groups with what they allow.
  var pathAttributes: [String] {
    // Only groups have conditions on queries and fragments.
    Self.conditions(on: ["path"], in: data)
      + groups.map {
        let own = Self.conditions(on: ["path", "query", "fragment"], in: $0.data)
        return "\($0.isAllowed ? "allow" : "block")(\(own.joined(separator: " ")))"
      }
  }
}
