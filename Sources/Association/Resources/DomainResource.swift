package enum DomainResource {
  /// The maximum number of aliases of a domain.
  private static let aliasLimit = 1000

  package static let fields: [Field<StoredDomain>] = {
    let services: [Field<StoredDomain>] = AssociationFile.Service.allCases.map(service)
    let all: [[Field<StoredDomain>]] = [
      settings, templates, applinks, services, otherKinds, others,
    ]
    // A domain with a template leaves out what is not its own.
    return all.flatMap(\.self).map {
      TemplatePlace.members[$0.member.name] == nil ? $0 : $0.adding(.optional)
    }
  }()

  /// The members that a template can give.
  static let shared = fields.filter { TemplatePlace.members[$0.member.name] != nil }

  /// The members of an exported domain, of which those that its template gives are `null`.
  package static let exportedMembers = fields.members().map { member in
    var member = member
    if TemplatePlace.members[member.name] != nil { member.traits.insert(.nullFromTemplate) }
    return member
  }

  /// What an answer with everything that is in force has besides.
  package static let sources = Member(
    "sources", .object,
    "With `resolved=true`, where each member comes from: `domain` or `template`; of lists that both have, for each "
      + "element. Left out for a domain without a template.", .optional)

  /// The members, besides entries and expectations, that are a domain's own. In their order, because some are read over
  /// others.
  static func owned(by use: TemplateUse) -> [Field<StoredDomain>] {
    use.ownMembers.isEmpty
      ? unshared
      : fields.filter { field in
        let name = field.member.name
        return TemplatePlace.members[name] == nil || use.ownMembers.contains(name)
      }
  }

  /// The members that no template can give.
  private static let unshared = fields.filter { TemplatePlace.members[$0.member.name] == nil }

  /// The members that come from the template, besides entries and expectations.
  static func shared(besides use: TemplateUse) -> [Field<StoredDomain>] {
    use.ownMembers.isEmpty
      ? ownable : ownable.filter { !use.ownMembers.contains($0.member.name) }
  }

  /// The members that a template or the domain can give.
  private static let ownable = shared.filter { TemplatePlace.ownable.contains($0.member.name) }

  private static let templates: [Field<StoredDomain>] = [
    Field(
      "template", .shared("TemplateName"),
      "The template that the domain uses. Members that are left out come from it; own `entries` and `expectations` "
        + "come before those of the template.", .optional,
      write: { $0.domain.template.map { .string($0.name.text) } },
      read: { body, root in
        root.domain.template = Coding.template.read(body).map { TemplateUse($0) }
      }),
    Field(
      "parameters", .object,
      "The values of the template's parameters, by name. `null` is no value: list items and routes that use the "
        + "parameter are left out.", .optional,
      write: { $0.domain.template.map { .object($0.parameters) } },
      read: { body, root in
        guard let members = body.members else { return }
        if root.domain.template == nil && !members.isEmpty {
          body.fault(
            .reservedMember, "\"parameters\" are those of a template. Name it in \"template\".")
        }
        root.domain.template?.parameters = members
      }),
    Field(
      "behindTemplate", .constant(true),
      "True if an edit of the domain's template was not published for it, because it was refused; otherwise left out.",
      [.optional, .local], write: { $0.isBehind ? true : nil }),
  ]

  /// What of a domain with a template is its own, as revisions record it.
  private static let ownership = Field<StoredDomain>(
    "own", .object, "", .optional,
    write: { stored in
      stored.domain.template.map { use in
        .object([
          "members": .strings(use.ownMembers.sorted()), "entries": .integer(use.ownEntries),
          "expectations": .integer(use.ownExpectations),
        ])
      }
    },
    read: { body, root in
      let object = body.object()
      root.domain.template?.ownMembers = Set(object?["members"]?.list(\.string) ?? [])
      root.domain.template?.ownEntries = object?["entries"]?.integer(in: 0...Int.max) ?? 0
      root.domain.template?.ownExpectations = object?["expectations"]?.integer(in: 0...Int.max) ?? 0
    })

  private static let settings: [Field<StoredDomain>] = [
    Field("domain", .domain, \.domain.name, "The name of the domain."),
    Field(
      "unicode", .string, "The name with U-labels, if it has any.", .optional,
      write: {
        let name = $0.domain.name
        return name.unicode == name.text ? nil : .string(name.unicode)
      }),
    Field(
      "aliases", .list(of: .alias, limit: aliasLimit), "Other names that serve the same file.",
      write: { .strings($0.domain.aliases.map(\.description)) },
      read: { body, root in
        root.domain.aliases = readAliases(body, of: root.domain.name) ?? []
      }),
    Field("enabled", .bool, \.domain.isEnabled, "Whether the file is served."),
    Field(
      "format", .words(Domain.Format.self, "DomainFormat"),
      "How entries without their own `keys` are written.",
      write: { .string($0.domain.format.rawValue) },
      read: { body, root in
        guard let format = body.word(Domain.Format.self) else { return }
        root.domain.format = format
        root.domain.associationFile.apps = format.apps
      }),
    Field(
      "cacheSeconds", .integer(in: Domain.cacheSecondsRange), \.domain.cacheSeconds,
      "How long clients may cache the file: the `max-age` of `Cache-Control`, in seconds."),
    Field(
      "environment", .environment, \.domain.environment, "What the domain is for."),
    Field(
      "strict", .bool, \.domain.isStrict,
      "Whether an app of another environment is an error instead of a warning."),
    Field(
      "protected", .bool, \.domain.isProtected,
      "Whether a second person must approve every change of the domain, as a draft. A label can ask for that, too. Left "
        + "out if false, the default.", unless: { !$0 }),
    Field(
      "labels", .labels, \.domain.labels,
      "Words by which domains are chosen, in order. A token can be limited to domains with a label, and then "
        + "cannot change labels. Left out if there are none.", unless: \.isEmpty),
    Field(
      "managedBy", .named(longest: 200), \.domain.managedBy,
      "Where the domain is managed, such as `git: links-repo`. The answer to an edit by anything but `apply` "
        + "repeats it, because the next `apply` may undo the edit."),
  ]

  private static let applinks: [Field<StoredDomain>] = [
    Field(
      "apps", .list(of: .string), "`applinks.apps`, if it differs from what `format` implies.",
      [.optional, .nullInExport],
      write: {
        let apps = $0.domain.associationFile.apps
        return apps == $0.domain.format.apps ? nil : apps.map(JSON.strings)
      },
      read: { body, root in
        if let apps = body.list(\.string) { root.domain.associationFile.apps = apps }
      }),
    Field(
      "details", .word("DetailsForm"), \.domain.associationFile.detailsForm,
      "How `details` is written. `dictionary` is an obsolete form.", .nullInExport,
      unless: { $0 == .array }),
    Field(
      "defaults", .defaults, \.domain.associationFile.defaults, "The defaults for all routes."),
    Field(
      "substitutionVariables",
      .named("SubstitutionVariables", .map(of: .list(of: .string))),
      "Apple: applinks.SubstitutionVariables.",
      write: { writeVariables($0.domain.associationFile.substitutionVariables) },
      read: { body, root in
        root.domain.associationFile.substitutionVariables = readVariables(body) ?? []
      }),
    Field(
      "entries", .list(of: .shared("Entry", export: "ExportedEntry", request: "EntryInput")),
      "Apple: `details`.",
      write: { stored in
        .array(
          stored.domain.associationFile.entries.map {
            EntryResource.json($0, format: stored.domain.format)
          })
      },
      read: { body, root in
        root.domain.associationFile.entries = readEntries(body, root.domain) ?? []
      }),
  ]

  /// What the documents besides Apple's have. Exports leave out what has its default, too, so that those of
  /// domains without such documents stay as they were.
  private static let otherKinds: [Field<StoredDomain>] = [
    Field(
      "androidCredentials", .list(of: .packageName, limit: 10_000), \.domain.androidCredentials,
      "The Android apps that share passwords and passkeys with the domain. Google wants the relation for links "
        + "for passkeys, too, so they get both; those in no entry also get a rule that keeps every link out of "
        + "them on Android 15 and later.", unless: \.isEmpty),
    Field(
      "dynamicAppLinks", .bool, \.domain.hasDynamicAppLinks,
      "Whether the routes are also published for Android. If not, the manifests of the apps alone decide. "
        + "Left out if true, the default.", unless: { $0 }),
    Field(
      "assetlinksExtra", .list(of: .any), \.domain.assetLinksExtra,
      "Other statements of `assetlinks.json`, published unchanged after those of the apps.",
      unless: \.isEmpty),
    Field(
      "webauthnOrigins", .list(of: .origin, limit: 1000), \.domain.webAuthnOrigins,
      "The other origins that may use the domain's passkeys, such as `https://example.co.uk`.",
      unless: \.isEmpty),
    Field(
      "webauthnExtra", .extra(besides: ["origins": { !Domain.areOtherOrigins($0) }]),
      \.domain.webAuthnExtra,
      "Other members of `webauthn`, published unchanged. `origins` here has the elements of an adopted list "
        + "that are not origins, by their index.", unless: \.isEmpty),
    Field(
      "passkeyEndpoints", passkeyEndpoints, \.domain.passkeyEndpoints,
      "The pages on which people create and manage passkeys, published as `passkey-endpoints` for password "
        + "managers. Other members are published unchanged; `{}` says that the domain supports passkeys."
    ),
    Field(
      "changePassword",
      Coding(
        .json([
          "type": "string", "pattern": .string(SecureURL.pattern),
          "maxLength": .integer(SecureURL.longest),
        ]), read: { $0.parse(SecureURL.init(_:)) }, write: { .string($0.text) }),
      \.domain.changePassword,
      "The page on which people change their password: `/.well-known/change-password` redirects to it."
    ),
    Field(
      "documents", NamedDocumentResource.coding, \.domain.namedDocuments,
      "Other documents below `/.well-known/`, by name, published byte for byte: at most "
        + "\(NamedDocument.mostPerDomain).", unless: \.isEmpty),
  ]

  private static let passkeyEndpoints = Coding<JSON.Object>(
    .named(
      "PasskeyEndpoints",
      .json([
        "type": "object",
        "properties": .object(
          PasskeyEndpoints.keys.reduce(into: [:]) {
            $0.appendNew($1, [:])
          }),
      ])), read: { $0.extra(besides: [:]) }, write: { .object($0) })

  private static let others: [Field<StoredDomain>] = [
    Field(
      "extra", .extra(besides: reserved), \.domain.associationFile.extra,
      "Other members of the file, published unchanged.", .nullInExport, unless: \.isEmpty),
    Field(
      "applinksExtra", .extra(besides: reservedInAppLinks), \.domain.associationFile.applinksExtra,
      "Other members of `applinks`, published unchanged.", .nullInExport, unless: \.isEmpty),
    Field(
      "serviceExtra",
      .named(
        "ServiceExtra", request: "ServiceExtraInput",
        .object(
          AssociationFile.Service.allCases.map { Member($0.rawValue, .object, "", .optional) })),
      "Other members of these services, published unchanged. `apps` here has the strings of an adopted "
        + "list that are not app identifiers, by their index.", [.optional, .nullInExport],
      write: { writeServiceExtra($0.domain.associationFile) },
      read: { body, root in readServiceExtra(body, into: &root.domain.associationFile) }),
    Field(
      "fallback", FallbackResource.coding, \.domain.fallback,
      "What people without the app get for every path that is no file's: a redirect, or a page. Left out if there is "
        + "none; then it is 404."),
    Field(
      "expectations", ExpectationResource.listCoding, \.domain.expectations,
      ExpectationResource.list.documentation),
    Field(
      "revision", .revision, \.revision, "The current revision. It is also the `ETag`.",
      .readOnly),
    Field("updatedAt", .time, \.updatedAt, "When the domain last changed.", .kept),
  ]

  /// The members of a domain in a state. In a request, `revision` is the one that the state was made from.
  package static let stateFields = fields.requiring("domain").map {
    $0.member.name == "revision" ? stateRevision : $0
  }

  /// What a domain has of its template, as the database keeps it.
  package static func record(_ use: TemplateUse) -> JSON.Object {
    var domain = Domain(name: DomainName(stored: ""))
    domain.template = use
    return (templates + [ownership]).json(of: StoredDomain(domain))
  }

  /// What `record` wrote; `nil` for anything else.
  package static func templateUse(record: JSON) -> TemplateUse? {
    var stored = StoredDomain(Domain(name: DomainName(stored: "")))
    let body = BodyValue(json: record, pointer: .root, faults: Faults())
    return body.read(templates + [ownership], into: &stored) ? stored.domain.template : nil
  }

  private static let settable = fields.filter { !$0.member.traits.contains(.readOnly) }
  private static let recorded =
    settable.map { $0.member.name == "documents" ? recordedDocuments : $0 } + [ownership]
  private static let recordedDocuments = Field<StoredDomain>(
    "documents", NamedDocumentResource.recorded, \.domain.namedDocuments, unless: \.isEmpty)
  private static let membersThatStay = settable.map(\.member.name)

  private static let stateRevision = Field<StoredDomain>(
    "revision", .revision, \.revision,
    "The revision that the state is based on, as in an export. If the domain now has another one that "
      + "`apply` did not publish, a change that would undo any of it needs `overwrite`.")

  /// A domain as revisions record it: every member that a request may set.
  package static func record(_ domain: Domain) -> JSON {
    .object(recorded.json(of: StoredDomain(domain)))
  }

  /// The domain that a revision recorded, with defaults for what it did not record. The bytes of named documents are
  /// missing.
  ///
  /// - Throws: `InvalidInput` if the record is not what `record` writes.
  package static func read(record: JSON) throws(InvalidInput) -> Domain {
    let faults = Faults()
    let domain = read(record: record, faults)
    try faults.check()
    return domain
  }

  static func read(record: JSON, _ faults: Faults) -> Domain {
    var stored = StoredDomain(Domain(name: DomainName(stored: "")))
    let body = BodyValue(json: record, pointer: .root, faults: faults)
    _ = body.read(recorded, into: &stored, isOpen: true)
    return stored.domain
  }

  /// A domain as its author writes it: without what its template gives.
  package static func json(_ stored: StoredDomain) -> JSON { .object(json(stored, for: .answer)) }

  package static func exported(_ stored: StoredDomain) -> JSON.Object { json(stored, for: .export) }

  /// What of a domain is not as it was, for a state; what it no longer has is `null`. Of one that gets a template,
  /// everything: what a state leaves out then comes from the template.
  package static func changed(_ stored: StoredDomain, since old: Domain?) -> JSON.Object {
    let all = { (domain: Domain) in
      var stored = StoredDomain(domain)
      stored.domain.associationFile.entries.removeRowIDs()
      var json = exported(stored)
      json["revision"] = nil
      for member in membersThatStay where json[member] == nil { json.appendNew(member, .null) }
      return json
    }
    let joins = stored.domain.template.map { $0.name != old?.template?.name } ?? false
    let before = old.map(all)
    var changed: JSON.Object = [:]
    for member in all(stored.domain).members {
      let isSame = before.map { $0[member.key] == member.value } ?? (member.value == .null)
      if joins || !isSame || member.key == "domain" { changed.appendNew(member.key, member.value) }
    }
    return changed
  }

  private static func json(_ stored: StoredDomain, for use: Schema.Use) -> JSON.Object {
    guard let template = stored.domain.template else { return fields.json(of: stored, for: use) }
    var stored = stored
    stored.domain = stored.domain.own
    let hasEntries = !stored.domain.associationFile.entries.isEmpty
    let hasExpectations = !stored.domain.expectations.isEmpty
    var json = owned(by: template, hasEntries, hasExpectations).json(
      of: stored, for: use, always: template.ownMembers)
    if use == .export {
      // So that applying the export gives them back to the template.
      for field in shared where json[field.member.name] == nil {
        json.appendNew(field.member.name, .null)
      }
    }
    return json
  }

  private static func owned(
    by template: TemplateUse, _ hasEntries: Bool, _ hasExpectations: Bool
  ) -> [Field<StoredDomain>] {
    var template = template
    if hasEntries { template.ownMembers.insert("entries") }
    if hasExpectations { template.ownMembers.insert("expectations") }
    return owned(by: template)
  }

  /// A domain with everything that is in force, and where each member comes from.
  package static func resolved(_ stored: StoredDomain) -> JSON {
    var json = fields.json(of: stored)
    guard let use = stored.domain.template else { return .object(json) }
    func list(_ own: Int, _ count: Int) -> JSON {
      .strings((0..<count).map { $0 < own ? "domain" : "template" })
    }
    var sources: JSON.Object = [:]
    for field in shared where json[field.member.name] != nil {
      let name = field.member.name
      sources.appendNew(
        name,
        name == "entries"
          ? list(use.ownEntries, stored.domain.associationFile.entries.count)
          : name == "expectations"
            ? list(use.ownExpectations, stored.domain.expectations.count)
            : .string(use.ownMembers.contains(name) ? "domain" : "template"))
    }
    json[Self.sources.name] = .object(sources)
    return .object(json)
  }

  /// Reads a whole domain whose name is in the path. Missing members get their defaults, except
  /// expectations: they are a safety net, and only removed explicitly.
  package static func read(
    _ body: BodyValue, name: DomainName, keeping expectations: [Expectation]
  ) -> Domain? {
    let blank = Domain(name: name, expectations: expectations)
    guard var domain = read(body, fields, blank) else { return nil }
    domain.takeOwnership(of: body.json.objectValue ?? [:])
    if domain.name != name {
      domain.name = name
      body.faults.add(
        .domainDiffers, at: body.pointer.appending("domain"),
        "The path names \"\(name)\". Leave \"domain\" out, or set it to the same name.")
    }
    checkExpectations(domain, at: body, keeping: expectations)
    checkTargets(domain, at: body)
    return domain
  }

  /// Reads a domain of a state over the stored one, whose members stay where the state has none. Lists and
  /// maps are replaced as a whole.
  ///
  /// - Returns: The domain, and the revision that the state was made from, if it names one.
  package static func read(
    _ body: BodyValue, over old: StoredDomain?
  ) -> (domain: Domain, revision: Int?)? {
    guard let given = body.members else { return nil }
    var whole = given
    if let old, membersThatStay.contains(where: { given[$0] == nil }) {
      // What has its default was set by nobody, so a template that comes new gives it.
      let joins = old.domain.template == nil && given["template"] != nil
      let blank = joins ? fields.json(of: StoredDomain(Domain(name: old.domain.name))) : [:]
      for member in json(old, for: .answer).members
      where given[member.key] == nil && membersThatStay.contains(member.key)
        && blank[member.key] != member.value
      {
        whole.appendNew(member.key, member.value)
      }
    }
    var stored = StoredDomain(Domain(name: DomainName(stored: "")))
    let merged = BodyValue(json: .object(whole), pointer: body.pointer, faults: body.faults)
    guard merged.read(stateFields, into: &stored) else { return nil }
    stored.domain.takeOwnership(of: whole)
    checkExpectations(stored.domain, at: body)
    checkTargets(stored.domain, at: body)
    return (stored.domain, stored.revision == 0 ? nil : stored.revision)
  }

  /// Reads a domain of a state over another, or over the defaults, to be compared.
  ///
  /// - Returns: `nil` if it is invalid.
  package static func domain(in json: JSON, over old: StoredDomain?) -> Domain? {
    let faults = Faults()
    let body = BodyValue(json: json, pointer: .root, faults: faults)
    let domain = read(body, over: old)?.domain
    return faults.count == 0 ? domain : nil
  }

  private static func read(
    _ body: BodyValue, _ fields: [Field<StoredDomain>], _ blank: Domain
  ) -> Domain? {
    var stored = StoredDomain(blank)
    return body.read(fields, into: &stored) ? stored.domain : nil
  }

  /// Checks that the URLs of all expectations are URLs of the domain; others can never match. Those that
  /// the domain already has are checked when they are resolved: a change may take their name away.
  package static func checkExpectations(
    _ domain: Domain, at body: BodyValue, keeping old: [Expectation] = []
  ) {
    let known = Set(old)
    for (index, expectation) in domain.expectations.enumerated()
    where !known.contains(expectation) {
      let host = domain.host(for: expectation.url)
      if Matcher.storedHost(of: expectation.url) == host { continue }
      body.faults.add(
        .foreignURL,
        at: body.pointer.appending("expectations").appending(index).appending("url"),
        "\(expectation.url.quoted) is not a URL of \"\(domain.name)\" or one of its aliases.")
    }
  }

  /// Checks that no redirect leads to the same link, which would redirect again.
  private static func checkTargets(_ domain: Domain, at body: BodyValue) {
    let targets = [
      ("web", domain.fallback?.web), ("apple", domain.fallback?.apple),
      ("android", domain.fallback?.android),
    ]
    for (member, target) in targets {
      guard let target, target.keepsLink else { continue }
      let host = target.host.lowercased()
      guard domain.names.contains(where: { $0.covers(host: host) }) else { continue }
      body.faults.add(
        .malformedValue, at: body.pointer.appending("fallback").appending(member),
        "\(target.text.quoted) leads a link of this domain to itself, over and over. Write another host, or another path."
      )
    }
  }

  private static func readAliases(_ body: BodyValue, of name: DomainName) -> [Alias]? {
    var seen: Set<Alias> = [Alias(name)]
    return body.list(atMost: aliasLimit) { body in
      let alias = body.parse(Alias.init(_:))
      if let alias, !seen.insert(alias).inserted {
        body.fault(
          .duplicateAlias, "\"\(alias)\" repeats the domain or another alias.")
      }
      return alias
    }
  }

  private static func writeVariables(_ variables: [SubstitutionVariable]) -> JSON {
    var object = JSON.Object()
    for variable in variables { object.appendNew(variable.name, .strings(variable.values)) }
    return .object(object)
  }

  private static func readVariables(_ body: BodyValue) -> [SubstitutionVariable]? {
    guard let members = body.members, body.isShort(members.members.count) else { return nil }
    return members.members.compactMap { member in
      let value = BodyValue(
        json: member.value, pointer: body.pointer.appending(member.key), faults: body.faults)
      return value.list(\.string).map { SubstitutionVariable(name: member.key, values: $0) }
    }
  }
}

