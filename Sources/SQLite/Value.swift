/// A value to bind (sqlite.org/datatype3.html).
public enum Value: Sendable, Equatable {
  /// NULL.
  case null
  /// INTEGER.
  case integer(Int64)
  /// TEXT. It may hold U+0000.
  case text(String)
  /// BLOB.
  case blob([UInt8])

  /// INTEGER, 1 for true.
  public static func bool(_ value: Bool) -> Value { .integer(value ? 1 : 0) }

  /// INTEGER.
  public static func integer(_ value: Int) -> Value { .integer(Int64(value)) }

  /// INTEGER, 1 for true, or NULL.
  public static func optional(_ value: Bool?) -> Value { value.map(Value.bool) ?? .null }

  /// TEXT or NULL.
  public static func optional(_ value: String?) -> Value { value.map(Value.text) ?? .null }

  /// INTEGER or NULL.
  public static func optional(_ value: Int64?) -> Value { value.map(Value.integer) ?? .null }
}
