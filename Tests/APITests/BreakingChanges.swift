import Association

/// What a newer description of the API takes away from the clients of an older one, as "What a version number promises"
/// in docs/upgrading.md has it: nothing that they send may be refused, and nothing that they read may be missing or of
/// another kind. What this does not know has to stay as it is.
struct BreakingChanges {
  private let old: Description
  private let new: Description
  private(set) var found: [String] = []
  private var compared: Set<[String]> = []

  /// Who writes what a schema describes.
  private enum Writer: String { case client, server }

  init(from old: Description, to new: Description) {
    (self.old, self.new) = (old, new)
    compareEqual("servers", old.json, new.json, "the API")
    for scheme in old.json["components"]?["securitySchemes"]?.objectValue?.members ?? [] {
      for keyword in ["type", "scheme", "in", "name"] {
        compareEqual(
          keyword, scheme.value, new.component("securitySchemes", scheme.key), scheme.key)
      }
    }
    for operation in old.operations {
      guard let next = new.operations.first(where: { $0.name == operation.name }) else {
        found.append("\(operation.name) is gone")
        continue
      }
      compare(operation, next)
    }
  }

  private mutating func compare(_ before: Description.Operation, _ after: Description.Operation) {
    let place = before.name
    // Generated clients name their functions after it, and group them by the tags.
    for keyword in ["operationId", "tags"] { compareEqual(keyword, before.json, after.json, place) }
    compareRoles(before, after)
    compareParameters(before, after)
    let body = old.resolve(before.json["requestBody"])
    let nextBody = new.resolve(after.json["requestBody"])
    if nextBody?["required"] == true && body?["required"] != true {
      found.append("\(place): a body is required")
    }
    if body != nil { compareContent(body, nextBody, "\(place) body", .client) }
    for member in before.json["responses"]?.objectValue?.members ?? [] {
      let place = "\(place) \(member.key)"
      guard let next = new.resolve(after.json["responses"]?[member.key]) else {
        found.append("\(place) is gone")
        continue
      }
      let response = old.resolve(member.value)
      for code in Set(old.codes(response)).subtracting(new.codes(next)).sorted() {
        found.append("\(place): the code \(code) is gone")
      }
      for header in response?["headers"]?.objectValue?.members ?? [] {
        let (header, name) = (old.resolve(header.value), header.key)
        let nextHeader = new.resolve(next["headers"]?[name])
        if nextHeader == nil || header?["required"] == true && nextHeader?["required"] != true {
          found.append("\(place): the header \(name) may be missing")
        }
        compare(header?["schema"], nextHeader?["schema"], "\(place) \(name)", .server)
      }
      compareContent(response, next, place, .server)
    }
  }

  private static let roles = ["viewer", "editor", "admin"]

  /// The role that an operation needs may only fall.
  private mutating func compareRoles(
    _ before: Description.Operation, _ after: Description.Operation
  ) {
    func roles(_ operation: Description.Operation) -> [String: Int] {
      let all = (operation.json["security"]?.arrayValue ?? []).flatMap {
        $0.objectValue?.members ?? []
      }
      return Dictionary(
        uniqueKeysWithValues: all.map {
          ($0.key, $0.value.arrayValue?.first?.stringValue.flatMap(Self.roles.firstIndex) ?? -1)
        })
    }
    let (needed, now) = (roles(before), roles(after))
    if needed.isEmpty && !now.isEmpty { found.append("\(before.name): a token is required") }
    for (scheme, role) in needed.sorted(by: { $0.key < $1.key })
    where !now.isEmpty && now[scheme] ?? .max > role {
      found.append("\(before.name): \(scheme) needs a higher role, or is refused")
    }
  }

