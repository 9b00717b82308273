import JSONValue

/// What no device reads of a document, apart from its entries.
struct DocumentExtras {
  let members: [ExtraMember]

  init(_ document: JSON) {
    guard case .object(let object) = document else {
      members = [ExtraMember(key: "", value: document, pointer: .root)]
      return
    }
    let ofDocument = ExtraMember.members(of: object, at: .root) { member in
      !KnownKeys.services.contains { sameScalars($0, member.key) }
        || member.value.objectValue == nil
    }
    let ofServices = KnownKeys.services.dropFirst().flatMap { Self.ofService($0, object[$0]) }
    members = ofDocument + ofServices + Self.ofAppLinks(object["applinks"])
  }

  /// What does not count in the `defaults` of an object.
  static func ofDefaults(
    _ defaults: JSON?, at pointer: JSONPointer, prefix: String = ""
  ) -> [ExtraMember] {
    ExtraMember.members(
      of: defaults?.objectValue ?? [:], at: pointer.appending("defaults"),
      prefix: prefix + "defaults/"
    ) { !ComparedRoute.counts($0.key, $0.value) }
  }

  private static func ofService(_ name: String, _ service: JSON?) -> [ExtraMember] {
    guard case .object(let object)? = service else { return [] }
    let pointer = JSONPointer.root.appending(name)
    let members = ExtraMember.members(of: object, at: pointer, prefix: name + "/") {
      $0.key != "apps" || $0.value.arrayValue == nil
    }
    return members
      + ExtraMember.elements(
        of: object["apps"], key: name + "/apps", at: pointer.appending("apps")
      ) { $0.stringValue == nil }
  }

  private static func ofAppLinks(_ applinks: JSON?) -> [ExtraMember] {
    guard case .object(let object)? = applinks else { return [] }
    let prefix = "applinks/"
    let members = ExtraMember.members(of: object, at: .applinks, prefix: prefix) { member in
      switch (member.key, member.value) {
      case ("details", .array), ("details", .object), ("defaults", .object): false
      case ("substitutionVariables", .object): false
      // Systems before iOS 13 need it empty, and it means nothing so.
      case ("apps", .array(let apps)): !apps.isEmpty
      default: true
      }
    }
    return members + ofDefaults(.object(object)["defaults"], at: .applinks, prefix: prefix)
      + ofVariables(object["substitutionVariables"], prefix: prefix)
      + ofDetails(object["details"], prefix: prefix)
  }

  private static func ofVariables(_ variables: JSON?, prefix: String) -> [ExtraMember] {
    let key = "substitutionVariables"
    let pointer = JSONPointer.applinks.appending(key)
    return (variables?.objectValue?.members ?? []).flatMap { member -> [ExtraMember] in
      let name = "\(prefix)\(key)/\(member.key)"
      let place = pointer.appending(member.key)
      guard member.value.arrayValue != nil else {
        return [ExtraMember(key: name, value: member.value, pointer: place)]
      }
      return ExtraMember.elements(of: member.value, key: name, at: place) {
        $0.stringValue?.isEmpty ?? true
      }
    }
  }

  private static func ofDetails(_ details: JSON?, prefix: String) -> [ExtraMember] {
    let key = prefix + "details"
    let pointer = JSONPointer.applinks.appending("details")
    if case .object(let object)? = details {
      return ExtraMember.members(of: object, at: pointer, prefix: key + "/") {
        $0.value.objectValue == nil
      }
    }
    return ExtraMember.elements(of: details, key: key, at: pointer) { $0.objectValue == nil }
  }
}
