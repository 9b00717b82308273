import Association

/// The `debugString` of Google's service: several lines in which it explains its answer.
struct GoogleExplanation {
  /// A longer one is cut, in characters.
  private static let limit = 4_000
  /// The shortest beginning of a line that is worth showing.
  private static let shortest = 200

  let text: String

  init(_ debugString: String) {
    var text = ""
    var left = 0
    for line in debugString.split(whereSeparator: \.isNewline) {
      // Headings stand between rows of stars, and rows of hyphens are between statements.
      let isMark = { (character: Character) in "*-= \t".contains(character) }
      let bare = line.drop(while: isMark)
      let isRow = line.prefix(while: isMark).filter { $0 != " " }.count > 2
      let words =
        isRow ? String(bare.prefix { !"*=".contains($0) }.trimmingSuffix(isMark)) : String(line)
      let gap = text.isEmpty ? "" : text.last.map { ".:;,!".contains($0) } == true ? " " : "; "
      let room = Self.limit - text.count - gap.count
      if left > 0 || room < Self.shortest && words.count > room {
        left += 1
        continue
      }
      let next = words.fromOutside(atMost: room)
      if !next.isEmpty { text += gap + next }
    }
    self.text = left > 0 ? "\(text)… (\(left.counted("more line")))" : text
  }
}

extension Substring {
  fileprivate func trimmingSuffix(_ isPart: (Character) -> Bool) -> Substring {
    dropLast(reversed().prefix(while: isPart).count)
  }
}
