import JSONValue

extension Inspection {
  /// The members, if the value is an object; a finding if it is something else.
  mutating func object(
    _ value: JSON, at pointer: JSONPointer, _ name: String
  ) -> JSON.Object? {
    if case .object(let object) = value { return object }
    addWrongType(value, at: pointer, name, expected: "an object")
    return nil
  }

  /// The elements with their places, if the value is an array; a finding if it is something else.
  mutating func array(
    _ value: JSON, at pointer: JSONPointer, _ name: String
  ) -> [(value: JSON, pointer: JSONPointer)]? {
    if case .array(let elements) = value {
      return elements.enumerated().map { ($1, pointer.appending($0)) }
    }
    addWrongType(value, at: pointer, name, expected: "an array")
    return nil
  }

  /// The strings of an array with their places; a finding for whatever is something else.
  mutating func strings(
    _ value: JSON, at pointer: JSONPointer, _ name: String
  ) -> [(text: String, pointer: JSONPointer)] {
    var result: [(String, JSONPointer)] = []
    for element in array(value, at: pointer, name) ?? [] {
      if let text = element.value.stringValue {
        result.append((text, element.pointer))
      } else {
        addWrongType(
          element.value, at: element.pointer, "An element of \(name)", expected: "a string")
      }
    }
    return result
  }

  /// Says that a part of the structure has the wrong type.
  mutating func addWrongType(
    _ value: JSON, at pointer: JSONPointer, _ name: String, expected: String
  ) {
    add(
      .wrongType, at: pointer,
      "\(name) is \(value.kind) and must be \(expected): devices cannot read it, and may ignore the"
        + " whole file.",
      help: "Write \(expected).")
  }

  /// Looks for keys that have no meaning where they stand.
  mutating func inspectKeys(of object: JSON.Object, in place: KnownKeys, at pointer: JSONPointer) {
    for key in object.keys where !place.keys.contains(where: { sameScalars($0, key) }) {
      add(
        .unknownKey, at: pointer.appending(key),
        "`\(key)` has no meaning in \(place.name): devices ignore it.",
        help: place.advice(on: key))
    }
  }
}