  private mutating func compareParameters(
    _ before: Description.Operation, _ after: Description.Operation
  ) {
    func parameters(
      _ operation: Description.Operation, of description: Description
    ) -> [String: JSON] {
      let all = (operation.json["parameters"]?.arrayValue ?? []).compactMap(description.resolve)
      return Dictionary(
        uniqueKeysWithValues: all.map {
          ("\($0["in"]?.stringValue ?? "") \($0["name"]?.stringValue ?? "")", $0)
        })
    }
    let (known, now) = (parameters(before, of: old), parameters(after, of: new))
    for (name, parameter) in known.sorted(by: { $0.key < $1.key }) {
      guard let next = now[name] else {
        found.append("\(before.name): the parameter \(name) is gone")
        continue
      }
      for keyword in ["style", "explode"] {
        compareEqual(keyword, parameter, next, "\(before.name) \(name)")
      }
      compare(parameter["schema"], next["schema"], "\(before.name) \(name)", .client)
    }
    for (name, parameter) in now.sorted(by: { $0.key < $1.key })
    where parameter["required"] == true && known[name]?["required"] != true {
      found.append("\(before.name): the parameter \(name) is required")
    }
  }

  private mutating func compareContent(
    _ before: JSON?, _ after: JSON?, _ place: String, _ writer: Writer
  ) {
    for content in before?["content"]?.objectValue?.members ?? [] {
      guard let next = after?["content"]?[content.key] else {
        found.append("\(place): \(content.key) is gone")
        continue
      }
      compare(content.value["schema"], next["schema"], place, writer)
    }
  }

  // MARK: Schemas

  /// Nil, and `true`, are the schemas of anything.
  private mutating func compare(
    _ before: JSON?, _ after: JSON?, _ place: String, _ writer: Writer
  ) {
    let (narrow, wide) = writer == .client ? (before, after) : (after, before)
    guard let wide, wide != true else { return }
    guard let narrow, narrow != true else {
      found.append("\(place): what was anything is not, or the other way round")
      return
    }
    if wide == false || narrow == false {
      if wide != narrow { found.append("\(place): other members are refused") }
      return
    }
    // Each form on the narrow side needs one on the wide side: what clients send has to be accepted, and what the
    // server answers has to be known.
    var (forms, others) = (Self.forms(narrow), Self.forms(wide))
    for form in forms {
      guard let same = others.firstIndex(of: form) else { continue }
      others.remove(at: same)
      forms.removeAll { $0 == form }
      compareForm(form, form, place, writer)
    }
    if forms.count > others.count { found.append("\(place): a form is gone, or new in answers") }
    for (form, other) in zip(forms, others) {
      let (before, after) = writer == .client ? (form, other) : (other, form)
      compareForm(before, after, place, writer)
    }
  }

  /// The alternatives of a schema that has nothing else.
  private static func forms(_ schema: JSON) -> [JSON] {
    let others = schema.objectValue?.keys.filter { $0 != "oneOf" && !notes.contains($0) } ?? []
    guard others.isEmpty, let forms = schema["oneOf"]?.arrayValue else { return [schema] }
    return forms
  }

  /// What does not matter to a program.
  private static let notes: Set = ["description", "title", "example", "examples", "x-codes"]
  /// What `compareForm` compares by rules of its own.
  private static let known: Set = [
    "$ref", "type", "enum", "const", "pattern", "format", "properties", "required", "items",
    "additionalProperties", "propertyNames", "minimum", "minLength", "minItems", "minProperties",
    "maximum", "maxLength", "maxItems", "maxProperties",
  ]

  private mutating func compareForm(
    _ before: JSON, _ after: JSON, _ place: String, _ writer: Writer
  ) {
    var place = place
    for keyword in Set(before.keys + after.keys).subtracting(Self.known).subtracting(Self.notes)
      .sorted()
    { compareEqual(keyword, before, after, place) }
    // What is beside a reference would be lost by following it.
    for schema in [before, after] where schema["$ref"] != nil {
      if schema.keys.contains(where: { $0 != "$ref" && Self.known.contains($0) }) {
        found.append("\(place): a reference with more beside it is not compared")
      }
    }
    if let name = before["$ref"]?.stringValue {
      let names = [name, after["$ref"]?.stringValue ?? place, writer.rawValue]
      guard compared.insert(names).inserted else { return }
      place = String(name.split(separator: "/").last ?? "")
    }
    if before["$ref"] != nil || after["$ref"] != nil {
      compare(old.resolve(before), new.resolve(after), place, writer)
      return
    }
    compareValues(before, after, place, writer)
    compareMembers(before, after, place, writer)
    for keyword in ["items", "propertyNames"] {
      compare(before[keyword], after[keyword], "\(place) \(keyword)", writer)
    }
    // Members may be added to answers.
    if writer == .client || before["additionalProperties"]?.objectValue != nil {
      compare(
        before["additionalProperties"], after["additionalProperties"], "\(place) *", writer)
    }
  }

