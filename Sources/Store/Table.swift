import Association

/// `Value` where that is also the name of a dictionary's values.
typealias StoredValue = Value

/// A value that one column holds.
protocol Storable: Sendable {
  static func read(_ row: borrowing Row, _ column: Int32) throws -> Self
  var stored: Value { get }
}

/// One column of a table: how a value is bound to it, and how it is read.
struct Column<Root>: Sendable {
  let name: String
  /// SQL for the value to store.
  let parameter: String
  /// SQL for the value to read, given the column with its table.
  let expression: @Sendable (String) -> String
  let bind: @Sendable (Root) -> Value
  let read: @Sendable (borrowing Row, Int32, inout Root) throws -> Void

  init(
    _ name: String, parameter: String = "?",
    expression: @escaping @Sendable (String) -> String = { $0 },
    bind: @escaping @Sendable (Root) -> Value,
    read: @escaping @Sendable (borrowing Row, Int32, inout Root) throws -> Void
  ) {
    self.name = name
    self.parameter = parameter
    self.expression = expression
    self.bind = bind
    self.read = read
  }

  /// A column that holds a property.
  init<Property: Storable>(
    _ name: String, _ path: any WritableKeyPath<Root, Property> & Sendable,
    parameter: String = "?", expression: @escaping @Sendable (String) -> String = { $0 }
  ) {
    self.init(
      name, parameter: parameter, expression: expression, bind: { $0[keyPath: path].stored },
      read: { $2[keyPath: path] = try Property.read($0, $1) })
  }

  /// `app_id`, for the identifier of an app that has a row.
  static func app<Property: Storable>(
    _ path: any WritableKeyPath<Root, Property> & Sendable
  ) -> Column {
    Column(
      "app_id", path, parameter: "(SELECT id FROM app WHERE identifier = ?)",
      expression: { "(SELECT identifier FROM app WHERE id = \($0))" })
  }
}

extension Column<PackageName> {
  /// `app_id`, for the package of an Android app that has a row.
  static var androidApp: Column {
    Column(
      "app_id", \.self, parameter: "(SELECT id FROM android_app WHERE package = ?)",
      expression: { "(SELECT package FROM android_app WHERE id = \($0))" })
  }
}

/// A table: the one list of its columns, from which every statement on whole rows comes.
struct Table<Root: Sendable>: Sendable {
  let name: String
  let columns: [Column<Root>]
  /// The columns, to be read by `read`.
  let selection: String
  /// The column with the row that these rows belong to.
  let owner: String
  private let insertion: Insertion
  /// The INSERT with an `id`, for tables to which one edit adds many rows, and whose `id` no user sees.
  private let insertionWithID: Insertion?
  let assignments: String
  private let blank: Root

  /// - Parameters:
  ///   - keys: Columns that are not part of `Root`. Where rows belong to another row, that comes first.
  ///   - blank: A value to read rows into.
  ///   - isLarge: Whether `add` may take an `id` before, which leaves gaps between the numbers.
  init(
    _ name: String, keys: [String], blank: Root, isLarge: Bool = false, columns: [Column<Root>]
  ) {
    self.name = name
    self.columns = columns
    self.blank = blank
    owner = keys.first ?? "id"
    selection = columns.map { $0.expression("\(name).\($0.name)") }.joined(separator: ", ")
    assignments = columns.map { "\($0.name) = \($0.parameter)" }.joined(separator: ", ")
    func insertion(_ keys: [String]) -> Insertion {
      Insertion(
        into: name, depth: keys.compactMap { Self.depths[$0] }.max() ?? 0,
        keys + columns.map(\.name), keys.map { _ in "?" } + columns.map(\.parameter))
    }
    self.insertion = insertion(keys)
    insertionWithID = isLarge ? insertion(["id"] + keys) : nil
  }

