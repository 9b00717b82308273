/// One member of a resource: its name, schema and documentation, and how it is read and written.
///
/// A resource is one list of fields. Reading a body with every fault named, writing an answer and the
/// schemas of the OpenAPI description all come from that list. Fields are read in the order of the
/// list, so one may depend on those before it.
///
/// A class, so that going through a list of fields copies none of their closures and texts.
package final class Field<Root>: Sendable {
  package let member: Member
  fileprivate let write: @Sendable (Root) -> JSON?
  /// Writes also what answers leave out.
  fileprivate let writeAlways: (@Sendable (Root) -> JSON)?
  fileprivate let read: (@Sendable (BodyValue, inout Root) -> Void)?

  fileprivate init(
    _ member: Member, write: @escaping @Sendable (Root) -> JSON?,
    always: (@Sendable (Root) -> JSON)? = nil,
    read: (@Sendable (BodyValue, inout Root) -> Void)? = nil
  ) {
    self.member = member
    self.write = write
    writeAlways = always
    self.read = member.traits.contains(.readOnly) ? nil : read
  }

  /// The same field with more traits.
  package func adding(_ traits: Member.Traits) -> Field {
    var member = member
    member.traits.formUnion(traits)
    return Field(member, write: write, always: writeAlways, read: read)
  }

  /// A member with its own way to be written and read. Without `read` it is read-only.
  package convenience init(
    _ name: String, _ schema: Schema, _ documentation: String = "", _ traits: Member.Traits = [],
    write: @escaping @Sendable (Root) -> JSON?, always: (@Sendable (Root) -> JSON)? = nil,
    read: (@Sendable (BodyValue, inout Root) -> Void)? = nil
  ) {
    let traits = read == nil ? traits.union(.readOnly) : traits
    self.init(
      Member(name, schema, documentation, traits), write: write, always: always, read: read)
  }

  /// A property. Answers leave it out where `isLeftOut` says so.
  package convenience init<Value>(
    _ name: String, _ coding: Coding<Value>, _ path: any WritableKeyPath<Root, Value> & Sendable,
    _ documentation: String = "", _ traits: Member.Traits = [],
    unless isLeftOut: (@Sendable (Value) -> Bool)? = nil
  ) {
    let get = getter(of: path)
    let always: @Sendable (Root) -> JSON = { coding.write(get($0)) }
    self.init(
      name, coding.schema, documentation, isLeftOut == nil ? traits : traits.union(.optional),
      write: {
        let value = get($0)
        return isLeftOut?(value) == true ? nil : coding.write(value)
      },
      always: isLeftOut == nil ? nil : always,
      read: { body, root in
        if let value = coding.read(body) { root[keyPath: path] = value }
      })
  }

  /// A property that may be `nil`, which answers leave out.
  package convenience init<Value>(
    _ name: String, _ coding: Coding<Value>, _ path: any WritableKeyPath<Root, Value?> & Sendable,
    _ documentation: String = "", _ traits: Member.Traits = .optional
  ) {
    let get = getter(of: path)
    self.init(
      name, coding.schema, documentation, traits, write: { get($0).map(coding.write) },
      read: { body, root in
        if let value = coding.read(body) { root[keyPath: path] = value }
      })
  }

  /// A property that is only written.
  package convenience init<Value>(
    _ name: String, _ coding: Coding<Value>, get: @escaping @Sendable (Root) -> Value,
    _ documentation: String = ""
  ) {
    self.init(
      name, coding.schema, documentation, write: { coding.write(get($0)) })
  }

  /// A property that is only written, and left out where it is `nil`.
  package convenience init<Value>(
    _ name: String, _ coding: Coding<Value>, get: @escaping @Sendable (Root) -> Value?,
    _ documentation: String = "", _ traits: Member.Traits = .optional
  ) {
    self.init(
      name, coding.schema, documentation, traits, write: { get($0).map(coding.write) })
  }
}

