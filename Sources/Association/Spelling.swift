/// Finds what was meant by a misspelled name: a key, a setting, a command.
public enum Spelling {
  /// How many letters must be added, removed or replaced to get from one text to the other (Levenshtein).
  public static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var last = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        let replaced = last[column] + (letter == other ? 0 : 1)
        current.append(min(replaced, last[column + 1] + 1, current[column] + 1))
      }
      last = current
    }
    return last[right.count]
  }

  /// The known name that is most likely meant; `nil` if none is close.
  public static func nearest(to name: String, among known: [String]) -> String? {
    let typed = Array(name.lowercased().utf8.prefix(64))
    let distances = known.map { (name: $0, count: distance(typed, Array($0.lowercased().utf8))) }
    return distances.min { $0.count < $1.count }
      .flatMap { $0.count <= min(3, typed.count / 2) ? $0.name : nil }
  }
}
