package import Association
package import JSONValue

/// One thing that is wrong with the body of a request.
package struct Fault: Sendable, Equatable {
  package let pointer: JSONPointer
  package let code: String
  package let message: String

  package init(pointer: JSONPointer, code: String, message: String) {
    self.pointer = pointer
    self.code = code
    self.message = message
  }
}

/// All that is wrong with the body of a request.
package struct InvalidInput: Error, Sendable {
  package let faults: [Fault]

  package init(faults: [Fault]) { self.faults = faults }
}

/// Collects what is wrong while a body is read, so that an answer can name all of it.
package final class Faults {
  package private(set) var all: [Fault] = []

  package func add(_ code: String, at pointer: JSONPointer, _ message: String) {
    all.append(Fault(pointer: pointer, code: code, message: message))
  }

  /// Reads a value and throws what was found wrong with it.
  package static func collecting<Value>(
    in json: JSON, at pointer: JSONPointer = .root, _ read: (Input) -> Value?
  ) throws(InvalidInput) -> Value {
    let faults = Faults()
    let value = read(Input(json: json, pointer: pointer, faults: faults))
    guard let value, faults.all.isEmpty else { throw InvalidInput(faults: faults.all) }
    return value
  }
}

/// A value in the body of a request. Each way to read it returns `nil` for a value of another kind
/// and says so to `faults`.
package struct Input {
  package let json: JSON
  package let pointer: JSONPointer
  package let faults: Faults

  package func fault(_ code: String, _ message: String) {
    faults.add(code, at: pointer, message)
  }

  package func fault(_ error: ValidationError) { fault(error.code, error.message) }

  private func expected<Value>(_ what: String, _ value: Value?) -> Value? {
    if value == nil { fault("wrong-type", "This must be \(what); it is \(json.kind).") }
    return value
  }

  package var string: String? { expected("a string", json.stringValue) }

  package var bool: Bool? { expected("true or false", json.boolValue) }

  package var members: JSON.Object? { expected("an object", json.objectValue) }

  package func integer(in range: ClosedRange<Int>) -> Int? {
    guard let value = expected("a whole number", wholeNumber) else { return nil }
    if range.contains(value) { return value }
    fault("out-of-range", "This must be from \(range.lowerBound) to \(range.upperBound).")
    return nil
  }

  /// `3.0` and `3e0` are whole numbers as `3` is (JSON Schema 2020-12, section 6.1.1 of validation).
  private var wholeNumber: Int? {
    if let value = json.integerValue { return value }
    guard case .number(let text) = json, let value = Double(text) else { return nil }
    return Int(exactly: value)
  }

  /// The elements of an array that could be read. The others have left their faults.
  package func list<Element>(_ read: (Input) -> Element?) -> [Element]? {
    guard let values = expected("an array", json.arrayValue) else { return nil }
    return values.enumerated().compactMap { index, value in
      read(Input(json: value, pointer: pointer.appending(index), faults: faults))
    }
  }

  /// A name of 1 to `longest` characters that can stand in a log: none of them controls anything.
  package func name(longest: Int) -> String? {
    guard let text = string else { return nil }
    if !(1...longest).contains(text.unicodeScalars.count) {
      fault("wrong-length", "This must have 1 to \(longest) characters.")
    } else if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      fault("control-character", "This has a control character, which no name can have.")
    } else {
      return text
    }
    return nil
  }

  /// A time as RFC 3339 writes it, in seconds since 1970.
  package var time: Int64? {
    guard let text = string else { return nil }
    if let seconds = Timestamp.seconds(text) { return seconds }
    fault("malformed-time", "“\(text)” is no time such as 2026-11-21T10:00:00Z.")
    return nil
  }

  /// A word of a closed set.
  package func word<Words: RawRepresentable<String> & CaseIterable>(_: Words.Type) -> Words? {
    guard let text = string else { return nil }
    if let word = Words(rawValue: text) { return word }
    let words = Words.allCases.map { "“\($0.rawValue)”" }.joined(separator: ", ")
    fault("unknown-value", "“\(text)” is not one of \(words).")
    return nil
  }

  /// A text that a type of the domain is made from.
  package func parse<Value>(_ make: (String) throws(ValidationError) -> Value) -> Value? {
    guard let text = string else { return nil }
    do throws(ValidationError) {
      return try make(text)
    } catch {
      fault(error)
      return nil
    }
  }

  /// An object with any members.
  func object() -> InputObject? {
    members.map { InputObject(members: $0, pointer: pointer, faults: faults) }
  }

  /// An object with these members and no others.
  package func object(_ allowed: [String]) -> InputObject? {
    guard let members else { return nil }
    for key in members.keys where !allowed.contains(where: { sameScalars($0, key) }) {
      faults.add(
        "unknown-member", at: pointer.appending(key),
        "There is no member “\(key)” here. Allowed are \(allowed.joined(separator: ", ")).")
    }
    return InputObject(members: members, pointer: pointer, faults: faults)
  }
}

/// An object in the body of a request.
package struct InputObject {
  package let members: JSON.Object
  package let pointer: JSONPointer
  package let faults: Faults

  /// A member; `nil` where it is missing or `null`, which mean the same.
  package subscript(key: String) -> Input? {
    guard let value = members[key], value != .null else { return nil }
    return Input(json: value, pointer: pointer.appending(key), faults: faults)
  }

  /// A member that must be there.
  package func required(_ key: String) -> Input? {
    if let input = self[key] { return input }
    faults.add("missing-member", at: pointer, "The member “\(key)” is missing.")
    return nil
  }
}
