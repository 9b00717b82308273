/// How a pattern is compared with a URL.
struct PatternComparison: Hashable {
  var isCaseSensitive = true
  /// Whether the pattern is compared with the URL as it is written; otherwise the URL is decoded first.
  var isPercentEncoded = true
}

extension Inspection {
  mutating func inspectRoute(_ route: AppLinks.Route) {
    guard let members = route.members else { return }
    inspectConditions(
      of: members,
      PatternComparison(
        isCaseSensitive: route.isCaseSensitive, isPercentEncoded: route.isPercentEncoded))
    let hasQuery =
      switch route.query {
      case .any: false
      case .items(let items): !items.isEmpty
      case .whole, .ignored: true
      }
    let hasAnyPath = route.path.map { ["*", "/*"].contains($0.text) } ?? true
    if hasQuery, hasAnyPath, route.fragment?.tokens.isStar ?? true,
      route.takesEveryQuery, case .items = route.query, !route.isExclusion
    {
      return add(
        .matchesEverything, at: route.pointer,
        "Every URL meets the condition of the route: in a query, `*` also matches a missing value.",
        help: "Write `?*` to require a value.")
    }
    if route.path != nil || route.fragment != nil || hasQuery { return }
    let misread = members.misread
    if misread != nil { misreadRoutes.insert(route.pointer) }
    let everything = "It matches every URL, so later routes are never used."
    let help = "If you mean every URL, write `\"/\": \"*\"`."
    guard let misread else {
      return add(
        .matchesEverything, at: route.pointer, "The route has no condition. \(everything)",
        help: "Add a condition. \(help)")
    }
    let isUnknown = if case .unknownKey = misread.reason { true } else { false }
    add(
      .matchesEverything, at: route.pointer,
      "The route has no condition that devices read: "
        + (isUnknown
          ? "\(misread.key.quoted) is none"
          : "the value of \(misread.key.quoted) has the wrong type")
        + ". \(everything)",
      help: "Correct \(isUnknown ? "" : "the value of ")\(misread.key.quoted). \(help)")
  }

  /// Inspects a `defaults` object, whose members routes inherit.
  ///
  /// - Parameter outer: That of all entries, for the one of an entry.
  mutating func inspectDefaults(_ defaults: RouteMembers, in outer: RouteMembers? = nil) {
    inspectConditions(
      of: defaults,
      PatternComparison(
        isCaseSensitive: defaults.caseSensitive ?? outer?.caseSensitive ?? true,
        isPercentEncoded: defaults.percentEncoded ?? outer?.percentEncoded ?? true))
  }

  private mutating func inspectConditions(
    of members: RouteMembers, _ comparison: PatternComparison
  ) {
    let pointer = members.pointer
    if let path = members.path, !addMisspelledNot(path.text, at: pointer.appending("/")) {
      inspectPattern(path, .path, comparison, at: pointer.appending("/"))
    }
    if let fragment = members.fragment {
      inspectPattern(fragment, .fragment, comparison, at: pointer.appending("#"))
    }
    switch members.query {
    case .any?, nil: break
    case .whole(let query)?: inspectPattern(query, .query, comparison, at: pointer.appending("?"))
    case .items(let items)?:
      for item in items {
        let place = { pointer.appending("?").appending(item.name) }
        inspectCharacters(of: item.name, "The name", comparison, at: place())
        inspectPattern(item.pattern, .queryValue, comparison, at: place())
      }
    case .ignored?: addIgnoredQuery(of: members)
    }
  }

  private mutating func addIgnoredQuery(of members: RouteMembers) {
    for item in members.json["?"]?.objectValue?.members ?? [] where item.value.stringValue == nil {
      add(
        .queryValueNotString, at: members.pointer.appending("?").appending(item.key),
        "The value of \(item.key.quoted) is \(item.value.kind), not a string. Devices ignore the whole"
          + " query object, so the route matches any query.",
        help: "Write a pattern as a string, such as `\"?*\"` for any value that is not empty.")
    }
  }

  /// Reports `NOT ` in an element of `components`.
  private mutating func addMisspelledNot(
    _ path: String, at pointer: @autoclosure () -> JSONPointer
  ) -> Bool {
    guard PatternSyntax(path).beginsWithNot || PatternSyntax(path).beginsWithBang else {
      return false
    }
    add(
      .misspelledNot, at: pointer(),
      path.hasPrefix("!")
        ? "`!` excludes nothing: it is part of the path."
        : "`NOT ` has a meaning only in `paths`. Here it is part of the path.",
      help: "Write only the path, and add `\"exclude\": true`.")
    return true
  }