  private mutating func compareMembers(
    _ before: JSON, _ after: JSON, _ place: String, _ writer: Writer
  ) {
    let (known, now) = (Set(strings(before["required"])), Set(strings(after["required"])))
    switch writer {
    case .client:
      found += now.subtracting(known).sorted().map { "\(place).\($0) is required" }
    case .server:
      found += known.subtracting(now).sorted().map { "\(place).\($0) may be missing" }
    }
    for member in before["properties"]?.objectValue?.members ?? [] {
      guard let next = after["properties"]?[member.key] else {
        found.append("\(place).\(member.key) is gone")
        continue
      }
      compare(member.value, next, "\(place).\(member.key)", writer)
    }
  }

  /// The type, the words and the limits. Limits of what clients send only rise.
  private mutating func compareValues(
    _ before: JSON, _ after: JSON, _ place: String, _ writer: Writer
  ) {
    let (narrow, wide) = writer == .client ? (before, after) : (after, before)
    if let types = types(wide), self.types(narrow)?.isSubset(of: types) != true {
      found.append("\(place): the type \(text(before["type"])) is \(text(after["type"]))")
    }
    // Words may be added to answers, too.
    let (words, now) = (words(before), self.words(after))
    if let words, let now {
      found += words.filter { !now.contains($0) }.map { "\(place): \($0.text) is gone" }
    } else if writer == .client ? now != nil : words != nil {
      found.append("\(place): its words are not those of before")
    }
    for keyword in ["pattern", "format"]
    where wide[keyword] != nil && before[keyword] != after[keyword] {
      found.append("\(place): \(keyword) \(text(before[keyword])) is \(text(after[keyword]))")
    }
    let lower = ["minimum", "minLength", "minItems", "minProperties"]
    let upper = ["maximum", "maxLength", "maxItems", "maxProperties"]
    for keyword in writer == .client ? lower + upper : lower {
      guard let limit = wide[keyword]?.integerValue else { continue }
      let other = narrow[keyword]?.integerValue
      let isWithin = other.map { lower.contains(keyword) ? limit <= $0 : limit >= $0 }
      guard isWithin == true else {
        found.append("\(place): \(keyword) \(text(before[keyword])) is \(text(after[keyword]))")
        continue
      }
    }
  }

  /// Nil if any type is allowed.
  private func types(_ schema: JSON) -> Set<String>? {
    guard let type = schema["type"] else { return nil }
    let types = Set(type.stringValue.map { [$0] } ?? strings(type))
    return types.contains("number") ? types.union(["integer"]) : types
  }

  private func words(_ schema: JSON) -> [JSON]? {
    schema["enum"]?.arrayValue ?? schema["const"].map { [$0] }
  }

  private mutating func compareEqual(
    _ keyword: String, _ before: JSON?, _ after: JSON?, _ place: String
  ) {
    guard before?[keyword] != after?[keyword] else { return }
    found.append("\(place): \(keyword) \(text(before?[keyword])) is \(text(after?[keyword]))")
  }

  private func strings(_ list: JSON?) -> [String] {
    (list?.arrayValue ?? []).compactMap(\.stringValue)
  }

  private func text(_ value: JSON?) -> String { value?.text ?? "of any kind" }
}

extension JSON {
  fileprivate var keys: [String] { objectValue?.keys ?? [] }
}
