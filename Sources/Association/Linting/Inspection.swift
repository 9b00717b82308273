/// The linting of one document, with the findings so far.
struct Inspection {
  let read: ReadDocument
  /// The spelling of each variable that patterns may use, by its lower-case form.
  private(set) lazy var variableNames = Dictionary(
    (links.variables.map(\.name) + SubstitutionVariables.predefinedNames).map {
      ($0.lowercased(), $0)
    }, uniquingKeysWith: { first, _ in first })
  /// The names of the variables of the document.
  private(set) lazy var definedVariables = Set(links.variables.map { Array($0.name.utf8) })
  /// The variables whose values were inspected, per way of comparing them.
  var inspectedVariables: Set<InspectedVariable> = []
  /// The registrable names that the document is published for; empty if they are not known.
  let names: Set<String>
  private var found: FindingList
  /// The places of findings that explain why a route never matches.
  private(set) var explained: Set<JSONPointer> = []
  /// The routes whose conditions devices do not read, so that what they do is not what was meant.
  var misreadRoutes: Set<JSONPointer> = []
  /// Whether the patterns are over a limit, so that nothing may be made of them.
  private(set) var isTooComplex = false

  /// A variable and how its values are compared.
  struct InspectedVariable: Hashable {
    let name: [UInt8]
    let comparison: PatternComparison
  }

  var links: AppLinks { read.links }

  init(_ read: ReadDocument, _ context: Linter.Context?, findings: [Finding]) {
    self.read = read
    names = context?.registrableNames ?? []
    found = FindingList(findings)
  }

  mutating func add(
    _ code: Finding.Code, severity: Finding.Severity? = nil,
    at pointer: @autoclosure () -> JSONPointer,
    _ message: @autoclosure () -> String, help: @autoclosure () -> String
  ) {
    if Self.explaining.contains(code) { explained.insert(pointer()) }
    found.add(code, severity: severity, at: pointer(), message(), help: help())
  }

  /// Notes that another finding explains why the route there never matches.
  mutating func explain(_ pointer: JSONPointer) { explained.insert(pointer) }

  private static let explaining: Set<Finding.Code> = [
    .undefinedVariable, .nonASCIIPattern, .spaceInPattern, .fragmentInPath, .urlAsPath,
    .misspelledNot, .variableInPaths,
  ]

  func inFileOrder() -> [Finding] { found.inOrder(of: read.json) }

  /// Inspects everything except the names of the domain and what routes do together.
  mutating func inspectDocument() {
    guard case .object(let root) = read.json else {
      let kind = read.json.kind
      let isAndroids = read.json.arrayValue?.first?["target"] != nil
      let isEncodedTwice = read.json.isEncodedTwice
      return add(
        .notObject, at: .root,
        "The file is \(kind) but must be an object. Devices ignore it."
          + (isAndroids ? " It has statements, as Android's file has." : ""),
        help: isAndroids
          ? "Serve it as assetlinks.json, and Apple's file here."
          : isEncodedTwice
            ? "It is JSON in a string, so it was encoded twice. Publish the text of the string."
            : "Write an object with `applinks` or another service.")
    }
    if let error = links.complexity {
      found.add(error.finding)
      isTooComplex = true
      if links.isTooLarge { return }
    }
    if let answer = read.json.errorAnswer {
      return add(
        .noService, at: .root, "The file names no service, so it has no effect. \(answer.sentence)",
        help: answer.help)
    }
    for value in read.allUnread { addUnread(value) }
    if !DocumentPart.services.contains(where: { root[$0] != nil }) {
      let others = DocumentPart.appListServices.joined(separator: ", ")
      add(
        .noService, at: .root,
        "The file names no service, so it has no effect."
          + (OtherFile(root).map { " \($0.sentence)" } ?? ""),
        help: root.misspelling(of: DocumentPart.services)?.help
          ?? (root["details"] != nil
            ? "Write `{\"applinks\": {\"details\": …}}`: `details` belongs in `applinks`." : nil)
          ?? OtherFile(root)?.help ?? "Add `applinks` or another service: \(others).")
    }
    for service in read.services { inspectService(service) }
    if let applinks = links.json { inspectApplinks(applinks) }
  }

