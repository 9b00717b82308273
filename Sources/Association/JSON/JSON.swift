import Glibc

/// A JSON value that preserves the order of members and the text of numbers.
package enum JSON: Sendable {
  case null
  case bool(Bool)
  /// A number as its decimal text, so that `1.50` and 20-digit integers are preserved (`-0` becomes
  /// `0`).
  case number(String)
  /// A string, which may contain U+0000.
  case string(String)
  case array([JSON])
  case object(Object)

  /// The members of an object in file order; no key occurs twice.
  package struct Object: Sendable, ExpressibleByDictionaryLiteral {
    /// A key with its value.
    package struct Member: Sendable {
      /// The key, unescaped.
      package let key: String
      package var value: JSON
    }

    package private(set) var members: [Member] = []

    package init() {}

    /// An empty object with capacity for this many members.
    init(capacity: Int) { members.reserveCapacity(capacity) }

    /// An object with these members; the last value of a repeated key applies.
    package init(dictionaryLiteral elements: (String, JSON)...) {
      for (key, value) in elements { self[key] = value }
    }

    package var isEmpty: Bool { members.isEmpty }

    package var keys: [String] { members.map(\.key) }

    /// The value of a key. Setting appends a new key at the end; setting `nil` removes the member.
    ///
    /// Keys are equal only if their scalars are (RFC 8259 section 8.3), so a composed and a decomposed
    /// letter are two keys.
    package subscript(key: String) -> JSON? {
      get {
        members.firstIndex { sameScalars($0.key, key) }.map { members[$0].value }
      }
      set {
        let index = members.firstIndex { sameScalars($0.key, key) }
        switch (index, newValue) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append(Member(key: key, value: value))
        case (nil, nil): break
        }
      }
    }

    /// Appends a member. The caller ensures that its key is new.
    package mutating func appendNew(_ key: String, _ value: JSON) {
      members.append(Member(key: key, value: value))
    }
  }

  /// The type of the value with an article: "an object", "a string", "null" and so on.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  package var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The value, if it is a number that fits an integer.
  package var integerValue: Int? {
    if case .number(let text) = self { Int(text) } else { nil }
  }

  /// The elements, if the value is an array.
  package var arrayValue: [JSON]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members, if the value is an object.
  package var objectValue: Object? {
    if case .object(let value) = self { value } else { nil }
  }

  /// A member of an object; `nil` for any other type.
  package subscript(key: String) -> JSON? { objectValue?[key] }

  package static func integer(_ value: some FixedWidthInteger) -> JSON { .number(String(value)) }

  package static func optional(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }

  package static func strings(_ values: some Sequence<String>) -> JSON {
    .array(values.map(JSON.string))
  }
}

/// JSON equality: the order of members does not matter, numbers are compared by value, strings by
/// scalars (Swift's own `==` treats a composed and a decomposed letter as equal).
extension JSON: Equatable {
  /// Whether two values are equal as JSON.
  package static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): sameNumber(left, right)
    case (.string(let left), .string(let right)): sameScalars(left, right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }
}

extension JSON.Object: Equatable {
  /// Whether two objects have the same keys with equal values, in any order.
  package static func == (left: JSON.Object, right: JSON.Object) -> Bool {
    guard left.members.count == right.members.count else { return false }
    // The keys nearly always have the same order.
    if zip(left.members, right.members).allSatisfy({ sameScalars($0.key, $1.key) }) {
      return zip(left.members, right.members).allSatisfy { $0.value == $1.value }
    }
    let order = { (object: JSON.Object) in
      object.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
    return zip(order(left), order(right)).allSatisfy {
      sameScalars($0.key, $1.key) && $0.value == $1.value
    }
  }
}

/// Whether two strings have the same scalars, which is how JSON and URLs compare strings.
package func sameScalars(_ left: String, _ right: String) -> Bool {
  guard left.utf8.count == right.utf8.count else { return false }
  // Sound: both spans are valid during the call, and have the same length.
  return left.utf8.span.withUnsafeBytes { one in
    right.utf8.span.withUnsafeBytes { other in
      guard let start = one.baseAddress, let other = other.baseAddress else { return true }
      return memcmp(start, other, one.count) == 0
    }
  }
}

/// Whether two JSON numbers have the same value: compared as integers or doubles if both fit
/// exactly, otherwise as text.
private func sameNumber(_ left: String, _ right: String) -> Bool {
  if left == right { return true }
  if let left = Int64(left), let right = Int64(right) { return left == right }
  let isShort = { (text: String) in text.count(where: \.isNumber) <= 15 }
  guard isShort(left), isShort(right), let value = Double(left), value == Double(right) else {
    return false
  }
  // What is too large or too small for a double has lost its value.
  let isZero = { (text: String) in text.prefix { !"eE".contains($0) }.allSatisfy("-0.".contains) }
  return value.isNormal || isZero(left) && isZero(right)
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByIntegerLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(integerLiteral value: Int) { self = .integer(value) }
  /// An object with these members; the last value of a repeated key applies.
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.reduce(into: Object()) { $0[$1.0] = $1.1 })
  }
}