  /// The depth of rows that refer to a row by a column.
  private static var depths: [String: Int] {
    ["domain_id": 1, "entry_id": 2, "service_id": 2, "variable_id": 2, "route_id": 3]
  }

  func values(_ root: Root) -> [Value] { columns.map { $0.bind(root) } }

  /// Reads a row whose columns from `first` on are those of `selection`.
  func read(_ row: borrowing Row, from first: Int32 = 0) throws -> Root {
    var root = blank
    try read(row, from: first, into: &root)
    return root
  }

  func read(_ row: borrowing Row, from first: Int32, into root: inout Root) throws {
    var index = first
    for column in columns {
      try column.read(row, index, &root)
      index += 1
    }
  }

  /// Reads the rows of some domains, each with the row that `key` names.
  ///
  /// - Parameters:
  ///   - source: SQL from FROM on, with a parameter for the domains.
  ///   - domains: That parameter.
  func all(
    _ key: String, _ source: String, _ domains: Value, _ connection: any Connection
  ) throws -> [(key: Int64, value: Root)] {
    try connection.all("SELECT \(key), \(selection) \(source)", [domains]) {
      ($0.integer(0), try read($0, from: 1))
    }
  }

  func insert(_ root: Root, _ keys: [Value], _ connection: any Connection) throws {
    try connection.insert(insertion, keys + values(root))
  }

  /// Adds a row with an `id`, and returns it.
  func add(_ root: Root, _ keys: [Value], _ connection: any Connection) throws -> Int64 {
    if let insertionWithID, let id = try connection.newID(in: name) {
      try connection.insert(insertionWithID, [.integer(id)] + keys + values(root))
      return id
    }
    return try connection.add(insertion, keys + values(root))
  }

  func update(
    _ root: Root, where key: StaticString = "id", is value: Value, _ connection: any Connection
  ) throws {
    try connection.run(
      "UPDATE \(name) SET \(assignments) WHERE \(key) = ?", values(root) + [value])
  }

  /// Deletes the rows that belong to a row of the owner.
  func delete(of row: Int64, _ connection: any Connection) throws {
    try connection.run("DELETE FROM \(name) WHERE \(owner) = ?", [.integer(row)])
  }

  /// Writes a list with its positions, unless it is bound like the old one.
  func replace(
    _ old: [Root], by new: [Root], of row: Int64, _ connection: any Connection
  ) throws {
    if old.map(values) == new.map(values) { return }
    if !old.isEmpty { try delete(of: row, connection) }
    for (position, element) in new.enumerated() {
      try insert(element, [.integer(row), .integer(position)], connection)
    }
  }

  /// Writes an element of a list that keeps its row, and returns the row.
  ///
  /// - Parameter more: Further keys of a new row.
  func save(
    _ new: Root, at position: Int, of row: Int64, _ more: [Value] = [],
    over old: (row: Int64, position: Int, value: Root)?, _ connection: any Connection
  ) throws -> Int64 {
    guard let old else {
      return try add(new, [.integer(row), .integer(position)] + more, connection)
    }
    if values(old.value) != values(new) { try update(new, is: .integer(old.row), connection) }
    // SQLite rewrites the index of every column that an UPDATE names, changed or not.
    if old.position != position {
      try connection.run(
        "UPDATE \(name) SET position = ? WHERE id = ?", [.integer(position), .integer(old.row)])
    }
    return old.row
  }
}

/// A column has a value that this program never writes.
struct UnreadableColumn: Error {
  let text: String
}

extension Row {
  /// The column as a word of a closed set.
  func enumeration<Words: RawRepresentable<String>>(_ column: Int32) throws -> Words {
    guard let word = Words(rawValue: text(column)) else {
      throw UnreadableColumn(text: text(column))
    }
    return word
  }

  func json(_ column: Int32) throws -> JSON {
    do {
      return try JSON.parse(text(column).utf8, limits: .trusted).value
    } catch {
      throw UnreadableColumn(text: text(column))
    }
  }
}