  private mutating func inspectService(_ service: ReadDocument.Service) {
    if let apps = service.apps {
      inspectApps(
        apps, withoutApp: Self.effects[service.name] ?? "the service does not apply to it")
    }
    if service.json["apps"] ?? [] != [] { return }
    add(
      .entryWithoutApp, severity: .warning, at: service.pointer,
      "`\(service.name)` names no app, so it applies to none.",
      help: "List app identifiers in `apps`, or remove `\(service.name)`.")
  }

  /// What it means that a service names no app, or another one.
  private static let effects = [
    "webcredentials": "the app gets no passwords and passkeys of the domain",
    "appclips": "no App Clip opens",
    "activitycontinuation": "Handoff from the browser does not reach the app",
    "authsrv": "the app cannot sign people in by single sign-on",
    "messagefilter": "the app's message filter cannot ask the server",
    "classificationreport": "the app's reports of spam do not reach the server",
  ]

  private mutating func inspectApplinks(_ applinks: JSON.Object) {
    if let apps = links.apps, !apps.elements.isEmpty {
      add(
        .appsNotEmpty, at: apps.pointer,
        "`applinks.apps` lists \(apps.elements.count.counted("app")). iOS 12 and earlier require an"
          + " empty array here and may reject the file; later systems ignore it.",
        help: "Write `\"apps\": []` or remove it. Apps belong in `details`.")
    }
    if !isTooComplex { inspectVariables() }
    if let defaults = links.defaults { inspectDefaults(defaults) }
    let details = AppLinks.pointer.appending("details")
    switch applinks["details"] {
    case nil:
      add(
        .noDetails, at: AppLinks.pointer, "`applinks` has no `details`, so no link opens an app.",
        help: applinks.misspelling(of: ["details"])?.help
          ?? "Add `details`, an array of entries with `appIDs` and `components`.")
    case .array([])?:
      add(
        .emptyDetails, at: details, "No app yet: no link opens an app.",
        help: "Add an app with its routes: an entry in `details`.")
    case let entry? where entry.isEntry:
      add(
        .detailsDictionary, severity: .error, at: details,
        "`details` is one entry without the array around it, so no link opens an app.",
        help: "Write `[` before the entry and `]` after it.")
    case .object?:
      add(
        .detailsDictionary, at: details,
        "`details` is an object keyed by app, a form of 2015 that Apple calls obsolete. The order of"
          + " the apps is undefined, and current systems may not read it.",
        help: "Write an array of entries with `appIDs` and `components`.")
    default: break
    }
    for entry in links.entries { inspectEntry(entry) }
    addPublicComments()
  }

  // MARK: - Unread values

  private mutating func addUnread(_ unread: UnreadValue) {
    let json = read.json
    switch unread.reason {
    case .noEffect, .malformed, .missing: break
    case .unknownKey:
      add(
        .unknownKey, at: unread.pointer,
        "\(unread.key.quoted) has no meaning in \(unread.part.name). Devices ignore it.",
        help: unread.advice(in: json))
    case .wrongType(let expected) where unread.part == .route || unread.part == .defaults:
      add(
        .wrongValueType, at: unread.pointer,
        "`\(unread.key)` is \(unread.value.kind) but must be \(expected). Apple does not document the"
          + " effect; devices probably ignore the key.",
        help: unread.remedy(in: json) ?? "Write \(expected), or remove the key.")
    case .wrongType(let expected):
      let subject = (unread.isElement ? "An element of " : "") + "`\(unread.key.shown)`"
      add(
        .wrongType, at: unread.pointer,
        "\(subject) is \(unread.value.kind) but must be \(expected). Devices cannot read it and may"
          + " ignore the whole file.",
        help: unread.remedy(in: json) ?? "Write \(expected).")
    }
  }

  // MARK: - Names

