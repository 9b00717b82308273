import Glibc

/// A JSON value that keeps what other readers lose: the order of members and the text of numbers.
public enum JSON: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number as its decimal text, so that `1.50` and 20-digit integers come out as they came in
  /// (but for `-0`, which comes out as `0`).
  case number(String)
  /// A string. It may hold U+0000.
  case string(String)
  /// An array.
  case array([JSON])
  /// An object.
  case object(Object)

  /// The members of an object in the order of the text; no key occurs twice.
  public struct Object: Sendable, ExpressibleByDictionaryLiteral {
    /// One key with its value.
    public struct Member: Sendable {
      /// The key, unescaped.
      public let key: String
      /// The value.
      public var value: JSON
    }

    /// The members in order.
    public private(set) var members: [Member] = []

    /// An object without members.
    public init() {}

    /// An object of these members; of a repeated key the last value counts.
    public init(dictionaryLiteral elements: (String, JSON)...) {
      for (key, value) in elements { self[key] = value }
    }

    /// Whether there is no member.
    public var isEmpty: Bool { members.isEmpty }

    /// The keys in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of a key. Setting appends a new key at the end; setting `nil` removes the member.
    ///
    /// Keys are the same only if their scalars are (RFC 8259 section 8.3), so two spellings of one
    /// accented letter are two keys.
    public subscript(key: String) -> JSON? {
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

    /// Appends a member whose key the caller knows to be new.
    package mutating func appendNew(_ key: String, _ value: JSON) {
      members.append(Member(key: key, value: value))
    }
  }

  /// What kind of value this is, in JSON's words: "an object", "a string", "null" and so on.
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The string, if this is one.
  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The boolean, if this is one.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number, if this is one and an integer that fits.
  public var integerValue: Int? {
    if case .number(let text) = self { Int(text) } else { nil }
  }

  /// The elements, if this is an array.
  public var arrayValue: [JSON]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members, if this is an object.
  public var objectValue: Object? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The member of an object; `nil` for any other kind of value.
  public subscript(key: String) -> JSON? { objectValue?[key] }

  /// A number.
  public static func integer(_ value: some FixedWidthInteger) -> JSON { .number(String(value)) }

  /// A string, or `null`.
  public static func optional(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }

  /// An array of strings.
  public static func strings(_ values: some Sequence<String>) -> JSON {
    .array(values.map(JSON.string))
  }
}

/// Equality of JSON values: the order of members does not count, numbers are equal when their
/// values are, strings when their scalars are (Swift's own `==` would take two spellings of one
/// accented letter for the same).
extension JSON: Equatable {
  /// Whether two values are equal as JSON.
  public static func == (left: JSON, right: JSON) -> Bool {
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
  /// Whether two objects have the same keys with equal values, in whatever order.
  public static func == (left: JSON.Object, right: JSON.Object) -> Bool {
    guard left.members.count == right.members.count else { return false }
    // Nearly always the keys are in the same order.
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

extension JSON {
  /// Whether both are written alike: members in the same order, numbers with the same digits.
  public func isWritten(like other: JSON) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.number(let one), .number(let other)), (.string(let one), .string(let other)):
      sameScalars(one, other)
    case (.array(let one), .array(let other)):
      one.elementsEqual(other) { $0.isWritten(like: $1) }
    case (.object(let one), .object(let other)): one.isWritten(like: other)
    default: false
    }
  }
}

extension JSON.Object {
  /// Whether both are written alike: members in the same order, numbers with the same digits.
  public func isWritten(like other: JSON.Object) -> Bool {
    members.elementsEqual(other.members) {
      sameScalars($0.key, $1.key) && $0.value.isWritten(like: $1.value)
    }
  }
}

extension JSON? {
  /// Whether neither is there, or both are written alike.
  public func isWritten(like other: JSON?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.isWritten(like: other)
  }
}

/// Whether two strings have the same scalars, which is what "the same" means for JSON and URLs.
public func sameScalars(_ left: String, _ right: String) -> Bool {
  guard left.utf8.count == right.utf8.count else { return false }
  // Sound: the bytes of both are there during the call, and as many as were counted.
  return left.utf8.span.withUnsafeBytes { one in
    right.utf8.span.withUnsafeBytes { other in
      guard let start = one.baseAddress, let other = other.baseAddress else { return true }
      return memcmp(start, other, one.count) == 0
    }
  }
}

/// Whether two JSON numbers have the same value: compared as integers or doubles where both fit
/// exactly, otherwise by their text.
private func sameNumber(_ left: String, _ right: String) -> Bool {
  if left == right { return true }
  if let left = Int64(left), let right = Int64(right) { return left == right }
  let isShort = { (text: String) in text.count(where: \.isNumber) <= 15 }
  guard isShort(left), isShort(right) else { return false }
  return Double(left) == Double(right)
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByIntegerLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// A number.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// An object; of a repeated key the last value counts.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    var object = Object()
    for (key, value) in elements { object[key] = value }
    self = .object(object)
  }
}
