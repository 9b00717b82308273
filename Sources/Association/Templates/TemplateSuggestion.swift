/// A template with what domains have in common, and parameters for what differs.
package struct TemplateSuggestion: Sendable {
  /// The maximum number of domains to compare.
  package static let mostDomains = 1000

  /// The maximum number of entries of a domain, and of apps or routes of an entry.
  private static let most = (entries: 50, items: 1000)
  /// How far a route can be from one that is like it.
  fileprivate static let farthest = 20

  package let template: Template
  /// The value of each parameter, for each domain.
  package let values: [DomainName: JSON.Object]

  /// Whether a domain is small enough to be compared with many.
  package static func canCompare(_ domain: Domain) -> Bool {
    let lists = AssociationFile.Service.allCases.map {
      domain.associationFile.services[$0]?.apps.count ?? 0
    }
    return domain.associationFile.entries.count <= most.entries
      && domain.associationFile.entries.allSatisfy {
        max($0.apps.count, $0.androidApps.count, $0.routes.count) <= most.items
      } && (lists + [domain.androidCredentials.count]).allSatisfy { $0 <= most.items }
  }

  /// - Returns: `nil` if the domains have nothing in common that a template can give.
  package init?(_ name: TemplateName, from domains: [Domain]) {
    var generalization = Generalization(of: domains)
    let members = generalization.members()
    let used = TemplateText.parameters(in: .object(members))
    let parameters = generalization.parameters.filter { used.contains($0.parameter.name) }
    let template = Template(name, parameters: parameters.map(\.parameter), members: members)
    let faults = Faults()
    _ = TemplateResource.read(
      BodyValue(
        json: .object(TemplateResource.json(template)), pointer: .root, faults: faults))
    if members.isEmpty || faults.count > 0 { return nil }
    self.template = template
    values = Dictionary(
      domains.enumerated().map { index, domain in
        var values = JSON.Object()
        for parameter in parameters
        where parameter.values[index] != parameter.parameter.defaultValue {
          values[parameter.parameter.name] = parameter.values[index]
        }
        return (domain.name, values)
      }, uniquingKeysWith: { $1 })
  }
}

/// Compares the members of domains, and finds what a template can say of all of them. What it cannot say is left out.
private struct Generalization {
  typealias Parameter = (parameter: TemplateParameter, values: [JSON])

  private let domains: [JSON.Object]
  private let names: [String]
  private(set) var parameters: [Parameter] = []
  /// What stands between braces in the domains already, such as `{path}` in `fallback`.
  private let reserved: Set<String>

  init(of domains: [Domain]) {
    self.domains = domains.map { DomainResource.fields.json(of: StoredDomain($0.withoutRows)) }
    names = domains.map(\.name.text)
    reserved = self.domains.reduce(into: []) {
      $0.formUnion(TemplateText.parameters(in: .object($1)))
    }
  }

  mutating func members() -> JSON.Object {
    let blank = DomainResource.fields.json(of: StoredDomain(Domain(name: DomainName(stored: ""))))
    var members = JSON.Object()
    for name in DomainResource.shared.map(\.member.name) {
      let values = domains.map { $0[name] ?? blank[name] ?? .null }
      guard let place = TemplatePlace.members[name],
        let value = value(values, place, name: name), value != blank[name], value != .null,
        value != [], value != [:] || blank[name] == nil
      else { continue }
      members.appendNew(name, value)
    }
    return members
  }

  /// What a template can have for these values; `nil` if they differ too much.
  private mutating func value(
    _ values: [JSON], _ place: TemplatePlace, name: String
  ) -> JSON? {
    switch place {
    case .list(.entry): return .array(entries(values.map { $0.arrayValue ?? [] }))
    case .list(.item(let places)):
      let lists = values.map { $0.arrayValue ?? [] }
      guard let first = lists.first, lists.allSatisfy({ $0.count == first.count }) else {
        return nil
      }
      return .array(
        first.indices.compactMap { index in
          item(lists.map { $0[index] }, places)
        })
    case .list(let element): return list(values.map { $0.arrayValue ?? [] }, element, name: name)
    case .map(let element):
      let objects = values.map(\.objectValue)
      guard let first = objects.first ?? nil,
        objects.allSatisfy({ $0.map { Set($0.keys) == Set(first.keys) } == true })
      else { return nil }
      var result = JSON.Object()
      for key in first.keys {
        guard let value = value(objects.map { $0?[key] ?? .null }, element, name: key) else {
          return nil
        }
        result.appendNew(key, value)
      }
      return .object(result)
    case .item(let places): return item(values, places)
    case .fixed: return most(values)
    default:
      let texts = values.compactMap(\.stringValue)
      return texts.count == values.count ? text(texts, place, name: name).map(JSON.string) : nil
    }
  }

