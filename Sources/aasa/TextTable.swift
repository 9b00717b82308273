import Association

/// Rows for stdout. On a terminal they have titles and fit its width; in a pipe they are complete, with
/// tabs between the cells.
struct TextTable {
  /// A text with a color for terminals.
  struct Cell {
    let text: String
    var color: TextStyle.Color?

    init(_ text: String?, _ color: TextStyle.Color? = nil) {
      self.text = (text ?? "").harmless
      self.color = color
    }
  }

  private static let narrowest = 3
  /// Wider cells are sentences, which still say something when they are cut.
  private static let longest = 30
  private static let gap = 2

  private let titles: [String]
  private let style = TextStyle()
  /// The width of the terminal; `nil` for a pipe or a file.
  private let width = Terminal.width
  /// The widths of the columns. Later rows only widen them.
  private var columns: [Int]
  /// The width of the shortest cell of each column.
  private var shortest: [Int]
  private var hasTitles = false

  init(_ titles: [String]) {
    self.titles = titles
    columns = titles.map(\.count)
    shortest = titles.map { _ in Int.max }
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
        shortest[index] = min(shortest[index], cell.text.count)
      }
    }
    let fitting = fitted(to: width)
    let titles = hasTitles ? [] : [self.titles.map { Cell($0, .faint) }]
    hasTitles = true
    try Terminal.write((titles + rows).map { line($0, fitting) + "\n" }.joined())
  }

  /// The widths, narrowed until they fit: first where cells differ in length and long texts, then titles,
  /// because a time or a number that is cut says nothing.
  private func fitted(to width: Int) -> [Int] {
    var columns = columns
    var excess = columns.reduce(0, +) + Self.gap * (columns.count - 1) - width
    let named = zip(shortest, titles).map { max($0, $1.count) }
    let titled = zip(shortest, titles).map { $0 > Self.longest ? $1.count : max($0, $1.count) }
    for floors in [
      named, named.map { min($0, Self.longest) }, titled, shortest, titles.map { _ in 0 },
    ] {
      while excess > 0 {
        let wide = columns.indices.filter { columns[$0] > max(floors[$0], Self.narrowest) }
        guard let index = wide.max(by: { columns[$0] <= columns[$1] }) else { break }
        columns[index] -= 1
        excess -= 1
      }
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
    while line.last == " " { line.removeLast() }
    return line
  }
}
