package import Association
import JSONValue

extension DomainResource {
  /// Reads the whole of a domain whose name the path says. What is left out has its default, but for
  /// expectations: they are a safety net, and go only when they are told to.
  package static func read(
    _ input: Input, name: DomainName, keeping expectations: [Expectation]
  ) -> Domain? {
    guard let object = input.object(members) else { return nil }
    checkName(object, name)
    return read(object, name: name, keeping: expectations)
  }

  /// Reads the whole of a domain.
  package static func read(
    _ object: InputObject, name: DomainName, keeping expectations: [Expectation]
  ) -> Domain {
    let format = object["format"]?.word(Domain.Format.self) ?? .modern
    let domain = Domain(
      name: name,
      aliases: object["aliases"].flatMap { readAliases($0, of: name) } ?? [],
      isEnabled: object["enabled"]?.bool ?? true, format: format,
      cacheSeconds: object["cacheSeconds"]?.integer(in: Domain.cacheSecondsRange)
        ?? Domain.defaultCacheSeconds,
      environment: object["environment"]?.word(App.Environment.self) ?? .production,
      isStrict: object["strict"]?.bool ?? false,
      document: readDocument(object, format: format),
      expectations: object["expectations"]?.list(ExpectationResource.read) ?? expectations)
    checkExpectations(domain, at: object.pointer, object.faults)
    return domain
  }

  private static func readDocument(_ object: InputObject, format: Domain.Format) -> Document {
    var document = Document()
    document.apps = object["apps"]?.list(\.string) ?? format.apps
    document.detailsForm = object["details"]?.word(Document.DetailsForm.self) ?? .array
    document.defaults = object["defaults"].flatMap(EntryResource.readDefaults) ?? Defaults()
    document.substitutionVariables = object["substitutionVariables"].flatMap(readVariables) ?? []
    document.entries =
      object["entries"].flatMap {
        readEntries($0, format: format, form: document.detailsForm)
      } ?? []
    let extra = object["serviceExtra"]?.object(Document.Service.allCases.map(\.rawValue))
    for service in Document.Service.allCases {
      let apps = object[service.rawValue]?.list { $0.parse(AppIdentifier.init(_:)) } ?? []
      let members = extra?[service.rawValue]?.extra(besides: ["apps": { _ in true }]) ?? [:]
      if !apps.isEmpty {
        document.services[service] = Document.AppList(apps: apps, extra: members)
      } else if !members.isEmpty {
        extra?[service.rawValue]?.fault(
          "service-without-apps",
          "These members are written beside the apps of “\(service.rawValue)”, and it has none.")
      }
    }
    document.extra = object["extra"]?.extra(besides: reserved) ?? [:]
    document.applinksExtra = object["applinksExtra"]?.extra(besides: reservedOfAppLinks) ?? [:]
    return document
  }

  /// What adopting a file makes rows of cannot be in `extra`.
  private static let reserved: [String: @Sendable (JSON) -> Bool] = [
    "applinks": { value in
      guard let details = value["details"] else { return false }
      return details != [] || value.objectValue?.members.count != 1
    },
    "webcredentials": namesApps, "appclips": namesApps, "activitycontinuation": namesApps,
  ]

  private static let namesApps: @Sendable (JSON) -> Bool = { $0["apps"] ?? [] != [] }

  private static let reservedOfAppLinks: [String: @Sendable (JSON) -> Bool] = [
    "apps": { _ in true }, "details": { _ in true }, "defaults": { $0 != [:] },
    "substitutionVariables": { $0 != [:] },
  ]

  private static func readVariables(_ input: Input) -> [SubstitutionVariable]? {
    guard let members = input.members else { return nil }
    return members.members.compactMap { member in
      let value = Input(
        json: member.value, pointer: input.pointer.appending(member.key), faults: input.faults)
      return value.list(\.string).map { SubstitutionVariable(name: member.key, values: $0) }
    }
  }

  private static func checkName(_ object: InputObject, _ name: DomainName) {
    guard let input = object["domain"], let given = input.parse(DomainName.init(_:)), given != name
    else { return }
    input.fault(
      "domain-differs", "The path names “\(name)”. Leave “domain” out, or make it the same.")
  }

  /// Checks that the file is served for the URLs of all expectations: another can never match.
  package static func checkExpectations(_ domain: Domain, at input: Input) {
    checkExpectations(domain, at: input.pointer, input.faults)
  }

  private static func checkExpectations(
    _ domain: Domain, at pointer: JSONPointer, _ faults: Faults
  ) {
    for (index, expectation) in domain.expectations.enumerated() {
      let host = domain.hostThatCounts(in: expectation.url)
      if Matcher.host(of: expectation.url)?.lowercased() == host { continue }
      faults.add(
        "foreign-url",
        at: pointer.appending("expectations").appending(index).appending("url"),
        "“\(expectation.url)” is no URL of “\(domain.name)” or of one of its aliases.")
    }
  }

  private static func readAliases(_ input: Input, of name: DomainName) -> [Alias]? {
    var seen: Set<Alias> = [Alias(name)]
    return input.list { input in
      let alias = input.parse(Alias.init(_:))
      if let alias, !seen.insert(alias).inserted {
        input.fault(
          "duplicate-alias", "“\(alias)” is already the domain itself or an earlier alias of it.")
      }
      return alias
    }
  }

  private static func readEntries(
    _ input: Input, format: Domain.Format, form: Document.DetailsForm
  ) -> [Entry]? {
    var others: Set<AppIdentifier> = []
    return input.list { input in
      let entry = EntryResource.read(input, format: format)
      if form == .dictionary, let entry, !isSayableInDictionary(entry, beside: &others) {
        input.fault(dictionaryCannotSay.code, dictionaryCannotSay.message)
      }
      return entry
    }
  }

  /// Whether the obsolete form of `details` can say an entry: it has an app an entry, each once, and
  /// `paths`. Takes the app to those of the other entries.
  package static func isSayableInDictionary(
    _ entry: Entry, beside others: inout Set<AppIdentifier>
  ) -> Bool {
    entry.keys.appID && !entry.keys.appIDs && !entry.keys.components && entry.apps.count == 1
      && entry.apps.allSatisfy { others.insert($0).inserted }
  }

  package static let dictionaryCannotSay = ValidationError(
    "dictionary-cannot-say",
    "“details” as a dictionary has one entry an app, written as “paths”. Set “details” of the "
      + "domain to “array”.")
}