  /// The value of more than half of the domains. The others keep theirs.
  private func most(_ values: [JSON]) -> JSON? {
    values.first { value in 2 * values.count { $0 == value } > values.count }
  }

  /// A list of apps, packages, origins or patterns.
  private mutating func list(
    _ lists: [[JSON]], _ place: TemplatePlace, name: String
  ) -> JSON? {
    guard let first = lists.first else { return nil }
    if lists.contains(where: { $0.contains { !isPlain($0) } }) { return nil }
    let key = { (item: JSON) in Array(item.text.utf8) }
    let inAll = lists.dropFirst().reduce(into: Set(first.map(key))) {
      $0.formIntersection($1.map(key))
    }
    let isShared = { (item: JSON) in inAll.contains(key(item)) }
    let shared = first.filter(isShared)
    var rests = lists.map { list in list.filter { !isShared($0) } }
    let most = rests.map(\.count).max() ?? 0
    if most == 0 { return .array(shared) }
    var open: [JSON] = []
    if case .origin = place, rests.allSatisfy({ $0.count == most }) {
      // Those with the name of the domain need no parameter.
      for index in 0..<most {
        let texts = rests.map { $0[index].stringValue ?? "" }
        guard let text = withDomain(texts) else { continue }
        open.append(.string(text))
      }
      if open.count == most { rests = [] } else { open = [] }
    }
    if !rests.isEmpty {
      guard let kind = place.kind(isList: most > 1) else { return nil }
      let values = rests.map { rest -> JSON in
        most > 1 ? .array(rest) : rest.first ?? .null
      }
      guard let text = parameter(kind, values, named: kind.name(in: name)) else { return nil }
      open.append(.string(text))
    }
    let position = first.firstIndex { !isShared($0) } ?? shared.count
    return .array(Array(shared.prefix(position)) + open + shared.dropFirst(position))
  }

  private func isPlain(_ json: JSON) -> Bool { TemplateText.parameters(in: json).isEmpty }

  // MARK: Entries

  /// The entries that all domains have, in the order of the first domain.
  private mutating func entries(_ lists: [[JSON]]) -> [JSON] {
    var used = lists.map { _ in Set<Int>() }
    return (lists.first ?? []).indices.compactMap { index in
      var group: [JSON] = []
      var places: [Int] = []
      for (number, list) in lists.enumerated() {
        let like =
          number == 0 ? index : Self.place(of: lists[0][index], index, in: list, used[number])
        guard let like else { return nil }
        group.append(list[like])
        places.append(like)
      }
      guard let entry = entry(group) else { return nil }
      for (number, place) in places.enumerated() { used[number].insert(place) }
      return entry
    }
  }

  /// The entry that is most like another one.
  private static func place(
    of entry: JSON, _ index: Int, in list: [JSON], _ used: Set<Int>
  ) -> Int? {
    let routes = Set((entry["routes"]?.arrayValue ?? []).map(\.sorted.text))
    let candidates = list.indices.filter { !used.contains($0) && frame(list[$0]) == frame(entry) }
    return candidates.max { left, right in
      let likeness = { (place: Int) in
        let same = (list[place]["routes"]?.arrayValue ?? []).count {
          routes.contains($0.sorted.text)
        }
        return 2 * same + (place == index ? 1 : 0)
      }
      return likeness(left) < likeness(right)
    }
  }

  /// What two entries must have in common: everything but apps and routes.
  private static func frame(_ entry: JSON) -> JSON.Object {
    var frame = entry.objectValue ?? [:]
    for key in TemplatePlace.entryMembers.keys { frame[key] = nil }
    frame["appID"] = entry["appID"] == nil ? nil : true
    return frame
  }

  private mutating func entry(_ group: [JSON]) -> JSON? {
    guard var result = group.first?.objectValue else { return nil }
    for (key, place) in [("apps", TemplatePlace.app), ("androidApps", .package)] {
      let lists = group.map { $0[key]?.arrayValue ?? [] }
      if lists.allSatisfy(\.isEmpty) { continue }
      guard let list = list(lists, place, name: key) else { return nil }
      result[key] = list
    }
    let apps = group.compactMap { $0["appID"]?.stringValue }
    if !apps.isEmpty {
      guard apps.count == group.count, let app = text(apps, .app, name: "app") else { return nil }
      result["appID"] = .string(app)
    }
    let lists = group.map { $0["routes"]?.arrayValue ?? [] }
    let routes = self.routes(lists)
    if routes.isEmpty && lists.contains(where: { !$0.isEmpty }) { return nil }
    result["routes"] = .array(routes)
    return .object(result)
  }

