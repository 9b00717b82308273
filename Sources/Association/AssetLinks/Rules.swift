extension AssetLinks {
  /// The dynamic rules of a statement.
  package enum Rules: Sendable {
    /// There are none: the app's manifest alone decides.
    case none
    /// Android drops the rules because of this value, so the manifest alone decides.
    ///
    /// `isDocumented` is false if Google's documents allow for another reading of the value.
    case dropped(at: JSONPointer, isDocumented: Bool)
    /// The rules in order, of which there is one or more.
    case list([Rule])
  }

  package struct Rule: Sendable {
    package let pointer: JSONPointer
    /// Whether URLs that meet its conditions stay out of the app.
    package let isExclusion: Bool
    /// What a URL must meet; a rule without conditions never holds.
    let conditions: [Condition]
    /// Whether it has a key that no document names.
    let hasUnknownKey: Bool
  }

  enum Condition: Sendable {
    case path(DynamicPattern)
    /// A parameter of the query, as `name=pattern`.
    case parameter(name: String, DynamicPattern)
    case fragment(DynamicPattern)

    var pattern: DynamicPattern {
      switch self {
      case .path(let pattern), .parameter(_, let pattern), .fragment(let pattern): pattern
      }
    }

    /// The condition in lower case.
    var ignoringCase: Condition {
      let lower = DynamicPattern(pattern.text.lowercased())
      return switch self {
      case .path: .path(lower)
      case .parameter(let name, _): .parameter(name: name, lower)
      case .fragment: .fragment(lower)
      }
    }

    var words: String {
      switch self {
      case .path(let pattern): "the path \(pattern.text.quoted)"
      case .parameter(_, let pattern): "the query parameter \(pattern.text.quoted)"
      case .fragment(let pattern): "the fragment \(pattern.text.quoted)"
      }
    }

    /// Where the pattern of a condition of the rule is.
    func pointer(in rule: JSONPointer) -> JSONPointer {
      switch self {
      case .path: rule.appending("/")
      case .parameter(let name, _): rule.appending("?").appending(name)
      case .fragment: rule.appending("#")
      }
    }
  }
}

extension AssetLinks.Rules {
  static let key = "dynamic_app_link_components"

  /// Reads the rules of a statement.
  ///
  /// - Parameter unread: Takes the values inside `relation_extensions` that Android does not read.
  init(of statement: inout ObjectReader, _ unread: inout [UnreadValue]) {
    let start = unread.count
    let rules = Self.read(&statement, &unread)
    let faults = (statement.unread + unread[start...]).filter {
      if case .unknownKey = $0.reason { return false }
      return $0.part == .rule || $0.part == .ruleList || sameScalars($0.key, "relation_extensions")
    }
    if let fault = faults.first(where: { !$0.isPerhapsHarmless }) ?? faults.first {
      self = .dropped(at: fault.pointer, isDocumented: !fault.isPerhapsHarmless)
    } else {
      self = rules.map { .list($0) } ?? .none
    }
  }

  private static func read(
    _ statement: inout ObjectReader, _ unread: inout [UnreadValue]
  ) -> [AssetLinks.Rule]? {
    let extensions = statement.value("relation_extensions", \.objectValue)
    let relation = Relation.handleAllURLs.description
    guard let value = extensions?[relation] else { return nil }
    let pointer = statement.pointer.appending("relation_extensions").appending(relation)
    guard case .object(let object) = value else {
      statement.note(
        "relation_extensions", value, at: pointer, isElement: true,
        .wrongType(expected: "an object"))
      return nil
    }
    var reader = ObjectReader(object, at: pointer, as: .ruleList)
    var inner: [UnreadValue] = []
    let rules = reader.objects(key) { AssetLinks.Rule($0, at: $1, &inner) }
    if reader.json[key]?.arrayValue?.isEmpty == true {
      reader.note(key, .array([]), .noEffect)
    }
    unread += reader.unread + inner
    return rules
  }
}

extension UnreadValue {
  /// Whether Google's documents leave open if the value drops the rules: an empty pattern for a query
  /// parameter, and a rule without any key.
  fileprivate var isPerhapsHarmless: Bool {
    guard part == .rule, case .malformed = reason else { return false }
    return isElement || key.isEmpty
  }
}

extension AssetLinks.Rule {
  fileprivate init(_ json: JSON.Object, at pointer: JSONPointer, _ unread: inout [UnreadValue]) {
    var reader = ObjectReader(json, at: pointer, as: .rule)
    var conditions: [AssetLinks.Condition] = []
    if let pattern = reader.pattern("/") { conditions.append(.path(pattern)) }
    for member in reader.value("?", \.objectValue)?.members ?? [] {
      let place = pointer.appending("?").appending(member.key)
      guard case .string(let text) = member.value else {
        reader.note(
          "?", member.value, at: place, isElement: true, .wrongType(expected: "a string"))
        continue
      }
      if text.isEmpty { reader.note("?", member.value, at: place, isElement: true, .malformed) }
      conditions.append(
        .parameter(name: member.key, DynamicPattern("\(member.key)=\(text)")))
    }
    if let pattern = reader.pattern("#") { conditions.append(.fragment(pattern)) }
    isExclusion = reader.value("exclude", \.boolValue) ?? false
    if json.isEmpty { reader.note("", .object(json), at: pointer, .malformed) }
    hasUnknownKey = reader.unread.contains {
      guard case .unknownKey = $0.reason else { return false }
      return !Self.appleOnly.contains($0.key)
    }
    unread += reader.unread
    (self.pointer, self.conditions) = (pointer, conditions)
  }

  /// Keys of Apple's file, which Google documents to have no meaning.
  static let appleOnly: Set<String> = ["caseSensitive", "percentEncoded"]

  /// The conditions in words; empty if there are none.
  var words: String { conditions.map(\.words).joined(separator: " and ") }
}

extension ObjectReader {
  fileprivate mutating func pattern(_ key: String) -> DynamicPattern? {
    guard let text = value(key, \.stringValue) else { return nil }
    if text.isEmpty { note(key, .string(text), .malformed) }
    return DynamicPattern(text)
  }
}
