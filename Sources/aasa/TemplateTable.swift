import Association
import Service

/// A table of the domains of a template: a CSV file whose first column is `domain`, and whose other columns are parameters.
/// Items of a list are parted by blanks. An empty cell is the parameter's default or, without one, no value.
struct TemplateTable {
  /// The domains as elements of a state, and the lines of the file that they are on.
  private(set) var domains: [(line: Int, json: JSON)] = []

  /// - Parameter leavesOpen: Whether an empty cell is as if it were not there, where the parameter has a default.
  /// - Throws: `Failure` with the first faults, each with its line and column.
  init(
    _ bytes: [UInt8], named file: String, of template: Template, leavesOpen: Bool = false
  ) throws {
    let rows = try CSVFile(bytes, named: file).rows
    var faults: [String] = []
    var more = 0
    func fault(_ line: Int, _ column: String? = nil, _ message: String) {
      if faults.count == Faults.limit {
        more += 1
        return
      }
      let place = column.map { ", column \($0.quoted)" } ?? ""
      faults.append("\(file.quotedPath), line \(line)\(place): \(message)")
    }
    guard let header = rows.first else {
      throw Failure(
        "\(file.quotedPath) is empty. Begin with the line \(Self.example(of: template)).")
    }
    let columns = header.cells
    if columns.count == 1, columns[0].contains(";") {
      throw Failure(
        "\(file.quotedPath) seems to be separated by semicolons. Save it as CSV with commas, as many spreadsheets do if their "
          + "language is English. The first line is then \(Self.example(of: template)).")
    }
    if columns.first != "domain" {
      fault(header.line, columns.first, "The first column must be \"domain\".")
    }
    let parameters = Dictionary(
      template.parameters.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    for (index, name) in columns.enumerated().dropFirst() {
      if columns[..<index].contains(name) {
        fault(header.line, name, "This column is there twice. Remove one.")
      } else if parameters[name] == nil {
        let known = template.parameters.map(\.name).joined(separator: ", ")
        fault(
          header.line, name,
          "The template \(template.name.text.quoted) has no such parameter. It has: \(known).")
      }
    }
    var seen: [DomainName: Int] = [:]
    for row in rows.dropFirst() {
      if row.cells.count != columns.count {
        fault(
          row.line, nil,
          "This row has \(row.cells.count.counted("cell")), and the first line \(columns.count).")
        continue
      }
      guard let domain = Self.domain(row, &seen, fault) else { continue }
      var values = JSON.Object()
      for (name, cell) in zip(columns, row.cells).dropFirst() {
        guard let parameter = parameters[name] else { continue }
        if cell.isEmpty && leavesOpen && parameter.defaultValue != nil { continue }
        values[name] = Self.value(cell, parameter) { fault(row.line, name, $0) }
      }
      domains.append(
        (
          row.line,
          [
            "domain": .string(domain.text), "template": .string(template.name.text),
            "parameters": .object(values),
          ]
        ))
    }
    if more > 0 { faults.append("and \(more) more") }
    if !faults.isEmpty { throw Failure(faults.joined(separator: "\n")) }
  }

  private static func domain(
    _ row: CSVFile.Row, _ seen: inout [DomainName: Int], _ fault: (Int, String?, String) -> Void
  ) -> DomainName? {
    do throws(ValidationError) {
      let domain = try DomainName(row.cells[0])
      if let line = seen.updateValue(row.line, forKey: domain) {
        fault(row.line, "domain", "\(domain) is on line \(line), too. Remove one of the rows.")
      }
      return domain
    } catch {
      fault(row.line, "domain", error.message)
      return nil
    }
  }

  /// The value of a cell; `null` for an empty one.
  private static func value(
    _ cell: String, _ parameter: TemplateParameter, _ fault: (String) -> Void
  ) -> JSON {
    if cell.isEmpty { return .null }
    let json: JSON =
      parameter.kind.isList
      ? .strings(cell.split(whereSeparator: \.isWhitespace).map(String.init)) : .string(cell)
    let faults = Faults()
    _ = parameter.read(BodyValue(json: json, pointer: .root, faults: faults))
    do throws(InvalidInput) {
      try faults.check()
    } catch {
      for found in error.faults { fault(found.message) }
    }
    return json
  }

  /// A first line for a table.
  static func example(of template: Template) -> String {
    (["domain"] + template.parameters.map(\.name)).joined(separator: ",")
  }
}
