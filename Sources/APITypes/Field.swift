import Association
import JSONValue

/// One member of a resource: its name, schema and documentation, and how it is read and written.
///
/// A resource is one list of fields. Reading a body with every fault named, writing an answer and the
/// schemas of the OpenAPI description all come from that list. Fields are read in the order of the
/// list, so one may depend on those before it.
struct Field<Root>: Sendable {
  fileprivate(set) var member: Member
  fileprivate let write: @Sendable (Root) -> JSON?
  fileprivate let read: (@Sendable (BodyValue, inout Root) -> Void)?

  /// A member with its own way to be written and read. Without `read` it is read-only.
  init(
    _ name: String, _ schema: Schema, _ documentation: String = "", _ traits: Member.Traits = [],
    write: @escaping @Sendable (Root) -> JSON?,
    read: (@Sendable (BodyValue, inout Root) -> Void)? = nil
  ) {
    let traits = read == nil ? traits.union(.readOnly) : traits
    member = Member(name, schema, documentation, traits)
    self.write = write
    self.read = read
  }

  /// A property. Answers leave it out where `isLeftOut` says so.
  init<Value>(
    _ name: String, _ coding: Coding<Value>, _ path: any WritableKeyPath<Root, Value> & Sendable,
    _ documentation: String = "", _ traits: Member.Traits = [],
    unless isLeftOut: (@Sendable (Value) -> Bool)? = nil
  ) {
    self.init(
      name, coding.schema, documentation, isLeftOut == nil ? traits : traits.union(.optional)
    ) { root in
      let value = root[keyPath: path]
      return isLeftOut?(value) == true ? nil : coding.write(value)
    } read: { body, root in
      if let value = coding.read(body) { root[keyPath: path] = value }
    }
  }

  /// A property that may be `nil`, which answers leave out.
  init<Value>(
    _ name: String, _ coding: Coding<Value>, _ path: any WritableKeyPath<Root, Value?> & Sendable,
    _ documentation: String = "", _ traits: Member.Traits = .optional
  ) {
    self.init(name, coding.schema, documentation, traits) { root in
      root[keyPath: path].map(coding.write)
    } read: { body, root in
      if let value = coding.read(body) { root[keyPath: path] = value }
    }
  }
}

extension Array {
  /// The members, for schemas.
  func members<Root>() -> [Member] where Element == Field<Root> { map(\.member) }

  /// The same fields, of which a request must have this one.
  func requiring<Root>(_ name: String) -> [Field<Root>] where Element == Field<Root> {
    map { field in
      var field = field
      if field.member.name == name { field.member.traits.insert(.required) }
      return field
    }
  }

  /// Writes a value, as an answer or as an export.
  func json<Root>(
    of value: Root, for use: Schema.Use = .answer
  ) -> JSON.Object where Element == Field<Root> {
    var object = JSON.Object()
    for field in self where use != .export || !field.member.traits.contains(.local) {
      if let json = field.write(value) { object.appendNew(field.member.name, json) }
    }
    return object
  }
}

extension BodyValue {
  /// Reads an object into `value`, which keeps what it has where a member is missing or invalid.
  /// Returns false, having noted why, if this is no object or a required member cannot be read.
  ///
  /// - Parameter isOpen: Whether the object may have other members.
  func read<Root>(_ fields: [Field<Root>], into value: inout Root, isOpen: Bool = false) -> Bool {
    let object = isOpen ? self.object() : object(fields.map(\.member.name))
    guard let object else { return false }
    var isComplete = true
    for field in fields {
      let isRequired = field.member.traits.contains(.required)
      let before = faults.all.count
      let body = isRequired ? object.required(field.member.name) : object[field.member.name]
      if let body { field.read?(body, &value) }
      if isRequired && faults.all.count > before { isComplete = false }
    }
    return isComplete
  }
}

/// How a Swift value appears in JSON.
struct Coding<Value>: Sendable {
  let schema: Schema
  /// Returns `nil`, having noted why, for what is no such value.
  let read: @Sendable (BodyValue) -> Value?
  let write: @Sendable (Value) -> JSON

  init(
    _ schema: Schema, read: @escaping @Sendable (BodyValue) -> Value?,
    write: @escaping @Sendable (Value) -> JSON
  ) {
    self.schema = schema
    self.read = read
    self.write = write
  }

  static func list<Element>(of element: Coding<Element>, limit: Int? = nil) -> Coding
  where Value == [Element] {
    Coding(.list(of: element.schema, limit: limit)) {
      $0.list(element.read)
    } write: {
      .array($0.map(element.write))
    }
  }
}

extension Coding<String> {
  static var string: Coding {
    Coding(.string) {
      $0.string
    } write: {
      .string($0)
    }
  }
}

extension Coding<Bool> {
  static var bool: Coding {
    Coding(.bool) {
      $0.bool
    } write: {
      .bool($0)
    }
  }
}

extension Coding<Int> {
  static func integer(in range: ClosedRange<Int>) -> Coding {
    Coding(.integer(in: range)) {
      $0.integer(in: range)
    } write: {
      .integer($0)
    }
  }
}

extension Coding<Int64> {
  /// The row of an entry or a route.
  static var row: Coding {
    let schema = Schema.json(["type": "integer", "minimum": 1, "maximum": .integer(Int64.max)])
    return Coding(schema) {
      $0.integer(in: 1...Int.max).map(Int64.init)
    } write: {
      .integer($0)
    }
  }

  /// A time, in seconds since 1970.
  static var time: Coding {
    let schema = Schema.json(["type": "string", "format": "date-time"])
    return Coding(schema) {
      $0.time
    } write: {
      .string(Timestamp.text($0))
    }
  }
}

extension Coding<AppIdentifier> {
  static var app: Coding {
    Coding(.app) {
      $0.parse(AppIdentifier.init(_:))
    } write: {
      .string($0.text)
    }
  }
}

extension Coding<DomainName> {
  static var domain: Coding {
    Coding(.domain) {
      $0.parse(DomainName.init(_:))
    } write: {
      .string($0.text)
    }
  }
}

extension Coding<Alias> {
  static var alias: Coding {
    Coding(.alias) {
      $0.parse(Alias.init(_:))
    } write: {
      .string($0.description)
    }
  }
}

extension Coding where Value: RawRepresentable<String> & CaseIterable & Sendable {
  /// A word of a closed set.
  static var word: Coding { word(as: .words(Value.self)) }

  /// A word of a closed set that has a schema of its own.
  static func word(as schema: Schema) -> Coding {
    Coding(schema) {
      $0.word(Value.self)
    } write: {
      .string($0.rawValue)
    }
  }
}

extension Coding<JSON.Object> {
  /// Members that are copied into the published file, except those that this API has fields for.
  static func extra(besides known: [String: @Sendable (JSON) -> Bool]) -> Coding {
    Coding(.object) {
      $0.extra(besides: known)
    } write: {
      .object($0)
    }
  }
}
