/// A parameter whose value has to be given, because a domain does not tell it.
package struct OpenParameter: Sendable, Equatable {
  package let name: String
  /// Values that would do equally well; none if the domain has nothing that the template could give.
  package let candidates: [String]
}

/// Finds the values with which a template gives what a domain has.
///
/// Each string or route of the template that names a parameter is compared with those of the domain. A value is found if
/// more of the template is in the domain with it than with any other. Where two do equally well, the parameter stays
/// open: nothing is guessed.
struct TemplateSolving {
  /// The number of comparisons of one string or route with another.
  private static let mostSteps = 200_000
  /// How many places in texts are tried where a parameter could end.
  private static let mostTriedSplits = 5_000_000
  /// The number of ways to pair entries of the template and the domain, or to combine values, that are tried.
  private static let mostCombinations = 4096
  /// The number of values that one string of a domain can give.
  private static let mostSplits = 64

  /// A value, which equals another one only scalar by scalar.
  fileprivate struct Text: Hashable {
    let text: String

    static func == (left: Text, right: Text) -> Bool { sameScalars(left.text, right.text) }

    func hash(into hasher: inout Hasher) {
      for byte in text.utf8 { hasher.combine(byte) }
    }
  }

  /// Values of parameters that are no lists.
  private typealias Values = [Substring: Text]

  /// A string or route of the template, with each way in which the domain has it.
  private typealias Unit = [Values]

  /// A parameter that is an item of a list and stands for several items.
  private struct ListPlace {
    let parameter: Substring
    let others: [String]
    let items: [Text]
  }

  private struct Parts {
    var units: [Unit] = []
    var lists: [ListPlace] = []

    static func + (left: Parts, right: Parts) -> Parts {
      Parts(units: left.units + right.units, lists: left.lists + right.lists)
    }
  }

  private let template: Template
  private let known: [Substring: [String]]
  private let unknown: [Substring: TemplateParameter]
  private var steps = 0
  /// How many places in texts were tried where a parameter could end.
  private var splits = 0

  /// The values of a domain's parameters, without those that are the parameter's default.
  ///
  /// - Parameter given: Values that are known already.
  static func solve(
    _ template: Template, for domain: Domain, given: JSON.Object
  ) -> (values: JSON.Object, open: [OpenParameter]) {
    var solving = TemplateSolving(template, domain.name, given)
    if solving.unknown.isEmpty { return ([:], []) }
    return solving.solved(domain)
  }

  private init(_ template: Template, _ domain: DomainName, _ given: JSON.Object) {
    self.template = template
    var known: [Substring: [String]] = [TemplateParameter.domain.name[...]: [domain.text]]
    for member in given.members {
      known[member.key[...]] =
        member.value.arrayValue?.compactMap(\.stringValue)
        ?? member.value.stringValue.map { [$0] } ?? []
    }
    self.known = known
    unknown = Dictionary(
      template.parameters.map { ($0.name[...], $0) }.filter { known[$0.0] == nil },
      uniquingKeysWith: { $1 })
  }

  private mutating func solved(
    _ domain: Domain
  ) -> (values: JSON.Object, open: [OpenParameter]) {
    let json = DomainResource.fields.json(of: StoredDomain(domain.withoutRows))
    var parts = Parts()
    for member in template.members.members where TemplatePlace.ownable.contains(member.key) {
      guard let place = TemplatePlace.members[member.key] else { continue }
      parts = parts + self.parts(member.value, place, in: json[member.key])
    }
    var best = -1
    var found: [Substring: Set<Text>] = [:]
    var lists: [Substring: Set<[Text]>] = [:]
    for paired in pairings(with: json["entries"]?.arrayValue ?? []) {
      let whole = parts + paired
      let (score, values) = combine(whole.units)
      if score < best { continue }
      if score > best { (best, found, lists) = (score, [:], [:]) }
      for (name, candidates) in values { found[name, default: []].formUnion(candidates) }
      for place in whole.lists {
        if let items = remainder(of: place, values) {
          lists[place.parameter, default: []].insert(items)
        }
      }
    }
    if steps > Self.mostSteps { (found, lists) = ([:], [:]) }
    return result(found, lists)
  }