extension Domain {
  /// Notes what of a domain that has just been read is its own: everything that its author wrote.
  fileprivate mutating func takeOwnership(of members: JSON.Object) {
    let written = members.members.filter { $0.value != .null }.map(\.key)
    template?.ownMembers = Set(written).intersection(TemplatePlace.ownable)
    template?.ownEntries = associationFile.entries.count
    template?.ownExpectations = expectations.count
  }

  /// Notes what of a domain is its own after an edit of `own`.
  package mutating func takeOwnership(changing own: Domain) {
    guard template != nil else { return }
    template?.ownEntries = associationFile.entries.count
    template?.ownExpectations = expectations.count
    let (old, new) = (StoredDomain(own), StoredDomain(self))
    for field in DomainResource.shared where TemplatePlace.ownable.contains(field.member.name) {
      if [field].json(of: old) != [field].json(of: new) {
        template?.ownMembers.insert(field.member.name)
      }
    }
  }
}

// MARK: - Entries, in the obsolete form of `details` too

extension DomainResource {
  private static func readEntries(_ body: BodyValue, _ domain: Domain) -> [Entry]? {
    var others: Set<AppIdentifier> = []
    return body.list { body in
      let entry = EntryResource.read(body, format: domain.format)
      if domain.associationFile.detailsForm == .dictionary, let entry,
        !fitsDictionary(entry, beside: &others)
      {
        body.fault(.dictionaryCannotSay, dictionaryAdvice)
      }
      return entry
    }
  }

