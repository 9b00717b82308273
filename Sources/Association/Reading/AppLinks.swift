/// The `applinks` of a document as a device reads it: entries in file order, each with its routes in
/// order, each route with everything that decides whether it matches.
package struct AppLinks: Sendable {
  /// An element of `details`, or a member of it where it is an object (the obsolete first form).
  package struct Entry: Sendable {
    /// Where the entry is, such as `/applinks/details/0`.
    package let pointer: JSONPointer
    /// The app identifiers: `appIDs` if it is an array, otherwise `appID`; in the obsolete form, the
    /// key.
    package let apps: [String]
    /// The routes in order: `components`, or `paths` if there is no `components` array.
    package let routes: [Route]
    let json: JSON.Object
    let appID: String?
    let appIDs: IndexedStrings?
    let hasComponents: Bool
    /// `paths`, whether devices read it or not; `nil` without an array.
    let paths: [Route]?
    let defaults: RouteMembers?
    /// The unread members, without those of `defaults` and of routes.
    let unread: [UnreadValue]
  }

  /// An element of `components` or of `paths`.
  package struct Route: Sendable {
    /// Where the route is, such as `/applinks/details/0/components/3`.
    package let pointer: JSONPointer
    /// Whether it is an element of `paths`.
    package let isLegacy: Bool
    /// Whether the app does not open matching URLs.
    package let isExclusion: Bool
    package private(set) var isCaseSensitive: Bool
    /// Whether the route is compared with the URL as it is written, percent-encoding included;
    /// otherwise the URL is decoded first. The pattern is never decoded.
    package let isPercentEncoded: Bool
    /// The condition on the path; `nil` if there is none.
    package private(set) var path: Pattern?
    package let query: Query
    /// The condition on the fragment; `nil` if there is none.
    package let fragment: Pattern?
    /// What an element of `components` says itself; `nil` for an element of `paths`.
    var members: RouteMembers? = nil

    /// The route with `caseSensitive` false.
    var ignoringCase: Route {
      var route = self
      route.isCaseSensitive = false
      return route
    }

    /// The route with any text in place of each variable of its path; `nil` if the path has none, or one without values.
    var withoutVariables: Route? {
      guard !isLegacy, let path, path.flaws.isEmpty, path.text.contains("$(") else { return nil }
      let text = path.text
      var route = self
      let parts = text.split(separator: "$(", omittingEmptySubsequences: false)
      let rest = parts.dropFirst().map { $0.drop { $0 != ")" }.dropFirst() }
      route.path = Pattern(
        withoutVariables: ([parts[0]] + rest).joined(separator: "?*"))
      return route
    }
  }

  package enum Query: Sendable {
    case any
    /// The pattern covers the whole query.
    case whole(Pattern)
    /// Every query item of these names matches its pattern; a missing item has an empty value.
    case items([Item])
    /// An object with a value that is not a string, which makes devices ignore the whole object
    /// (recorded).
    case ignored
  }

  /// A condition on the query items of one name.
  package struct Item: Sendable {
    /// The name, which is compared literally.
    package let name: String
    /// The pattern that covers the value.
    package let pattern: Pattern
  }

  /// A member of `substitutionVariables`.
  struct Variable: Sendable {
    let name: String
    let pointer: JSONPointer
    /// `nil` if the value is not an array.
    let values: IndexedStrings?
  }

  /// The entries in file order.
  package let entries: [Entry]
  /// `applinks` as it is written; `nil` without an object.
  let json: JSON.Object?
  /// `apps`, which only iOS 12 and earlier read.
  let apps: IndexedStrings?
  let defaults: RouteMembers?
  /// The variables that the file defines.
  let variables: [Variable]
  /// Whether `details` is an object, the obsolete form in which entries have no order.
  let isKeyed: Bool
  /// The unread members, without those of `defaults` and of entries.
  let unread: [UnreadValue]
  /// Whether the file is so large that nothing of it was read.
  let isTooLarge: Bool

  static let pointer = JSONPointer.root.appending("applinks")

  /// Reads `applinks` of a file; other services are skipped.
  package init(document: JSON) {
    isTooLarge = !document.isReadable
    json = isTooLarge ? nil : document["applinks"]?.objectValue
    var reader = ObjectReader(json ?? [:], at: Self.pointer, as: .applinks)
    let definitions = SubstitutionVariables(reader.json["substitutionVariables"])
    variables = Self.variables(&reader)
    apps = reader.strings("apps")
    if let apps = reader.json["apps"], apps.arrayValue?.isEmpty == false {
      reader.note("apps", apps, .noEffect)
    }
    let defaults = reader.value("defaults", \.objectValue).map {
      RouteMembers($0, at: Self.pointer.appending("defaults"), as: .defaults, definitions)
    }
    let context = EntryContext(variables: definitions, defaults: defaults)
    if reader.json["details"]?.isEntry == true {
      // One entry without the array around it.
      (isKeyed, entries) = (false, [])
    } else if case .object(let keyed)? = reader.json["details"] {
      isKeyed = true
      entries = Self.entries(keyed, context, &reader)
    } else {
      isKeyed = false
      entries = reader.objects("details") { Entry($0, at: $1, context) } ?? []
    }
    self.defaults = defaults
    unread = reader.unread
  }

  /// The entries of the obsolete form.
  private static func entries(
    _ details: JSON.Object, _ context: EntryContext, _ reader: inout ObjectReader
  ) -> [Entry] {
    let pointer = reader.pointer.appending("details")
    return details.members.compactMap { member in
      let place = pointer.appending(member.key)
      if case .object(let entry) = member.value {
        return Entry(entry, at: place, app: member.key, context)
      }
      reader.note(
        "details", member.value, at: place, isElement: true, .wrongType(expected: "an object"))
      return nil
    }
  }

  private static func variables(_ reader: inout ObjectReader) -> [Variable] {
    let key = "substitutionVariables"
    guard let definitions = reader.value(key, \.objectValue) else { return [] }
    let pointer = reader.pointer.appending(key)
    return definitions.members.map { member in
      let name = "\(key)/\(member.key)"
      let place = pointer.appending(member.key)
      guard case .array(let elements) = member.value else {
        reader.note(name, member.value, at: place, .wrongType(expected: "an array"))
        return Variable(name: member.key, pointer: place, values: nil)
      }
      let values = reader.strings(of: elements, name, at: place)
      for value in values.elements where value.text.isEmpty {
        reader.note(name, "", at: values.pointer(at: value.index), .noEffect)
      }
      return Variable(name: member.key, pointer: place, values: values)
    }
  }
}

