/// A name that nothing has, with the one that was most likely meant.
struct UnknownName {
  private let name: String
  private let names: [String]

  init(_ name: String, among names: [String]) {
    self.name = name
    self.names = names
  }

  /// What is wrong and what is allowed.
  var sentence: String {
    let guess = nearest.map { " Did you mean \($0)?" } ?? ""
    return "There is no setting “\(name)”.\(guess) There are \(names.joined(separator: ", "))."
  }

  /// The name that fewest changes of a letter lead to, if they are few.
  private var nearest: String? {
    let typed = Array(name.lowercased().prefix(64))
    let distances = names.map { (name: $0, count: Self.distance(typed, Array($0.lowercased()))) }
    return distances.min { $0.count < $1.count }.flatMap { $0.count <= 3 ? $0.name : nil }
  }

  /// How many letters have to be added, left out or replaced (Levenshtein's distance).
  private static func distance(_ from: [Character], _ to: [Character]) -> Int {
    var row = Array(0...to.count)
    for (i, letter) in from.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in to.enumerated() {
        let replaced = diagonal + (letter == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
      }
    }
    return row[to.count]
  }
}
