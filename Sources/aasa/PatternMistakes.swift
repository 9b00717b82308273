import Association

extension PatternMatcher {
  /// Whether `<data>` has an attribute of this name, which is written with a prefix.
  static func isDataAttribute(_ name: String) -> Bool {
    ["scheme", "host", "port", "mimeType"].contains(name)
      || ["path", "query", "fragment"].contains { part in
        name.hasPrefix(part) && Kind(rawValue: String(name.dropFirst(part.count))) != nil
      }
  }

  /// Whether no path of a link matches, because a path begins with a slash.
  var matchesNoPath: Bool {
    switch kind {
    case .literal: !text.hasPrefix("/")
    case .prefix: !text.isEmpty && !text.hasPrefix("/")
    case .simpleGlob, .advancedGlob:
      text.first.map { $0.isLetter || $0.isNumber } ?? true
        && !["*", "?", "{", "+"].contains(text.dropFirst().first)
    case .suffix: false
    }
  }

  /// The text without the characters behind a backslash.
  private var unescaped: String {
    var isEscaped = false
    return text.filter { character in
      let isTaken = !isEscaped && character != "\\"
      isEscaped = !isEscaped && character == "\\"
      return isTaken
    }
  }

  /// What a pattern for paths says that its author hardly means, as a sentence (Android's page about `<data>`).
  ///
  /// - Parameter hosts: Those of the filter.
  func mistake(for hosts: [String]) -> String? {
    if kind != .advancedGlob && (text.contains("?") || text.contains("#")) {
      return
        "It is compared with the path alone, without the query and the fragment, so it matches hardly any link."
    }
    let segments = text.split(separator: "/")
    let parts = text.split(separator: "%", omittingEmptySubsequences: false).dropFirst()
    if parts.contains(where: { $0.count > 1 && $0.prefix(2).allSatisfy(\.isHexDigit) }) {
      return
        "Android compares the path as it is without percent-encoding. Write the characters themselves."
    }
    if text.hasPrefix("/"), let first = segments.first, hosts.contains(String(first)) {
      return "It begins with the host, which has an attribute of its own. Remove it from the path."
    }
    // Routers write `:id` and `{id}`; an advanced pattern has `{` for repetitions.
    let parameter =
      kind == .suffix
      ? nil
      : segments.first {
        $0.hasPrefix(":") && $0.count > 1
          || kind != .advancedGlob && $0.hasPrefix("{") && $0.hasSuffix("}")
      }
    if let parameter {
      return
        "\(String(parameter).shown) stands for itself here, and for nothing else. Write android:pathPattern with .* in its place."
    }
    switch kind {
    case .literal, .prefix, .suffix:
      return text.contains("*")
        ? "Here, the star is a character of the path. Write android:pathPattern with .* in its place."
        : nil
    case .simpleGlob:
      if text.hasPrefix("*") {
        return "A star repeats the character before it, and there is none. Write /.* for all paths."
      }
      if text.contains("/*") {
        let written = text.replacing("/**", with: "/.*").replacing("/*", with: "/.*")
        return "The star repeats the slash before it. Write \(written)."
      }
      let unescaped = self.unescaped
      let isExpression =
        ["\\d", "\\w", ".+"].contains(where: text.contains)
        || ["(", "|", ")"].allSatisfy(unescaped.contains)
      guard isExpression || unescaped.contains("[") else { return nil }
      return
        "Of regular expressions, it supports only the dot and the star. Write .* in place of the rest"
        + (isExpression
          ? "." : ", or android:pathAdvancedPattern, which has sets from Android 12 on.")
    case .advancedGlob:
      let unescaped = self.unescaped
      let isExpression =
        ["\\d", "\\w", "\\s"].contains(where: text.contains) || text.hasPrefix("^")
        || unescaped.hasSuffix("$") || unescaped.contains("(?")
        || ["(", "|", ")"].allSatisfy(unescaped.contains)
      return isExpression
        ? "Of regular expressions, it supports only the dot, sets such as [0-9], and *, + and {2,3} behind them. Write a set for"
          + " a class such as \\d, and an element for each alternative."
        : nil
    }
  }
}