  /// Reports a missing sibling of a domain, with or without `www.`, because people type both. It may be a domain of its
  /// own, which is not known here.
  mutating func inspectNames(_ context: Linter.Context) {
    inspectInternationalizedNames(context)
    let labels = context.domain.split(separator: ".").map(String.init)
    guard labels.count >= 2, labels.first != "*" else { return }
    let parent = labels.dropFirst().joined(separator: ".")
    if labels[0] == "www" {
      if RegistrableName(parent)?.text == parent, !context.names.contains(parent) {
        addMissing(.apexSiblingMissing, parent, context)
      }
    } else if RegistrableName(context.domain)?.text == context.domain {
      let sibling = "www.\(context.domain)"
      if context.names.contains(sibling) || context.names.contains("*.\(context.domain)") { return }
      addMissing(.wwwSiblingMissing, sibling, context)
    }
  }

  /// Reports names with other letters than those of ASCII: devices are said not to fetch their files.
  private mutating func inspectInternationalizedNames(_ context: Linter.Context) {
    let names = context.names.filter(DomainName.isInternationalized)
    guard let first = names.first else { return }
    let others = names.count == 1 ? "" : " and \((names.count - 1).counted("other name"))"
    add(
      .internationalizedName, at: .root,
      "\(DomainName.internationalizedReport) This concerns \(first)\(others).",
      help: DomainName.internationalizedHelp)
  }

  private mutating func addMissing(
    _ code: Finding.Code, _ sibling: String, _ context: Linter.Context
  ) {
    add(
      code, at: .root,
      "The file is published for \(context.domain), and not also for \(sibling). Unless that has a file of its"
        + " own, links to it stay in the browser.",
      help: "Add \(sibling) as an alias if it serves links and the app's entitlement names it.")
  }
}

extension UnreadValue {
  /// How to correct a value of the wrong type; `nil` if that is not obvious.
  func remedy(in file: JSON) -> String? {
    guard case .wrongType(let expected) = reason else { return nil }
    if isElement, key == "paths", case .object = value {
      return object(in: file)?["components"] == nil
        ? "Rename `paths` to `components`, whose elements are objects."
        : "Move it to `components`, whose elements are objects."
    }
    if isElement, key == "components", case .string(let text) = value, text.utf8.count <= 60 {
      let isExclusion = text.hasPrefix("NOT ")
      let path = (isExclusion ? String(text.dropFirst(4)) : text).quoted
      return "Write `{\"/\": \(path)\(isExclusion ? ", \"exclude\": true" : "")}`."
    }
    if isElement { return remedyForElement }
    switch (key, value) {
    case ("/", .array(let list)) where part == .route:
      let paths = list.compactMap(\.stringValue)
      if paths.isEmpty || paths.count != list.count { return nil }
      let routes = paths.prefix(3).map { "`{\"/\": \($0.quoted)}`" }.joined(separator: ", ")
      return "Write an element of `components` for each: \(routes)\(paths.count > 3 ? "…" : ".")"
    case ("?", .array(let list)) where part == .route:
      let items = list.compactMap(\.objectValue).flatMap(\.members)
      var object: JSON.Object = [:]
      for item in items.prefix(4) { object[item.key] = item.value }
      if items.isEmpty || list.contains(where: { $0.objectValue == nil })
        || object.members.count != items.count || items.count > 3
      {
        return "Write one object of names and patterns, such as `{\"id\": \"?*\"}`."
      }
      return "Write one object: `\(JSON.object(object).text)`."
    case (_, .string(let text)) where expected == "true or false":
      let word = text.lowercased()
      return ["true", "false"].contains(word) ? "Write `\(word)` without quotation marks." : nil
    case (_, .number("1")) where expected == "true or false": return "Write `true`."
    case (_, .number("0")) where expected == "true or false": return "Write `false`."
    case ("apps", _) where part == .applinks:
      return "Write `[]`, or remove it. Apps belong in `details`."
    case (_, .string("")): return nil
    case ("appID", .array(let apps)) where part == .entry:
      if let listed = object(in: file)?["appIDs"]?.arrayValue {
        return apps.allSatisfy(listed.contains)
          ? "Remove `appID`: `appIDs` names the same."
          : "Remove `appID`, and name its apps in `appIDs`, too."
      }
      let only = apps.count == 1 ? apps[0].stringValue : nil
      return "Rename the key to `appIDs`, which takes a list"
        + (only.map { ", or write the string \($0.quoted)" } ?? "") + "."
    case (_, .string(let text)) where expected == "an array" && key != "details":
      if text.elements.contains(where: { $0.utf8.count > 60 }) {
        return "Write `[` before the text and `]` after it."
      }
      return "Write `[\(text.elements.map(\.quoted).joined(separator: ", "))]`."
    case ("components", .object): return "Write `[` before the object and `]` after it."
    case (_, .array(let apps))
    where part == .document && DocumentPart.appListServices.contains(key):
      return apps.allSatisfy { $0.stringValue != nil }
        ? "Write the list as `{\"apps\": […]}`." : nil
    default: return nil
    }
  }
}

