import Association
import Checking

/// A list of the API, page by page: a table for people, or with `--json` an object on a line for each item.
struct ItemList {
  /// Such as `/v1/domains`.
  let path: String
  /// The lists that follow it, without a limit.
  var following: [String] = []
  var isPaged = true
  var query: [String: String] = [:]
  let titles: [String]
  /// One item, in words.
  let noun: String
  /// How many items are shown if `--limit` does not say; `nil` for all.
  var limit: Int?
  /// What rows have in common that are shown as one; `nil` to show each.
  var group: ((JSON, [TextTable.Cell]) -> String)?
  let row: (JSON) -> [TextTable.Cell]

  /// How many items a page has.
  private static let page = 1000

  static let limit = Option("--limit", "N", "Show at most N.")

  /// Prints the list. Returns the last page, without its items.
  @discardableResult
  func print(_ arguments: Arguments) throws -> JSON {
    let installation = try Installation(arguments, upgrades: false)
    var rest = try arguments.number(Self.limit) ?? limit ?? Int.max
    var table = TextTable(titles)
    var groups = Groups()
    var (query, path, following) = (query, path, following[...])
    var count = 0
    while true {
      if isPaged { query["limit"] = "\(min(rest, Self.page))" }
      let page = try installation.json(
        APIClient.Request("GET", path, query: query), having: "items")
      let items = page["items"]?.arrayValue ?? []
      if arguments.has(.json) {
        try Terminal.write(items.map { $0.text + "\n" }.joined())
      } else if let group {
        for item in items {
          let cells = row(item)
          groups.add(cells, to: group(item, cells))
        }
      } else {
        try table.write(items.map(row))
      }
      count += items.count
      rest -= items.count
      let next = page["next"]?.stringValue
      if let next, rest > 0 {
        query["cursor"] = next
        continue
      }
      if let other = following.popFirst() {
        (path, query["cursor"]) = (other, nil)
        continue
      }
      if group != nil { try table.write(groups.rows) }
      if !arguments.has(.json) { note(count, isCut: next != nil) }
      return page
    }
  }

  /// What a table does not show.
  private func note(_ count: Int, isCut: Bool) {
    if isCut {
      Terminal.complain(
        "There \(count == 1 ? "is" : "are") more than \(count.counted(noun)). Use --limit to see more."
      )
    } else if count == 0 {
      Terminal.complain("No \(noun)s.")
    }
  }
}

/// Rows that say the same, in the order of the first ones.
private struct Groups {
  private var cells: [[TextTable.Cell]] = []
  /// The texts of each column of a group.
  private var texts: [[Set<String>]] = []
  private var indices: [String: Int] = [:]

  mutating func add(_ row: [TextTable.Cell], to group: String) {
    guard let index = indices[group] else {
      indices[group] = cells.count
      cells.append(row)
      texts.append(row.map { [$0.text] })
      return
    }
    for (column, cell) in row.enumerated() { texts[index][column].insert(cell.text) }
  }

  /// A row for each group: the cells of its first row, with the number of other texts where rows differ. The
  /// last column is a sentence that the group has in common.
  var rows: [[TextTable.Cell]] {
    zip(cells, texts).map { row, texts in
      zip(row.indices, zip(row, texts)).map { column, cell in
        let (cell, texts) = cell
        if texts.count == 1 || column == row.count - 1 { return cell }
        return TextTable.Cell("\(cell.text) and \(texts.count - 1) more", cell.color)
      }
    }
  }
}

extension TextTable.Cell {
  /// A string or a number of the API; empty for anything else.
  init(_ json: JSON?, _ color: TextStyle.Color? = nil) {
    self.init(json?.stringValue ?? json?.integerValue.map { "\($0)" }, color)
  }
}
