package import Association
package import JSONValue
package import Store

/// A domain in JSON.
package enum DomainResource {
  /// Members that are told and, in a request, passed over.
  private static let readOnly = ["unicode", "revision", "updatedAt"]

  package static let members =
    [
      "domain", "aliases", "enabled", "format", "cacheSeconds", "apps", "details", "defaults",
      "substitutionVariables", "entries", "webcredentials", "appclips", "activitycontinuation",
      "extra", "applinksExtra", "serviceExtra", "environment", "strict", "expectations",
    ] + readOnly

  package static func json(_ stored: StoredDomain) -> JSON {
    var object = json(stored.domain)
    object["revision"] = .integer(stored.revision)
    object["updatedAt"] = .string(Timestamp.text(stored.updatedAt))
    return .object(object)
  }

  /// What a domain is, without what is only told.
  package static func json(_ domain: Domain) -> JSON.Object {
    let document = domain.document
    var object = JSON.Object()
    object["domain"] = .string(domain.name.text)
    if domain.name.unicode != domain.name.text { object["unicode"] = .string(domain.name.unicode) }
    object["aliases"] = .strings(domain.aliases.map(\.description))
    object["enabled"] = .bool(domain.isEnabled)
    object["format"] = .string(domain.format.rawValue)
    object["cacheSeconds"] = .integer(domain.cacheSeconds)
    object["environment"] = .string(domain.environment.rawValue)
    object["strict"] = .bool(domain.isStrict)
    if document.apps != domain.format.apps { object["apps"] = document.apps.map(JSON.strings) }
    if document.detailsForm != .array {
      object["details"] = .string(document.detailsForm.rawValue)
    }
    object["defaults"] = document.defaults.json
    object["substitutionVariables"] = variables(document.substitutionVariables)
    object["entries"] = .array(
      document.entries.map { EntryResource.json($0, format: domain.format) })
    for service in Document.Service.allCases {
      object[service.rawValue] = .strings(document.services[service]?.apps.map(\.text) ?? [])
    }
    if !document.extra.isEmpty { object["extra"] = .object(document.extra) }
    if !document.applinksExtra.isEmpty { object["applinksExtra"] = .object(document.applinksExtra) }
    object["serviceExtra"] = serviceExtra(document)
    object["expectations"] = .array(domain.expectations.map(ExpectationResource.json))
    return object
  }

  private static func variables(_ variables: [SubstitutionVariable]) -> JSON {
    var object = JSON.Object()
    for variable in variables { object.appendNew(variable.name, .strings(variable.values)) }
    return .object(object)
  }

  private static func serviceExtra(_ document: Document) -> JSON? {
    var object = JSON.Object()
    for service in Document.Service.allCases {
      guard let extra = document.services[service]?.extra, !extra.isEmpty else { continue }
      object[service.rawValue] = .object(extra)
    }
    return object.isEmpty ? nil : .object(object)
  }

  /// A domain in a list.
  package static func summary(_ domain: DomainSummary) -> JSON {
    var object: JSON.Object = ["domain": .string(domain.name.text)]
    if domain.name.unicode != domain.name.text { object["unicode"] = .string(domain.name.unicode) }
    object["enabled"] = .bool(domain.isEnabled)
    object["format"] = .string(domain.format.rawValue)
    object["environment"] = .string(domain.environment.rawValue)
    object["revision"] = .integer(domain.revision)
    object["updatedAt"] = .string(Timestamp.text(domain.updatedAt))
    return .object(object)
  }
}
