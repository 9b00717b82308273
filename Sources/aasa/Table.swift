import Glibc

/// Rows for stdout. On a terminal they have titles and fit its width; in a pipe they are complete, with
/// tabs between the cells.
struct Table {
  /// A text with a color for terminals.
  struct Cell {
    let text: String
    var color: TextStyle.Color?

    init(_ text: String?, _ color: TextStyle.Color? = nil) {
      self.text = (text ?? "").harmless
      self.color = color
    }
  }

  /// A column is never narrower, unless its cells are.
  private static let narrowest = 8
  private static let gap = 2

  private let titles: [String]
  private let style = TextStyle()
  /// The width of the terminal; `nil` for a pipe or a file.
  private let width = Terminal.width
  /// Later rows only widen the columns.
  private var columns: [Int]
  private var hasTitles = false

  init(_ titles: [String]) {
    self.titles = titles
    columns = titles.map(\.count)
  }

  /// Writes rows, which follow those before.
  mutating func write(_ rows: [[Cell]]) throws(Failure) {
    if rows.isEmpty { return }
    guard let width else {
      let lines = rows.map { $0.map(\.text).joined(separator: "\t") + "\n" }
      return try Terminal.write(lines.joined())
    }
    for row in rows {
      for (index, cell) in row.enumerated() {
        columns[index] = max(columns[index], cell.text.count)
      }
    }
    let fitting = Self.fit(columns, into: width)
    let titles = hasTitles ? [] : [self.titles.map { Cell($0, .faint) }]
    hasTitles = true
    try Terminal.write((titles + rows).map { line($0, fitting) + "\n" }.joined())
  }

  /// Narrows the widest columns until all of them fit.
  private static func fit(_ columns: [Int], into width: Int) -> [Int] {
    var columns = columns
    var excess = columns.reduce(0, +) + gap * (columns.count - 1) - width
    while excess > 0, let widest = columns.max(), widest > narrowest,
      let index = columns.lastIndex(of: widest)
    {
      columns[index] -= 1
      excess -= 1
    }
    return columns
  }

  private func line(_ row: [Cell], _ columns: [Int]) -> String {
    var line = ""
    for (index, cell) in row.enumerated() {
      let isCut = cell.text.count > columns[index]
      let text = isCut ? "\(cell.text.prefix(columns[index] - 1))…" : cell.text
      line += style.paint(text, cell.color)
      if index < row.count - 1 {
        line += String(repeating: " ", count: columns[index] - text.count + Self.gap)
      }
    }
    return line
  }
}