/// Returns a function that reads a property. A stored one is loaded from its place, which takes a tenth of the time of
/// a key path.
private func getter<Root, Value>(
  of path: any KeyPath<Root, Value> & Sendable
) -> @Sendable (Root) -> Value {
  guard let offset = MemoryLayout<Root>.offset(of: path) else { return { $0[keyPath: path] } }
  return { root in
    withUnsafeBytes(of: root) { bytes in
      // Sound: a property with an offset is stored there (MemoryLayout.offset(of:)), and `root` is initialized.
      bytes.load(fromByteOffset: offset, as: Value.self)
    }
  }
}

extension Field {
  /// The labels that something is limited to; left out if there are none.
  package static func labels(
    _ path: any KeyPath<Root, [Label]> & Sendable, _ documentation: String
  ) -> Field {
    let get = getter(of: path)
    return Field("labels", .list(of: .label), documentation, .optional) { root in
      let labels = get(root)
      return labels.isEmpty ? nil : .strings(labels.map(\.text))
    }
  }
}

extension Array {
  /// The fields of a part of a value, which answers write among its own.
  package func of<Part, Root>(
    _ path: any KeyPath<Root, Part> & Sendable
  ) -> [Field<Root>] where Element == Field<Part> {
    let get = getter(of: path)
    return map { field in Field<Root>(field.member, write: { field.write(get($0)) }) }
  }

  /// The fields of a part of a value, which requests have among its own.
  package func inside<Part, Root>(
    _ path: any WritableKeyPath<Root, Part> & Sendable
  ) -> [Field<Root>] where Element == Field<Part> {
    let get = getter(of: path)
    return map { field in
      var whole: (@Sendable (BodyValue, inout Root) -> Void)?
      if let read = field.read { whole = { body, root in read(body, &root[keyPath: path]) } }
      return Field<Root>(
        field.member, write: { field.write(get($0)) }, read: whole)
    }
  }

  /// The members, for schemas.
  package func members<Root>() -> [Member] where Element == Field<Root> { map(\.member) }

  /// The same fields, of which a request must have this one.
  package func requiring<Root>(_ name: String) -> [Field<Root>] where Element == Field<Root> {
    map { $0.member.name == name ? $0.adding(.required) : $0 }
  }

  /// Copies these members of a value into another one.
  package func copy<Root>(_ value: Root, into other: inout Root) where Element == Field<Root> {
    for field in self {
      guard let read = field.read, let json = field.write(value) else { continue }
      read(BodyValue(json: json, pointer: .root, faults: Faults()), &other)
    }
  }

  /// Writes a value, as an answer or as an export.
  ///
  /// - Parameter always: The members that are written even if they have their default.
  package func json<Root>(
    of value: Root, for use: Schema.Use = .answer, always: Set<String> = []
  ) -> JSON.Object where Element == Field<Root> {
    var object = JSON.Object(capacity: Swift.min(count, 4))
    for field in self where use != .export || !field.member.traits.contains(.local) {
      let isWritten = always.contains(field.member.name)
      if let json = field.write(value) ?? (isWritten ? field.writeAlways?(value) : nil) {
        object.appendNew(field.member.name, json)
      } else if use == .export && field.member.traits.contains(.nullInExport) {
        object.appendNew(field.member.name, .null)
      }
    }
    return object
  }
}

extension BodyValue {
  /// Reads an object into `value`, which keeps its current values for missing or invalid members.
  /// If this is not an object, or a required member cannot be read, records the fault and returns
  /// false.
  ///
  /// - Parameter isOpen: Whether the object may have other members.
  package func read<Root>(_ fields: [Field<Root>], into value: inout Root, isOpen: Bool = false)
    -> Bool
  {
    let known = isOpen ? self.object() : object(fields.lazy.map { $0.member.name })
    guard let object = known else { return false }
    var isComplete = true
    for field in fields {
      let isRequired = field.member.traits.contains(.required)
      let before = faults.count
      let body = isRequired ? object.required(field.member.name) : object[field.member.name]
      if let body { field.read?(body, &value) }
      if isRequired && faults.count > before { isComplete = false }
    }
    return isComplete
  }
}

