import Association

/// The tables that store a domain, with each column declared once. `migrations/` creates them.
enum DomainTables {
  static let domain = Table(
    "domain", keys: ["revision", "created_at", "updated_at", "linted_by", "last_entry"],
    blank: Domain(name: DomainName(stored: "")), isLarge: true,
    columns: [
      Column("is_enabled", \.isEnabled),
      Column("format", \.format),
      Column("cache_seconds", \.cacheSeconds),
      Column("environment", \.environment),
      Column("is_strict", \.isStrict),
      Column("is_protected", \.isProtected),
      Column("managed_by", \.managedBy),
      Column("details_form", \.associationFile.detailsForm),
      // The apps themselves are in `applinks_app`, which is read before.
      Column("has_apps") {
        .bool($0.associationFile.apps != nil)
      } read: { row, column, domain in
        if !row.bool(column) { domain.associationFile.apps = nil }
      },
      Column("applinks_extra", \.associationFile.applinksExtra),
      Column("extra", \.associationFile.extra),
      Column("has_dynamic_app_links", \.hasDynamicAppLinks),
      Column("assetlinks_extra") {
        .text(JSON.array($0.assetLinksExtra).text)
      } read: { row, column, domain in
        domain.assetLinksExtra = try row.json(column).arrayValue ?? []
      },
      Column("webauthn_extra", \.webAuthnExtra),
      Column("passkey_endpoints") {
        .optional($0.passkeyEndpoints.map { JSON.object($0).text })
      } read: { row, column, domain in
        domain.passkeyEndpoints =
          row.isNull(column) ? nil : try row.json(column).objectValue
      },
      Column("change_password", \.changePassword),
      Column("fallback") {
        .optional($0.fallback.map { FallbackResource.coding.write($0).text })
      } read: { row, column, domain in
        if row.isNull(column) { return }
        guard let fallback = FallbackResource.read(record: try row.json(column)) else {
          throw UnreadableColumn(text: row.text(column))
        }
        domain.fallback = fallback
      },
      // For servers, with the targets of routes.
      Column("served_fallback") {
        .optional(ServedFallback.text(of: $0))
      } read: { _, _, _ in
      },
      Column("template") {
        .optional($0.template?.name.text)
      } read: { row, column, domain in
        domain.template = row.optionalText(column).map { TemplateUse(TemplateName(stored: $0)) }
      },
      Column("template_use") {
        .optional($0.template.map { JSON.object(DomainResource.record($0)).text })
      } read: { row, column, domain in
        if row.isNull(column) { return }
        domain.template = DomainResource.templateUse(record: try row.json(column))
      },
    ])

  /// A domain's own name at position 0, then its aliases.
  static let name = Table(
    "domain_name", keys: ["domain_id", "position"], blank: Alias(stored: ""),
    columns: [Column("name", \.self)])

  static let applinksApp = Table(
    "applinks_app", keys: ["domain_id", "position"], blank: "", columns: [Column("value", \.self)])

  /// Lists whose elements are rows of one table.
  static let lists = [
    DomainList(expectation, \.expectations),
    DomainList(androidCredential, \.androidCredentials),
    DomainList(webAuthnOrigin, \.webAuthnOrigins),
    DomainList(label, \.labels),
    DomainList(namedDocument, \.namedDocuments),
  ]

  private static let expectation = Table(
    "expectation", keys: ["domain_id", "position"],
    blank: Expectation(url: "", app: AppIdentifier(stored: ""), resolution: .match),
    columns: [
      Column("url", \.url),
      .app(\.app.storedIdentifier),
      Column("package") {
        .optional($0.app.package?.text)
      } read: { row, column, expectation in
        if let package = row.optionalText(column).flatMap({ PackageName($0) }) {
          expectation.app = .android(package)
        }
      },
      Column("resolution", \.resolution),
    ])

  private static let androidCredential = Table(
    "android_credential", keys: ["domain_id", "position"], blank: PackageName(stored: ""),
    columns: [.androidApp])

  private static let webAuthnOrigin = Table(
    "webauthn_origin", keys: ["domain_id", "position"], blank: WebOrigin(stored: ""),
    columns: [Column("origin", \.self)])

  private static let namedDocument = Table(
    "named_document", keys: ["domain_id", "position"],
    blank: NamedDocument(stored: DocumentName(stored: ""), .bytes, bytes: []),
    columns: [
      Column("name", \.name),
      Column("media_type", \.mediaType),
      Column("content") {
        .blob($0.bytes)
      } read: { row, column, document in
        document = NamedDocument(
          stored: document.name, document.mediaType, bytes: row.blob(column))
      },
    ])

  static let label = Table(
    "domain_label", keys: ["domain_id", "position"], blank: Label(stored: ""),
    columns: [Column("label", \.self)])

  static let variable = Table(
    "substitution_variable", keys: ["domain_id", "position"], blank: "", isLarge: true,
    columns: [Column("name", \.self)])

