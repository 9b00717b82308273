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
      aliases: object["aliases"]?.list { $0.parse(Alias.init(_:)) } ?? [],
      isEnabled: object["enabled"]?.bool ?? true, format: format,
      cacheSeconds: object["cacheSeconds"]?.integer(in: Domain.cacheSecondsRange)
        ?? Domain.defaultCacheSeconds,
      environment: object["environment"]?.word(App.Environment.self) ?? .production,
      isStrict: object["strict"]?.bool ?? false,
      document: readDocument(object, format: format),
      expectations: object["expectations"]?.list(ExpectationResource.read) ?? expectations)
    checkExpectations(domain, object)
    checkAliases(domain, object)
    return domain
  }

  private static func readDocument(_ object: InputObject, format: Domain.Format) -> Document {
    var document = Document()
    document.apps = object["apps"]?.list(\.string) ?? format.apps
    document.detailsForm = object["details"]?.word(Document.DetailsForm.self) ?? .array
    document.defaults = object["defaults"].flatMap(EntryResource.readDefaults) ?? Defaults()
    document.substitutionVariables = object["substitutionVariables"].flatMap(readVariables) ?? []
    document.entries = object["entries"]?.list { EntryResource.read($0, format: format) } ?? []
    let extra = object["serviceExtra"]?.object(Document.Service.allCases.map(\.rawValue))
    for service in Document.Service.allCases {
      let apps = object[service.rawValue]?.list { $0.parse(AppIdentifier.init(_:)) } ?? []
      if apps.isEmpty { continue }
      let members = extra?[service.rawValue]?.extra(besides: ["apps": { _ in true }])
      document.services[service] = Document.AppList(apps: apps, extra: members ?? [:])
    }
    document.extra = object["extra"]?.members ?? [:]
    document.applinksExtra = object["applinksExtra"]?.members ?? [:]
    if document.detailsForm == .dictionary { checkDictionary(document, object) }
    return document
  }

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

  /// A URL that the file is not served for can never match.
  private static func checkExpectations(_ domain: Domain, _ object: InputObject) {
    for (index, expectation) in domain.expectations.enumerated() {
      let host = domain.hostThatCounts(in: expectation.url)
      if Matcher.host(of: expectation.url)?.lowercased() == host { continue }
      object.faults.add(
        "foreign-url",
        at: object.pointer.appending("expectations").appending(index).appending("url"),
        "“\(expectation.url)” is no URL of “\(domain.name)” or of one of its aliases.")
    }
  }

  private static func checkAliases(_ domain: Domain, _ object: InputObject) {
    var seen: Set<Alias> = [Alias(domain.name)]
    for (index, alias) in domain.aliases.enumerated() where !seen.insert(alias).inserted {
      object.faults.add(
        "duplicate-alias", at: object.pointer.appending("aliases").appending(index),
        "“\(alias)” is already the domain itself or an earlier alias of it.")
    }
  }

  /// What the obsolete form of `details` can say: an app an entry, each once, and `paths`.
  private static func checkDictionary(_ document: Document, _ object: InputObject) {
    var seen: Set<AppIdentifier> = []
    for (index, entry) in document.entries.enumerated() {
      let isSayable =
        entry.keys.appID && !entry.keys.appIDs && !entry.keys.components && entry.apps.count == 1
        && entry.apps.allSatisfy { seen.insert($0).inserted }
      if isSayable { continue }
      object.faults.add(
        "dictionary-cannot-say", at: object.pointer.appending("entries").appending(index),
        "“details” as a dictionary has one entry an app, written as “paths”. Set “details” to "
          + "“array”.")
    }
  }
}