/// How a Swift value appears in JSON.
package struct Coding<Value>: Sendable {
  package let schema: Schema
  /// Returns `nil` and records the fault for any other value.
  package let read: @Sendable (BodyValue) -> Value?
  package let write: @Sendable (Value) -> JSON

  package init(
    _ schema: Schema, read: @escaping @Sendable (BodyValue) -> Value?,
    write: @escaping @Sendable (Value) -> JSON
  ) {
    self.schema = schema
    self.read = read
    self.write = write
  }

  package static func list<Element>(
    of element: Coding<Element>, limit: Int? = nil
  ) -> Coding where Value == [Element] {
    Coding(
      .list(of: element.schema, limit: limit),
      read: { $0.list(atMost: limit ?? BodyValue.mostElements, element.read) },
      write: { .array($0.map(element.write)) })
  }

  /// An object of an answer, possibly from a newer server.
  package static func open(_ schema: Schema, _ fields: [Field<Value>], _ blank: Value) -> Coding
  where Value: Sendable {
    Coding(
      schema,
      read: { body in
        var value = blank
        return body.read(fields, into: &value, isOpen: true) ? value : nil
      }, write: { .object(fields.json(of: $0)) })
  }

  /// An object that is only written, with the name of its schema.
  package static func written(_ name: String, _ fields: [Field<Value>]) -> Coding {
    Coding(
      .named(name, .object(fields.members())), read: { _ in nil },
      write: { .object(fields.json(of: $0)) })
  }

  /// A value or `null`.
  package static func nullable<Wrapped>(_ wrapped: Coding<Wrapped>) -> Coding
  where Value == Wrapped? {
    Coding(
      .nullable(wrapped.schema), read: { $0.json == .null ? .some(nil) : wrapped.read($0) },
      write: { $0.map(wrapped.write) ?? .null })
  }
}

extension Coding<String> {
  package static var string: Coding { string(.string) }
  package static var sha256: Coding { string(.sha256) }

  package static func string(_ schema: Schema) -> Coding {
    Coding(schema, read: { $0.string }, write: { .string($0) })
  }

  /// A text of at most so many characters.
  package static func text(longest: Int) -> Coding {
    let schema = Schema.json(["type": "string", "maxLength": .integer(longest)])
    return Coding(schema, read: { $0.text(longest: longest) }, write: { .string($0) })
  }

  /// A text of 1 to `longest` characters without control characters.
  package static func named(longest: Int) -> Coding {
    let schema = Schema.json([
      "type": "string", "minLength": 1, "maxLength": .integer(longest),
      "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
    ])
    return Coding(schema, read: { $0.name(longest: longest) }, write: { .string($0) })
  }

  /// The same in lines.
  package static func lines(longest: Int) -> Coding {
    let schema = Schema.json([
      "type": "string", "minLength": 1, "maxLength": .integer(longest),
      "pattern": "^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]*$",
    ])
    return Coding(
      schema, read: { $0.name(longest: longest, hasLines: true) }, write: { .string($0) })
  }
}

extension Coding<Label> {
  package static var label: Coding {
    Coding(.label, read: { $0.parse(Label.init(_:)) }, write: { .string($0.text) })
  }
}

extension Coding<[Label]> {
  /// Labels, which are put in order.
  package static var labels: Coding {
    let list = Coding.list(of: .label, limit: Label.mostPerDomain)
    return Coding(
      list.schema, read: { body in list.read(body).map { Set($0).sorted() } }, write: list.write)
  }
}

extension Coding<[String]> {
  /// Codes of findings.
  package static var codes: Coding { .list(of: .string(.shared("FindingCode"))) }
}

extension Coding<Bool> {
  package static var bool: Coding { Coding(.bool, read: { $0.bool }, write: { .bool($0) }) }
}

extension Coding<Int> {
  /// A count of things or bytes.
  package static var count: Coding { integer(in: 0...Int.max) }
  /// The number of a revision.
  package static var revision: Coding { integer(in: 1...Int.max) }

