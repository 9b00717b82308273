/// Why a domain cannot join a template as it is: the values of these parameters have to be given.
package struct OpenParameters: Error {
  package let parameters: [OpenParameter]
}

extension Domain {
  /// The domain with a template that gives as much of it as it can. What the template gives differently, or does not
  /// give, stays the domain's own. Whether both open the same URLs is for the caller to compare.
  ///
  /// - Parameter given: The values of parameters that are known. The others are found out.
  /// - Throws: `OpenParameters`; `InvalidInput` if the values do not fit the template, or what it gives with them is
  ///   invalid.
  package func joining(_ template: Template, given: JSON.Object) throws -> Domain {
    let (found, open) = TemplateSolving.solve(template, for: self, given: given)
    if !open.isEmpty { throw OpenParameters(parameters: open) }
    var values = JSON.Object()
    for parameter in template.parameters {
      values[parameter.name] = given[parameter.name] ?? found[parameter.name]
    }
    for member in given.members where values[member.key] == nil {
      values[member.key] = member.value
    }
    var bare = Domain(name: name, aliases: aliases)
    bare.template = TemplateUse(template.name, parameters: values)
    let rendered = try bare.resolved(with: template)
    var joined = self
    joined.associationFile.entries = associationFile.entries.flatMap {
      $0.without(rendered.associationFile.entries)
    }
    joined.expectations = expectations.filter { !rendered.expectations.contains($0) }
    joined.template = TemplateUse(
      template.name, parameters: values, ownMembers: members(besides: rendered),
      ownEntries: joined.associationFile.entries.count, ownExpectations: joined.expectations.count)
    return joined
  }

  /// The members that a template would change.
  private func members(besides rendered: Domain) -> Set<String> {
    let (own, given) = (StoredDomain(self), StoredDomain(rendered))
    var members: Set<String> = []
    for field in DomainResource.shared where TemplatePlace.ownable.contains(field.member.name) {
      let name = field.member.name
      let (old, new) = ([field].json(of: own)[name], [field].json(of: given)[name])
      if hasExtra(name) || old != new && !Self.areSameApps(name, old, new) { members.insert(name) }
    }
    return members
  }

  private func hasExtra(_ member: String) -> Bool {
    guard let service = AssociationFile.Service(rawValue: member) else { return false }
    return associationFile.services[service]?.extra.isEmpty == false
  }

  /// Whether two lists have the same apps. Their order means nothing to devices.
  private static func areSameApps(_ member: String, _ old: JSON?, _ new: JSON?) -> Bool {
    guard AssociationFile.Service(rawValue: member) != nil || member == "androidCredentials" else {
      return false
    }
    let texts = { (json: JSON?) in
      (json?.arrayValue ?? []).compactMap(\.stringValue).sorted()
    }
    return texts(old) == texts(new)
  }
}

extension Entry {
  /// What is left of the entry besides entries that come behind it: routes that these do not have, for the same apps.
  fileprivate func without(_ others: [Entry]) -> [Entry] {
    var rest = [self]
    for other in others { rest = rest.flatMap { $0.without(other) } }
    return rest
  }

  private func without(_ other: Entry) -> [Entry] {
    guard keys == other.keys, defaults == other.defaults, extra == other.extra,
      paths == other.paths, appID == other.appID
    else { return [self] }
    var (same, others) = (self, self)
    same.apps = apps.filter(other.apps.contains)
    same.androidApps = androidApps.filter(other.androidApps.contains)
    others.apps = apps.filter { !same.apps.contains($0) }
    others.androidApps = androidApps.filter { !same.androidApps.contains($0) }
    var given = Dictionary(grouping: other.routes, by: \.path)
    same.routes.removeAll { route in
      guard let index = given[route.path]?.firstIndex(where: route.isSame) else { return false }
      given[route.path]?.remove(at: index)
      return true
    }
    let isRest = others.apps.isEmpty && others.androidApps.isEmpty
    let hasSame = isRest || !same.apps.isEmpty || !same.androidApps.isEmpty
    let isGiven = same.routes.count < routes.count || routes.isEmpty && other.routes.isEmpty
    if !hasSame || !isGiven { return [self] }
    let left = same.routes.isEmpty ? [] : [same]
    if isRest { return left }
    // An entry that names an app in `appID` besides is not two.
    return appID == nil ? left + [left.isEmpty ? others : others.withoutRows] : [self]
  }
}

extension Route {
  /// Whether devices read the same in another route.
  fileprivate func isSame(as other: Route) -> Bool { meaning == other.meaning }

  private var meaning: Route {
    var route = self
    (route.id, route.comment) = (nil, nil)
    if exclude == false { route.exclude = nil }
    return route
  }
}