/// What the routes of all entries share.
private struct EntryContext {
  let variables: SubstitutionVariables
  let defaults: RouteMembers?
}

extension AppLinks.Entry {
  /// - Parameter app: The key of the entry in the obsolete form.
  fileprivate init(
    _ json: JSON.Object, at pointer: JSONPointer, app: String? = nil, _ context: EntryContext
  ) {
    var reader = ObjectReader(json, at: pointer, as: app == nil ? .entry : .keyedEntry)
    appIDs = app == nil ? reader.strings("appIDs") : nil
    appID = app == nil ? reader.value("appID", \.stringValue) : nil
    apps = app.map { [$0] } ?? appIDs?.texts ?? appID.map { [$0] } ?? []
    let defaults = reader.value("defaults", \.objectValue).map {
      RouteMembers($0, at: pointer.appending("defaults"), as: .defaults, context.variables)
    }
    let components = reader.objects("components") { json, pointer in
      AppLinks.Route(
        RouteMembers(json, at: pointer, as: .route, context.variables), defaults, context.defaults)
    }
    paths = reader.strings("paths").map { paths in
      paths.elements.map {
        AppLinks.Route(LegacyPath($0.text), at: paths.pointer(at: $0.index))
      }
    }
    routes = components ?? paths ?? []
    hasComponents = components != nil
    if hasComponents, paths != nil, let paths = json["paths"] {
      reader.note("paths", paths, .noEffect)
    }
    if let appID, let appIDs, !appIDs.texts.contains(where: { sameScalars($0, appID) }) {
      reader.note("appID", .string(appID), .noEffect)
    }
    self.defaults = defaults
    (self.json, self.pointer, unread) = (json, pointer, reader.unread)
  }
}

extension AppLinks.Route {
  /// An element of `components`. For each key the most specific value applies: the route's own, its
  /// entry's default, then the default of all entries (Apple's page applinks.Defaults; a query object
  /// is replaced, not merged).
  fileprivate init(_ own: RouteMembers, _ inner: RouteMembers?, _ outer: RouteMembers?) {
    func first<Value>(_ value: (RouteMembers) -> Value?) -> Value? {
      value(own) ?? inner.flatMap(value) ?? outer.flatMap(value)
    }
    self.init(
      pointer: own.pointer, isLegacy: false, isExclusion: first(\.exclude) ?? false,
      isCaseSensitive: first(\.caseSensitive) ?? true,
      isPercentEncoded: first(\.percentEncoded) ?? true, path: first(\.path),
      query: first(\.query) ?? .any, fragment: first(\.fragment), members: own)
  }

