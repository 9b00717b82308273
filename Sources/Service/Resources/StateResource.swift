package import Association
package import Publishing
package import Store

/// A desired state in JSON: `{"apps": […], "domains": […]}`, as in `GET /v1/export` and in files.
package enum StateResource {
  static let schemas: JSON.Object = [
    "State": (exportedApps + [Member("domains", .list(of: .shared("ExportedDomain")))]).schema(),
    "StateHashes":
      (exportedApps + [
        Member(
          "domains",
          .list(of: .named("DomainHash", .object(hashFields.members()))))
      ]).schema("What an export has, without the domains themselves."),
    "DesiredState": [
      Member("apps", .list(of: .shared("AppOfState"))),
      Member("androidApps", .list(of: .shared("AndroidAppOfState"))),
      Member("templates", .list(of: .shared("TemplateOfState"))),
      Member("domains", .list(of: .shared("DomainOfState"))),
      Member(
        "keep", .list(of: .domain),
        "Domains that stay as they are. With `prune`, the state must list every domain to keep, here "
          + "or in `domains`."),
      Member(
        "delete", .list(of: .domain),
        "Domains to delete. Names of domains that do not exist are ignored."),
    ].schema("The desired apps and domains.", for: .request),
  ]

  private static let exportedApps = [
    Member("apps", .list(of: .shared("ExportedApp"))),
    Member(
      "androidApps", .list(of: .shared("ExportedAndroidApp")), "Left out if there are none.",
      .optional),
    Member(
      "templates", .list(of: .shared("TemplateOfState")), "Left out if there are none.", .optional),
  ]

  /// A domain as it is exported: without row identifiers, so that the text is the same wherever the
  /// domain has this revision.
  package static func json(_ stored: StoredDomain) -> JSON {
    var stored = stored
    stored.domain.associationFile.entries.removeRowIDs()
    return .object(DomainResource.exported(stored))
  }

  /// The file of an element of an export, as `aasa export DIR` writes it.
  package static func file(_ element: JSON) -> [UInt8] { Array(element.prettyPrinted().utf8) }

  private static let hashFields: [Field<StateReader.Item>] = [
    Field("domain", .domain, get: \.name),
    Field("revision", .revision, get: \.revision, "The current revision."),
    Field(
      "sha256", .sha256, "The SHA-256 of its file.", write: { .optional($0.sha256) }),
  ]

  /// What an export of hashes has of a domain.
  package static func hash(_ item: StateReader.Item) -> JSON {
    .object(hashFields.json(of: item))
  }

  /// Tells apart the ways in which versions of this program write files of exports.
  package static let form: String = {
    let app = AppIdentifier(stored: "ABCDE12345.com.example")
    var domain = Domain(name: DomainName(stored: "example.com"), aliases: [])
    domain.associationFile.entries = [Entry(apps: [app], routes: [Route(path: "/")])]
    return SHA256.hexadecimal(of: file(json(StoredDomain(domain, revision: 1))))
  }()

  /// Reads a whole state in one text, as if nothing was stored.
  package static func read(
    _ input: BodyValue
  ) -> (apps: [App], androidApps: [AndroidApp], templates: [Template], domains: [Domain])? {
    guard let object = input.object(["apps", "androidApps", "templates", "domains"]) else {
      return nil
    }
    func apps<Key>(_ resource: AppResource<Key>) -> [Key.App] {
      let apps = object[resource.list]?.list(atMost: StateReading.itemLimit) { resource.read($0) }
      return (apps ?? []).map { $0.app(over: nil) }
    }
    let domains = object["domains"]?.list(atMost: StateReading.itemLimit) {
      DomainResource.read($0, over: nil)?.domain
    }
    let templates = object["templates"]?.list(atMost: StateReading.itemLimit) {
      TemplateResource.read($0)
    }
    return (apps(.apple), apps(.android), templates ?? [], domains ?? [])
  }

  /// The text of an export, made piece by piece.
  ///
  /// - Parameter domains: Returns the next domains, and none at the end.
  package static func text(
    of reader: StateReader, domains: @escaping () throws -> [JSON]
  ) -> StreamedLists {
    func list<Key>(_ apps: [StoredApp<Key>], _ resource: AppResource<Key>) -> StreamedLists.List {
      .batches(resource.list, of: apps) { JSON.object(resource.exported($0.app)).serialized() }
    }
    return StreamedLists(
      [list(reader.apps, .apple)]
        // Left out, because earlier versions do not know it.
        + (reader.androidApps.isEmpty ? [] : [list(reader.androidApps, .android)])
        + (reader.templates.isEmpty
          ? []
          : [
            .batches("templates", of: reader.templates) {
              StoredTemplateResource.exported($0).serialized()
            }
          ])
        + [StreamedLists.List(key: "domains") { try domains().map { $0.serialized() } }])
  }
}