extension UnreadValue {
  /// How to correct an element of a list; `nil` if that is not obvious.
  private var remedyForElement: String? {
    switch (key, value) {
    // The obsolete form, whose keys are the apps.
    case ("details", .array(let list))
    where pointer.keys.last.flatMap { Int($0) } == nil && list.allSatisfy { $0.stringValue != nil }:
      return "Write the list as `{\"paths\": […]}`."
    case ("apps", .object(let object)), ("appIDs", .object(let object)):
      let apps = object.members.compactMap { $0.value.stringValue }
        .filter { AppIdentifier(usable: $0)?.hasUsualPrefix == true }
      return apps.count == 1 ? "Write the string \(apps[0].quoted)." : nil
    default: return nil
    }
  }

  /// What to do about an unknown key of a file: use the known one that it resembles, or move it.
  func advice(in file: JSON) -> String {
    knownAdvice(in: file)
      ?? "Remove it, unless something other than \(part.kind.readers) reads it."
  }

  /// What to do about an unknown key that resembles a known one, or belongs elsewhere; `nil` for any other.
  func knownAdvice(in file: JSON) -> String? {
    let object = object(in: file)
    if part == .service, DocumentPart.isForApps(key) {
      let hasEntries = value.arrayValue?.contains { $0.objectValue != nil } == true
      if object?["apps"] != nil {
        return hasEntries
          ? "Remove it: this service only lists apps. Routes belong in `applinks`."
          : "Remove it: the object has `apps`, too."
      }
      return value.arrayValue?.allSatisfy { $0.stringValue != nil } == true
        ? "Rename it to `apps`."
        : "List the app identifiers in `apps`, such as `\"apps\": [\"ABCDE12345.com.example.app\"]`."
    }
    let bare = key.filter { !$0.isWhitespace }
    if bare != key, part.members.contains(where: { $0.key == bare }) {
      return "Write `\(bare)`, without the space."
    }
    if part == .route || part == .rule, !key.hasPrefix("//"),
      key.hasPrefix("/") || key.hasPrefix("*")
    {
      return object?["/"] == nil
        ? "Write `\"/\": \(key.quoted)`." : "Write an element of its own: `{\"/\": \(key.quoted)}`."
    }
    if part == .entry || part == .keyedEntry, let advice = adviceOnExclusions(object) {
      return advice
    }
    if part == .entry, AppIdentifier(usable: key)?.hasUsualPrefix == true,
      object?["appID"] == nil, object?["appIDs"] == nil
    {
      return "Write `\"appID\": \(key.quoted)`, and what it has beside it."
    }
    let similar = part.members.filter { DocumentPart.resemble(key, $0.key) }
    if let similar = similar.first(where: { $0.key.lowercased() == key.lowercased() })
      ?? similar.first
    {
      return object?[similar.key] == nil
        ? "Write `\(similar.key)` if that is what you mean."
        : "Remove it: the object has `\(similar.key)`, too."
    }
    return part.advice(on: key)
  }