  static let variableValue = Table(
    "substitution_value", keys: ["variable_id", "position"], blank: "",
    columns: [Column("value", \.self)])

  /// A service besides applinks; its apps are in `service_app`.
  struct Service {
    var name = AssociationFile.Service.webcredentials
    var extra: JSON.Object = [:]
  }

  static let service = Table(
    "service", keys: ["domain_id"], blank: Service(), isLarge: true,
    columns: [Column("name", \.name), Column("extra", \.extra)])

  static let serviceApp = Table(
    "service_app", keys: ["service_id", "position"], blank: AppIdentifier(stored: ""),
    columns: [.app(\.self)])

  /// Defaults belong to a domain or to an entry.
  static let defaults = Table(
    "defaults", keys: ["domain_id", "entry_id"], blank: Defaults(),
    columns: [
      Column("case_sensitive", \.caseSensitive), Column("percent_encoded", \.percentEncoded),
      Column("extra", \.extra),
    ])

  static let entry = Table(
    "entry", keys: ["domain_id", "position", "last_route"], blank: Entry(), isLarge: true,
    columns: [
      Column("number", \.id),
      Column("has_app_id", \.keys.appID),
      Column("has_app_ids", \.keys.appIDs),
      Column("has_components", \.keys.components),
      Column("has_paths", \.keys.paths),
      .app(\.appID),
      Column("extra", \.extra),
    ])

  static let entryApp = Table(
    "entry_app", keys: ["entry_id", "position"], blank: AppIdentifier(stored: ""),
    columns: [.app(\.self)])

  static let entryAndroidApp = Table(
    "entry_android_app", keys: ["entry_id", "position"], blank: PackageName(stored: ""),
    columns: [.androidApp])

  static let legacyPath = Table(
    "legacy_path", keys: ["entry_id", "position"], blank: LegacyPath(""),
    columns: [Column("pattern", \.pattern), Column("exclude", \.exclude)])

  static let route = Table(
    "route", keys: ["entry_id", "position"], blank: Route(), isLarge: true,
    columns: [
      Column("number", \.id),
      Column("path", \.path),
      Column("query") {
        if case .pattern(let pattern) = $0.query { .text(pattern) } else { .null }
      } read: { row, column, route in
        route.query = row.optionalText(column).map { .pattern($0) }
      },
      // The items themselves are in `query_item`.
      Column("has_query_items") {
        if case .items = $0.query { .bool(true) } else { .bool(false) }
      } read: { row, column, route in
        if row.bool(column) { route.query = .items([]) }
      },
      Column("fragment", \.fragment),
      Column("exclude", \.exclude),
      Column("case_sensitive", \.caseSensitive),
      Column("percent_encoded", \.percentEncoded),
      Column("comment", \.comment),
      Column("extra", \.extra),
      Column("fallback") {
        .optional($0.fallback?.text)
      } read: { row, column, route in
        guard let text = row.optionalText(column) else { return }
        do throws(ValidationError) {
          route.fallback = try LinkTarget(text)
        } catch {
          throw UnreadableColumn(text: text)
        }
      },
    ])

  static let queryItem = Table(
    "query_item", keys: ["route_id", "position"], blank: Route.Query.Item(name: "", value: .null),
    columns: [
      Column("name", \.name),
      Column("pattern") {
        .optional($0.value.stringValue)
      } read: { row, column, item in
        if let pattern = row.optionalText(column) { item.value = .string(pattern) }
      },
      // A value that is not a string, as JSON.
      Column("other") {
        $0.value.stringValue == nil ? .text($0.value.text) : .null
      } read: { row, column, item in
        if !row.isNull(column) { item.value = try row.json(column) }
      },
    ])
}

extension LinkedApp {
  /// The Apple app of a row; `nil` if the row has a package.
  fileprivate var storedIdentifier: AppIdentifier? {
    get { identifier }
    set { if let newValue { self = .ios(newValue) } }
  }
}

/// A list of a domain whose elements are rows of one table.
struct DomainList: Sendable {
  let table: String
  let load: @Sendable (inout [Int64: Domain], DomainReading) throws -> Void
  /// Writes the rows of the second domain if those of the first differ.
  let save: @Sendable (Domain?, Domain, _ id: Int64, any Connection) throws -> Void

  init<Element>(
    _ table: Table<Element>, _ list: any WritableKeyPath<Domain, [Element]> & Sendable
  ) {
    self.table = table.name
    load = { domains, reading in
      for (id, elements) in try reading.list(table) { domains[id]?[keyPath: list] = elements }
    }
    save = { old, new, id, connection in
      try table.replace(
        old?[keyPath: list] ?? [], by: new[keyPath: list], of: id, connection)
    }
  }
}

extension Table {
  /// The rows of a domain, in their order.
  func list(of domain: Int64, _ connection: any Connection) throws -> [Root] {
    try DomainReading([domain], connection).list(self)[domain] ?? []
  }
}