/// Reads the elements of a state as they come. Of a domain only the name is kept: the domain is read over
/// the stored one, when that is known.
package struct StateReading {
  /// The maximum number of apps, of domains, and of kept domains.
  package static let itemLimit = 200_000

  package let faults = Faults()
  package private(set) var apps: [DesiredApp<AppIdentifier>] = []
  package private(set) var androidApps: [DesiredApp<PackageName>] = []
  package private(set) var templates: [Template] = []
  /// The revisions that these were made from, as far as the state names them.
  package private(set) var templateRevisions: [TemplateName: Int] = [:]
  package private(set) var domains: [DomainName] = []
  package private(set) var kept: Set<DomainName> = []
  package private(set) var deleted: [DomainName] = []
  /// The template of whose domains the state is a table; `nil` for any other state.
  package var table: Template?
  private var knownApps: Set<LinkedApp> = []
  private var knownDomains: Set<DomainName> = []
  private var knownTemplates: Set<TemplateName> = []
  /// The number of elements of each list so far.
  private var counts: [String: Int] = [:]

  package init() {}

  /// Reads an element of a member of the state.
  ///
  /// - Returns: Whether it is the next of `domains`.
  package mutating func add(_ json: JSON, to key: String) -> Bool {
    let index = counts[key, default: 0]
    counts[key] = index + 1
    if index >= Self.itemLimit {
      if index > Self.itemLimit { return false }
      faults.add(
        .tooMany, at: .root.appending(key),
        "The list has more than \(index) elements. The server keeps a plan of all of them in memory, so this is the limit. "
          + "Apply the state in parts, without pruning.")
      return false
    }
    let pointer = JSONPointer.root.appending(key).appending(index)
    let body = BodyValue(json: json, pointer: pointer, faults: faults)
    defer { faults.element = nil }
    switch key {
    case AppResource.apple.list:
      if let app = app(.apple, body) { apps.append(app) }
      return false
    case AppResource.android.list:
      if let app = app(.android, body) { androidApps.append(app) }
      return false
    case "templates":
      faults.element = json["template"]?.stringValue.map { Fault.Element("template", $0) }
      guard let template = TemplateResource.read(body) else { return false }
      if !knownTemplates.insert(template.name).inserted {
        return isRepeated(template.name.text, body)
      }
      templates.append(template)
      templateRevisions[template.name] =
        body.object()?["revision"].flatMap(Coding<Int>.revision.read)
      return false
    case "domains":
      faults.element = json["domain"]?.stringValue.map { Fault.Element("domain", $0) }
      guard let name = json["domain"]?.stringValue.flatMap(DomainName.init(usable:)) else {
        // Names all its faults.
        _ = DomainResource.read(body, over: nil)
        return false
      }
      if !knownDomains.insert(name).inserted { return isRepeated(name.text, body) }
      domains.append(name)
      return true
    case "keep":
      if let name = body.parse(DomainName.init(_:)) { kept.insert(name) }
      return false
    case "delete":
      guard let name = body.parse(DomainName.init(_:)) else { return false }
      if !knownDomains.insert(name).inserted { return isRepeated(name.text, body) }
      deleted.append(name)
      return false
    default: return false
    }
  }

  private mutating func app<Key>(
    _ resource: AppResource<Key>, _ body: BodyValue
  ) -> DesiredApp<Key>? {
    faults.element = body.json[resource.key]?.stringValue.map { Fault.Element(resource.key, $0) }
    guard let app = resource.read(body) else { return nil }
    if !knownApps.insert(app.id.id).inserted {
      _ = isRepeated(app.id.text, body)
      return nil
    }
    return app
  }

  private func isRepeated(_ name: String, _ body: BodyValue) -> Bool {
    body.fault(.repeated, "\"\(name)\" is listed twice.")
    return false
  }

  /// Reads a line of NDJSON: an app, an Android app, a template, a domain, `{"keep": […]}` or
  /// `{"delete": […]}`.
  ///
  /// - Returns: Whether it is the next of `domains`.
  package mutating func add(line json: JSON, number: Int) -> Bool {
    if json["domain"] != nil { return add(json, to: "domains") }
    if json["app"] != nil { return add(json, to: "apps") }
    if json["package"] != nil { return add(json, to: "androidApps") }
    if json["template"] != nil { return add(json, to: "templates") }
    let list = json.objectValue?.members.first
    guard let list, ["keep", "delete"].contains(list.key), let names = list.value.arrayValue,
      json.objectValue?.members.count == 1
    else {
      faults.add(
        .missingMember, at: .root,
        "Line \(number) is neither an app nor a domain: it needs \"app\", \"package\", \"template\", "
          + "\"domain\", \"keep\" or \"delete\".")
      return false
    }
    for name in names { _ = add(name, to: list.key) }
    return false
  }

  /// Checks a state in one JSON text.
  ///
  /// - Parameter rest: The text without the elements of its lists.
  package func check(_ rest: JSON) {
    let body = BodyValue(json: rest, pointer: .root, faults: faults)
    let keys = ["apps", "androidApps", "templates", "domains", "keep", "delete"]
    guard let object = body.object(keys) else { return }
    for key in keys { _ = object[key]?.list { _ in true } }
  }
}