  // MARK: - Paths

  mutating func inspectLegacyPaths(_ routes: [AppLinks.Route]) {
    for route in routes { inspectLegacyPath(route) }
    addQueriesMeant(in: routes)
    let bare = routes.filter { route in
      let text = route.path?.text ?? ""
      let syntax = PatternSyntax(text)
      return syntax.isBarePath && !syntax.beginsWithBang && !syntax.isBareForAnotherReason
    }
    guard let first = bare.first else { return }
    let others = bare.count == 1 ? "" : " (and \((bare.count - 1).counted("other path")) here)"
    add(
      .noLeadingSlash, at: first.pointer,
      "\(LegacyPath(first).text.quoted)\(others) does not start with a slash. Newer systems add it. What"
        + " older ones do is undocumented; probably nothing matches.",
      help: "Start each path with a slash.")
  }

  /// Reports `/a?*` beside `/a`, where `?` was meant for a query.
  private mutating func addQueriesMeant(in routes: [AppLinks.Route]) {
    // `/buy/?*` is how to say that something follows.
    func isMeant(_ text: String) -> Bool {
      text.hasSuffix("?*") && text.dropLast(2).last.map { $0.isLetter || $0.isNumber } == true
    }
    guard routes.contains(where: { isMeant($0.path?.text ?? "") }) else { return }
    let all = Set(routes.compactMap(\.path?.text))
    for route in routes {
      guard let text = route.path?.text, isMeant(text), all.contains(String(text.dropLast(2)))
      else { continue }
      add(
        .queryInPath, severity: .note, at: route.pointer,
        "In \(text.quoted), `?` is one character of the path, not the beginning of a query. Paths are compared without the "
          + "query, so \(String(text.dropLast(2)).quoted) matches with any query.",
        help: "Remove it, unless a longer path is meant.")
    }
  }

  private mutating func inspectLegacyPath(_ route: AppLinks.Route) {
    guard let path = route.path else { return }
    let syntax = PatternSyntax(path.text)
    let isNot = syntax.beginsWithNot || syntax.beginsWithBang
    if route.isExclusion, path.text.hasPrefix(" ") {
      return add(
        .misspelledNot, at: route.pointer,
        "\(LegacyPath(route).text.quoted) excludes nothing: behind `NOT`, all but one space are part of the path, and no"
          + " path has them.",
        help: "Write one space behind `NOT`.")
    }
    if !route.isExclusion, isNot {
      return add(
        .misspelledNot, at: route.pointer,
        "\(path.text.quoted) excludes nothing: only `NOT ` in capital letters, with one space, does."
          + " Anything else is part of the path.",
        help: "Write `NOT ` and the path.")
    }
    if path.text.mayNameVariable {
      add(
        .variableInPaths, at: route.pointer,
        "Variables work only in `components`. Here `$(` is literal text that no URL has.",
        help: "Write out the values, or use `components`.")
    }
    inspectPattern(path, .path, PatternComparison(), at: route.pointer)
  }

  // MARK: - Comments

  /// Adds one finding for all comments, at the first.
  mutating func addPublicComments() {
    let routes = links.entries.lazy.flatMap(\.routes).compactMap(\.members).filter {
      $0.comment?.isEmpty == false
    }
    let count = routes.count(where: { _ in true })
    guard let first = routes.first else { return }
    let comments = count == 1 ? "This comment" : "This comment and \(count - 1) more"
    add(
      .publicComment, at: first.pointer.appending("comment"),
      "\(comments) will be public: anyone can download the file. Devices ignore comments.",
      help: "Make sure that no comment reveals a secret, such as an unpublished path.")
  }
}

extension RouteMembers {
  /// The first member that was probably meant as a condition, and that devices do not read; `nil` without one.
  fileprivate var misread: UnreadValue? {
    unread.prefix(20).first { value in
      switch value.reason {
      case .unknownKey: DocumentPart.mayBeCondition(value.key)
      default: ["/", "?", "#"].contains(value.key)
      }
    }
  }
}