  private func result(
    _ found: [Substring: Set<Text>], _ lists: [Substring: Set<[Text]>]
  ) -> (values: JSON.Object, open: [OpenParameter]) {
    var (values, open): (JSON.Object, [OpenParameter]) = ([:], [])
    for parameter in template.parameters where unknown[parameter.name[...]] != nil {
      let name = parameter.name[...]
      let candidates =
        parameter.kind.isList
        ? (lists[name] ?? []).map { JSON.strings($0.map(\.text)) }
        : (found[name] ?? []).map { JSON.string($0.text) }
      if candidates.count == 1, let value = candidates.first {
        if value != parameter.defaultValue { values[parameter.name] = value }
      } else if !candidates.isEmpty || parameter.defaultValue == nil {
        open.append(
          OpenParameter(
            name: parameter.name, candidates: candidates.map { $0.stringValue ?? $0.text }.sorted())
        )
      }
    }
    return (values, open)
  }

  // MARK: What could be what

  /// The parts of all entries of the template, for each way to pair them with entries of the domain.
  private mutating func pairings(with entries: [JSON]) -> [Parts] {
    let own = template.members["entries"]?.arrayValue ?? []
    let asking = own.filter(asks)
    var pairings: [(parts: Parts, used: Set<Int>)] = [(Parts(), [])]
    for entry in asking {
      let options = entries.indices.map { index in
        (index, self.parts(of: entry, in: entries[index]))
      }.filter { option in option.1.units.contains { !$0.isEmpty } }
      let next = pairings.flatMap { pairing in
        let free = options.filter { !pairing.used.contains($0.0) }
        if free.isEmpty { return [pairing] }
        return free.map { (pairing.parts + $0.1, pairing.used.union([$0.0])) }
      }
      if next.count > Self.mostCombinations {
        steps = Self.mostSteps + 1
        return []
      }
      pairings = next
    }
    return pairings.map(\.parts)
  }

  private mutating func parts(of entry: JSON, in other: JSON) -> Parts {
    var parts = Parts()
    for (key, place) in TemplatePlace.entryMembers {
      guard let value = entry[key] else { continue }
      parts = parts + self.parts(value, place, in: other[key])
    }
    return parts
  }

  private mutating func parts(_ json: JSON, _ place: TemplatePlace, in other: JSON?) -> Parts {
    switch (place, json) {
    case (.list(let element), .array(let items)):
      var pool = other?.arrayValue ?? []
      let all = pool.compactMap(\.stringValue).map(Text.init)
      var parts = Parts()
      // What the template gives with any values, no value gives once more.
      for item in items where !asks(item) && !isLeftOut(item) {
        if steps > Self.mostSteps { break }
        let place = pool.firstIndex { !values(item, element, as: $0).isEmpty }
        parts.units.append(place == nil ? [] : [[:]])
        if let place { pool.remove(at: place) }
      }
      for (index, item) in items.enumerated() where asks(item) && !isLeftOut(item) {
        if let name = item.stringValue.flatMap({ TemplateText($0).whole }),
          unknown[name]?.kind.isList == true
        {
          let others = items.indices.filter { $0 != index }.compactMap { items[$0].stringValue }
          parts.lists.append(ListPlace(parameter: name, others: others, items: all))
        } else {
          parts.units.append(unit(item, element, in: pool))
        }
      }
      return parts
    case (.map(let element), .object(let members)):
      return members.members.reduce(Parts()) { parts, member in
        parts + self.parts(member.value, element, in: other?[member.key])
      }
    case (_, .string):
      return isLeftOut(json)
        ? Parts() : Parts(units: [unit(json, place, in: [other].compactMap(\.self))])
    default: return Parts()
    }
  }

