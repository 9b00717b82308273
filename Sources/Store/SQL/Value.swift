/// A value to bind.
package enum Value: Sendable, Equatable {
  /// NULL, where the type follows from the column.
  case null
  /// NULL as TEXT.
  case nullText
  case nullInteger
  case integer(Int64)
  /// TEXT. It may contain U+0000.
  case text(String)
  case blob([UInt8])

  /// Whether both are the same value to SQLite. Texts are compared by bytes, because `String`
  /// treats two encodings of an accented letter as equal.
  package static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, _), (.nullText, _), (.nullInteger, _): right.isNull
    case (.integer(let left), .integer(let right)): left == right
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }

  var isNull: Bool {
    switch self {
    case .null, .nullText, .nullInteger: true
    case .integer, .text, .blob: false
    }
  }

  /// INTEGER, 1 for true.
  package static func bool(_ value: Bool) -> Value { .integer(value ? 1 : 0) }

  package static func integer(_ value: Int) -> Value { .integer(Int64(value)) }

  /// INTEGER, 1 for true, or NULL.
  package static func optional(_ value: Bool?) -> Value { value.map(Value.bool) ?? .nullInteger }

  package static func optional(_ value: String?) -> Value { value.map(Value.text) ?? .nullText }

  package static func optional(_ value: Int64?) -> Value {
    value.map(Value.integer) ?? .nullInteger
  }
}