  /// Whether the obsolete form of `details` can express an entry: it has one app, no other entry has
  /// the same app, and it is written as `paths`. Adds the app to those of the other entries.
  package static func fitsDictionary(
    _ entry: Entry, beside others: inout Set<AppIdentifier>
  ) -> Bool {
    entry.keys.appID && !entry.keys.appIDs && !entry.keys.components && entry.apps.count == 1
      && entry.apps.allSatisfy { others.insert($0).inserted }
  }

  package static let dictionaryAdvice =
    "\"details\" as a dictionary has one entry per app, written as \"paths\". Set \"details\" of the "
    + "domain to \"array\"."
}

// MARK: - Services besides applinks, and other members

extension DomainResource {
  private static func service(_ service: AssociationFile.Service) -> Field<StoredDomain> {
    let coding = Coding.list(of: .app)
    return Field(
      service.rawValue, coding.schema, "Apple: `\(service.rawValue).apps`.",
      write: { coding.write($0.domain.associationFile.services[service]?.apps ?? []) },
      read: { body, root in
        guard let apps = coding.read(body), !apps.isEmpty else { return }
        root.domain.associationFile.services[service] = AssociationFile.AppList(apps: apps)
      })
  }

  private static func writeServiceExtra(_ document: AssociationFile) -> JSON? {
    var object = JSON.Object()
    for service in AssociationFile.Service.allCases {
      guard let extra = document.services[service]?.extra, !extra.isEmpty else { continue }
      object[service.rawValue] = .object(extra)
    }
    return object.isEmpty ? nil : .object(object)
  }