  /// Whether it names a parameter whose value is to be found.
  private func asks(_ json: JSON) -> Bool {
    TemplateText.parameters(in: json).contains { unknown[$0[...]] != nil }
  }

  /// Whether a parameter without a value leaves it out.
  private func isLeftOut(_ json: JSON) -> Bool {
    TemplateText.parameters(in: json).contains { known[$0[...]]?.isEmpty == true }
  }

  private mutating func unit(_ json: JSON, _ place: TemplatePlace, in pool: [JSON]) -> Unit {
    var unit: Unit = []
    for other in pool {
      if steps > Self.mostSteps { break }
      for values in self.values(json, place, as: other) where !unit.contains(values) {
        unit.append(values)
      }
    }
    return unit
  }

  /// The values with which a part of the template is a part of the domain.
  private mutating func values(
    _ json: JSON, _ place: TemplatePlace, as other: JSON
  ) -> [Values] {
    steps += 1
    switch (place, json, other) {
    case (.item(let places), .object(let members), .object(let others)):
      return values(members, as: others) { places[$0] ?? .fixed }
    case (.query, .object(let members), .object(let others)):
      return values(members, as: others) { _ in .pattern }
    case (.query, _, _): return values(json, .pattern, as: other)
    case (.fixed, _, _): return json == other ? [[:]] : []
    case (_, .string(let text), .string(let found)):
      return values(TemplateText(text, in: place).pieces[...], as: found[...].utf8, [:])
    default: return json == other ? [[:]] : []
    }
  }

  private mutating func values(
    _ members: JSON.Object, as others: JSON.Object, _ place: (String) -> TemplatePlace
  ) -> [Values] {
    var all: [Values] = [[:]]
    for key in (members.keys + others.keys).uniqued() {
      let (json, other) = (members[key] ?? .null, others[key] ?? .null)
      var found: [Values]
      switch key {
      // Devices do not read it.
      case "comment" where TemplateText.parameters(in: json).isEmpty: continue
      case "exclude": found = (json == true) == (other == true) ? [[:]] : []
      default: found = json == .null && other == .null ? [[:]] : values(json, place(key), as: other)
      }
      found = all.flatMap { one in found.compactMap { one.merging($0) } }
      all = Array(found.prefix(Self.mostSplits))
      if all.isEmpty { break }
    }
    return all
  }

  /// The values with which the pieces make a text.
  private mutating func values(
    _ pieces: ArraySlice<TemplateText.Piece>, as text: Substring.UTF8View, _ values: Values
  ) -> [Values] {
    guard let first = pieces.first else { return text.isEmpty ? [values] : [] }
    let rest = pieces.dropFirst()
    switch first {
    case .text(let literal): return self.values(literal, rest, as: text, values)
    case .parameter(let name):
      if let value = values[name]?.text ?? known[name]?.first {
        return self.values(value[...], rest, as: text, values)
      }
      guard let parameter = unknown[name] else { return [] }
      var found: [Values] = []
      let ends = rest.isEmpty ? [text.endIndex] : Array(text.indices) + [text.endIndex]
      for end in ends where found.count < Self.mostSplits && steps <= Self.mostSteps {
        splits += 1
        if splits > Self.mostTriedSplits { steps = Self.mostSteps + 1 }
        if case .text(let next)? = rest.first, !text[end...].starts(with: next.utf8) { continue }
        // Not within a scalar.
        guard let value = String(text[..<end]), parameter.accepts(value) else { continue }
        var values = values
        values[name] = Text(text: value)
        found += self.values(rest, as: text[end...], values)
      }
      return found
    }
  }

  private mutating func values(
    _ literal: Substring, _ rest: ArraySlice<TemplateText.Piece>, as text: Substring.UTF8View,
    _ values: Values
  ) -> [Values] {
    guard text.starts(with: literal.utf8) else { return [] }
    return self.values(rest, as: text.dropFirst(literal.utf8.count), values)
  }

  // MARK: What fits together