  package static func integer(in range: ClosedRange<Int>) -> Coding {
    Coding(.integer(in: range), read: { $0.integer(in: range) }, write: { .integer($0) })
  }
}

extension Coding<Int64> {
  /// The row of an entry or a route, or the number of an audit record.
  package static var row: Coding {
    let schema = Schema.json(["type": "integer", "minimum": 1, "maximum": .integer(Int64.max)])
    return Coding(
      schema, read: { $0.integer(in: 1...Int.max).map(Int64.init) }, write: { .integer($0) })
  }

  /// A position in the order of changes, or a distance there.
  package static var position: Coding {
    let schema = Schema.json(["type": "integer", "minimum": 0, "maximum": .integer(Int64.max)])
    return Coding(
      schema, read: { $0.integer(in: 0...Int.max).map(Int64.init) }, write: { .integer($0) })
  }
}

extension Coding<UnixTime> {
  /// A time of an answer.
  package static var time: Coding { time(.time) }
  /// A time of a request, which may have fractions and another zone.
  package static var anyTime: Coding { time(.json(["type": "string", "format": "date-time"])) }

  private static func time(_ schema: Schema) -> Coding {
    Coding(schema, read: { $0.time }, write: { .time($0) })
  }
}

extension Coding<AppIdentifier> {
  package static var app: Coding {
    Coding(.app, read: { $0.parse(AppIdentifier.init(_:)) }, write: { .string($0.text) })
  }
}

extension Coding<PackageName> {
  package static var packageName: Coding {
    Coding(
      .packageName, read: { $0.parse(PackageName.init(validating:)) }, write: { .string($0.text) })
  }
}

extension Coding<TemplateName> {
  package static var template: Coding {
    Coding(
      .shared("TemplateName"), read: { $0.parse(TemplateName.init(_:)) },
      write: { .string($0.text) })
  }
}

extension Coding<WebOrigin> {
  package static var origin: Coding {
    Coding(
      .json(["type": "string", "pattern": "^https://[a-z0-9.-]+(:[0-9]+)?$"]),
      read: { $0.parse(WebOrigin.init(validating:)) }, write: { .string($0.text) })
  }
}

extension Coding<JSON> {
  /// Any value, copied as it is.
  package static var any: Coding { Coding(.any, read: { $0.json }, write: { $0 }) }
}

extension Coding<DomainName> {
  package static var domain: Coding {
    Coding(.domain, read: { $0.parse(DomainName.init(_:)) }, write: { .string($0.text) })
  }
}

extension Coding<Alias> {
  package static var alias: Coding {
    Coding(.alias, read: { $0.parse(Alias.init(_:)) }, write: { .string($0.description) })
  }
}

extension Coding<App.Environment> {
  package static var environment: Coding { word(.environment) }
}

extension Coding<Resolution> {
  package static var resolution: Coding { word(.resolution) }
}

extension Coding where Value: RawRepresentable<String> & CaseIterable & Sendable {
  /// A word of a closed set.
  ///
  /// - Parameter name: The name of the set in `components.schemas`.
  package static func word(_ name: String) -> Coding { word(.words(Value.self, name)) }

  fileprivate static func word(_ schema: Schema) -> Coding {
    Coding(schema, read: { $0.word(Value.self) }, write: { .string($0.rawValue) })
  }
}

extension Coding<DocumentKind> {
  /// A kind of document: the name of its file.
  package static var documentKind: Coding {
    Coding(
      .documentKind,
      read: { body in
        guard let text = body.string else { return nil }
        if let kind = DocumentKind(rawValue: text) { return kind }
        body.fault(.unknownValue, "\(text.quoted) is not the name of a document.")
        return nil
      }, write: { .string($0.rawValue) })
  }
}

extension Coding<JSON.Object> {
  /// Members that are copied into the published file, except those that this API has fields for.
  package static func extra(besides known: [String: @Sendable (JSON) -> Bool]) -> Coding {
    Coding(.object, read: { $0.extra(besides: known) }, write: { .object($0) })
  }
}