  /// An element of `paths`. Defaults and variables do not apply to it, and case always matters (App
  /// Search Programming Guide).
  fileprivate init(_ path: LegacyPath, at pointer: JSONPointer) {
    self.init(
      pointer: pointer, isLegacy: true, isExclusion: path.exclude, isCaseSensitive: true,
      isPercentEncoded: true, path: Pattern(withoutVariables: path.pattern), query: .any,
      fragment: nil)
  }

  /// The route as it is written.
  var json: JSON { members.map { .object($0.json) } ?? .string(LegacyPath(self).text) }

  /// The names of the variables in the route's patterns, in UTF-8.
  var variableNames: Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for token in patterns.lazy.flatMap(\.tokens) {
      switch token {
      case .one(let one) where one != .any: names.insert(Array(one.rawValue.utf8))
      case .values(let variable): names.insert(Array(variable.name.utf8))
      case .nothing(let name): names.insert(Array(name.utf8))
      case .literal, .one, .anyRun, .runUntil: break
      }
    }
    return names
  }
}

/// The members of an element of `components` or of a `defaults` object that devices read.
///
/// A class, since routes are copied often and this is needed only to examine a file.
final class RouteMembers: Sendable {
  let pointer: JSONPointer
  let json: JSON.Object
  let path: Pattern?
  let query: AppLinks.Query?
  let fragment: Pattern?
  let exclude: Bool?
  let caseSensitive: Bool?
  let percentEncoded: Bool?
  let comment: String?
  let unread: [UnreadValue]

  init(
    _ json: JSON.Object, at pointer: JSONPointer, as part: DocumentPart,
    _ variables: SubstitutionVariables
  ) {
    var path: Pattern?
    var query: AppLinks.Query?
    var fragment: Pattern?
    var (exclude, caseSensitive, percentEncoded): (Bool?, Bool?, Bool?)
    var comment: String?
    var unread: [UnreadValue] = []
    func note(_ member: JSON.Object.Member, _ reason: UnreadValue.Reason) {
      unread.append(
        UnreadValue(
          part: part, key: member.key, value: member.value,
          pointer: pointer.appending(member.key), reason: reason))
    }
    for member in json.members {
      switch (member.key, member.value) {
      case ("/", .string(let text)): path = Pattern(text, variables: variables)
      case ("?", .string(let text)): query = .whole(Pattern(text, variables: variables))
      case ("?", .object(let items)): query = Self.query(items, variables)
      case ("#", .string(let text)): fragment = Pattern(text, variables: variables)
      case ("exclude", .bool(let value)): exclude = value
      case ("caseSensitive", .bool(let value)): caseSensitive = value
      case ("percentEncoded", .bool(let value)): percentEncoded = value
      case ("comment", .string(let text)):
        comment = text
        if part == .defaults { note(member, .noEffect) }
      default:
        let expected = part.type(of: member.key)
        note(member, expected.map { .wrongType(expected: $0) } ?? .unknownKey)
      }
    }
    (self.json, self.pointer, self.unread, self.comment) = (json, pointer, unread, comment)
    (self.path, self.query, self.fragment) = (path, query, fragment)
    (self.exclude, self.caseSensitive, self.percentEncoded) =
      (exclude, caseSensitive, percentEncoded)
  }

  /// The value of a key as it is written, if devices read it.
  func value(of key: String) -> JSON? {
    unread.contains { sameScalars($0.key, key) } ? nil : json[key]
  }

  private static func query(
    _ items: JSON.Object, _ variables: SubstitutionVariables
  ) -> AppLinks.Query {
    let patterns = items.members.compactMap { member in
      member.value.stringValue.map {
        AppLinks.Item(name: member.key, pattern: Pattern($0, variables: variables))
      }
    }
    return patterns.count == items.members.count ? .items(patterns) : .ignored
  }
}

extension JSON {
  /// Whether it has the members of an entry that name apps.
  var isEntry: Bool { self["appIDs"] != nil || self["appID"] != nil }
}
