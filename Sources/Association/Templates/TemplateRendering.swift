/// Puts the values of one domain into a template.
struct TemplateRendering {
  private let values: [Substring: [String]]
  private let kinds: [Substring: TemplateParameter]
  private let faults: Faults

  /// - Parameter values: The texts of each parameter; none for a parameter without a value.
  init(_ parameters: [TemplateParameter], values: [String: [String]], faults: Faults) {
    kinds = Dictionary(
      (parameters + [.domain]).map { ($0.name[...], $0) }, uniquingKeysWith: { $1 })
    self.values = values.reduce(into: [:]) { $0[$1.key[...]] = $1.value }
    self.faults = faults
  }

  /// The members with the values. List items and routes whose parameter has no value are left out, and so are entries
  /// that have lost all their apps or routes.
  func members(_ members: JSON.Object) -> JSON.Object {
    var rendered = JSON.Object()
    for member in members.members {
      let place = TemplatePlace.members[member.key] ?? .fixed
      guard let value = render(member.value, place, at: JSONPointer.root.appending(member.key))
      else { continue }
      rendered.appendNew(member.key, value)
    }
    return rendered
  }

  private func render(_ json: JSON, _ place: TemplatePlace, at pointer: JSONPointer) -> JSON? {
    switch (place, json) {
    case (.list(let element), .array(let items)):
      return .array(
        items.enumerated().flatMap { self.items($1, element, at: pointer.appending($0)) })
    case (.map(let value), .object(let members)):
      return .object(object(members, at: pointer) { _ in value }.members)
    case (.query, .object): return render(json, .map(.pattern), at: pointer)
    case (.query, _): return render(json, .pattern, at: pointer)
    case (.item(let places), .object(let members)):
      let rendered = object(members, at: pointer) { places[$0] ?? .fixed }
      return rendered.isWhole ? .object(rendered.members) : nil
    case (.entry, .object(let members)): return entry(members, at: pointer)
    case (_, .string(let text)): return string(text, place, at: pointer)?.first.map(JSON.string)
    case (.fixed, .object(let members)):
      return .object(object(members, at: pointer) { _ in .fixed }.members)
    case (.fixed, .array): return render(json, .list(.fixed), at: pointer)
    // Reading what was rendered names the fault.
    default: return json
    }
  }

  /// The items that take the place of one item of a list.
  private func items(_ json: JSON, _ place: TemplatePlace, at pointer: JSONPointer) -> [JSON] {
    if let text = json.stringValue {
      return (string(text, place, isItem: true, at: pointer) ?? []).map(JSON.string)
    }
    return render(json, place, at: pointer).map { [$0] } ?? []
  }

  private func object(
    _ members: JSON.Object, at pointer: JSONPointer, _ place: (String) -> TemplatePlace
  ) -> (members: JSON.Object, isWhole: Bool) {
    var rendered = JSON.Object()
    for member in members.members {
      let pointer = pointer.appending(member.key)
      if TemplateText(member.key).parameters.contains(where: { kinds[$0] != nil }) {
        faults.add(
          .misplacedParameter, at: pointer,
          "A parameter cannot be in the name of a member. Write the name itself.")
      }
      guard let value = render(member.value, place(member.key), at: pointer) else { continue }
      rendered.appendNew(member.key, value)
    }
    return (rendered, rendered.members.count == members.members.count)
  }

  private func entry(_ members: JSON.Object, at pointer: JSONPointer) -> JSON? {
    let rendered = object(members, at: pointer) { TemplatePlace.entryMembers[$0] ?? .fixed }
    func count(_ object: JSON.Object, _ keys: [String]) -> Int {
      keys.reduce(0) { $0 + (object[$1]?.arrayValue?.count ?? 0) }
    }
    for keys in [["apps", "androidApps"], ["routes"]]
    where count(members, keys) > 0 && count(rendered.members, keys) == 0 {
      return nil
    }
    return rendered.isWhole ? .object(rendered.members) : nil
  }

  /// The texts that a text becomes: several for a list, none if a parameter has no value.
  private func string(
    _ text: String, _ place: TemplatePlace, isItem: Bool = false, at pointer: JSONPointer
  ) -> [String]? {
    let template = TemplateText(text, in: place)
    for name in template.ownNames where kinds[name] != nil {
      faults.add(
        .misplacedParameter, at: pointer,
        "{\(name)} is that of the request here, and the template has a parameter with this name. Rename the parameter."
      )
    }
    if template.parameters.isEmpty { return [text] }
    guard isAllowed(template, place, isItem: isItem, at: pointer) else { return [text] }
    if let name = template.whole { return values[name] ?? [] }
    var result = ""
    for piece in template.pieces {
      switch piece {
      case .text(let text): add(text, to: &result, at: pointer, place)
      case .parameter(let name):
        guard let value = values[name]?.first else { return nil }
        add(value[...], to: &result, at: pointer, place)
      }
    }
    return [result]
  }

  /// Two pieces without anything special must not have it together.
  private func add(
    _ piece: Substring, to text: inout String, at pointer: JSONPointer, _ place: TemplatePlace
  ) {
    if case .pattern = place, text.utf8.last == UInt8(ascii: "$"),
      piece.utf8.first == UInt8(ascii: "(")
    {
      faults.add(
        .malformedValue, at: pointer,
        "With these values, \"$\" and \"(\" come together, which begins a substitution variable. Change a value."
      )
    }
    text += piece
  }

  private func isAllowed(
    _ text: TemplateText, _ place: TemplatePlace, isItem: Bool, at pointer: JSONPointer
  ) -> Bool {
    var isAllowed = true
    for name in text.parameters {
      guard let parameter = kinds[name] else {
        faults.add(
          .unknownParameter, at: pointer,
          "The template has no parameter \(String(name).quoted). Declare it in \"parameters\", or correct {\(name)}."
        )
        isAllowed = false
        continue
      }
      if place.allows(parameter, isWhole: text.whole != nil, isItem: isItem) { continue }
      isAllowed = false
      let what =
        parameter == .domain ? "{domain}" : "{\(name)} of the type \(parameter.kind.rawValue)"
      faults.add(
        .misplacedParameter, at: pointer,
        place.allowed.isEmpty
          ? "\(what) cannot be here: this value is the same for every domain."
          : "\(what) cannot be here. Use a parameter of the type \(place.allowed).")
    }
    return isAllowed
  }
}