extension String: Storable {
  static func read(_ row: borrowing Row, _ column: Int32) -> String { row.text(column) }
  var stored: Value { .text(self) }
}

extension Bool: Storable {
  static func read(_ row: borrowing Row, _ column: Int32) -> Bool { row.bool(column) }
  var stored: Value { .bool(self) }
}

extension Int: Storable {
  static func read(_ row: borrowing Row, _ column: Int32) -> Int { row.int(column) }
  var stored: Value { .integer(self) }
}

extension UnixTime: Storable {
  static func read(_ row: borrowing Row, _ column: Int32) -> UnixTime { row.time(column) }
  var stored: Value { .integer(self) }
}

extension Row {
  func time(_ column: Int32) -> UnixTime { UnixTime(integer(column)) }
  func optionalTime(_ column: Int32) -> UnixTime? { optionalInteger(column).map { UnixTime($0) } }
}

extension Value {
  static func integer(_ time: UnixTime) -> Value { .integer(time.seconds) }
  static func optional(_ time: UnixTime?) -> Value { .optional(time?.seconds) }
}

extension Int64: Storable {
  static func read(_ row: borrowing Row, _ column: Int32) -> Int64 { row.integer(column) }
  var stored: Value { .integer(self) }
}

extension Optional: Storable where Wrapped: Storable {
  static func read(_ row: borrowing Row, _ column: Int32) throws -> Wrapped? {
    row.isNull(column) ? nil : try Wrapped.read(row, column)
  }
  var stored: Value { self?.stored ?? .null }
}

/// A name that a column holds as its text.
protocol StoredName: Storable, CustomStringConvertible {
  init(stored text: String)
}

extension StoredName {
  static func read(_ row: borrowing Row, _ column: Int32) -> Self { Self(stored: row.text(column)) }
  var stored: Value { .text(description) }
}

extension AppIdentifier: StoredName {}
extension PackageName: StoredName {}
extension TemplateName: StoredName {}
extension WebOrigin: StoredName {}
extension DocumentName: StoredName {}
extension MediaType: StoredName {}
extension SecureURL: StoredName {}
extension Label: StoredName {}
extension DomainName: StoredName {}
extension Alias: StoredName {}

/// As a JSON array.
extension [String]: Storable {
  static func read(_ row: borrowing Row, _ column: Int32) throws -> [String] {
    if row.text(column) == "[]" { return [] }
    return try row.json(column).arrayValue?.compactMap(\.stringValue) ?? []
  }
  var stored: Value { .text(JSON.strings(self).text) }
}

extension JSON.Object: Storable {
  static func read(_ row: borrowing Row, _ column: Int32) throws -> JSON.Object {
    // Nearly always there are no members, which needs no parser.
    if row.text(column) == "{}" { return [:] }
    guard case .object(let members) = try row.json(column) else {
      throw UnreadableColumn(text: row.text(column))
    }
    return members
  }
  var stored: StoredValue { .text(isEmpty ? "{}" : JSON.object(self).text) }
}

extension RawRepresentable<String> where Self: Storable {
  static func read(_ row: borrowing Row, _ column: Int32) throws -> Self {
    try row.enumeration(column)
  }
  var stored: Value { .text(rawValue) }
}

extension App.Environment: Storable {}
extension AssociationFile.DetailsForm: Storable {}
extension AssociationFile.Service: Storable {}
extension Domain.Format: Storable {}
extension Resolution: Storable {}
extension Role: Storable {}

extension Connection {
  /// The end of a condition that a text is one of these, which are the first parameter. For one, SQLite creates no
  /// temporary table.
  func isOne(of texts: [String]) -> (sql: String, texts: Value) {
    texts.count == 1
      ? ("= ?1", .text(texts[0]))
      : (
        "IN (SELECT each.value FROM json_each(?1) AS each)", .text(JSON.strings(texts).text)
      )
  }
}