  /// What to do about a list of exclusions that an entry has under a key of its own; `nil` for anything else.
  private func adviceOnExclusions(_ entry: JSON?) -> String? {
    let names = [
      "exclude", "excludes", "excluded", "exclusions", "excludepaths", "excludedpaths", "not",
      "notpaths", "pathsexcluded",
    ]
    guard names.contains(key.lowercased().filter(\.isLetter)) else { return nil }
    let paths = value.arrayValue?.compactMap(\.stringValue) ?? [value.stringValue ?? ""]
    guard let path = paths.first, !path.isEmpty else { return nil }
    let bare = path.hasPrefix("NOT ") ? String(path.dropFirst(4)) : path
    let route = "NOT \(bare)".quoted
    return entry?["paths"] != nil
      ? "Write each in `paths`, as in `\(route)`, before the paths that it restricts."
      : "Write each in `components`, as in `{\"/\": \(bare.quoted), \"exclude\": true}`, before the routes that it"
        + " restricts."
  }

  /// The object that the value belongs to.
  private func object(in file: JSON) -> JSON? { file.value(atKeys: pointer.keys.dropLast()) }
}

extension JSON {
  /// What is at a place of the value; `nil` if nothing is.
  func value(at pointer: JSONPointer) -> JSON? { value(atKeys: pointer.keys[...]) }

  fileprivate func value(atKeys keys: ArraySlice<String>) -> JSON? {
    keys.reduce(self as JSON?) { value, key in
      value?[key]
        ?? value?.arrayValue.flatMap { list in
          Int(key).flatMap { list.indices.contains($0) ? list[$0] : nil }
        }
    }
  }
}

extension String {
  /// The elements of a list that was written as one text, with commas, semicolons or spaces between them; the
  /// whole text if it is none.
  var elements: [String] {
    let elements = split { $0 == "," || $0 == ";" || $0.isWhitespace }
    return elements.count > 1 ? elements.map(String.init) : [self]
  }
}

extension DocumentPart {
  /// Whether a key of a service was meant to list its apps: `details` does in `applinks`.
  fileprivate static func isForApps(_ key: String) -> Bool {
    ["appids", "appid", "app", "apps", "appidentifiers", "identifiers", "bundleids", "details"]
      .contains { $0.utf8.elementsEqual(key.lowercased().utf8.filter(\.isASCIILetter)) }
  }

  /// What to do about an unknown key that resembles no known one; `nil` if no part has it.
  fileprivate func advice(on key: String) -> String? {
    let homes = Self.parts(of: kind).filter { $0.type(of: key) != nil }
    if let other = homes.last(where: { $0.place == place }) {
      return
        "Remove it: only \(other == .entry ? "an element of a list `details`" : other.name) has it."
    }
    guard let home = homes.first else { return nil }
    return self == .service
      ? "Remove it: this service only lists apps. Routes belong in `applinks`."
      : "Move `\(key)` to \(home.name), where it belongs."
  }

  /// The part of which this is one form.
  private var place: DocumentPart {
    switch self {
    case .keyedEntry: .entry
    case .include: .statement
    case .appTarget, .siteTarget: .target
    default: self
    }
  }

  /// Whether one could be a misspelling of the other.
  static func resemble(_ key: String, _ known: String) -> Bool {
    let letters = { (text: String) in
      Array(text.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") })
    }
    let aliases = [
      "path": "/", "pathname": "/", "query": "?", "querystring": "?", "fragment": "#", "hash": "#",
      "excluded": "exclude", "not": "exclude", "apps": "appIDs",
      "app": "appID", "comments": "comment", "variables": "substitutionVariables",
      "package": "package_name", "fingerprints": "sha256_cert_fingerprints",
      "components": "dynamic_app_link_components",
    ]
    if aliases[key.lowercased()] == known { return true }
    guard known.utf8.count > 3, key.utf8.count < 100 else { return false }
    return editDistance(letters(key), letters(known)) <= known.utf8.count / 4
  }
}

extension JSON {
  /// Whether it is a string with an object or a list of JSON.
  var isEncodedTwice: Bool {
    guard let text = stringValue?.utf8.drop(while: { " \t\r\n".utf8.contains($0) }) else {
      return false
    }
    return "{[".utf8.contains { text.first == $0 }
  }
}
