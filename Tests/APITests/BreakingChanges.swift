import Association

/// What a newer description of the API takes away from the clients of an older one, as "What a version number promises"
/// in docs/upgrading.md has it: nothing that they send may be refused, and nothing that they read may be missing.
struct BreakingChanges {
  private let old: Description
  private let new: Description
  private(set) var found: [String] = []
  private var compared: Set<[String]> = []

  /// Who writes what a schema describes.
  private enum Writer: String { case client, server }

  init(from old: Description, to new: Description) {
    (self.old, self.new) = (old, new)
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
    // Generated clients name their functions after it.
    if before.id != after.id { found.append("\(place): operationId \(before.id) is \(after.id)") }
    compareParameters(before, after)
    let (body, nextBody) = (
      old.resolve(before.json["requestBody"]), new.resolve(after.json["requestBody"])
    )
    if nextBody?["required"] == true && body?["required"] != true {
      found.append("\(place): a body is required")
    }
    if body != nil { compareContent(body, nextBody, "\(place) body", .client) }
    for member in before.json["responses"]?.objectValue?.members ?? [] {
      let status = member.key
      let place = "\(place) \(status)"
      guard let next = new.resolve(after.json["responses"]?[status]) else {
        found.append("\(place) is gone")
        continue
      }
      let response = old.resolve(member.value)
      for code in Set(old.codes(response)).subtracting(new.codes(next)).sorted() {
        found.append("\(place): the code \(code) is gone")
      }
      for header in response?["headers"]?.objectValue?.keys ?? []
      where next["headers"]?[header] == nil {
        found.append("\(place): the header \(header) is gone")
      }
      compareContent(response, next, place, .server)
    }
  }

  private mutating func compareParameters(
    _ before: Description.Operation, _ after: Description.Operation
  ) {
    func parameters(_ operation: Description.Operation, of description: Description) -> [String:
      JSON]
    {
      let all = (operation.json["parameters"]?.arrayValue ?? []).compactMap(description.resolve)
      return Dictionary(
        uniqueKeysWithValues: all.map {
          ("\($0["in"]?.stringValue ?? "") \($0["name"]?.stringValue ?? "")", $0)
        })
    }
    let (before, after, place) = (
      parameters(before, of: old), parameters(after, of: new), before.name
    )
    for (name, parameter) in before.sorted(by: { $0.key < $1.key }) {
      guard let next = after[name] else {
        found.append("\(place): the parameter \(name) is gone")
        continue
      }
      compare(parameter["schema"], next["schema"], "\(place) \(name)", .client)
    }
    for (name, parameter) in after.sorted(by: { $0.key < $1.key })
    where parameter["required"] == true && before[name]?["required"] != true {
      found.append("\(place): the parameter \(name) is required")
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

  private mutating func compare(
    _ before: JSON?, _ after: JSON?, _ place: String, _ writer: Writer
  ) {
    var place = place
    if let name = before?["$ref"]?.stringValue {
      let names = [name, after?["$ref"]?.stringValue ?? place, writer.rawValue]
      guard compared.insert(names).inserted else { return }
      place = String(name.split(separator: "/").last ?? "")
    }
    guard let before = old.resolve(before), let after = new.resolve(after) else { return }
    compareValues(before, after, place, writer)
    let known = Set(strings(before["required"]))
    let required = Set(strings(after["required"]))
    switch writer {
    case .client:
      for name in required.subtracting(known).sorted() {
        found.append("\(place).\(name) is required")
      }
      if after["additionalProperties"] == false && before["additionalProperties"] != false {
        found.append("\(place): other members are refused")
      }
    case .server:
      for name in known.subtracting(required).sorted() {
        found.append("\(place).\(name) may be missing")
      }
    }
    for member in before["properties"]?.objectValue?.members ?? [] {
      guard let next = after["properties"]?[member.key] else {
        found.append("\(place).\(member.key) is gone")
        continue
      }
      compare(member.value, next, "\(place).\(member.key)", writer)
    }
    for keyword in ["items", "additionalProperties"] where before[keyword]?.objectValue != nil {
      compare(before[keyword], after[keyword], "\(place) \(keyword)", writer)
    }
    for keyword in ["oneOf", "anyOf", "allOf"] {
      let (members, next) = (before[keyword]?.arrayValue ?? [], after[keyword]?.arrayValue ?? [])
      if next.count < members.count { found.append("\(place): one of \(keyword) is gone") }
      for (index, (member, next)) in zip(members, next).enumerated() {
        compare(member, next, "\(place) \(keyword) \(index)", writer)
      }
    }
  }

  /// The type, the words and the limits of a schema. Limits only rise.
  private mutating func compareValues(
    _ before: JSON, _ after: JSON, _ place: String, _ writer: Writer
  ) {
    let (types, next) = (self.types(before), self.types(after))
    let (narrow, wide) = writer == .client ? (types, next) : (next, types)
    if let wide, narrow?.isSubset(of: wide) != true {
      found.append("\(place): the type \(text(before["type"])) is \(text(after["type"]))")
    }
    if let words = after["enum"]?.arrayValue {
      for word in before["enum"]?.arrayValue ?? [] where !words.contains(word) {
        found.append("\(place): \(word.text) is gone")
      }
    }
    if (before["enum"] == nil) != (after["enum"] == nil), writer == .server || after["enum"] != nil
    {
      found.append("\(place): its words are not those of before")
    }
    for keyword in ["const", "format"] where before[keyword] != after[keyword] {
      found.append("\(place): \(keyword) \(text(before[keyword])) is \(text(after[keyword]))")
    }
    guard writer == .client else { return }
    if let pattern = after["pattern"], pattern != before["pattern"] {
      found.append("\(place): only \(pattern.text) is accepted")
    }
    for (keyword, sign) in [
      ("maximum", 1), ("maxLength", 1), ("maxItems", 1), ("maxProperties", 1),
      ("minimum", -1), ("minLength", -1), ("minItems", -1), ("minProperties", -1),
    ] {
      guard let limit = after[keyword]?.integerValue else { continue }
      guard let earlier = before[keyword]?.integerValue, limit * sign >= earlier * sign else {
        found.append("\(place): \(keyword) \(text(before[keyword])) is \(limit)")
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

  private func strings(_ list: JSON?) -> [String] {
    (list?.arrayValue ?? []).compactMap(\.stringValue)
  }

  private func text(_ value: JSON?) -> String { value?.text ?? "of any kind" }
}