  // MARK: Routes

  private mutating func routes(_ lists: [[JSON]]) -> [JSON] {
    guard let first = lists.first else { return [] }
    let alignments = lists.dropFirst().map { Self.alignment(of: first, with: $0) }
    return first.indices.compactMap { index in
      let group =
        [first[index]]
        + zip(lists.dropFirst(), alignments).map { list, alignment in
          alignment[index].map { list[$0] }
        }
      let present = group.compactMap(\.self)
      return present.count == group.count
        ? item(present, TemplatePlace.routeMembers) : optionalRoute(group, present)
    }
  }

  /// A route that most domains have alike, and the others not: its path is a parameter, without a value in those, which
  /// leaves the route out there.
  private mutating func optionalRoute(_ group: [JSON?], _ present: [JSON]) -> JSON? {
    guard var route = group[0]?.objectValue, let path = route["path"]?.stringValue,
      2 * present.count > group.count, isPlain(present[0]),
      present.allSatisfy({ $0.sorted.text == present[0].sorted.text }),
      let text = parameter(
        .pattern, group.map { $0 == nil ? .null : .string(path) }, named: "pattern")
    else { return nil }
    route["path"] = .string(text)
    return .object(route)
  }

  /// The places of the routes of one list in another one: of equal routes, then of those between them that are written
  /// with the same members.
  private static func alignment(of first: [JSON], with list: [JSON]) -> [Int: Int] {
    var places: [String: [Int]] = [:]
    for (index, route) in list.enumerated() { places[route.sorted.text, default: []].append(index) }
    var (alignment, next): ([Int: Int], Int) = ([:], 0)
    for (index, route) in first.enumerated() {
      guard let place = places[route.sorted.text]?.first(where: { $0 >= next }) else { continue }
      alignment[index] = place
      next = place + 1
    }
    next = 0
    for (index, route) in first.enumerated() {
      if let place = alignment[index] {
        next = place + 1
        continue
      }
      let end = (index..<first.count).lazy.compactMap { alignment[$0] }.first ?? list.count
      let last = min(end, next + TemplateSuggestion.farthest)
      guard next < last, let place = (next..<last).first(where: { shape(list[$0]) == shape(route) })
      else { continue }
      alignment[index] = place
      next = place + 1
    }
    return alignment
  }

  /// What two routes must have in common: the members, and everything but patterns and comments.
  private static func shape(_ route: JSON) -> JSON.Object {
    var shape = route.objectValue ?? [:]
    for key in TemplatePlace.routeMembers.keys where shape[key] != nil { shape[key] = true }
    return shape
  }

  /// An object whose members are generalized one by one.
  private mutating func item(_ group: [JSON], _ places: [String: TemplatePlace]) -> JSON? {
    guard let first = group.first?.objectValue else { return nil }
    let parametersBefore = parameters.count
    var result = JSON.Object()
    for key in first.keys {
      let values = group.map { $0[key] ?? .null }
      let place = places[key] ?? .fixed
      let value: JSON? =
        if case .query = place {
          values.allSatisfy { $0.objectValue != nil }
            ? value(values, .map(.pattern), name: key) : value(values, .pattern, name: key)
        } else if case .fixed = place {
          values.allSatisfy { $0 == values[0] } ? values[0] : nil
        } else {
          value(values, place, name: key)
        }
      guard let value else {
        parameters.removeSubrange(parametersBefore...)
        return nil
      }
      result.appendNew(key, value)
    }
    return group.allSatisfy { $0.objectValue?.members.count == first.members.count }
      ? .object(result) : nil
  }

  // MARK: Texts

  /// A text with parameters where these texts differ; `nil` if a template cannot say it.
  private mutating func text(
    _ texts: [String], _ place: TemplatePlace, name: String
  ) -> String? {
    let own = Set(place.ownNames.map(String.init))
    guard let first = texts.first,
      texts.allSatisfy({ own.isSuperset(of: TemplateText.parameters(in: .string($0))) })
    else { return nil }
    if texts.allSatisfy({ sameScalars($0, first) }) { return first }
    if place.allows(.domain, isWhole: false, isItem: false), let text = withDomain(texts) {
      return text
    }
    guard place.isText else {
      if case .linkedApp = place {
        // It opens an app of the entries.
        return parameters.first {
          [.app, .package].contains($0.parameter.kind) && $0.values == texts.map(JSON.string)
        }.map { "{\($0.parameter.name)}" }
      }
      guard let kind = place.kind(isList: false) else { return nil }
      return parameter(kind, texts.map(JSON.string), named: kind.name(in: name))
    }
    let segments = texts.map { $0.split(separator: "/", omittingEmptySubsequences: false) }
    if segments.allSatisfy({ $0.count == segments[0].count }) {
      var parts: [String] = []
      for index in segments[0].indices {
        guard let part = part(segments.map { String($0[index]) }, place, name) else { return nil }
        parts.append(part)
      }
      return parts.joined(separator: "/")
    }
    return part(texts, place, name)
  }