  /// The values with which most units are in the domain, and how many are.
  private mutating func combine(
    _ units: [Unit]
  ) -> (score: Int, values: [Substring: Set<Text>]) {
    var score = units.count { $0.contains([:]) }
    var result: [Substring: Set<Text>] = [:]
    var open = units.filter { !$0.isEmpty && !$0.contains([:]) }
    while let first = open.first {
      // The units that share parameters, directly or through others.
      var names = Set(first.flatMap(\.keys))
      var group: [Unit] = []
      var isGrowing = true
      while isGrowing {
        let joined = open.filter { $0.contains { !names.isDisjoint(with: $0.keys) } }
        open.removeAll { $0.contains { !names.isDisjoint(with: $0.keys) } }
        group += joined
        names.formUnion(joined.flatMap { $0.flatMap(\.keys) })
        isGrowing = !joined.isEmpty
      }
      let (best, combinations) = best(of: group, names.sorted())
      score += best
      for values in combinations {
        for (name, value) in values { result[name, default: []].insert(value) }
      }
    }
    return (score, result)
  }

  private mutating func best(
    of group: [Unit], _ names: [Substring]
  ) -> (score: Int, combinations: [Values]) {
    var combinations: [Values] = [[:]]
    for name in names {
      let values = Set(group.flatMap { unit in unit.compactMap { $0[name] } })
      combinations = combinations.flatMap { one in
        values.map { value in one.merging([name: value]) { $1 } }
      }
      steps += combinations.count
      if combinations.count > Self.mostCombinations || steps > Self.mostSteps {
        steps = Self.mostSteps + 1
        return (0, [])
      }
    }
    var (best, found) = (0, [Values]())
    for values in combinations {
      steps += group.count
      let score = group.count { unit in
        unit.contains { $0.allSatisfy { values[$0.key] == $0.value } }
      }
      if score > best { (best, found) = (score, []) }
      if score == best { found.append(values) }
    }
    return (best, found)
  }

  /// The items of a list that nothing else in the template gives; `nil` if that is open.
  private func remainder(of place: ListPlace, _ values: [Substring: Set<Text>]) -> [Text]? {
    var items = place.items
    for text in place.others {
      guard let others = rendered(TemplateText(text), values) else { return nil }
      for other in others.map(Text.init) {
        if let index = items.firstIndex(of: other) { items.remove(at: index) }
      }
    }
    return items
  }

  private func rendered(_ text: TemplateText, _ values: [Substring: Set<Text>]) -> [String]? {
    if let name = text.whole, let all = known[name] { return all }
    var result = ""
    for piece in text.pieces {
      switch piece {
      case .text(let text): result += text
      case .parameter(let name):
        if let value = known[name] {
          guard let first = value.first else { return [] }
          result += first
        } else if let found = values[name] {
          guard found.count == 1, let value = found.first else { return nil }
          result += value.text
        } else {
          guard let value = unknown[name]?.defaultValue?.stringValue else { return nil }
          result += value
        }
      }
    }
    return [result]
  }
}

extension TemplateParameter {
  /// Whether a text is a value of the parameter, or an item of one.
  func accepts(_ text: String) -> Bool {
    let faults = Faults()
    let json: JSON = kind.isList ? [.string(text)] : .string(text)
    _ = read(BodyValue(json: json, pointer: .root, faults: faults))
    return faults.count == 0
  }
}

extension [Substring: TemplateSolving.Text] {
  /// Both, unless they contradict each other.
  fileprivate func merging(_ other: Self) -> Self? {
    for (name, value) in other {
      if let own = self[name], own != value { return nil }
    }
    return merging(other) { $1 }
  }
}

extension Domain {
  /// The domain without the numbers of its entries and routes.
  var withoutRows: Domain {
    var domain = self
    domain.associationFile.entries = associationFile.entries.map(\.withoutRows)
    return domain
  }
}

extension Entry {
  /// The entry without its number and those of its routes.
  var withoutRows: Entry {
    var entry = self
    entry.id = nil
    for index in entry.routes.indices { entry.routes[index].id = nil }
    return entry
  }
}
