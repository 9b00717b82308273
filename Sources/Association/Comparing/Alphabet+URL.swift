extension Alphabet {
  /// The URL that a word stands for.
  func url(_ word: [Symbol], domain: String) -> String {
    var url = "https://\(domain)"
    var component = Component.path
    var isFirst = false
    for symbol in word {
      if symbol == Self.end {
        component = Component(rawValue: component.rawValue + 1) ?? .fragment
        isFirst = true
      } else {
        if isFirst { url += component == .query ? "?" : "#" }
        isFirst = false
        url += text(of: symbol, in: component)
      }
    }
    return url
  }
}