  private static func readServiceExtra(_ body: BodyValue, into document: inout AssociationFile) {
    let object = body.object(AssociationFile.Service.allCases.map(\.rawValue))
    for service in AssociationFile.Service.allCases {
      guard let value = object?[service.rawValue] else { continue }
      let members = value.extra(besides: ["apps": { !AppIdentifier.areOthers($0) }]) ?? [:]
      if document.services[service] != nil {
        document.services[service]?.extra = members
      } else if !members.isEmpty {
        value.fault(
          .serviceWithoutApps,
          "\"\(service.rawValue)\" has no apps, so it cannot have other members.")
      }
    }
  }

  /// `extra` must not have values that adopting a file would turn into rows.
  private static let reserved: [String: @Sendable (JSON) -> Bool] = [
    "applinks": { value in
      guard let details = value["details"] else { return false }
      return details != [] || value.objectValue?.members.count != 1
    },
    "webcredentials": namesApps, "appclips": namesApps, "activitycontinuation": namesApps,
  ]

  private static let namesApps: @Sendable (JSON) -> Bool = { service in
    guard case .array(let apps)? = service["apps"] else { return service["apps"] != nil }
    return !apps.allSatisfy { $0.stringValue.map(AppIdentifier.isOther) == true }
  }

  private static let reservedInAppLinks: [String: @Sendable (JSON) -> Bool] = [
    "apps": { _ in true }, "details": { _ in true }, "defaults": { $0 != [:] },
    "substitutionVariables": { $0 != [:] },
  ]
}

extension [Entry] {
  /// Forgets the numbers of entries and routes.
  package mutating func removeRowIDs() {
    for entry in indices {
      self[entry].id = nil
      for route in self[entry].routes.indices { self[entry].routes[route].id = nil }
    }
  }
}
