import Association
import JSONValue
import SQLite

/// A column that holds what this program never writes there.
struct UnreadableColumn: Error {
  let text: String
}

extension Row {
  /// The column as a value of a closed set of words.
  func enumeration<Words: RawRepresentable<String>>(_ column: Int32) throws -> Words {
    guard let word = Words(rawValue: text(column)) else {
      throw UnreadableColumn(text: text(column))
    }
    return word
  }

  /// The column as JSON.
  func json(_ column: Int32) throws -> JSON {
    do {
      return try JSON.parse(text(column).utf8).value
    } catch {
      throw UnreadableColumn(text: text(column))
    }
  }

  /// The column as the members of a JSON object.
  func members(_ column: Int32) throws -> JSON.Object {
    // Nearly always there are none, which needs no parser.
    if text(column) == "{}" { return [:] }
    guard case .object(let members) = try json(column) else {
      throw UnreadableColumn(text: text(column))
    }
    return members
  }

  /// The column as the strings of a JSON array.
  func strings(_ column: Int32) throws -> [String] {
    try json(column).arrayValue?.compactMap(\.stringValue) ?? []
  }

  /// The column as an app identifier.
  func app(_ column: Int32) -> AppIdentifier { AppIdentifier(stored: text(column)) }
}

extension Value {
  /// The members as a JSON object's text.
  static func members(_ members: JSON.Object) -> Value { .text(JSON.object(members).text) }
}