  /// A part of a text, with a parameter between what all have at the start and at the end.
  private mutating func part(
    _ texts: [String], _ place: TemplatePlace, _ name: String
  ) -> String? {
    if texts.allSatisfy({ sameScalars($0, texts[0]) }) { return texts[0] }
    if place.allows(.domain, isWhole: false, isItem: false), let text = withDomain(texts) {
      return text
    }
    var prefix = Self.common(texts.map { Array($0.unicodeScalars) })
    var suffix = Self.common(texts.map { Array($0.unicodeScalars.reversed()) })
    if texts.contains(where: { $0.unicodeScalars.count <= prefix + suffix }) {
      (prefix, suffix) = (0, 0)
    }
    let middles = texts.map {
      String(String.UnicodeScalarView($0.unicodeScalars.dropFirst(prefix).dropLast(suffix)))
    }
    let kind: TemplateParameter.Kind =
      if place.allows(TemplateParameter(name: "", kind: .text), isWhole: false, isItem: false) {
        .text
      } else {
        middles.allSatisfy { TemplateParameter(name: "", kind: .path).accepts($0) }
          ? .path : .pattern
      }
    guard let text = parameter(kind, middles.map(JSON.string), named: kind.name(in: name)) else {
      return nil
    }
    let scalars = texts[0].unicodeScalars
    return String(String.UnicodeScalarView(scalars.prefix(prefix))) + text
      + String(String.UnicodeScalarView(scalars.suffix(suffix)))
  }

  /// How many scalars all have in common, up to the last that is neither a letter nor a digit.
  private static func common(_ texts: [[Unicode.Scalar]]) -> Int {
    let shortest = texts.map(\.count).min() ?? 0
    let same =
      (0..<shortest).first { index in
        texts.contains { $0[index] != texts[0][index] }
      } ?? shortest
    let isWord = { (scalar: Unicode.Scalar) in scalar.properties.isAlphabetic || scalar.isDigit }
    return (texts[0].prefix(same).lastIndex { !isWord($0) }).map { $0 + 1 } ?? 0
  }

  /// The texts with `{domain}` for the names of their domains, if they are equal then.
  private func withDomain(_ texts: [String]) -> String? {
    let replaced = zip(texts, names).map { $0.replacing($1, with: "{domain}") }
    guard let first = replaced.first, first.contains("{domain}") else { return nil }
    return replaced.allSatisfy { sameScalars($0, first) } ? first : nil
  }

  /// A parameter with these values, in braces: a new one, unless there is one.
  private mutating func parameter(
    _ kind: TemplateParameter.Kind, _ values: [JSON], named base: String
  ) -> String? {
    // Text may have a value of a path, but not the other way round.
    let same = parameters.first {
      $0.values == values
        && ($0.parameter.kind == kind || kind == .text && $0.parameter.kind == .path)
    }
    if let same { return "{\(same.parameter.name)}" }
    if parameters.count == TemplateParameter.limit { return nil }
    let taken = reserved.union(parameters.map(\.parameter.name))
    let name = ([base] + (2...TemplateParameter.limit + 1).map { "\(base)\($0)" })
      .first { !taken.contains($0) }
    guard let name else { return nil }
    let isOptional = values.contains(.null)
    parameters.append(
      (
        TemplateParameter(name: name, kind: kind, defaultValue: isOptional ? .null : nil), values
      ))
    return "{\(name)}"
  }
}

extension Unicode.Scalar {
  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

extension TemplatePlace {
  /// Whether a parameter may be a part of what stands here.
  fileprivate var isText: Bool {
    switch self {
    case .text, .target, .pattern: true
    default: false
    }
  }

  /// The kind of parameter that can be all of what stands here.
  fileprivate func kind(isList: Bool) -> TemplateParameter.Kind? {
    switch self {
    case .app: isList ? .apps : .app
    case .package: isList ? .packages : .package
    case .origin: isList ? .origins : .origin
    default: nil
    }
  }
}

extension TemplateParameter.Kind {
  /// A name for a parameter of this kind in a member.
  fileprivate func name(in member: String) -> String {
    switch (self, member) {
    case (.app, "appclips"): "clip"
    case (.apps, "appclips"): "clips"
    case (.text, "url"), (.text, "path"): "text"
    case (.text, _): TemplateParameter.isName(member[...]) ? member : "text"
    default: rawValue
    }
  }
}
