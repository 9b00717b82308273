/// A field of a message's header (RFC 9110 section 5): a name and a value.
package struct HeaderField: Sendable, CustomStringConvertible {
  /// The name as written. Names are compared without case.
  package let name: String
  /// The value, without white space around it.
  ///
  /// In a response it must not have control characters, or the listener answers 500 instead. In a request,
  /// bytes that are not UTF-8 are read as ISO 8859-1 (RFC 9110 section 5.5 leaves them opaque).
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// As in the message.
  package var description: String { "\(name): \(value)" }
}

/// The fields of a header, in order, including repeated ones.
package struct Fields: Sendable, ExpressibleByArrayLiteral {
  /// All of them, in the order of the message.
  package private(set) var all: [HeaderField]

  package init(_ fields: [HeaderField] = []) { all = fields }

  package init(arrayLiteral fields: HeaderField...) { all = fields }

  /// The value of the first field of a name. Case is ignored.
  package subscript(name: String) -> String? {
    all.first { $0.name.equalsIgnoringASCIICase(name) }?.value
  }

  /// The values of all fields of a name, in order: one per line.
  package func values(of name: String) -> [String] {
    all.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
  }

  /// Adds a field at the end.
  package mutating func append(_ field: HeaderField) { all.append(field) }

  /// Replaces all fields of a name by one.
  package mutating func set(_ field: HeaderField) {
    all.removeAll { $0.name.equalsIgnoringASCIICase(field.name) }
    all.append(field)
  }
}

extension String {
  /// Whether two names are equal, except for the case of ASCII letters.
  func equalsIgnoringASCIICase(_ other: String) -> Bool {
    utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
  }
}

extension UInt8 {
  /// The byte, in lower case if it is an ASCII letter.
  var asciiLowercased: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
